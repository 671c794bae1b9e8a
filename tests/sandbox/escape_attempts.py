"""Attempts to get out of a sandbox, run inside of one: each tries one thing and says what it got.

`python escape_attempts.py CONTEXT` runs every attempt in a process of its own and prints one JSON line: for
each the error that it got, or `ESCAPED` and the proof. It uses the standard library alone, and knows nothing
of nacre but what the context names: paths, processes and sockets outside.

Each attempt names the promise that it tests. Which levels make that promise stands in `PROMISES`, from which
the table in docs/sandbox.md is made.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import platform
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

Context = dict[str, Any]
Attempt = Callable[[Context], object]

# The columns of the table: a level, and what holds it.
MOUNTED = ("workspace", "read-only", "strict")
LANDLOCK = ("workspace, Landlock", "read-only, Landlock")
EVERYWHERE = (*MOUNTED, *LANDLOCK)
PROMISES: dict[str, tuple[str, ...]] = {
    "files outside are not written": EVERYWHERE,
    "permissions, owners and times of files outside stay": MOUNTED,
    "the workspace is not written": ("read-only", "read-only, Landlock"),
    "secrets are not read": EVERYWHERE,
    "secrets cannot be seen: names, sizes, changes": MOUNTED,
    "protected files of the workspace stay": MOUNTED,
    "memory, environment and open files of processes outside": EVERYWHERE,
    "memory, environment and open files of the keeper": EVERYWHERE,
    "processes outside get no signal, and no limit": EVERYWHERE,
    "processes outside are not seen, and keep their priority": ("strict",),
    "nothing is mounted, and no cover is lifted": EVERYWHERE,
    "no user namespace is made": ("strict",),
    "devices, modules, the clock and settings of the kernel": EVERYWHERE,
    "keyrings, BPF, performance counters, io_uring, userfaultfd": EVERYWHERE,
    "no privilege is gained": EVERYWHERE,
    "nothing is typed into a terminal": EVERYWHERE,
    "no descriptor is inherited": EVERYWHERE,
    "abstract sockets outside": EVERYWHERE,
    "sockets of services in /run and /tmp, of an SSH agent, of Docker": MOUNTED,
    "shared memory of processes outside (/dev/shm)": MOUNTED,
    "shared memory of processes outside (System V)": ("strict",),
    "no network": ("strict",),
    "sockets that no network namespace holds (vsock, Bluetooth), and unusual ones": EVERYWHERE,
}
ATTEMPTS: dict[str, tuple[str, Attempt]] = {}
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
MACHINE = 0 if platform.machine() == "x86_64" else 1
CALLS = {  # on x86_64 and on aarch64
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kcmp": (312, 272),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "sched_setaffinity": (203, 122),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "swapon": (167, 224),
    "acct": (163, 89),
    "clock_settime": (227, 112),
    "sethostname": (170, 161),
    "capset": (126, 91),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "fanotify_init": (300, 262),
    "move_pages": (279, 239),
    "process_madvise": (440, 440),
    "openat2": (437, 437),
    "fchmodat2": (452, 452),
    "setxattrat": (463, 463),
    "open_tree_attr": (467, 467),
}
AT_FDCWD = -100
NEW_NS, NEW_USER, NEW_NET = 0x20000, 0x10000000, 0x40000000


def call(name: str, *arguments: object) -> int:
    """A system call; OSError where it fails."""
    answer = libc.syscall(CALLS[name][MACHINE], *arguments)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


def attempt(promise: str) -> Callable[[Attempt], Attempt]:
    """Register an attempt. What it returns, if it is true, is the proof of an escape."""

    def register(function: Attempt) -> Attempt:
        ATTEMPTS[function.__name__] = promise, function
        return function

    return register


def write(path: str) -> str:
    with open(path, "w") as file:
        file.write("ESCAPED")
    return f"wrote {path}"


def read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(4096).decode(errors="replace")


def number(value: int) -> ctypes.c_long:
    return ctypes.c_long(value)


# -- files outside

OUTSIDE = "files outside are not written"


@attempt(OUTSIDE)
def overwrite_a_file(ctx: Context) -> object:
    return write(ctx["victim"])


@attempt(OUTSIDE)
def create_a_file(ctx: Context) -> object:
    return write(f"{ctx['outside']}/new")


@attempt(OUTSIDE)
def climb_with_dots(ctx: Context) -> object:
    return write(f"{ctx['workspace']}/../outside/dots")


@attempt(OUTSIDE)
def climb_from_an_open_directory(ctx: Context) -> object:
    here = os.open(ctx["workspace"], os.O_PATH)
    return os.open("../outside/relative", os.O_CREAT | os.O_WRONLY, dir_fd=here)


@attempt(OUTSIDE)
def follow_a_link(ctx: Context) -> object:
    os.symlink(ctx["victim"], f"{ctx['scratch']}/link")
    return write(f"{ctx['scratch']}/link")


@attempt(OUTSIDE)
def follow_a_link_to_a_directory(ctx: Context) -> object:
    os.symlink(ctx["outside"], f"{ctx['scratch']}/directory")
    return write(f"{ctx['scratch']}/directory/through")


@attempt(OUTSIDE)
def race_with_a_link(ctx: Context) -> object:
    """Swap a directory for a link while it is being opened, often."""
    place, over = f"{ctx['scratch']}/race", threading.Event()
    os.mkdir(f"{place}-directory")
    os.symlink(ctx["outside"], f"{place}-link")
    os.rename(f"{place}-directory", place)

    def swap() -> None:
        while not over.is_set():
            libc.renameat2(AT_FDCWD, place.encode(), AT_FDCWD, f"{place}-link".encode(), 2)  # exchange

    swapping = threading.Thread(target=swap)
    swapping.start()
    for _ in range(300):
        try:
            write(f"{place}/raced")
        except OSError:
            continue
    over.set()
    swapping.join()
    return os.path.exists(f"{ctx['outside']}/raced")


@attempt(OUTSIDE)
def write_through_a_hard_link(ctx: Context) -> object:
    os.link(ctx["victim"], f"{ctx['scratch']}/hard")
    return write(f"{ctx['scratch']}/hard")


@attempt(OUTSIDE)
def move_a_file_in(ctx: Context) -> object:
    os.rename(ctx["victim"], f"{ctx['scratch']}/moved")
    return "moved"


@attempt(OUTSIDE)
def move_a_file_out(ctx: Context) -> object:
    write(f"{ctx['scratch']}/mine")
    os.rename(f"{ctx['scratch']}/mine", ctx["victim"])
    return "replaced"


@attempt(OUTSIDE)
def exchange_two_files(ctx: Context) -> object:
    write(f"{ctx['scratch']}/mine2")
    if libc.renameat2(AT_FDCWD, f"{ctx['scratch']}/mine2".encode(), AT_FDCWD, ctx["victim"].encode(), 2):
        raise OSError(ctypes.get_errno(), "renameat2")
    return "exchanged"


@attempt(OUTSIDE)
def remove_a_file(ctx: Context) -> object:
    os.unlink(ctx["victim"])
    return "removed"


@attempt(OUTSIDE)
def truncate_a_file(ctx: Context) -> object:
    os.truncate(ctx["victim"], 0)
    return "truncated"


@attempt(OUTSIDE)
def make_a_directory(ctx: Context) -> object:
    os.mkdir(f"{ctx['outside']}/directory")
    return "made"


@attempt(OUTSIDE)
def make_a_link(ctx: Context) -> object:
    os.symlink("x", f"{ctx['outside']}/symlink")
    return "made"


@attempt(OUTSIDE)
def make_a_named_pipe(ctx: Context) -> object:
    os.mkfifo(f"{ctx['outside']}/fifo")
    return "made"


@attempt(OUTSIDE)
def make_a_socket(ctx: Context) -> object:
    socket.socket(socket.AF_UNIX).bind(f"{ctx['outside']}/socket")
    return "made"


@attempt(OUTSIDE)
def write_by_the_root_in_proc(ctx: Context) -> object:
    return write(f"/proc/self/root{ctx['victim']}")


@attempt(OUTSIDE)
def write_by_the_root_of_a_thread(ctx: Context) -> object:
    return write(f"/proc/self/task/{os.getpid()}/root{ctx['victim']}")


@attempt(OUTSIDE)
def write_by_the_directory_in_proc(ctx: Context) -> object:
    os.chdir(ctx["outside"])
    return write("/proc/self/cwd/through-cwd")


@attempt(OUTSIDE)
def write_by_the_root_of_the_server(ctx: Context) -> object:
    return write(f"/proc/{ctx['server']}/root{ctx['victim']}")


@attempt(OUTSIDE)
def write_by_the_directory_of_a_process_outside(ctx: Context) -> object:
    return write(f"/proc/{ctx['process']}/cwd/through-process")


@attempt(OUTSIDE)
def reopen_a_reading_descriptor_for_writing(ctx: Context) -> object:
    reading = os.open(ctx["victim"], os.O_RDONLY)
    return write(f"/proc/self/fd/{reading}")


@attempt(OUTSIDE)
def reopen_a_path_descriptor_for_writing(ctx: Context) -> object:
    held = os.open(ctx["victim"], os.O_PATH)
    return write(f"/dev/fd/{held}")


@attempt(OUTSIDE)
def put_an_unnamed_file_there(ctx: Context) -> object:
    return os.open(ctx["outside"], os.O_TMPFILE | os.O_WRONLY)


@attempt(OUTSIDE)
def link_an_unnamed_file_out(ctx: Context) -> object:
    made = os.open(ctx["scratch"], os.O_TMPFILE | os.O_WRONLY)
    os.link(f"/proc/self/fd/{made}", f"{ctx['outside']}/linked", follow_symlinks=True)
    return "linked"


@attempt(OUTSIDE)
def open_by_a_handle(ctx: Context) -> object:
    handle = struct.pack("=Ii", 128, 0) + bytes(128)
    buffer, mount = ctypes.create_string_buffer(handle), ctypes.c_int()
    call("name_to_handle_at", AT_FDCWD, ctx["victim"].encode(), buffer, ctypes.byref(mount), 0)
    root = os.open("/", os.O_RDONLY)
    return call("open_by_handle_at", root, buffer, os.O_WRONLY)


@attempt(OUTSIDE)
def write_by_the_newer_call(ctx: Context) -> object:
    how = struct.pack("=QQQ", os.O_WRONLY | os.O_CREAT, 0o600, 0)
    climbing = f"../../../../../../../..{ctx['outside']}/opened".encode()
    return call("openat2", os.open(ctx["scratch"], os.O_PATH), climbing, how, len(how))


@attempt(OUTSIDE)
def write_by_a_descriptor_that_another_passes(ctx: Context) -> object:
    """A process whose root is elsewhere would pass more than its own rights; here nobody's is."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        socket.send_fds(theirs, [b"."], [os.open(ctx["outside"], os.O_PATH)])
        os._exit(0)
    _, (directory,), _, _ = socket.recv_fds(ours, 1, 1)
    return os.open("passed", os.O_WRONLY | os.O_CREAT, dir_fd=directory)


