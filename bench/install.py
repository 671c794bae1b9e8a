"""Peers by package name, each into a folder of its own under .bench/peers, with the pip and npm of here.

A peer that cannot be installed is told and left out; the run goes on without it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.client import fill

if TYPE_CHECKING:
    from bench.model import Server
    from bench.peers import Peer

HOME = Path(__file__).parents[1] / ".bench" / "peers"
PATIENCE_S = 600
_NPM = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact")


class CannotInstall(Exception):  # noqa: N818  # a fact of this machine
    """Why a peer is left out, in one line."""


def installed(peer: Peer) -> Server:
    """The peer, ready to be started; installs it unless the same packages are there."""
    folder = HOME / peer.server.name
    wanted, stamp = _wanted(peer), folder / "installed.json"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Installing {peer.server.name} into .bench (once) ...", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (_with_pip if peer.manager == "pip" else _with_npm)(peer, folder)
        for name, program in peer.links.items():
            (folder / name).symlink_to(shutil.which(program) or program)
        stamp.write_text(wanted)
    server = _filled(peer, folder)
    if not os.access(server.argv[0], os.X_OK):
        raise CannotInstall(f"its packages have no {server.argv[0].removeprefix(f'{folder}/')}")
    return server


def _wanted(peer: Peer) -> str:
    return json.dumps(
        {"packages": list(peer.packages), "overrides": dict(peer.overrides), "links": dict(peer.links)}
    )


def _with_pip(peer: Peer, folder: Path) -> None:
    make_venv = Path(__file__).parents[1] / "scripts" / "make-venv.sh"
    _run("sh", str(make_venv), sys.executable, str(folder))
    python = str(folder / "bin" / "python")
    _run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *peer.packages)
    _run(python, "-m", "compileall", "-q", str(folder / "lib"), check=False)


def _with_npm(peer: Peer, folder: Path) -> None:
    package = {"private": True, "overrides": dict(peer.overrides)}
    (folder / "package.json").write_text(json.dumps(package))
    _run(*_NPM, "--prefix", str(folder), *peer.packages, cwd=folder)


def _run(*argv: str, cwd: Path | None = None, check: bool = True) -> None:
    try:
        done = subprocess.run(
            argv, cwd=cwd, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE_S
        )
    except FileNotFoundError:
        raise CannotInstall(f"{argv[0]} is not there") from None
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"{argv[0]} took more than {PATIENCE_S} s") from None
    if check and done.returncode:
        raise CannotInstall(f"{Path(argv[0]).name} ended with {done.returncode}")


def _filled(peer: Peer, folder: Path) -> Server:
    machine = platform.machine()
    names = {
        "peer": str(folder),
        "node": shutil.which("node") or "node",
        "machine": machine,
        "arch": {"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine),
    }
    number = peer.packages[0].replace("==", "@").rpartition("@")[2]
    server = peer.server
    return replace(
        server, argv=fill(list(server.argv), names), env=fill(dict(server.env), names), version=number
    )
