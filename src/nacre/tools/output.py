"""The tool `output`: read any part of what a command printed, also what its reply left out, or search it.

It reads nacre's own files, by id, so no rule or allowed directory applies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.output import counted
from nacre.output_query import Query
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.output_query import Excerpt
    from nacre.service import Service

LIMIT_MOST = 1 << 20
_STARTS = ("offset", "line", "tail")


def output_tool(service: Service) -> Tool:
    """The tool as this server offers it."""
    usual_bytes = service.config.reply_limit_bytes
    return Tool(
        name="output",
        description=(
            "Read what a command printed, by output_id (default: the last command's). next_offset is where "
            "to go on."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "stream": {"type": "string", "enum": ["stdout", "stderr"], "default": "stdout"},
                "offset": {"type": "integer", "description": "First byte", "minimum": 0},
                "line": {"type": "integer", "description": "First line", "minimum": 1},
                "tail": {"type": "integer", "description": "Only the last N lines", "minimum": 1},
                "lines": {"type": "integer", "description": "At most N lines", "minimum": 1},
                "search": {"type": "string", "description": "Regular expression", "minLength": 1},
                "context": {"type": "integer", "description": "Lines around a match", "minimum": 0},
                "limit": {
                    "type": "integer",
                    "description": "Bytes",
                    "minimum": 1,
                    "maximum": max(LIMIT_MOST, usual_bytes),
                    "default": usual_bytes,
                },
                "base64": {"type": "boolean", "description": "For binary output"},
            },
            "additionalProperties": False,
        },
        annotations={"readOnlyHint": True, "openWorldHint": False},
        call=lambda arguments, _caller: _call(service, arguments),
    )


async def _call(service: Service, arguments: dict[str, Any]) -> Reply:
    starts = [name for name in _STARTS if name in arguments]
    if len(starts) > 1:
        raise RequestError(f"{' and '.join(starts)} exclude each other.", hint="Give one of them.")
    query = Query(
        limit_bytes=arguments.get("limit", service.config.reply_limit_bytes),
        offset=arguments.get("offset"),
        line=arguments.get("line"),
        tail=arguments.get("tail"),
        lines=arguments.get("lines"),
        search=arguments.get("search"),
        context=arguments.get("context", 0),
        as_base64=arguments.get("base64", False),
    )
    stream = arguments.get("stream", "stdout")
    return _reply(await service.read_output(arguments.get("id"), stream, query), stream)


def _reply(excerpt: Excerpt, stream: str) -> Reply:
    text = f"{stream} of {excerpt.output_id}: {_summary(excerpt)}"
    if excerpt.text:
        text += "\n" + excerpt.text.removesuffix("\n")
    return Reply(text, _data(excerpt))


def _summary(excerpt: Excerpt) -> str:
    parts = [f"bytes {excerpt.offset} to {excerpt.next_offset} of {excerpt.total_bytes}"]
    if excerpt.first_line is not None and excerpt.matches is None:
        parts.append(f"from line {excerpt.first_line}")
    if excerpt.matches is not None:
        few = excerpt.shown_matches < excerpt.matches
        shown = f", {excerpt.shown_matches} shown" if few else ""
        parts.append(f"{counted(excerpt.matches, 'line')} match{'es' if excerpt.matches == 1 else ''}{shown}")
    if excerpt.skipped_bytes:
        parts.append(f"{counted(excerpt.skipped_bytes, 'byte')} before it were not kept")
    if excerpt.next_offset < excerpt.total_bytes:
        parts.append(f"next_offset {excerpt.next_offset}")
    elif excerpt.goes_on:
        parts.append(f"more may come: next_offset {excerpt.next_offset}")
    return "; ".join(parts)


def _data(excerpt: Excerpt) -> dict[str, Any]:
    """The part, and everything unusual about it."""
    shown: dict[str, Any] = {
        "output": excerpt.text,
        "output_id": excerpt.output_id,
        "offset": excerpt.offset,
        "next_offset": excerpt.next_offset,
        "total_bytes": excerpt.total_bytes,
    }
    odd = {
        "line": excerpt.first_line,
        "encoding": excerpt.encoding,
        "matches": excerpt.matches,
        "not_kept_bytes": excerpt.skipped_bytes,
        "goes_on": excerpt.goes_on,
    }
    return shown | {name: value for name, value in odd.items() if value or (name == "matches" and value == 0)}
