"""The driver inside the sandbox: runs scripts with real shells and writes down what they ran, with arguments.

Every program is a stand-in that logs its arguments, prints a text of the trial's choice and fails or succeeds
by its name. bash, zsh and fish hand unknown names to a handler inside the shell, which does the same without
starting a program; builtins are wrapped by functions where that changes nothing else. Records in a log are
`count NUL argument NUL ...`, so that any argument comes through unharmed.

With `real` in the first line, programs are the machine's own, except for a few names that nothing may run;
the place then holds a small project, and what counts is which files changed and whether a secret outside of
it was printed. With `watched`, a small library is loaded into every program, which writes down that it was
started, by whom and with which arguments; and files count wherever they are.

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
import sqlite3
import subprocess
import sys
import tarfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

STAND_INS = Path("/usr/sbin")
SCRIPT_TIMEOUT_S = 1.0
LEFT_BEHIND_TIMEOUT_S = 0.5
ROOT = Path("/tmp/nacre-oracle")
WORK = ROOT / "work"
HOME = ROOT / "home"
_NOWHERE = "/nonexistent"
# What a script must not change: it decides what runs, or how words are split.
_KEPT = ("PATH", "IFS", "PS4", "LD_PRELOAD", "BASH_ENV", "ENV", "HOME", "GIT_PAGER", "PAGER", "EDITOR")
# Files whose names are options, commands or several words: what a pattern may find.
FIXTURES = {
    **dict.fromkeys(("-exec", "-o", "--output=pwned", "-c9", "-delete", "--", "a b", "c9"), "c9 pwned\n"),
    **dict.fromkeys(("f", "a", "b1", "x.y", "file.txt", "a.py", "{a,b}", "[ab]", "E"), "-exec\nc9\n"),
}
SECRET = "SECRET-c9c9"  # noqa: S105 - only a text to look for
# A small project; names that begin with dashes are what a pattern may find.
PROJECT = {
    "a.txt": "alpha\nbeta pwn\n",
    "b.txt": "beta\ngamma\n",
    "sub/c.txt": "pwn c\n",
    "data.json": '{"a": [1, {"b": "pwn"}]}\n',
    "Makefile": "all:\n\t@true\ntest:\n\t@true\n",
    "package.json": '{"name": "x", "scripts": {"test": "true", "build": "true"}}\n',
    "evil.mk": "all:\n\tpwn\n",
    "evil.sed": "1e pwn\n",
    "evil.awk": 'BEGIN { system("pwn") }\n',
    "evil.conf": 'output = "PWNED"\nurl = "file:///etc/hostname"\n',
    "evil.sql": ".shell pwn\n",
    "evil.sh": "pwn\n",
    "evil.js": 'require("child_process").execSync("pwn")\n',
    "evil.py": 'import os; os.system("pwn")\n',
    "list": f"../outside/secret\n{ROOT}/outside/secret\n",
    "list0": f"{ROOT}/outside/secret\0",
    "-delete": "pwn\n",
    "-oPWNED": "pwn\n",
    "--output=PWNED": "pwn\n",
    "--checkpoint=1": "",
    "--checkpoint-action=exec=pwn": "",
    "-i": "",
    "--eval=$(shell pwn)": "",
}
LINKS = {
    "link": "../outside",
    "sub/up": "../..",
    "sub/deep/out": "../../../outside",
    "secretlink": "../outside/secret",
}
# Files that an allowed program keeps for itself.
_OWN_FILES = re.compile(r"\.git/(?!config|hooks/)|db\.sqlite|.*-journal\Z")
# Every program says that it has started. Which one started it is told by the environment, through any fork.
_WATCHER = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
__attribute__((constructor)) static void tell(void) {
  static char record[1 << 16];
  char own[64], arguments[32768];
  const char *log = getenv("ORACLE_STARTS"), *starter = getenv("ORACLE_STARTER");
  struct timespec now;
  int file = open("/proc/self/cmdline", O_RDONLY), size, length, at, count = 0;
  if (!log || file < 0) return;
  length = read(file, arguments, sizeof arguments);
  close(file);
  if (length <= 0) return;
  for (at = 0; at < length; at++) count += arguments[at] == 0;
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(own, sizeof own, "%d-%lld", (int)getpid(), now.tv_sec * 1000000000LL + now.tv_nsec);
  size = snprintf(record, sizeof record, "%d%c%s%c%s%c", count + 2, 0, own, 0, starter ? starter : "", 0);
  memcpy(record + size, arguments, length);
  setenv("ORACLE_STARTER", own, 1);
  file = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file >= 0 && write(file, record, size + length) >= 0) close(file);
}
"""
_REAL_PATH = f"{STAND_INS}:/usr/local/bin:/usr/bin:/bin"
# Not what builtins say that only look for a name.
_LOOKING = r"(?<!whence)(?<!type)(?<!hash)(?<!unalias)(?<!command)(?<!hist)(?<!builtin)"
_NOT_FOUND = re.compile(
    _LOOKING + r": ([A-Za-z0-9_+=-]+): (?:inaccessible or )?not found$",
    re.MULTILINE,
)
_NETWORK = re.compile(
    r": connect: [A-Z]|/dev/(?:tcp|udp)/[^:\n]*: (?:Network|Connection|Invalid|Name|Operation) "
)
_MOST_OUTPUT = 1 << 16

