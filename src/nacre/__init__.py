"""nacre: an MCP server through which AI agents run shell commands.

This file stays light: the keeper is started from it before anything heavy is imported.
"""

__version__ = "0.1.0"
