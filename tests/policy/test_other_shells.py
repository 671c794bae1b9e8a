"""The lexers for cmd.exe, PowerShell, fish and nushell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nacre.policy import Policy, cmd, fish, judge, powershell

if TYPE_CHECKING:
    from nacre.policy.model import Scan


_FISH = "fish"


def names(scan: Scan) -> list[str]:
    assert scan.refusal is None, scan.refusal
    return [command.words[0].text for command in scan.commands if command.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dir & del x", ["dir", "del"]),
        ("dir&&del||echo|more", ["dir", "del", "echo", "more"]),
        ('"del" x', ["del"]),
        ("del/q x", ["del"]),
        ("echo.", ["echo"]),
        ("(dir & del x) & ver", ["dir", "del", "ver"]),
        ("dir\r\ndel x", ["dir", "del"]),
        ("@echo a ^& b", ["echo"]),
        ('echo "a & b"', ["echo"]),
        ("cmd /c del x", ["cmd", "del"]),
        ("echo 100%", ["echo"]),
        ("echo 100%% & ver", ["echo", "ver"]),
        ('git log --format="%h - %an, %ar : %s"', ["git"]),
    ],
)
def test_cmd_commands_are_found(text: str, expected: list[str]) -> None:
    assert names(cmd.scan(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "%x%",
        "!x!",
        "for %i in (a) do b",
        "if a b",
        'a "b',
        "(a",
        "a ^",
        "a >",
        ":label",
        "a\x00",
        "%1",
        "a\rb",
        "echo %h%n",
        "echo %x:a=b%",
        "echo 1%%x%",
        'set "h =1"',
        "set h =1",
        *(
            "d^el x",
            "echo.hi",
            "dir\\x",
            "findstr/s x",
            '"a/b"',
            ">nul (a)",
            "a , b",
            "a ; b",
            "=a",
            "a >b,c",
            "a >&1b",
        ),
        *("a 'b'", "a @b", 'echo a\necho %"% & b & rem "', "git log %a %b", 'git log "%a %b"'),
        "a " + "b" * 40_000,
    ],
)
def test_cmd_texts_are_refused(text: str) -> None:
    assert cmd.scan(text).refusal is not None


def test_cmd_redirections_are_found() -> None:
    found = cmd.scan("dir > f 2>nul 2>&1").commands[0]
    assert [(r.operator, r.target.text if r.target else "") for r in found.redirections] == [
        (">", "f"),
        (">", "nul"),
        (">&", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Get-ChildItem; ri x | % { del $_ }", ["Get-ChildItem", "ri", "del", "%"]),
        ('Write-Output "$(Remove-Item x)"', ["Remove-Item", "Write-Output"]),
        ("Write-Output '$(x)'", ["Write-Output"]),
        ("& 'Remove-Item' x", ["Remove-Item"]),
        ("(Get-Item x).Name", ["Get-Item"]),
        ("$x = Get-Item y; $x.Length", ["Get-Item"]),
        ("a -b (c) && d || e", ["c", "a", "d", "e"]),
        ("if (a) { b } elseif (c) { d } else { e }", ["a", "b", "c", "d", "e"]),
        ("foreach ($f in a) { b $f }", ["a", "b"]),
        ("a `\n -b # c", ["a"]),
        ("a -m @'\n'b' $(c) \"\n'@; d", ["a", "d"]),
        ('a -m @"\n"b" $(c) $x `$(e)\n"@; d', ["c", "a", "d"]),
        ("a @'\n'@", ["a"]),
    ],
)
def test_powershell_commands_are_found(text: str, expected: list[str]) -> None:
    assert names(powershell.scan(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[IO.File]::Delete('x')",
        "$x.Delete()",
        "& ('a'+'b')",
        ". ./x",
        "function f { }",
        "a @{b=c}",
        "a 'b",
        'a "b',
        "a)",
        "{ a",
        "a \u2013b",
        "a < b",
        "a --% b",
        "a @'b\n'@",
        "a @'\nb'@",
        'a @"\nb\n',
        "a " + "b" * 100_001,
        "try { a } catch [X] { b }",
        *(
            "Re`move-Item x",
            "a <# ; b #> c",
            "#requires -Modules x",
            "a &",
            "a b>c",
            "a b(c)",
            "a b{c}",
            "a $(b)c",
            "$x.Delete{1}",
            "a $x.Delete{1}",
        ),
        *(
            "a $x.y/b",
            'a "$1"',
            'a "$\u00fc"',
            'a "$x?"',
            "$env:x++",
            "++$x",
            "1.bat",
            "7-zip",
            "'a' -as 'b'",
            ".a",
        ),
        *("a `nb", 'a "b`0"', "a -b`c", "a -b$(c)", "a | if (b) { c }", "${:x} = 1", "a 2>&1b", "&a"),
    ],
)
def test_powershell_texts_are_refused(text: str) -> None:
    assert powershell.scan(text).refusal is not None


def test_fish_reads_plain_commands() -> None:
    assert names(fish.scan("ls -la 'a b' | grep \"x y\" && pwd; ls *.c # rm")) == ["ls", "grep", "pwd", "ls"]
    assert names(fish.scan("cd src; and ls; or not pwd")) == ["cd", "ls", "pwd"]
    assert fish.scan("ls > f").commands[0].redirections[0].operator == ">"
    assert fish.scan("ls 2>/dev/null").commands[0].redirections[0].operator == ">"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls (rm x)", ["rm", "ls"]),
        ('ls "a $(rm x) b"', ["rm", "ls"]),
        ("ls a(rm (cat))b", ["cat", "rm", "ls"]),
        ('ls $x "$y"', ["ls"]),
        ("if a; b; end", ["a", "b"]),
        ("if a; and b\n  c\nelse if d\n  e\nelse\n  f\nend", ["a", "b", "c", "d", "e", "f"]),
        ("begin; a; end | b", ["a", "b"]),
        ("while a; b; end < f", ["a", "b"]),
        ("for f in (a) *.c; b $f; end", ["a", "b"]),
        ("switch (a); case b 'c*'; d; case '*'; e; end", ["a", "d", "e"]),
        ("set x (a); b $x", ["a", "b"]),
        ("[ -f x ]; and ! a", ["[", "a"]),
    ],
)
def test_fish_blocks_variables_and_substitutions_are_read(text: str, expected: list[str]) -> None:
    assert names(fish.scan(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("eval a", "'a\\\\'b'", "'a\\'", "ls \\n", "ls (a \\))"),
        *("a ^b{c,d}", "ls >", "ls2>&1", "ls >&1x", "ls 10>&1", "ls>f", "a &| b"),
        *("ls %self", "ls a\u00a0b", "function f; a; end", "source f", "if a; b", "a; end", "else; a"),
        *("'if' a; end", "case b; a", "if; a; end", "begin a; end", "end a", "if a; end b", "ls (a", "ls a)"),
        *("ls $x[1]", 'ls "$x[1]"', "ls $$x", "ls (a)[1]", "ls (a # )\n)", "ls ('a)')", "ls $", "ls {$x}"),
        *(
            "set -U x y",
            "set fish_function_path .",
            "set x[1] y",
            "set $x y",
            "read -p a x",
            "for x y; a; end",
        ),
        "ls " + "(" * 30 + "a" + ")" * 30,
    ],
)
def test_fish_texts_are_refused(text: str) -> None:
    assert fish.scan(text).refusal is not None


def test_what_fish_exports_is_seen_by_programs() -> None:
    policy = Policy.from_lists(["npm", "read"])
    assert judge("set -x NODE_ENV test; npm test", policy, shell=_FISH).exported == {"NODE_ENV"}
    for text in (
        *("set -x A /x; npm test", "set -x A 1; set A /x; npm test", "set A /x; set -gx A 1; npm test"),
        *("set PATH .", "set -e PATH", "for PATH in a; npm test; end", "read -l PATH", "set -x A; npm test"),
    ):
        assert not judge(text, policy, shell=_FISH).allowed, text


def test_a_loop_of_fish_gives_its_variable_one_file_at_a_time() -> None:
    policy = Policy.from_lists(["sort"])
    assert judge("for f in ./*.txt; sort $f; end", policy, shell=_FISH).allowed
    for text in (
        *("for f in *.txt; sort $f; end", "for f in ./*.txt; set f -o x; sort $f; end", "sort $f"),
        *("for f in ./*.txt; true; end; sort $f", "for f in ./*.txt; read f; sort $f; end"),
    ):
        assert not judge(text, policy, shell=_FISH).allowed, text


def test_fish_assigns_what_the_named_groups_of_a_regular_expression_match() -> None:
    policy = Policy.from_lists(["ls"])
    assert judge("string match -q '*.py' $file; and ls", policy, shell=_FISH).allowed
    for text in ("string match -r '(?<PATH>.*)' x", "string match $a $b", "string $a '(?<PATH>.*)' x"):
        assert not judge(text, policy, shell=_FISH).allowed, text


def test_fish_variables_for_one_command_are_assignments() -> None:
    (command,) = fish.scan("a=1 rm -rf x").commands
    assert [word.text for word in command.words] == ["rm", "-rf", "x"]
    assert command.assignments[0].name == "a"
    assert fish.scan("ls ~ src/*.c").commands[0].words[1].tilde
    assert fish.scan("ls ~ src/*.c").commands[0].words[2].prefix == "src/"


def test_nushell_reads_pipelines_of_plain_words_only() -> None:
    assert names(fish.scan_nu("ls | sort-by size; pwd")) == ["ls", "sort-by", "pwd"]
    for text in ("ls | where size > 1", "let x = 1", "a && b", "ls | each {|x| rm $x }", "a > f"):
        assert fish.scan_nu(text).refusal is not None, text
