"""The levels of the sandbox through a real client: what commands can do, and what their results say."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_harness import scratch_directory
from wire_client import WireClient, text_of

from nacre.errors import RequestError
from nacre.places.local import Local
from nacre.settings.configuration import configure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Confined = Callable[..., WireClient]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

LEVELS = ("workspace", "read-only", "strict")


class Home:
    """A person's home directory with secrets in it and a workspace, and servers that start there."""

    def __init__(self, home: Path) -> None:
        self.home, self.workspace = home, home / "project"
        (self.workspace / ".git" / "hooks").mkdir(parents=True)
        (self.workspace / ".git" / "config").write_text("")
        (home / "other").mkdir()
        for name, text in {
            ".ssh/id_ed25519": "PRIVATE",
            ".ssh/known_hosts": "hosts",
            ".aws/credentials": "PRIVATE",
            ".netrc": "PRIVATE",
            "other/.env": "PRIVATE",
            "other/code.py": "code",
        }.items():
            (home / name).parent.mkdir(exist_ok=True)
            (home / name).write_text(text)
        self._clients: list[WireClient] = []

    def start(self, level: str, *options: str, without: str = "", **more: str) -> WireClient:
        """A server at a level; `without` names a program that it shall not find; `more` are variables."""
        environment = {"HOME": str(self.home), "SOME_TOKEN": "PRIVATE", "PLAIN": "plain", **more}
        if without:
            environment["PATH"] = str(self.path_without(without))
        client = WireClient(
            "--shell", "bash", "--sandbox", level, *options, cwd=self.workspace, env=environment
        )
        self._clients.append(client)
        client.shake_hands()
        return client

    def path_without(self, program: str) -> Path:
        directory = self.home / "bin"
        directory.mkdir()
        for source in ("/usr/bin", "/bin"):
            for found in Path(source).iterdir():
                if found.name != program and not (directory / found.name).exists():
                    (directory / found.name).symlink_to(found)
        return directory

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def home() -> Iterator[Home]:
    """A home of its own for each test; not in /tmp, which commands in a sandbox have for themselves."""
    with scratch_directory() as directory:
        made = Home(directory / "home")
        try:
            yield made
        finally:
            made.close()


@pytest.fixture(params=["bubblewrap", "Landlock alone"])
def start(home: Home, request: pytest.FixtureRequest) -> Confined:
    """Servers held by bubblewrap and Landlock, and by Landlock alone, as where no namespace may be made."""

    def starter(level: str, *options: str) -> WireClient:
        return home.start(level, *options, without="bwrap" if request.param == "Landlock alone" else "")

    return starter


def hint(result: dict[str, Any]) -> str:
    return " ".join(result.get("hints", []))


@pytest.mark.req("sandbox-workspace")
def test_commands_write_in_the_workspace_and_in_tmp_and_nowhere_else(start: Confined, home: Home) -> None:
    server = start("workspace")
    assert server.shell("echo a > file && cat file")["stdout"] == "a\n"
    assert server.shell('f=$(mktemp) && echo b > "$f" && cat "$f"')["stdout"] == "b\n"
    for place in ("~/other/file", "~/file", "/usr/file", "/etc/file"):
        refused = server.shell(f"echo c > {place}")
        assert refused["exit_code"], place
        assert "The sandbox (workspace) refused" in hint(refused)
        assert "sandbox_writable" in hint(refused)
    assert not (home.home / "other" / "file").exists()
    assert server.shell("cat ~/other/code.py")["stdout"] == "code"


@pytest.mark.req("sandbox-secrets")
@pytest.mark.parametrize("level", LEVELS)
def test_secrets_cannot_be_read_at_any_level(home: Home, level: str) -> None:
    server = home.start(level)
    for secret in ("~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc", "~/other/.env"):
        assert server.shell(f"cat {secret}")["stdout"] == "", secret
    assert server.shell("cat ~/.ssh/known_hosts")["stdout"] == "hosts"
    assert server.shell("env")["stdout"].count("PRIVATE") == 0


@pytest.mark.req("sandbox-secrets")
def test_a_refused_secret_is_reported_with_the_setting_that_opens_it(home: Home) -> None:
    refused = home.start("workspace").shell("cat ~/.aws/credentials")
    assert 'secrets are hidden (sandbox_readable = [".aws"])' in hint(refused)