_ANSWER = """
  [[ "{kept}" == "$ORACLE_KEPT" ]] || builtin printf '%s\\0' 2 '!changed' "{kept}" >> "$ORACLE_LOG"
  case "$*" in
    cat) /bin/cat; return 0;;
    {digits}) builtin printf '7\\n'; return 0;;
    {words}) builtin printf 'v1\\n'; return 0;;
    {fresh}) builtin printf '/tmp/tmp.0123456789\\n'; return 0;;
  esac
  builtin printf '%s\\n' "$ORACLE_SAYS"
  case "$1" in *$~ORACLE_FAILS) return 1;; esac
  return 0
"""
# Programs whose real output is known: a number, one harmless word, a new file. Stand-ins print such, too.
_PRINTS_DIGITS = (
    "nproc|'nproc --all'|'id -'[ug]|'wc -'[lcwm]|date*+%*|'tr -d  '*|'tr -d [:'*"
    "|'grep -c '*|'grep -'[EFGivwx]'c '*|'grep -c'[EFGivwx]' '*|'grep -'[EFGivwx]c[EFGivwx]' '*"
    "|'git rev-list --count '*|'gh '*' --json databaseId '*' .[0].databaseId'|'gh '*' --json number '*.number"
)
_PRINTS_WORD = (
    "uname*|whoami|hostname|'git rev-parse '*|'git merge-base '*|'git log -1 --format=%H'*"
    "|'git describe'*|'git symbolic-ref'*|'git branch --show'*|'kubectl get '*.metadata.name*"
)
_PRINTS_FRESH = "mktemp|'mktemp -'[dq]|'mktemp -'[dq][dq]|'mktemp '*'-t '*|'mktemp '*'/tmp/'*"
_WRAPPED = (
    "echo printf test [ true false : pwd cd read type command exec kill wait let umask hash eval "
    "source . trap alias enable mapfile readarray bind complete"
)
_WRAPPED_ZSH = (
    "echo print printf test true false : pwd cd read type command exec kill wait let umask hash eval "
    "source . trap alias enable disable autoload zmodload emulate"
)
_WRAPPED_FISH = "echo pwd type true false"
_WRAPPED_DASH = "echo printf test true false pwd cd read type"


def _kept(environment: dict[str, str]) -> str:
    return "|".join(environment.get(name, "") for name in _KEPT)


def _kept_text(names: tuple[str, ...] = _KEPT) -> str:
    # A pager that only prints is as good as none.
    return "|".join(f"${{{name}#cat}}" if name.endswith("PAGER") else f"${{{name}-}}" for name in names)


def _answer(kept: str) -> str:
    known = _ANSWER.replace("{digits}", _PRINTS_DIGITS).replace("{words}", _PRINTS_WORD)
    return known.replace("{fresh}", _PRINTS_FRESH).replace("{kept}", kept)


def _record(name: str) -> str:
    return f"""builtin printf '%s\\0' "$(($#+1))" '{name}' "$@" >> "$ORACLE_LOG" """


def _bash_start() -> str:
    answer = _answer(_kept_text()).replace("$~", "$")
    handler = 'builtin printf \'%s\\0\' "$#" "$@" >> "$ORACLE_LOG"' + answer
    wrapped = "".join(
        f'function {name} {{ {_record(name)}; builtin {name} "$@"; }}\n' for name in _WRAPPED.split()
    )
    return f"command_not_found_handle() {{ {handler} }}\n{wrapped}"


