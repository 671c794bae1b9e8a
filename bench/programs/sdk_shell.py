"""Floor: the shell server that anybody writes on the SDK in ten lines."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, STDOUT

from mcp.server.mcpserver import MCPServer

app = MCPServer("shell", log_level="ERROR")


@app.tool()
async def run(command: str) -> str:
    """Run a shell command."""
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await process.communicate()
    return output.decode(errors="replace")


app.run()
