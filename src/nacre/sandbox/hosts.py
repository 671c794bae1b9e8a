"""Which hosts commands in a sandbox may reach: names and ports, then the addresses that they lead to. Pure.

Above it: `places.proxy`, which asks before it connects. A name alone is not trusted: if it resolved to a
private address, perhaps by changing DNS answers, it would open the person's own network. So each address is
judged, and exactly that address is used.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.sandbox.profile import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address
    Network = ipaddress.IPv4Network | ipaddress.IPv6Network

SETTING = "sandbox_network"
USUAL_PORTS = (80, 443)
_NAME = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?|\*")
_ENTRY = re.compile(r"(?P<host>\[[^\]]+\]|[^:]+|[0-9a-fA-F:]+:[0-9a-fA-F:]*)(?::(?P<port>\d{1,5}))?")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class _Entry:
    host: str  # a name, `*.` and a name, `*`, or an address
    port: int | None  # None: the usual ones

    def names(self, host: str, port: int) -> bool:
        if port != self.port if self.port is not None else port not in USUAL_PORTS:
            return False
        if self.host == "*":
            return True
        return host.endswith(self.host[1:]) if self.host.startswith("*.") else host == self.host


class AllowedHosts:
    """The list of the settings: `api.example.com`, `*.example.org`, `host:8443`, `10.1.2.3`, `10.0.0.0/8`."""

    def __init__(self, entries: Iterable[str]) -> None:
        """ValueError names an invalid entry."""
        self._entries: list[_Entry] = []
        self._networks: list[Network] = []  # private networks that are allowed
        for entry in entries:
            if "/" in entry:
                self._networks.append(_network(entry))
                continue
            host, port = _parsed(entry)
            self._entries.append(_Entry(host, port))
            if (address := address_of(host)) is not None:
                self._networks.append(ipaddress.ip_network(_unwrapped(address)))
        hosts = {entry.host for entry in self._entries}
        if "localhost" in hosts:
            self._networks += [ipaddress.ip_network("127.0.0.1"), ipaddress.ip_network("::1")]
        # What is reached without the proxy: the sandbox's own loopback, as far as it is not the machine's.
        self.direct = tuple(name for name in _LOOPBACK_NAMES if name not in hosts)

    def refuse_host(self, host: str, port: int) -> Refusal | None:
        """Why a name and a port may not be used, and the setting that allows it; None: they may."""
        if any(entry.names(host, port) for entry in self._entries):
            return None
        if (address := address_of(host)) is not None and port in USUAL_PORTS and self._is_opened(address):
            return None
        return Refusal(_shown(host, port), "it is not in the list", SETTING, _entry(host, port))

    def refuse_address(self, host: str, port: int, address: Address) -> Refusal | None:
        """Why an address of an allowed name may not be connected to; None: it may."""
        plain = _unwrapped(address)
        if (plain.is_global and not plain.is_multicast) or self._is_opened(plain):
            return None
        reason = f"it leads to {address}, a private address, which must be named beside it"
        return Refusal(_shown(host, port), reason, SETTING, str(plain))

    def _is_opened(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def _shown(host: str, port: int) -> str:
    return f"{f'[{host}]' if ':' in host else host}:{port}"


def _entry(host: str, port: int) -> str:
    """The entry that the list would need."""
    return host if port in USUAL_PORTS else _shown(host, port)


def address_of(host: str) -> Address | None:
    """The address that a host is written as; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def normal_host(host: str) -> str:
    """A normalized host: lower case, no trailing dot, no brackets. ValueError: it is invalid."""
    plain = host.lower().removeprefix("[").removesuffix("]").removesuffix(".")
    if address_of(plain) is None and (not _NAME.fullmatch(plain) or plain.startswith("*")):
        raise ValueError("no host")
    return plain


def _parsed(entry: str) -> tuple[str, int | None]:
    found = _ENTRY.fullmatch(entry)
    host = found["host"].lower().strip("[]").removesuffix(".") if found else ""
    port = int(found["port"]) if found and found["port"] else None
    if (address_of(host) is None and not _NAME.fullmatch(host)) or port == 0 or (port or 1) > 0xFFFF:  # noqa: PLR2004  # the highest port
        raise ValueError(f"{entry!r} is no host, host:port or network")
    return host, port


def _network(entry: str) -> Network:
    try:
        return ipaddress.ip_network(entry)
    except ValueError:
        raise ValueError(f"{entry!r} is no host, host:port or network") from None


def _unwrapped(address: Address) -> Address:
    """The address inside of an IPv6 address that embeds one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
