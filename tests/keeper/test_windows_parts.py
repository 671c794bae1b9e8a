"""What the keeper for Windows does without asking Windows, tested wherever the tests run.

Its package loads the libraries of Windows when it is imported; where there are none, they are stood in for
by something that takes any call, and what is tested calls none.
"""

from __future__ import annotations

import ctypes
import importlib
import subprocess
import sys
from typing import TYPE_CHECKING
from unittest.mock import MagicMock

import pytest

from nacre.keeper.frames import Spawn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@pytest.fixture
def starting(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """`keeper.windows.starting`, which does not stay imported."""
    if sys.platform != "win32":
        monkeypatch.setattr(ctypes, "WinDLL", MagicMock(), raising=False)
    before = set(sys.modules)
    yield importlib.import_module("nacre.keeper.windows.starting")
    for name in set(sys.modules) - before:
        if name.startswith(("nacre.keeper.win32", "nacre.keeper.windows")):
            del sys.modules[name]


@pytest.mark.req("windows-terminal")
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("StartupInfo", 112),
        ("ProcessInformation", 24),
        ("SecurityAttributes", 24),
        ("Coordinates", 4),
        ("Overlapped", 32),
        ("JobPort", 16),
        ("JobAccounting", 48),
        ("JobLimits", 144),
        ("CountedString", 16),
    ],
)
def test_structures_have_the_size_that_64_bit_windows_gives_them(
    starting: ModuleType, name: str, size: int
) -> None:
    headers = importlib.import_module("nacre.keeper.win32.headers")
    assert starting
    assert ctypes.sizeof(getattr(headers, name)) == size


@pytest.mark.req("windows-quoting")
@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["cmd.exe", "/d", "/s", "/c", 'echo "a b"'], 'cmd.exe /d /s /c "echo "a b""'),
        (["python.exe", "-c", "print(1)"], "python.exe -c print(1)"),
        (["a.exe", "two words", ""], 'a.exe "two words" ""'),
        (["a.exe", 'say "hi"', "C:\\x y\\"], 'a.exe "say \\"hi\\"" "C:\\x y\\\\"'),
    ],
)
def test_a_command_line_is_quoted_as_its_program_takes_it_apart(
    starting: ModuleType, argv: list[str], line: str
) -> None:
    assert starting.command_line_text(Spawn(argv=argv, program=argv[0], cwd="C:\\")) == line


@pytest.mark.req("windows-terminal")
def test_a_windows_without_consoles_for_others_is_reported_with_what_to_do(
    starting: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    consoles = importlib.import_module("nacre.keeper.win32.consoles")
    assert starting
    monkeypatch.setattr(consoles, "kernel32", object())
    with pytest.raises(OSError, match="version 1809 of Windows 10; run it without a terminal"):
        consoles.PseudoConsole(24, 80, 1, 2)


@pytest.mark.req("windows-terminal")
def test_a_keeper_of_another_system_loads_nothing_of_windows() -> None:
    asked = "import sys, nacre.keeper.program; print(any('keeper.win' in name for name in sys.modules))"
    child = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert child.stdout == ("True\n" if sys.platform == "win32" else "False\n")
