"""The server's event loop: direct descriptors beside all that asyncio has, and failures that end nothing."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from nacre.direct_loop import add_reader, new_loop, remove_reader
from nacre.eager import eager_starter

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from typing import Any


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe."""
    ends = os.pipe()
    yield ends
    for fd in ends:
        os.close(fd)


@pytest.fixture
def other_pipe() -> Iterator[tuple[int, int]]:
    """Both ends of another one."""
    ends = os.pipe()
    yield ends
    for fd in ends:
        os.close(fd)


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """In a loop as the server has it."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(asyncio.wait_for(main, 20))


def test_what_is_readable_is_read_as_often_as_something_comes(pipe: tuple[int, int]) -> None:
    async def main() -> list[bytes]:
        loop, came = asyncio.get_running_loop(), asyncio.Queue[bytes]()
        add_reader(loop, pipe[0], lambda: came.put_nowait(os.read(pipe[0], 10)))
        chunks: list[bytes] = []
        for text in (b"one", b"two", b"three"):
            os.write(pipe[1], text)
            chunks.append(await came.get())
        remove_reader(loop, pipe[0])
        return chunks

    assert run(main()) == [b"one", b"two", b"three"]


def test_asyncios_own_readers_timers_and_threads_go_on_beside_it(
    pipe: tuple[int, int], other_pipe: tuple[int, int]
) -> None:
    async def main() -> set[str]:
        loop, came = asyncio.get_running_loop(), asyncio.Queue[str]()

        def read(fd: int, name: str) -> None:
            os.read(fd, 10)
            came.put_nowait(name)

        add_reader(loop, pipe[0], lambda: read(pipe[0], "direct"))
        loop.add_reader(other_pipe[0], read, other_pipe[0], "asyncio's")
        os.write(pipe[1], b"x")
        os.write(other_pipe[1], b"x")
        loop.call_later(0.001, came.put_nowait, "timer")
        await asyncio.to_thread(loop.call_soon_threadsafe, came.put_nowait, "thread")
        names = {await came.get() for _ in range(4)}
        loop.remove_reader(other_pipe[0])
        remove_reader(loop, pipe[0])
        return names

    assert run(main()) == {"direct", "asyncio's", "timer", "thread"}


def test_a_callback_that_fails_is_reported_and_ends_nothing(pipe: tuple[int, int]) -> None:
    async def main() -> tuple[str, bytes]:
        loop, failures, came = asyncio.get_running_loop(), asyncio.Queue[str](), asyncio.Queue[bytes]()
        loop.set_exception_handler(lambda _, context: failures.put_nowait(str(context["exception"])))

        def read() -> None:
            chunk = os.read(pipe[0], 10)
            if chunk == b"bad":
                raise RuntimeError("injected")
            came.put_nowait(chunk)

        add_reader(loop, pipe[0], read)
        os.write(pipe[1], b"bad")
        failure = await failures.get()
        os.write(pipe[1], b"good")
        chunk = await came.get()
        remove_reader(loop, pipe[0])
        return failure, chunk

    assert run(main()) == ("injected", b"good")


def test_one_that_another_callback_has_removed_is_not_called(
    pipe: tuple[int, int], other_pipe: tuple[int, int]
) -> None:
    async def main() -> list[int]:
        loop, called, over = asyncio.get_running_loop(), list[int](), asyncio.Event()

        def take_away(fd: int) -> None:  # whichever comes first takes the other away
            called.append(fd)
            for one in (pipe[0], other_pipe[0]):
                remove_reader(loop, one)
            over.set()

        os.write(pipe[1], b"x")
        os.write(other_pipe[1], b"x")
        add_reader(loop, pipe[0], lambda: take_away(pipe[0]))
        add_reader(loop, other_pipe[0], lambda: take_away(other_pipe[0]))
        await over.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        return called

    assert len(run(main())) == 1


def test_a_descriptor_that_was_closed_before_can_be_forgotten_and_its_number_used_again() -> None:
    async def main() -> bytes:
        loop = asyncio.get_running_loop()
        reading, writing = os.pipe()
        add_reader(loop, reading, lambda: None)
        os.close(reading)
        remove_reader(loop, reading)
        os.close(writing)
        again, writing = os.pipe()
        came: asyncio.Future[bytes] = loop.create_future()

        def read() -> None:
            remove_reader(loop, again)
            came.set_result(os.read(again, 10))

        add_reader(loop, again, read)
        os.write(writing, b"x")
        try:
            return await came
        finally:
            os.close(again)
            os.close(writing)

    assert run(main()) == b"x"


def test_what_a_direct_callback_leaves_to_asyncio_is_done(pipe: tuple[int, int]) -> None:
    """The loop goes on without asyncio only as long as that has nothing to do."""

    async def main() -> list[str]:
        loop, steps, over = asyncio.get_running_loop(), list[str](), asyncio.Event()
        start = eager_starter()

        async def work() -> None:
            steps.append("begun")
            await asyncio.sleep(0)
            steps.append("done")
            loop.call_later(0.001, over.set)

        def read() -> None:
            os.read(pipe[0], 1)
            start(work())
            steps.append("returned")

        add_reader(loop, pipe[0], read)
        loop.call_later(0.001, os.write, pipe[1], b"x")
        await over.wait()
        remove_reader(loop, pipe[0])
        return steps

    assert run(main()) == ["begun", "returned", "done"]


def test_debug_mode_can_be_switched() -> None:
    async def main() -> list[bool]:
        loop, seen = asyncio.get_running_loop(), list[bool]()
        for enabled in (True, False):
            loop.set_debug(enabled)
            seen.append(loop.get_debug())
        return seen

    assert run(main()) == [True, False]