@attempt(OUTSIDE)
def write_after_chroot(ctx: Context) -> object:
    call("unshare", NEW_USER)
    call("chroot", os.path.dirname(ctx["outside"]).encode())
    os.chdir("/")
    return write("/outside/chrooted")


@attempt(OUTSIDE)
def write_where_programs_are_found(ctx: Context) -> object:
    os.makedirs(f"{ctx['home']}/.local/bin", exist_ok=True)
    return write(f"{ctx['home']}/.local/bin/git")


@attempt(OUTSIDE)
def write_a_start_up_file(ctx: Context) -> object:
    return write(f"{ctx['home']}/.bashrc")


@attempt(OUTSIDE)
def write_settings_of_nacre(ctx: Context) -> object:
    os.makedirs(f"{ctx['home']}/.config/nacre", exist_ok=True)
    return write(f"{ctx['home']}/.config/nacre/config.toml")


@attempt(OUTSIDE)
def remove_the_workspace(ctx: Context) -> object:
    os.rename(ctx["workspace"], f"{ctx['workspace']}-gone")
    return "moved"


@attempt(OUTSIDE)
def write_with_a_copied_program(ctx: Context) -> object:
    copy = f"{ctx['scratch']}/harmless"
    shutil.copy(shutil.which("tee") or "tee", copy)
    return _tee([copy], ctx)


