"""The command line and the log: what a person sees."""

from __future__ import annotations

import importlib.metadata
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
from wire_client import NACRE, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

ROOT = Path(__file__).parents[1]


def nacre(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*NACRE, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.req("001-help-version")
def test_help_and_version() -> None:
    for flag in ("-h", "--help"):
        shown = nacre(flag)
        assert shown.returncode == 0
        options = (
            "--shell",
            "--working-dir",
            "--timeout",
            "--no-stderr",
            "--verbose",
            "--version",
            "--login-env",
        )
        assert all(option in shown.stdout for option in options)
    for flag in ("-V", "--version"):
        shown = re.fullmatch(r"nacre \d+\.\d+\.\d+\nMCP SDK (\S+)\nMCP (.*)\n", nacre(flag).stdout)
        assert shown
        assert shown[1] == importlib.metadata.version("mcp")
        assert tuple(shown[2].split(", ")) == KNOWN_PROTOCOL_VERSIONS


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["instal", "codex"], "There is no command 'instal'. Did you mean `nacre install`?"),
        (["xyzzy"], "There is no command 'xyzzy'. There are: install, "),
        (["--timeout", "0"], "it must be a whole number of seconds from 1 to 1800, not '0'"),
        (["--timeout", "soon"], "it must be a whole number of seconds from 1 to 1800, not 'soon'"),
        (["--max-sessions", "0"], "--max-sessions: it must be a whole number, 1 or more, not '0'"),
        (["--max-sessions", "-1"], "--max-sessions: it must be a whole number, 1 or more, not '-1'"),
        (["--working-dir", "/etc/passwd"], "The working directory is not a directory: /etc/passwd"),
        (
            ["--tools", "foo"],
            "There is no tool set 'foo' (--tools, or `tools` in the settings). There are: f",
        ),
        (["--shell", "nosuchshell"], "No shell 'nosuchshell' was found"),
        (["--working-dir", "/no/such/dir"], "The working directory does not exist: /no/such/dir"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--hlep"], "unrecognized arguments: --hlep. Did you mean --help?"),
        (["config", "show", "--chnged"], "Did you mean --changed?"),
        (["policy", "explian", "ls"], "Did you mean explain?"),
        (["completions", "zhs"], "Did you mean zsh?"),
    ],
)
def test_bad_options_end_with_2_and_a_sentence(options: list[str], complaint: str) -> None:
    shown = nacre(*options)
    assert shown.returncode == 2
    assert complaint in shown.stderr
    assert "Traceback" not in shown.stderr
    assert shown.stdout == ""


