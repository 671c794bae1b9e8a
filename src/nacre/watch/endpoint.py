"""What a server is reached by when it is watched: one name for `unix_sockets` or `named_pipes`.

Above it: `listener`, `client` and `cli`, which know nothing of the operating system.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from nacre.watch import named_pipes as endpoint
else:
    from nacre.watch import unix_sockets as endpoint

__all__ = ["IS_OFFERED", "endpoint"]

IS_OFFERED = sys.platform in ("linux", "darwin", "win32")
