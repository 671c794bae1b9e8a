"""The operating system of this keeper: one name for `posix` or `windows`."""

import sys

if sys.platform == "win32":
    from nacre.keeper import windows as host
else:
    from nacre.keeper import posix as host

__all__ = ["host"]
