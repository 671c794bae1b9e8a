"""For tests of rules in the kernel: a service in a sandbox whose text scanner can be switched off."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox_harness import scratch_directory
from session_harness import Harness

from nacre.model import Command
from nacre.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from nacre.gate import Ask
    from nacre.model import Result


class Gated:
    """A service under rules that only the kernel holds: nobody reads the text of its commands."""

    def __init__(self, workspace: Path, policy: Mapping[str, object], shell: str, **config: Any) -> None:
        config = {"sandbox": "workspace", "working_directory": str(workspace), **config}
        self.workspace = workspace
        self.harness = Harness(shell, policy=Policy.from_mapping(policy), **config)
        self.service = self.harness.service
        self._gate = self.service._gate  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # no setting switches it off
        self.ignore_texts()

    def __call__(self, text: str, session: str | None = None, ask: Ask | None = None) -> Result:
        directory = "" if session else str(self.workspace)
        return self.harness.do(self.service.run(Command(text, directory, 60, session=session), ask=ask))

    def close(self) -> None:
        """End the service and its loop."""
        self.harness.close()

    def ignore_texts(self) -> None:
        """Switch the scanner off."""
        self.service._gate = None  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # no setting does this

    def read_texts(self) -> None:
        """Switch it on again."""
        self.service._gate = self._gate  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # as above

    def put(self, name: str, text: str) -> Path:
        """A program in the workspace."""
        path = self.workspace / name
        path.write_text(text)
        path.chmod(0o755)
        return path


@contextlib.contextmanager
def gated(policy: Mapping[str, object], shell: str = "bash", **config: Any) -> Generator[Gated]:
    """A service in a workspace of its own."""
    with workspace() as directory, contextlib.closing(Gated(directory, policy, shell, **config)) as made:
        yield made


@contextlib.contextmanager
def workspace() -> Generator[Path]:
    """A directory with a file `victim`; not in /tmp, which commands in a sandbox have for themselves."""
    with scratch_directory() as directory:
        (directory / "victim").write_text("alive")
        yield directory
