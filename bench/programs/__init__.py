"""Programs that the benchmark starts: floors that are MCP servers, and verdicts without a server."""
