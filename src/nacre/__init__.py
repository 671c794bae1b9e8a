"""nacre: an MCP server through which AI agents run shell commands.

This file stays light: the keeper is started from it before anything heavy is imported. `nacre.Session`,
the Python API, is loaded on first use.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the keeper imports this package, and must not load `typing`
if TYPE_CHECKING:
    from nacre.api import Session

__version__ = "0.1.0"
__all__ = ["Session", "__version__"]


def __getattr__(name: str) -> object:
    if name == "Session":
        from nacre.api import Session  # noqa: PLC0415  # loaded on first use

        return Session
    raise AttributeError(f"module 'nacre' has no attribute {name!r}")
