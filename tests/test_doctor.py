"""`nacre doctor` in setups that are broken in one way or another: each check says so, and what to do.

What the levels of the sandbox say is in tests/sandbox.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from nacre.audit.chain import seal
from nacre.install import settings_file
from nacre.install.clients import CLIENTS, World

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).parents[1] / "src"
PROGRAMS = ("sh", "bash", "env", "touch", "rm", "true", "cat", "bwrap")
PATIENCE_S = 120

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the broken shells are scripts of a Unix system"
)


class Person(NamedTuple):
    """Somebody with a home directory, a project and few programs."""

    home: Path
    project: Path
    programs: Path

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        """A file below the home directory."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def doctor(
        self,
        *options: str,
        python: tuple[str, ...] = (sys.executable,),
        limits: Callable[[], None] | None = None,
    ) -> tuple[int, list[dict[str, Any]]]:
        """The exit code and the findings."""
        environment = {"HOME": str(self.home), "PATH": str(self.programs), "SHELL": "/bin/sh"}
        done = subprocess.run(
            [*python, "-m", "nacre", "doctor", "--json", *options],
            cwd=self.project,
            env={**environment, "PYTHONPATH": str(SOURCE)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            preexec_fn=limits,  # nothing runs beside it
            check=False,
        )
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """A person whose PATH has few programs: fewer shells to try."""
    found = Person(tmp_path / "home", tmp_path / "home" / "project", tmp_path / "programs")
    found.project.mkdir(parents=True)
    found.programs.mkdir()
    for name in PROGRAMS:
        if path := shutil.which(name):
            (found.programs / name).symlink_to(path)
    return found


def named(findings: list[dict[str, Any]], name: str) -> list[tuple[str, str, str]]:
    return [(each["status"], each["text"], each["fix"]) for each in findings if each["name"] == name]


def check(findings: list[dict[str, Any]], name: str, status: str, words: str) -> None:
    """That a check reports this, with a way out of it."""
    found = [each for each in named(findings, name) if each[0] == status and words in each[1]]
    assert found, (name, named(findings, name))
    assert found[0][2], f"{name}: it does not say what to do"


@pytest.mark.req("doctor-checks")
def test_everything_that_can_be_broken_in_a_home_directory_is_found(person: Person) -> None:
    broken = person.write("broken-shell", "#!/bin/sh\nexit 3\n", 0o755)
    (person.programs / "fish").symlink_to(broken)
    person.write(".profile", "exit 3\n")
    first, _ = seal(b'{"event":"start"}\n', "", first=True)
    log = person.write("audit.jsonl", first.decode().replace("start", "begin"))
    settings = f'shell = "{broken}"\nworking_directory = "{person.home}/gone"\naudit_log = "{log}"\n'
    person.write(".config/nacre/config.toml", settings)
    person.write("project/nacre.toml", 'sandbox_network = "on"\n')
    person.write(".cursor/mcp.json", '{"mcpServers": {"nacre": {"command": "/gone/nacre"}}}')
    person.write(".gemini/settings.json", '{\n  "mcpServers": {,}\n}')
    arguments = ["-m", "nacre", "--config", str(person.write("empty.toml", ""))]
    right = {"command": sys.executable, "args": arguments, "env": {"PYTHONPATH": str(SOURCE)}}
    person.write(".claude.json", json.dumps({"mcpServers": {"commands": right}}))

    code, found = person.doctor()

    assert code == 1
    check(found, "shell", "problem", "broken-shell does not work")
    check(found, "other shells", "warning", "fish does not")
    check(found, "PATH", "warning", "does not tell its PATH")
    check(found, "place", "problem", "gone is not a directory")
    check(found, "audit log", "problem", "line 1")
    check(found, "settings", "warning", "sandbox_network would widen")
    check(found, "cursor", "problem", "nacre does not answer")
    check(found, "gemini", "problem", "line 2")
    assert named(found, "claude-code")[0][0] == "ok"
    assert "answered" in named(found, "claude-code")[0][1]
    assert named(found, "keeper")[0][0] == "ok"


@pytest.mark.req("doctor-clients")
def test_the_entry_of_every_client_is_started(person: Person) -> None:
    program = person.write(
        "bin/nacre", '#!/bin/sh\nread -r line && echo \'{"serverInfo": 1}\' && echo "$1" >>"$2"\n', 0o755
    )
    (person.programs / "nacre").symlink_to(program)
    started = person.home / "started"
    world = World(sys.platform, str(person.home), {})
    for client in CLIENTS:
        by_name = client.name in ("cursor", "gemini")
        entry = client.entry("nacre" if by_name else str(program), [client.name, str(started)])
        change = settings_file.adding(client.where(world), client.text_format, (client.key, "mine"), entry)
        settings_file.write(change)
    code, found = person.doctor()
    assert code == 0, found
    check(found, "cursor", "warning", "by name")  # a desktop application, whose PATH is another
    for client in CLIENTS:
        assert named(found, client.name)[0][0] == ("warning" if client.name == "cursor" else "ok"), found
        assert client.name in started.read_text()


@pytest.mark.req("doctor-checks")
def test_a_mistake_in_the_settings_is_told_with_its_line(person: Person) -> None:
    person.write(".config/nacre/config.toml", 'shell = "sh"\n\nlimit_memry = "1 GB"\n')
    code, found = person.doctor()
    assert code == 1
    check(found, "settings", "problem", "line 3")
    assert "limit_memory" in json.dumps(found)


def _few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))


def _low_limits() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
    resource.setrlimit(resource.RLIMIT_NPROC, (200, 200))


@pytest.mark.req("doctor-checks")
def test_a_machine_without_open_files_runs_no_command(person: Person) -> None:
    code, found = person.doctor(limits=_few_files)
    assert code == 1
    check(found, "open files", "problem", "20")
    check(found, "keeper", "problem", "no command runs")


@pytest.mark.req("doctor-checks")
def test_low_limits_and_a_missing_package_are_told(person: Person) -> None:
    code, found = person.doctor(python=(sys.executable, "-S"), limits=_low_limits)
    assert code == 1
    check(found, "version", "problem", "without the package mcp")
    check(found, "open files", "warning", "512")
    if os.getuid() == 0:  # of anybody else, other programs may already use up so few
        check(found, "processes", "warning", "200")
