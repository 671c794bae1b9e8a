"""A control group for each command with limits of memory or processes, where one can be created. Linux.

Above it: `limits`, which watches commands, and `program`, which creates their groups. The kernel then limits
what a command uses with all it has started, and counts how often it had to: so `limits` notices, and ends the
command instead of letting it starve.

Version 2 is used where its controllers are delegated to a place where this process may create groups (a
systemd scope), version 1 where its hierarchies are writable; a trial finds that out. Elsewhere (in a sandbox,
in most containers) there is no group, and `limits` alone enforces.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    # A kind of limit: the file to write it to, by version of the interface.
    Files = Mapping[int, str]

PREFIX = "nacre-keeper-"
MEMBERS = "cgroup.procs"
CONTROLLERS = {"memory_bytes": "memory", "processes": "pids"}
LIMIT_FILES: Mapping[str, Files] = {
    "memory_bytes": {1: "memory.limit_in_bytes", 2: "memory.max"},
    "processes": {1: "pids.max", 2: "pids.max"},
}
SWAP_FILES: Files = {1: "memory.memsw.limit_in_bytes", 2: "memory.swap.max"}
# Where the kernel counts how often it has enforced a limit on a group, and under which word.
EVENTS: Mapping[str, Mapping[int, tuple[str, str]]] = {
    "memory_bytes": {1: ("memory.oom_control", "oom_kill"), 2: ("memory.events", "oom_kill")},
    "processes": {1: ("pids.events", "max"), 2: ("pids.events", "max")},
}
TRIAL = 1 << 20  # a limit that every kernel accepts, of bytes and of processes


class Parent:
    """A directory in which groups can be created: in version 2 for all controllers, else for some."""

    def __init__(self, path: str, version: int) -> None:
        self.path = path
        self.version = version

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parent) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def make(self, name: str, limits: Mapping[str, int]) -> str:
        """Create a group with limits; returns its directory. Raises OSError."""
        group = os.path.join(self.path, name)
        os.mkdir(group)
        try:
            for kind, limit in limits.items():
                _write(os.path.join(group, LIMIT_FILES[kind][self.version]), limit)
        except OSError:
            os.rmdir(group)
            raise
        if "memory_bytes" in limits:
            self._limit_swap(group, limits["memory_bytes"])
        return group

    def _limit_swap(self, group: str, limit: int) -> None:
        """Allow no swap in addition; not every kernel counts that."""
        try:
            _write(os.path.join(group, SWAP_FILES[self.version]), limit if self.version == 1 else 0)
        except OSError:
            return


class Group:
    """The control groups of one command: one in each hierarchy."""

    def __init__(self, directories: dict[str, str], versions: dict[str, int]) -> None:
        """Both by the kind of limit."""
        self._directories = directories
        self._versions = versions

    @property
    def members_files(self) -> tuple[str, ...]:
        """The files to which a process writes to join them."""
        return tuple(os.path.join(path, MEMBERS) for path in dict.fromkeys(self._directories.values()))

    def events(self) -> dict[str, int]:
        """How often the kernel has enforced each limit: processes killed, or not started."""
        return {kind: self._count(kind, path) for kind, path in self._directories.items()}

    def _count(self, kind: str, directory: str) -> int:
        name, key = EVENTS[kind][self._versions[kind]]
        lines = _read(os.path.join(directory, name)).splitlines()
        counts = [line.split()[1] for line in lines if line.startswith(f"{key} ")]
        return int(counts[0]) if counts else 0

    def remove(self) -> bool:
        """Remove them; False: some process is still in one."""
        removed = True
        for path in dict.fromkeys(self._directories.values()):
            try:
                os.rmdir(path)
            except FileNotFoundError:
                continue
            except OSError:
                removed = False
        return removed


class Groups:
    """Where this keeper creates groups, and those that it has created."""

    def __init__(self, parents: dict[str, Parent]) -> None:
        self.parents = parents  # by the kind of limit
        self._owner = f"{PREFIX}{os.getpid()}-"
        self._leaving: list[Group] = []  # not empty yet at the end of their commands

    def make(self, name: str, limits: Mapping[str, int]) -> Group | None:
        """Create the group of a command; None where its limits need none, or none can be created."""
        self._leaving = [group for group in self._leaving if not group.remove()]
        directories: dict[str, str] = {}
        versions: dict[str, int] = {}
        for parent in dict.fromkeys(self.parents.values()):
            held = {kind: limits[kind] for kind in limits if self.parents.get(kind) == parent}
            if not held:
                continue
            try:
                directory = parent.make(f"{self._owner}{name}-{'-'.join(held)}", held)
            except OSError:  # `limits` enforces alone
                continue
            directories |= dict.fromkeys(held, directory)
            versions |= dict.fromkeys(held, parent.version)
        return Group(directories, versions) if directories else None

    def give_up(self, group: Group) -> None:
        """Remove a group after the end of its command."""
        if not group.remove():
            self._leaving.append(group)

    def remove_dead(self) -> None:
        """Remove the groups of dead keepers."""
        for path in {parent.path for parent in self.parents.values()}:
            for name in os.listdir(path):
                pid = name.removeprefix(PREFIX).partition("-")[0] if name.startswith(PREFIX) else ""
                if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
                    try:
                        os.rmdir(os.path.join(path, name))
                    except OSError:
                        continue


def find_groups() -> Groups:
    """Find out by trying where groups can be created."""
    mounts, own = _read("/proc/self/mountinfo"), _read("/proc/self/cgroup")
    parents: dict[str, Parent] = {}
    for kind, controller in CONTROLLERS.items():
        for path, version in candidates(controller, mounts, own):
            parent = Parent(path, version)
            try:
                os.rmdir(parent.make(f"{PREFIX}{os.getpid()}-trial-{kind}", {kind: TRIAL}))
            except OSError:
                continue
            if os.access(os.path.join(path, MEMBERS), os.W_OK):
                parents[kind] = parent
                break
    found = Groups(parents)
    found.remove_dead()
    return found


def candidates(controller: str, mounts: str, own: str) -> Iterator[tuple[str, int]]:
    """Directories in which groups of a controller may be created, and the version of their interface.

    A group of version 2 with processes cannot delegate controllers, so ours are created next to our own
    group.
    """
    paths = {names: path for _, names, path in (line.split(":", 2) for line in own.splitlines())}
    for line in mounts.splitlines():
        words, _, more = line.partition(" - ")
        root, point = words.split()[3:5]
        kind, _, options = more.split(None, 2)
        if kind == "cgroup2" and "" in paths:
            here = _inside(point, root, paths[""])
            yield os.path.dirname(here) if here != point else here, 2
        elif kind == "cgroup" and controller in options.split(","):
            named = next((path for names, path in paths.items() if controller in names.split(",")), "/")
            yield _inside(point, root, named), 1


def _inside(point: str, root: str, path: str) -> str:
    """The directory of a group below the mount point of its hierarchy."""
    below = path[len(root.rstrip("/")) :] if path.startswith(root) else path
    return os.path.join(point, below.strip("/")).rstrip("/")


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, value: int) -> None:
    """Write to an existing file: the kernel creates those of the available controllers."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)
