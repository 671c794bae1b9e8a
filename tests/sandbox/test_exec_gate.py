"""The exec gate against real programs: what is refused does not run, however it is called."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from nacre.sandbox.exec_gate import Exec, ExecGate, Judge

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")

GATED = """
import json, os, sys
from nacre.keeper.confinement import ALL_FILE_RIGHTS, ask_before_exec, confine
confine({"rules": [["/", ALL_FILE_RIGHTS]], "network": True, "scopes": True})
ask_before_exec(int(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
"""


class Gated:
    """Programs under a gate that refuses what is called `refused`, by path or by name."""

    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd
        self.asked: list[Exec] = []
        self.refused = {"rm"}

    def judge(self, asked: Exec) -> bool:
        self.asked.append(asked)
        return os.path.basename(asked.real_path) not in self.refused

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        ours, theirs = socket.socketpair()
        program = [sys.executable, "-c", GATED, str(theirs.fileno()), *argv]
        with subprocess.Popen(
            program,
            cwd=self.cwd,
            pass_fds=[theirs.fileno()],
            stdout=-1,
            stderr=-1,
            text=True,
            errors="replace",
        ) as process:
            theirs.close()
            _, (listener, memory), _, _ = socket.recv_fds(ours, 16, 2)
            os.close(memory)
            ours.close()
            answering = threading.Thread(target=self._answer, args=(ExecGate(listener, Judge(self.judge)),))
            answering.start()
            out, err = process.communicate()
        answering.join()
        return subprocess.CompletedProcess(argv, process.returncode, out, err)

    @staticmethod
    def _answer(gate: ExecGate) -> None:
        poll = select.poll()
        poll.register(gate.listener, select.POLLIN)
        while poll.poll()[0][1] & select.POLLIN:
            gate.answer()
        gate.close()


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    """A gate, and a directory with a file that must stay."""
    (tmp_path / "victim").write_text("")
    return Gated(tmp_path)


@pytest.mark.req("exec-gate")
@pytest.mark.parametrize(
    "text",
    [
        "rm victim",
        "/bin/rm victim",
        "/bin/r[m] victim",
        "env rm victim",
        "find victim -exec rm {} +",
        "echo victim | xargs rm",
        "x=r; y=m; $x$y victim",
        "ln -s /bin/rm harmless; ./harmless victim",
        "printf '#!/bin/rm\\n' > victim.sh; chmod +x victim.sh; cp victim.sh victim2; ./victim.sh",
        'python3 -c \'import subprocess; subprocess.run(["rm", "victim"])\'',
        "exec -a ls rm victim",
        "setsid rm victim",
        "(cd / && /proc/self/root/bin/rm $OLDPWD/victim)",
    ],
)
def test_what_is_refused_does_not_run(gated: Gated, text: str) -> None:
    gated.run("bash", "-c", text)
    assert (gated.cwd / "victim").exists()
    if "victim.sh" in text:
        assert (gated.cwd / "victim.sh").exists()


NATIVE = """
import ctypes, os, threading
libc = ctypes.CDLL(None)
words = (ctypes.c_char_p * 3)(b"rm", b"victim", None)
execveat = {"x86_64": 322, "aarch64": 281}[os.uname().machine]
"""


@pytest.mark.req("exec-gate")
@pytest.mark.parametrize(
    "call",
    [
        "os.execve(os.open('/bin/rm', os.O_RDONLY), ['rm', 'victim'], {})",  # fexecve
        "libc.syscall(execveat, os.open('/bin', os.O_PATH), b'rm', words, None, 0)",
        "libc.syscall(execveat, os.open('/bin/rm', os.O_PATH), b'', words, None, 0x1000)",
        "os.chdir('/bin'); os.execv('./rm', ['rm', os.environ['OLD'] + '/victim'])",
        "threading.Thread(target=os.execv, args=('/bin/rm', ['rm', 'victim'])).start()",
        "os.posix_spawn('/bin/rm', ['ls', 'victim'], {}); os.wait()",
    ],
)
def test_no_other_way_to_call_the_kernel_starts_what_is_refused(gated: Gated, call: str) -> None:
    program = ("env", f"OLD={gated.cwd}", "python3", "-c", NATIVE + call)
    gated.run(*program)
    assert (gated.cwd / "victim").exists()
    gated.refused = set()
    gated.run(*program)
    assert not (gated.cwd / "victim").exists()  # it is a way


@pytest.mark.req("exec-gate")
@pytest.mark.parametrize(
    "call",
    [
        "fd = os.open('/bin/rm', os.O_RDONLY); os.execv(f'/proc/self/fd/{fd}', ['rm', 'victim'])",
        "fd = os.open('/bin/rm', os.O_RDONLY); os.execv(f'/dev/fd/{fd}', ['rm', 'victim'])",
        "os.execv(f'/proc/{os.getpid()}/root/bin/rm', ['rm', 'victim'])",
        "os.execv(f'/proc/thread-self/root/bin/rm', ['rm', 'victim'])",
    ],
)
def test_a_path_through_the_links_of_proc_starts_nothing_at_all(gated: Gated, call: str) -> None:
    """What such a link leads to is not what its words say, and can be another thing a moment later."""
    gated.refused = set()
    gated.run("python3", "-c", NATIVE + call)
    assert (gated.cwd / "victim").exists()


@pytest.mark.req("exec-gate")
def test_scripts_that_are_interpreters_of_scripts_are_followed_to_the_end(gated: Gated) -> None:
    (gated.cwd / "inner").write_text("#!/bin/rm\n")
    (gated.cwd / "outer").write_text(f"#!{gated.cwd}/inner\n")
    for name in ("inner", "outer"):
        (gated.cwd / name).chmod(0o755)
    gated.run("bash", "-c", "./outer victim")
    assert sorted(path.name for path in gated.cwd.iterdir()) == ["inner", "outer", "victim"]


@pytest.mark.req("exec-gate")
def test_what_is_not_refused_runs_as_it_would_without_a_gate(gated: Gated) -> None:
    done = gated.run("bash", "-c", "ls | sort -r; sh -c 'echo $0 $1' a b; nosuch; echo $?")
    assert done.stdout == "victim\na b\n127\n"
    script = "printf '#!/bin/sh -e\\necho $1 $#\\n' > run.sh; chmod +x run.sh"
    script += "; ./run.sh one two; PATH=.:$PATH run.sh 1"
    assert gated.run("bash", "-c", script).stdout == "one 2\n1 1\n"
    assert gated.run("python3", "-c", "import os; print(os.execvp('echo', ['echo', 'hi']))").stdout == "hi\n"


@pytest.mark.req("exec-gate")
def test_the_arguments_that_are_judged_are_the_real_ones(gated: Gated) -> None:
    long = "x" * 20_000
    gated.run("bash", "-c", f"/bin/echo a\\ b '' $'\\xff' {long}")
    (asked,) = (each for each in gated.asked if each.path == "/bin/echo")
    assert asked.argv == ("/bin/echo", "a b", "", "\udcff", long)
    assert asked.directory == str(gated.cwd)


@pytest.mark.req("exec-gate")
def test_without_a_supervisor_nothing_runs(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    program = [sys.executable, "-c", GATED, str(theirs.fileno()), "echo", "hi"]
    with subprocess.Popen(program, cwd=tmp_path, pass_fds=[theirs.fileno()], stdout=-1, stderr=-1) as process:
        theirs.close()
        _, (listener, memory), _, _ = socket.recv_fds(ours, 16, 2)
        os.close(memory)
        os.close(listener)
        out, _ = process.communicate()
        ours.close()
    assert out == b""
    assert process.returncode
