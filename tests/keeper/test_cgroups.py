"""Control groups for commands that have limits: where they can be made, and that none is left."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nacre.keeper.cgroups import PREFIX, Group, Groups, Parent, candidates, find_groups

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")

USER = "/user.slice/user-1000.slice/user@1000.service/app.slice"
V2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
HYBRID = """\
32 31 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
40 31 0:40 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""


@pytest.mark.req("limits-groups")
@pytest.mark.parametrize(
    ("mounts", "own", "found"),
    [
        (V2, f"0::{USER}/editor.scope\n", [(f"/sys/fs/cgroup{USER}", 2)]),
        (V2, "0::/\n", [("/sys/fs/cgroup", 2)]),
        (
            HYBRID,
            "4:memory:/jobs/7\n3:cpu,cpuacct:/\n0::/\n",
            [("/sys/fs/cgroup/memory/jobs/7", 1), ("/sys/fs/cgroup/unified", 2)],
        ),
        (
            "35 24 0:30 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "0::/box/in/it\n",
            [("/sys/fs/cgroup/in", 2)],
        ),
        ("22 1 0:20 / /proc rw - proc proc rw\n", "0::/\n", []),
        ("", "", []),
    ],
)
def test_groups_are_made_beside_our_own_or_below_it(
    mounts: str, own: str, found: list[tuple[str, int]]
) -> None:
    assert list(candidates("memory", mounts, own)) == found


@pytest.mark.req("limits-groups")
@pytest.mark.parametrize("version", [1, 2])
def test_a_directory_without_the_controller_is_no_place_for_groups(tmp_path: Path, version: int) -> None:
    parent = Parent(str(tmp_path), version)
    with pytest.raises(OSError, match="No such file"):
        parent.make("group", {"memory_bytes": 1})
    assert list(tmp_path.iterdir()) == []
    groups = Groups({"memory_bytes": parent, "processes": parent})
    assert groups.make("1", {"memory_bytes": 1, "processes": 1}) is None


@pytest.mark.req("limits-groups")
@pytest.mark.parametrize(
    ("kind", "version", "file", "text", "count"),
    [
        ("memory_bytes", 2, "memory.events", "low 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n", 2),
        ("memory_bytes", 1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", 1),
        ("memory_bytes", 1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n", 0),  # an old kernel
        ("processes", 2, "pids.events", "max 7\n", 7),
        ("processes", 1, "other", "", 0),
    ],
)
def test_what_the_kernel_has_counted_is_read(  # noqa: PLR0913, PLR0917 - a row of the table
    tmp_path: Path, kind: str, version: int, file: str, text: str, count: int
) -> None:
    (tmp_path / file).write_text(text)
    assert Group({kind: str(tmp_path)}, {kind: version}).events() == {kind: count}


@pytest.mark.req("limits-groups")
@pytest.mark.parametrize(("version", "count"), [(1, 2), (2, 1)])
def test_a_process_joins_one_group_of_a_hierarchy_which_has_all_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int, count: int
) -> None:
    """A process that joins a second group of version 2 leaves the first, and with it that group's limit."""
    make_directory, remove_directory = os.mkdir, os.rmdir

    def make_group(path: str) -> None:
        """What the kernel does: the files are there with the directory."""
        make_directory(path)
        for name in ("memory.max", "memory.limit_in_bytes", "pids.max", "cgroup.procs"):
            (Path(path) / name).write_text("")

    def remove_group(path: str) -> None:
        for file in Path(path).iterdir():
            file.unlink()
        remove_directory(path)

    monkeypatch.setattr(os, "mkdir", make_group)
    monkeypatch.setattr(os, "rmdir", remove_group)
    paths = [tmp_path / name for name in (("memory", "pids") if version == 1 else ("all", "all"))]
    for path in dict.fromkeys(paths):
        make_directory(path)
    memory, pids = (Parent(str(path), version) for path in paths)
    groups = Groups({"memory_bytes": memory, "processes": pids})
    group = groups.make("1", {"memory_bytes": 1 << 30, "processes": 40, "cpu_s": 3})
    assert group is not None
    assert len(group.members_files) == count
    written = {file.read_text() for file in tmp_path.rglob("*") if file.is_file()}
    assert written == {"", str(1 << 30), "40"}
    groups.give_up(group)
    assert [file for path in set(paths) for file in path.iterdir()] == []


@pytest.mark.req("limits-groups")
def test_what_dead_keepers_have_left_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    for name in (f"{PREFIX}999999999-1-processes", f"{PREFIX}{os.getpid()}-1-processes", "others"):
        (tmp_path / name).mkdir()
    Groups({"processes": Parent(str(tmp_path), 2)}).remove_dead()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{PREFIX}{os.getpid()}-1-processes",
        "others",
    ]


@pytest.mark.req("limits-groups")
def test_where_groups_can_be_made_they_hold_their_limits_and_go(tmp_path: Path) -> None:
    groups = find_groups()
    group = groups.make("test", {kind: 64 << 20 if kind == "memory_bytes" else 40 for kind in groups.parents})
    assert (group is None) == (not groups.parents)  # each machine has its own answer, and it is a true one
    members = group.members_files if group is not None else ()
    assert all(os.path.exists(path) for path in members)
    if group is not None:
        assert not any(group.events().values())
        groups.give_up(group)
    assert not any(os.path.exists(path) for path in members)
    assert list(tmp_path.iterdir()) == []
