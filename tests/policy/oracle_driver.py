"""The driver inside the sandbox: runs scripts with real shells and writes down what they ran, with arguments.

Every program is a stand-in that logs its arguments, prints a text of the trial's choice and fails or succeeds
by its name. bash, zsh and fish hand unknown names to a handler inside the shell, which does the same without
starting a program; builtins are wrapped by functions where that changes nothing else. Records in a log are
`count NUL argument NUL ...`, so that any argument comes through unharmed.

One JSON object per line comes in for each script, one goes out. Above: `shell_oracle` starts it. This file
needs the standard library only, and must not be run outside of a sandbox.
"""

from __future__ import annotations

import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

STAND_INS = Path("/usr/sbin")
SCRIPT_TIMEOUT_S = 1.0
_ROOT = Path("/tmp/oracle")
_WORK = _ROOT / "work"
_HOME = _ROOT / "home"
_NOWHERE = "/nonexistent"
# What a script must not change: it decides what runs, or how words are split.
_KEPT = ("PATH", "IFS", "PS4", "LD_PRELOAD", "BASH_ENV", "ENV", "HOME", "GIT_PAGER", "PAGER", "EDITOR")
# Files whose names are options, commands or several words: what a pattern may find.
FIXTURES = {
    **dict.fromkeys(("-exec", "-o", "--output=pwned", "-c9", "-delete", "--", "a b", "c9"), "c9 pwned\n"),
    **dict.fromkeys(("f", "a", "b1", "x.y", "file.txt", "a.py", "{a,b}", "[ab]", "E"), "-exec\nc9\n"),
}
_NOT_FOUND = re.compile(r": ([A-Za-z0-9_+=-]+): (?:inaccessible or )?not found$", re.MULTILINE)
_NETWORK = re.compile(
    r": connect: [A-Z]|/dev/(?:tcp|udp)/[^:\n]*: (?:Network|Connection|Invalid|Name|Operation) "
)
_MOST_OUTPUT = 1 << 16

_ANSWER = """
  [[ "{kept}" == "$ORACLE_KEPT" ]] || builtin printf '%s\\0' 2 '!changed' "{kept}" >> "$ORACLE_LOG"
  builtin printf '%s\\n' "$ORACLE_SAYS"
  case "$1" in *$~ORACLE_FAILS) return 1;; esac
  return 0
"""
_WRAPPED = (
    "echo printf test [ true false : pwd cd read type command exec kill wait let umask hash eval "
    "source . trap alias enable mapfile readarray bind complete"
)
_WRAPPED_ZSH = (
    "echo print printf test true false : pwd cd read type command exec kill wait let umask hash eval "
    "source . trap alias enable disable autoload zmodload emulate"
)
_WRAPPED_FISH = "echo printf cd pwd type true false"
_WRAPPED_DASH = "echo printf test true false pwd cd read type"


def _kept(environment: dict[str, str]) -> str:
    return "|".join(environment.get(name, "") for name in _KEPT)


def _kept_text() -> str:
    return "|".join(f"${{{name}-}}" for name in _KEPT)


def _record(name: str) -> str:
    return f"""builtin printf '%s\\0' "$(($#+1))" '{name}' "$@" >> "$ORACLE_LOG" """


def _bash_start() -> str:
    answer = _ANSWER.replace("{kept}", _kept_text()).replace("$~", "$")
    handler = 'builtin printf \'%s\\0\' "$#" "$@" >> "$ORACLE_LOG"' + answer
    wrapped = "".join(
        f'function {name} {{ {_record(name)}; builtin {name} "$@"; }}\n' for name in _WRAPPED.split()
    )
    return f"command_not_found_handle() {{ {handler} }}\n{wrapped}"


def _zsh_start() -> str:
    answer = _ANSWER.replace("{kept}", _kept_text().replace("${IFS-}", "${IFS//$'\\0'/}"))
    handler = 'builtin printf \'%s\\0\' "$#" "$@" >> "$ORACLE_LOG"' + answer
    wrapped = "".join(
        f'function {name} {{ {_record(name)}; builtin {name} "$@"; }}\n' for name in _WRAPPED_ZSH.split()
    )
    return f"setopt no_global_rcs\ncommand_not_found_handler() {{ {handler} }}\n{wrapped}"


