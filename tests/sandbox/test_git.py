"""git in the repository that is the workspace, and in a worktree of one that lies elsewhere."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sandbox_harness import TestHome, scratch_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

GIT_CONFIG = "[user]\n\tname = A\n\temail = a@example.invalid\n[init]\n\tdefaultBranch = main\n"
WORK = (
    "echo a > a && git add -A && git commit -qm one && git checkout -qb topic && echo b >> a && git stash -q"
    " && git stash pop -q && git commit -qam two && git rebase -q main && git tag v1 && git status --short"
    " && git log --format=%s && git branch && git rev-parse --show-toplevel --is-bare-repository"
    " && git worktree add -q ./side -b side && git -C side log --format=%s && git worktree remove side"
    " && git gc -q && git fsck --no-dangling && git diff HEAD~1 --stat"
    " && git checkout -q main && git merge -q topic"
)


@pytest.fixture
def home() -> Iterator[TestHome]:
    """A home directory whose workspace is a new repository."""
    with scratch_directory() as base, TestHome(base, {".gitconfig": GIT_CONFIG}) as made:
        git(made, "init", "-q", ".")
        git(made, "commit", "-q", "--allow-empty", "-m", "zero")
        yield made


def git(home: TestHome, *words: str) -> None:
    subprocess.run(["git", *words], cwd=home.workspace, env=home.environment(), check=True)


@pytest.mark.req("sandbox-ordinary")
def test_git_does_its_work_in_the_repository_of_the_workspace(home: TestHome) -> None:
    outcomes = list[tuple[object, ...]]()
    for level in ("off", "workspace"):
        server = home.start(level)
        done = server.shell(WORK)
        outcomes.append((done["exit_code"], done["stdout"], done.get("stderr", "")))
        home.end(server)
        git(home, "reset", "-q", "--hard", "main~2")
        git(home, "branch", "-qD", "topic", "side")
        git(home, "tag", "-d", "v1")
    assert outcomes[0][0] == 0, outcomes[0]
    assert outcomes[1] == outcomes[0]
    assert not (home.workspace / ".git" / "commondir").exists()


@pytest.mark.req("sandbox-ordinary")
def test_a_worktree_can_commit_to_its_repository_and_change_no_hook_there(home: TestHome) -> None:
    git(home, "worktree", "add", "-q", "../tree", "-b", "tree")
    server = home.start("workspace", "--working-dir", str(home.home / "tree"))
    done = server.shell("echo a > a && git add a && git commit -qm in-tree && git log --format=%s -1")
    assert (done["stdout"], done.get("stderr", "")) == ("in-tree\n", "")
    for path in (
        "hooks/pre-commit",
        "config",
        "commondir",
        "worktrees/tree/commondir",
        "worktrees/tree/gitdir",
    ):
        assert server.shell(f"echo x > ~/project/.git/{path}")["exit_code"], path
    assert server.shell("echo x > ~/project/file")["exit_code"]
    assert server.shell("echo 'gitdir: /' > .git")["exit_code"]


@pytest.mark.req("sandbox-protected")
def test_a_worktree_that_its_repository_does_not_know_opens_nothing(home: TestHome) -> None:
    fake = home.write("tree/.git", f"gitdir: {home.home}/project/.git/worktrees/tree\n")
    home.write("tree/worktrees/tree/gitdir", f"{fake}\n")
    server = home.start("workspace", "--working-dir", str(fake.parent))
    assert server.shell("echo x > ~/project/.git/file")["exit_code"]


@pytest.mark.req("sandbox-absent")
def test_git_cannot_be_led_to_another_configuration(home: TestHome) -> None:
    server = home.start("workspace")
    trick = "mkdir -p evil && cp -r .git/objects .git/refs evil/ && cp .git/config evil/ && {}"
    refused = server.shell(trick.format("echo ../evil > .git/commondir"))
    assert refused["exit_code"]
    assert "sandbox_unprotected" in " ".join(refused["hints"])
    for way in ("rm -f .git/commondir", "mv evil/config .git/commondir", "ln -sf ../evil .git/commondir"):
        assert server.shell(way)["exit_code"], way
    home.end(server)
    assert not (home.workspace / ".git" / "commondir").exists()
