"""Replies whose JSON is written at once: the same bytes as if it had been encoded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.config import Config
from nacre.model import Ended, Result, ShellState, Text
from nacre.protocol.messages import encode
from nacre.protocol.results import call_result
from nacre.tools.results import LONG_CHARACTERS, reply
from nacre.tools.tool import Reply, Written

TEXTS = st.text('ab"\\\n\t\x00\x7f€\ud800', max_size=20) | st.just("x" * LONG_CHARACTERS)
SUCCESS = Result("true", "/", Ended.EXITED, 0, None, Text(""), Text(""), 1, 300, output_id="id")


def plain(value: Any) -> Any:
    """The same, of nothing but plain objects."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]  # JSON
    return [plain(inner) for inner in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]  # JSON


def answer_to(identity: object, said: Reply) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "result": call_result(said)}


@given(
    TEXTS,
    TEXTS,
    st.none() | TEXTS,
    st.tuples(st.none() | st.integers(0), st.integers(1) | st.floats(0.1, 1e6)),
    st.none() | st.integers() | TEXTS,
)
def test_a_written_reply_has_the_bytes_of_an_encoded_one(
    text: str, other: str, session: str | None, numbers: tuple[int | None, float], identity: object
) -> None:
    result = replace(
        SUCCESS,
        command=other,
        working_directory=text,
        stdout=Text(text),
        stderr=Text(other),
        max_rss_bytes=numbers[0],
        timeout_s=numbers[1],
        session=session,
        shell_state=None if session is None else ShellState.KEPT,
    )
    for config in (Config(), Config(include_stderr=False)):
        message = answer_to(identity, reply(result, config))
        assert encode(message) == encode(plain(message))


@pytest.mark.parametrize(
    "change",
    [
        {"exit_code": 1},
        {"execution_time_ms": 2000},
        {"hints": ("a",)},
        {"news": ("a",)},
        {"limit": "memory"},
        {"left_running_total": 1},
        {"session": "s", "shell_state": ShellState.NEW},
        {"session": "s", "shell_state": ShellState.KEPT, "note": "a"},
        {"session": "s", "shell_state": ShellState.KEPT, "directory_changed": True},
        {"stdout": Text("a", truncated=True)},
        {"stderr": Text("a", spool="/s/1.err")},
    ],
)
def test_what_has_more_to_tell_is_encoded(change: dict[str, Any]) -> None:
    assert isinstance(reply(SUCCESS, Config()).structured, Written)
    assert not isinstance(reply(replace(SUCCESS, **change), Config()).structured, Written)


def test_a_reply_that_was_changed_is_encoded() -> None:
    said = reply(replace(SUCCESS, stdout=Text("hi\n")), Config())
    changes = (
        {"structured": None},
        {"is_error": None},
        {"is_error": True},
        {"asides": ("more",)},
        {"meta": None},
    )
    for change in changes:
        message = answer_to(7, replace(said, **change))
        assert encode(message) == encode(plain(message))
