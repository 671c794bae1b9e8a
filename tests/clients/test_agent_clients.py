"""Whole agents, each with a scripted model: what that model is shown, and what becomes of its calls.

Some show a model the data of a result, some its text, some both; so each must be enough alone.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import agents
import pytest
from scripted_model import ScriptedModel, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

CLIENT_LIMIT_S = 5  # after that the client gives a call up
SERVER = [sys.executable, "-m", "nacre"]
SUCCESS, FAILURE, TIMEOUT, GIVEN_UP, AFTERWARDS = range(5)
SCRIPT = [
    ToolCall("shell", {"command": "echo pearl"}),
    ToolCall("shell", {"command": "pearl-diver"}),
    ToolCall("shell", {"command": "echo begun; sleep 600", "timeout": 1}),
    ToolCall("shell", {"command": "echo $$ > pid; sleep 600 & wait"}),
    ToolCall("shell", {"command": "while kill -0 $(cat pid) 2>&-; do sleep 0.05; done; echo gone"}),
]


@pytest.fixture(scope="module")
def conversations() -> dict[str, list[str]]:
    """What each agent's model has been shown."""
    return {}


@pytest.fixture(params=agents.AGENTS)
def shown(
    request: pytest.FixtureRequest,
    conversations: dict[str, list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, list[str]]:
    """An agent, and what its model was shown of the script's five calls; one run serves all tests."""
    name: str = request.param
    if name not in conversations:
        conversations[name] = converse(name, tmp_path_factory.mktemp(name))
    return name, conversations[name]


def converse(name: str, work: Path) -> list[str]:
    agent = agents.AGENTS[name]
    with ScriptedModel(SCRIPT) as model:
        printed = agents.run(agent, model.url, SERVER, work, CLIENT_LIMIT_S)
    assert any(tool.endswith("shell") for tool in model.offered), model.offered
    assert len(model.shown) == len(SCRIPT), printed
    return [agent.shows(result) for result in model.shown]


def data_in(text: str) -> dict[str, Any]:
    """The data of a result, wherever an agent puts it into its words."""
    return json.JSONDecoder().raw_decode(text[text.index("{") :])[0]


@pytest.mark.req("agents-see-output")
def test_the_model_is_shown_what_a_command_printed(shown: tuple[str, list[str]]) -> None:
    agent, results = shown
    if agent == "gemini-cli":  # the text
        assert "pearl" in results[SUCCESS].splitlines()
    else:  # the data
        assert data_in(results[SUCCESS]) == {"stdout": "pearl\n", "stderr": "", "exit_code": 0}


@pytest.mark.req("agents-see-failures")
def test_the_model_is_shown_why_a_command_failed_and_the_advice(shown: tuple[str, list[str]]) -> None:
    agent, results = shown
    if agent == "codex":  # the data, also of a failure; the others show the text
        assert data_in(results[FAILURE])["exit_code"] == 127
    assert "127" in results[FAILURE]
    assert "pearl-diver" in results[FAILURE]
    assert "There is no command" in results[FAILURE]


@pytest.mark.req("agents-see-timeouts")
def test_the_model_is_shown_that_time_ran_out_and_what_was_printed_before(
    shown: tuple[str, list[str]],
) -> None:
    agent, results = shown
    assert "begun" in results[TIMEOUT]
    assert ("timed_out" if agent == "codex" else "timed out") in results[TIMEOUT]


@pytest.mark.req("agents-give-up")
def test_a_call_that_the_agent_gives_up_is_killed_and_the_next_one_works(
    shown: tuple[str, list[str]],
) -> None:
    _, results = shown
    assert "timed out" in results[GIVEN_UP]
    assert "gone" in results[AFTERWARDS]
