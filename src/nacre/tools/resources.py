"""Resources: jobs as `job://ID`, and the output of commands as `output://ID`.

Above it: the protocol, which loads this for the first request about a resource. Below: the service only.

The list names jobs and their outputs; the output of any other command is read by its id, from the template.
An output is read in parts: `output://ID?stream=stderr&offset=1000&limit=500`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from nacre.errors import RequestError
from nacre.output_query import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.output_query import Excerpt
    from nacre.service import Service
    from nacre.spools import StreamName

JOB, OUTPUT = "job", "output"
JSON_TYPE, TEXT_TYPE, BINARY_TYPE = "application/json", "text/plain", "application/octet-stream"
PART_BYTES = 1 << 20  # of an output that is read at once, at most
STREAMS: dict[str, StreamName] = {"stdout": "stdout", "stderr": "stderr"}
OPTIONS = ("stream", "offset", "limit")
TEMPLATES: list[dict[str, Any]] = [
    {
        "description": "A job: its state and, at its end, its exit code or signal",
        "mimeType": JSON_TYPE,
        "name": "job",
        "uriTemplate": "job://{id}",
    },
    {
        "description": "What a command has printed, by output_id: all of it, or a stream from an offset on",
        "name": "output",
        "uriTemplate": "output://{id}{?stream,offset,limit}",
    },
]


class UnknownResourceError(RequestError):
    """There is no resource with that URI."""


class Resources:
    """The resources of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def listed(self) -> list[dict[str, Any]]:
        """Every job, and its output."""
        return [entry for job in self._service.describe_jobs() for entry in _entries(job)]

    async def read(self, uri: str) -> list[dict[str, Any]]:
        """The contents of a URI."""
        kind, identity, options = _parse(uri)
        try:
            if kind == JOB:
                state = self._service.describe_job(identity)
                return [{"mimeType": JSON_TYPE, "text": json.dumps(state, ensure_ascii=False), "uri": uri}]
            return await self._read_output(uri, identity, options)
        except RequestError as error:
            raise UnknownResourceError(f"Unknown resource: {uri}: {error}") from None

    async def _read_output(self, uri: str, identity: str, options: dict[str, str]) -> list[dict[str, Any]]:
        """The requested stream; by default both, if both have content."""
        query = Query(limit_bytes=_limit(options, uri), offset=_number(options, "offset", uri))
        named = options.get("stream")
        if named is not None:
            if named not in STREAMS:
                raise RequestError(f"stream must be stdout or stderr, not {named!r}.")
            return [await self._contents(uri, identity, STREAMS[named], query)]
        contents = [await self._contents(uri, identity, "stdout", query)]
        errors = await self._contents(f"output://{identity}?stream=stderr", identity, "stderr", query)
        return [*contents, errors] if errors.get("text") or errors.get("blob") else contents

    async def _contents(self, uri: str, identity: str, stream: StreamName, query: Query) -> dict[str, Any]:
        part = await self._service.read_output(identity, stream, query)
        if not part.encoding:
            return {"_meta": _extent(part), "mimeType": TEXT_TYPE, "text": part.text, "uri": uri}
        as_base64 = Query(limit_bytes=query.limit_bytes, offset=query.offset, as_base64=True)
        part = await self._service.read_output(identity, stream, as_base64)
        return {"_meta": _extent(part), "blob": part.text, "mimeType": BINARY_TYPE, "uri": uri}

    def watch(self, uri: str, on_change: Callable[[], None]) -> Callable[[], None]:
        """Call back at each change of a resource; what is returned ends that."""
        kind, identity, _ = _parse(uri)
        try:
            return self._service.watch_job(identity, on_change, output=kind == OUTPUT)
        except RequestError as error:
            raise UnknownResourceError(f"Unknown resource: {uri}: {error}") from None


def _parse(uri: str) -> tuple[str, str, dict[str, str]]:
    """Kind, id and options of a URI."""
    kind, _, rest = uri.partition("://")
    identity, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if kind not in (JOB, OUTPUT) or not identity or options.keys() - (OPTIONS if kind == OUTPUT else ()):
        raise UnknownResourceError(f"Unknown resource: {uri}")
    return kind, identity, options


def _number(options: dict[str, str], name: str, uri: str) -> int | None:
    value = options.get(name)
    if value is not None and not (value.isascii() and value.isdigit()):
        raise UnknownResourceError(f"Unknown resource: {uri}: {name} must be a number of bytes")
    return None if value is None else int(value)


def _limit(options: dict[str, str], uri: str) -> int:
    return max(1, min(_number(options, "limit", uri) or PART_BYTES, PART_BYTES))


def _extent(part: Excerpt) -> dict[str, Any]:
    """The position of a part in its stream."""
    extent = {"offset": part.offset, "nextOffset": part.next_offset, "totalBytes": part.total_bytes}
    return {f"nacre/{name}": value for name, value in extent.items()} | {"nacre/goesOn": part.goes_on}


def _entries(job: dict[str, Any]) -> list[dict[str, Any]]:
    identity, command = job["job"], job["command"]
    return [
        {
            "description": job["state"],
            "mimeType": JSON_TYPE,
            "name": f"job {identity}",
            "title": command,
            "uri": f"job://{identity}",
        },
        {"name": f"output of {identity}", "title": command, "uri": f"output://{identity}"},
    ]
