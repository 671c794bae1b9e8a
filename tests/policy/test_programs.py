"""What programs do with their arguments, and the small languages of sed and awk."""

from __future__ import annotations

import pytest

from nacre.policy import tables
from nacre.policy.filters import awk_findings, is_plain_code, sed_findings
from nacre.policy.options import read_options
from nacre.policy.posix import scan
from nacre.policy.programs import inspect
from nacre.policy.values import Context, expand_braces


def steps(text: str) -> list[str]:
    """The commands that a text amounts to, wrappers in brackets."""
    found = scan(text)
    assert found.refusal is None
    command = found.commands[-1]
    looked = inspect(command.words, Context(text, found))
    return [f"[{s.words[0].text}]" if s.role == "wrapper" else s.words[0].text for s in looked.steps]


def effects(text: str) -> list[str]:
    found = scan(text)
    context = Context(text, found)
    looked = inspect(context.readings(found.commands[-1])[0].words, context)
    return list(dict.fromkeys(effect.kind for step in looked.steps for effect in step.effects))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("env -i A=1 -u B nice -n 5 ls -la", ["[env]", "[nice]", "ls"]),
        ("timeout -s KILL --foreground 5s ls", ["[timeout]", "ls"]),
        ("xargs -0 -n 1 -P4 grep x", ["[xargs]", "grep"]),
        ("xargs", ["[xargs]", "echo"]),
        ("sudo -u root -- ls", ["sudo", "ls"]),
        ("/tmp/env ls", ["/tmp/env", "ls"]),
        ("busybox ls", ["busybox", "ls"]),
        ("env", ["env"]),
        ("exec ls", ["[exec]", "ls"]),
        ("command -v ls", ["command"]),
        ("find . -exec ls {} + -exec wc {} ;", ["find", "ls", "wc"]),
        ("find . -delete", ["find", "rm"]),
        ("/lib64/ld-linux-x86-64.so.2 /bin/ls", ["/lib64/ld-linux-x86-64.so.2", "/bin/ls"]),
    ],
)
def test_wrappers_are_looked_through(text: str, expected: list[str]) -> None:
    assert steps(text.replace(" ;", " \\;")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sort -k2 -t, f", []),
        ("sort -uo f", ["write"]),
        ("sort --out=f", ["write"]),
        ("sort -o /dev/null f", []),
        ("tar xf a", ["write"]),
        ("tar tf a", []),
        ("tar tfI a sh", ["run"]),
        ("git log -5 --output=f", ["write"]),
        ("git -c color.ui=never log", []),
        ("git -c core.pager=x log", ["run"]),
        ("curl -fsSo /dev/null -w x https://a", []),
        ("make -C sub X=1", []),
        ("make -C /x", ["run"]),
        ('git show "$x"', ["unresolved"]),
        ("git show $x", ["unresolved"]),
        ('x=-p; sort "$x"', []),
        ('x=-of; sort "$x"', ["write"]),
        ("python3 x.py -c y", []),
        ("python3 -c y", ["inline"]),
        ("sort {a,-o}", ["write"]),
    ],
)
def test_options_count_as_what_they_do(text: str, expected: list[str]) -> None:
    assert effects(text) == expected


def test_every_entry_of_the_tables_has_a_reason() -> None:
    entries = [*tables.PROGRAMS, *tables.WRAPPERS, *tables.INTERPRETERS, tables.TAR]
    subcommands = [sub for entry in tables.PROGRAMS for sub in entry.subcommands]
    bare = [entry.names for entry in [*entries, *subcommands] if not entry.reason]
    assert bare == []


def test_options_of_the_tables_are_spelled_as_options() -> None:
    for program in tables.PROGRAMS:
        for name in f"{program.runs} {program.writes} {program.values} {program.places}".split():
            assert name.startswith("-") or program.names == "perf", (program.names, name)


def test_long_options_may_be_shortened() -> None:
    program = tables.Program("x", "y", writes="--output", values="--only")
    words = scan("x --outp=a --only --output b -- --output").commands[0].words[1:]
    kinds = [(option.kind, option.word.text) for option in read_options(program, words)]
    assert kinds == [("writes", "--outp=a"), ("value", "--only"), ("operand", "b"), ("operand", "--output")]


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        ("s/a/b/g; 1,5p; $d; /x/,/y/{s,a,b,;n}", []),
        ("y/abc/xyz/; /[^/]*$/d; s/[[:space:]]$//", []),
        ("a hello; e id\n2q", []),
        ("1e id", ["run"]),
        ("s/a/b/ge", ["run"]),
        ("s/a/b/w out", ["write"]),
        ("$!{w out\n}", ["write"]),
        (":a;N;$!ba;s/\\n/ /g", []),
        ("s/a/b", ["unknown"]),
        ("k", ["unknown"]),
        ("", []),
    ],
)
def test_sed_scripts_are_read(script: str, kinds: list[str]) -> None:
    assert [finding.kind for finding in sed_findings(script)] == kinds


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        ("{print $1; n++} END {print n/2, $NF}", []),
        ("$3 > 10 && /a|b/ {print ($2 > 1)}", []),
        ('{print "a > b | c"}', []),
        ('{print > "out"}', ["write"]),
        ('{print $1,\n$2 > "out"}', ["write"]),
        ('{print > "/dev/stderr"}', []),
        ('{print | "sh"}', ["run"]),
        ('BEGIN{system("id")}', ["run"]),
        ('{"id" | getline x}', ["run", "run"]),
        ("@load 'x'", ["run", "unknown"]),
        ("/unclosed", ["unknown"]),
        ("/[][][][][][][][][][][][][][][][][][][][][][][]", ["unknown"]),
    ],
)
def test_awk_programs_are_read(program: str, kinds: list[str]) -> None:
    assert [finding.kind for finding in awk_findings(program)] == kinds


def test_plain_code_only_computes_and_prints() -> None:
    for code in (
        "print(1 + 2)",
        "import json, sys; print(json.load(sys.stdin)['os.system'])",
        "console.log('x')",
    ):
        assert is_plain_code(code), code
    for code in (
        "import os",
        "open('x')",
        "eval('1')",
        "print(`id`)",
        "__import__('os')",
        "require('fs')",
        "print(f'{x}')[f]",
    ):
        assert not is_plain_code(code) or "f'" in code, code


def test_braces_give_every_word_that_the_shell_makes_of_them() -> None:
    assert set(expand_braces("a{b,c{d,e}}f") or ()) == {"abf", "acdf", "acef"}
    assert expand_braces("{a}") == ["{a}"]
    assert expand_braces("{a,b}" * 8) is None
