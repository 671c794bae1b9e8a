"""The client of SDK 1 for Python: connect to a server, list its tools, call one, print all of it as JSON.

Runs in a virtual environment of its own, because SDK 1 and SDK 2 have the same name:
    .clients/python/bin/python python_v1_client.py '{"command": …, "args": […], "tool": …, "arguments": {…}}'
"""

# pyright: basic, reportAttributeAccessIssue=false, reportCallIssue=false
# The type checker sees SDK 2 here.
from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def converse(asked: dict[str, Any]) -> dict[str, Any]:
    """One conversation, from the handshake to the end."""
    server = StdioServerParameters(
        command=asked["command"], args=asked["args"], cwd=asked["cwd"], env=dict(os.environ)
    )
    complaints: list[str] = []

    async def heed(message: object) -> None:
        if isinstance(message, Exception):
            complaints.append(str(message))

    async with (
        stdio_client(server) as (reading, writing),
        ClientSession(reading, writing, message_handler=heed) as session,
    ):
        greeting = await session.initialize()
        listed = await session.list_tools()
        result = await session.call_tool(asked["tool"], asked["arguments"])
        return {
            "server": greeting.serverInfo.model_dump(),
            "tools": [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools],
            "result": result.model_dump(by_alias=True, exclude_none=True),
            "complaints": complaints,
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(anyio.run(converse, json.loads(sys.argv[1]))) + "\n")
