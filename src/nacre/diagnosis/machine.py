"""What this machine gives a server: its packages, open files, processes, room on the disk, control groups.

Above it: `nacre doctor`. It runs no command.
"""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING

from nacre import __version__, open_files
from nacre.diagnosis.finding import Finding
from nacre.places.local_files import LOCAL_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.config import Config

FEW_FILES, FEW_PROCESSES = 1024, 256
LOW_SPACE_BYTES = 100 * 1000 * 1000


def examine(config: Config) -> Iterator[Finding]:
    """All of it."""
    yield open_file_limit()
    if sys.platform != "win32":
        yield process_limit()
    yield disk()
    yield control_groups(config)


def version() -> Finding:
    """Which nacre, Python and SDK these are."""
    from importlib.metadata import PackageNotFoundError  # noqa: PLC0415  # only this needs it
    from importlib.metadata import version as version_of  # noqa: PLC0415  # the same

    python = ".".join(map(str, sys.version_info[:3]))
    try:
        return Finding("ok", "version", f"nacre {__version__}, Python {python}, mcp {version_of('mcp')}")
    except PackageNotFoundError:
        text = f"nacre {__version__}, Python {python}, without the package mcp: rare requests are refused"
        return Finding("problem", "version", text, "Install nacre again with its dependencies.")


def open_file_limit() -> Finding:
    """Whether many commands at once can have their pipes."""
    if few := open_files.shortage():
        return Finding("problem", "open files", few, "ulimit -n 1024")
    if sys.platform == "win32":
        return Finding("ok", "open files", "Windows has no such limit")
    import resource  # noqa: PLC0415  # there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FEW_FILES:
        fix = "Raise the hard limit (ulimit -Hn): many commands at once need files."
        return Finding("warning", "open files", f"{soft}, at most {hard}", fix)
    return Finding("ok", "open files", f"{soft}, at most {hard}")


def process_limit() -> Finding:
    """Whether commands can start processes of their own."""
    import resource  # noqa: PLC0415  # there is none on Windows

    soft, _hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if soft == resource.RLIM_INFINITY:
        return Finding("ok", "processes", "no limit")
    if soft < FEW_PROCESSES:
        fix = "Raise it (ulimit -u 1024): it counts all processes of this user."
        return Finding("warning", "processes", f"at most {soft}", fix)
    return Finding("ok", "processes", f"at most {soft}")


def disk() -> Finding:
    """Whether long output has room."""
    directory = tempfile.gettempdir()
    free = LOCAL_FILES.free_bytes(directory)
    if free is None:
        return Finding("warning", "disk", f"{directory} does not tell its free space")
    text = f"{directory}: {free // 10**6} MB free"
    if free < LOW_SPACE_BYTES:
        return Finding("warning", "disk", text, "Long output needs room there; TMPDIR names another place.")
    return Finding("ok", "disk", text)


def control_groups(config: Config) -> Finding:
    """Whether the kernel enforces limits on memory and processes, or only our own watch does."""
    if sys.platform == "win32":
        return Finding("ok", "control groups", "none here: job objects enforce limits")
    if sys.platform != "linux":
        return Finding("ok", "control groups", "none here: nacre checks limits itself")
    from nacre.keeper.cgroups import CONTROLLERS, find_groups  # noqa: PLC0415  # Linux only

    held = find_groups().parents
    missing = [CONTROLLERS[kind] for kind in CONTROLLERS if kind not in held]
    if not missing:
        return Finding("ok", "control groups", "the kernel enforces limits on memory and processes")
    text = f"no control group for: {', '.join(missing)}; such limits can be exceeded briefly"
    wanted = [kind for kind in CONTROLLERS if kind not in held and kind in config.limits]
    fix = "Start the client in a scope of its own: systemd-run --user --scope -p Delegate=yes CLIENT."
    return Finding("warning" if wanted else "ok", "control groups", text, fix if wanted else "")
