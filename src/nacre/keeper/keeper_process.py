"""The process at the other end of a link: our ends of its pipes, how it is killed and released.

Above it: `link`. Below: `launch`, which starts it, and `processes`. It knows nothing of frames.

The started process is the keeper itself, or one above it: its guardian, or the sandbox around both. Which
process is the keeper is found out through the kernel when it matters: inside a sandbox the keeper sees
another process id for itself than we do.
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
        """Kill the keeper, even if it is stopped; the process above it ends what it had started."""
        below = self._below() if sys.platform == "linux" else []
        for pidfd in below:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.close(pidfd)
        with contextlib.suppress(ProcessLookupError):
            if not below:
                self.started.kill()
            else:
                self.started.send_signal(signal.SIGCONT)  # its guardian may be stopped, too

    def _below(self) -> list[int]:
        """Handles of the children of the started process."""
        from nacre.keeper import processes  # noqa: PLC0415  # never needed, one hopes

        handles: list[int] = []
        for pid in processes.children_of(self.started.pid):
            with contextlib.suppress(OSError):  # it has ended
                handle = os.pidfd_open(pid)
                child = processes.row(pid)  # with the handle open, the process id cannot be reused
                if child is not None and child.parent == self.started.pid:
                    handles.append(handle)
                else:
                    os.close(handle)
        return handles

    def close_input(self) -> None:
        """Signal to the keeper that nacre has ended."""
        _close(self.started.stdin)

    def close_output(self) -> None:
        """Stop reading from it."""
        _close(self.started.stdout)

    @property
    def has_ended(self) -> bool:
        """Whether it has ended; if so, it is reaped."""
        return self.started.poll() is not None

    def wait(self, patience_s: float) -> None:
        """Wait for its end, with a time limit."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.started.wait(patience_s)


def _close(stream: IO[bytes] | None) -> None:
    with contextlib.suppress(OSError):
        if stream is not None:
            stream.close()