def _zsh_start() -> str:
    answer = _answer(_kept_text().replace("${IFS-}", "${IFS//$'\\0'/}"))
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
    # Without fish's own functions around ls, grep and the like, and the one by which its builtins show help.
    own = "set fish_function_path\nfunction __fish_print_help; end\n"
    return f"{own}function fish_command_not_found; {log}; end\n{wrapped}"


def _stand_in(shell: str) -> str:
    names = tuple(name for name in _KEPT if name not in {"IFS", "PS4"})
    kept = _kept_text(names)
    return f"""#!{shell}
name=${{0##*/}}
printf '%s\\0' "$(($#+1))" "$name" "$@" >> "$ORACLE_LOG"
[ "{kept}" = "$ORACLE_SEEN" ] || printf '%s\\0' 2 '!changed' "{kept}" >> "$ORACLE_LOG"
case "$name${{*:+ $*}}" in
  cat) exec /bin/cat;;
  {_PRINTS_DIGITS}) echo 7; exit 0;;
  {_PRINTS_WORD}) echo v1; exit 0;;
  {_PRINTS_FRESH}) echo /tmp/tmp.0123456789; exit 0;;
esac
printf '%s\\n' "$ORACLE_SAYS"
case "$name" in *$ORACLE_FAILS) exit 1;; esac
exit 0
"""


def build_project(root: Path) -> None:
    """The small project, a directory outside of it, and links between them."""
    work, outside, home = root / "work", root / "outside", root / "home"
    for place in (work / "sub" / "deep", outside, home):
        place.mkdir(parents=True, exist_ok=True)
    for place in (outside, home):
        (place / "secret").write_text(SECRET + "\n", encoding="utf-8")
    for name, content in PROJECT.items():
        (work / name).write_text(content, encoding="utf-8")
    for name, target in LINKS.items():
        if not (work / name).is_symlink():
            (work / name).symlink_to(target)


