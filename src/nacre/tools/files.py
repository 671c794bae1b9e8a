"""The tools `read_file`, `write_file` and `list_directory`, which specification 002 names as next ones."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, cast

from nacre.errors import RequestError
from nacre.file_records import ListDirectory, Listing, Page, ReadFile, WriteFile, Written
from nacre.output import counted
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.file_records import Entry
    from nacre.service import Service
    from nacre.tools.tool import Caller

    Call = Callable[[dict[str, Any], Caller], Awaitable[Reply]]

LIST_MOST = 10_000
_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
_PATH = {"type": "string", "description": "Relative to where commands start, or absolute", "minLength": 1}
_OFFSET = {"type": "integer", "minimum": 0, "default": 0}
_UNIT = {"type": "string", "enum": ["lines", "bytes"]}
_READS = {"readOnlyHint": True, "openWorldHint": False}
_WRITES = {"idempotentHint": True, "openWorldHint": False}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def file_tools(service: Service) -> list[Tool]:
    """The tools as this server offers them."""
    return [_read_tool(service), _write_tool(service), _list_tool(service)]


def _object(required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def _read_tool(service: Service) -> Tool:
    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        return _page_reply(cast("Page", await service.work_on_file(ReadFile(**arguments), caller.ask)))

    page_bytes = service.config.reply_limit_bytes
    return Tool(
        name="read_file",
        title="Read a file",
        description=(
            f"A page of a file, at most {page_bytes} bytes: text as it is, other content as base64 (see "
            "encoding). `next` holds the unit and offset of the page that follows."
        ),
        input_schema={
            **_object(
                "path",
                path=_PATH,
                offset={**_OFFSET, "description": "Lines (or bytes) to skip"},
                limit={"type": "integer", "description": "Lines (or bytes) to read", "minimum": 1},
                unit={**_UNIT, "description": "What offset and limit count", "default": "lines"},
            ),
            "additionalProperties": False,
        },
        output_schema=_object(
            "path content encoding unit offset count next total_bytes total_lines",
            path=_TEXT,
            content=_TEXT,
            encoding={"enum": ["utf-8", "base64"]},
            unit=_UNIT,
            offset=_COUNT,
            count=_COUNT,
            next=_or_null({"type": "object", "properties": {"unit": _UNIT, "offset": _COUNT}}),
            total_bytes=_COUNT,
            total_lines=_or_null(_COUNT),
        ),
        annotations=_READS,
        call=call,
    )


def _page_reply(page: Page) -> Reply:
    following = None if page.next is None else {"unit": page.next[0], "offset": page.next[1]}
    totals = counted(page.total_bytes, "byte")
    if page.total_lines is not None:
        totals = f"{counted(page.total_lines, 'line')}, {totals}"
    part = f"{page.unit} {page.offset + 1:,} to {page.offset + page.count:,}" if page.count else "nothing"
    more = f"; next page: unit {page.next[0]}, offset {page.next[1]}" if page.next else ""
    note = "" if page.encoding == "utf-8" else "; no text, shown as base64"
    return Reply(
        f"{page.path}: {part} of {totals}{more}{note}\n{page.content}",
        {
            "path": page.path,
            "content": page.content,
            "encoding": page.encoding,
            "unit": page.unit,
            "offset": page.offset,
            "count": page.count,
            "next": following,
            "total_bytes": page.total_bytes,
            "total_lines": page.total_lines,
        },
    )


def _write_tool(service: Service) -> Tool:
    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        content = as_bytes(arguments["content"], arguments.get("encoding", "utf-8"))
        work = WriteFile(arguments["path"], content, arguments.get("mode", "write"))
        done = cast("Written", await service.work_on_file(work, caller.ask))
        what = "Created" if done.created else "Replaced"
        data = {"path": done.path, "size_bytes": done.size_bytes, "created": done.created}
        return Reply(f"{what} {done.path} ({counted(done.size_bytes, 'byte')})", data)

    return Tool(
        name="write_file",
        title="Write a file",
        description=(
            "Write a whole file, all or nothing: readers see the old content or the new. "
            "A file that is replaced keeps its mode."
        ),
        input_schema={
            **_object(
                "path content",
                path=_PATH,
                content=_TEXT,
                encoding={"type": "string", "enum": ["utf-8", "base64"], "default": "utf-8"},
                mode={
                    "type": "string",
                    "description": "create: only if it is not there; replace: only if it is",
                    "enum": ["write", "create", "replace"],
                    "default": "write",
                },
            ),
            "additionalProperties": False,
        },
        output_schema=_object(
            "path size_bytes created", path=_TEXT, size_bytes=_COUNT, created={"type": "boolean"}
        ),
        annotations=_WRITES,
        call=call,
    )


def as_bytes(content: str, encoding: str) -> bytes:
    """The bytes to write. Raises RequestError for text that is not in its declared encoding."""
    try:
        return content.encode() if encoding == "utf-8" else base64.b64decode(content, validate=True)
    except ValueError as error:
        raise RequestError(f"content is not {encoding}: {error}.") from None


def _list_tool(service: Service) -> Tool:
    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        arguments.setdefault("path", ".")
        work = ListDirectory(**arguments)
        return _listing_reply(cast("Listing", await service.work_on_file(work, caller.ask)))

    entry = _object(
        "name type",
        name=_TEXT,
        type={"enum": ["file", "directory", "link", "other", "gone", "unknown"]},
        size_bytes=_COUNT,
        modified=_TEXT,
        target=_TEXT,
    )
    return Tool(
        name="list_directory",
        title="List a directory",
        description="The names in a directory, sorted, hidden ones included; with type, size and time.",
        input_schema={
            **_object(
                "",
                path={**_PATH, "default": "."},
                offset={**_OFFSET, "description": "Names to skip"},
                limit={
                    "type": "integer",
                    "minimum": 1,
                    "maximum": LIST_MOST,
                    "default": ListDirectory.DEFAULT,
                },
            ),
            "additionalProperties": False,
        },
        output_schema=_object(
            "path entries offset next total",
            path=_TEXT,
            entries={"type": "array", "items": entry},
            offset=_COUNT,
            next=_or_null(_COUNT),
            total=_COUNT,
        ),
        annotations=_READS,
        call=call,
    )


def _listing_reply(listing: Listing) -> Reply:
    more = "" if listing.next is None else f"; next page: offset {listing.next}"
    lines = [f"{listing.path}: {len(listing.entries):,} of {listing.total:,} names{more}"]
    lines += [_line(entry) for entry in listing.entries]
    return Reply(
        "\n".join(lines),
        {
            "path": listing.path,
            "entries": [_entry_data(entry) for entry in listing.entries],
            "offset": listing.offset,
            "next": listing.next,
            "total": listing.total,
        },
    )


def _line(entry: Entry) -> str:
    size = "" if entry.size_bytes is None else f"  {counted(entry.size_bytes, 'byte')}"
    return f"{entry.kind:9}  {entry.name}{f' -> {entry.target}' if entry.target else ''}{size}"


def _entry_data(entry: Entry) -> dict[str, Any]:
    data = {
        "name": entry.name,
        "type": entry.kind,
        "size_bytes": entry.size_bytes,
        "modified": entry.modified,
        "target": entry.target,
    }
    return {name: value for name, value in data.items() if value is not None}
