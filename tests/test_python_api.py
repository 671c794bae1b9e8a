"""`nacre.Session`: sessions from Python, and the example in the documentation, which runs."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nacre
from nacre import output
from nacre.errors import RequestError
from nacre.model import Ended

PAGE = Path(__file__).parents[1] / "docs" / "python-api.md"


@pytest.mark.req("python-api")
def test_the_example_of_the_documentation_runs_and_says_what_it_should() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == (
        "exited 3 hello you, from /tmp\n oh no\n\n"
        "timed_out begun\n The command was interrupted; the shell and its state are kept.\n"
        "hello again, from /tmp\n\n"
        "given as text\n"
    )


@pytest.mark.req("python-api")
def test_a_session_lives_within_its_block(tmp_path: Path) -> None:
    async def use() -> None:
        heard: list[bytes] = []
        async with nacre.Session("bash", working_directory=str(tmp_path)) as session:
            assert session.directory == str(tmp_path)
            (tmp_path / "inner").mkdir()
            await session.run(
                "X=1", working_directory="inner", on_output=lambda _, chunk: heard.append(chunk)
            )
            assert session.directory == str(tmp_path / "inner")
            assert (await session.run("echo $X; exit 2")).ended is Ended.SHELL_DIED
            await session.restart()
            result = await session.run('echo "<$X>"; echo $Y', environment={"Y": "why"})
            assert result.stdout.text == "<>\nwhy\n"
        with pytest.raises(RequestError, match="not open"):
            await session.run("true")

    asyncio.run(use())


@pytest.mark.req("python-api")
def test_output_is_handed_over_only_as_it_may_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that must not leave is taken out, also where it comes in two chunks."""

    def leaving(data: bytes, *, more_follows: bool = False) -> tuple[bytes, bytes]:
        data = data.replace(b"secret", b"******")
        held = b"sec" if more_follows and data.endswith(b"sec") else b""
        return data.removesuffix(held), held

    monkeypatch.setattr(output, "leaving", leaving)
    heard: list[tuple[int, bytes]] = []
    streams = output.LeavingStreams(lambda stream, data: heard.append((stream, data)))
    for stream, chunk in ((1, b"a sec"), (2, b"sec"), (1, b"ret"), (1, b"z sec")):
        streams.feed(stream, chunk)
    streams.finish()
    assert heard == [(1, b"a "), (1, b"******"), (1, b"z "), (1, b"sec"), (2, b"sec")]

    async def use() -> None:
        heard.clear()
        async with nacre.Session("bash") as session:
            await session.run("echo a secret", on_output=lambda stream, data: heard.append((stream, data)))
        assert heard == [(1, b"a ******\n")]

    asyncio.run(use())


@pytest.mark.req("python-api")
def test_a_shell_that_is_none_is_refused() -> None:
    async def use(shell: str) -> None:
        async with nacre.Session(shell):
            pytest.fail("it opened")

    for shell in ("/bin/cat", "no-such-shell"):
        with pytest.raises(RequestError):
            asyncio.run(use(shell))


def test_the_package_names_nothing_else() -> None:
    assert not hasattr(nacre, "Nothing")
