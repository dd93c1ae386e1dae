from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from neodeskpet.core.errors import KnownError
from neodeskpet.ui.settings.figure.latest_work import LatestWork


class Told:
    """A work with what it told; its steps go on when `gate` is set."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.gate = asyncio.Event()
        self.work = LatestWork("a test", failed=self._failed, ended=self._ended)

    def step(self, name: str) -> Callable[[], Coroutine[Any, Any, None]]:
        async def run() -> None:
            self.lines.append(name)
            await self.gate.wait()
            if name == "bad":
                raise KnownError("it broke")
            self.lines.append(f"{name} done")

        return run

    def _failed(self, error: KnownError) -> None:
        self.lines.append(type(error).__name__)

    def _ended(self) -> None:
        self.lines.append("ended")


async def _turn() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


def test_the_last_one_counts() -> None:
    async def scenario() -> list[str]:
        told = Told()
        told.work.start(told.step("never begun"))
        told.work.start(told.step("first"))
        await _turn()
        told.work.start(told.step("last"))
        assert told.work.running
        await _turn()
        told.gate.set()
        await _turn()
        assert not told.work.running
        return told.lines

    assert asyncio.run(scenario()) == ["first", "last", "last done", "ended"]


def test_what_fails_is_told_once() -> None:
    async def scenario() -> list[str]:
        told = Told()
        told.gate.set()
        told.work.start(told.step("bad"))
        await _turn()
        return told.lines

    assert asyncio.run(scenario()) == ["bad", "KnownError", "ended"]


def test_stopping_ends_it() -> None:
    async def scenario() -> list[str]:
        told = Told()
        told.work.stop()
        told.work.start(told.step("long"))
        await _turn()
        told.work.stop()
        await _turn()
        return told.lines

    assert asyncio.run(scenario()) == ["long", "ended"]


def test_after_the_end_nothing_is_told_or_begun() -> None:
    async def scenario() -> list[str]:
        told = Told()
        await told.work.close()
        told = Told()
        told.work.start(told.step("never begun"))
        await told.work.close()
        told.work.start(told.step("late"))
        await _turn()
        return told.lines

    assert asyncio.run(scenario()) == []
