"""The preset `commands` as a Windows program: the tools of specification 000 with their own cmd.exe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from windows_programs import NACRE, WINE, windows_path
from wire_client import WireClient, text_of, told_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.wine

CMD_LIST = ["dir", "echo", "curl", "type", "find", "findstr", "cd", "where", "set", "podman"]


@pytest.mark.req("000-cmd-exe")
@pytest.mark.req("000-allowlist")
@pytest.mark.req("000-restart-tool")
@pytest.mark.req("000-state")
def test_the_tools_of_the_document_work_in_one_cmd(tmp_path: Path) -> None:
    with WireClient("--preset", "commands", program=NACRE, env=WINE, cwd=tmp_path) as client:
        client.shake_hands()

        def run(command: str, args: str = "") -> dict[str, Any]:
            return told_of(client.call(command, args=args))

        tools = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
        assert tools[:10] == [
            "dir",
            "echo",
            "curl",
            "type",
            "find",
            "findstr",
            "cd",
            "where",
            "set",
            "podman",
        ]
        (tmp_path / "note.txt").write_bytes(b"first\r\n")
        assert run("dir", "/b")["output"] == "note.txt"
        assert run("type", "note.txt")["output"] == "first"
        assert run("echo", '"a & b"')["output"] == '"a & b"'
        assert run("echo", "a & echo b")["code"] == "denied"
        assert run("set", "COLOUR=blue")["success"]
        assert run("cd", r"/d C:\windows")["success"]
        assert (run("set", "COLOUR")["output"], run("cd")["output"].lower()) == ("COLOUR=blue", r"c:\windows")
        assert "A new shell is there" in text_of(client.call("restart"))
        assert run("set", "COLOUR")["success"] is False
        assert run("cd")["output"] == windows_path(tmp_path)
