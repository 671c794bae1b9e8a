"""The keeper on Windows through its link: job objects, pipes, refusals."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from process_table import carrying, gone
from windows_programs import CMD, PYTHON, launch_keeper, unique_pings, windows_path

from nacre.errors import PlaceError
from nacre.keeper.frames import Spawn
from nacre.keeper.link import Link
from nacre.keeper.running import SpawnError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

pytestmark = pytest.mark.wine

ENVIRONMENT = {"SYSTEMROOT": r"C:\windows", "COMSPEC": CMD, "PATH": r"C:\windows\system32"}
WINDOWS_PYTHON = windows_path(PYTHON)


def spec(command: str, **more: Any) -> Spawn:
    spawn = Spawn(argv=["cmd.exe", "/d", "/s", "/c", command], program=CMD, cwd="C:\\")
    vars(spawn).update(more)
    return spawn


def python(code: str, **more: Any) -> Spawn:
    return Spawn(argv=["python.exe", "-c", code], program=WINDOWS_PYTHON, cwd="C:\\", **more)


def with_keeper(use: Callable[[Link], Awaitable[None]], spool_dir: Path) -> None:
    """Open a keeper, use it, close it."""

    async def main() -> None:
        launched = launch_keeper()
        link = Link(launched)
        try:
            async with asyncio.timeout(60):
                await link.open(ENVIRONMENT, windows_path(spool_dir))
                await use(link)
        finally:
            await link.close()
            for stream in (launched.process.stdout, launched.process.stderr):
                if stream:
                    stream.close()
            launched.process.kill()  # where wine hangs, it has not ended by itself
            launched.process.wait()

    asyncio.run(main())


class Up:
    """Tells when so many programs have said that they are up."""

    def __init__(self, programs: int = 1) -> None:
        self._heard = 0
        self._programs = programs
        self._event = asyncio.Event()

    def on_output(self, _stream: int, chunk: bytes) -> None:
        self._heard += chunk.count(b"up")
        if self._heard >= self._programs:
            self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


def pinging(mark: str) -> str:
    """A program that says that it is up and pings for long: `ping` itself keeps its output back."""
    code = f"import subprocess; p = subprocess.Popen(['ping', '-n', '{mark}', '127.0.0.1'], stdout=-3); "
    return f'"{WINDOWS_PYTHON}" -c "{code}print(chr(117) + chr(112), flush=True); p.wait()"'


@pytest.mark.req("windows-job")
def test_a_kill_ends_the_whole_job(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        mark, up = unique_pings(), Up(2)
        text = f"start /b cmd /c {pinging(mark)}& {pinging(mark)}"
        running = link.run(spec(text, follow_ms=1), on_output=up.on_output)
        await up.wait()
        link.kill(running, 1000)
        end = await running.exit
        assert (end.why, end.left) == ("killed", ())
        assert gone(mark)

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-job")
def test_a_kill_begins_with_a_ctrl_c_that_a_program_can_answer(tmp_path: Path) -> None:
    code = (
        "import time\nprint('up', flush=True)\ntry:\n time.sleep(60)\n"
        "except KeyboardInterrupt:\n print('cleaned up', flush=True); raise SystemExit(7)"
    )

    async def use(link: Link) -> None:
        up = asyncio.Event()
        running = link.run(python(code, follow_ms=1), on_output=lambda _stream, _chunk: up.set())
        await up.wait()
        link.kill(running, 10_000)
        end = await running.exit
        assert (end.why, end.code, end.signal) == ("killed", 7, None)
        assert end.stdout.head == b"up\r\ncleaned up\r\n"

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-job")
def test_an_interrupt_ends_what_does_not_catch_it(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        mark, up = unique_pings(), Up()
        default = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        code = f"{default}print('up', flush=True); time.sleep({mark})"
        running = link.run(python(code, follow_ms=1), on_output=up.on_output)
        await up.wait()
        link.signal(running, "INT")
        end = await running.exit
        assert end.why is None
        assert end.signal == "SIGINT" or end.code == 0, "wine leaves 0 where Windows leaves its own code"
        assert gone(mark)

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-job")
def test_a_killed_keeper_takes_every_command_with_it(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        mark, up = unique_pings(), Up(2)
        text = f"start /b cmd /c {pinging(mark)}& {pinging(mark)}"
        running = link.run(spec(text, follow_ms=1), on_output=up.on_output)
        await up.wait()
        os.kill(link._process.started.pid, signal.SIGKILL)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # the test kills it from outside
        with pytest.raises(PlaceError):
            await running.exit
        assert gone(mark)

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-job")
def test_killing_one_command_leaves_the_others_alone(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        doomed, spared, up = unique_pings(), unique_pings(), Up(2)
        first = link.run(spec(pinging(doomed), follow_ms=1), on_output=up.on_output)
        second = link.run(spec(pinging(spared), follow_ms=1), on_output=up.on_output)
        await up.wait()
        link.kill(first, 0)
        await first.exit
        assert gone(doomed)
        assert carrying(spared)
        assert not second.exit.done()
        link.kill(second, 0)
        await second.exit

    with_keeper(use, tmp_path)


@pytest.mark.req("keeper-late")
def test_what_a_process_left_behind_prints_later_is_in_the_spool(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        late = f'"{WINDOWS_PYTHON}" -c "import sys; print(sys.stdin.readline().strip())"'
        running = link.run(spec(f'start /b "" {late}& echo now', stdin=True, spool_bytes=10_000))
        end = await running.exit
        assert (end.stdout.head, end.stdout.goes_on, end.left_total) == (b"now\r\n", True, 1)
        gone = link._endings[running.id] = asyncio.get_running_loop().create_future()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # told when the last one is gone
        link.feed(running, b"late\r\n")
        link.feed(running, b"")
        await gone
        spool = tmp_path / str(end.stdout.spool).rpartition("\\")[2]
        assert spool.read_bytes() == b"now\r\nlate\r\n"

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-job")
def test_limits_that_a_job_can_hold_are_taken_and_others_refused(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        limits = {"memory_bytes": 1 << 30, "processes": 20, "cpu_s": 60}
        assert (await link.run(spec("echo in limits", limits=limits)).exit).stdout.head == b"in limits\r\n"
        with pytest.raises(Exception, match="unknown limits: open_files"):
            await link.run(spec("echo", limits={"open_files": 10})).exit

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-pipes")
def test_stdin_takes_bytes_and_streams(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        running = link.run(python("import sys; print(len(sys.stdin.buffer.read()))", stdin=True))
        for _ in range(16):
            link.feed(running, b"x" * 65536)
        link.feed(running, b"last")
        link.feed(running, b"")
        assert (await running.exit).stdout.head == b"%d\r\n" % (16 * 65536 + 4)

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-pipes")
def test_streamed_output_waits_for_its_reader(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        taken: list[bytes] = []

        def on_output(_stream: int, chunk: bytes) -> None:
            taken.append(chunk)
            link.credit(running, len(chunk))

        code = "import sys; sys.stdout.write('y' * 1000000)"
        running = link.run(python(code, window_bytes=65536), on_output=on_output)
        end = await running.exit
        assert end.stdout.total_bytes == 1_000_000
        assert b"".join(taken) == b"y" * 1_000_000

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-pipes")
def test_stderr_can_be_merged_in_order(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        end = await link.run(spec("echo one& echo two>&2& echo three", merge=True)).exit
        assert end.stdout.head == b"one\r\ntwo\r\nthree\r\n"

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-pipes")
def test_the_spool_has_the_whole_output(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        end = await link.run(python("for n in range(50000): print(n)", spool_bytes=1 << 20)).exit
        whole = b"".join(b"%d\r\n" % number for number in range(50000))
        assert end.stdout.total_bytes == len(whole)
        assert end.stdout.spool is not None
        assert (tmp_path / end.stdout.spool.rpartition("\\")[2]).read_bytes() == whole

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-pipes")
@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"terminal": [24, 80], "program": r"C:\nope.exe"}, "nope.exe"),
        ({"control": 3}, "Windows has no private channel"),
        ({"cwd": r"C:\nope"}, "No such file or directory"),
        ({"program": r"C:\nope.exe"}, "nope.exe"),
    ],
)
def test_what_cannot_be_started_is_refused_with_a_reason(
    tmp_path: Path, more: dict[str, Any], reason: str
) -> None:
    async def use(link: Link) -> None:
        with pytest.raises(SpawnError, match=reason):
            await link.run(spec("echo", **more)).exit
        assert (await link.run(spec("echo alive")).exit).code == 0

    with_keeper(use, tmp_path)


# wine gives a program on a pseudoconsole no standard handles where ours are pipes, so it opens the console.
ON_CONSOLE = """
screen, keyboard = open('CONOUT$', 'w'), open('CONIN$')
print('name?', file=screen, flush=True)
name = keyboard.readline().strip()
print('hello', name, file=screen, flush=True)
raise SystemExit(7)
"""


@pytest.mark.req("windows-terminal")
def test_a_program_on_a_console_prints_reads_what_is_typed_and_tells_its_exit_code(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        printed, asked = bytearray(), asyncio.Event()

        def on_output(_stream: int, chunk: bytes) -> None:
            printed.extend(chunk)
            if b"name?" in printed:
                asked.set()

        running = link.run(python(ON_CONSOLE, terminal=[24, 80], follow_ms=1), on_output=on_output)
        await asked.wait()
        link.feed(running, b"Ada\r")
        end = await running.exit
        assert (end.code, end.signal, end.left) == (7, None, ())
        assert b"hello Ada" in end.stdout.head
        assert not end.stdout.goes_on, "its console was closed, and its output has ended"
        assert (await link.run(spec("echo alive")).exit).stdout.head == b"alive\r\n"

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-terminal")
def test_a_console_that_windows_cannot_resize_is_told_as_that(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        asked = asyncio.Event()
        running = link.run(
            python(ON_CONSOLE, terminal=[24, 80], follow_ms=1),
            on_output=lambda _stream, chunk: asked.set() if b"name?" in chunk else None,
        )
        await asked.wait()
        refused = await link.resize(running, 40, 100)
        assert "ResizePseudoConsole" in refused, "wine 8 has no such call"
        assert "0x80004001" in refused
        link.feed(running, b"Ada\r")
        assert (await running.exit).code == 7, "the command goes on"

    with_keeper(use, tmp_path)


@pytest.mark.req("windows-terminal")
def test_a_kill_ends_all_that_is_on_a_console(tmp_path: Path) -> None:
    async def use(link: Link) -> None:
        mark, up = unique_pings(), Up()
        code = (
            f"import subprocess; ping = ['ping', '-n', '{mark}', '127.0.0.1']; "
            "p = subprocess.Popen(ping, stdin=-3, stdout=-3, stderr=-3); "
            "print('u' + 'p', file=open('CONOUT$', 'w'), flush=True); p.wait()"
        )
        running = link.run(python(code, terminal=[24, 80], follow_ms=1), on_output=up.on_output)
        await up.wait()
        link.kill(running, 0)
        end = await running.exit
        assert (end.why, end.left) == ("killed", ())
        assert gone(mark)

    with_keeper(use, tmp_path)
