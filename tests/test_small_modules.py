"""Small pure modules: arguments, environment, hints, dialects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nacre.dialects import dialect_of, find_shell
from nacre.environment import QUIET_DEFAULTS, EnvironmentRules, LoginProbe, is_bare, merge_login
from nacre.errors import RequestError
from nacre.hints import hints_for, programs_on
from nacre.keeper.wire import SCRIPT_MARK
from nacre.model import Ended, Result, Text
from nacre.places.local_files import LOCAL_FILES
from nacre.spelling import close_names, distance
from nacre.tools.arguments import check

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["a", "b"]},
        "ratio": {"type": "number"},
        "names": {"type": "array", "items": {"type": "string"}},
        "sure": {"type": "boolean"},
    },
    "required": ["mode"],
}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"mode": "c"}, "mode must be one of: a, b"),
        ({"mode": "a", "ratio": "1"}, "ratio must be a number, not a string"),
        ({"mode": "a", "names": ["x", 2]}, r"names\[1\] must be a string, not an integer"),
        ({"mode": "a", "sure": 1}, "sure must be a boolean, not an integer"),
        ({"mode": None}, "mode must be a string, not null"),
        ({"mode": "a", "names": {}}, "names must be an array, not an object"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RequestError, match=complaint):
        check(arguments, SCHEMA)


def test_right_arguments_pass() -> None:
    check({"mode": "a", "ratio": 1.5, "names": ["x"], "sure": False}, SCHEMA)
    check({"mode": "b", "ratio": 1}, SCHEMA)


def test_a_bare_environment_is_known_by_its_path_and_the_lack_of_a_shell() -> None:
    assert is_bare({"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"})
    assert not is_bare({"PATH": "/usr/bin:/bin", "SHLVL": "1"})
    assert not is_bare({"PATH": "/home/me/.local/bin:/usr/bin:/bin"})


def test_what_the_client_set_stays_and_the_path_comes_from_the_login_shell() -> None:
    merged = merge_login(
        {"PATH": "/bin", "TOKEN": "client"}, {"PATH": "/mine:/bin", "TOKEN": "rc", "NVM": "1"}
    )
    assert merged == {"PATH": "/mine:/bin", "TOKEN": "client", "NVM": "1"}


def test_a_login_shells_answer_is_found_between_the_noise() -> None:
    probe = LoginProbe()
    mark = probe.script.split()[2].rstrip(";")
    noise = b"Welcome!\nA=trap\n"
    answer = f"{mark}\0A=1\0PATH=/x\0MULTI=two\nlines\0SHLVL=3\0{mark}\0".encode()
    assert probe.read(noise + answer + b"bye") == {"A": "1", "PATH": "/x", "MULTI": "two\nlines"}
    assert probe.read(noise) is None


def test_commands_get_no_pager_and_no_start_up_code() -> None:
    given = EnvironmentRules().for_commands({"BASH_ENV": "/evil", "PAGER": "less", "X": "1"})
    assert given == {**QUIET_DEFAULTS, "PAGER": "less", "X": "1"}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/bin/bash", "posix"),
        ("/usr/bin/fish", "fish"),
        ("/usr/bin/elvish", "elvish"),
        ("C:/Windows/System32/cmd.exe", "cmd"),
        ("pwsh", "powershell"),
        ("PowerShell.exe", "powershell"),
        ("/opt/strange-shell", "posix"),
    ],
)
def test_a_shell_is_recognised_by_its_name(path: str, name: str) -> None:
    assert dialect_of(path).name == name


def test_a_long_command_goes_through_a_file() -> None:
    shell = find_shell("sh", {"PATH": "/bin"}, LOCAL_FILES)
    assert shell.once("echo hi") == (["sh", "-c", "echo hi"], None)
    argv, script = shell.once("x" * 200_000)
    assert SCRIPT_MARK in argv[2]
    assert script == "x" * 200_000


def test_a_shell_that_is_not_there_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(RequestError, match=r"No shell 'nosuch' was found.*--shell"):
        find_shell("nosuch", {"PATH": "/bin"}, LOCAL_FILES)


def failed(code: int, stderr: str, directory: str = "/") -> Result:
    return Result("x", directory, Ended.EXITED, code, None, Text(""), Text(stderr), 1, 300)


@pytest.mark.req("004-not-found")
@pytest.mark.parametrize(
    "message",
    [
        "bash: line 1: gti: command not found\n",
        "sh: 1: gti: not found\n",
        "zsh:1: command not found: gti\n",
        "fish: Unknown command: gti\n",
        "ksh: gti: not found\n",
        'Exception: exec: "gti": executable file not found in $PATH\n',
    ],
)
def test_every_shells_message_for_a_missing_command_is_understood(tmp_path: Path, message: str) -> None:
    (tmp_path / "git").touch()
    programs_on.cache_clear()
    (hint,) = hints_for(failed(127, message), str(tmp_path), LOCAL_FILES)
    assert "'gti'. Did you mean git?" in hint


@pytest.mark.req("004-permission")
def test_a_file_that_may_not_be_read_is_explained_with_owner_and_mode(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.touch()
    secret.chmod(0o311)
    (hint,) = hints_for(failed(1, "cat: secret: Permission denied\n", str(tmp_path)), "", LOCAL_FILES)
    assert "is not permitted (mode " in hint
    assert ", owner " in hint
    (hint,) = hints_for(failed(126, f"bash: line 1: {tmp_path}: Permission denied\n"), "", LOCAL_FILES)
    assert "is a directory" in hint


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [
        ("gti", "git", 1),
        ("sleeep", "sleep", 1),
        ("grpe", "grep", 1),
        ("abc", "abc", 0),
        ("", "ab", 2),
        ("ca", "abc", 3),
    ],
)
def test_slips_of_the_fingers_are_counted(one: str, other: str, slips: int) -> None:
    assert distance(one, other) == slips


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("gti", ["git"]),
        ("lss", ["ls"]),
        ("sx", []),  # of a short name one slip at most
        ("pyhton2", ["python2", "python3"]),  # the likeliest first; of a long one two
        ("kubeclt", ["kubectl"]),
        ("unheard-of", []),
    ],
)
def test_names_that_were_nearly_typed_are_found(name: str, near: list[str]) -> None:
    assert close_names(name, ("git", "ls", "python3", "python2", "kubectl", "rsync")) == near


def test_a_success_gets_no_advice() -> None:
    assert hints_for(failed(0, "x: Permission denied\n"), "", LOCAL_FILES) == ()
