"""Commands that change what their session's shell relies on: words, options, traps, variables, descriptors.

Whatever it is, the next command runs truly, in the directory that was asked for: in the same shell, with its
state, or in a new one; and then a reply has said so. No call waits for its timeout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from session_harness import SYNTAXES, Harness, open_harness

from nacre.model import Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nacre.model import Result

ALL_CLOSED = 'i=3; while [ $i -lt 256 ]; do eval "exec $i>&-"; i=$((i+1)); done'
ALL_REPLACED = 'i=3; while [ $i -lt 256 ]; do eval "exec $i</dev/null"; i=$((i+1)); done'
POSIX_WORDS = [
    "eval() { :; }",
    "cd() { :; }",
    "command() { :; }",
    "builtin() { :; }",
    "printf() { :; }; print() { :; }; test() { return 1; }",
    "export() { :; }; exit() { :; }; read() { :; }; set() { :; }",
    "source() { :; }; .() { :; }",
    "function eval { :; }",
    "enable -n eval",
    "enable -n .",
    "enable -n . eval printf test builtin",
    "disable eval",
    "disable builtin",
    "disable -r '{'; disable -r '!'",
    "alias .=false",
    "shopt -s expand_aliases; alias eval=false builtin=false command=false test=false cd=false export=false",
    "alias '{=false' '}=false'",
    'alias -g "&&=;" "||=;"',
    "alias -g '<=false' '>=false'",
    "unset -f eval cd; unalias -a",
]
POSIX_OPTIONS = [
    *(f"set -{letter}" for letter in "aefkmnrtuvxC"),
    *(f"set -o {name}" for name in ("noexec", "posix", "errexit", "restricted")),
    *(f"emulate {name}" for name in ("sh", "ksh", "csh")),
    *(
        f"setopt {name}"
        for name in ("NO_EXEC", "RESTRICTED", "ERR_EXIT", "ERR_RETURN", "KSH_ARRAYS", "SH_WORD_SPLIT")
    ),
    "shopt -s extdebug; trap false DEBUG",
    "BASH_COMPAT=3.1; shopt -s compat31",
]
POSIX_STATE = [
    "readonly _",
    "readonly __nacre",
    "readonly __nacre=5",
    "readonly PS1",
    "unset PS1 PS2 PS4 PWD",
    "PS1='$ '; command() { :; }; builtin() { :; }",
    "PWD=/nowhere",
    "IFS=",
    "IFS=/0123456789",
    "PATH=",
    "trap : DEBUG",
    *(f"set -T; trap '{word}' DEBUG" for word in ("return 1", "return 0", "break", "continue", "true")),
    "trap 'return 1' DEBUG",
    "TRAPDEBUG() { return 1 }",
    "trap 'setopt ERR_EXIT' DEBUG",
    "set -E; trap 'return 1' ERR",
    "set -T; trap 'return 1' RETURN",
    "trap false ERR",
    "trap 'exit 5' INT; trap 'echo bye' EXIT",
    "PROMPT_COMMAND='exit 9'",
    "precmd() { exit 9; }; preexec() { return 1; }",
    "kill -INT $$",
    "set -- a b c",
]
POSIX_DESCRIPTORS = [
    *(f"exec {number}>&-" for number in (0, 1, 2, 3, 7, 10, 11, 12, 13)),
    "exec {fd}>&-; exec {fd}>/dev/null; exec {fd}>&-",
    ALL_CLOSED,
    ALL_REPLACED,
    *(f"ulimit -n {files}" for files in (4, 6, 10, 12, 13, 31)),
    "exec </dev/null >/dev/null 2>&1",
    "exec 0</dev/null 10</dev/null 11</dev/null 12</dev/null",
]
FISH = [
    *(
        f"function {name}; end"
        for name in ("eval", "builtin", "printf", "read", "string", "set", "cd", "command")
    ),
    "functions -e cd __nacre_status",
    "alias eval=false",
    "set -g __nacre 1 2 3",
    "set -g PWD /nowhere",
    "set -e PATH",
    "set -g fish_trace 1",
    "exec 3>&-",
    "exec 0<&-",
    *(f"ulimit -n {number}" for number in (4, 5, 8, 12)),
    "function moved --on-variable PWD; true; end",
    "function after --on-event fish_postexec; exit 3; end",
    "return 3",
]
ELVISH = [
    *(f"fn {name} {{|@a| }}" for name in ("eval", "print", "cd", "slurp", "for")),
    "fn read-line { }",
    "del cd~",
    "var ns turn~ = 1 { }",
    "unset-env PATH",
    "exec 3>&-",  # which is an elvish that waits for a person
    "fail x",
    "return",
]
TRICKS = {
    name: {"fish": FISH, "elvish": ELVISH}.get(
        name, [*POSIX_WORDS, *POSIX_OPTIONS, *POSIX_STATE, *POSIX_DESCRIPTORS]
    )
    for name in SYNTAXES
}


@pytest.fixture(scope="module", params=SYNTAXES)
def harness(request: pytest.FixtureRequest) -> Iterator[Harness]:
    yield from open_harness(request.param)


def play(harness: Harness, trick: str, directory: str) -> tuple[Result, Result]:
    """Give a session's shell some state, play the trick, and run a command whose result is certain."""
    session, syntax = harness.new(), SYNTAXES[harness.service.shell.name]
    show = syntax.show if syntax.name != "elvish" else "echo '<'$X'>'"
    session(syntax.assign)
    tried = session(trick)
    after = session("echo ran; /bin/sh -c 'exit 3'", working_directory=directory)
    kept = session(show).stdout.text == "<five>\n"
    session.close()
    assert tried.ended is not Ended.TIMED_OUT, trick
    assert (after.stdout.text, after.exit_code) == ("ran\n", 3), trick
    assert after.working_directory == directory, trick
    assert kept or tried.shell_state is ShellState.LOST or after.shell_state is ShellState.REBORN, trick
    assert "READY_" not in tried.stderr.text + after.stderr.text, trick
    return tried, after


