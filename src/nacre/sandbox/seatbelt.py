"""A profile as the language of macOS's `sandbox-exec`, and the command line that starts a keeper under it.

Above it: `places`, once it has been tried on a Mac; until then no server starts with it. Pure. The text
contains no path: paths are parameters (`-D`), so quoting cannot go wrong.

The same meaning as on Linux: all may be read but secrets, writes go where the profile says, and what is
protected stays. The last rule that matches decides. There is no private /tmp: TMPDIR names one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nacre.sandbox.profile import Profile

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
# Harmless devices, as on Linux.
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx")
RESOLVER = ("/private/var/run/mDNSResponder",)  # names of hosts are asked for there
SPOOL = '(subpath (param "SPOOL"))'
# Services without which ordinary programs do not start: names of users and hosts, preferences, the log.
SERVICES = (
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.system.notification_center",
    "com.apple.system.logger",
    "com.apple.logd",
    "com.apple.cfprefsd.agent",
    "com.apple.cfprefsd.daemon",
    "com.apple.trustd.agent",
    "com.apple.SystemConfiguration.configd",
    "com.apple.dnssd.service",
)


def seatbelt_argv(profile: Profile, spool_directory: str) -> list[str]:
    """The arguments before the keeper's own argv."""
    parameters = dict(_parameters(profile, spool_directory))
    options = [word for name, path in parameters.items() for word in ("-D", f"{name}={path}")]
    return [SANDBOX_EXEC, "-p", seatbelt_text(profile), *options]


def _parameters(profile: Profile, spool_directory: str) -> Iterator[tuple[str, str]]:
    yield "SPOOL", spool_directory
    yield from _named("WRITE", profile.writable)
    yield from _named("HIDDEN", profile.hidden)
    yield from _named("PROTECTED", _protected(profile))
    yield from _named("SOCKET", profile.sockets)


def _named(name: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((f"{name}_{number}", path) for number, path in enumerate(paths))


def _protected(profile: Profile) -> tuple[str, ...]:
    """What is there and what is not: a rule about a path needs no file under it."""
    return tuple(dict.fromkeys((*profile.protected, *(each.path for each in profile.placeholders))))


def seatbelt_text(profile: Profile) -> str:
    """The rules, without a single path of the person's."""
    return "\n".join(_rules(profile)) + "\n"


def _rules(profile: Profile) -> Iterator[str]:
    yield "(version 1)"
    yield "(deny default)"
    yield "(allow process-exec process-fork)"
    seen = "(allow process-info*{})"
    yield seen.format(" (target same-sandbox)" if profile.own_processes_only else "")
    yield "(allow signal (target same-sandbox))"
    yield "(allow sysctl-read)"
    yield "(allow file-read*)"
    yield '(allow file-ioctl (regex #"^/dev/tty"))'
    yield _rule("allow file-write*", _literals(DEVICES), '(regex #"^/dev/(fd|ttys)")')
    yield _rule("allow file-write*", _subpaths("WRITE", profile.writable), SPOOL)
    if hidden := _subpaths("HIDDEN", profile.hidden):
        yield _rule("deny file-read* file-write*", hidden)
        yield _rule("allow file-read* file-write*", SPOOL)  # it lies among those of other servers
    if protected := _subpaths("PROTECTED", _protected(profile)):
        yield _rule("deny file-write*", protected)
    yield _rule("allow mach-lookup", " ".join(f'(global-name "{name}")' for name in SERVICES))
    yield "(allow ipc-posix-shm* ipc-posix-sem)"
    yield "(allow pseudo-tty)"
    yield from _network(profile)


def _network(profile: Profile) -> Iterator[str]:
    """TCP and UDP, or nothing; sockets of services stay closed either way."""
    if profile.network:
        yield '(allow network-outbound (remote ip "*:*"))'
        yield '(allow network-inbound network-bind (local ip "*:*"))'
        yield _rule("allow network-outbound", _literals(RESOLVER))
    elif profile.proxy:  # which listens on the machine's own loopback there
        yield '(allow network-outbound (remote ip "localhost:*"))'
    yield _rule("allow network*", _subpaths("WRITE", profile.writable), SPOOL)
    if sockets := " ".join(f'(literal (param "{name}"))' for name, _ in _named("SOCKET", profile.sockets)):
        yield _rule("allow network-outbound", sockets)


def _rule(what: str, *about: str) -> str:
    return f"({' '.join(filter(None, (what, *about)))})"


def _literals(paths: Iterable[str]) -> str:
    return " ".join(f'(literal "{path}")' for path in paths)


def _subpaths(name: str, paths: Iterable[str]) -> str:
    return " ".join(f'(subpath (param "{parameter}"))' for parameter, _ in _named(name, paths))
