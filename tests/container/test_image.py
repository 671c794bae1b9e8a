"""The server in a container, for real: podman builds and runs it, a client drives it over `podman run -i`."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import PATIENCE_S, WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Open = Callable[..., WireClient]

pytestmark = pytest.mark.timeout(600)  # the first of them builds the image

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "presets" / "container.md"
MEGABYTES_512 = 512 * 1024 * 1024


def documented_run() -> list[str]:
    """The words of the hardened `podman run` in the docs, without the mount and the image's name."""
    blocks = re.findall(r"```sh\n(podman run .*?)```", DOCS.read_text(), re.DOTALL)
    words = shlex.split(blocks[0].replace("\\\n", " "))
    assert words[-3:] == ["-v", "$(pwd):/workspace", "mcp-shell-server"]
    return words[1:-3]


HARDENED = documented_run()


@pytest.fixture
def open_container(image: str, podman_environment: dict[str, str], workspace: Path) -> Iterator[Open]:
    """Start containers as the docs say; each ends with the test."""
    clients: list[WireClient] = []

    def opener(*more: str, options: tuple[str, ...] = ()) -> WireClient:
        mount = ["-v", f"{workspace}:/workspace"]
        client = WireClient(
            *(*HARDENED, *mount, *more, image, *options), program=["podman"], env=podman_environment
        )
        clients.append(client)
        if "--no-announce" not in options:
            assert client.receive()["result"]["protocolVersion"] == "2024-11-05"
        return client

    yield opener
    for client in clients:
        client.close()


