"""What every part of the demo needs: a client that shows what it does, colours, promises, a log."""

from __future__ import annotations

import functools
import os
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from mcp import Client

SHOWN_LINES = 12
COLOUR = sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


def paint(text: str, code: str) -> str:
    """Text in a colour, where colours are shown."""
    return f"\x1b[{code}m{text}\x1b[0m" if COLOUR else text


class Unexpected(Exception):  # noqa: N818  # what happened
    """A step did not do what it says."""


def must(condition: object, what: str) -> None:
    """Stop the demo when a promise is not kept."""
    if not condition:
        raise Unexpected(what)


@functools.cache
def quiet() -> TextIO:
    """Where the servers' logs go; closed with the process."""
    return Path(os.devnull).open("w")


@dataclass
class Stage:
    """The client, and the telling of what it does."""

    client: Client
    news: list[str] = field(default_factory=list[str])

    async def shell(self, command: str, *, follow: bool = False, **more: Any) -> dict[str, Any]:
        """Run a command, show the question and the answer; with `follow`, its output while it runs."""
        progress = self.on_progress if follow else None
        return await self._call("shell", command, {"command": command}, more, progress)

    async def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call another tool, and show the question and the answer."""
        return await self._call(name, name, {}, arguments)

    async def _call(
        self, name: str, shown: str, fixed: dict[str, Any], more: dict[str, Any], progress: Any = None
    ) -> dict[str, Any]:
        extras = "".join(f"  {argument}={value}" for argument, value in more.items())
        print(paint(f"  ❯ {shown}", "36") + paint(extras, "2"))
        began = time.perf_counter()
        result = await self.client.call_tool(name, {**fixed, **more}, progress_callback=progress)
        took_ms = (time.perf_counter() - began) * 1000
        text = "\n".join(getattr(part, "text", "") for part in result.content)
        self.show(text, error=bool(result.is_error))
        print(paint(f"    (answered in {took_ms:.1f} ms)", "2"))
        if result.structured_content is None:
            return {"error": text}
        return {**result.structured_content, **(result.meta or {}).get("metadata", {})}

    def show(self, text: str, *, error: bool) -> None:
        """Print an answer, shortened for the reader of the demo."""
        lines = text.splitlines()
        if len(lines) > SHOWN_LINES:
            half = SHOWN_LINES // 2
            note = [line for line in lines[half:-half] if line.startswith("[…")]
            lines = [*lines[:half], "    ⋮", *note, "    ⋮", *lines[-half:]]
        status, *rest = lines or [""]
        print(paint(f"    {status}", "31" if error else "32"))
        print(
            textwrap.indent("\n".join(line[:140] for line in rest), "    ") if rest else "",
            end="\n" if rest else "",
        )

    async def on_progress(self, progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG002  # the SDK's names
        """Show what a running command prints."""
        self.news.append(message or "")
        print(paint(f"    … {message}", "33"))