@pytest.mark.req("sandbox-workspace")
def test_a_workspace_below_tmp_is_seen_and_can_be_written(tmp_path: Path) -> None:
    for level, wrote in (("workspace", True), ("read-only", False)):
        with WireClient("--sandbox", level, cwd=tmp_path) as server:
            server.shake_hands()
            server.shell(f"echo a > {level}")
            assert server.shell("pwd")["stdout"] == f"{tmp_path}\n"
            assert (tmp_path / level).exists() == wrote


@pytest.mark.req("sandbox-secrets")
def test_secrets_cannot_be_read_where_landlock_stands_alone(home: Home) -> None:
    server = home.start("workspace", without="bwrap")
    for secret in ("~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc", "~/other/.env"):
        refused = server.shell(f"cat {secret}")
        assert refused["stdout"] == "", secret
        assert "sandbox_readable" in hint(refused)
    assert server.shell("cat ~/.ssh/known_hosts")["stdout"] == "hosts"


@pytest.mark.req("sandbox-secrets")
def test_secrets_of_the_login_shell_are_kept_from_commands_too(home: Home) -> None:
    (home.home / ".bash_profile").write_text("export LOGIN_TOKEN=PRIVATE LOGIN_PLAIN=plain\n")
    server = home.start("workspace", "--login-env", "always", SHELL="/bin/bash")
    inherited = server.shell("env")["stdout"]
    assert "LOGIN_PLAIN=plain" in inherited
    assert "PRIVATE" not in inherited


