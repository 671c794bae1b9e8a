"""The process that a link leads to: our ends of its pipes, its kill, and letting go of it.

Above it: `link`. Below: `launch`, which has started it, and `processes`. It knows nothing of frames.

What was started is the keeper itself, or what stands above it: its guardian, or the sandbox around both.
Which process is the keeper is asked of the kernel when it matters: the number that a keeper knows itself by
may be another process's out here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from nacre.keeper.launch import Launched


class KeeperProcess:
    """A keeper's process, as seen from nacre."""

    def __init__(self, launched: Launched) -> None:
        self.started = launched.process

    def kill(self) -> None:
        """Kill the keeper, also one that is stopped; what stands above it ends what it had started."""
        below = self._below() if sys.platform == "linux" else []
        for pidfd in below:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.close(pidfd)
        with contextlib.suppress(ProcessLookupError):
            if not below:
                self.started.kill()
            else:
                self.started.send_signal(signal.SIGCONT)  # a guardian that was stopped as well must work

    def _below(self) -> list[int]:
        """Handles of the processes right below what was started."""
        from nacre.keeper import processes  # noqa: PLC0415  # never needed, one hopes

        handles: list[int] = []
        for pid in processes.children_of(self.started.pid):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                handle = os.pidfd_open(pid)
                child = processes.row(pid)  # asked with the handle in hand: the number cannot be reused now
                if child is not None and child.parent == self.started.pid:
                    handles.append(handle)
                else:
                    os.close(handle)
        return handles

    def close_input(self) -> None:
        """Let the keeper see that nacre has gone."""
        _close(self.started.stdin)

    def close_output(self) -> None:
        """Listen no more."""
        _close(self.started.stdout)

    @property
    def has_ended(self) -> bool:
        """Whether it has ended; then it is let go of."""
        return self.started.poll() is not None

    def wait(self, patience_s: float) -> None:
        """Wait for its end, for so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.started.wait(patience_s)


def _close(stream: IO[bytes] | None) -> None:
    with contextlib.suppress(OSError):
        if stream is not None:
            stream.close()
