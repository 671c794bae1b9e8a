"""A shell is one file and one entry: a server that knows one more shell, and all that differs in it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wire_client import WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

# parrot's whole language: say WORDS, let NAME VALUE, show NAME, read FILE, leave CODE.
PARROT = f"""#!{sys.executable}
import json, os, sys
variables = dict(os.environ)

def run(text):
    word, _, rest = text.strip().partition(" ")
    if word == "say":
        print("squawk", rest)
    elif word == "let":
        variables.__setitem__(*rest.split())
    elif word == "show":
        print(variables.get(rest, "nothing"))
    elif word == "read":
        return run(open(rest).read())
    elif word == "leave":
        return int(rest)
    else:
        print(f"what is {{word}}?", file=sys.stderr)
        return 9
    return 0

if sys.argv[1] == "-run":
    sys.stdout.reconfigure(encoding="latin-1")
    sys.exit(run(sys.argv[2]))
for line in sys.stdin:
    marker, _, out, err, text = json.loads(line)
    with open(out, "w") as sys.stdout, open(err, "w") as sys.stderr:
        code = run(text)
    os.write(3, f"{{marker}} {{code}} {{os.getcwd()}} {{marker}}\\n".encode())
"""
# The entry: what a line in `nacre.dialects.DIALECTS` would be.
WITH_PARROT = """
import nacre.dialects, parrot_dialect
nacre.dialects.DIALECTS += (parrot_dialect.DIALECT,)
from nacre.cli import main
sys.exit(main())
"""


@pytest.fixture
def parrot(start: Start, tmp_path: Path) -> Start:
    """Start servers that know parrot."""
    program = tmp_path / "bin" / "parrot"
    program.parent.mkdir()
    program.write_text(PARROT)
    program.chmod(0o755)
    entry = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{WITH_PARROT}"

    def starter(*options: str, greet: bool = True) -> WireClient:
        return start("--shell", str(program), *options, program=[sys.executable, "-c", entry], greet=greet)

    return starter


@pytest.mark.req("dialect-one-entry")
def test_a_new_shell_runs_commands(parrot: Start) -> None:
    client = parrot()
    said = client.shell("say hello")
    assert (said["stdout"], said["exit_code"]) == ("squawk hello\n", 0)
    assert client.shell("leave 4")["exit_code"] == 4
    assert client.shell("show PARROT_MOOD")["stdout"] == "fresh\n"
    assert client.shell("say café")["stdout"] == "squawk café\n"
    assert client.shell("say " + "x" * 2000)["stdout"] == f"squawk {'x' * 2000}\n"
    assert "Run a command with parrot." in str(client.request("tools/list"))


@pytest.mark.req("dialect-one-entry")
def test_a_new_shell_lives_on_in_a_session(parrot: Start) -> None:
    client = parrot()
    client.shell("let wing left", session="work")
    shown = client.call("shell", command="show wing", session="work")
    assert shown["structuredContent"]["stdout"] == "left\n"
    assert "Parrots repeat themselves." in text_of(shown)
    assert client.shell("say hello", session="work")["stdout"] == "hello\n"
    assert client.shell("show PARROT_LIVES_ON", session="work")["stdout"] == "yes\n"


@pytest.mark.req("dialect-one-entry")
def test_a_new_shells_message_for_a_missing_command_is_understood(parrot: Start) -> None:
    assert "There is no command 'nosuchword'" in text_of(parrot().call("shell", command="nosuchword"))


@pytest.mark.req("dialect-one-entry")
def test_rules_are_held_in_a_new_shell_in_the_language_it_names(parrot: Start) -> None:
    client = parrot("--deny", "leave")
    assert client.shell("say hello")["exit_code"] == 0
    assert "rule: leave" in text_of(client.call("shell", command="leave 1"))


@pytest.mark.req("dialect-one-entry")
def test_a_list_of_commands_is_held_in_a_new_shell(parrot: Start, tmp_path: Path) -> None:
    settings = tmp_path / "nacre.toml"
    settings.write_text('preset = "commands"\n[commands]\nparrot = ["say", "show"]\nposix = ["ls"]\n')
    client = parrot("--config", str(settings))
    tools = {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}
    assert {"say", "show"} <= set(tools)
    assert "ls" not in tools
    assert "text in 'parrot quotes'" in str(tools["say"])
    assert "1" in text_of(client.call("show", args="PARROT_RULES"))


@pytest.mark.req("dialect-one-entry")
def test_messages_that_name_shells_name_a_new_one(start: Start, parrot: Start) -> None:
    del parrot
    entry = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{WITH_PARROT}"
    client = start("--shell", "/bin/cat", program=[sys.executable, "-c", entry], greet=False)
    assert client.wait() == 2
    client.read_rest()
    assert b"cmd.exe or parrot" in client.stderr