@attempt(OUTSIDE)
def write_with_a_program_in_memory(ctx: Context) -> object:
    held = call("memfd_create", b"tee", 0)
    with open(shutil.which("tee") or "tee", "rb") as source:
        os.write(held, source.read())
    return _tee([f"/proc/self/fd/{held}"], ctx, pass_fds=(held,))


@attempt(OUTSIDE)
def write_with_the_loader(ctx: Context) -> object:
    loaders = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
    return _tee([next(filter(os.path.exists, loaders)), shutil.which("tee") or "tee"], ctx)


def _tee(argv: list[str], ctx: Context, pass_fds: tuple[int, ...] = ()) -> object:
    target = f"{ctx['outside']}/by-program"
    done = subprocess.run([*argv, target], input=b"x", stdout=-3, stderr=-3, check=False, pass_fds=pass_fds)
    return not done.returncode or os.path.exists(target)


@attempt(OUTSIDE)
def write_with_a_preloaded_library(ctx: Context) -> object:
    """The library's first lines run in another program, which is held as every other."""
    source, library = f"{ctx['scratch']}/pre.c", f"{ctx['scratch']}/pre.so"
    text = '#include <stdio.h>\n__attribute__((constructor)) void f(void) {FILE *o = fopen("%s", "w");'
    with open(source, "w") as file:
        file.write(text % f"{ctx['outside']}/preloaded" + "if (o) fclose(o);}\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True, stderr=-3)
    subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": library}, check=False)
    return os.path.exists(f"{ctx['outside']}/preloaded")


METADATA = "permissions, owners and times of files outside stay"


@attempt(METADATA)
def change_the_mode(ctx: Context) -> object:
    os.chmod(ctx["victim"], 0o640)
    return "changed"


@attempt(METADATA)
def change_the_owner(ctx: Context) -> object:
    os.chown(ctx["victim"], os.getuid(), os.getgid())
    return "changed"


@attempt(METADATA)
def change_the_times(ctx: Context) -> object:
    os.utime(ctx["victim"], (1, 1))
    return "changed"


@attempt(METADATA)
def change_the_mode_by_the_newer_call(ctx: Context) -> object:
    call("fchmodat2", AT_FDCWD, ctx["victim"].encode(), 0o640, 0)
    return "changed"


@attempt(METADATA)
def set_an_attribute_by_the_newer_call(ctx: Context) -> object:
    value = ctypes.create_string_buffer(b"x")
    arguments = struct.pack("=QII", ctypes.addressof(value), 1, 0)
    call("setxattrat", AT_FDCWD, ctx["victim"].encode(), 0, b"user.escaped", arguments, len(arguments))
    return "set"


@attempt(METADATA)
def set_an_attribute(ctx: Context) -> object:
    os.setxattr(ctx["victim"], "user.escaped", b"x")
    return "set"


@attempt("the workspace is not written")
def write_in_the_workspace(ctx: Context) -> object:
    return write(f"{ctx['workspace']}/file")


@attempt("the workspace is not written")
def write_in_a_cache(ctx: Context) -> object:
    return write(f"{ctx['home']}/.cache/file")


# -- secrets

SECRETS = "secrets are not read"


@attempt(SECRETS)
def read_a_secret(ctx: Context) -> object:
    return read(ctx["secret"])


@attempt(SECRETS)
def read_a_secret_by_the_root_in_proc(ctx: Context) -> object:
    return read(f"/proc/self/root{ctx['secret']}")


@attempt(SECRETS)
def read_a_secret_by_the_root_of_the_server(ctx: Context) -> object:
    return read(f"/proc/{ctx['server']}/root{ctx['secret']}")


@attempt(SECRETS)
def read_a_secret_by_a_hard_link(ctx: Context) -> object:
    os.link(ctx["secret"], f"{ctx['scratch']}/secret")
    return read(f"{ctx['scratch']}/secret")


@attempt(SECRETS)
def read_a_secret_by_a_link(ctx: Context) -> object:
    os.symlink(ctx["secret"], f"{ctx['scratch']}/secret-link")
    return read(f"{ctx['scratch']}/secret-link")


@attempt(SECRETS)
def read_a_secret_after_moving_its_directory(ctx: Context) -> object:
    os.rename(os.path.dirname(ctx["secret"]), f"{ctx['scratch']}/moved")
    return read(f"{ctx['scratch']}/moved/{os.path.basename(ctx['secret'])}")


@attempt(SECRETS)
def read_a_secret_in_a_user_namespace(ctx: Context) -> object:
    call("unshare", NEW_USER)
    return read(ctx["secret"])


@attempt(SECRETS)
def read_a_private_key(ctx: Context) -> object:
    return read(f"{ctx['home']}/.ssh/id_ed25519")


@attempt(SECRETS)
def read_the_environment_file_of_another_project(ctx: Context) -> object:
    return read(f"{ctx['home']}/other/.env")


@attempt(SECRETS)
def find_a_secret_in_the_environment(_: Context) -> object:
    return os.environ.get("SOME_TOKEN")


@attempt(SECRETS)
def read_the_output_of_another_server(ctx: Context) -> object:
    return read(ctx["other_output"])


@attempt("secrets cannot be seen: names, sizes, changes")
def look_at_a_secret(ctx: Context) -> object:
    return os.stat(ctx["secret"]).st_size


@attempt("secrets cannot be seen: names, sizes, changes")
def watch_a_secret(ctx: Context) -> object:
    watching = libc.inotify_init()
    if libc.inotify_add_watch(watching, ctx["secret"].encode(), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "inotify_add_watch")
    return "watched"


# -- protected files

PROTECTED = "protected files of the workspace stay"


@attempt(PROTECTED)
def write_a_git_hook(ctx: Context) -> object:
    return write(f"{ctx['workspace']}/.git/hooks/pre-commit")


@attempt(PROTECTED)
def write_the_configuration_of_git(ctx: Context) -> object:
    return write(f"{ctx['workspace']}/.git/config")


@attempt(PROTECTED)
def replace_the_configuration_of_git(ctx: Context) -> object:
    write(f"{ctx['workspace']}/.git/config.lock")
    os.rename(f"{ctx['workspace']}/.git/config.lock", f"{ctx['workspace']}/.git/config")
    return "replaced"


@attempt(PROTECTED)
def move_the_repository_away(ctx: Context) -> object:
    os.rename(f"{ctx['workspace']}/.git", f"{ctx['workspace']}/elsewhere")
    return "moved"


@attempt(PROTECTED)
def exchange_the_hooks(ctx: Context) -> object:
    os.mkdir(f"{ctx['workspace']}/hooks")
    here = f"{ctx['workspace']}/hooks".encode()
    if libc.renameat2(AT_FDCWD, here, AT_FDCWD, f"{ctx['workspace']}/.git/hooks".encode(), 2):
        raise OSError(ctypes.get_errno(), "renameat2")
    return "exchanged"


@attempt(PROTECTED)
def lead_git_to_another_configuration(ctx: Context) -> object:
    return write(f"{ctx['workspace']}/.git/commondir")


@attempt(PROTECTED)
def make_settings_of_an_editor(ctx: Context) -> object:
    os.makedirs(f"{ctx['workspace']}/.vscode", exist_ok=True)
    return write(f"{ctx['workspace']}/.vscode/tasks.json")


@attempt(PROTECTED)
def make_settings_of_a_client(ctx: Context) -> object:
    return write(f"{ctx['workspace']}/.mcp.json")


@attempt(PROTECTED)
def replace_what_keeps_a_name_free(ctx: Context) -> object:
    os.rmdir(f"{ctx['workspace']}/.mcp.json")
    return write(f"{ctx['workspace']}/.mcp.json")


@attempt(PROTECTED)
def link_a_file_into_the_hooks(ctx: Context) -> object:
    write(f"{ctx['workspace']}/hook")
    os.link(f"{ctx['workspace']}/hook", f"{ctx['workspace']}/.git/hooks/post-commit")
    return "linked"


@attempt(PROTECTED)
def write_the_configuration_by_a_hard_link(ctx: Context) -> object:
    os.link(f"{ctx['workspace']}/.git/config", f"{ctx['workspace']}/copy")
    return write(f"{ctx['workspace']}/copy")


# -- processes

MEMORY = "memory, environment and open files of processes outside"


def _peek(pid: int, what: str) -> object:
    return read(f"/proc/{pid}/{what}")


@attempt(MEMORY)
def read_the_environment_of_the_server(ctx: Context) -> object:
    return _peek(ctx["server"], "environ")


@attempt(MEMORY)
def read_the_environment_of_a_process(ctx: Context) -> object:
    return _peek(ctx["process"], "environ")


@attempt(MEMORY)
def read_the_maps_of_the_server(ctx: Context) -> object:
    return _peek(ctx["server"], "maps")


@attempt(MEMORY)
def open_the_memory_of_the_server(ctx: Context) -> object:
    return os.open(f"/proc/{ctx['server']}/mem", os.O_RDWR)


@attempt(MEMORY)
def look_where_a_descriptor_of_the_server_leads(ctx: Context) -> object:
    return os.readlink(f"/proc/{ctx['server']}/fd/1")


@attempt(MEMORY)
def write_to_the_stdout_of_the_server(ctx: Context) -> object:
    return os.open(f"/proc/{ctx['server']}/fd/1", os.O_WRONLY)


@attempt(MEMORY)
def trace_the_server(ctx: Context) -> object:
    return call("ptrace", number(0x4206), number(ctx["server"]), 0, 0) == 0  # seize


@attempt(MEMORY)
def trace_a_process(ctx: Context) -> object:
    return call("ptrace", number(16), number(ctx["process"]), 0, 0) == 0  # attach


def _vectors() -> tuple[Any, Any]:
    buffer = ctypes.create_string_buffer(8)
    local = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    return local, struct.pack("=QQ", 0x400000, 8)


@attempt(MEMORY)
def copy_from_the_server(ctx: Context) -> object:
    local, remote = _vectors()
    return call("process_vm_readv", ctx["server"], local, 1, remote, 1, 0)


@attempt(MEMORY)
def copy_into_the_server(ctx: Context) -> object:
    local, remote = _vectors()
    return call("process_vm_writev", ctx["server"], local, 1, remote, 1, 0)


@attempt(MEMORY)
def take_a_descriptor_of_the_server(ctx: Context) -> object:
    handle = call("pidfd_open", ctx["server"], 0)
    return call("pidfd_getfd", handle, 1, 0)


@attempt(MEMORY)
def compare_with_the_server(ctx: Context) -> object:
    call("kcmp", os.getpid(), ctx["server"], 0, 1, 1)
    return "compared"


@attempt(MEMORY)
def move_pages_of_the_server(ctx: Context) -> object:
    return call("move_pages", ctx["server"], 0, 0, 0, 0, 0) == 0


KEEPER = "memory, environment and open files of the keeper"


def _ancestors() -> list[int]:
    """Our parents, up to the one that is nobody's."""
    found, pid = list[int](), os.getppid()
    while pid > 1:
        found.append(pid)
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])
    return found