@pytest.fixture
def bash() -> Iterator[Harness]:
    yield from open_harness("bash")


@pytest.mark.req("fault-session-changed")
def test_no_change_of_a_shell_makes_later_commands_untrue_or_late(harness: Harness, tmp_path: Path) -> None:
    for trick in TRICKS[harness.service.shell.name]:
        play(harness, trick, str(tmp_path))


@pytest.mark.req("session-tool")
def test_a_shell_whose_session_is_closed_ends_by_itself(harness: Harness) -> None:
    """Also one that notices no signal while it reads: it need not be killed, which takes longer."""
    session = harness.new()
    session("echo begun")
    (opened,) = [each for each in harness.service.sessions if each.name == session.name]
    process = opened._process  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    session.close()
    assert process is not None
    assert process.exit is not None
    assert process.exit.signal != "SIGKILL"


@pytest.mark.req("fault-session-changed")
@pytest.mark.parametrize("trick", ["exec 10>&-", "exec 11>&-", "exec 12>&-", ALL_CLOSED])
def test_a_shell_that_can_be_given_no_more_commands_is_reported_at_once(
    bash: Harness, tmp_path: Path, trick: str
) -> None:
    tried, after = play(bash, trick, str(tmp_path))
    assert (tried.ended, tried.exit_code) == (Ended.EXITED, 0)
    assert tried.shell_state is ShellState.LOST
    own_end = tried.note.startswith("The shell ended with code 0.")  # for it may be quicker than its keeper
    assert own_end or "the command had closed descriptors that it needs" in tried.note
    assert after.shell_state is ShellState.REBORN


@pytest.mark.req("fault-session-changed")
def test_functions_of_a_person_that_are_named_like_builtins_stay(bash: Harness, tmp_path: Path) -> None:
    session = bash.new()
    session('cd() { builtin cd "$@" && echo arrived; }; X=kept')
    assert session("pwd", working_directory=str(tmp_path)).stdout.text == f"{tmp_path}\n"
    assert session('cd /; echo "$X"').stdout.text == "arrived\nkept\n"
    session.close()


@pytest.mark.req("fault-session-changed")
def test_a_command_that_could_not_have_both_of_its_streams_runs_in_a_new_shell(
    bash: Harness, tmp_path: Path
) -> None:
    _, after = play(bash, "ulimit -n 5", str(tmp_path))
    assert after.shell_state is ShellState.REBORN
