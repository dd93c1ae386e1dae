from __future__ import annotations

import asyncio

from neodeskpet.core.errors import KnownError
from neodeskpet.figure.files.figure_settings import FigureSettings
from neodeskpet.platform.async_tasks import running
from neodeskpet.ui.settings.figure.delayed_save import DelayedSaver


class SettingsStore:
    def __init__(self) -> None:
        self.kept: list[tuple[str, float]] = []
        self.full = ""  # the model whose disk is full
        self.render: list[KnownError] = []

    async def keep(self, path: str, side: FigureSettings) -> None:
        await asyncio.sleep(0)
        if path == self.full:
            raise KnownError("full")
        self.kept.append((path, side.size))


def sized(size: float) -> FigureSettings:
    return FigureSettings(size=size)


def test_of_a_continuous_change_only_the_last_value_is_saved() -> None:
    async def scenario() -> list[tuple[str, float]]:
        store = SettingsStore()
        notes = DelayedSaver(store.keep, store.render.append, rest=0.0)
        for size in (1.1, 1.2, 1.3):
            notes.save_later("/m/cat", sized(size))
        await asyncio.wait(running())
        return store.kept

    assert asyncio.run(scenario()) == [("/m/cat", 1.3)]


def test_it_waits_while_the_value_changes() -> None:
    async def scenario() -> None:
        store = SettingsStore()
        notes = DelayedSaver(store.keep, store.render.append, rest=3600)
        notes.save_later("/m/cat", sized(2.0))
        notes.save_later("/m/dog", sized(0.5))
        for _ in range(9):
            await asyncio.sleep(0)
        assert store.kept == []
        await notes.flush()
        assert store.kept == [("/m/cat", 2.0), ("/m/dog", 0.5)]
        await notes.flush()
        notes.save_later("/m/cat", sized(3.0))
        await notes.flush()
        assert store.kept[2:] == [("/m/cat", 3.0)]

    asyncio.run(scenario())


def test_other_pending_changes_are_saved_too() -> None:
    async def scenario() -> None:
        store = SettingsStore()
        notes = DelayedSaver(store.keep, store.render.append, rest=3600)
        notes.save_later("/m/cat", sized(2.0))
        settling = asyncio.gather(notes.flush(), notes.flush())
        await asyncio.sleep(0)
        notes.save_later("/m/cat", sized(1.5))
        await settling
        assert store.kept[-1] == ("/m/cat", 1.5)

    asyncio.run(scenario())


def test_a_failed_save_is_reported_and_does_not_affect_others() -> None:
    async def scenario() -> None:
        store = SettingsStore()
        store.full = "/m/cat"
        notes = DelayedSaver(store.keep, store.render.append, rest=3600)
        notes.save_later("/m/cat", sized(2.0))
        notes.save_later("/m/dog", sized(0.5))
        await notes.flush()
        assert store.kept == [("/m/dog", 0.5)]
        assert len(store.render) == 1

    asyncio.run(scenario())
