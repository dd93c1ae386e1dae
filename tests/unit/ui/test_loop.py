"""asyncio on Qt's loop: tasks end, generators are closed, also when something fails."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator

import pytest
from PySide6.QtWidgets import QApplication

from neodeskpet.conversation.tasks import running, spawn
from neodeskpet.ui import loop


def test_it_returns_what_main_returns(qapp: QApplication) -> None:
    async def main() -> int:
        await asyncio.sleep(0.01)
        return 7

    assert loop.run(qapp, main) == 7


def test_what_is_left_running_is_cancelled(qapp: QApplication) -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("cancelled")

    async def main() -> int:
        spawn(endless(), name="endless")
        await asyncio.sleep(0)
        return 0

    loop.run(qapp, main)
    assert ended == ["cancelled"]
    assert not running()


def _kept_calls() -> int:
    gc.collect()
    return sum(isinstance(one, asyncio.Handle) for one in gc.get_objects())


def test_a_limit_that_was_kept_leaves_no_timer(qapp: QApplication) -> None:
    async def main() -> int:
        before = _kept_calls()
        for _ in range(200):
            async with asyncio.timeout(600):
                await asyncio.sleep(0)
        return _kept_calls() - before

    assert loop.run(qapp, main) < 20


def test_what_is_called_later_comes_in_order(qapp: QApplication) -> None:
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

    loop.run(qapp, main)


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
    assert loop.run(qapp, main) == 1
    assert closed == ["closed"]


def test_a_failure_comes_out(qapp: QApplication) -> None:
    async def main() -> int:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        loop.run(qapp, main)


def test_void_calls_and_emits_lose_no_references(qapp: QApplication) -> None:
    """PySide6 6.12.0 on Python 3.11 dies here (docs/decisions/001)."""
    from PySide6.QtCore import QObject, Signal

    class Bell(QObject):
        rung = Signal()

    bell, heard = Bell(), []
    bell.rung.connect(lambda: heard.append(None))
    for _ in range(100_000):
        bell.setObjectName("x")
        bell.rung.emit()
    assert len(heard) == 100_000
