"""Confine this process and all that it will start: Landlock and a seccomp filter. Linux only.

Above it: `program`, which calls `confine` before anything else when the keeper was started with a plan.
It knows system calls and structures, not levels or settings: what may be written is decided in `sandbox`.
Nothing here can be undone, and every failure is raised: a keeper that is not confined as asked must not run.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 4, 38, 24
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION = 0x20080522
# What root keeps: enough for its own files and processes, nothing that reaches past the rules. In the order
# of their numbers: chown, override of permissions, file owner, its bits, kill, group and user ids, low ports.
KEPT_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 10)
CAPABILITIES = 64  # more than exist

# -- Landlock (linux/landlock.h); the same numbers on every architecture that we know

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
ALL_FILE_RIGHTS = (1 << 16) - 1
# What a rule for something that is no directory may carry; the kernel refuses others.
RIGHTS_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
ALL_NET_RIGHTS = 3  # bind and connect of TCP
ALL_SCOPES = 3  # abstract sockets, signals
# The first version of the interface that knows each of them.
KNOWN_SINCE = {2: 1 << 13, 3: TRUNCATE, 5: IOCTL_DEV}
NET_SINCE, SCOPES_SINCE = 4, 6

# -- seccomp: linux/seccomp.h and linux/filter.h

SECCOMP_SET_MODE_FILTER = 1
NEW_LISTENER, WAIT_KILLABLE = 8, 32
ALLOW, NOTIFY, ERRNO = 0x7FFF0000, 0x7FC00000, 0x00050000
LOAD, RETURN = 0x20, 0x06
JUMP, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS = 0x05, 0x15, 0x35, 0x45
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16
X32_BIT = 0x40000000
EPERM, ENOSYS = 1, 38


LISTENER = "NACRE_LISTENER"  # the port to listen on, and the descriptor of a socket that leads to nacre


class ConfinementError(Exception):
    """This process could not be confined as asked."""


def landlock_version() -> int:
    """The version of Landlock's interface; 0: not available."""
    return max(_libc().syscall(CREATE_RULESET, None, 0, VERSION_FLAG), 0)


def confine(plan: dict[str, Any]) -> None:
    """Apply a plan: `rules` (paths, rights), `network`, `scopes` for Landlock, and `filter` for seccomp."""
    if plan.get("listens") and LISTENER in os.environ:
        _hand_over_listener()
    libc = _libc()
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise _failed("no_new_privs")
    if os.geteuid() == 0:
        _drop_capabilities(libc)
    if "rules" in plan:
        _apply_landlock(libc, plan)
    if "filter" in plan:
        _apply_filter(libc, filter_program(plan["filter"], os.uname().machine))


def _hand_over_listener() -> None:
    """Listen for commands that want to reach a host, and give the socket to nacre, outside of the sandbox."""
    import socket  # noqa: PLC0415  # few sandboxes have a proxy

    port, descriptor = map(int, os.environ[LISTENER].split(":"))
    with (
        socket.socket(fileno=descriptor) as nacre,
        socket.create_server(("127.0.0.1", port), backlog=128) as listener,
    ):
        socket.send_fds(nacre, [b"."], [listener.fileno()])


def become_private() -> None:
    """Keep this process's memory, environment and open files from others of the same user.

    What it starts is not private. It comes last: some files of /proc/self cannot be opened any more.
    """
    if _libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise _failed("not dumpable")


