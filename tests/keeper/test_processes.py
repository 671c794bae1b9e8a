"""Reading the process table, both ways: /proc, and `ps` as on macOS (Linux has a `ps` that says the same)."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from process_table import unique_seconds

from nacre.keeper import processes
from nacre.keeper.wire import COOKIE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process of our own, with a cookie."""
    command = ["sleep", unique_seconds()]
    with subprocess.Popen(command, env={**os.environ, COOKIE_NAME: "abc:7"}) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("linux", [True, False], ids=["proc", "ps"])
def test_a_child_is_found_with_its_parent_group_and_command(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, *, linux: bool
) -> None:
    if not linux and not shutil.which("/bin/ps"):
        pytest.skip("there is no ps here; Debian's procps has it")
    monkeypatch.setattr(processes, "LINUX", linux)
    rows = processes.table()
    row = rows[sleeper.pid]
    assert (row.parent, row.group, row.zombie) == (os.getpid(), os.getpgrp(), False)
    assert processes.command_line(sleeper.pid) == " ".join(map(str, sleeper.args))  # pyright: ignore[reportArgumentType]
    assert sleeper.pid in processes.descendants(rows, {os.getpid()})


@pytest.mark.skipif(not processes.HAS_LISTS, reason="this kernel does not list the children of a process")
def test_a_process_is_childless_while_it_has_no_child_living_or_dead(
    sleeper: subprocess.Popen[bytes],
) -> None:
    assert processes.is_childless(sleeper.pid)
    assert not processes.is_childless(os.getpid())  # the sleeper
    assert not processes.is_childless(1 << 22)  # which cannot be: nobody can tell


def test_cookies_are_read_from_the_environment(sleeper: subprocess.Popen[bytes]) -> None:
    assert processes.cookie_of(sleeper.pid) == "abc:7"
    assert sleeper.pid in processes.bearers("abc")
    assert processes.cookie_of(1 << 22) is None
