"""The directory of output files: whatever is done to it, commands go on, and nothing of it is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell, Gate, wait_for_end
from wire_client import NACRE, WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

SOURCE = Path(__file__).parents[2] / "src"
# What a command may do to the directory {d}, in {tmp}; {away} is somewhere else, and not nacre's.
DEEDS = {
    "its files are deleted": "rm -f {d}/*",
    "it is deleted": "rm -rf {d}",
    "all temporary files are deleted": "rm -rf {tmp}/*",
    "it is moved away": "mv {d} {away}/moved",
    "a file takes its place": "rm -rf {d}; echo mine > {d}",
    "a link takes its place": "rm -rf {d}; ln -s {away} {d}",
    "its parent is a link": "rm -rf {tmp}/*; mkdir {away}/parent; ln -s {away}/parent $(dirname {d})",
    "it is open to all": "chmod 777 {d}",
    "its entries are directories": "for f in {d}/*; do rm $f; mkdir -p $f/x; done",
    "its entries are links": "for f in {d}/*; do ln -sf {away}/precious $f; done",
}
LONG = "seq 100000"
WHOLE = "".join(f"{n}\n" for n in range(1, 100001))


@pytest.fixture
def tmp(tmp_path: Path) -> Path:
    """A private directory for temporary files."""
    path = tmp_path / "tmp"
    path.mkdir()
    return path


def spools_of(server: WireClient) -> Path:
    """The server's directory, as a reply names it."""
    return Path(server.shell(LONG)["spool"]).parent


def is_whole(reply: dict[str, Any]) -> bool:
    """Whether a long output is all in its spool, which nobody else can read."""
    spool = Path(f"{reply['spool']}.out")
    return spool.read_text() == WHOLE and spool.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.req("spools-private")
def test_nobody_else_can_read_what_a_command_has_printed_whatever_the_umask_is(
    start: Start, tmp: Path
) -> None:
    open_to_all = ["sh", "-c", 'umask 0; exec "$@"', "sh", *NACRE]
    server = start("--shell", "bash", program=open_to_all, env={"TMPDIR": str(tmp)})
    spools = spools_of(server)
    server.shell(f"{LONG} >&2", session="open")
    modes = {path.stat().st_mode & 0o777 for path in spools.iterdir() if path.is_file()}
    assert {path.suffix for path in spools.iterdir()} >= {".out", ".err"}
    assert modes == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (spools, spools.parent)} == {0o700}


# -- a command does something to it


@pytest.mark.req("fault-spool-directory")
@pytest.mark.parametrize("where", ["a fresh shell", "a session"])
@pytest.mark.parametrize("deed", list(DEEDS))
def test_whatever_a_command_does_to_the_directory_all_others_go_on(
    start: Start, tmp: Path, tmp_path: Path, deed: str, where: str
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "precious").write_text("kept")
    server = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    server.shell("X=kept", session="state")
    gates, started = (Gate(tmp_path), Gate(tmp_path)), (Gate(tmp_path), Gate(tmp_path))
    waits = [f"echo > {begun.path}; cat {gate.path}" for begun, gate in zip(started, gates, strict=True)]
    once = server.post_call("shell", {"command": waits[0]})
    turn = server.post_call("shell", {"command": waits[1], "session": "waits"})
    for begun in started:
        begun.path.read_text()
    done = DEEDS[deed].format(d=spools_of(server), tmp=tmp, away=away)
    reply = server.shell(f"{done}; echo done", **({"session": "mover"} if where == "a session" else {}))
    assert (reply["ended"], reply["exit_code"], reply["stdout"]) == ("exited", 0, "done\n")
    for gate, call in zip(gates, (once, turn), strict=True):
        gate.open()
        assert server.answer_to(call)["result"]["structuredContent"]["stdout"] == "open\n"
    assert server.shell("echo $X", session="state")["stdout"] == "kept\n"
    assert server.shell("echo $((40 + 2))", session="new")["stdout"] == "42\n"
    assert server.shell("cat", session="new", stdin="fed")["stdout"] == "fed"
    assert server.shell(f"# {'x' * 200_000}\necho long")["stdout"] == "long\n"
    assert is_whole(server.shell(LONG))
    assert is_whole(server.shell(LONG, session="state"))
    assert (away / "precious").read_text() == "kept"
    assert "Traceback" not in ended(server)
    assert (away / "precious").read_text() == "kept"


