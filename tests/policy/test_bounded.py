"""A verdict costs bounded work, whatever the text: families of texts that made judges slow.

The guard is processor time of this process, so that a busy machine changes nothing; growth is told by the
number of Python calls, which is the same everywhere.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge, judge_argv

pytestmark = pytest.mark.req("policy-bounded")

# Far more than a verdict takes (a hundredth of it), far less than the seconds that such texts once cost.
_MOST_PROCESSOR_S = 3.0
_POLICIES = {
    "allowlist": Policy.from_lists(["ls", "find", "git log", "sed", "awk", "xargs", "echo", "bash", "f *"]),
    "deny list": Policy.from_lists(["*"], deny=["rm -rf", "git push --force"], ask=["git *"]),
    "fence": replace(
        Policy.from_mapping({"allow": ["ls", "cat", "find"], "allowed_directories": ["/srv"]}),
        files=LOCAL_FILES,
    ),
    "programs": Policy.from_lists(["tar", "sqlite3", "awk", "xargs"], allow_writes=False),
    "own files": replace(
        Policy.from_lists(["cp", "git", "tar", "make", "node", "psql", "export"], allow_writes=True),
        files=LOCAL_FILES,
        own_files=("/srv/nacre.toml",),
    ),
}


def _chain(length: int) -> str:
    """Every variable is made of the one before it, twice."""
    links = "".join(f"x{i}=$x{i - 1}$x{i - 1};" for i in range(1, length))
    return f"x0=a;{links}find . $x{length - 1}"


def _choices(length: int) -> str:
    """Many variables with many values each, all in one command."""
    values = "".join(f"if ls; then x{i}=-a; else x{i}=b; fi;" for i in range(length))
    return values + "find " + " ".join(f'"$x{i}"' for i in range(length))


_FAMILIES: dict[str, Callable[[int], str]] = {
    "a chain of variables": lambda size: _chain(size // 16),
    "variables with two values each": lambda size: _choices(size // 40),
    "one variable with many values": lambda size: "".join(f"x=v{i};" for i in range(size // 6)) + "find $x",
    "a loop over many words": lambda size: "for x in " + "a " * (size // 2) + "; do find $x; done",
    "loops in loops": lambda size: (
        "".join(f"for x{i} in a b c; do " for i in range(size // 40)) + "find $x0; " + "done; " * (size // 40)
    ),
    "an array used often": lambda size: "x=(" + "a " * (size // 4) + "); " + 'find "${x[@]}";' * (size // 32),
    "braces": lambda size: "ls " + "{" * size,
    "closed braces": lambda size: "ls " + "{" * (size // 2) + "}" * (size // 2),
    "braces that multiply": lambda size: "ls " + "{a,b}" * (size // 5),
    "sequences that multiply": lambda size: "ls " + "{1..3}" * (size // 6),
    "letters of tar": lambda size: "tar " + "1+" * (size // 2),
    "braces in braces": lambda size: "ls " + "{a," * (size // 4) + "b" + "}" * (size // 4),
    "commas in braces": lambda size: "find {" + "," * size + "}",
    "a deep path": lambda size: "cp x " + "a/" * (size // 2),
    "a path upwards": lambda size: "cat " + "../" * (size // 3),
    "repositories": lambda size: "git " + "-C a " * (size // 5) + "log",
    "a deep repository": lambda size: "git -C " + "a/" * (size // 2) + " log",
    "an archive for a deep place": lambda size: "tar -xf a -C " + "a/" * (size // 2),
    "directories that are copied": lambda size: "cp -r " + "a/. " * (size // 4) + " .",
    "flags in a variable": lambda size: "CFLAGS='" + "-O2 -g " * (size // 7) + "!' make",
    "options in a variable": lambda size: "NODE_OPTIONS='" + "--no-warnings " * (size // 14) + "!' node x",
    "settings of a connection": lambda size: "psql '" + "host=h " * (size // 7) + "!'",
    "exported variables": lambda size: "export A=1 B=2;" * (size // 15),
    "words": lambda size: "ls " + "a " * (size // 2),
    "options": lambda size: "find " + "-name a " * (size // 8),
    "one long word": lambda size: "ls " + "a" * size,
    "one long option": lambda size: "ls -" + "a" * size,
    "commands": lambda size: "ls;" * (size // 3),
    "pipes": lambda size: "ls" + "|ls" * (size // 3),
    "refused commands": lambda size: "zz;" * (size // 3),
    "quotes": lambda size: "ls " + "'a'" * (size // 3),
    "open quotes": lambda size: "ls " + "\"'" * (size // 2),
    "backslashes": lambda size: "ls " + "\\" * size,
    "joined lines": lambda size: "ls " + "\\\n" * (size // 2),
    "backticks": lambda size: "ls " + "`" * size,
    "escaped backticks": lambda size: "ls `" + "\\`" * (size // 2) + "`",
    "substitutions": lambda size: "ls " + "$(" * (size // 2),
    "closed substitutions": lambda size: "ls " + "$(ls " * (size // 6) + ")" * (size // 6),
    "many substitutions": lambda size: "ls " + "$(ls)" * (size // 5),
    "arithmetic": lambda size: "ls " + "$((" * (size // 3),
    "closed arithmetic": lambda size: "ls " + "$((1+" * (size // 7) + "1" + "))" * (size // 7),
    "a long sum": lambda size: "ls $((" + "1+" * (size // 2) + "1))",
    "parentheses in arithmetic": lambda size: "ls $((" + "(" * (size // 2) + "1" + ")" * (size // 2) + "))",
    "parameters": lambda size: "ls " + "${x:-" * (size // 5),
    "closed parameters": lambda size: "ls " + "${x:-" * (size // 6) + "}" * (size // 6),
    "subshells": lambda size: "(" * (size // 2) + "ls" + ")" * (size // 2),
    "groups": lambda size: "{ " * (size // 4) + "ls" + "; }" * (size // 4),
    "functions": lambda size: "".join(f"f{i}() {{ ls; }};" for i in range(size // 16)) + "f0",
    "functions in functions": lambda size: "f() { " * (size // 8) + "ls" + "; }" * (size // 8),
    "conditions": lambda size: "if ls; then " * (size // 16) + "ls" + "; fi" * (size // 16),
    "cases": lambda size: "case a in a) " * (size // 20) + "ls" + ";; esac" * (size // 20),
    "case arms": lambda size: "case a in " + "a) ls;; " * (size // 8) + "esac",
    "tests": lambda size: "[[ " + "a && " * (size // 5) + "a ]]",
    "here-documents": lambda size: "ls " + "<<E " * (size // 4),
    "here-document bodies": lambda size: "cat <<E\n" + "$(ls)\n" * (size // 6) + "E\n",
    "many here-documents": lambda size: "ls <<E\na\nE\n" * (size // 12),
    "lines without an end": lambda size: "ls <<E\n" + "E \n" * (size // 3),
    "patterns": lambda size: "ls " + "*" * size,
    "pattern words": lambda size: "ls " + "*/" * (size // 2),
    "pattern classes": lambda size: "ls " + "[a" * (size // 2),
    "redirections of descriptors": lambda size: "ls " + "2>&1 " * (size // 5),
    "redirections": lambda size: "ls" + " >/dev/null" * (size // 11),
    "assignments": lambda size: "x=1 " * (size // 4) + "ls",
    "appended values": lambda size: "x=a;" + "x+=$x;" * (size // 6) + "find $x",
    "shells in shells": lambda size: "bash -c '" * (size // 12) + "ls" + "'" * (size // 12),
    "wrappers": lambda size: "env " * (size // 4) + "ls",
    "xargs": lambda size: "xargs " * (size // 6) + "ls",
    "find -exec": lambda size: "find . " + "-exec ls {} \\; " * (size // 15),
    "sed": lambda size: "sed '" + "s/a/b/;" * (size // 7) + "' f",
    "open sed": lambda size: "sed '" + "{" * size + "' f",
    "sed addresses": lambda size: "sed '" + "/a" * (size // 2) + "' f",
    "awk": lambda size: "awk '" + "{print $1}" * (size // 10) + "' f",
    "open awk": lambda size: "awk '" + "[" * size + "' f",
    "awk sums": lambda size: "awk '" + "x+=a;" * (size // 5) + "'",
    "statements": lambda size: "sqlite3 db '" + "select 1;" * (size // 9) + "'",
    "awk divisions": lambda size: "awk 'BEGIN{x=" + "1/" * (size // 2) + "1}'",
    "awk strings": lambda size: "awk '" + '"' * size + "'",
    "comments": lambda size: "ls " + "#" * size,
    "percent signs": lambda size: "echo " + "%" * size,
    "carets": lambda size: "echo " + "^" * size,
    "many files that are changed": lambda size: "git checkout -- " + ". " * (size // 2),
    "many files that are copied": lambda size: "cp " + "./a " * (size // 4) + "b",
    "many directories that are entered": lambda size: (
        "".join(f"cd a{i}; " for i in range(size // 8)) + "git log"
    ),
    "dollars": lambda size: "ls " + "$" * size,
    "variables": lambda size: "ls " + "$x" * (size // 2),
    "here-strings": lambda size: "echo @'\n" + "'@\n" * (size // 3),
    "blocks": lambda size: "ls " + "{ ls " * (size // 10) + "}" * (size // 10),
    "arguments of a cmdlet": lambda size: "gci " + "'a' " * (size // 4) + "| Get-Content",
    "pipelines": lambda size: "gci a | Get-Content; " * (size // 21),
    "directories by a pattern": lambda size: "ls " + "[.]git/* " * (size // 9),
    "brackets with a directory": lambda size: "(cd a && ls); " * (size // 14),
    "blanks": lambda size: "ls" + " " * size,
    "newlines": lambda size: "\n" * size + "ls",
    "nothing but letters of another script": lambda size: "\N{CYRILLIC SMALL LETTER ER}" * size,
}


@contextmanager
def _bounded_processor_time() -> Generator[None]:
    def stop(*_: object) -> None:
        raise AssertionError(f"more than {_MOST_PROCESSOR_S} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, _MOST_PROCESSOR_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("family", sorted(_FAMILIES))
@pytest.mark.parametrize("size", [1_900, 6_000, 100_000, 1_000_000])
def test_a_verdict_about_any_text_costs_little_time(family: str, size: int) -> None:
    text = _FAMILIES[family](size)
    for policy in _POLICIES.values():
        with _bounded_processor_time():
            assert judge(text, policy, cwd="/srv").reason


@pytest.mark.parametrize("shell", ["cmd", "dash", "fish", "ksh", "nu", "powershell", "zsh"])
def test_every_shell_is_judged_in_bounded_time(shell: str) -> None:
    for size in (1_900, 40_000):
        for make in _FAMILIES.values():
            with _bounded_processor_time():
                assert judge(make(size), _POLICIES["allowlist"], shell=shell, cwd="/srv").reason


@pytest.mark.parametrize("policy", sorted(_POLICIES.keys() - {"allowlist"}))
@pytest.mark.parametrize("shell", ["cmd", "powershell"])
def test_shells_of_windows_are_judged_in_bounded_time_by_all_rules(shell: str, policy: str) -> None:
    for make in _FAMILIES.values():
        with _bounded_processor_time():
            assert judge(make(20_000), _POLICIES[policy], shell=shell, cwd="/srv").reason


def test_a_program_without_a_shell_is_judged_in_bounded_time() -> None:
    for argv in (
        ["ls", *["a"] * 20_000],
        ["env"] * 8_000,
        ["find", *["-exec", "ls", "{}", ";"] * 2_000],
        ["awk", "[" * 50_000],
        ["xargs"] * 8_000,
    ):
        for policy in _POLICIES.values():
            with _bounded_processor_time():
                assert judge_argv(argv, policy, cwd="/srv").reason


def _calls(text: str, policy: Policy) -> int:
    """How many Python calls a verdict makes: a measure of work that does not depend on the machine."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(tick)
    try:
        judge(text, policy, cwd="/srv")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("family", sorted(_FAMILIES))
def test_the_work_of_a_verdict_grows_with_the_length_and_not_faster(family: str) -> None:
    make = _FAMILIES[family]
    judge("ls", _POLICIES["allowlist"])  # what is loaded once is not counted
    short, long = (_calls(make(size), _POLICIES["allowlist"]) for size in (2_000, 16_000))
    assert long <= 8 * short * 1.5 + 5_000


def test_a_long_part_of_a_pattern_that_matches_no_name_costs_no_more_than_a_short_one() -> None:
    policy = _POLICIES["fence"]
    judge("ls a*", policy, cwd="/srv")
    short, long = (_calls(f"ls *{'a' * size}*", policy) for size in (400, 2_000))
    assert long <= short + 100
