"""How many files the server itself may have open: enough, or a sentence instead of a traceback.

Above it: the command line. The keeper, which holds what commands need, has rules of its own.
"""

from __future__ import annotations

import sys

NEEDED = 64  # the server holds a dozen, imports need some more, and a keeper keeps 48 for commands under way


def shortage() -> str:
    """Why this process can be no server, if the system lets it open too few files; else nothing.

    A limit that may be raised is raised that far and no further: a new keeper would hand it down.
    """
    if sys.platform == "win32":
        return ""
    import resource  # noqa: PLC0415  # there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < NEEDED:
        return f"at most {hard} files may be open here, and it needs {NEEDED}. Raise the limit (ulimit -n)."
    if soft != resource.RLIM_INFINITY and soft < NEEDED:
        resource.setrlimit(resource.RLIMIT_NOFILE, (NEEDED, hard))
    return ""
