"""Make the logs that the choice of lines is judged by: real tools, run on projects with a planted fault.

    python scripts/log_corpus/corpus.py --into tests/logs --tools DIR [NAME ...]

Each case writes a project, runs a tool on it, and says by a pattern which line of its output is the answer:
the planted fault, in the tool's own words. The output is kept as it was printed (stdout and stderr together,
as most people redirect it), with the names of hosts taken out, and compressed; `answers.json` has the lines
that answer. Tools that are not there are left out, and their logs stay as they are. `DIR/bin` comes first on
the PATH. What pip and npm install by these names is enough: pytest mypy ruff pylint flake8 ansible-core nox
black meson pyright yamllint; typescript@5 eslint@8 jest mocha vitest webpack-cli prettier stylelint.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_BYTES = 40_000  # what is shorter would hardly be cut
LIMIT_S = 240
_HOST = re.compile(rb"(https?)://[^\s/'\"]*|(file)://[^\s'\"]*")


@dataclass(frozen=True)
class Case:
    """A log to be made."""

    name: str
    answers: tuple[str, ...]
    build: Callable[[Project], str]
    tool: str


class Project:
    """The directory that a tool runs in."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, path: str, text: str) -> None:
        """Make a file."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


CASES: dict[str, Case] = {}


def case(name: str, *answers: str, tool: str = "sh") -> Callable[[Callable[[Project], str]], None]:
    """Enter a function that writes a project and returns the command; `answers` match what answers."""

    def enter(build: Callable[[Project], str]) -> None:
        CASES[name] = Case(name, answers, build, tool)

    return enter


def run(one: Case, tools: Path) -> bytes:
    """What the command of a case prints."""
    directory = Path(tempfile.gettempdir()) / "log-corpus" / one.name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    command = one.build(Project(directory))
    environment = {
        "PATH": f"{tools}/bin:{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "LANG": "C.UTF-8",
        "NO_UPDATE_NOTIFIER": "1",
    }
    try:
        done = subprocess.run(  # noqa: S603  # a case's own command
            ["bash", "-c", command],  # noqa: S607  # whichever is there
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
            check=False,
        )
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return _HOST.sub(rb"\1\2://host.example", done.stdout.replace(f"{tools}/".encode(), b"/opt/tools/"))


def answers_in(one: Case, log: bytes) -> list[str]:
    """The lines that answer, as they stand in the log. LookupError: it is of no use."""
    if len(log) < LEAST_BYTES:
        raise LookupError(f"{one.name}: only {len(log)} bytes\n{log[-1500:].decode(errors='replace')}")
    lines = [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line) for line in log.decode(errors="replace").split("\n")]
    found: list[str] = []
    for pattern in one.answers:
        line = next((line for line in lines if re.search(pattern, line)), None)
        if line is None:
            raise LookupError(f"{one.name}: no line matches {pattern}")
        found.append(line.rstrip("\r"))
    return found


def main() -> int:
    """Make the logs that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--tools", type=Path, default=Path("/usr"))
    parser.add_argument("--missing", action="store_true", help="only logs that are not there yet")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    index_file = options.into / "answers.json"
    index: dict[str, list[str]] = json.loads(index_file.read_text()) if index_file.exists() else {}
    failed = 0
    for one in [CASES[name] for name in options.names] or CASES.values():
        if options.missing and one.name in index:
            continue
        if shutil.which(one.tool, path=f"{options.tools}/bin:{os.environ['PATH']}") is None:
            print(f"{one.name}: no {one.tool} here")
            continue
        try:
            log = run(one, options.tools)
            index[one.name] = answers_in(one, log)
        except (LookupError, subprocess.TimeoutExpired) as error:
            print(error)
            failed += 1
            continue
        (options.into / f"{one.name}.log.xz").write_bytes(lzma.compress(log, preset=9))
        print(f"{one.name}: {len(log):,} bytes")
        index_file.write_text(json.dumps(dict(sorted(index.items())), indent=1, ensure_ascii=False) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.modules["corpus"] = sys.modules["__main__"]
    for module in ("cases_native", "cases_python", "cases_web"):
        __import__(module)  # it enters its cases

    sys.exit(main())
