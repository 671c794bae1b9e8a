"""What a server finds open in the container around it: read from what the kernel says there."""

from __future__ import annotations

import pytest

from nacre.places import open_container as box

STATUS = "Name:\tnacre\nUid:\t{user}\t{user}\t{user}\t{user}\nCapBnd:\t{bounding}\nNoNewPrivs:\t{sealed}\n"
DEVICES = "Inter-|   Receive\n face |bytes\n    lo: 1 2 3\n"
CLOSED = {
    "/proc/self/status": STATUS.format(user=1000, bounding="0000000000000000", sealed=1),
    "/proc/net/dev": DEVICES,
    "/proc/self/mounts": "overlay / overlay ro,relatime 0 0\ntmpfs /tmp tmpfs rw,nosuid 0 0\n",
    "/sys/fs/cgroup/memory.max": "536870912\n",
    "/sys/fs/cgroup/cpu.max": "50000 100000\n",
    "/sys/fs/cgroup/pids.max": "256\n",
}
OPENED = [
    ("/proc/self/status", STATUS.format(user=1000, bounding="0", sealed=0), box.PRIVILEGES),
    ("/proc/self/status", STATUS.format(user=1000, bounding="a80425fb", sealed=1), box.CAPABILITIES),
    ("/proc/self/status", STATUS.format(user=0, bounding="0", sealed=1), box.ROOT),
    ("/proc/net/dev", DEVICES + "  eth0: 4 5 6\n", box.NETWORK),
    ("/proc/self/mounts", "overlay / overlay rw,relatime 0 0\n", box.FILES),
    ("/sys/fs/cgroup/memory.max", "max\n", box.MEMORY),
    ("/sys/fs/cgroup/cpu.max", "max 100000\n", box.PROCESSORS),
    ("/sys/fs/cgroup/pids.max", "max\n", box.PROCESSES),
]
VERSION_1 = [
    ("memory/memory.limit_in_bytes", "9223372036854771712\n", box.MEMORY),
    ("cpu/cpu.cfs_quota_us", "-1\n", box.PROCESSORS),
    ("pids/pids.max", "max\n", box.PROCESSES),
]


def find(files: dict[str, str]) -> tuple[box.Opening, ...]:
    return box.find_openings(lambda path: files.get(path, ""))


@pytest.mark.req("003-self-confined")
def test_a_container_as_the_document_wants_it_has_nothing_open() -> None:
    assert find(CLOSED) == ()


@pytest.mark.req("003-self-confined")
@pytest.mark.parametrize(("path", "text", "opening"), OPENED, ids=[one.name for *_, one in OPENED])
def test_each_thing_that_is_open_is_found(path: str, text: str, opening: box.Opening) -> None:
    assert find({**CLOSED, path: text}) == (opening,)


@pytest.mark.req("003-self-confined")
def test_limits_are_read_from_either_version_of_cgroups_and_not_guessed() -> None:
    without = {path: text for path, text in CLOSED.items() if "cgroup" not in path}
    assert find(without) == ()  # nothing is known, so nothing is said
    for path, text, opening in VERSION_1:
        assert find({**without, f"/sys/fs/cgroup/{path}": text}) == (opening,)
        assert find({**without, f"/sys/fs/cgroup/{path}": "50000\n"}) == ()


@pytest.mark.req("003-self-confined")
def test_warnings_say_what_is_open_what_holds_and_how_to_close_it() -> None:
    held = box.Hold((box.NETWORK, box.MEMORY), {}, network=False)
    network, memory = held.warnings()
    assert "it has a network; commands can listen but connect to nothing" in network
    assert "(close it with --network none)" in network
    assert "its memory is not limited; a server cannot limit that from inside" in memory
    assert held.is_needed
    assert not box.Hold((box.MEMORY,), {}, network=False).is_needed
    assert len(box.Hold((box.NETWORK,), {}, network=True).warnings()) == 0