def ended(server: WireClient) -> str:
    """What a server has logged when it has ended in order."""
    server.hang_up()
    assert server.wait() == 0
    assert server.process.stderr
    return (server.stderr + server.process.stderr.read()).decode()


@pytest.mark.req("fault-spool-directory")
def test_a_spool_that_its_own_command_removes_is_reported_as_lost(start: Start, tmp: Path) -> None:
    server = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    reply = server.shell(f"{LONG}; rm -rf {tmp}/*; echo end")
    assert reply["stdout"].endswith("100000\nend\n")
    assert "the rest is lost: its file was removed while the command ran" in reply["stdout"]
    assert (reply["spool"], reply["truncated"]) == (None, True)


@pytest.mark.req("fault-spool-directory")
def test_what_already_has_the_name_of_a_spool_is_replaced_and_no_link_is_followed(
    start: Start, tmp: Path, tmp_path: Path
) -> None:
    server = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    precious = tmp_path / "precious"
    precious.write_text("kept")
    spools = spools_of(server)
    names = [
        f"{number}{ending}" for number in range(3, 9) for ending in (".out", ".cmd", ".run", ".0o", ".0e")
    ]
    for number, name in enumerate(names):
        if number % 2:
            (spools / name / "inner").mkdir(parents=True)
        else:
            (spools / name).symlink_to(precious)
    assert is_whole(server.shell(LONG))
    assert server.shell(f"# {'x' * 200_000}\necho long")["stdout"] == "long\n"
    assert is_whole(server.shell(LONG, session="new"))
    assert server.shell("echo on", session="new")["stdout"] == "on\n"
    assert precious.read_text() == "kept"


