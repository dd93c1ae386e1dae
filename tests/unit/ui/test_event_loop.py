"""asyncio on Qt's loop: tasks end, generators are closed, also when something fails."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
import time
from collections.abc import AsyncGenerator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.platform.async_tasks import running, spawn_task
from neodeskpet.ui import event_loop


def test_it_returns_the_result_of_main(qapp: QApplication) -> None:
    async def main() -> int:
        await asyncio.sleep(0.01)
        return 7

    assert event_loop.run(qapp, main) == 7


def test_other_threads_release_the_gil_sooner_while_it_runs(qapp: QApplication) -> None:
    before = sys.getswitchinterval()

    async def main() -> int:
        assert sys.getswitchinterval() < before
        return 0

    assert event_loop.run(qapp, main) == 0
    assert sys.getswitchinterval() == before


def test_running_tasks_are_cancelled_at_the_end(qapp: QApplication) -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("cancelled")

    async def main() -> int:
        spawn_task(endless(), name="endless")
        await asyncio.sleep(0)
        return 0

    event_loop.run(qapp, main)
    assert ended == ["cancelled"]
    assert not running()


def _kept_calls() -> int:
    gc.collect()
    return sum(isinstance(one, asyncio.Handle) for one in gc.get_objects())


def test_a_timeout_that_did_not_expire_leaves_no_timer(qapp: QApplication) -> None:
    async def main() -> int:
        before = _kept_calls()
        for _ in range(200):
            async with asyncio.timeout(600):
                await asyncio.sleep(0)
        return _kept_calls() - before

    assert event_loop.run(qapp, main) < 20


def test_delayed_calls_come_in_order(qapp: QApplication) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        called: list[str] = []
        here.call_later(0.03, called.append, "second")
        here.call_at(here.time() + 0.01, called.append, "first")
        here.call_later(0.02, called.append, "never").cancel()
        here.call_later(0, called.append, "at once")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.06):
                await asyncio.sleep(10)
        assert called == ["at once", "first", "second"]
        return 0

    event_loop.run(qapp, main)


def test_it_reports_input_before_it_is_read(qapp: QApplication) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        heard = asyncio.Event()

        def hear() -> None:
            near.recv(10)
            heard.set()

        near, far = socket.socketpair()
        with near, far:
            near.setblocking(False)
            here.add_reader(near, hear)
            await asyncio.sleep(0)
            assert not event_loop.is_busy()
            far.send(b"hello")
            assert event_loop.is_busy(), "it came in"
            await heard.wait()
            assert not event_loop.is_busy(), "it was read"
            here.call_soon(heard.clear)
            assert event_loop.is_busy(), "a call is due at once"
            here.remove_reader(near)
        return 0

    assert not event_loop.is_busy()
    assert event_loop.run(qapp, main) == 0


def test_work_after_a_long_read_waits_for_its_turn(qapp: QApplication) -> None:
    """Together they would block the window for longer than either."""

    async def main() -> int:
        here = asyncio.get_running_loop()
        told: list[str] = []
        done = asyncio.Event()
        pairs = socket.socketpair(), socket.socketpair()

        def hear(at: int) -> None:
            pairs[at][0].recv(10)
            told.append("read")
            time.sleep(0.01)
            here.call_soon(told.append, "followed")
            if len(told) > 1:
                here.call_soon(done.set)

        for at, (near, far) in enumerate(pairs):
            near.setblocking(False)
            here.add_reader(near, hear, at)
            far.send(b"hello")
        await done.wait()
        for near, far in pairs:
            here.remove_reader(near)
            near.close()
            far.close()
        assert told[:2] == ["read", "read"], "the second was read before the work of the first"
        return 0

    assert event_loop.run(qapp, main) == 0


def test_a_generator_left_half_way_is_closed(qapp: QApplication) -> None:
    closed: list[str] = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            yield 1
            yield 2
        finally:
            closed.append("closed")

    async def main() -> int:
        kept.append(numbers())
        return await anext(kept[0])

    kept: list[AsyncGenerator[int, None]] = []
    assert event_loop.run(qapp, main) == 1
    assert closed == ["closed"]


def test_a_failure_is_raised(qapp: QApplication) -> None:
    async def main() -> int:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        event_loop.run(qapp, main)


def test_void_calls_and_emits_lose_no_references(qapp: QApplication) -> None:
    """PySide6 6.12.0 on Python 3.11 crashes here (docs/decisions/001)."""
    from PySide6.QtCore import QObject, Signal

    class Bell(QObject):
        start_requested = Signal()

    bell, heard = Bell(), []
    bell.start_requested.connect(lambda: heard.append(None))
    for _ in range(100_000):
        bell.setObjectName("x")
        bell.start_requested.emit()
    assert len(heard) == 100_000


def test_calls_are_made_in_order_each_in_the_next_iteration(qapp: QApplication) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        called: list[str] = []

        def first() -> None:
            called.append("first")
            here.call_soon(called.append, "next turn")

        here.call_soon(first)
        here.call_soon(called.append, "never").cancel()
        here.call_soon(called.append, "second")
        await asyncio.sleep(0)
        assert called == ["first", "second"]
        await asyncio.sleep(0)
        assert called == ["first", "second", "next turn"]
        return 0

    event_loop.run(qapp, main)


def test_work_after_input_comes_before_qts_next_iteration(qapp: QApplication) -> None:
    """From a chunk to its paint event several tasks wake each other."""

    async def main() -> int:
        here = asyncio.get_running_loop()
        order: list[str] = []
        near, far = socket.socketpair()
        with near, far:
            told = here.create_future()
            handed = here.create_future()

            def come() -> None:
                here.remove_reader(far)
                QTimer.singleShot(0, lambda: order.append("Qt's next turn"))
                told.set_result(None)

            async def hand_on() -> None:
                await told
                handed.set_result(None)

            handing = spawn_task(hand_on(), name="hand on")
            await asyncio.sleep(0)
            here.add_reader(far, come)
            near.send(b"x")
            await handed
            order.append("handed on")
            await handing
            await asyncio.sleep(0.01)
        assert order == ["handed on", "Qt's next turn"]
        return 0

    event_loop.run(qapp, main)


def test_a_failing_call_is_reported_and_the_next_is_made(qapp: QApplication) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        told: list[str] = []
        here.set_exception_handler(lambda _loop, context: told.append(str(context["exception"])))

        def fail() -> None:
            raise ValueError("broken")

        here.call_soon(fail)
        here.call_soon(told.append, "next")
        await asyncio.sleep(0)
        assert told == ["broken", "next"]
        return 0

    event_loop.run(qapp, main)


def test_within_a_nested_qt_loop_the_other_calls_are_made(qapp: QApplication) -> None:
    """As during a drag: a loop runs within one of the calls."""

    async def main() -> int:
        here = asyncio.get_running_loop()
        called: list[str] = []

        def wait() -> None:
            called.append("waits")
            for _ in range(200):
                if "last" not in called:
                    QTest.qWait(10)
            called.append("waited")
            ended.set()

        ended = asyncio.Event()
        here.call_soon(wait)
        here.call_soon(called.append, "other")
        here.call_soon(called.append, "last")
        await ended.wait()
        assert called == ["waits", "other", "last", "waited"]
        return 0

    event_loop.run(qapp, main)


def test_a_task_that_starts_within_a_nested_qt_loop_in_another_task_is_run(
    qapp: QApplication,
) -> None:
    """As when a click is made within a task: one task can't be entered within another."""
    order: list[str] = []

    async def main() -> int:
        async def begun() -> None:
            order.append("begun")
            await asyncio.sleep(0)
            order.append("ended")

        task = spawn_task(begun(), name="begun")
        qapp.processEvents()
        asyncio.get_running_loop().call_soon(order.append, "called")
        qapp.processEvents()
        order.append("left")
        await task
        return len(order)

    assert event_loop.run(qapp, main) == 4
    assert order == ["left", "begun", "called", "ended"]


def test_sockets_are_read_and_written_in_turns(qapp: QApplication) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        near, far = socket.socketpair()
        with near, far:
            near.setblocking(False)
            far.setblocking(False)
            for number in range(50):
                reading = spawn_task(here.sock_recv(far, 100), name="reading")
                await asyncio.sleep(0)
                await here.sock_sendall(near, b"%d" % number)
                assert await reading == b"%d" % number
            whole = b"x" * 3_000_000  # More than the system accepts at once: it waits for room.
            sending = spawn_task(here.sock_sendall(near, whole), name="sending")
            read = 0
            while read < len(whole):
                read += len(await here.sock_recv(far, 1_000_000))
            await sending
            told = asyncio.Event()
            here.add_reader(far, pytest.fail, "another came in its place")
            here.add_reader(far, told.set)
            near.send(b"!")
            await told.wait()
            assert here.remove_reader(far)
            assert not here.remove_reader(far)
            assert not here.remove_writer(far)
        return 0

    event_loop.run(qapp, main)