@pytest.mark.req("sandbox-secrets")
def test_a_secret_is_opened_by_a_setting(home: Home, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('sandbox_readable = [".aws"]\n')
    server = home.start("workspace", "--config", str(settings))
    assert server.shell("cat ~/.aws/credentials")["stdout"] == "PRIVATE"
    assert server.shell("cat ~/.netrc")["stdout"] == ""


@pytest.mark.req("sandbox-protected")
def test_what_other_programs_run_later_cannot_be_changed(home: Home) -> None:
    server = home.start("workspace")
    for path in (".git/hooks/pre-commit", ".git/config"):
        refused = server.shell(f"echo x > {path}")
        assert refused["exit_code"]
        assert "sandbox_unprotected" in hint(refused)
    for command in ("rm -rf .git/hooks", "mv .git/hooks x", "mv .git x", "ln -f /etc/passwd .git/config"):
        server.shell(command)
    assert (home.workspace / ".git" / "config").read_text() == ""
    assert list((home.workspace / ".git" / "hooks").iterdir()) == []
    assert server.shell("echo x > .git/HEAD")["exit_code"] == 0


@pytest.mark.req("sandbox-read-only")
def test_nothing_is_written_at_the_level_read_only_but_tmp(start: Confined, home: Home) -> None:
    server = start("read-only")
    assert server.shell("echo a > file")["exit_code"]
    assert not (home.workspace / "file").exists()
    assert server.shell('f=$(mktemp) && echo b > "$f" && cat "$f"')["stdout"] == "b\n"


@pytest.mark.req("sandbox-strict")
def test_strict_has_no_network_and_sees_no_other_processes(home: Home) -> None:
    server = home.start("strict")
    assert server.shell("cat /proc/net/dev | grep -c eth")["stdout"] == "0\n"
    assert server.shell("ls -d /proc/[0-9]* | wc -l")["stdout"].strip() in map(str, range(1, 15))
    assert server.shell("unshare -U true")["exit_code"]
    assert server.shell("echo $PLAIN")["stdout"] == "\n"
    assert server.shell("echo a > file && cat file")["stdout"] == "a\n"


@pytest.mark.req("sandbox-outside")
@pytest.mark.parametrize("level", LEVELS)
def test_the_server_and_other_processes_cannot_be_read_or_signalled(home: Home, level: str) -> None:
    server = home.start(level)
    pid = server.process.pid
    for attempt in (
        f"cat /proc/{pid}/environ",
        f"cat /proc/{pid}/maps",
        f"ls /proc/{pid}/root/",
        f"kill -9 {pid}",
    ):
        refused = server.shell(attempt)
        assert refused["exit_code"], attempt
        assert refused["stdout"] == "", attempt
    assert server.shell("echo alive")["stdout"] == "alive\n"


@pytest.mark.req("sandbox-session")
@pytest.mark.parametrize("level", LEVELS)
def test_sessions_work_in_a_sandbox(home: Home, level: str) -> None:
    server = home.start(level)
    server.shell("cd /tmp; x=pearl", session="a")
    assert server.shell("echo $x; pwd", session="a")["stdout"] == "pearl\n/tmp\n"


@pytest.mark.req("sandbox-logged")
def test_the_level_and_what_holds_it_are_logged(home: Home) -> None:
    server = home.start("workspace")
    server.wait_for_log("sandbox workspace (bubblewrap, Landlock")


@pytest.mark.req("sandbox-fails-closed")
def test_strict_without_bubblewrap_does_not_start(home: Home) -> None:
    environment = {**os.environ, "HOME": str(home.home), "PATH": "/nowhere"}
    program = [sys.executable, "-m", "nacre", "--shell", "/bin/bash", "--sandbox", "strict"]
    done = subprocess.run(
        program, cwd=home.workspace, env=environment, input="", capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "The sandbox is not available" in done.stderr
    assert "bubblewrap" in done.stderr


@pytest.mark.req("sandbox-nothing-left")
def test_nothing_is_left_of_a_sandbox(home: Home, tmp_path: Path) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    client = WireClient(
        "--sandbox", "workspace", cwd=home.workspace, env={"HOME": str(home.home), "TMPDIR": str(spools)}
    )
    client.shake_hands()
    client.shell("sleep 600 & echo x > /tmp/left")
    client.hang_up()
    assert client.wait() == 0
    assert [path for path in spools.rglob("*") if not path.is_dir()] == []
    client.close()


@pytest.mark.req("sandbox-default")
def test_allow_rules_bring_a_sandbox_unless_a_level_is_set(home: Home) -> None:
    environment = {"HOME": str(home.home)}
    for options, held in ((("--allow", "ls,touch"), True), (("--deny", "rm"), False), ((), False)):
        with WireClient("--shell", "bash", *options, cwd=home.workspace, env=environment) as server:
            server.shake_hands()
            assert bool(server.shell("touch ../other/new")["exit_code"]) == held, options
            (home.home / "other" / "new").unlink(missing_ok=True)
    rules = ("--allow", "ls,touch", "--sandbox", "off")
    with WireClient("--shell", "bash", *rules, cwd=home.workspace, env=environment) as server:
        server.shake_hands()
        assert server.shell("touch ../other/new")["exit_code"] == 0


@pytest.mark.req("sandbox-default")
def test_where_the_default_is_unavailable_everybody_is_told(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nacre.places.confined.landlock_version", lambda: 0)
    config = configure({}, allow="ls")
    assert (config.sandbox, config.sandbox_chosen) == ("workspace", False)
    place = Local(replace(config, working_directory=str(home.workspace)), None)
    assert "Rules hold for the text of commands only" in place.warnings[0]
    assert "no Landlock" in place.warnings[0]
    with pytest.raises(RequestError, match="no Landlock"):
        Local(replace(config, sandbox_chosen=True, working_directory=str(home.workspace)), None)


@pytest.mark.req("sandbox-default")
@pytest.mark.parametrize(
    "options", [("--sandbox", "workspace"), ("--allow", "ls")], ids=["chosen", "default"]
)
def test_everybody_is_told_what_landlock_alone_leaves_open(home: Home, options: tuple[str, ...]) -> None:
    warning = "Landlock holds the sandbox alone: protected files of the workspace"
    options = ("--shell", "bash", *options)
    for path in (str(home.path_without("bwrap")), os.environ["PATH"]):
        environment = {"HOME": str(home.home), "PATH": path}
        with WireClient(*options, cwd=home.workspace, env=environment) as server:
            texts = [server.shake_hands()["instructions"]]
            texts += [text_of(server.call("allowed"))] if "--allow" in options else []
            server.wait_for_log("sandbox workspace")
            if path != os.environ["PATH"]:
                server.wait_for_log(warning)
            assert [warning in text for text in texts] == [path != os.environ["PATH"]] * len(texts)


@pytest.mark.req("sandbox-secrets")
@pytest.mark.parametrize("level", LEVELS)
def test_a_secret_that_is_a_file_cannot_be_opened_and_is_not_just_empty(home: Home, level: str) -> None:
    server = home.start(level)
    for name in (".ssh/id_ed25519", ".netrc", "other/.env"):
        done = server.shell(f"cat ~/{name}")
        assert done["exit_code"] == 1
        assert f'secrets are hidden (sandbox_readable = ["{name}"])' in done["hints"][0]
