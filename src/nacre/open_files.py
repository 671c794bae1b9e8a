"""Whether the server itself may open enough files; if not, a sentence instead of a traceback.

Above it: the command line. The keeper, which opens the files for commands, has checks of its own.
"""

from __future__ import annotations

import sys

NEEDED = 64  # the server needs a dozen, imports some more, and a keeper reserves 48 for running commands


def shortage() -> str:
    """Why this process cannot be a server, if it may open too few files; otherwise empty.

    A soft limit is raised only as far as needed: commands would inherit it from a new keeper.
    """
    if sys.platform == "win32":
        return ""
    import resource  # noqa: PLC0415  # does not exist on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < NEEDED:
        return f"at most {hard} files may be open here, and it needs {NEEDED}. Raise the limit (ulimit -n)."
    if soft != resource.RLIM_INFINITY and soft < NEEDED:
        resource.setrlimit(resource.RLIMIT_NOFILE, (NEEDED, hard))
    return ""
