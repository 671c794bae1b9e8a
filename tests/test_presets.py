"""Presets in general: data that is read, laid under a person's own settings, and refused when unknown."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nacre import presets
from nacre.config import Preset
from nacre.errors import RequestError
from nacre.settings import configuration

if TYPE_CHECKING:
    from collections.abc import Callable

    from wire_client import WireClient


def test_the_default_preset_is_agent_in_the_file_as_in_the_program() -> None:
    table = tomllib.loads((Path(presets.__file__).parent / "agent.toml").read_text())
    default = Preset()
    assert table == {
        "specification": default.specification,
        "server_name": default.server_name,
        "tools": list(default.tools),
    }
    assert (default.name, default.texts) == ("agent", {})
    assert presets.read("agent") == (Preset(), {})


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_names_its_specification_and_can_be_configured(name: str) -> None:
    config = configuration.configure({}, preset=name)
    assert config.preset.name == name
    assert config.preset.specification in {"000", "001", "002", "003", "004"}


@pytest.mark.req("preset-unknown")
def test_an_unknown_preset_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(RequestError, match=r"There is no preset 'none'\. There are: agent"):
        configuration.configure({"preset": "none"})


@pytest.mark.req("preset-unknown")
def test_an_unknown_tool_set_ends_the_server_with_a_sentence(start: Callable[..., WireClient]) -> None:
    client = start("--tools", "nonsense", greet=False)
    assert client.read_rest() == []
    assert client.wait() == 2
    assert b"There is no tool set 'nonsense'" in client.stderr


def test_what_is_not_there_is_not_offered(start: Callable[..., WireClient]) -> None:
    client = start("--preset", "shell-exec", greet=False)
    greeting = client.shake_hands()
    assert greeting["capabilities"] == {"tools": {"listChanged": True}}
    assert client.request("resources/list")["error"]["code"] == -32601
