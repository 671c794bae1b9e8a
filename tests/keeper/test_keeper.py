"""The keeper through its link: a real keeper process, real commands."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import carrying, gone, unique_seconds

from nacre.keeper.codec import encode
from nacre.keeper.frames import Exit, Spawn
from nacre.keeper.launch import launch, local_argv
from nacre.keeper.link import Link
from nacre.keeper.running import SpawnError
from nacre.keeper.wire import HEADER, Decoder, Kind, frame, json_frame

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def spec(command: str, **more: Any) -> Spawn:
    spawn = Spawn(argv=["sh", "-c", command], program="/bin/sh", cwd="/")
    vars(spawn).update(more)
    return spawn


def with_link(use: Callable[[Link], Awaitable[None]], spool_dir: str) -> None:
    """Open a keeper, use it, close it."""

    async def main() -> None:
        link = Link(launch())
        await link.open(dict(os.environ), spool_dir)
        try:
            async with asyncio.timeout(30):
                await use(link)
        finally:
            await link.close()

    asyncio.run(main())


def run(command: str, tmp_path: Path, **more: Any) -> Exit:
    """Run one command in a keeper of its own."""
    exits: list[Exit] = []

    async def use(link: Link) -> None:
        exits.append(await link.run(spec(command, **more)).exit)

    with_link(use, str(tmp_path))
    return exits[0]


@pytest.mark.req("keeper-many")
def test_many_commands_run_at_once_and_are_told_apart(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        running = [link.run(spec(f"echo {n}; exit {n}")) for n in range(50)]
        ends = await asyncio.gather(*(one.exit for one in running))
        assert [end.code for end in ends] == list(range(50))
        assert [end.stdout.head for end in ends] == [b"%d\n" % n for n in range(50)]

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-stdin")
def test_stdin_takes_bytes_and_streams(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        running = link.run(spec("cat; echo end", stdin=True))
        link.feed(running, b"x" * 1_000_000)
        link.feed(running, b"\nlast\n")
        link.feed(running, b"")
        end = await running.exit
        assert end.stdout.total_bytes == 1_000_000 + len("\nlast\nend\n")
        assert end.stdout.tail.endswith(b"x\nlast\nend\n")

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-stdin")
def test_input_for_a_command_that_has_stopped_reading_harms_nobody(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        running = link.run(spec("exec 0<&-; echo deaf", stdin=True))
        link.feed(running, b"x" * 1_000_000)
        link.feed(running, b"")
        assert (await running.exit).stdout.head == b"deaf\n"
        assert (await link.run(spec("echo next")).exit).stdout.head == b"next\n"

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-control")
def test_the_private_channel_is_apart_from_the_output(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        heard = bytearray()
        running = link.run(spec("echo public; echo private >&7", control=7), on_control=heard.extend)
        assert (await running.exit).stdout.head == b"public\n"
        assert heard == b"private\n"

    with_link(use, str(tmp_path))


def test_stderr_can_be_merged_into_stdout_in_order(tmp_path: Path) -> None:
    end = run("echo 1; echo 2 >&2; echo 3", tmp_path, merge=True)
    assert end.stdout.head == b"1\n2\n3\n"
    assert end.stderr.total_bytes == 0


@pytest.mark.req("keeper-limits")
def test_limits_hold(tmp_path: Path) -> None:
    shown = run(
        "ulimit -n; ulimit -f; ulimit -t", tmp_path, limits={"open_files": 64, "file_bytes": 1024, "cpu_s": 5}
    )
    assert shown.stdout.head.split() == [b"64", b"2", b"5"]
    spun = run("while :; do :; done", tmp_path, limits={"cpu_s": 1})
    assert spun.signal in ("SIGXCPU", "SIGKILL")


@pytest.mark.req("keeper-limits")
def test_an_unknown_limit_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="unknown limits: luck; known: cpu_s"):
        run("true", tmp_path, limits={"luck": 1})


@pytest.mark.req("keeper-terminal")
def test_a_terminal_has_a_size_that_can_change(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        ready = asyncio.Event()
        running = link.run(
            spec("tty; stty size; echo ready; read line; stty size", terminal=[24, 80], follow_ms=1),
            on_output=lambda _stream, chunk: ready.set() if b"ready" in chunk else None,
        )
        await ready.wait()
        assert await link.resize(running, 40, 100) == ""
        link.feed(running, b"go\n")
        end = await running.exit
        assert end.code == 0
        assert end.stdout.head.startswith(b"/dev/pts/")
        assert b"24 80" in end.stdout.head
        assert end.stdout.head.endswith(b"40 100\r\n")

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-terminal")
def test_control_c_typed_on_a_terminal_interrupts(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        echoed = asyncio.Event()
        cat = Spawn(argv=["cat"], program="/bin/cat", cwd="/", terminal=(24, 80), follow_ms=1)
        running = link.run(cat, on_output=lambda _stream, chunk: echoed.set() if b"hello" in chunk else None)
        link.feed(running, b"hello\n")
        await echoed.wait()
        link.feed(running, b"\x03")
        assert (await running.exit).signal == "SIGINT"

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-terminal")
def test_what_a_terminal_still_holds_at_the_end_is_taken(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        for lines in (100, 1500, 3000, 20_000):
            whole = b"".join(b"%d\r\n" % number for number in range(1, lines + 1))
            for _ in range(10):
                end = await link.run(spec(f"seq {lines}", terminal=[24, 80], keep_bytes=1_000_000)).exit
                assert end.stdout.head == whole

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-signal")
@pytest.mark.parametrize("scope", ["group", "tree"])
def test_a_signal_reaches_the_group_or_the_tree(tmp_path: Path, scope: str) -> None:
    """A process in a session of its own says when it is there; only a signal to the tree ends it."""

    async def use(link: Link) -> None:
        mark = unique_seconds()
        apart: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def hear(_stream: int, chunk: bytes) -> None:
            if not apart.done():  # later the shell may say that its child was killed, if it lives that long
                apart.set_result(int(chunk))

        running = link.run(
            spec(f"setsid sh -c 'echo $$; exec sleep {mark}' & sleep {mark}", follow_ms=1),
            on_output=hear,
        )
        pid = await apart
        link.signal(running, "TERM" if scope == "group" else "KILL", scope)
        assert (await running.exit).signal == ("SIGTERM" if scope == "group" else "SIGKILL")
        if scope == "tree":
            assert gone(mark)
        else:
            assert pid in carrying(mark)

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-flow")
def test_a_slow_reader_stops_the_writer(tmp_path: Path) -> None:
    """With a window of 64 KiB and no credit, `yes` has to wait; with credit it goes on."""

    async def use(link: Link) -> None:
        got = 0
        some = asyncio.Event()

        def on_output(_stream: int, chunk: bytes) -> None:
            nonlocal got
            got += len(chunk)
            some.set()

        running = link.run(spec("head -c 3000000 /dev/zero", window_bytes=65536), on_output=on_output)
        await some.wait()
        for _ in range(20):  # other commands come and go; the stream does not move
            await link.run(spec("true")).exit
        assert got < 300_000
        assert not running.exit.done()
        credited = 0
        while not running.exit.done():
            some.clear()
            link.credit(running, got - credited)
            credited = got
            waiting = asyncio.ensure_future(some.wait())
            await asyncio.wait({waiting, running.exit}, return_when="FIRST_COMPLETED")
            waiting.cancel()
        assert got == (await running.exit).stdout.total_bytes == 3_000_000

    with_link(use, str(tmp_path))


@pytest.mark.req("keeper-left")
def test_late_output_of_a_process_left_behind_goes_to_the_spool(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        gate = tmp_path / "gate"
        os.mkfifo(gate)
        first = await link.run(spec(f"(head -1 {gate}; seq 20000) & echo early", spool_bytes=10_000_000)).exit
        assert first.stdout.head == b"early\n"
        assert first.left_total >= 1
        gate.write_text("go\n")
        end = await link.run(spec(f"while [ -d /proc/{first.left[0][0]} ]; do :; done")).exit
        assert end.code == 0
        assert (tmp_path / "1.out").read_bytes().startswith(b"early\ngo\n1\n2\n")

    with_link(use, str(tmp_path))


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        with pytest.raises(SpawnError) as caught:
            await link.run(Spawn(argv=["x"], program="/no/such/shell", cwd="/")).exit
        assert caught.value.file == "/no/such/shell"

    with_link(use, str(tmp_path))


def test_environment_can_be_set_and_unset(tmp_path: Path) -> None:
    end = run('echo "$HOME:${PATH+set}:$NEW"', tmp_path, environment={"NEW": "caf\udce9"}, unset=["HOME"])
    assert end.stdout.head == b":set:caf\xe9\n"


@pytest.mark.req("keeper-frames")
def test_commands_that_are_alike_and_others_do_not_mix(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        wanted = [
            (spec("echo $X", environment={"X": "1"}), b"1\n"),
            (spec("echo $X$X", environment={"X": "1"}), b"11\n"),
            (spec("echo $X", environment={"X": "2"}), b"2\n"),
            (spec("echo ${X-none}"), b"none\n"),
            (spec("pwd", cwd="/"), b"/\n"),
            (spec("echo $X", script="echo script"), b"\n"),
            (spec("echo alike"), b"alike\n"),
            (Spawn(argv=["echo", "found"], program="", cwd="/"), b"found\n"),
            (Spawn(argv=["printf", "found"], program="", cwd="/"), b"found"),
        ]
        ends = await asyncio.gather(*[link.run(one).exit for one, _ in wanted])
        assert [end.stdout.head for end in ends] == [output for _, output in wanted]

    with_link(use, str(tmp_path))


# -- bytes on the wire


class RawKeeper:
    """A keeper driven by bytes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            local_argv(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._decoder = Decoder()
        self._frames: list[tuple[int, int, bytes]] = []

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)

    def next(self) -> tuple[int, int, dict[str, Any]]:
        assert self.process.stdout
        while not self._frames:
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "the keeper is gone"
            self._frames += self._decoder.feed(data)
        kind, identity, body = self._frames.pop(0)
        return kind, identity, json.loads(body) if body.startswith(b"{") else {}

    def close(self) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        code = self.process.wait(5)
        self.process.stdout.close()
        return code


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (frame(Kind.SPAWN, 3, b"not json"), "SPAWN: Expecting value"),
        (frame(Kind.SPAWN, 3, b"[]"), "SPAWN: Spawn is a JSON object"),
        (json_frame(Kind.SPAWN, 3, {"argv": ["x"]}), "Spawn lacks ['cwd', 'program'] and does not take []"),
        (json_frame(Kind.SPAWN, 3, {"argv": [], "cwd": "/", "program": "/x"}), "argv"),
        (json_frame(Kind.SPAWN, 3, {"argv": ["x"], "cwd": "/", "program": "/x", "luck": 1}), "luck"),
        (frame(Kind.AGAIN, 3, b"x"), "AGAIN: there is no good SPAWN before it"),
        (
            json_frame(Kind.SPAWN, 3, {"argv": ["x"], "cwd": 5, "program": "/x"}),
            "Spawn.cwd does not fit (int)",
        ),
        (
            json_frame(Kind.SPAWN, 3, {"argv": "x", "cwd": "/", "program": "/x"}),
            "Spawn.argv does not fit (str)",
        ),
        (HEADER.pack(0, 63, 3), "kind 63"),
        (json_frame(Kind.SETUP, 3, {}), "environment"),
        (
            json_frame(Kind.SETUP, 3, {"environment": {"A": 1}, "spool_dir": ""}),
            "Setup.environment does not fit (dict)",
        ),
    ],
)
def test_a_malformed_frame_is_answered_and_the_next_one_served(data: bytes, says: str) -> None:
    keeper = RawKeeper()
    assert keeper.next()[0] == Kind.HELLO
    keeper.send(data)
    kind, identity, error = keeper.next()
    assert (kind, identity, error["code"]) == (Kind.ERROR, 3, "malformed_frame")
    assert says in error["message"]
    keeper.send(encode(spec("exit 9"), 4))
    assert keeper.next()[:2] == (Kind.EXIT, 4)
    assert keeper.close() == 0


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (json_frame(Kind.KILL, 3, {"grace_ms": "soon"}), "Kill.grace_ms does not fit (str)"),
        (json_frame(Kind.KILL, 3, {"grace_ms": True}), "Kill.grace_ms does not fit (bool)"),
        (json_frame(Kind.SIGNAL, 3, ["TERM"]), "Signal is a JSON object"),
        (json_frame(Kind.SIGNAL, 3, {"signal": "NONE"}), "SIGNONE"),
        (json_frame(Kind.RESIZE, 3, {"rows": 5}), "Resize lacks ['columns']"),
        (json_frame(Kind.CREDIT, 3, {"taken_bytes": None}), "Credit.taken_bytes does not fit (NoneType)"),
        (
            json_frame(Kind.TURN_START, 3, {"turn": 1, "marker": "m", "feed": 7}),
            "TurnStart.feed does not fit (int)",
        ),
        (json_frame(Kind.TURN_START, 3, {"turn": 1, "marker": "m", "feed": ""}), "only a persistent shell"),
        (json_frame(Kind.HELLO, 3, {}), "this kind is not for a keeper"),
    ],
)
def test_a_malformed_frame_for_a_command_ends_that_command_alone(data: bytes, says: str) -> None:
    mark = unique_seconds()
    keeper = RawKeeper()
    assert keeper.next()[0] == Kind.HELLO
    keeper.send(encode(spec(f"sleep {mark}", announce=True), 3))
    assert keeper.next()[:2] == (Kind.STARTED, 3)
    keeper.send(data)
    kind, identity, error = keeper.next()
    assert (kind, identity, error["code"]) == (Kind.ERROR, 3, "malformed_frame")
    assert says in error["message"]
    assert gone(mark)
    keeper.send(encode(spec("exit 9"), 4))
    assert keeper.next()[:2] == (Kind.EXIT, 4)
    assert keeper.close() == 0