@pytest.mark.req("fault-spool-directory")
def test_what_is_in_the_directory_is_removed_at_the_end_and_nothing_outside(
    start: Start, tmp: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    server = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    spools = spools_of(server)
    deeper = "import os\nfor _ in range(1500): os.mkdir('deep'); os.chdir('deep')"
    server.shell(
        f"cd {spools}; mkdir -p sub/closed; touch sub/closed/x; ln -s {outside} sub/link; chmod 0 sub/closed;"
        f' ln -s {outside} link; mkfifo pipe; {sys.executable} -c "{deeper}"'
    )
    ended(server)
    assert list(tmp.iterdir()) == []
    assert (outside / "precious").exists()


# -- disks that are full, or cannot be written


def boxed(*mounts: str) -> list[str]:
    """A server that sees other file systems, as bubblewrap's options say."""
    return ["bwrap", "--dev-bind", "/", "/", *mounts, *NACRE]


@pytest.mark.req("fault-spool-full")
def test_on_a_full_disk_commands_run_and_what_cannot_be_kept_is_reported(start: Start, tmp: Path) -> None:
    program = boxed("--size", "131072", "--tmpfs", str(tmp))
    server = start("--shell", "bash", program=program, env={"TMPDIR": str(tmp)})
    server.shell("X=kept", session="state")
    assert server.shell(f"head -c 1000000 /dev/zero > {tmp}/fill")["exit_code"] == 1
    reply = server.shell(LONG)
    assert (reply["exit_code"], reply["spool"]) == (0, None)
    assert "the rest is lost: No space left on device" in reply["stdout"]
    for more in ({}, {"session": "state"}):
        refused = text_of(server.call("shell", command=f"# {'x' * 200_000}\necho long", **more))
        assert "No space left on device" in refused
        assert "Nothing was run. Make room on that disk" in refused
    assert server.shell(f"rm {tmp}/fill; echo room")["stdout"] == "room\n"
    assert server.shell("echo $X", session="state")["stdout"] == "kept\n"


def _checkout_below(tmp: Path) -> tuple[str, ...]:
    """A checkout in /tmp has to be there also when something else is mounted on /tmp."""
    checkout = Path(__file__).parents[2]
    if not checkout.is_relative_to("/tmp"):
        return ()
    (tmp / checkout.relative_to("/tmp")).mkdir(parents=True)
    return ("--ro-bind", str(checkout), str(checkout))


@pytest.mark.req("fault-spool-nowhere")
def test_without_any_temporary_directory_the_server_runs_and_says_what_it_cannot_do(
    start: Start, tmp: Path
) -> None:
    program = boxed("--ro-bind", str(tmp), "/tmp", "--ro-bind", str(tmp), "/var/tmp", *_checkout_below(tmp))
    server = start("--shell", "bash", program=program, env={"TMPDIR": "/nowhere"}, cwd="/")
    assert server.shell("echo fine")["stdout"] == "fine\n"
    reply = server.shell(LONG)
    assert (reply["exit_code"], reply["spool"]) == (0, None)
    assert "the rest is lost: No such file or directory" in reply["stdout"]
    for more in ({"command": f"# {'x' * 200_000}\necho long"}, {"command": "echo", "session": "none"}):
        refused = text_of(server.call("shell", **more))
        assert "/nowhere/nacre-" in refused
        assert "Start the server with TMPDIR set to a directory that can be written" in refused
    log = ended(server)
    assert "cannot be made in /nowhere (No such file or directory), /tmp (Read-only file system)" in log
    assert "Traceback" not in log


@pytest.mark.req("fault-spool-nowhere")
def test_a_temporary_directory_that_is_not_there_is_reported_and_another_one_used(start: Start) -> None:
    server = start("--shell", "bash", env={"TMPDIR": "/nowhere"})
    assert is_whole(server.shell(LONG))
    assert "cannot be made in /nowhere (No such file or directory); it is /tmp/nacre-" in ended(server)


@pytest.mark.req("fault-spool-nowhere")
@pytest.mark.parametrize("squatter", ["another user's directory", "a link", "a file"])
def test_a_name_that_somebody_else_has_taken_is_left_to_them(
    start: Start, tmp: Path, tmp_path: Path, squatter: str
) -> None:
    taken = tmp / f"nacre-{os.geteuid()}"
    if squatter == "a link":
        taken.symlink_to(tmp_path)
    elif squatter == "a file":
        taken.touch()
    else:
        taken.mkdir(mode=0o777)
        os.chown(taken, 12345, 12345)
    server = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    reply = server.shell(LONG)
    assert is_whole(reply)
    assert not reply["spool"].startswith(f"{taken}/")
    ended(server)
    assert list(tmp.iterdir()) == [taken]


# -- what dead servers have left


def kill_both(server: WireClient) -> None:
    """Kill everything that could clean up."""
    pids = [server.process.pid, *below(server.process.pid)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert wait_for_end(pids[1:])
    server.process.wait()


def below(pid: int) -> list[int]:
    """All processes below one."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(one for child in children for one in below(child))]


@pytest.mark.req("fault-spool-left")
def test_the_next_start_removes_what_dead_servers_left_and_nothing_of_the_living(
    start: Start, tmp: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    living, dead = (start("--shell", "bash", env={"TMPDIR": str(tmp)}) for _ in range(2))
    its, left = spools_of(living), spools_of(dead)
    dead.shell(f"mkdir -p {left}/sub/sub; ln -s {outside} {left}/sub/link")
    dead.shell("true", session="open")
    kill_both(dead)
    assert left.exists()
    after = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    spools_of(after)
    wait_until_gone(after, left)
    assert len(list(its.iterdir())) == 1
    assert (outside / "precious").exists()
    assert living.shell("echo fine", session="new")["stdout"] == "fine\n"
    ended(after)
    ended(living)
    assert list(tmp.iterdir()) == []


def wait_until_gone(server: WireClient, path: Path) -> None:
    """Let a command of the server wait, so that the test does not."""
    assert server.shell(f"until [ ! -e {path} ]; do :; done", timeout=20)["exit_code"] == 0


@pytest.mark.req("fault-spool-left")
def test_a_directory_that_was_made_anew_is_not_taken_for_a_dead_server_s(start: Start, tmp: Path) -> None:
    living = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    living.shell(f"rm -rf {tmp}/*")
    spools = spools_of(living)
    after = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    dead = tmp / spools.parent.name / "dead"
    (dead / "x").mkdir(parents=True)
    sweeper = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    wait_until_gone(sweeper, dead)
    assert [spools_of(server).exists() for server in (living, after, sweeper)] == [True] * 3


# What a start does, cut short at each of its steps by a SIGKILL.
CUT_SHORT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from nacre.keeper import directory
from nacre.spools import Spools
left = int(sys.argv[2])
def counted(real):
    def call(*given, **named):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)
    return call
for name in ("mkdir", "chmod", "lstat", "open", "unlink", "rmdir", "listdir"):
    setattr(os, name, counted(getattr(os, name)))
directory.fcntl.flock = counted(directory.fcntl.flock)
spools = Spools(os.environ, 1, 1)
directory.remove_if_dead(os.path.join(os.path.dirname(spools.path), "dead"))
"""


@pytest.mark.req("fault-spool-left")
def test_a_start_that_is_killed_at_any_moment_leaves_nothing_that_the_next_does_not_remove(
    start: Start, tmp: Path
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp)}
    steps, code = 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        dead = tmp / f"nacre-{os.geteuid()}" / "dead"
        dead.mkdir(parents=True, exist_ok=True)
        argv = [sys.executable, "-c", CUT_SHORT, str(SOURCE), str(steps)]
        code = subprocess.run(argv, env=environment, check=False).returncode
        steps += 1
    assert code == 0
    assert steps > 10
    left = list((tmp / f"nacre-{os.geteuid()}").iterdir())
    assert len(left) > 5
    server = start("--shell", "bash", env={"TMPDIR": str(tmp)})
    for path in left:
        wait_until_gone(server, path)
    ended(server)
    assert list(tmp.iterdir()) == []


# -- all of them together are bounded


def taken(spools: Path) -> tuple[int, int]:
    """How many files there are, and their bytes."""
    sizes = [path.stat().st_size for path in spools.glob("*.*") if path.suffix in (".out", ".err")]
    return len(sizes), sum(sizes)


@pytest.mark.req("spools-bounded")
def test_spools_of_calls_that_were_cancelled_or_failed_make_room_like_others(start: Start, tmp: Path) -> None:
    server = start("--shell", "bash", "--spool-total", "1MB", env={"TMPDIR": str(tmp)})
    bell = Bell(tmp)
    spools = spools_of(server)
    for number in range(6):
        call = server.post_call("shell", {"command": f"head -c 200000 /dev/zero; {bell.ring}; sleep 99"})
        bell.wait()
        server.notify("notifications/cancelled", {"requestId": call})
        ending = ("kill -9 $$", "sleep 99", "exit 3")[number % 3]
        more: dict[str, Any] = {"session": "dies"} if number % 2 else {}
        server.shell(f"head -c 200000 /dev/zero; {ending}", timeout=1, **more)
        assert taken(spools)[1] <= 1_000_000
    bell.close()
    assert taken(spools)[0] <= 6


@pytest.mark.req("spools-bounded")
def test_background_processes_that_print_on_stay_within_the_bound(start: Start, tmp: Path) -> None:
    server = start("--shell", "bash", "--spool-total", "1MB", env={"TMPDIR": str(tmp)})
    bell, gate = Bell(tmp), Gate(tmp)
    for _ in range(6):
        late = f"(read < {gate.path}; head -c 400000 /dev/zero; {bell.ring}) & echo now"
        assert server.shell(late)["stdout"] == "now\n"
    with gate.path.open("r+b", buffering=0) as held:  # so that one that comes late finds it open, too
        held.write(b"go\n" * 6)
        bell.wait(6)
    spools = spools_of(server)
    assert taken(spools)[1] <= 1_000_000
    bell.close()
    assert is_whole(server.shell(LONG))


@pytest.mark.req("fault-spool-handover")
@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "mksh", "fish"])
def test_a_command_whose_files_vanish_before_its_shell_reads_them_is_not_reported_as_run(
    start: Start, tmp_path: Path, shell: str
) -> None:
    own = tmp_path / "tmp"
    own.mkdir()
    server = start("--shell", shell, env={"TMPDIR": str(own)})
    show_pid = "echo $fish_pid" if shell == "fish" else "echo $$"
    pid = int(server.shell(show_pid, session="a")["stdout"])
    os.kill(pid, signal.SIGSTOP)
    call = server.post_call("shell", {"command": "true", "session": "a"})
    server.shell("true")  # the keeper serves in order: by now the other one was handed over
    for entry in own.iterdir():
        shutil.rmtree(entry)
    os.kill(pid, signal.SIGCONT)
    assert "was not run" in text_of(server.answer_to(call)["result"])
    assert server.shell("echo next", session="a")["stdout"] == "next\n"
