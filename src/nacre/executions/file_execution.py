"""File work as an execution: it takes the same sequence as a command, and runs no process.

Above it: `service`. Below: a place, whose files these are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.executions.validation import check_text

if TYPE_CHECKING:
    from nacre.file_records import FileDone, FileWork
    from nacre.gate import Admission, Ask, Gate
    from nacre.places.file_work import ResolvedPath
    from nacre.places.place import Place


class FileExecution:
    """Read, write or list inside the allowed directories."""

    def __init__(self, work: FileWork, place: Place, roots: tuple[str, ...], directory: str) -> None:
        """Files must be below one of the roots; relative paths are resolved against the directory."""
        self.asked = work
        self._place = place
        self._roots = roots
        self._directory = directory
        self._found: ResolvedPath

    def validate(self) -> None:
        """Raise RequestError for an impossible path."""
        check_text("path", self.asked.path)

    async def prepare(self) -> None:
        """Find the file. Refused: it is outside of the roots, or one of nacre's own."""
        self._found = await self._place.find_file(self.asked, self._roots, self._directory)

    async def admit(self, gate: Gate, ask: Ask | None) -> Admission:
        """Return if the rules and the person allow it; raise Refused if not."""
        return await gate.admit_file(self.asked, self._found.path, ask)

    async def start(self) -> None:
        """Nothing: the work is done in `wait`."""

    async def wait(self) -> FileDone:
        """Do the work. NacreError says why it cannot be done."""
        return await self._place.work_on_file(self.asked, self._found)

    def close(self) -> None:
        """Nothing to release."""
