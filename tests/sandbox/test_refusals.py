"""Which refusals programs report: the messages of many programs, held against a profile."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sandbox_harness import scratch_directory

from nacre.model import Ended, Result, Text
from nacre.places.local_files import LocalFiles
from nacre.sandbox.profile import Level, Profile
from nacre.sandbox.refusals import find_refusals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nacre.filesystem import Status

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the sandbox is Linux's, and so are its paths"
)


class Files(LocalFiles):
    """The files of this machine, for whoever is named."""

    def __init__(self, user: str) -> None:
        self._user = user

    def status(self, path: str) -> Status:
        """What is called `foreign` is another user's, even for root."""
        found = super().status(path)
        return replace(found, writable=False) if path.endswith("foreign") else found

    @property
    def user(self) -> str:
        return self._user


def refused(message: str, workspace: Path, user: str = "somebody", *, mounts: bool = False) -> list[str]:
    """What a message reports: the path, and the setting that opens it."""
    profile = Profile(
        level=Level.WORKSPACE,
        workspace=str(workspace),
        writable=(str(workspace),),
        hidden=(f"{workspace.parent}/secret",),
        protected=(f"{workspace}/.git/config",),
        sockets=(),
        private_tmp="/nowhere/spools/tmp",
        network=True,
        hosts=None,
        own_processes_only=False,
    )
    result = Result(
        command="",
        working_directory=str(workspace),
        ended=Ended.EXITED,
        exit_code=1,
        signal=None,
        stdout=Text(""),
        stderr=Text(message),
        execution_time_ms=1,
        timeout_s=1,
    )
    found = find_refusals(result, profile, Files(user), mounts=mounts)
    return [f"{each.path} {each.setting}" for each in found]


@pytest.fixture
def workspace() -> Iterator[Path]:
    """A workspace with a repository, beside a secret and a directory that cannot be written."""
    with scratch_directory() as directory:
        for name in ("project/.git", "outside"):
            (directory / name).mkdir(parents=True)
        (directory / "secret").write_text("")
        yield directory / "project"


@pytest.mark.req("sandbox-explained")
@pytest.mark.parametrize(
    "message",
    [
        "touch: cannot touch '{}': Read-only file system",
        "mkdir: cannot create directory \u2018{}\u2019: Permission denied",
        "bash: line 1: {}: Read-only file system",
        "fatal: cannot mkdir {}: Read-only file system",
        "tar: {}: Cannot open: Read-only file system",
        "OSError: [Errno 30] Read-only file system: '{}'",
        "Error: EROFS: read-only file system, open '{}'",
        "Error: opening database {0}: open {0}: read-only file system",
        'Exception in thread "main" java.io.FileNotFoundException: {} (Read-only file system)',
        "-e:1:in `write': Read-only file system @ rb_sysopen - {} (Errno::EROFS)",
        "PHP Warning:  file_put_contents({}): Failed to open stream: Read-only file system in x on line 1",
        "error: failed to write `{}`: Read-only file system (os error 30)",
    ],
)
def test_a_path_is_found_in_the_words_of_many_programs(message: str, workspace: Path) -> None:
    path = f"{workspace.parent}/outside/new"
    assert refused(message.format(path), workspace) == [f"{path} sandbox_writable"]


@pytest.mark.req("sandbox-explained")
def test_a_message_that_has_other_reasons_tells_of_secrets_and_protected_files_only(workspace: Path) -> None:
    outside, secret = f"{workspace.parent}/outside", f"{workspace.parent}/secret"
    for message in (
        f"cat: {outside}/new: No such file or directory",
        f"mkdir: cannot create directory '{outside}': File exists",
        f"cat: {outside}: Is a directory",
        f"FileNotFoundError: [Errno 2] No such file or directory: '{outside}/new'",
        f"Error: ENOENT: no such file or directory, open '{outside}/new'",
    ):
        assert refused(message, workspace) == [], message
    assert refused(f"cat: {secret}: No such file or directory", workspace) == [f"{secret} sandbox_readable"]
    config = f"{workspace}/.git/config"
    assert refused("error: could not lock config file .git/config: File exists", workspace) == [
        f"{config} sandbox_unprotected"
    ]


@pytest.mark.req("sandbox-explained")
@pytest.mark.parametrize(
    "message",
    [
        "cat: {}: Permission denied",
        "ls: cannot open directory '{}': Permission denied",
        "chmod: changing permissions of '{}': Operation not permitted",
        "PermissionError: [Errno 13] Permission denied: '{}'",
        "Error: EACCES: permission denied, open '{}'",
        "bash: line 1: {}: Permission denied",
    ],
)
def test_what_another_user_owns_is_not_refused_by_the_sandbox(message: str, workspace: Path) -> None:
    """And a view of the files of its own says that they are read-only, never that somebody lacks a right."""
    foreign, own = workspace.parent / "outside" / "foreign", workspace.parent / "outside" / "own"
    foreign.mkdir()
    own.touch()
    assert refused(message.format(foreign), workspace) == []
    assert refused(message.format(foreign / "new"), workspace) == []
    assert refused(message.format(own), workspace) == [f"{own} sandbox_writable"]
    assert refused(message.format(own), workspace, mounts=True) == []


@pytest.mark.req("sandbox-explained")
@pytest.mark.parametrize(
    ("message", "what", "root_only"),
    [
        ("strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted", "tracing", False),
        ("warning: ptrace: Operation not permitted", "tracing", False),
        ("Error:\nNo permission to enable task-clock event.\n", "performance counters", False),
        ("mount: /mnt: permission denied.", "mounting", True),
        ("umount: /proc: must be superuser to unmount.", "mounting", True),
        ("chroot: cannot change root directory to '/usr': Operation not permitted", "another root", True),
        ("unshare: unshare failed: Operation not permitted", "other namespaces", True),
        ("nsenter: cannot open /proc/1/ns/mnt: Permission denied", "other namespaces", True),
    ],
)
def test_system_calls_that_are_refused_are_named_and_no_file_in_their_place(
    message: str,
    what: str,
    root_only: bool,  # noqa: FBT001  # a column
    workspace: Path,
) -> None:
    (found,) = refused(message, workspace, "root")
    assert found.startswith(what)
    assert found.endswith(" sandbox")
    others = refused(message, workspace)
    assert any(each.startswith(what) for each in others) is not root_only