@pytest.mark.req("keeper-frames")
def test_another_command_like_the_last_needs_its_arguments_only() -> None:
    keeper = RawKeeper()
    assert keeper.next()[0] == Kind.HELLO
    keeper.send(encode(spec("exit 1"), 1))
    assert keeper.next()[:2] == (Kind.EXIT, 1)
    keeper.send(frame(Kind.AGAIN, 2, b"sh\0-c\0exit 2"))
    assert keeper.next()[:2] == (Kind.EXIT, 2)
    keeper.send(frame(Kind.AGAIN, 3, b"sh\0\xff"))
    assert keeper.next()[2]["message"].startswith("AGAIN: 'utf-8' codec can't decode")
    keeper.send(json_frame(Kind.SPAWN, 4, {"argv": []}))
    assert "Spawn lacks" in keeper.next()[2]["message"]
    keeper.send(frame(Kind.AGAIN, 5, b"sh\0-c\0exit 5"))
    assert "no good SPAWN" in keeper.next()[2]["message"], "it is not like the one before the bad one"
    assert keeper.close() == 0


@pytest.mark.req("keeper-frames")
def test_a_stream_that_is_no_frames_ends_the_keeper_with_a_word() -> None:
    keeper = RawKeeper()
    assert keeper.next()[0] == Kind.HELLO
    keeper.send(b"GET / HTTP/1.1\r\n\r\n")
    kind, _, error = keeper.next()
    assert kind == Kind.ERROR
    assert "the link is closed" in error["message"]
    assert keeper.close() == 0


@pytest.mark.req("end-everything")
def test_a_keeper_that_is_told_to_end_ends_its_commands() -> None:
    mark = unique_seconds()
    keeper = RawKeeper()
    pid = keeper.next()[2]["pid"]
    keeper.send(encode(spec(f"trap '' TERM; setsid sleep {mark} & sleep {mark}", announce=True), 1))
    assert keeper.next()[0] == Kind.STARTED
    os.kill(pid, signal.SIGTERM)
    assert keeper.next()[0] == Kind.LEAVING
    assert keeper.process.wait(5) == 0
    assert gone(mark)
    keeper.close()


@pytest.mark.req("keeper-stdlib")
def test_the_keeper_loads_nothing_but_the_standard_library_and_itself() -> None:
    source = Path(__file__).parents[2] / "src"
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1]); import nacre.keeper.program; "
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)); "
        "print(*sorted(name for name in sys.modules if name.startswith('nacre')))"
    )
    shown = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(source)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert set(shown[0].split()) <= {"nacre", "__main__"}
    assert all(name == "nacre" or name.startswith("nacre.keeper") for name in shown[1].split())