def become_readable() -> None:
    """In a copy of a private process, before it becomes a program: whoever decides on that must read it."""
    _libc().prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _failed(what: str) -> ConfinementError:
    return ConfinementError(f"{what}: {os.strerror(ctypes.get_errno())}")


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Drop capabilities with which root could read the memory of others, mount, or create devices."""
    for number in set(range(CAPABILITIES)) - set(KEPT_CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)  # fails for numbers that this kernel does not have
    has = _capabilities()
    kept = has & sum(1 << number for number in KEPT_CAPABILITIES)
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    low, high = kept & 0xFFFFFFFF, kept >> 32
    if libc.syscall(CAPSET[os.uname().machine], header, struct.pack("=6I", low, low, 0, high, high, 0)):
        raise _failed("capabilities")


def _capabilities() -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        return next(int(line.split()[1], 16) for line in status if line.startswith("CapPrm"))


# -- Landlock


def handled_rights(version: int) -> int:
    """The rights to files that this version of Landlock can withhold."""
    later = sum(rights for since, rights in KNOWN_SINCE.items() if since > version)
    return ALL_FILE_RIGHTS & ~later


def _apply_landlock(libc: ctypes.CDLL, plan: dict[str, Any]) -> None:
    version = landlock_version()
    if not version:
        raise ConfinementError("Landlock: this kernel has none")
    handled = handled_rights(version)
    net = ALL_NET_RIGHTS if not plan["network"] and version >= NET_SINCE else 0
    scopes = ALL_SCOPES if plan["scopes"] and version >= SCOPES_SINCE else 0
    attributes = struct.pack("=QQQ", handled, net, scopes)
    ruleset = libc.syscall(CREATE_RULESET, attributes, len(attributes) if version >= NET_SINCE else 8, 0)
    if ruleset < 0:
        raise _failed("Landlock")
    try:
        for path, rights in plan["rules"]:
            _add_rule(libc, ruleset, path, rights & handled)
        if libc.syscall(RESTRICT_SELF, ruleset, 0):
            raise _failed("Landlock")
    finally:
        os.close(ruleset)


def restrict_executables(paths: Sequence[str]) -> None:
    """From now on only these files, and those in these directories, can be executed."""
    libc = _libc()
    attributes = struct.pack("=Q", EXECUTE)
    ruleset = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        raise _failed("Landlock")
    try:
        for path in paths:
            _add_rule(libc, ruleset, path, EXECUTE)
        if libc.syscall(RESTRICT_SELF, ruleset, 0):
            raise _failed("Landlock")
    finally:
        os.close(ruleset)


def _add_rule(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """Grant rights to a path and all below it; a missing path grants nothing."""
    try:
        found = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not _is_directory(found):
            rights &= RIGHTS_OF_FILES
        rule = struct.pack("=Qi", rights, found)
        if rights and libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0):
            raise _failed(f"Landlock, {path}")
    finally:
        os.close(found)


def _is_directory(descriptor: int) -> bool:
    return stat.S_ISDIR(os.fstat(descriptor).st_mode)


# -- seccomp

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}
# Numbers on x86_64 and on aarch64.
SYSTEM_CALLS = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "arch_prctl": (158, -1),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "execve": (59, 221),
    "execveat": (322, 281),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "prlimit64": (302, 261),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "sendto": (44, 206),
    "set_tid_address": (218, 96),
    "setns": (308, 268),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}


# What every program does before its own first line: on x86_64 it sets up thread-local storage.
FIRST_CALL: dict[str, tuple[str, int, Sequence[Any]]] = {
    "x86_64": ("arch_prctl", NOTIFY, ("equal", 0, [0x1002])),
    "aarch64": ("set_tid_address", NOTIFY, ()),
}


def filter_program(refused: Sequence[Sequence[Any]], machine: str) -> bytes:
    """A filter that allows all system calls except these, and none of another architecture.

    Each is [name, errno], or [name, errno, kind, argument, values] where the low half of an argument decides:
    `equal` refuses these values, `other` all but these, `bits` whatever has one of these bits.
    """
    return _program([(name, ERRNO | errno, condition) for name, errno, *condition in refused], machine)


def gate_program(machine: str) -> bytes:
    """A filter that asks the supervisor about each exec, and again before the new program's first step."""
    first_step = FIRST_CALL.get(machine)
    asked: list[tuple[str, int, Sequence[Any]]] = [("execve", NOTIFY, ()), ("execveat", NOTIFY, ())]
    if first_step:
        asked.append(first_step)
    return _program(asked, machine)


def _program(answers: Sequence[tuple[str, int, Sequence[Any]]], machine: str) -> bytes:
    if machine not in ARCHITECTURES:
        raise ConfinementError(f"seccomp: {machine} is not known here")
    column = list(ARCHITECTURES).index(machine)
    program = [
        (LOAD, 0, 0, ARCH_AT),
        (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, ERRNO | ENOSYS),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if machine == "x86_64":
        program += [(JUMP_AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, ERRNO | ENOSYS)]
    for name, answer, condition in answers:
        program += _answer(SYSTEM_CALLS[name][column], answer, condition)
    program.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in program)


def _answer(number: int, answer: int, condition: Sequence[Any]) -> list[tuple[int, int, int, int]]:
    give = (RETURN, 0, 0, answer)
    if not condition:
        return [(JUMP_EQUAL, 0, 1, number), give]
    kind, argument, values = condition
    compare = JUMP_BITS if kind == "bits" else JUMP_EQUAL
    # A value that is met jumps over one step: over the answer for `other`, over the jump past it else.
    steps = [(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument)]
    steps += [(compare, len(values) - place, 0, value) for place, value in enumerate(values)]
    steps += [give] if kind == "other" else [(JUMP, 0, 0, 1), give]
    steps.append((LOAD, 0, 0, NUMBER_AT))  # the next one looks at the number again
    return [(JUMP_EQUAL, 0, len(steps), number), *steps]


def can_decide_execs() -> bool:
    """Whether `ask_before_exec` would work here: tried in a thread, which alone is bound by it."""
    import threading  # noqa: PLC0415  # a keeper does not ask

    found: list[int] = []

    def attempt() -> None:
        libc = _libc()
        if not libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            try:
                found.append(_apply_filter(libc, gate_program(os.uname().machine), NEW_LISTENER))
            except ConfinementError:  # not supported here, or a process above us has such a filter
                return

    trial = threading.Thread(target=attempt)
    trial.start()
    trial.join()
    for listener in found:
        os.close(listener)
    return bool(found)


def ask_before_exec(channel: int) -> None:
    """Have every exec of this process and its children decided at the other end of a socket.

    That end gets the listener, and no copy of it stays here: when it is closed, every exec fails. It also
    gets our memory, which nobody can open when this process has become private: what we start has no memory
    of its own before it has become a program.
    """
    import _socket  # noqa: PLC0415  # without the rest of `socket`, which is large

    listener = _apply_filter(_libc(), gate_program(os.uname().machine), NEW_LISTENER | WAIT_KILLABLE)
    socket = _socket.socket(fileno=channel)
    memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    handed = struct.pack("2i", listener, memory)
    socket.sendmsg([b"exec"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handed)])
    socket.close()
    os.close(listener)
    os.close(memory)


def _apply_filter(libc: ctypes.CDLL, program: bytes, flags: int = 0) -> int:
    buffer = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("@HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    answer = libc.syscall(SECCOMP_CALL[os.uname().machine], SECCOMP_SET_MODE_FILTER, flags, pointer)
    if answer < 0:
        raise _failed("seccomp")
    return answer