def _dash_start() -> str:
    record = _record("{}").replace("builtin", "command")
    return "".join(
        f'{name}() {{ {record.format(name)}; command {name} "$@"; }}\n' for name in _WRAPPED_DASH.split()
    )


def _fish_start() -> str:
    log = "builtin printf '%s\\0' (count $argv) $argv >> $ORACLE_LOG"
    wrapped = "".join(
        f"function {name}; set -l all {name} $argv; builtin printf '%s\\0' (count $all) $all >> $ORACLE_LOG; "
        f"builtin {name} $argv; end\n"
        for name in _WRAPPED_FISH.split()
    )
    # Without fish's own functions around ls, grep and the like.
    return f"set fish_function_path\nfunction fish_command_not_found; {log}; end\n{wrapped}"


def _stand_in(shell: str) -> str:
    names = tuple(name for name in _KEPT if name not in {"IFS", "PS4"})
    kept = "|".join(f"${{{name}-}}" for name in names)
    return f"""#!{shell}
name=${{0##*/}}
printf '%s\\0' "$(($#+1))" "$name" "$@" >> "$ORACLE_LOG"
[ "{kept}" = "$ORACLE_SEEN" ] || printf '%s\\0' 2 '!changed' "{kept}" >> "$ORACLE_LOG"
printf '%s\\n' "$ORACLE_SAYS"
case "$name" in *$ORACLE_FAILS) exit 1;; esac
exit 0
"""


class Driver:
    """One kind of shell, and the place where it runs."""

    def __init__(self, shell: str, names: list[str]) -> None:
        self.shell = shell
        self.path = shutil.which(shell) or shell
        self.count = 0
        _HOME.mkdir(parents=True)
        _WORK.mkdir()
        self.environment = self._environment()
        self.start = self._prepare()
        self._install(names)
        self._restore()
        self.snapshot = _snapshot()

    def _environment(self) -> dict[str, str]:
        in_shell = self.shell in {"bash", "zsh"}
        path = _NOWHERE if in_shell else str(STAND_INS)
        environment = {"PATH": path, "LC_ALL": "C.UTF-8", "HOME": str(_HOME)}
        environment |= dict.fromkeys(("TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), "/tmp")
        environment["FUNCNEST"] = "8"
        if self.shell == "bash":
            environment["BASH_ENV"] = str(_ROOT / "start")
        if self.shell == "zsh":
            environment["ZDOTDIR"] = str(_ROOT)
        return environment

    def _prepare(self) -> str:
        """What the shell is told first, where it has no start-up file of its own."""
        if self.shell == "bash":
            (_ROOT / "start").write_text(_bash_start(), encoding="utf-8")
        elif self.shell == "zsh":
            (_ROOT / ".zshenv").write_text(_zsh_start(), encoding="utf-8")
        elif self.shell == "dash":
            return _dash_start()
        elif self.shell == "fish":
            return _fish_start()
        return ""

    def _install(self, names: list[str]) -> None:
        program = _ROOT / "stand-in"
        program.write_text(_stand_in(shutil.which("dash") or "/bin/sh"), encoding="utf-8")
        program.chmod(0o755)
        for name in names:
            (STAND_INS / name).symlink_to(program)

    def _restore(self) -> None:
        for place in (_WORK, _HOME):
            for item in place.iterdir():
                if item.is_dir() and not item.is_symlink():
                    shutil.rmtree(item)
                else:
                    item.unlink()
        (_WORK / "dir").mkdir()
        for name, content in FIXTURES.items():
            (_WORK / name).write_text(content, encoding="utf-8")

    def answer(self, trial: dict[str, Any]) -> dict[str, Any]:
        """What one script ran."""
        self.count += 1
        log = _ROOT / f"log{self.count}"  # what an earlier script left running must not write into this one's
        environment = self._trial_environment(trial, log)
        ended, output = self._run(trial, environment)
        commands, torn = _read_log(log)
        changed = sorted(name for name, _ in self.snapshot ^ _snapshot())
        if changed:
            self._restore()
            self.snapshot = _snapshot()
        by_message = _NOT_FOUND.findall(output) if self.shell not in {"bash", "zsh", "fish"} else []
        notes = ["network"] if _NETWORK.search(output) else []
        return {
            "commands": [c for c in commands if c[0] != "!changed"],
            "names": by_message,
            "files": sorted(set(changed)),
            "notes": notes + [f"variables are {c[1]!r}" for c in commands if c[0] == "!changed"],
            "ended": ended,
            "torn": torn,
        }

    def _trial_environment(self, trial: dict[str, Any], log: Path) -> dict[str, str]:
        environment = {**self.environment, **trial["environment"], "ORACLE_LOG": str(log)}
        environment |= {"ORACLE_SAYS": trial["says"], "ORACLE_FAILS": trial["fails"]}
        inside = {**environment, "IFS": " \t\n", "PS4": "+ "}
        if self.shell == "zsh":
            inside["PS4"] = "+%N:%i> "
        environment["ORACLE_KEPT"] = _kept(inside)
        environment["ORACLE_SEEN"] = "|".join(
            environment.get(n, "") for n in _KEPT if n not in {"IFS", "PS4"}
        )
        return environment

    def _run(self, trial: dict[str, Any], environment: dict[str, str]) -> tuple[bool, str]:
        os.chdir(_WORK)
        argv = [self.path, "-c", self.start + trial["script"], self.shell, *trial["arguments"]]
        if self.shell == "fish":
            argv = [self.path, "-C", self.start, "-c", trial["script"]]
        read, write = os.pipe()
        process = os.posix_spawn(
            self.path,
            argv,
            environment,
            setsid=True,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, write, 1),
                (os.POSIX_SPAWN_DUP2, write, 2),
            ],
        )
        os.close(write)
        ended, output = _read_to_end(read)
        os.close(read)
        if not ended:
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return ended, output.decode("utf-8", "replace")