@pytest.mark.req("cli-encoding")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_what_a_terminal_cannot_show_is_escaped_and_ends_no_command(encoding: str, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    shown_text = "中" if encoding == "utf-8" else "\\u4e2d"
    for options in (
        ["try", "--shell", "bash", "--audit-log", str(log), "echo 中"],
        ["audit", "show", str(log)],
        ["policy", "explain", "echo 中; sudo ls"],
        ["sandbox", "explain", "cat /tmp/中"],
        ["install", "cursor", "--dry-run", "--", "--working-dir", "/中"],
    ):
        shown = subprocess.run(
            [*NACRE, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding, "HOME": str(tmp_path)},
            timeout=60,
            check=False,
        )
        assert b"Traceback" not in shown.stderr, shown.stderr
        assert shown_text.encode() in shown.stdout, options


@pytest.mark.req("cli-encoding")
def test_an_argument_that_is_no_text_can_be_tried() -> None:
    shown = nacre("try", "--shell", "bash", "echo a\udcffb")
    assert (shown.returncode, shown.stdout.splitlines()[-1]) == (0, r"a\xffb")


@pytest.mark.req("door-terminal")
def test_on_a_terminal_it_says_what_it_is_and_how_to_connect_it() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(NACRE, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    os.write(ours, b"\x04")  # Ctrl-D
    stdout, stderr = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert "an MCP server that runs shell commands" in stderr
    assert "nacre install CLIENT" in stderr
    assert stdout == ""


@pytest.mark.req("001-start-up-information")
def test_start_up_information_is_on_stderr_and_in_the_instructions(start: Start) -> None:
    server = start("--shell", "bash", greet=False)
    instructions = server.shake_hands()["instructions"]
    server.hang_up()
    server.wait()
    server.read_rest()
    for said in (instructions, server.stderr.decode()):
        assert re.search(r"shell \S*/bash, platform Linux \S+, host \S+, user \S+", said)


@pytest.mark.req("start-line")
def test_the_start_line_names_preset_settings_and_rules(start: Start, tmp_path: Path) -> None:
    (file := tmp_path / "settings.toml").write_text('[policy]\nallow = ["ls", "cat"]\nask = ["git push"]\n')
    start("--config", str(file), "--deny", "rm", "--preset", "shell-exec").wait_for_log(
        f"directory {tmp_path}, preset shell-exec, settings {file}, rules 2 allow 1 ask 1 deny"
    )
    start(env={"XDG_CONFIG_HOME": str(tmp_path)}).wait_for_log("preset agent, settings none, rules none")


@pytest.mark.req("start-directory")
def test_the_instructions_say_where_commands_start(start: Start, tmp_path: Path) -> None:
    instructions = start(greet=False).shake_hands()["instructions"]
    assert f"Commands start in your first root, if you have one, else in {tmp_path}." in instructions
    fixed = start("--working-dir", "/", greet=False).shake_hands()["instructions"]
    assert fixed.endswith("Commands start in /.")
    one_shell = start("--preset", "commands", "--shell", "bash", greet=False).shake_hands()["instructions"]
    assert f"Commands start in {tmp_path}. Each tool is one command" in one_shell


@pytest.mark.req("settings-mistakes")
def test_a_mistake_in_the_settings_is_reported_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    for text, said in (
        ("timeut = 5", f"Unknown setting: timeut ({file}, line 1). Did you mean timeout?"),
        ("timeout = 0", f"must be a whole number of seconds from 1 to 1800, not 0 ({file}, line 1)."),
        ("container = 3", f"container must be a table ({file}, line 1)."),
        ('[policy]\nallow = [{args = ["x"]}]', "an allow rule without 'command'"),
        ('[policy]\ndeny = [{args = ["x"]}]', "a deny rule without 'command'"),
    ):
        file.write_text(text)
        shown = nacre("--config", str(file))
        assert (shown.returncode, said in shown.stderr) == (2, True), shown.stderr


@pytest.mark.req("settings-mistakes")
def test_a_byte_order_mark_before_the_settings_is_no_mistake(tmp_path: Path) -> None:
    (file := tmp_path / "settings.toml").write_bytes(b"\xef\xbb\xbfpreset = 'shell-exec'\n")
    shown = nacre("--config", str(file))
    assert (shown.returncode, "preset shell-exec" in shown.stderr) == (0, True), shown.stderr


@pytest.mark.req("004-log")
@pytest.mark.req("002-verbose")
@pytest.mark.req("env-secrets")
def test_commands_are_logged_on_stderr_and_environments_never(start: Start) -> None:
    server = start("--verbose")
    server.shell("echo one\necho two; exit 5", environment={"TOKEN": "hunter2"})
    server.shell("kill -9 $$")
    server.call("shell", command="true", working_directory="/no/such")
    server.hang_up()
    assert server.wait() == 0
    assert server.read_rest() == []
    log = server.stderr.decode()
    assert re.search(r"Z nacre exited, exit 5, \d+ ms: echo one\\necho two; exit 5\n", log)
    assert re.search(r"Z nacre signaled, SIGKILL, \d+ ms, SIGKILL ended it\..*: kill -9 \$\$\n", log)
    assert "not run (no_directory" in log
    assert "sets TOKEN" in log
    assert "hunter2" not in log


@pytest.mark.req("env-login")
def test_a_bare_environment_is_mended_from_the_login_shell(tmp_path: Path) -> None:
    (tmp_path / ".bash_profile").write_text('export PATH="/my/tools:$PATH" FROM_PROFILE=yes; echo noise\n')
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SHELL": "/bin/bash", "KEPT": "client"}
    program = ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in bare.items()), *NACRE]
    question = 'echo "$PATH|$FROM_PROFILE|$KEPT"'
    with WireClient(program=program) as server:
        server.shake_hands()
        path, *others = server.shell(question)["stdout"].split("|")
        assert path.startswith("/my/tools:")
        assert others == ["yes", "client\n"]
    with WireClient("--login-env", "never", program=program) as server:
        server.shake_hands()
        assert server.shell(question)["stdout"] == "/usr/bin:/bin||client\n"


@pytest.mark.req("env-login")
def test_a_login_shell_that_hangs_does_not_hold_the_server(tmp_path: Path) -> None:
    (tmp_path / ".bash_profile").write_text("trap '' TERM; while :; do sleep 1000; done\n")
    program = ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", f"HOME={tmp_path}", "SHELL=/bin/bash", *NACRE]
    with WireClient(program=program) as server:
        server.shake_hands()
        assert server.shell("echo $PATH")["stdout"] == "/usr/bin:/bin\n"


@pytest.mark.req("docs-reference")
def test_the_reference_pages_show_what_help_the_schemas_and_the_settings_say() -> None:
    script = ROOT / "scripts" / "generate_reference.py"
    checked = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.req("cli-reader-gone")
@pytest.mark.parametrize(
    "command",
    [
        "config schema",
        "policy list",
        "policy explain ls",
        "completions bash",
        "install",
        "audit show /dev/stdin",
    ],
)
def test_a_command_whose_reader_is_gone_ends_quietly(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [*NACRE, *command.split()],
            input=b"{}\n",
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")
