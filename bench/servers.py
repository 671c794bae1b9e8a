"""Who is measured from the clone itself: the floors, and nacre in several set-ups.

All of them run with the benchmark's own Python and the SDK of the project's lock, so nothing is installed.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from bench.figures import BASH, BWRAP_LOOP, JSON_LOOP, RELAY, RELAY_SESSION, SDK_NOOP, SDK_SHELL, SPAWN
from bench.model import Server, ShortTimeout

PROGRAMS = Path(__file__).parent / "programs"
NACRE = str(Path(sys.executable).with_name("nacre"))
# What somebody writes who wants each command in a sandbox: a view of the files of its own, every time.
BWRAP = (
    *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),  # noqa: S108  # as it is
    *("--bind", "{directory}", "{directory}", "--unshare-pid", "--unshare-ipc", "--die-with-parent"),
)
RULES = ("--allow", "echo*,cat,ls,sh,git log,git diff,npm run *", "--deny", "rm*,sudo*")

# What a server that runs commands is asked to do, unless its entry says otherwise.
OUTPUTS = frozenset({"output_1", "output_10", "output_100"})
ORDINARY = OUTPUTS | {"start", "echo", "program", "flight", "sleeps"}
ENDS = frozenset({"cancel", "timeout", "behaviour"})
# In a session, jobs in the background belong to the shell and outlive a command on purpose.


def floors() -> list[Server]:
    """What is possible at all, and what the SDK makes of it."""
    python = f"Python {sys.version.split()[0]}"
    sdk = f"mcp {version('mcp')}"
    return [
        Server(SPAWN, "floor", "posix_spawn of `/bin/sh -c`", python, workloads=ORDINARY - {"start"}),
        Server(
            BASH,
            "floor",
            "one bash on a pipe",
            python,
            workloads=frozenset({"echo", "program", "new_shell"}),
        ),
        Server(
            JSON_LOOP,
            "floor",
            "hand-written JSON loop and posix_spawn",
            python,
            argv=_program("json_loop"),
            tool="run",
            arguments={"command": "{command}"},
            workloads=ORDINARY,
        ),
        Server(
            BWRAP_LOOP,
            "floor",
            "the same, each command in bubblewrap",
            python,
            argv=(*_program("json_loop"), *BWRAP),
            tool="run",
            arguments={"command": "{command}"},
            workloads=frozenset({"start", "echo", "program", "flight"}),
        ),
        *_relays(python),
        Server(
            SDK_NOOP,
            "floor",
            'SDK tool that does `return "hi"`',
            sdk,
            argv=_program("sdk_noop"),
            tool="run",
            arguments={"command": "{command}"},
            runs_commands=False,
            workloads=frozenset({"start", "echo", "flight"}),
        ),
        Server(
            SDK_SHELL,
            "floor",
            "SDK shell server in ten lines",
            sdk,
            argv=_program("sdk_shell"),
            tool="run",
            arguments={"command": "{command}"},
            workloads=ORDINARY | {"behaviour"},
        ),
    ]


def _relays(python: str) -> list[Server]:
    """Two processes that do only what a server and its keeper must do."""
    return [
        Server(
            name,
            "floor",
            description,
            python,
            argv=(*_program("relay"), *arguments),
            tool="run",
            arguments={"command": "{command}"},
            workloads=workloads,
        )
        for name, description, arguments, workloads in (
            (RELAY, "two processes: JSON, and posix_spawn", (), frozenset({"echo", "flight"})),
            (RELAY_SESSION, "the same with one bash, as a session has it", ("session",), frozenset({"echo"})),
        )
    ]


def _program(name: str) -> tuple[str, ...]:
    return (sys.executable, str(PROGRAMS / f"{name}.py"))


def _rules(level: str) -> tuple[str, ...]:
    return (*RULES, "--sandbox", level, "--audit-log", "{home}/audit.jsonl")


def _gated(release: str) -> Server:
    """The same rules where the kernel holds them, too: every exec is decided."""
    return Server(
        "nacre-gate",
        "nacre",
        "fresh `/bin/sh`, rules held by the kernel as well",
        release,
        argv=(NACRE, "--shell", "/bin/sh", *_rules("workspace")),
        tool="shell",
        arguments={"command": "{command}"},
        workloads=frozenset({"start", "echo", "flight", "nested", "execs"}),
    )


def ours() -> list[Server]:
    """nacre as people run it. Keeper, log and limits are on in all of them."""
    release = f"nacre {version('nacre')}"
    return [
        Server(
            "nacre",
            "nacre",
            "each command in a fresh `/bin/sh`",
            release,
            argv=(NACRE, "--shell", "/bin/sh"),
            tool="shell",
            arguments={"command": "{command}"},
            timeout=ShortTimeout(arguments={"timeout": 1}),
            workloads=ORDINARY | ENDS | {"wait"},
        ),
        Server(
            "nacre-session",
            "nacre",
            "commands in one session of bash",
            release,
            argv=(NACRE, "--shell", "bash"),
            tool="shell",
            arguments={"command": "{command}", "session": "bench"},
            timeout=ShortTimeout(arguments={"timeout": 1}),
            workloads=OUTPUTS | {"start", "echo", "program", "new_shell", "behaviour"},
        ),
        Server(
            "nacre-rules",
            "nacre",
            "fresh `/bin/sh`, rules and audit log on",
            release,
            argv=(NACRE, "--shell", "/bin/sh", *_rules("off")),
            tool="shell",
            arguments={"command": "{command}"},
            workloads=frozenset({"start", "echo", "flight", "verdict", "nested", "execs"}),
        ),
        _gated(release),
        Server(
            "nacre-sandbox",
            "nacre",
            "fresh `/bin/sh`, in the sandbox `workspace`",
            release,
            argv=(NACRE, "--shell", "/bin/sh", "--sandbox", "workspace"),
            tool="shell",
            arguments={"command": "{command}"},
            workloads=frozenset({"start", "echo", "program", "flight", "sleeps", "output_10"}),
        ),
    ]
