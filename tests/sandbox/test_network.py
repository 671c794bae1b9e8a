"""The hosts that a sandbox reaches: what the list means, the proxy itself, and real commands behind it."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import ipaddress
import json
import os
import shutil
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox_harness import scratch_directory
from wire_client import configured, told_of

from nacre.keeper import processes
from nacre.places.proxy import Proxy
from nacre.sandbox.hosts import AllowedHosts, normal_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wire_client import WireClient

    Start = Callable[..., WireClient]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")


# -- what the list means


@pytest.mark.req("network-allowlist")
@pytest.mark.parametrize(
    ("entries", "host", "port", "allowed"),
    [
        (["api.example.com"], "api.example.com", 443, True),
        (["api.example.com"], "api.example.com", 80, True),
        (["api.example.com"], "api.example.com", 22, False),
        (["api.example.com"], "example.com", 443, False),
        (["api.example.com"], "evil-api.example.com", 443, False),
        (["api.example.com"], "api.example.com.evil.org", 443, False),
        (["*.example.org"], "a.example.org", 443, True),
        (["*.example.org"], "a.b.example.org", 443, True),
        (["*.example.org"], "example.org", 443, False),
        (["*.example.org"], "evilexample.org", 443, False),
        (["host.net:8443"], "host.net", 8443, True),
        (["host.net:8443"], "host.net", 443, False),
        (["API.Example.com."], "api.example.com", 443, True),
        (["10.1.2.3:5432"], "10.1.2.3", 5432, True),
        (["10.0.0.0/8"], "10.9.9.9", 443, True),
        (["10.0.0.0/8"], "11.9.9.9", 443, False),
        (["[2001:db8::1]:8080"], "2001:db8::1", 8080, True),
        (["*"], "anything.at.all", 443, True),
        (["*"], "anything.at.all", 25, False),
        ([], "example.com", 443, False),
    ],
)
def test_an_entry_means_a_host_and_its_ports(entries: list[str], host: str, port: int, allowed: bool) -> None:  # noqa: FBT001  # a column
    refusal = AllowedHosts(entries).refuse_host(host, port)
    assert (refusal is None) is allowed
    assert allowed or "sandbox_network = [" in str(refusal)


@pytest.mark.req("network-fails-closed")
@pytest.mark.parametrize(
    "entry", ["", "http://x", "a b", "x:0", "x:99999", "*x.com", "a.*.com", "10.0.0.1/8", "x/y"]
)
def test_what_is_no_host_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        AllowedHosts([entry])


@pytest.mark.req("network-private")
@given(st.ip_addresses())
def test_no_private_address_is_reached_by_any_name(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    refusal = AllowedHosts(["*", "*.example.org"]).refuse_address("x", 443, address)
    if not address.is_global:
        assert "private address" in str(refusal)
        assert AllowedHosts([f"{address}"]).refuse_address("x", 443, address) is None


@pytest.mark.req("network-private")
@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.1"),
        *("224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "::"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1"),
    ],
)
def test_private_addresses_in_every_guise_are_known(address: str) -> None:
    hosts = AllowedHosts(["*"])
    assert hosts.refuse_address("x", 443, ipaddress.ip_address(address))
    assert not hosts.refuse_address("x", 443, ipaddress.ip_address("93.184.216.34"))


@pytest.mark.req("network-allowlist")
@given(st.text(max_size=20))
def test_a_host_that_is_none_is_never_compared(text: str) -> None:
    with contextlib.suppress(ValueError):
        host = normal_host(text)
        assert host == host.lower()
        assert not set(host) & set("/?#@ \r\n*")


# -- the proxy


class Answers(http.server.BaseHTTPRequestHandler):
    """Tells what it was asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._tell(b"")

    def do_POST(self) -> None:
        self._tell(self.rfile.read(int(self.headers["Content-Length"])))

    def _tell(self, body: bytes) -> None:
        content = json.dumps([self.command, self.path, self.headers["Host"], body.decode()]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the class's own words
        """Say nothing."""


@pytest.fixture
def web() -> Iterator[int]:
    """A server on this machine; its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def exchange(
    entries: list[str], answers: dict[str, list[str]], request: bytes
) -> tuple[bytes, tuple[str, ...], list[str]]:
    """What the proxy says to a request, what it has refused, and the names that it has resolved."""
    asked: list[str] = []

    async def resolve(host: str, _port: int) -> list[str]:
        asked.append(host)
        if host not in answers:
            raise OSError(0, "unknown")
        return answers[host] if len(asked) == 1 else ["127.0.0.1"]  # a second answer would be another one

    async def run() -> tuple[bytes, tuple[str, ...], list[str]]:
        proxy = Proxy(AllowedHosts(entries), resolve)
        with proxy.expect_listener() as there, socket.create_server(("127.0.0.1", 0)) as listener:
            proxy.begin()
            socket.send_fds(there, [b"."], [listener.fileno()])
            reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(request)
        writer.write_eof()
        async with asyncio.timeout(30):
            answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        proxy.close()
        if served := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(served, timeout=30)
        for _ in range(3):  # transports are closed by callbacks
            await asyncio.sleep(0)
        return answer, tuple(f"{each.path}: {each}" for each in proxy.refused_since(0, 1)), asked

    return asyncio.run(run())


@pytest.mark.req("network-private")
@pytest.mark.parametrize("request_line", ["CONNECT good.example.org:443", "GET http://good.example.org/"])
@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["169.254.169.254"], ["93.184.216.34", "10.0.0.1"], ["::ffff:192.168.0.1"]]
)
def test_a_name_that_leads_to_a_private_address_is_refused(request_line: str, addresses: list[str]) -> None:
    request = f"{request_line} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    answer, refused, asked = exchange(["*.example.org"], {"good.example.org": addresses}, request)
    assert answer.startswith(b"HTTP/1.1 403 Forbidden")
    assert "good.example.org" in refused[0]
    assert "private address" in refused[0]
    assert asked == ["good.example.org"]


@pytest.mark.req("network-private")
def test_the_address_that_was_judged_is_the_one_that_is_used(web: int) -> None:
    lines = (f"GET http://name.test:{web}/a?b=1 HTTP/1.1", "Host: other.test", "Proxy-Connection: x", "", "")
    request = "\r\n".join(lines).encode()
    entries = [f"name.test:{web}", "127.0.0.1"]
    answer, refused, asked = exchange(entries, {"name.test": ["127.0.0.1"]}, request)
    assert answer.endswith(json.dumps(["GET", "/a?b=1", f"name.test:{web}", ""]).encode())
    assert (refused, asked) == ((), ["name.test"])


@pytest.mark.req("network-allowlist")
@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("CONNECT evil.com:443", "403"),
        ("CONNECT good.test:22", "403"),
        ("CONNECT good.test.:22", "403"),
        ("CONNECT 2130706433:443", "403"),
        ("CONNECT [::1]:443", "403"),
        ("GET http://good.test@evil.com/", "403"),
        ("GET http://evil.com#good.test/", "400"),
        ("GET https://good.test/", "400"),
        ("GET /path", "400"),
        ("CONNECT good.test:443:443", "400"),
        ("nonsense", "400"),
        ("CONNECT good.test:443", "502"),
    ],
)
def test_what_is_not_named_or_no_request_goes_nowhere(request_line: str, status: str) -> None:
    answer, refused, _ = exchange(
        ["good.test"], {}, f"{request_line} HTTP/1.1\r\nHost: good.test\r\n\r\n".encode()
    )
    assert answer.startswith(f"HTTP/1.1 {status}".encode())
    assert bool(refused) == (status == "403")


# -- real commands behind it


@pytest.fixture
def workspace() -> Iterator[Path]:
    """Not in /tmp, which commands in a sandbox have for themselves."""
    with scratch_directory() as directory:
        yield directory


PYTHON = "python3 -c \"import urllib.request as u; print(u.urlopen('{url}').read().decode())\""


@pytest.mark.req("network-allowlist")
@pytest.mark.req("network-refusals")
@pytest.mark.parametrize("level", ["workspace", "strict"])
def test_commands_reach_what_is_named_and_are_told_of_the_rest(
    start: Start, workspace: Path, web: int, level: str
) -> None:
    settings = f'sandbox = "{level}"\nsandbox_network = ["127.0.0.1:{web}", "*.example.org"]\n'
    server = configured(start, workspace, settings)
    url = f"http://127.0.0.1:{web}"
    wanted = json.dumps(["GET", "/x", f"127.0.0.1:{web}", ""])
    for session in ({}, {"session": "one"}):
        assert server.shell(PYTHON.format(url=f"{url}/x"), **session)["stdout"] == f"{wanted}\n"
        refused = server.shell(PYTHON.format(url="http://evil.test/"), **session)
        assert refused["exit_code"]
        assert f"The sandbox ({level}) refused evil.test:80" in refused["hints"][0]
        assert 'sandbox_network = ["evil.test"]' in refused["hints"][0]
    if shutil.which("curl"):
        assert server.shell(f"curl -sS -p {url}/x")["stdout"] == wanted
        posted = server.shell(f"curl -sS -d a=b {url}/p")["stdout"]
        assert json.loads(posted) == ["POST", "/p", f"127.0.0.1:{web}", "a=b"]
        assert "evil.test:443" in server.shell("curl -sS https://evil.test/")["hints"][0]
        assert server.shell(f"curl -sS --noproxy '*' {url}/x")["exit_code"]
    assert "hints" not in server.shell("echo fine")
    assert server.shell("grep -c : /proc/net/dev")["stdout"] == "1\n"  # its own loopback


@pytest.mark.req("network-refusals")
def test_only_the_command_that_wanted_a_host_is_told_of_its_refusal(start: Start, workspace: Path) -> None:
    server = configured(start, workspace, 'sandbox = "workspace"\nsandbox_network = ["*.example.org"]\n')
    waiting = "until [ -e go ]; do sleep 0.02; done; false"
    others = [
        server.post_call("shell", {"command": waiting, **session}) for session in ({}, {"session": "one"})
    ]
    refused = server.shell(f"({PYTHON.format(url='http://evil.test/')}) & wait $!")
    assert "refused evil.test:80" in refused["hints"][0]
    (workspace / "go").touch()
    for other in others:
        assert "hints" not in told_of(server.answer_to(other)["result"])


@pytest.mark.req("network-allowlist")
def test_the_way_to_the_hosts_is_there_again_after_the_keeper_was_killed(
    start: Start, workspace: Path, web: int
) -> None:
    settings = f'sandbox = "workspace"\nsandbox_network = ["127.0.0.1:{web}"]\n'
    server = configured(start, workspace, settings)
    ask = PYTHON.format(url=f"http://127.0.0.1:{web}/x")
    assert server.shell(ask)["exit_code"] == 0
    for pid in processes.below([server.process.pid]) - {server.process.pid}:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    server.call("shell", command="true")  # which may be the one that reports the loss
    assert server.shell(ask)["exit_code"] == 0


@pytest.mark.req("network-allowlist")
def test_servers_of_the_sandbox_itself_are_reached_without_the_proxy(start: Start, workspace: Path) -> None:
    server = configured(start, workspace, 'sandbox = "workspace"\nsandbox_network = ["example.org"]\n')
    served = (
        "import http.server as h, threading, urllib.request as u\n"
        "s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=s.handle_request).start()\n"
        "print(u.urlopen(f'http://localhost:{s.server_port}/').status)\n"
    )
    (workspace / "served.py").write_text(served)
    assert server.shell("python3 served.py", timeout=30)["stdout"] == "200\n"


@pytest.mark.req("network-fails-closed")
def test_a_list_that_is_wrong_or_cannot_be_held_ends_the_start(start: Start, workspace: Path) -> None:
    for line, complaint in (
        ('sandbox_network = ["http://x"]', "is no host"),
        ('sandbox_network = "some"', "must be on, off or a list of hosts"),
    ):
        server = configured(start, workspace, f'sandbox = "workspace"\n{line}\n', greet=False)
        assert server.wait() == 2
        server.wait_for_log(complaint)
    bare = workspace / "bin"
    bare.mkdir()
    settings = 'sandbox = "workspace"\nsandbox_network = ["example.org"]\nshell = "/bin/bash"\n'
    (workspace / "settings.toml").write_text(settings)
    server = start(
        "--config", str(workspace / "settings.toml"), cwd=workspace, env={"PATH": str(bare)}, greet=False
    )
    assert server.wait() == 2
    server.wait_for_log("a list of hosts needs bubblewrap")