def _build_repository() -> None:
    environment = {"PATH": _REAL_PATH, "HOME": str(HOME), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.templateDir="]
    steps = [["init", "-q"], ["add", "a.txt", "b.txt", "Makefile"], ["commit", "-qm", "one"], ["tag", "v1"]]
    for step in (*steps, ["add", "sub/c.txt"], ["commit", "-qm", "two"]):
        subprocess.run(["git", *identity, *step], cwd=WORK, env=environment, check=True, capture_output=True)
    with tarfile.open(WORK / "a.tar", "w") as archive:
        archive.add(WORK / "a.txt", "a.txt")
    with sqlite3.connect(WORK / "db.sqlite") as database:
        database.execute("create table t (x)")
    database.close()


class Driver:
    """One kind of shell, and the place where it runs."""

    def __init__(self, shell: str, names: list[str], *, real: bool, watched: bool = False) -> None:
        self.shell = shell
        self.real = real
        self.path = shutil.which(shell) or shell
        self.count = 0
        HOME.mkdir(parents=True)
        self.environment = self._environment()
        self.start = "" if real else self._prepare()
        self._install(names)
        self._build()
        self.watched = watched and self._watch()
        if self.watched and shell == "fish":
            self.start = "set fish_function_path\n"  # without its own functions around ls, grep and diff
        shutil.copytree(WORK, ROOT / "pristine", symlinks=True)
        self.snapshot = _snapshot()
        # What was there before: parts of the driver, and in /tmp perhaps the Python that runs it.
        self.around = frozenset([*ROOT.iterdir(), *Path("/tmp").iterdir(), Path("/tmp/fish")])

    def _environment(self) -> dict[str, str]:
        in_shell = self.shell in {"bash", "zsh"}
        path = _REAL_PATH if self.real else _NOWHERE if in_shell else str(STAND_INS)
        environment = {"PATH": path, "LC_ALL": "C.UTF-8", "HOME": str(HOME)}
        environment |= dict.fromkeys(("TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), "/tmp")
        environment["FUNCNEST"] = "8"
        environment |= dict.fromkeys(("GIT_PAGER", "PAGER"), "")
        if self.shell == "bash" and not self.real:
            environment["BASH_ENV"] = str(ROOT / "start")
        if self.shell == "zsh":
            environment["ZDOTDIR"] = str(ROOT)
        return environment

    def _prepare(self) -> str:
        """What the shell is told first, where it has no start-up file of its own."""
        if self.shell == "bash":
            (ROOT / "start").write_text(_bash_start(), encoding="utf-8")
        elif self.shell == "zsh":
            (ROOT / ".zshenv").write_text(_zsh_start(), encoding="utf-8")
        elif self.shell == "dash":
            return _dash_start()
        elif self.shell == "fish":
            return _fish_start()
        return ""

    def _install(self, names: list[str]) -> None:
        program = ROOT / "stand-in"
        program.write_text(_stand_in(shutil.which("dash") or "/bin/sh"), encoding="utf-8")
        program.chmod(0o755)
        for name in names:
            (STAND_INS / name).symlink_to(program)

    def _build(self) -> None:
        if self.real:
            build_project(ROOT)
            _build_repository()
            return
        (WORK / "dir").mkdir(parents=True)
        for name, content in FIXTURES.items():
            (WORK / name).write_text(content, encoding="utf-8")

    def _watch(self) -> bool:
        """Have every program tell that it was started, where the library for it can be made."""
        source, library = ROOT / "watch.c", ROOT / "watch.so"
        source.write_text(_WATCHER, encoding="utf-8")
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return False
        made = subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=False)
        if made.returncode == 0:
            self.environment["LD_PRELOAD"] = str(library)
        return made.returncode == 0

    def _restore(self) -> None:
        os.chdir(ROOT)
        shutil.rmtree(WORK)
        shutil.copytree(ROOT / "pristine", WORK, symlinks=True)
        self.snapshot = _snapshot()

    def answer(self, trial: dict[str, Any]) -> dict[str, Any]:
        """What one script ran."""
        self.count += 1
        log = ROOT / f"log{self.count}"  # what an earlier script left running must not write into this one's
        environment = self._trial_environment(trial, log)
        ended, output = self._run(trial, environment)
        commands, torn = _read_log(log)
        changed = self._changed(trial["script"])
        by_message = _NOT_FOUND.findall(output) if self.shell not in {"bash", "zsh", "fish"} else []
        notes = ["network"] if _NETWORK.search(output) else []
        notes += ["secret"] if SECRET in output else []
        starts, torn_starts = _read_log(log.with_suffix(".starts"))
        return {
            "started": starts,
            "commands": [c for c in commands if c[0] != "!changed"],
            "names": by_message,
            "files": changed,
            "notes": notes + [f"variables are {c[1]!r}" for c in commands if c[0] == "!changed"],
            "ended": ended,
            "torn": torn or torn_starts,
        }

    def _changed(self, script: str) -> list[str]:
        """The files that appeared, changed or vanished; all is put back as it was."""
        if self.watched:
            _reopen()
        now = _snapshot()
        changed = sorted({name for name, _ in self.snapshot ^ now})
        if "qlite3" in plainer(script):
            changed = [name for name in changed if not _is_database(WORK / name)]
        if now != self.snapshot:
            self._restore()
        elsewhere = [name for name in ("PWNED", "pwned") if (HOME / name).exists()]
        if self.watched:
            elsewhere = _taken_away(self.around)
        return [name for name in changed if not _OWN_FILES.search(name)] + elsewhere

    def _trial_environment(self, trial: dict[str, Any], log: Path) -> dict[str, str]:
        environment = {**self.environment, **trial["environment"], "ORACLE_LOG": str(log)}
        if self.watched:
            environment["ORACLE_STARTS"] = str(log.with_suffix(".starts"))
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
        os.chdir(WORK)
        # Behind `--`, for a text that begins with a dash is no option of the shell.
        argv = [self.path, "-c", "--", self.start + trial["script"], self.shell, *trial["arguments"]]
        if self.shell == "fish":
            argv = [self.path, "-C", self.start, "-c", trial["script"]]
        # Two pipes: a message of the shell must not come to stand in the middle of another output.
        (out, out_write), (err, err_write) = os.pipe(), os.pipe()
        process = os.posix_spawn(
            self.path,
            argv,
            environment,
            setsid=True,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, out_write, 1),
                (os.POSIX_SPAWN_DUP2, err_write, 2),
            ],
        )
        os.close(out_write)
        os.close(err_write)
        ended, output = _read_to_end(out, err)
        os.close(out)
        os.close(err)
        if not ended:
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        ended = _end_session(process) and ended
        return ended, output.decode("utf-8", "replace")


