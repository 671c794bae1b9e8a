"""Landlock and seccomp as the keeper applies them to itself: real processes, the real kernel."""

from __future__ import annotations

import errno
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nacre.keeper import confinement
from nacre.keeper.confinement import ALL_FILE_RIGHTS, EXECUTE, READ_DIR, READ_FILE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")

READING = EXECUTE | READ_FILE | READ_DIR
BASE: dict[str, Any] = {
    "rules": [["/", READING], ["/dev/null", ALL_FILE_RIGHTS]],
    "network": True,
    "scopes": True,
}
CONFINED = """
import json, os, sys
from nacre.keeper.confinement import confine
confine(json.loads(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def run(plan: dict[str, Any], *argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A program under a plan."""
    program = [sys.executable, "-c", CONFINED, json.dumps(plan), *argv]
    return subprocess.run(program, cwd=cwd, capture_output=True, text=True, check=False)


def python(plan: dict[str, Any], text: str, cwd: Path) -> str:
    """What a Python text prints under a plan; a system error is printed by its name."""
    body = "\n".join(f"    {line}" for line in text.splitlines())
    done = run(
        plan,
        sys.executable,
        "-c",
        f"import errno\ntry:\n{body}\nexcept OSError as error:\n    print(errno.errorcode[error.errno])",
        cwd=cwd,
    )
    assert not done.stderr, done.stderr
    return done.stdout.strip()


@pytest.mark.req("sandbox-landlock")
def test_only_what_a_rule_grants_can_be_written(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    plan = {**BASE, "rules": [*BASE["rules"], [str(inside), ALL_FILE_RIGHTS]]}
    done = run(
        plan, "sh", "-c", "echo a > inside/file; echo b > outside/file; mv inside/file outside", cwd=tmp_path
    )
    assert (inside / "file").read_text() == "a\n"
    assert list(outside.iterdir()) == []
    assert "denied" in done.stderr.lower()


@pytest.mark.req("sandbox-landlock")
def test_what_no_rule_grants_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("pearl")
    plan = {**BASE, "rules": [["/usr", READING], ["/lib", READING], ["/lib64", READING], ["/etc", READING]]}
    done = run(plan, "/bin/cat", str(tmp_path / "secret"), cwd=tmp_path)
    assert done.stdout == ""
    assert done.returncode


@pytest.mark.req("sandbox-landlock")
def test_a_rule_for_a_file_grants_what_a_file_can_have_and_one_for_nothing_grants_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    rules = [[str(tmp_path / "file"), ALL_FILE_RIGHTS], [str(tmp_path / "absent"), ALL_FILE_RIGHTS]]
    run(
        {**BASE, "rules": [*BASE["rules"], *rules]},
        "sh",
        "-c",
        "echo a > file; echo b > absent",
        cwd=tmp_path,
    )
    assert (tmp_path / "file").read_text() == "a\n"
    assert not (tmp_path / "absent").exists()


@pytest.mark.req("sandbox-landlock")
def test_processes_outside_cannot_be_read_or_signalled(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as outside:
        try:
            done = run(
                BASE, "sh", "-c", f"kill -0 {outside.pid}; cat /proc/{outside.pid}/environ", cwd=tmp_path
            )
            assert "not permitted" in done.stderr
            assert "denied" in done.stderr
            assert done.stdout == ""
        finally:
            outside.kill()


@pytest.mark.req("sandbox-seccomp")
@pytest.mark.parametrize(
    ("refusal", "text", "said"),
    [
        (["ioctl", errno.EPERM, "equal", 1, [0x5412]], "import fcntl; fcntl.ioctl(0, 0x5412, b'x')", "EPERM"),
        (
            ["ioctl", errno.EPERM, "equal", 1, [0x5412]],
            "import fcntl; fcntl.ioctl(0, 0x5413, b'x' * 8)",
            "ENOTTY",
        ),
        (["socket", errno.EACCES, "other", 0, [1]], "import socket; socket.socket(socket.AF_INET)", "EACCES"),
        (["socket", errno.EACCES, "other", 0, [1]], "import socket; socket.socket(socket.AF_UNIX)", ""),
        (["socket", errno.EACCES, "other", 0, [16, 1]], "import socket; socket.socket(socket.AF_UNIX)", ""),
        (["unshare", errno.EPERM], "import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))", "-1"),
    ],
)
def test_a_filter_refuses_what_it_names_and_nothing_else(
    refusal: list[Any], text: str, said: str, tmp_path: Path
) -> None:
    assert python({**BASE, "filter": [["ptrace", errno.EPERM], refusal]}, text, tmp_path) == said


@pytest.mark.req("sandbox-seccomp")
def test_a_filter_can_refuse_by_a_bit_of_an_argument(tmp_path: Path) -> None:
    plan = {**BASE, "filter": [["clone", errno.EPERM, "bits", 0, [0x10000000]], ["clone3", errno.ENOSYS]]}
    assert (
        python(plan, "import os; print(os.waitpid(os.spawnlp(os.P_NOWAIT, 'true', 'true'), 0)[1])", tmp_path)
        == "0"
    )
    number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    text = f"import ctypes; print(ctypes.CDLL(None).syscall({number}, 0x10000011, 0, 0, 0, 0))"
    assert python(plan, text, tmp_path) == "-1"


@pytest.mark.req("sandbox-fails-closed")
def test_a_machine_whose_system_calls_are_not_known_is_refused() -> None:
    with pytest.raises(confinement.ConfinementError, match="riscv64"):
        confinement.filter_program([], "riscv64")


def test_rights_that_an_older_kernel_does_not_know_are_left_out() -> None:
    assert confinement.handled_rights(7) == ALL_FILE_RIGHTS
    assert confinement.handled_rights(1) == (1 << 13) - 1