def _keeper() -> int:
    """The nearest parent that is a keeper."""
    for pid in _ancestors():
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if b"nacre.keeper.program" in file.read():
                return pid
    raise LookupError("no keeper above us")


@attempt(KEEPER)
def read_the_environment_of_the_keeper(_: Context) -> object:
    return "PRIVATE" in str(_peek(_keeper(), "environ"))


@attempt(KEEPER)
def open_the_memory_of_the_keeper(_: Context) -> object:
    return os.open(f"/proc/{_keeper()}/mem", os.O_RDWR)


@attempt(KEEPER)
def speak_in_the_name_of_the_keeper(_: Context) -> object:
    return os.open(f"/proc/{_keeper()}/fd/1", os.O_WRONLY)


@attempt(KEEPER)
def listen_in_the_place_of_the_keeper(_: Context) -> object:
    return os.open(f"/proc/{_keeper()}/fd/0", os.O_RDONLY)


@attempt(KEEPER)
def trace_the_keeper(_: Context) -> object:
    return call("ptrace", number(0x4206), number(_keeper()), 0, 0) == 0


@attempt(KEEPER)
def copy_from_the_keeper(_: Context) -> object:
    local, remote = _vectors()
    return call("process_vm_readv", _keeper(), local, 1, remote, 1, 0)


