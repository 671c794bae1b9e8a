"""The server: one client on stdin and stdout, one service behind its tools, and an orderly end.

Above it: the command line. It ends when the client hangs up and everything is answered (0), when the
client is gone (1), or on a signal (128 + its number); in every case nothing is left running.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import getpass
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING

from nacre import __version__, stderr
from nacre.audit import recorder
from nacre.direct_loop import new_loop
from nacre.errors import NacreError
from nacre.places.local import Local
from nacre.protocol.connection import Connection
from nacre.protocol.conversation import converse
from nacre.protocol.stdio import Stdio
from nacre.service import Service
from nacre.stderr import log
from nacre.tools.catalogue import register
from nacre.tools.surface import Surface

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.keeper.launch import Launched
    from nacre.telemetry import Telemetry

CLIENT_GONE = 1
SPANS_WANTED = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SETTLED_S = 1.0  # by then the first calls have been answered
SIGNALS = tuple(name for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK") if hasattr(signal, name))


def start_up_information(service: Service) -> str:
    """Which shell, platform, host and user this server works with (specification 001)."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "unknown"
    sandbox = f", sandbox {held}" if (held := service.held_by) else ""
    return (
        f"shell {service.shell.path}, platform {_system()}, host {socket.gethostname()}, user {user}{sandbox}"
    )


def _system() -> str:
    if sys.platform != "win32":
        return f"{os.uname().sysname} {os.uname().release}"
    import platform  # noqa: PLC0415  # it takes its time

    return f"{platform.system()} {platform.release()}"


def build_surface(service: Service) -> Surface:
    """The surface of this server: its tools, prompts and methods."""
    information, config = start_up_information(service), service.config
    log.info("nacre %s: %s", __version__, f"{information}, {_what_holds(service)}")
    for warning in (*config.warnings, *service.place.warnings):
        log.warning("%s", warning)
    if started := config.preset.texts.get("started"):
        stderr.say(started)
    surface = Surface(config.preset.server_name, __version__, "")
    surface.has_data = config.structured != "none"
    register(surface, service)
    here = "your first root, if you have one, else in " if _starts_at_root(service, surface) else ""
    introduction = (
        f"nacre runs shell commands: {information}. Commands start in {here}{service.default_directory}."
    )
    introduction = " ".join((introduction, *service.place.warnings))
    surface.instructions = config.preset.texts.get(
        "instructions", f"{introduction} {surface.instructions}".rstrip()
    )
    return surface


def _starts_at_root(service: Service, surface: Surface) -> bool:
    """Whether commands start at the client's first root: no other directory is configured, and they can."""
    return surface.starts_at_root and service.config.chosen_directory is None


def _what_holds(service: Service) -> str:
    """The preset, the settings and the rules of this server, for the person who reads its log."""
    config = service.config
    files = [path for path in dict.fromkeys((config.file, *config.files)) if path and os.path.isfile(path)]
    settings = ", ".join(path for path in files if path.endswith(".toml")) or "none"
    rules = config.policy.summary if config.policy is not None else "none"
    where = f"directory {service.default_directory}, preset {config.preset.name}"
    return f"{where}, settings {settings}, rules {rules}"


class Server:
    """One run of the program as a server."""

    def __init__(self, config: Config, place: Local, reading: int, writing: int) -> None:
        self._config = config
        self._place = place
        self._streams = (reading, writing)
        self._code = 0
        self._stop = asyncio.Event()

    async def run(self) -> int:
        """Serve to the end; the exit code."""
        self._catch_signals()
        service = Service(self._config, self._place)
        try:
            await service.check_shell()
            await self._serve(service)
        finally:
            await service.close()
        return self._code

    async def _serve(self, service: Service) -> None:
        recorder.circumstances.sandbox = self._config.sandbox
        telemetry = _telemetry()
        surface = build_surface(service)
        stdio = Stdio(*self._streams, self._config.line_limit_bytes, lambda: self._end(CLIENT_GONE))
        stdio.takes_bare_lines = surface.deviations.takes_bare_lines
        if surface.deviations.announcement is not None:
            await stdio.send(surface.deviations.announcement)
        on_root = service.use_root if _starts_at_root(service, surface) else None
        connection = Connection(stdio, surface, on_root)
        _collect_seldom()
        asyncio.get_running_loop().call_later(SETTLED_S, _return_large_blocks)
        watched = asyncio.create_task(_be_watched(service)) if self._config.watch else None
        talking = asyncio.create_task(converse(connection))
        background = [asyncio.ensure_future(run()) for run in surface.background_tasks]
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({talking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if talking.done():
            talking.result()
            await stdio.flushed()
        for task in (talking, stopping, *background, *((watched,) if watched else ())):
            task.cancel()
        if watched is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await watched
        if telemetry is not None:
            await asyncio.to_thread(telemetry.finish)

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in SIGNALS:
            number = getattr(signal, name)
            if sys.platform == "win32":
                signal.signal(number, lambda n, _: loop.call_soon_threadsafe(self._end, 128 + n))
            else:
                loop.add_signal_handler(number, self._end, 128 + number)

    def _end(self, code: int) -> None:
        self._code = self._code or code
        self._stop.set()


def _telemetry() -> Telemetry | None:
    """The tracer of calls and commands, if the person has configured a collector."""
    if not any(name in os.environ for name in SPANS_WANTED):
        return None
    from nacre.protocol import calls  # noqa: PLC0415  # with what only this needs
    from nacre.telemetry import Telemetry, endpoint  # noqa: PLC0415  # nothing of it is loaded otherwise

    target = endpoint(os.environ)
    if target is None:
        return None
    telemetry = Telemetry(target)
    recorder.observers.append(telemetry)
    calls.tracer = telemetry
    return telemetry


async def _be_watched(service: Service) -> None:
    """Open the socket or pipe of `nacre watch` after the first calls, until the end."""
    await asyncio.sleep(SETTLED_S)
    from nacre.watch.endpoint import IS_OFFERED  # noqa: PLC0415  # off the path of the first calls

    if not IS_OFFERED:
        return
    from nacre.watch.listener import WatchListener  # noqa: PLC0415  # the same

    watched = WatchListener(service, os.environ)
    try:
        await watched.open()
        log.debug("nacre watch: %s", watched.path)
        await asyncio.Event().wait()
    except OSError as error:
        log.info("nacre watch cannot follow this server: %s", error)
    finally:
        watched.close()


def _collect_seldom() -> None:
    gc.freeze()  # objects of the start-up live as long as the process: the collector can ignore them
    gc.set_threshold(20_000, 20, 20)  # a call creates a few hundred objects and no cycles
    gc.enable()


def _return_large_blocks() -> None:
    from nacre.keeper import heap  # noqa: PLC0415  # imports ctypes: off the path of the first calls

    heap.return_large_blocks()


def serve(
    config: Config, launched: Launched | None, reading: int, writing: int, place: Local | None = None
) -> int:
    """Run a server in an event loop of its own, with a keeper, or a place that has one."""

    async def main() -> int:
        return await Server(config, place or Local(config, launched), reading, writing).run()

    with contextlib.suppress(KeyboardInterrupt):
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                return runner.run(main())
        except NacreError as error:
            log.error("%s", error)  # the person needs the sentence, not the traceback
            return 2
    return 130