def podman(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        ["podman", *words], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def execute(client: WireClient, command: str, *args: str) -> dict[str, Any]:
    answer = client.request("shell/exec", {"command": command, "args": list(args)})
    assert "result" in answer, answer
    return answer["result"]


def read(client: WireClient, path: str) -> str:
    reply = execute(client, "cat", path)
    assert reply["success"], reply
    return reply["stdout"]


def status(client: WireClient) -> dict[str, str]:
    lines = (line.partition(":") for line in read(client, "/proc/self/status").splitlines())
    return {name: value.strip() for name, _, value in lines}


# -- the document's commands


@pytest.mark.req("003-image")
@pytest.mark.req("003-example-status")
@pytest.mark.req("003-no-handshake")
def test_the_pipe_example_of_the_document(
    image: str, podman_environment: dict[str, str], workspace: Path
) -> None:
    subprocess.run(
        ["git", "init", "-q", "-b", "main", str(workspace)], check=True
    )  # root's own, inside 1000's
    line = '{"jsonrpc":"2.0","id":4,"method":"shell/exec","params":{"command":"git","args":["status"]}}'
    script = f"echo '{line}' | podman run --rm -i -v \"$(pwd):/workspace\" {image}"
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=workspace,
        env=podman_environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    first, answer = (json.loads(one) for one in done.stdout.splitlines())
    assert first["id"] is None
    assert answer["result"]["command"] == "git status"
    assert answer["result"]["stdout"].startswith("On branch main\n"), answer


PROJECT = {
    "name": "project",
    "version": "1.0.0",
    "dependencies": {"neighbour": "file:./neighbour"},
    "scripts": {
        "test": "node -e \"console.log('All tests passed')\"",
        "dev": "node -e \"require('http').createServer().listen(3000, () => {"
        "console.log('Server running'); process.exit()})\"",
        "probe": "python3 probe.py",
    },
}


@pytest.fixture
def project(workspace: Path) -> Path:
    """A project of Node in the workspace, whose dependency needs no network."""
    (workspace / "neighbour").mkdir()
    (workspace / "neighbour" / "package.json").write_text('{"name": "neighbour", "version": "1.0.0"}')
    (workspace / "package.json").write_text(json.dumps(PROJECT))
    return workspace


@pytest.mark.req("003-example-install")
@pytest.mark.req("003-desktop")
def test_npm_and_node_do_what_the_document_shows(open_container: Open, project: Path) -> None:
    client = open_container()
    assert execute(client, "npm", "install")["stdout"].startswith("\nadded 1 package")
    assert (project / "node_modules" / "neighbour").exists()
    assert execute(client, "npm", "test")["stdout"].endswith("All tests passed")
    assert execute(client, "npm", "run", "dev")["stdout"].endswith("Server running")
    assert execute(client, "node", "--version")["stdout"].startswith("v")


@pytest.mark.req("003-image-size")
def test_the_image_is_not_larger_than_it_says(image: str, podman_environment: dict[str, str]) -> None:
    (documented_mb,) = re.findall(r"The image is about (\d+) MB", DOCS.read_text())
    size_mb = int(podman(podman_environment, "inspect", "--format", "{{.Size}}", image)) / 1e6
    assert size_mb <= int(documented_mb) + 5


@pytest.mark.req("003-not-found")
@pytest.mark.req("003-error-format")
def test_errors_are_the_documents_in_the_container(open_container: Open, tmp_path: Path) -> None:
    (tmp_path / "nacre.toml").write_text("[container.allowed_commands]\nyarn = []\n")
    mount = ("-v", f"{tmp_path / 'nacre.toml'}:/nacre.toml:ro")
    client = open_container(*mount, options=("--config", "/nacre.toml"))
    for command, message in (
        ("rm", "Command 'rm' not allowed"),
        ("yarn", "Command execution failed: yarn: not found on PATH"),  # in the table, not in the image
    ):
        assert client.request("shell/exec", {"command": command})["error"] == {
            "code": -32000,
            "message": message,
        }


@pytest.mark.req("003-tools")
def test_a_client_with_a_handshake_is_served_over_podman(open_container: Open) -> None:
    client = open_container(options=("--no-announce",))
    greeting = client.shake_hands()
    assert greeting["serverInfo"]["name"] == "mcp-shell-server"
    result = client.call("shell_exec", command="echo", args=["hi"])
    assert result["structuredContent"]["stdout"] == "hi"
    assert text_of(client.call("shell_exec", command="rm")) == "Command 'rm' not allowed"


@pytest.mark.req("003-debug")
def test_debug_reaches_the_server_in_the_container(open_container: Open) -> None:
    client = open_container("-e", "DEBUG=mcp-shell")
    execute(client, "echo", "hi")
    client.hang_up()
    client.read_rest()
    assert client.wait() == 0
    assert b"starting (in /workspace, " in client.stderr


# -- what the container holds


@pytest.mark.req("003-user")
@pytest.mark.req("003-capabilities")
def test_nothing_is_root_and_there_are_no_capabilities(open_container: Open) -> None:
    client = open_container()
    shown = status(client)
    assert set(shown["Uid"].split()) == {"1000"}
    assert {int(shown[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")} == {0}
    assert shown["NoNewPrivs"] == "1"
    server = dict(
        line.split(":\t", 1) for line in read(client, "/proc/1/status").splitlines() if ":\t" in line
    )
    assert server["Uid"].split()[0] == "1000"


@pytest.mark.req("003-read-only")
@pytest.mark.req("003-mount")
def test_only_the_workspace_and_tmp_can_be_written(open_container: Open, project: Path) -> None:
    (project / "probe.py").write_text(
        "import os\nfor place in ('/workspace', '/tmp', '/', '/usr/bin', '/etc', '/opt/nacre'):\n"
        "    try:\n        open(f'{place}/x', 'w').close()\n        print('wrote', place)\n"
        "    except OSError as error:\n        print(error.strerror)\n"
    )
    client = open_container()
    lines = execute(client, "npm", "run", "probe")["stdout"].splitlines()[-6:]
    assert lines == ["wrote /workspace", "wrote /tmp", *["Read-only file system"] * 4]
    assert (project / "x").stat().st_uid == 1000
    mounts = [line.split() for line in read(client, "/proc/mounts").splitlines()]
    (root,) = [mount for mount in mounts if mount[1] == "/"]
    assert "ro" in root[3].split(",")


@pytest.mark.req("003-mount")
def test_another_user_can_be_named(open_container: Open, workspace: Path) -> None:
    os.chown(workspace, 4321, 4321)
    client = open_container("--user", "4321:4321")
    assert set(status(client)["Uid"].split()) == {"4321"}


@pytest.mark.req("003-no-network")
def test_there_is_no_network_but_the_loop(open_container: Open) -> None:
    lines = read(open_container(), "/proc/net/dev").splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]


@pytest.mark.req("003-limits")
def test_memory_cpu_and_processes_are_limited(
    open_container: Open, podman_environment: dict[str, str]
) -> None:
    client = open_container()
    (name,) = podman(podman_environment, "ps", "--quiet").split()
    limits = json.loads(podman(podman_environment, "inspect", name))[0]["HostConfig"]
    assert (limits["Memory"], limits["NanoCpus"], limits["PidsLimit"]) == (MEGABYTES_512, 500_000_000, 256)
    files = {  # cgroups of version 2, of version 1
        "memory": (("memory.max", str(MEGABYTES_512)), ("memory/memory.limit_in_bytes", str(MEGABYTES_512))),
        "cpu": (("cpu.max", "50000 100000"), ("cpu/cpu.cfs_quota_us", "50000")),
        "pids": (("pids.max", "256"), ("pids/pids.max", "256")),
    }
    for area, versions in files.items():
        answers = {file: execute(client, "cat", f"/sys/fs/cgroup/{file}")["stdout"] for file, _ in versions}
        assert any(answers[file] == value for file, value in versions), (area, answers)


@pytest.mark.req("003-context")
def test_the_build_context_is_only_what_is_needed(open_container: Open) -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[1] == "*"  # everything but what follows
    client = open_container()
    assert execute(client, "ls", "-l", "/build")["success"] is False  # the final stage has none of it


# -- a container that was left open

NETWORK_PROBE = """\
import socket
def attempt(name, work):
    try:
        work()
        print(name, "done")
    except OSError as error:
        print(name, error.strerror)
def reach(family, address):
    return lambda: socket.socket(family, socket.SOCK_STREAM).connect(address)
def fast_open():
    socket.socket().sendto(b"x", 0x20000000, ("10.0.0.1", 80))
def fast_open_message():
    socket.socket().sendmsg([b"x"], [], 0x20000000, ("10.0.0.1", 80))
attempt("listen", lambda: socket.create_server(("", 3000)))
attempt("interfaces", socket.if_nameindex)
attempt("tcp", reach(socket.AF_INET, ("10.0.0.1", 80)))
attempt("tcp6", reach(socket.AF_INET6, ("fd00::1", 80)))
attempt("unix", reach(socket.AF_UNIX, "/workspace/socket"))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
attempt("udp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
attempt("mptcp", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))
attempt("sctp", lambda: socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, 132))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("fast open", fast_open)
attempt("fast open message", fast_open_message)
"""
OPEN = ("run", "--rm", "-i")  # as the document writes it


@pytest.fixture
def open_left_open(image: str, podman_environment: dict[str, str], project: Path) -> Iterator[Open]:
    """Start containers with nothing said but the mount."""
    clients: list[WireClient] = []

    def opener(*options: str) -> WireClient:
        words = (*OPEN, "-v", f"{project}:/workspace", image, "--no-announce", *options)
        clients.append(WireClient(*words, program=["podman"], env=podman_environment))
        return clients[-1]

    yield opener
    for client in clients:
        client.close()


@pytest.mark.req("003-self-confined")
def test_an_open_container_is_warned_of_and_its_commands_reach_nothing(
    open_left_open: Open, project: Path
) -> None:
    (project / "probe.py").write_text(NETWORK_PROBE)
    client = open_left_open()
    outcomes = dict(
        line.rsplit(" ", 1) if line.endswith(" done") else line.split(" Permission", 1)
        for line in execute(client, "npm", "run", "probe")["stdout"].splitlines()[4:]
    )
    assert outcomes.pop("listen") == outcomes.pop("interfaces") == "done"
    assert len(outcomes) == 10
    assert set(outcomes.values()) == {" denied"}
    shown = status(client)
    assert (shown["NoNewPrivs"], shown["Seccomp"]) == ("1", "2")
    for option in ("--network none", "no-new-privileges", "--cap-drop ALL", "--read-only", "--memory 512m"):
        client.wait_for_log(option)
    assert execute(client, "npm", "run", "dev")["stdout"].endswith("Server running")


@pytest.mark.req("003-self-confined")
def test_a_person_can_open_the_network_or_everything(open_left_open: Open, project: Path) -> None:
    (project / "probe.py").write_text(NETWORK_PROBE)
    with_network = open_left_open("--container-network")
    assert "udp done" in execute(with_network, "npm", "run", "probe")["stdout"]
    assert status(with_network)["NoNewPrivs"] == "1"
    assert status(open_left_open("--no-confine"))["NoNewPrivs"] == "0"


@pytest.mark.req("003-self-confined")
def test_a_container_that_is_closed_is_not_warned_of(open_container: Open) -> None:
    client = open_container()
    execute(client, "echo", "hi")
    client.hang_up()
    client.read_rest()
    client.wait()
    assert b"container is open" not in client.stderr


# -- the end


def wait_until_gone(environment: dict[str, str], name: str) -> None:
    """Until podman has removed the container: its own `wait` waits for the end, then it tidies up."""
    subprocess.run(
        ["podman", "wait", name], env=environment, capture_output=True, timeout=PATIENCE_S, check=False
    )
    subprocess.run(
        ["podman", "rm", "--ignore", name],
        env=environment,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert name not in podman(environment, "ps", "--all", "--quiet").split()


@pytest.mark.req("003-container-end")
@pytest.mark.parametrize("way", ["hang up", "SIGKILL", "SIGTERM"])
def test_a_container_ends_with_its_client(
    open_container: Open, podman_environment: dict[str, str], way: str
) -> None:
    client = open_container()
    (name,) = podman(podman_environment, "ps", "--quiet").split()
    if way == "SIGTERM":  # ends also what is under way
        client.post("shell/exec", {"command": "cat", "args": ["/dev/zero"]})
    if way == "hang up":
        client.hang_up()
        assert client.wait() == 0
    else:
        client.process.send_signal(getattr(signal, way))
        client.wait()
    wait_until_gone(podman_environment, name)


# -- compose


@pytest.mark.req("003-compose")
def test_podman_compose_starts_the_service(
    image: str, podman_environment: dict[str, str], podman_compose: str, workspace: Path
) -> None:
    assert image
    params = {"command": "cat", "args": ["/proc/net/dev"]}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "shell/exec", "params": params})
    done = subprocess.run(
        [podman_compose, "run", "--rm", "-T", "mcp-shell"],
        cwd=ROOT,
        env={**podman_environment, "WORKSPACE": str(workspace)},
        input=line + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    first, answer = (json.loads(one) for one in done.stdout.splitlines())
    assert first["id"] is None
    assert len(answer["result"]["stdout"].splitlines()) == 3  # two of headings, and the loop
    assert "container is open" not in done.stderr


@pytest.mark.req("003-compose")
def test_compose_says_the_same_as_the_documented_run() -> None:
    text = (ROOT / "compose.yaml").read_text()
    said = dict(re.findall(r'^    (\w+): *\[?"?([^"\]\n]*)"?\]?$', text, re.MULTILINE))
    said["tmpfs"] = re.findall(r'tmpfs:\n      - "(.*)"', text)[0]
    flags = ["run", "--rm", "-i", "--network", said["network_mode"]]
    flags += ["--read-only"] if said["read_only"] == "true" else []
    flags += [
        "--tmpfs",
        said["tmpfs"],
        "--cap-drop",
        said["cap_drop"],
        "--security-opt",
        said["security_opt"],
    ]
    flags += ["--memory", said["mem_limit"], "--cpus", said["cpus"], "--pids-limit", said["pids_limit"]]
    assert flags == HARDENED
    assert (said["image"], said["stdin_open"]) == ("mcp-shell-server", "true")
    assert ":/workspace" in text


@pytest.mark.req("003-desktop")
def test_the_clients_snippet_says_the_same_as_the_documented_run() -> None:
    (snippet,) = re.findall(r"```json\n(\{\n.*?)```", DOCS.read_text(), re.DOTALL)
    words = json.loads(snippet)["mcpServers"]["shell"]["args"]
    assert words == [*HARDENED, "-v", "/path/to/workspace:/workspace", "mcp-shell-server"]
