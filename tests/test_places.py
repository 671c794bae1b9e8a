"""Places: nothing above them asks the machine that nacre runs on about the files of commands."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from source_reader import read

SOURCE = Path(__file__).parents[1] / "src" / "nacre"
QUESTIONS = re.compile(
    r"os\.(stat|lstat|access|scandir|listdir|readlink|getcwdb?|open|walk|fwalk|mkdir|makedirs|remove|unlink"
    r"|rename|replace|statvfs|chdir|utime|chmod|truncate|symlink|link)"
    r"|(os\.path|posixpath|ntpath|genericpath)\.(l?exists|is(dir|file|link|mount)|realpath|same\w+|get\w+"
    r"|expanduser)"
    r"|(shutil|glob|tempfile|io|pwd)\..*"
    r"|pathlib\.(Posix|Windows)?Path(\..*)?"
)
# Who may ask: places, the keeper, and what works with nacre's own files, never with those of commands.
MAY_ASK = {
    "places/local.py": "this machine is its place",
    "places/local_files.py": "the same",
    "places/file_work.py": "the same",
    "places/confined.py": "the same",
    "spools.py": "the private directory of the server",
    "settings/configuration.py": "the settings file",
    "settings/file_changes.py": "the same",
    "server.py": "the same",
    "presets/__init__.py": "the presets that are installed with nacre",
    "sandbox/exec_gate.py": "the processes of this machine, as its kernel shows them",
    "sandbox/processes.py": "the same",
    "audit/trail.py": "the audit file",
    "audit/cli.py": "the same",
    "audit/reading.py": "the same",
    "audit/report.py": "the page about it",
    "watch/paths.py": "the directory of the sockets for `nacre watch`",
    "watch/unix_sockets.py": "the same",
    "watch/named_pipes.py": "the files that tell of pipes for `nacre watch`",
    "watch/peers.py": "the processes that connect to them",
    "watch/client.py": "the directory of the sockets",
    "abort.py": "the abort file",
    "cli/__init__.py": "standard streams that were closed",
    "protocol/stdio.py": "the same",
    "cli/doctor.py": "a directory of its own, in which it tries every level",
    "diagnosis/setup.py": "the files of settings, of clients and of the audit log",
    "diagnosis/machine.py": "the directory for temporary files",
    "places/worktrees.py": "what git says of a worktree",
    "places/placeholders.py": "the files that a sandbox keeps names free with",
    "settings/layers.py": "the files that settings come from",
    "cli/config.py": "the same",
    "cli/first_file.py": "the same",
    "cli/install.py": "the settings files of clients",
    "install/settings_file.py": "the same",
    "secrets.py": "the files and programs that a person keeps secrets in",
    "places/open_container.py": "what the runtime of this container has left open",
    "cli/policy.py": "the command line of a person: where they are, the files they name",
}


def questions_in(source: str) -> set[str]:
    """What a source asks the operating system about files, whatever name it has for the question."""
    asked = {name for name in read(source).names if QUESTIONS.fullmatch(name)}
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return asked | {"open" for called in calls if isinstance(called, ast.Name) and called.id == "open"}


@pytest.mark.req("architecture-places")
@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.stem)
def test_only_places_ask_the_machine_about_files(path: Path) -> None:
    inside = path.relative_to(SOURCE).as_posix()
    if not inside.startswith("keeper/") and inside not in MAY_ASK:
        assert questions_in(path.read_text()) == set(), "ask the place instead (nacre.filesystem)"


@pytest.mark.req("architecture-places")
@pytest.mark.parametrize("inside", MAY_ASK)
def test_a_module_that_may_ask_does(inside: str) -> None:
    assert questions_in((SOURCE / inside).read_text())


@pytest.mark.req("architecture-places")
@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.path.isdir('x')",
        "import os.path\nos.path.realpath('x')",
        "import os.path as p\np.exists('x')",
        "from os import path\npath.isfile('x')",
        "from os.path import isdir as there\nthere('x')",
        "from shutil import which\nwhich('x')",
        "import os as system\nsystem.stat('x')",
        "from pathlib import Path\nPath('x').exists()",
        "import pathlib\npathlib.Path.cwd()",
        "def f():\n    with open('x') as file:\n        return file",
    ],
)
def test_a_question_is_seen_under_any_name(source: str) -> None:
    assert questions_in(source)


@pytest.mark.req("architecture-places")
@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.path.join('a', 'b')",
        "import os.path\nos.path.normpath('x')",
        "from pathlib import PurePath\nPurePath('x').stem",
    ],
)
def test_the_spelling_of_a_path_is_no_question(source: str) -> None:
    assert not questions_in(source)
