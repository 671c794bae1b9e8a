"""The tables of programs: held against themselves, and against the real programs that are here."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from option_oracle import build, git_options, options_of

from nacre.policy import tables
from nacre.policy.options import compiled, read
from nacre.policy.posix import scan
from nacre.policy.tables.schema import Interpreter, Program, Wrapper

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.req("policy-tables")

Entry = Program | Wrapper | Interpreter
_ROLES = {
    "text",
    "read",
    "write",
    "change",
    "maybe",
    "alter",
    "equip",
    "near",
    "own",
    "edit",
    "copy",
    "touch",
    "squeeze",
    "prefix",
    "fill",
}
_ARGUMENTS = ("options", "reads", "writes", "changes", "runs", "places", "enters", "fills", "follows")


def _modules() -> Iterator[tuple[str, Entry]]:
    for home in tables.NAMES:
        module = importlib.import_module(f"nacre.policy.tables.{home}")
        for listed in ("PROGRAMS", "WRAPPERS", "INTERPRETERS"):
            yield from ((home, entry) for entry in getattr(module, listed, ()))


def _all(entry: Entry) -> Iterator[Entry]:
    yield entry
    for command in getattr(entry, "commands", ()):
        yield from _all(command)


ENTRIES = [entry for _, entry in _modules()]


def test_the_index_says_where_every_program_is() -> None:
    homes: dict[str, str] = {}
    for home, entry in _modules():
        for name in entry.names.split():
            assert name not in homes, f"{name} stands in {homes[name]} and {home}"
            homes[name] = home
    assert homes == {name: home for home, listed in tables.NAMES.items() for name in listed.split()}


def test_what_is_refused_has_a_reason() -> None:
    bare = [
        entry.names
        for entry in (part for top in ENTRIES for part in _all(top))
        if _refuses_something(entry) and not entry.reason
    ]
    assert bare == []


def _refuses_something(entry: Entry) -> bool:
    if entry.runs or entry.writes or entry.places:
        return True
    if not isinstance(entry, Program):
        return False
    operands = {"write", "near"} & set(entry.operands.split())
    return bool(entry.refuses or entry.only_with or entry.max_operands or operands)


def test_options_are_spelled_as_options_and_stand_once() -> None:
    wrong: list[tuple[str, str]] = []
    for entry in (part for top in ENTRIES for part in _all(top)):
        seen: dict[str, str] = {}
        for field in _ARGUMENTS:
            for item in getattr(entry, field).split():
                name = item.rstrip("=?")
                known = seen.setdefault(name, field + item)
                if name[0] not in "-+" or known != field + item:
                    wrong.append((entry.names, f"{known} {field}{item}"))
    assert wrong == []


def test_harmless_programs_have_nothing_to_hide() -> None:
    for entry in ENTRIES:
        if isinstance(entry, Program) and entry.harmless:
            assert entry.runs + entry.writes + entry.refuses + entry.spelled == "", entry.names


def test_operands_have_known_roles() -> None:
    for entry in (part for top in ENTRIES for part in _all(top)):
        if isinstance(entry, Program):
            assert set(entry.operands.split()) <= _ROLES, entry.names


def _given(entry: Program, text: str) -> list[tuple[str, str, str]]:
    words = scan(text).commands[0].words[1:]
    return [
        (item.kind, item.flag, item.value.text if item.value is not None else "")
        for item in read(compiled(entry), words)
    ]


def test_values_are_found_where_the_program_finds_them() -> None:
    entry = Program(
        names="x", reason="y", options="-a -n= -c? --all --num= --color? --two==", writes="-o= --output="
    )
    assert _given(entry, "x -an5 -n 6 -c --num 7 --color file -oout --output=x --two 1 2 -c8") == [
        ("option", "-a", ""),
        ("option", "-n", "5"),
        ("option", "-n", "6"),
        ("option", "-c", ""),
        ("option", "--num", "7"),
        ("option", "--color", ""),
        ("operand", "", ""),
        ("writes", "-o", "out"),
        ("writes", "--output", "x"),
        ("option", "--two", "2"),
        ("option", "-c", "8"),
    ]


def test_what_is_not_spelled_in_full_is_unlisted() -> None:
    entry = Program(names="x", reason="y", options="--all --num= -a", writes="--output=")
    for text in ("--outp=x", "--al", "-z", "-az", "--all=x", "---all", "--unknown"):
        assert [kind for kind, _, _ in _given(entry, f"x {text}")][-1] == "unlisted", text
    assert [kind for kind, _, _ in _given(entry, "x -- --outp=x")] == ["operand"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = build(tmp_path_factory.mktemp("oracle"))
    if made is None:
        pytest.skip("no compiler to build the oracle with")
    return made


# ctags reads its options by itself, and has sort, which calls getopt, sort its file; ag gives back a word
# that is no number.
_ASKS_ANOTHER = {"ctags", "ag"}


def _asked() -> list[tuple[str, Entry]]:
    return [
        (name, entry)
        for home, entry in _modules()
        for name in entry.names.split()
        if home
        in {"text", "files", "system", "archives", "wrappers", "network", "data", "build", "compilers"}
        and entry.style == "getopt"
        and not getattr(entry, "commands", ())
        and shutil.which(name) is not None
        and name not in _ASKS_ANOTHER
    ]


def test_the_programs_here_take_values_as_the_tables_say(library: Path) -> None:
    """An option that the table gives a value, and the program does not, hides the word that follows it."""
    wrong: list[str] = []
    compared = 0
    for name, entry in _asked():
        real = options_of(name, library)
        known = compiled(entry).specs
        for option, arity in real.items():
            spec = known.get(option)
            if spec is None or getattr(entry, "harmless", False):
                continue
            compared += 1
            if (spec.arity == "=") != (arity == "="):
                wrong.append(f"{name} {option}: the table says {spec.arity!r}, the program {arity!r}")
    assert wrong == []
    assert compared == 0 or compared > 500


def test_git_takes_values_as_the_table_says() -> None:
    if shutil.which("git") is None:
        pytest.skip("no git here")
    git = tables.program("git")
    assert git is not None
    wrong: list[str] = []
    for command in (command for command in git.commands if not command.commands):
        known = compiled(command).specs
        for name in command.names.split():
            for option, arity in git_options(name).items():
                spec = known.get(option)
                if spec is not None and arity == "=" and spec.arity != "=":
                    wrong.append(f"git {name} {option} takes a value")
    assert wrong == []


# One program by two names, or programs that take their values alike.
_COMPARED = {
    *("install ginstall", "date gdate"),
    *("base64 base32 basenc gbase64", "sort gsort", "shuf gshuf", "diff gdiff", "rg ripgrep"),
    *("sed gsed", "awk gawk mawk nawk bawk goawk"),
    # git tells its options by itself, and is asked above.
    *("add stage", "cherry-pick revert"),
}


def test_a_table_for_several_programs_takes_no_value_for_an_option_of_another() -> None:
    """`openssl x509 -purpose -engine x`: where one takes a value and another none, a word is hidden."""
    hiding = {
        entry.names
        for entry in (part for top in ENTRIES for part in _all(top))
        if isinstance(entry, Program)
        and len(entry.names.split()) > 1
        and not (entry.plain_values or entry.harmless)
        and (entry.runs or entry.writes or entry.places or entry.checks)
        and any(item.endswith("=") for item in f"{entry.options} {entry.reads} {entry.changes}".split())
    }
    assert hiding == _COMPARED
