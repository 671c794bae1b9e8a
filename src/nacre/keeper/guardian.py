"""The guardian: the keeper's parent, which only waits, so that a killed keeper leaves nothing behind.

    nacre ── guardian ── keeper ── commands

Above it: `program`, which starts it before anything else. Below: `process_tree`, whose sweep it runs.

The keeper holds the writing end of a pipe, and the guardian reads the other. Both are child subreapers. A
keeper that exits in order says so, and the guardian ends. The commands of one that dies without saying so
(killed, out of memory, a bug) are reparented to the guardian, which ends them all, also those that carry no
mark of ours, whether nacre itself still runs or not. macOS has no subreapers: there the guardian searches for
the keeper's cookie.

While it waits it is a shell, which takes a fortieth of Python's memory.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from nacre.keeper.directory import remove_with_parent
from nacre.keeper.notices import line, unkillable
from nacre.keeper.posix import PR_SET_CHILD_SUBREAPER, log
from nacre.keeper.process_tree import ProcessTree
from nacre.keeper.processes import command_line

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.posix import Loop

SHELL = "/bin/sh"
DONE = "done"  # the last message of a keeper that has left nothing behind
_WAIT = f'while read -r word; do [ "$word" = {DONE} ] && exit; set -- "$@" "$word"; done; exec "$@"'
_SWEEP = "import sys; sys.path.insert(0, sys.argv[1]); from nacre.keeper.guardian import main; main()"
_IGNORED_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
_LOADER_NAMES = ("LD_", "DYLD_")  # all of the environment that Python needs


class Guardian:
    """The keeper's end of the pipe."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def watch(self, loop: Loop, on_lost: Callable[[], None]) -> None:
        """Call back if the guardian dies before the keeper."""

        def lost() -> None:
            loop.unwatch(self._fd)
            on_lost()

        loop.watch(self._fd, lost)

    def tell(self, word: str) -> None:
        """Send what its sweep has to know, or that none is needed."""
        try:
            os.write(self._fd, f"{word}\n".encode())
        except OSError:  # it is gone; `watch` notices that
            return


def start_guardian() -> Guardian | None:
    """Fork: the caller continues below a guardian. None: no process could be created."""
    nacre, (reading, writing) = os.getppid(), os.pipe()
    try:
        ours = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return None
    if ours:
        os.close(writing)
        _wait_for_keeper(reading, nacre)
    os.close(reading)
    return Guardian(writing)


def _wait_for_keeper(reading: int, nacre: int) -> None:
    """In the parent: close the link, ignore signals meant for others, and wait. Never returns."""
    os.chdir("/")
    if os.getpgid(0) != os.getpid():
        os.setsid()
    for number in _IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    os.dup2(reading, 0)
    os.dup2(2, 1)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    argv = [sys.executable, "-I", "-S", "-c", _SWEEP, sys.argv[1], f"nacre={nacre}"]
    environment = {name: value for name, value in os.environ.items() if name.startswith(_LOADER_NAMES)}
    try:
        os.execve(SHELL, ["sh", "-c", _WAIT, "nacre-guardian", *argv], environment)  # noqa: S606  # a fixed text
    except OSError:  # no shell: wait in Python
        words = os.fdopen(0).read().split()
        if DONE not in words:
            _sweep([f"nacre={nacre}", *words])
        os._exit(0)


def main() -> None:
    """What the shell becomes when the keeper has died."""
    _sweep(sys.argv[2:])


def _sweep(words: list[str]) -> None:
    """After the keeper's death: end everything that it ran; if nacre is gone, too, remove its files."""
    facts = dict(word.split("=", 1) for word in words)
    tree = ProcessTree(facts.get("cookie", ""), subreaper=sys.platform == "linux")
    left = tree.force_all_to_end()
    if os.getppid() != int(facts["nacre"]) and "spool" in facts:
        remove_with_parent(os.fsdecode(bytes.fromhex(facts["spool"])))
    outcome = unkillable(left, command_line) if left else "all processes that it had started were ended"
    log(line(f"the keeper process has died; {outcome}"))