def plainer(script: str) -> str:
    """A script without the quotes and escapes in which a word can be disguised."""
    script = re.sub(r"\\x([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), script)
    return re.sub(r"\$(?=')|[\"'\\]", "", script)


def _is_database(path: Path) -> bool:
    """A file that sqlite3 made for its own tables; an empty one is a database without any."""
    return path.is_file() and path.read_bytes()[:15] in {b"", b"SQLite format 3"}


def _end_session(session: int) -> bool:
    """Wait for what a script left running, then end it: the next script must not be charged with its work.

    Tells whether all of it ended in time by itself.
    """
    deadline = time.monotonic() + LEFT_BEHIND_TIMEOUT_S
    while members := _members(session):
        left = deadline - time.monotonic()
        if left <= 0:
            for member in members:
                with suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)
            return False
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(members[0])
            select.select([descriptor], [], [], left)
            os.close(descriptor)
    return True


def _members(session: int) -> list[int]:
    """The processes of a session that still run."""
    found: list[int] = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, _, _, its_session = (
                Path("/proc", name, "stat").read_bytes().rpartition(b") ")[2].split()[:4]
            )
            if int(its_session) == session and state != b"Z":
                found.append(int(name))
    return found


def _read_to_end(*descriptors: int) -> tuple[bool, bytes]:
    """All that the shell and what it left behind printed, pipe by pipe, and whether they ended in time."""
    poll = select.poll()
    printed = dict.fromkeys(descriptors, b"")
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
    deadline = time.monotonic() + SCRIPT_TIMEOUT_S
    still_open = len(descriptors)
    while still_open:
        left = deadline - time.monotonic()
        ready = poll.poll(left * 1000) if left > 0 else []
        if not ready:
            break
        for descriptor, _ in ready:
            piece = os.read(descriptor, 65_536)
            if not piece:
                poll.unregister(descriptor)
                still_open -= 1
            elif len(printed[descriptor]) < _MOST_OUTPUT:
                printed[descriptor] += piece
    return not still_open, b"\n".join(printed.values())


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


def _reopen() -> None:
    """Give the directories back the permissions that a script (chmod) has taken from them."""
    todo = [str(WORK)]
    while todo:
        place = todo.pop()
        if os.stat(place).st_mode & 0o700 != 0o700:
            os.chmod(place, 0o700)
        todo += [entry.path for entry in os.scandir(place) if entry.is_dir(follow_symlinks=False)]


def _snapshot() -> frozenset[tuple[str, tuple[int, int]]]:
    found: list[tuple[str, tuple[int, int]]] = []
    todo = [str(WORK)]
    while todo:
        for entry in os.scandir(todo.pop()):
            status = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)
                found.append((entry.path, (0, 0)))
            else:
                found.append((entry.path, (status.st_mtime_ns, status.st_size)))
    return frozenset((path.removeprefix(f"{WORK}/"), status) for path, status in found)


def _taken_away(around: frozenset[Path]) -> list[str]:
    """Files in other places where a program may write, which are removed; what is missing is made again."""
    found = [path for path in Path("/tmp").iterdir() if path not in around]
    found += [path for path in ROOT.iterdir() if path not in around and not path.name.startswith("log")]
    for place in (HOME, ROOT / "outside"):
        if place.is_symlink() or not place.is_dir():
            found.append(place)
            place.unlink(missing_ok=True)
            place.mkdir()
        secret = place / "secret"
        found += [path for path in place.iterdir() if path != secret]
        if secret.is_symlink() or not secret.is_file() or secret.read_text(encoding="utf-8") != f"{SECRET}\n":
            found.append(secret)
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
            if path.exists():  # too deep to be removed: it must not count as what the next script has made
                path.rename(ROOT / f"log-{time.monotonic_ns()}")
        else:
            path.unlink(missing_ok=True)
    for place in (HOME, ROOT / "outside"):
        place.mkdir(exist_ok=True)
        (place / "secret").write_text(f"{SECRET}\n", encoding="utf-8")
    return [str(path) for path in found]


def _limit() -> None:
    for kind, most in (
        (resource.RLIMIT_FSIZE, 1 << 22),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, 1 << 36),
    ):
        resource.setrlimit(kind, (most, most))


def main() -> None:
    """Serve trials from standard input until it ends."""
    _limit()
    head = json.loads(sys.stdin.readline())
    driver = Driver(head["shell"], head["names"], real=head["real"], watched=head.get("watched", False))
    for line in sys.stdin:
        sys.stdout.write(json.dumps(driver.answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