SIGNALS = "processes outside get no signal, and no limit"


@attempt(SIGNALS)
def kill_the_server(ctx: Context) -> object:
    os.kill(ctx["server"], signal.SIGCONT)
    return "signalled"


@attempt(SIGNALS)
def kill_a_process(ctx: Context) -> object:
    os.kill(ctx["process"], signal.SIGKILL)
    return "killed"


@attempt(SIGNALS)
def kill_a_process_group(ctx: Context) -> object:
    os.killpg(ctx["process"], signal.SIGKILL)
    return "killed"


@attempt(SIGNALS)
def kill_by_a_handle(ctx: Context) -> object:
    handle = call("pidfd_open", ctx["process"], 0)
    call("pidfd_send_signal", handle, 9, 0, 0)
    return "killed"


@attempt(SIGNALS)
def kill_a_thread(ctx: Context) -> object:
    call("tgkill", ctx["process"], ctx["process"], 9)
    return "killed"


@attempt(SIGNALS)
def queue_a_signal(ctx: Context) -> object:
    call("rt_sigqueueinfo", ctx["process"], 9, struct.pack("=iii116x", 9, 0, -1))
    return "killed"


@attempt(SIGNALS)
def have_a_pipe_signal_it(ctx: Context) -> object:
    """A terminal or a pipe sends its signals to whom its owner names."""
    reading, _ = os.pipe()
    import fcntl  # noqa: PLC0415

    fcntl.fcntl(reading, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(reading, 8, ctx["process"])  # F_SETOWN
    fcntl.fcntl(reading, 4, os.O_ASYNC)
    writing = os.open(f"/proc/self/fd/{reading}", os.O_WRONLY)
    os.write(writing, b"x")
    return False  # the test looks whether the process lives


@attempt(SIGNALS)
def take_its_cpu_time_away(ctx: Context) -> object:
    call("prlimit64", ctx["process"], 0, struct.pack("=QQ", 1, 1), 0)
    return "limited"


SEEN = "processes outside are not seen, and keep their priority"


@attempt(SEEN)
def see_a_process(ctx: Context) -> object:
    return os.path.isdir(f"/proc/{ctx['process']}") and "PRIVATE" in read(f"/proc/{ctx['process']}/cmdline")


@attempt(SEEN)
def change_a_priority(ctx: Context) -> object:
    call("setpriority", 0, ctx["process"], 19)
    return "changed"


@attempt(SEEN)
def bind_a_process_to_one_cpu(ctx: Context) -> object:
    call("sched_setaffinity", ctx["process"], 8, struct.pack("=Q", 1))
    return "bound"


# -- mounts and namespaces

MOUNTS = "nothing is mounted, and no cover is lifted"


@attempt(MOUNTS)
def mount_something(ctx: Context) -> object:
    return call("mount", b"none", ctx["scratch"].encode(), b"tmpfs", 0, 0) == 0


@attempt(MOUNTS)
def mount_in_a_namespace_of_its_own(ctx: Context) -> object:
    call("unshare", NEW_USER | NEW_NS)
    return call("mount", b"none", ctx["scratch"].encode(), b"tmpfs", 0, 0) == 0


@attempt(MOUNTS)
def bind_a_directory(ctx: Context) -> object:
    return call("mount", ctx["outside"].encode(), ctx["scratch"].encode(), 0, 0x1000, 0) == 0


@attempt(MOUNTS)
def make_the_root_writable(_: Context) -> object:
    return call("mount", 0, b"/", 0, 0x1000 | 0x20, 0) == 0  # bind, remount


@attempt(MOUNTS)
def lift_a_cover(ctx: Context) -> object:
    return call("umount2", os.path.dirname(ctx["secret"]).encode(), 2) == 0


@attempt(MOUNTS)
def lift_a_cover_in_a_namespace_of_its_own(ctx: Context) -> object:
    call("unshare", NEW_USER | NEW_NS)
    return call("umount2", os.path.dirname(ctx["secret"]).encode(), 2) == 0


@attempt(MOUNTS)
def change_the_root(ctx: Context) -> object:
    call("unshare", NEW_USER | NEW_NS)
    return call("pivot_root", ctx["scratch"].encode(), ctx["scratch"].encode()) == 0


@attempt(MOUNTS)
def change_the_root_of_one_process(ctx: Context) -> object:
    call("unshare", NEW_USER)
    return call("chroot", ctx["scratch"].encode()) == 0


@attempt(MOUNTS)
def clone_a_tree_with_other_attributes(_: Context) -> object:
    call("unshare", NEW_USER | NEW_NS)
    attributes = struct.pack("=QQQQ", 0, 1, 0, 0)  # clear read-only
    return call("open_tree_attr", AT_FDCWD, b"/usr", 1, attributes, len(attributes))


@attempt(MOUNTS)
def enter_the_namespace_of_the_server(ctx: Context) -> object:
    return call("setns", os.open(f"/proc/{ctx['server']}/ns/mnt", os.O_RDONLY), 0) == 0


@attempt(MOUNTS)
def enter_by_a_handle(ctx: Context) -> object:
    return call("setns", call("pidfd_open", ctx["server"], 0), NEW_NS) == 0


@attempt(MOUNTS)
def clone_a_tree(_: Context) -> object:
    return call("open_tree", AT_FDCWD, b"/", 1)


@attempt(MOUNTS)
def open_a_file_system(_: Context) -> object:
    return call("fsopen", b"tmpfs", 0)


@attempt(MOUNTS)
def set_attributes_of_a_mount(_: Context) -> object:
    attributes = struct.pack("=QQQQ", 0, 1, 0, 0)  # clear read-only
    return call("mount_setattr", AT_FDCWD, b"/", 0, attributes, len(attributes)) == 0


@attempt(MOUNTS)
def mount_by_the_calls_of_another_architecture(ctx: Context) -> object:
    """x32: the same calls under other numbers, on x86_64."""
    answer = libc.syscall(0x40000000 | 165, b"none", ctx["scratch"].encode(), b"tmpfs", 0, 0)
    if answer < 0:
        raise OSError(ctypes.get_errno(), "x32")
    return "mounted"


@attempt(MOUNTS)
def mount_by_the_calls_of_32_bits(_: Context) -> object:
    """`int 0x80`, whose numbers are those of i386: 21 is mount, which says EFAULT if it runs."""
    if MACHINE:
        raise OSError(errno.ENOSYS, "no such instruction here")
    code = bytes.fromhex("53 b8 15000000 31db 31c9 31d2 31f6 31ff cd80 5b c3".replace(" ", ""))
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    answer = function()
    if answer in {-errno.ENOSYS, -errno.EPERM}:
        raise OSError(-answer, "int 0x80")
    return f"it ran: {answer}"


@attempt("no user namespace is made")
def make_a_user_namespace(_: Context) -> object:
    return call("unshare", NEW_USER) == 0


@attempt("no user namespace is made")
def make_one_with_clone(_: Context) -> object:
    pid = libc.syscall(56 if not MACHINE else 220, NEW_USER | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    return "made"


# -- the kernel

KERNEL = "devices, modules, the clock and settings of the kernel"


@attempt(KERNEL)
def make_a_device(ctx: Context) -> object:
    os.mknod(f"{ctx['scratch']}/device", 0o600 | 0o060000, os.makedev(8, 0))
    return "made"


@attempt(KERNEL)
def open_a_disk(_: Context) -> object:
    for name in ("vda", "sda", "nvme0n1", "xvda", "loop0", "mem", "kmsg", "kvm"):
        if os.path.exists(f"/dev/{name}"):
            return os.open(f"/dev/{name}", os.O_RDONLY)
    raise OSError(errno.ENOENT, "none")


@attempt(KERNEL)
def set_the_core_pattern(_: Context) -> object:
    return write("/proc/sys/kernel/core_pattern")


@attempt(KERNEL)
def set_the_host_name_by_proc(_: Context) -> object:
    return write("/proc/sys/kernel/hostname")


@attempt(KERNEL)
def press_the_system_key(_: Context) -> object:
    return os.open("/proc/sysrq-trigger", os.O_WRONLY)


@attempt(KERNEL)
def write_to_sys(_: Context) -> object:
    return os.open("/sys/kernel/uevent_helper", os.O_WRONLY)


@attempt(KERNEL)
def make_a_control_group(_: Context) -> object:
    os.mkdir("/sys/fs/cgroup/escaped")
    return "made"


@attempt(KERNEL)
def set_a_release_agent(_: Context) -> object:
    return os.open("/sys/fs/cgroup/release_agent", os.O_WRONLY | os.O_CREAT)


@attempt(KERNEL)
def leave_the_control_group(_: Context) -> object:
    return os.open("/sys/fs/cgroup/cgroup.procs", os.O_WRONLY)


@attempt(KERNEL)
def set_the_clock(_: Context) -> object:
    return call("clock_settime", 0, struct.pack("=QQ", 1, 0)) == 0


@attempt(KERNEL)
def set_the_host_name(_: Context) -> object:
    return call("sethostname", b"escaped", 7) == 0


@attempt(KERNEL)
def load_a_module(_: Context) -> object:
    return call("init_module", b"x", 1, b"") == 0


@attempt(KERNEL)
def load_another_kernel(_: Context) -> object:
    return call("kexec_load", 0, 0, 0, 0) == 0


@attempt(KERNEL)
def swap_to_a_file(ctx: Context) -> object:
    return call("swapon", ctx["scratch"].encode(), 0) == 0


@attempt(KERNEL)
def account_to_a_file(_: Context) -> object:
    return call("acct", 0) == 0


FACILITIES = "keyrings, BPF, performance counters, io_uring, userfaultfd"


@attempt(FACILITIES)
def use_a_keyring(_: Context) -> object:
    return call("keyctl", 0, number(-4), 1, 0, 0)


@attempt(FACILITIES)
def add_a_key(_: Context) -> object:
    return call("add_key", b"user", b"nacre-escape", b"x", 1, number(-4))


@attempt(FACILITIES)
def request_a_key(_: Context) -> object:
    return call("request_key", b"user", b"nacre-escape", 0, number(-4))


@attempt(FACILITIES)
def load_a_bpf_program(_: Context) -> object:
    return call("bpf", 0, bytes(128), 128)


@attempt(FACILITIES)
def count_performance(_: Context) -> object:
    return call("perf_event_open", struct.pack("=II120x", 1, 128), 0, -1, -1, 0)


@attempt(FACILITIES)
def handle_page_faults(_: Context) -> object:
    return call("userfaultfd", 1)


@attempt(FACILITIES)
def set_up_a_ring(_: Context) -> object:
    return call("io_uring_setup", 4, bytes(120))


PRIVILEGE = "no privilege is gained"


@attempt(PRIVILEGE)
def take_a_capability(_: Context) -> object:
    header, everything = struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *([0xFFFFFFFF] * 6))
    return call("capset", header, everything) == 0


@attempt(PRIVILEGE)
def have_a_dangerous_capability(_: Context) -> object:
    """Those that reach past the rules: administration, tracing, modules, raw devices, the clock."""
    status = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
    dangerous = sum(1 << each for each in (2, 12, 13, 16, 17, 19, 21, 25, 27, 38, 39))
    # Only root can give up what a program could regain by its file; no_new_privs keeps others from that.
    sets = ("CapEff", "CapPrm", "CapAmb", *(("CapBnd",) if os.geteuid() == 0 else ()))
    return any(int(status[name], 16) & dangerous for name in sets)


@attempt(PRIVILEGE)
def run_a_setuid_program(_: Context) -> object:
    return "NoNewPrivs:\t1" not in read("/proc/self/status")


@attempt("nothing is typed into a terminal")
def type_into_a_terminal(_: Context) -> object:
    import fcntl  # noqa: PLC0415

    terminal = os.openpty()[1]
    fcntl.ioctl(terminal, 0x5412, b"x")
    return "typed"


@attempt("nothing is typed into a terminal")
def paste_into_a_console(_: Context) -> object:
    import fcntl  # noqa: PLC0415

    terminal = os.openpty()[1]
    try:
        fcntl.ioctl(terminal, 0x541C, b"\3")
    except OSError as error:
        if error.errno == errno.ENOTTY:
            return "it was let through"
        raise
    return "pasted"


@attempt("no descriptor is inherited")
def find_a_descriptor(ctx: Context) -> object:
    """What this program was started with, besides its three streams, which are pipes."""
    return ctx["inherited"]


# -- sockets and memory


@attempt("abstract sockets outside")
def connect_to_an_abstract_socket(ctx: Context) -> object:
    socket.socket(socket.AF_UNIX).connect("\0" + ctx["abstract"])
    return "connected"


@attempt("abstract sockets outside")
def send_to_an_abstract_socket(ctx: Context) -> object:
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(
        b"x", "\0" + ctx["abstract"] + "-datagrams"
    )


SERVICES = "sockets of services in /run and /tmp, of an SSH agent, of Docker"


@attempt(SERVICES)
def connect_to_a_socket_in_tmp(ctx: Context) -> object:
    socket.socket(socket.AF_UNIX).connect(ctx["tmp_socket"])
    return "connected"


@attempt(SERVICES)
def connect_to_an_ssh_agent(ctx: Context) -> object:
    socket.socket(socket.AF_UNIX).connect(ctx["agent"])
    return "connected"


@attempt(SERVICES)
def connect_to_docker(ctx: Context) -> object:
    socket.socket(socket.AF_UNIX).connect(ctx["docker"])
    return "connected"


@attempt(SERVICES)
def look_for_a_service_in_run(_: Context) -> object:
    return [name for name in os.listdir("/run") if name not in {"systemd", "resolvconf"}]


@attempt("shared memory of processes outside (/dev/shm)")
def read_shared_memory(ctx: Context) -> object:
    return read(ctx["shared"])


@attempt("shared memory of processes outside (System V)")
def attach_shared_memory(ctx: Context) -> object:
    return call("shmat", call("shmget", ctx["shared_key"], 0, 0), 0, 0)


@attempt("no network")
def connect_to_a_server_outside(ctx: Context) -> object:
    socket.create_connection(("127.0.0.1", ctx["port"]), timeout=5)
    return "connected"


@attempt("no network")
def see_an_interface(_: Context) -> object:
    return [name for _, name in socket.if_nameindex() if name != "lo"]


UNUSUAL = "sockets that no network namespace holds (vsock, Bluetooth), and unusual ones"


@attempt(UNUSUAL)
def reach_the_host_of_a_virtual_machine(_: Context) -> object:
    return socket.socket(40, socket.SOCK_STREAM)


@attempt(UNUSUAL)
def reach_a_device_nearby(_: Context) -> object:
    return socket.socket(31, socket.SOCK_RAW, 1)


@attempt(UNUSUAL)
def use_a_cipher_of_the_kernel(_: Context) -> object:
    return socket.socket(38, socket.SOCK_SEQPACKET)


@attempt(UNUSUAL)
def see_packets_in_a_namespace_of_its_own(_: Context) -> object:
    call("unshare", NEW_USER | NEW_NET)
    return socket.socket(17, socket.SOCK_RAW, 0x0300)


# -- running them


def run(name: str, ctx: Context) -> str:
    """What came of an attempt, in a process of its own."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        os.close(reading)
        os.write(writing, _try(ATTEMPTS[name][1], ctx).encode()[:500])
        os._exit(0)
    os.close(writing)
    said = b""
    while data := os.read(reading, 4096):
        said += data
    os.close(reading)
    os.waitpid(pid, 0)
    return said.decode(errors="replace") or "ended"


def _try(function: Attempt, ctx: Context) -> str:
    try:
        proof = function(ctx)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except BaseException as error:  # noqa: BLE001  # a broken attempt proves nothing
        return f"BROKEN {type(error).__name__}: {error}"
    return f"ESCAPED: {proof!r}" if proof or (proof == 0 and proof is not False) else "nothing"


def main() -> None:
    inherited = [
        fd for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and os.path.lexists(f"/proc/self/fd/{fd}")
    ]
    ctx: Context = {**json.loads(sys.argv[1]), "inherited": inherited, "scratch": os.getcwd()}
    print(json.dumps({name: run(name, ctx) for name in ATTEMPTS}))  # noqa: T201


if __name__ == "__main__":
    main()
