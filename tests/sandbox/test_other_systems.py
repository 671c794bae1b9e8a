"""The builders for macOS and Windows: what a level becomes there. Neither is run here."""

from __future__ import annotations

import re

import pytest

from nacre.sandbox import job_object
from nacre.sandbox.job_object import build_windows_plan
from nacre.sandbox.profile import Level, Placeholder, Profile
from nacre.sandbox.seatbelt import seatbelt_argv, seatbelt_text

EVIL = '/Users/me/pro"ject) (allow default'
SPOOL = "/private/tmp/nacre-501/5f0c"


def profile(level: Level, **more: object) -> Profile:
    strict = level is Level.STRICT
    values: dict[str, object] = {
        "level": level,
        "workspace": EVIL,
        "writable": () if level is Level.READ_ONLY else (EVIL, "/Users/me/.cache"),
        "hidden": ("/Users/me/.aws", "/Users/me/.ssh/id_ed25519"),
        "protected": (f"{EVIL}/.git/config",) if level is not Level.READ_ONLY else (),
        "sockets": (),
        "private_tmp": f"{SPOOL}/tmp",
        "network": not strict,
        "hosts": None,
        "own_processes_only": strict,
        "placeholders": (Placeholder(f"{EVIL}/.mcp.json"),) if level is not Level.READ_ONLY else (),
        **more,
    }
    return Profile(**values)  # pyright: ignore[reportArgumentType]  # by name


STRICT = """\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-ioctl (regex #"^/dev/tty"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random")\
 (literal "/dev/urandom") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/(fd|ttys)"))
(allow file-write* (subpath (param "WRITE_0")) (subpath (param "WRITE_1")) (subpath (param "SPOOL")))
(deny file-read* file-write* (subpath (param "HIDDEN_0")) (subpath (param "HIDDEN_1")))
(allow file-read* file-write* (subpath (param "SPOOL")))
(deny file-write* (subpath (param "PROTECTED_0")) (subpath (param "PROTECTED_1")))
(allow mach-lookup SERVICES)
(allow ipc-posix-shm* ipc-posix-sem)
(allow pseudo-tty)
(allow network* (subpath (param "WRITE_0")) (subpath (param "WRITE_1")) (subpath (param "SPOOL")))
"""


def without_services(text: str) -> str:
    return re.sub(r"\(allow mach-lookup .*\)\n", "(allow mach-lookup SERVICES)\n", text)


@pytest.mark.req("sandbox-macos")
def test_strict_on_macos_is_this_text() -> None:
    assert without_services(seatbelt_text(profile(Level.STRICT))) == STRICT


@pytest.mark.req("sandbox-macos")
def test_other_levels_on_macos_differ_in_what_they_mean() -> None:
    workspace = seatbelt_text(profile(Level.WORKSPACE, sockets=("/var/run/docker.sock",)))
    assert '(allow network-outbound (remote ip "*:*"))' in workspace
    assert '(allow network-outbound (literal (param "SOCKET_0")))' in workspace
    assert "(allow process-info*)" in workspace
    read_only = seatbelt_text(profile(Level.READ_ONLY))
    assert '(allow file-write* (subpath (param "SPOOL")))' in read_only
    assert "WRITE_" not in read_only
    assert "PROTECTED_" not in read_only
    listed = seatbelt_text(profile(Level.WORKSPACE, network=False, hosts=("example.com",)))
    assert '(allow network-outbound (remote ip "localhost:*"))' in listed
    assert '"*:*"' not in listed


@pytest.mark.req("sandbox-macos")
@pytest.mark.parametrize("level", [Level.WORKSPACE, Level.READ_ONLY, Level.STRICT])
def test_no_path_of_a_person_is_in_the_text_and_every_parameter_is_given(level: Level) -> None:
    program, flag, text, *options = seatbelt_argv(profile(level), SPOOL)
    assert (program, flag) == ("/usr/bin/sandbox-exec", "-p")
    assert "/Users" not in text
    assert text.count("(") == text.count(")")
    assert options[::2] == ["-D"] * (len(options) // 2)
    given = dict(option.split("=", 1) for option in options[1::2])
    assert set(re.findall(r'\(param "(\w+)"\)', text)) == set(given)
    if level is not Level.READ_ONLY:
        assert given["WRITE_0"] == EVIL
        assert given["PROTECTED_1"] == f"{EVIL}/.mcp.json"


@pytest.mark.req("sandbox-macos")
def test_what_denies_stands_behind_what_allows_on_macos() -> None:
    """The last rule that matches decides there."""
    lines = seatbelt_text(profile(Level.WORKSPACE)).splitlines()
    places = {line.partition(" (")[0]: number for number, line in enumerate(lines)}
    assert places["(allow file-read*)"] < places["(deny file-read* file-write*"]
    assert lines.index(
        '(deny file-write* (subpath (param "PROTECTED_0")) (subpath (param "PROTECTED_1")))'
    ) > max(number for number, line in enumerate(lines) if line.startswith("(allow file-"))


@pytest.mark.req("sandbox-windows")
def test_a_level_on_windows_is_a_job_a_token_and_marked_directories() -> None:
    plan = build_windows_plan(profile(Level.WORKSPACE), SPOOL, processes=50, memory_bytes=1 << 30, cpu_s=60)
    assert plan.job == job_object.JobLimits(0x260C, 0xFF, 50, 1 << 30, 600_000_000)
    assert plan.token == job_object.TokenPlan(
        0x9, ("S-1-5-32-544", "S-1-5-32-547"), ("S-1-1-0", "S-1-5-32-545", "S-1-5-12"), "S-1-16-4096"
    )
    assert plan.marked_low == (EVIL, "/Users/me/.cache", SPOOL)
    assert build_windows_plan(profile(Level.READ_ONLY), SPOOL).marked_low == (SPOOL,)
    assert build_windows_plan(profile(Level.READ_ONLY), SPOOL).job.flags == 0x2400


@pytest.mark.req("sandbox-windows")
def test_what_windows_does_not_hold_is_said() -> None:
    assert "reading secrets" in build_windows_plan(profile(Level.WORKSPACE), SPOOL).not_held
    assert "the network" not in build_windows_plan(profile(Level.WORKSPACE), SPOOL).not_held
    assert {"the network", "seeing other processes"} <= set(
        build_windows_plan(profile(Level.STRICT), SPOOL).not_held
    )
