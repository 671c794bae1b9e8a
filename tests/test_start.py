"""The start: what is loaded for it, and options that are read without argparse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nacre.cli import plain_options
from nacre.cli.options import parser

if TYPE_CHECKING:
    from collections.abc import Callable

    from wire_client import WireClient

GIVEN = [
    [],
    ["--preset", "commands"],
    ["--config", "x.toml", "--shell", "bash", "-s", "dash"],
    ["--timeout", "5", "--verbose", "--working-dir", "/tmp"],
    ["--tools", "files", "--max-sessions", "3"],
    ["--audit-log", "a", "--audit-required"],
]
NOT_PLAIN = [
    ["--help"],
    ["--preset"],
    ["--preset", "--verbose"],
    ["--preset=commands"],
    ["--pres", "commands"],
    ["--timeout", "soon"],
    ["--allow", "ls"],
    ["--nonsense", "x"],
    ["x"],
    ["server", "shell"],
]


@pytest.mark.parametrize("given", GIVEN, ids=" ".join)
def test_plain_options_mean_what_argparse_says(given: list[str]) -> None:
    plain = plain_options(given)
    assert plain is not None
    assert vars(plain) == vars(parser().parse_args(given))


@pytest.mark.parametrize("given", NOT_PLAIN, ids=" ".join)
def test_what_is_not_plain_is_left_to_argparse(given: list[str]) -> None:
    assert plain_options(given) is None


@pytest.mark.req("start-light")
def test_a_server_at_work_has_loaded_neither_the_sdk_nor_tls(start: Callable[..., WireClient]) -> None:
    server = start()
    assert server.shell("echo hi")["stdout"] == "hi\n"
    assert "tools" in server.request("tools/list")["result"]
    loaded = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert [name for name in ("pydantic_core", "_ssl", "libssl", "_cffi", "rpds") if name in loaded] == []
