"""Floor: the SDK with a tool that does nothing."""

from mcp.server.mcpserver import MCPServer

app = MCPServer("noop", log_level="ERROR")


@app.tool()
async def run(command: str) -> str:  # noqa: ARG001  # answers whatever it is asked
    """Run a shell command."""
    return "hi"


app.run()
