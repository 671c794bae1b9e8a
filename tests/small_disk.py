"""A file system that is soon full, for the servers of a test alone."""

from __future__ import annotations

import contextlib
import subprocess
from typing import TYPE_CHECKING

import pytest
from wire_client import NACRE, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

FILL = "head -c 1M /dev/zero > disk/filler 2>/dev/null; head -c 1M /dev/zero >> disk/filler 2>/dev/null; true"


@contextlib.contextmanager
def servers_with_small_disk(directory: Path, size_kib: int) -> Generator[Callable[..., WireClient]]:
    """Start servers in a directory whose `disk` is a file system of that size; nobody else sees it."""
    disk = directory / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size={size_kib}k small {disk} && exec "$@"'
    program = ["unshare", "--map-root-user", "--mount", "bash", "-c", script, "bash"]
    if subprocess.run([*program, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace may be made here")
    with contextlib.ExitStack() as clients:

        def starter(*options: str) -> WireClient:
            client = clients.enter_context(WireClient(*options, program=[*program, *NACRE], cwd=directory))
            client.shake_hands()
            return client

        yield starter