def _read_to_end(descriptor: int) -> tuple[bool, bytes]:
    """All that the shell and what it left behind printed, and whether they ended in time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    deadline = time.monotonic() + SCRIPT_TIMEOUT_S
    output = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            return False, output
        piece = os.read(descriptor, 65_536)
        if not piece:
            return True, output
        if len(output) < _MOST_OUTPUT:
            output += piece


def _read_log(log: Path) -> tuple[list[list[str]], bool]:
    """The records of a log; True when two processes wrote into each other's."""
    try:
        fields = log.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]
        log.unlink()
    except FileNotFoundError:
        return [], False
    records: list[list[str]] = []
    at = 0
    while at < len(fields):
        if not fields[at].isdecimal() or at + 1 + int(fields[at]) > len(fields):
            return records, True
        end = at + 1 + int(fields[at])
        if end > at + 1:
            records.append(fields[at + 1 : end])
        at = end
    return records, False


def _snapshot() -> frozenset[tuple[str, tuple[int, int]]]:
    found: list[tuple[str, tuple[int, int]]] = []
    for place in (_WORK, _HOME):
        for entry in os.scandir(place):
            status = entry.stat(follow_symlinks=False)
            found.append((entry.name, (status.st_mtime_ns, status.st_size)))
    return frozenset(found)


def _limit() -> None:
    for kind, most in (
        (resource.RLIMIT_FSIZE, 1 << 20),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, 1 << 30),
    ):
        resource.setrlimit(kind, (most, most))


def main() -> None:
    """Serve trials from standard input until it ends."""
    _limit()
    head = json.loads(sys.stdin.readline())
    driver = Driver(head["shell"], head["names"])
    for line in sys.stdin:
        sys.stdout.write(json.dumps(driver.answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
