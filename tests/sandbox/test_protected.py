"""What cannot be changed or read in a sandbox: protected files, there or not, secrets, nacre's own."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_harness import TestHome, scratch_directory

from nacre.places import placeholders
from nacre.sandbox.profile import CACHES, Placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wire_client import WireClient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

SECRETS = (
    ".ssh/id_ed25519",
    ".ssh/work.pem",
    ".aws/credentials",
    ".gnupg/private-keys-v1.d/key",
    ".config/gcloud/credentials.db",
    ".config/gh/hosts.yml",
    ".kube/config",
    ".docker/config.json",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".mozilla/firefox/profile/key4.db",
    ".config/chromium/Default/Cookies",
    ".config/google-chrome/Default/Cookies",
    ".local/share/keyrings/login.keyring",
    ".password-store/mail.gpg",
    ".config/nacre/config.toml",
    "audit.jsonl",
    "other/.env",
    "other/.env.local",
)
READABLE = (".ssh/known_hosts", ".ssh/config", ".ssh/id_ed25519.pub", "other/code.py", "project/.env")


@pytest.fixture
def base() -> Iterator[Path]:
    """A directory that is the same inside of a sandbox and outside."""
    with scratch_directory() as directory:
        yield directory


@pytest.fixture
def home(base: Path) -> Iterator[TestHome]:
    """A home directory with a repository as workspace."""
    with TestHome(base, {"project/.git/HEAD": "ref: refs/heads/main\n"}) as made:
        yield made


def hint(result: dict[str, Any]) -> str:
    return " ".join(result.get("hints", []))


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.req("sandbox-absent")
def test_a_protected_file_that_is_not_there_cannot_be_made(home: TestHome) -> None:
    server = home.start("workspace")
    for path in (
        ".mcp.json",
        ".vscode/settings.json",
        ".cursor/mcp.json",
        ".git/hooks/pre-commit",
        ".git/config",
    ):
        refused = server.shell(f"echo x > {path}")
        assert refused["exit_code"], path
        assert "The sandbox (workspace) refused" in hint(refused), (path, refused)
        assert "sandbox_unprotected" in hint(refused), path
    for trick in (
        "rm -rf .mcp.json .vscode .git/hooks",
        "mv .vscode x",
        "mv .git x",
        "rmdir .cursor",
        "ln -sfn /etc .vscode",
        "echo x > file; mv -T file .mcp.json",
        "cp -r /etc/skel .cursor/x",
    ):
        server.shell(trick)
    for path in (".mcp.json", ".vscode", ".cursor", ".git/hooks"):
        assert (home.workspace / path).is_dir(), path
        assert names(home.workspace / path) == []
    assert (home.workspace / ".git" / "config").read_text() == ""
    home.end(server)
    assert names(home.workspace) == [".git", "file"]
    assert names(home.workspace / ".git") == ["HEAD"]


@pytest.mark.req("sandbox-absent")
def test_a_setting_opens_one_protected_name_and_no_other(home: TestHome) -> None:
    server = home.start("workspace", settings='sandbox_unprotected = [".mcp.json", ".git/hooks"]\n')
    made = "echo x > .mcp.json && mkdir .git/hooks && echo y > .git/hooks/pre-commit"
    assert server.shell(made)["exit_code"] == 0
    assert server.shell("mkdir .vscode/x")["exit_code"]
    home.end(server)
    assert (home.workspace / ".mcp.json").read_text() == "x\n"


@pytest.mark.req("sandbox-absent")
def test_a_repository_can_be_made_and_cloned_where_there_was_none(base: Path) -> None:
    with TestHome(base, {".gitconfig": "[user]\n\tname = A\n\temail = a@example.invalid\n"}) as home:
        server = home.start("workspace")
        done = server.shell(
            "git init -q . && git commit -q --allow-empty -m one && git clone -q . copy && ls -A"
        )
        assert (done["exit_code"], done.get("stderr", "")) == (0, "")
        assert done["stdout"].split() == [".cursor", ".git", ".mcp.json", ".vscode", "copy"]
        assert (
            server.shell("git status --short --ignored")["stdout"] == "?? copy/\n"
        )  # placeholders are not seen


@pytest.mark.req("sandbox-absent")
def test_servers_in_one_workspace_share_what_keeps_names_free(home: TestHome) -> None:
    first, second = home.start("workspace"), home.start("workspace")
    home.end(first)
    assert second.shell("echo x > .mcp.json")["exit_code"]
    assert second.shell("mkdir .vscode/x")["exit_code"]
    home.end(second)
    assert names(home.workspace) == [".git"]


@pytest.mark.req("sandbox-absent")
def test_what_the_person_puts_under_a_name_that_was_kept_free_stays(home: TestHome) -> None:
    server = home.start("workspace")
    (home.workspace / ".vscode" / "settings.json").write_text("{}")
    assert server.shell("cat .vscode/settings.json")["stdout"] == "{}"
    assert server.shell("echo x > .vscode/settings.json")["exit_code"]
    home.end(server)
    assert names(home.workspace) == [".git", ".vscode"]


@pytest.mark.req("sandbox-absent")
def test_a_start_that_fails_leaves_nothing(home: TestHome) -> None:
    settings = home.base / "settings.toml"
    settings.write_text('[policy]\nallowed_directories = ["/usr"]\nallow = ["ls"]\n')
    program = [sys.executable, "-m", "nacre", "--sandbox", "workspace", "--config", str(settings)]
    program += ["--working-dir", str(home.workspace)]
    done = subprocess.run(program, input=b"", capture_output=True, check=False, env=home.environment())
    assert b"outside of allowed_directories" in done.stderr
    assert names(home.workspace) == [".git"]


@pytest.mark.req("sandbox-absent")
def test_start_up_files_are_protected_where_the_home_directory_is_the_workspace(base: Path) -> None:
    with TestHome(base, {".profile": "export FROM_PROFILE=yes\n"}) as home:
        server = home.start("workspace", "--working-dir", str(home.home))
        for path in (
            ".bashrc",
            ".bash_profile",
            ".profile",
            ".zshenv",
            ".gitconfig",
            ".config/nacre/config.toml",
            ".config/fish/config.fish",
            ".ssh/authorized_keys",
            ".local/bin/ls",
        ):
            refused = server.shell(f"echo x > ~/{path}")
            assert refused["exit_code"], path
            assert "sandbox_unprotected" in hint(refused), path
        assert server.shell("mv ~/.config ~/x")["exit_code"]
        assert (
            server.shell("bash -lc 'echo $FROM_PROFILE'")["stdout"] == "yes\n"
        )  # .bash_profile hides nothing
        home.end(server)
        assert names(home.home) == sorted([".cache", *names_of_caches(home), ".profile", "project"])


def names_of_caches(home: TestHome) -> list[str]:
    made = {name.partition("/")[0] for name in CACHES} - {".cache"}  # for the programs of this machine
    return [name for name in made if (home.home / name).exists()]


@pytest.mark.req("sandbox-secrets")
@pytest.mark.parametrize("without", ["", "bwrap"], ids=["bubblewrap", "Landlock alone"])
def test_no_secret_of_the_list_can_be_read(base: Path, without: str) -> None:
    with TestHome(base, {**dict.fromkeys(SECRETS, "PRIVATE"), **dict.fromkeys(READABLE, "plain")}) as home:
        (home.home / ".config/nacre/config.toml").write_text("# PRIVATE\n")
        (base / "tmp").mkdir()
        server = home.start(
            "workspace",
            "--audit-log",
            str(home.home / "audit.jsonl"),
            without=without,
            TMPDIR=str(base / "tmp"),
        )
        home.start("off", TMPDIR=str(base / "tmp")).shell("seq 100000")
        outputs = [str(path) for path in (base / "tmp").rglob("*.out")]
        assert outputs
        assert server.shell(f"cat {' '.join(outputs)}")["stdout"] == ""
        for secret in SECRETS:
            assert server.shell(f"cat ~/{secret}")["stdout"] == "", secret
        for plain in READABLE:
            assert server.shell(f"cat ~/{plain}")["stdout"] == "plain", plain


@pytest.mark.req("sandbox-files")
@pytest.mark.parametrize("level", ["workspace", "read-only"])
def test_file_tools_can_do_no_more_than_commands(home: TestHome, level: str) -> None:
    home.write("project/.git/hooks/pre-commit", "")
    home.write("project/link", "")
    (home.workspace / "link").unlink()
    (home.workspace / "link").symlink_to(home.write(".aws/credentials", "PRIVATE"))
    rules = f'[policy]\nallowed_directories = ["{home.home}"]\n'
    server = home.start(level, "--tools", "files", settings=rules)
    assert _refused(server, "read_file", path=str(home.home / ".aws/credentials"))
    assert _refused(server, "read_file", path="link")
    assert _refused(server, "write_file", path=".git/hooks/pre-commit", content="x")
    assert _refused(server, "write_file", path=".mcp.json", content="x")
    assert _refused(server, "write_file", path=str(home.home / "file"), content="x")
    assert _refused(server, "write_file", path="file", content="x") == (level == "read-only")
    assert os.path.getsize(home.workspace / ".git/hooks/pre-commit") == 0


def _refused(server: WireClient, tool: str, **arguments: str) -> bool:
    result = server.call(tool, **arguments)
    said = "".join(part["text"] for part in result["content"])
    assert result.get("isError", False) == ("The sandbox" in said), said
    return "The sandbox" in said


@pytest.mark.req("sandbox-leftovers")
def test_an_output_file_that_became_a_link_shows_no_secret(home: TestHome) -> None:
    secret = home.write(".aws/credentials", "PRIVATE")
    (home.base / "tmp").mkdir()
    server = home.start("workspace", "--tools", "files", TMPDIR=str(home.base / "tmp"))
    server.shell("seq 100000")
    (output,) = (home.base / "tmp").rglob("*.out")
    assert server.shell(f"rm {output} && ln -s {secret} {output}")["exit_code"] == 0
    read = server.call("read_file", path=str(output))
    assert read["isError"]
    assert "PRIVATE" not in str(read)


@pytest.mark.req("sandbox-leftovers")
def test_what_commands_leave_in_the_servers_directory_does_no_harm_to_the_next_start(home: TestHome) -> None:
    victim = home.write("outside/victim", "untouched")
    (home.base / "tmp").mkdir()
    server = home.start("workspace", TMPDIR=str(home.base / "tmp"))
    server.shell("seq 100000")
    (output,) = (home.base / "tmp").rglob("*.out")
    left = (
        f"cd {output.parent} && ln -s {victim.parent} link && mkdir -p deep/er && chmod 0 deep"
        f" && ln -s {victim} 99.out && mkfifo 98.out && ln -s {victim.parent} tmp/link && echo x > lock"
    )
    server.shell(left)
    home.end(server)
    home.end(home.start("off", TMPDIR=str(home.base / "tmp")))
    assert victim.read_text() == "untouched"
    assert [path for path in (home.base / "tmp").rglob("*") if path.is_file()] == []


@pytest.mark.req("sandbox-sockets")
def test_a_service_that_is_closed_is_reported_with_the_setting_that_opens_it(home: TestHome) -> None:
    server = home.start("workspace")
    said = "Cannot connect to the Docker daemon at unix:///run/docker.sock. Is it running?"
    refused = server.shell(f"echo '{said}' >&2; exit 1")
    assert 'sandbox_sockets = ["/run/docker.sock"]' in hint(refused)


@pytest.mark.req("sandbox-sockets")
def test_a_setting_opens_the_socket_of_a_service(home: TestHome) -> None:
    with socket.socket(socket.AF_UNIX) as agent:
        path = home.home / "agent.sock"
        agent.bind(str(path))
        agent.listen()
        connect = f"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{path}\")'"
        assert home.start("workspace", SSH_AUTH_SOCK=str(path)).shell(connect)["exit_code"]
        settings = f'sandbox_sockets = ["{path}"]\n'
        opened = home.start("workspace", settings=settings, SSH_AUTH_SOCK=str(path))
        assert opened.shell(connect)["exit_code"] == 0


@pytest.mark.req("sandbox-absent")
def test_a_name_is_not_kept_free_where_no_lock_can_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", no_locks)
    made = placeholders.Placeholders().make(
        [Placeholder(str(tmp_path / "directory")), Placeholder(str(tmp_path / "file"), "text")]
    )
    assert made == ()
    assert names(tmp_path) == []
