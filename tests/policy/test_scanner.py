"""What the scanner for POSIX shells finds, construct by construct, and what it refuses."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from nacre.policy.grammar import GRAMMARS
from nacre.policy.plain import scan_plain
from nacre.policy.posix import CONTROL, scan, walk
from nacre.policy.values import Context


def commands(text: str, shell: str = "bash") -> list[list[str]]:
    found = scan(text, shell)
    assert found.refusal is None, found.refusal
    return [
        [word.text.replace("\0", "?") for word in command.words]
        for command in found.commands
        if command.words
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -la", [["ls", "-la"]]),
        ("a;b&c|d&&e||f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("'a b' \"c d\" e\\ f $'g\\th'", [["a b", "c d", "e f", "g\th"]]),
        ("a'b'\"c\"\\d", [["abcd"]]),
        ("{ a; b; }", [["a"], ["b"]]),
        ("(a; (b))", [["a"], ["b"]]),
        ("! a | b", [["a"], ["b"]]),
        ("time -p a", [["a"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("while a; do b; done; until c; do d; done", [["a"], ["b"], ["c"], ["d"]]),
        ("for x in 1 2; do a $x; done", [["a", "?"]]),
        ("for ((i=0;i<3;i++)); do a; done", [["a"]]),
        ("case x in a|b) c;; (d) e;; esac", [["c"], ["e"]]),
        ("f() { a; }\nfunction g { b; }", [["a"], ["b"]]),
        ("a $(b $(c)) `d`", [["c"], ["b", "?"], ["d"], ["a", "?", "?"]]),
        ('a "$(b)" "`c`" "${x:-$(d)}"', [["b"], ["c"], ["d"], ["a", "?", "?", "?"]]),
        ("a <(b) >(c)", [["b"], ["c"], ["a", "?", "?"]]),
        ("a $(( 1 + $(b) ))", [["b"], ["a", "?"]]),
        ("a `b $(c)`", [["c"], ["b", "?"], ["a", "?"]]),
        ("a {b,c}d e{1..3}", [["a", "bd", "cd", "e1", "e2", "e3"]]),
        ("a stash@{0} {}", [["a", "stash@{0}", "{}"]]),
        ("a \"$(b <<'E'\nc (d) 'e\nE\n)\"", [["b"], ["a", "?"]]),
        ("x=1 y=$(b) a", [["b"], ["a"]]),
        ("x=(a $(b) c); d", [["b"], ["d"]]),
        ("[[ -n $(a) && b ]] && c", [["a"], ["c"]]),
        ("a <<E\n$(b) \\$(c)\nE\nd", [["a"], ["b"], ["d"]]),
        ("a <<'E'\n$(b)\nE\nd", [["a"], ["d"]]),
        ("a <<-E\n\tx\n\tE\nd", [["a"], ["d"]]),
        ("a <<E <<'F'\n$(b)\nE\n$(c)\nF", [["a"], ["b"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("a b#c '#' \\# d", [["a", "b#c", "#", "#", "d"]]),
        ("a \\\n b", [["a", "b"]]),
        ("a ${x} $1 $@ $? ${#x} ${x%%y} ${x/a/b} ${x:1:2} ${x^^}", [["a", *"?????????"]]),
        ("a 2>&1 >/dev/null <f b", [["a", "b"]]),
    ],
)
def test_finds_every_simple_command(text: str, expected: list[list[str]]) -> None:
    assert commands(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a 'b",
        'a "b',
        "a `b",
        "a $(b",
        "a ${b",
        "a $((1",
        "(a",
        "{ a",
        "a)",
        "a ;; b",
        "; a",
        "a & ; b",
        "a |",
        "| a",
        "if a; then b",
        "fi",
        "for x in a; do b",
        "case x in a) b",
        "a <<E",
        "a <<E\nb",
        "a \x07",
        "a\r\nb",
        "a\x00b",
        "coproc a",
        "echo ${x@P}",
        "echo $[1]",
        "echo $\\\n(a)",
        "r\\\nm",
        "a `b \\`c\\``",
        "<&-a b",
        "a >& -b",
        "a >&1-",
        "a >&f",
        "x=()a b",
        "x+=(a)b c",
        "a b>()c",
        "a<(b)",
        "a $(b <<E\nE\nc)",
        "a $(b <<E; c\nE\n)",
        "a $(b; c <<E\nE\n)",
        "a $(b <<E | c\nE\n)",
        "a `b '\\\n'`",
        "a <<E\n$(b \\\n c)\nE",
        "a <<E\nb\\\nE\nE",
        "case a in (esac) b;; esac",
        "a $(case b in c) d;; esac)",
        "1\\\n2>a",
        "a b\\\nc",
        "a {b..c}",
        "a {,}",
        "a {b,}",
        "a {b,$c}",
        'a {b,"c"}',
        'a $"b"',
        "a $()",
        "a $x\u00e9",
        "a $10",
        "a 12>b",
        "a b\u00a0c",
        "a $(b # c\n)",
        "[[ x -eq 1 ]]",
        "[[ -v a[0] ]]",
        "echo $((x y))",
        "echo $((x[0]))",
        "echo $(('1'))",
        "x[y z]=1",
        "echo !(a)",
        "echo @(a|b)",
        "{ }",
        "()",
        "echo ${x:-{a}}",
        'echo "${x:-"y"}"',
        "echo $((a) )",
        "f() a",
        "i\\\nf a; then b; fi",
        "a &\\\n& b",
        "\ud800",
        "$((1+$(case x in x) a;; esac)))",
        "cat <<$(a)\nx\n$(a)",
        "x=([0]=a)",
        "a < (b)",
        "a <((b))",
        "a {x}>f",
        "((a[1))",
    ],
)
def test_refuses_what_it_does_not_understand(text: str) -> None:
    assert scan(text).refusal is not None


@pytest.mark.parametrize(
    ("shell", "text"),
    [
        ("sh", "a &> f"),
        ("sh", "a |& b"),
        ("sh", "a <(b)"),
        ("sh", "[[ a ]]"),
        ("sh", "((1))"),
        ("sh", "a <<< b"),
        ("sh", "x=(a)"),
        ("sh", "a $'b'"),
        ("dash", 'a $"b"'),
        ("sh", "function f { a; }"),
        ("sh", "a ${x/b/c}"),
        ("sh", "a ${x:1}"),
        ("sh", "x+=1 a"),
        ("sh", "61>&2 a"),
        ("zsh", "61>&2 a"),
        ("zsh", "time time a"),
        ("zsh", "'-' a"),
        ("zsh", "((a[1]))"),
        ("zsh", "a =b"),
        ("zsh", "a $x[1]"),
        ("zsh", "echo }"),
        ("zsh", "repeat 3 a"),
        ("zsh", "noglob a"),
        ("zsh", "<f"),
        ("zsh", "a <1-5>b"),
        ("zsh", "a >! f"),
        ("zsh", "a ${(e)x}"),
        ("zsh", "a *(e:b:)"),
        ("zsh", "- a"),
        ("zsh", "a $=x"),
        ("ksh", "a <(b)"),
        ("mksh", "a ${ b;}"),
        ("nosuchshell", "a"),
    ],
)
def test_refuses_what_another_shell_reads_in_its_own_way(shell: str, text: str) -> None:
    assert scan(text, shell).refusal is not None


@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "zsh", "ksh", "mksh"])
def test_reads_portable_text_for_every_posix_shell(shell: str) -> None:
    text = 'if a "$x"; then b | c > f; fi; for i in 1 2; do d "$(e)"; done; cat <<E\n`g`\nE\n'
    assert [words[0] for words in commands(text, shell)] == ["a", "b", "c", "e", "d", "cat", "g"]


def test_offsets_point_into_the_text() -> None:
    text = "a && b 'c d' | e"
    found = scan(text).commands
    assert [text[item.start : item.end] for item in found] == ["a", "b 'c d'", "e"]
    assert [text[word.start : word.end] for word in found[1].words] == ["b", "'c d'"]


def test_words_tell_what_they_are() -> None:
    word = scan("a *.c [x] ~/z \"$q\" $r 's'").commands[0].words
    assert word[1].pattern
    assert word[2].pattern
    assert word[3].tilde
    assert word[4].dynamic
    assert not word[4].splits
    assert word[5].splits
    assert word[6].quoted
    assert word[6].literal


def test_redirections_belong_to_their_command_or_group() -> None:
    found = scan("a > f; { b; } 2>> g; > h").commands
    assert [[r.operator for r in item.redirections] for item in found] == [[">"], [], [">>"], [">"]]


def test_functions_are_certain_only_where_nothing_can_prevent_them() -> None:
    assert scan("f() { a; }; f").functions == (("f", 1),)
    for text in (
        "(f() { a; }); f",
        "a && f() { b; }; f",
        "f() { a; } & f",
        "f() { a; } | b; f",
        "if a; then f() { b; }; fi; f",
    ):
        assert scan(text).functions == ()


@pytest.mark.parametrize(
    ("text", "proven"),
    [
        ("echo $((1 + 2))", True),
        ("n=1; echo $((n + 1))", True),
        ("for ((i=0; i<3; i++)); do echo $i; done", True),
        ("i=0; while ((i < 3)); do i=$((i + 1)); done", True),
        ("n=$(wc -l < f); echo $((n * 2))", True),
        ("for i in {1..200}; do echo $((i * 2)); done", True),
        ("[[ $# -eq 1 ]]", True),
        ("a=(x y); echo ${a[1]} ${a[-1]}", True),
        ("x=abc; echo ${x:1:2}", True),
        ("echo $((RANDOM % 6))", True),
        ("x='a[$(b)]'; echo $((x))", False),
        ("echo $((x))", False),
        ("echo $(($1))", False),
        ("echo $(($(cat f)))", False),
        ("[[ $x -eq 1 ]]", False),
        ("n=1; n=$(cat f); ((n++))", False),
        ("echo ${a[x]}", False),
        ("a[x]=1", False),
        ("echo ${x:y}", False),
        ("x=a[$; y='(b)]'; echo $(($x+$y))", False),
        ("if a; then n=1; fi; echo $((n))", False),
    ],
)
def test_arithmetic_takes_what_is_proven_to_be_a_number(text: str, proven: bool) -> None:  # noqa: FBT001
    found = scan(text)
    assert found.refusal is None, found.refusal
    context = Context(text, found)
    assert all(context.is_number(item.word, item.at) for item in found.evaluated) is proven


def test_arithmetic_assigns() -> None:
    found = scan("((PATH=1)); echo $((x += 1)) ${y:$((z++))}")
    assert [item.name for command in found.commands for item in command.assignments] == ["PATH", "x", "z"]


def test_a_text_beyond_the_bounds_is_refused_and_the_bound_is_told() -> None:
    for text in ("a " * 20_000, "a;" * 2_000, "a " + "x" * 1_000_001, "$(" * 50, '"$x"' * 20_000):
        refusal = scan(text).refusal
        assert refusal is not None
        assert "more than" in refusal.reason or "longer than" in refusal.reason
        assert refusal.hint


_PIECES = [
    *("ls", "-l", "a=b", "=x", "-", "'a b'", '"c d"', "|", "||", "&&", ";", "&", "#", "# c", "2", "2>", "a:"),
    *(
        "a:b",
        "''",
        '""',
        "'",
        '"',
        "!",
        "[",
        "./x",
        "%1",
        "~",
        "*",
        "a#b",
        "-x=1",
        "(",
        "$x",
        "`",
        "\n",
        "\\",
    ),
    *("time", "repeat", "noglob", "export", "declare x=1", "local", "then", "{", "}", "nocorrect"),
]


@pytest.mark.req("policy-scanner")
def test_plain_texts_are_read_as_by_the_walk_over_the_grammar() -> None:
    """The quick reader of plain commands finds nothing else than the scanner that knows the language."""
    chance = random.Random(20261)  # noqa: S311 - reproducible, not secret
    made = (
        "".join(
            chance.choice(_PIECES) + chance.choice(["", " ", " ", "\t"]) for _ in range(chance.randint(1, 7))
        )
        for _ in range(6_000)
    )
    here = Path(__file__).parent
    lines = "".join((here / name).read_text(encoding="utf-8") for name in ("cases.jsonl", "ordinary.jsonl"))
    written = (json.loads(line)["command"] for line in lines.splitlines())
    plain = {text: found for text in {*written, *made} if (found := scan_plain(text)) is not None}
    assert len(plain) > 1_000
    for text, found in plain.items():
        if CONTROL.search(text) is None:
            for shell in GRAMMARS:
                assert walk(text, shell) == found, (text, shell)
