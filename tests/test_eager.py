"""Tasks and futures that do not wait for the loop's next round: the same results, only sooner."""

from __future__ import annotations

import asyncio

import pytest

from nacre.eager import Deadline, EagerFuture, Semaphore, eager_starter


def test_a_task_has_run_up_to_its_first_wait_when_it_is_returned() -> None:
    async def main() -> list[str]:
        steps: list[str] = []
        go = asyncio.Event()

        async def work() -> None:
            steps.append("begun")
            await go.wait()
            steps.append("done")

        def from_outside_a_task() -> None:
            task = eager_starter()(work())
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
            steps.append("returned")

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        if inside:
            keep()
        else:
            asyncio.get_running_loop().call_soon(keep)
        await waiting
        return steps

    assert asyncio.run(main(inside=False)) == ["kept", "returned"]
    assert asyncio.run(main(inside=True)) == ["returned", "kept"]


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


def test_a_deadline_that_was_set_again_or_taken_back_rings_for_the_last_one_alone() -> None:
    """One timer serves them all: an early one is set again, and one for a later time is replaced."""

    async def main() -> list[str]:
        rung: list[str] = []
        deadline, over = Deadline(), asyncio.Event()

        def ring_last() -> None:
            rung.append("last")
            over.set()

        deadline.set(0.001, lambda: rung.append("taken back"))
        deadline.clear()
        deadline.set(0.002, lambda: rung.append("replaced by a later one"))
        deadline.set(0.02, lambda: rung.append("kept"))
        deadline.set(3600, lambda: rung.append("replaced by an earlier one"))
        deadline.set(0.03, ring_last)
        await over.wait()
        deadline.set(3600, lambda: rung.append("too late"))
        deadline.set(0.001, over.set)
        over.clear()
        await over.wait()
        deadline.clear()
        return rung

    assert asyncio.run(main()) == ["last"]


def test_a_deadline_that_is_not_set_rings_for_nobody() -> None:
    async def main() -> bool:
        deadline, rung, over = Deadline(), asyncio.Event(), asyncio.Event()
        deadline.set(0.001, rung.set)
        deadline.clear()
        asyncio.get_running_loop().call_later(0.01, over.set)
        await over.wait()
        return rung.is_set()

    assert not asyncio.run(main())
