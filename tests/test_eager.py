"""Tasks and futures that do not wait for the loop's next round: the same results, only sooner."""

from __future__ import annotations

import asyncio

import pytest

from nacre.eager import EagerFuture, Semaphore, start_eagerly


def test_a_task_has_run_up_to_its_first_wait_when_it_is_returned() -> None:
    async def main() -> list[str]:
        steps: list[str] = []
        go = asyncio.Event()

        async def work() -> None:
            steps.append("begun")
            await go.wait()
            steps.append("done")

        def from_outside_a_task() -> None:
            task = start_eagerly(work())
            steps.append("returned")
            task.add_done_callback(lambda _: over.set())

        over = asyncio.Event()
        asyncio.get_running_loop().call_soon(from_outside_a_task)
        await asyncio.sleep(0)
        go.set()
        await over.wait()
        return steps

    assert asyncio.run(main()) == ["begun", "returned", "done"]


def test_a_waiter_goes_on_at_once_outside_a_task_and_soon_inside_one() -> None:
    async def main(*, inside: bool) -> list[str]:
        steps: list[str] = []
        promise: EagerFuture[str] = EagerFuture()

        async def wait() -> None:
            steps.append(await promise)

        def keep() -> None:
            promise.set_result("kept")
            steps.append("told")

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        if inside:
            keep()
        else:
            asyncio.get_running_loop().call_soon(keep)
        await waiting
        return steps

    assert asyncio.run(main(inside=False)) == ["kept", "told"]
    assert asyncio.run(main(inside=True)) == ["told", "kept"]


def test_failure_and_cancellation_reach_the_waiter() -> None:
    async def main() -> None:
        failing: EagerFuture[str] = EagerFuture()
        asyncio.get_running_loop().call_soon(failing.set_exception, ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            await failing
        given_up: EagerFuture[str] = EagerFuture()
        asyncio.get_running_loop().call_soon(given_up.cancel)
        with pytest.raises(asyncio.CancelledError):
            await given_up

    asyncio.run(main())


def test_who_has_stopped_waiting_is_forgotten() -> None:
    async def main() -> None:
        promise: EagerFuture[str] = EagerFuture()
        done, pending = await asyncio.wait({promise}, timeout=0)
        assert (done, pending) == (set(), {promise})
        promise.set_result("kept")
        assert await promise == "kept"

    asyncio.run(main())


def test_slots_are_given_in_order_and_none_is_lost() -> None:
    async def main() -> list[str]:
        slots, steps = Semaphore(1), list[str]()

        async def use(name: str) -> None:
            await slots.acquire()
            steps.append(name)

        await use("first")
        second, third, fourth = (asyncio.create_task(use(name)) for name in ("second", "third", "fourth"))
        await asyncio.sleep(0)
        third.cancel()  # it waits, and will not come
        slots.release()
        second.cancel()  # it has just been given the slot: the next one gets it
        await asyncio.wait({second, third, fourth})
        slots.release()
        await use("fifth")
        return steps

    assert asyncio.run(main()) == ["first", "fourth", "fifth"]
