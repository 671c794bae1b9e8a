"""What `make test-container` needs: podman, podman-compose, and a base image made without any registry.

Debian's debootstrap makes a root filesystem, podman imports it. All of it lies in .container/, so that a
second run finds it there. Needs root, and a Debian (or its kin) for apt-get.
"""

# ruff: noqa: S603, S607  # it starts programs, by name: that is what it is for
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".container"
COMPOSE = HOME / "compose"  # a virtual environment: Debian 12's own cannot start a service without network
BASE = "localhost/nacre-base:bookworm"
PROGRAMS = {
    "podman": "podman",
    "runc": "runc",
    "debootstrap": "debootstrap",
    "git": "git",
}
IN_THE_BASE = "python3,python3-venv,git"
# Root without CAP_SYS_RESOURCE cannot raise limits; crun does not know every mixture of cgroup versions; a
# machine without systemd has no journal.
CONTAINERS_CONF = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


def environment() -> dict[str, str]:
    """What makes a plain `podman` use a configuration and a store of our own."""
    ours = {"CONTAINERS_CONF": HOME / "containers.conf", "CONTAINERS_STORAGE_CONF": HOME / "storage.conf"}
    return {**os.environ, **{name: str(path) for name, path in ours.items()}}


def run(*argv: str, **more: object) -> subprocess.CompletedProcess[str]:
    """Run a program; its failure is ours."""
    return subprocess.run(argv, check=True, text=True, env=environment(), **more)  # type: ignore[call-overload]


def install_programs() -> None:
    """The programs, by the names of Debian's packages."""
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if not missing:
        return
    if os.getuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(
            f"These tests want these Debian packages, and only root can install them: {' '.join(missing)}"
        )
    print(f"Installing {', '.join(missing)} ...", flush=True)
    run("apt-get", "-qq", "update")
    quiet = {**environment(), "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "-qq", "-y", "install", "--no-install-recommends", *missing]
    subprocess.run(install, check=True, env=quiet, stdout=subprocess.DEVNULL)


def configure_podman() -> None:
    """A store of our own, with the fastest driver that works here."""
    HOME.mkdir(exist_ok=True)
    (HOME / "containers.conf").write_text(CONTAINERS_CONF)
    for driver in ("overlay", "vfs"):
        text = f'[storage]\ndriver = "{driver}"\ngraphroot = "{HOME}/store"\nrunroot = "{HOME}/run"\n'
        (HOME / "storage.conf").write_text(text)
        tried = subprocess.run(["podman", "info"], env=environment(), capture_output=True, check=False)
        if tried.returncode == 0:
            return
    sys.exit(f"podman cannot be used here: {tried.stderr.decode()}")


def install_compose() -> None:
    """podman-compose from PyPI, unless that version is there."""
    lock, stamp = Path(__file__).with_name("requirements.lock"), COMPOSE / "lock"
    if stamp.exists() and stamp.read_text() == lock.read_text():
        return
    shutil.rmtree(COMPOSE, ignore_errors=True)
    run("sh", str(ROOT / "scripts" / "make-venv.sh"), sys.executable, str(COMPOSE))
    pip = [str(COMPOSE / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "install", "--require-hashes", "--no-deps", "-r", str(lock))
    shutil.copy(lock, stamp)


def mirror() -> list[str]:
    """Where this machine's own apt gets Debian from, if it is one; else debootstrap knows a place."""
    if "ID=debian" not in Path("/etc/os-release").read_text().splitlines():
        return []
    wanted = [
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        "Codename: bookworm",
    ]
    answer = subprocess.run(wanted, capture_output=True, text=True, check=False).stdout.split()
    return answer[:1]


def make_base() -> None:
    """The base image, unless it is there."""
    there = subprocess.run(["podman", "image", "exists", BASE], env=environment(), check=False)
    if there.returncode == 0:
        return
    root = HOME / "root"
    print("Making a base image with debootstrap; this takes a minute or two ...", flush=True)
    shutil.rmtree(root, ignore_errors=True)
    options = ["--variant=minbase", f"--include={IN_THE_BASE}"]
    with (HOME / "debootstrap.log").open("w") as log:
        run("debootstrap", *options, "bookworm", str(root), *mirror(), stdout=log, stderr=subprocess.STDOUT)
    archive = HOME / "base.tar"
    leave_out = [
        f"--exclude=./{path}" for path in ("var/cache/apt/*", "var/lib/apt/lists/*", "usr/share/doc/*")
    ]
    run("tar", "-C", str(root), *leave_out, "-cf", str(archive), ".")
    run("podman", "import", "--quiet", str(archive), BASE, stdout=subprocess.DEVNULL)
    archive.unlink()
    shutil.rmtree(root)


if __name__ == "__main__":
    install_programs()
    configure_podman()
    install_compose()
    make_base()
