"""For the tests of sessions: services that live through a run, and what differs between shells."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from nacre.config import Config
from nacre.keeper.launch import launch
from nacre.model import Command
from nacre.places.local import Local
from nacre.service import Service

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from nacre.keeper.link import Link
    from nacre.model import Result

Answer = TypeVar("Answer")
PATIENCE_S = 60.0
END_PATIENCE_S = 5.0
_names = itertools.count(1)


@dataclass(frozen=True)
class ShellSyntax:
    """How one says things in a shell, and where shells differ."""

    name: str
    posix: bool = True
    assign: str = "X=five"
    show: str = 'echo "<$X>"'
    function: str = 'f() { echo "f of $1"; }'
    no_glob: str = "set -f"
    alias: str = "alias hello='echo aliased'"
    code_7: str = "(exit 7)"
    last_code: str = "echo $?"  # empty: the language has no such thing
    own_pid: str = "$$"
    beside: str = "&"  # what stands between a background job and the next command
    sleep: str = "sleep"  # the program, not a builtin of that name
    exit_3: str = "exit 3"
    exec_false: str = "exec false"
    spin: str = "while :; do :; done"
    ignore_interrupt: str = "trap '' INT"
    if_true: str = "if true; then echo yes; fi"
    background: str = "{ sleep %s; echo late; } & echo at once"
    unfinished: str = "echo 'never closed"
    binary: str = "printf '\\377\\0'"
    both_streams: str = "echo out; echo err >&2"
    returns_alive: bool = True  # whether `return` outside of a function leaves the shell alive
    jobs_survive_interrupt: bool = True
    spin_keeps_state: bool = True  # whether a loop without processes can be interrupted
    interrupt_keeps_state: bool = True  # whether the shell itself survives an interrupt
    resolves_links: bool = False  # whether it calls a directory by its real name
    syntax_codes: tuple[int, ...] = (1, 2, 3, 123, 127, 257, 258)


SYNTAXES = {
    syntax.name: syntax
    for syntax in (
        ShellSyntax("bash"),
        ShellSyntax("dash", returns_alive=False),
        ShellSyntax(
            "busybox",
            returns_alive=False,
            jobs_survive_interrupt=False,
            spin_keeps_state=False,
            interrupt_keeps_state=False,
        ),
        ShellSyntax("zsh", no_glob="set -F"),
        ShellSyntax(
            "ksh",
            returns_alive=False,
            jobs_survive_interrupt=False,
            spin_keeps_state=False,
            interrupt_keeps_state=False,
        ),
        ShellSyntax("mksh", returns_alive=False),
        ShellSyntax("yash"),
        ShellSyntax(
            "fish",
            posix=False,
            assign="set X five",
            function='function f; echo "f of $argv[1]"; end',
            code_7="sh -c 'exit 7'",
            last_code="echo $status",
            own_pid="$fish_pid",
            spin="while true; end",
            ignore_interrupt="trap '' INT",
            if_true="if true; echo yes; end",
            background="sh -c 'sleep %s; echo late' & echo at once",
            returns_alive=False,
            jobs_survive_interrupt=False,
            spin_keeps_state=False,
            interrupt_keeps_state=False,
        ),
        ShellSyntax(
            "elvish",
            posix=False,
            assign="var X = five",
            show="var shown = ?(eval 'echo \"<\"$X\">\"'); if (not $shown) { echo '<>' }",
            function="fn f {|x| echo 'f of '$x }",
            alias="fn hello { echo aliased }",
            code_7="sh -c 'exit 7'",
            last_code="",
            own_pid="$pid",
            beside="&;",
            sleep="e:sleep",
            spin="while $true { }",
            if_true="if $true { echo yes }",
            binary='print "\\xff\\x00"',
            jobs_survive_interrupt=False,
            spin_keeps_state=False,
            interrupt_keeps_state=False,
            resolves_links=True,
        ),
    )
}


class Harness:
    """One service with one shell, on an event loop of its own."""

    def __init__(self, shell: str, **config: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        try:
            self.service = self.do(self._open(Config(shell=shell, kill_grace_s=0.5, **config)))
        except BaseException:
            self._stop()
            raise

    async def _open(self, config: Config) -> Service:
        return Service(config, Local(config, launch()))

    @property
    def link(self) -> Link:
        """The link to the keeper that runs now."""
        place = self.service.place
        assert isinstance(place, Local)
        assert place.keeper.current is not None
        return place.keeper.current

    def do(self, coroutine: Coroutine[Any, Any, Answer]) -> Answer:
        """Run something on the service's loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE_S)

    def new(self) -> TestSession:
        """A session that no test has used before."""
        return TestSession(self, f"s{next(_names)}")

    def close(self) -> None:
        """End the service, its sessions and the loop; the last process may end a while later."""
        self.do(self.service.close())
        self.link._process.wait(END_PATIENCE_S)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # only tests wait for it
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class TestSession:
    """One session of a harness."""

    __test__ = False  # no tests in it, whatever its name says

    def __init__(self, harness: Harness, name: str) -> None:
        self.harness = harness
        self.name = name

    def command(self, text: str, timeout_s: float = 30, **more: Any) -> Command:
        return Command(text, more.pop("working_directory", ""), timeout_s, session=self.name, **more)

    def __call__(self, text: str, **more: Any) -> Result:
        return self.harness.do(self.start(text, **more))

    async def start(self, text: str, **more: Any) -> Result:
        return await self.harness.service.run(self.command(text, **more))

    def close(self) -> None:
        if any(session.name == self.name for session in self.harness.service.sessions):
            self.harness.do(self.harness.service.close_session(self.name))


def open_harness(shell: str) -> Iterator[Harness]:
    """For a fixture: a harness of that shell, closed in the end."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    harness = Harness(shell, max_sessions=1000)
    yield harness
    harness.close()


def open_session(harness: Harness) -> Iterator[TestSession]:
    """For a fixture: a new session, closed in the end."""
    session = harness.new()
    yield session
    session.close()
