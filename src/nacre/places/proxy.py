"""The proxy through which commands in a sandbox reach the hosts that the settings name, and no others.

Above it: `confined`, which makes one only where there is such a list. Below: `sandbox.hosts`, which decides.

Nothing listens on the machine itself: the keeper, which has a network of its own with nothing but a loopback
interface, opens the listening socket there and hands it over before its first command. Connections that come
in on it come from inside the sandbox.

A name is resolved once, and the addresses that were judged are the ones that are connected to. CONNECT makes
a tunnel; a plain request is passed on with the host of its own URL, one through each connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import time
from collections import deque
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

from nacre.sandbox.hosts import normal_host
from nacre.sandbox.processes import command_with_port

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.sandbox.hosts import AllowedHosts
    from nacre.sandbox.profile import Refusal

    # From a name and a port to the addresses that it has.
    Resolve = Callable[[str, int], Awaitable[list[str]]]

PORT = 3128  # inside the sandbox, where no other service runs
HEAD_BYTES = 1 << 16
HEAD_S, CONNECT_S, CLOSE_S = 30, 20, 5
CHUNK_BYTES = 1 << 16
REMEMBERED = 200  # refusals
CONNECTIONS = 256
_LINE = re.compile(r"([A-Z]+) (\S+) HTTP/1\.[01]")
_TARGET = re.compile(r"(?P<host>\[[^\]]+\]|[^:/?#@\s]+)(?::(?P<port>\d{1,5}))?")
_URL = re.compile(r"http://(?:[^/?#@\s]*@)?(?P<target>[^/?#@\s]+)(?P<path>[^#\s]*)", re.IGNORECASE)
_HOP = ("connection", "host", "keep-alive", "proxy-authorization", "proxy-connection")


class _RefusedError(Exception):
    """A request that is not passed on."""

    def __init__(self, status: str, why: str, refusal: Refusal | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.refusal = refusal  # None: not a request, or the host does not exist


class _Noted(NamedTuple):
    """A host that was refused: when, and to which command (0: not known)."""

    when: float
    command: int
    refusal: Refusal


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system knows them. OSError: it has none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Proxy:
    """One list of hosts, the connections to them, and what was refused."""

    def __init__(self, hosts: AllowedHosts, resolve: Resolve = resolve) -> None:
        self._hosts = hosts
        self._resolve = resolve
        self._refused: deque[_Noted] = deque(maxlen=REMEMBERED)
        self._servers: list[asyncio.Server] = []
        self._slots = asyncio.Semaphore(CONNECTIONS)
        self._awaited: list[socket.socket] = []

    def expect_listener(self) -> socket.socket:
        """The channel for a keeper that is about to start, on which it sends back its listening socket."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._awaited.append(ours)
        return theirs

    def begin(self) -> None:
        """Serve the keepers that were started so far, now that the event loop runs."""
        for ours in self._awaited:
            asyncio.get_running_loop().add_reader(ours, self._take_listener, ours)

    def _take_listener(self, ours: socket.socket) -> None:
        self._forget(ours)
        with ours, contextlib.suppress(OSError):
            _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
            for descriptor in descriptors:
                listener = socket.socket(fileno=descriptor)
                task = asyncio.create_task(self._serve(listener))
                task.add_done_callback(lambda done: done.exception())

    async def _serve(self, listener: socket.socket) -> None:
        self._servers.append(await asyncio.start_server(self._client, sock=listener, limit=HEAD_BYTES))

    def _forget(self, ours: socket.socket) -> None:
        self._awaited.remove(ours)
        asyncio.get_running_loop().remove_reader(ours)

    def close(self) -> None:
        """Accept no more connections; existing ones end with their commands."""
        for ours in list(self._awaited):
            with contextlib.suppress(RuntimeError):  # there may be no event loop yet
                self._forget(ours)
            ours.close()
        for server in self._servers:
            server.close()

    @property
    def port(self) -> int:
        """Its port, inside the sandbox."""
        return PORT

    @property
    def variables(self) -> dict[str, str]:
        """The variables that name the proxy, in every common spelling."""
        there = f"http://127.0.0.1:{PORT}"
        shared: dict[str, str] = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), there)
        shared["NO_PROXY"] = ",".join(self._hosts.direct)
        return {**shared, **{name.lower(): value for name, value in shared.items()}}

    def refused_since(self, moment: float, command: int) -> tuple[Refusal, ...]:
        """Each host that was refused to a command, or to an unknown one, since then (`time.monotonic`)."""
        noted = [each for each in self._refused if each.when >= moment and each.command in {0, command}]
        return tuple(dict.fromkeys(each.refusal for each in noted))

    # -- a connection

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self._slots:
            try:
                await self._answer(reader, writer)
            except _RefusedError as refused:
                if refused.refusal is not None:
                    await self._note(refused.refusal, writer)
                await _say(writer, refused)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass  # a peer that has hung up needs no answer
            finally:
                await _close(writer)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HEAD_S):
            head = await reader.readuntil(b"\r\n\r\n")
        method, target, lines = _parsed(head)
        if method == "CONNECT":
            host, port = _host_and_port(target, 443)
            first, answer = b"", b"HTTP/1.1 200 Connection established\r\n\r\n"
        else:
            url = _URL.fullmatch(target)
            if url is None:
                raise _RefusedError("400 Bad Request", "this is a proxy for http:// and CONNECT")
            host, port = _host_and_port(url["target"], 80)
            first, answer = _passed_on(method, url, lines), b""
        upstream = await self._connect(host, port)
        await _tunnel((reader, writer), upstream, first, answer)

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a host that may be reached, by an address that was judged."""
        if refusal := self._hosts.refuse_host(host, port):
            raise _forbidden(refusal)
        try:
            addresses = await self._resolve(host, port)
        except OSError as error:
            raise _RefusedError("502 Bad Gateway", f"{host} has no address: {error.strerror}") from None
        for address in addresses:
            if refusal := self._hosts.refuse_address(host, port, ip_address(address.partition("%")[0])):
                raise _forbidden(refusal)
        for address in addresses:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(CONNECT_S):
                    return await asyncio.open_connection(address, port)
        raise _RefusedError("502 Bad Gateway", f"{host}:{port} cannot be reached")

    async def _note(self, refusal: Refusal, writer: asyncio.StreamWriter) -> None:
        """Remember what was refused, and to which command, which can be found because it waits."""
        when, port = time.monotonic(), writer.get_extra_info("peername")[1]
        command = await asyncio.to_thread(command_with_port, port, PORT)
        self._refused.append(_Noted(when, command, refusal))


def _forbidden(refusal: Refusal) -> _RefusedError:
    return _RefusedError("403 Forbidden", f"the sandbox refused {refusal.path}: {refusal}.", refusal)


def _parsed(head: bytes) -> tuple[str, str, list[bytes]]:
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _LINE.fullmatch(first.decode("latin-1"))
    if found is None or any(line[:1] in b" \t" or b":" not in line for line in lines):
        raise _RefusedError("400 Bad Request", "this is no request")
    return found[1], found[2], lines


def _host_and_port(target: str, usual_port: int) -> tuple[str, int]:
    found = _TARGET.fullmatch(target)
    try:
        host = normal_host(found["host"] if found else "")
    except ValueError:
        raise _RefusedError("400 Bad Request", "this names no host") from None
    return host, int(found["port"]) if found and found["port"] else usual_port


def _passed_on(method: str, url: re.Match[str], lines: list[bytes]) -> bytes:
    """A plain request as the host itself wants it, for one answer; its `Host` is that of its URL."""
    path = url["path"] if url["path"].startswith("/") else f"/{url['path']}"
    kept = [line for line in lines if line.partition(b":")[0].strip().lower().decode("latin-1") not in _HOP]
    head = [f"{method} {path} HTTP/1.1".encode("latin-1"), f"Host: {url['target']}".encode("latin-1"), *kept]
    return b"\r\n".join([*head, b"Connection: close", b"", b""])


async def _tunnel(
    client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    upstream: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    first: bytes,
    answer: bytes,
) -> None:
    """Carry bytes both ways until both have ended."""
    try:
        upstream[1].write(first)
        client[1].write(answer)
        async with asyncio.TaskGroup() as both:
            both.create_task(_carry(client[0], upstream[1]))
            both.create_task(_carry(upstream[0], client[1]))
    except* OSError:
        pass
    finally:
        await _close(upstream[1])


async def _carry(source: asyncio.StreamReader, goal: asyncio.StreamWriter) -> None:
    while chunk := await source.read(CHUNK_BYTES):
        goal.write(chunk)
        await goal.drain()
    if goal.can_write_eof():
        goal.write_eof()


async def _close(writer: asyncio.StreamWriter) -> None:
    """Close a connection; one whose other end takes nothing more is cut."""
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_S):
            await writer.wait_closed()
    except OSError:
        writer.transport.abort()


async def _say(writer: asyncio.StreamWriter, refusal: _RefusedError) -> None:
    body = f"nacre: {refusal.why}\n".encode()
    head = f"HTTP/1.1 {refusal.status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    with contextlib.suppress(OSError):
        await writer.drain()
