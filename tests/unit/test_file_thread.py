"""What is written behind the interface's back: settings and timers, on a disk that is slow."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neodeskpet.core.errors import SettingsError
from neodeskpet.file_thread import FileThread
from neodeskpet.settings.settings_errors import SettingsNotSaved
from neodeskpet.settings.store import SettingsStore
from neodeskpet.timers.book import Timer, TimerBook
from neodeskpet.timers.file import TimerFile


class Disk:
    """A file thread that is held until the disk answers."""

    def __init__(self) -> None:
        self.told: list[Callable[[], None]] = []
        self.writer = FileThread(self.told.append)
        self.answers = threading.Event()
        self.writer.run(self._hold)

    def _hold(self) -> None:
        self.answers.wait(20)

    def answer(self) -> None:
        self.answers.set()
        self.writer.flush()


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    yield disk
    disk.answers.set()
    disk.writer.close()


def fill(file: Path) -> Path:
    """Let no more be written into `file` until what this returns is gone."""
    blocked = file.with_name(f".{file.name}.{os.getpid()}.part")
    blocked.mkdir()
    return blocked


def test_settings_hold_at_once_and_the_last_state_is_written(tmp_path: Path, disk: Disk) -> None:
    file = tmp_path / "settings.json"
    store = SettingsStore(file, environ={}, writer=disk.writer)
    for scale in (1.1, 1.2, 1.3):
        store.change("companion", "scale", scale)
    store.change("appearance", "theme", "dark")
    store.reset("appearance", "theme")
    assert store.settings.companion.scale == 1.3
    assert not file.exists()
    disk.answer()
    assert json.loads(file.read_bytes()) == {"companion": {"scale": 1.3}}


def test_closing_writes_what_waits(tmp_path: Path, disk: Disk) -> None:
    file = tmp_path / "settings.json"
    store = SettingsStore(file, environ={}, writer=disk.writer)
    store.change("companion", "scale", 1.3)
    threading.Timer(0.05, disk.answers.set).start()
    store.close()
    assert json.loads(file.read_bytes()) == {"companion": {"scale": 1.3}}


def test_settings_that_cannot_be_saved_are_told_on_the_askers_thread(
    tmp_path: Path, disk: Disk
) -> None:
    heard: list[SettingsError] = []
    file = tmp_path / "settings.json"
    blocked = fill(file)
    store = SettingsStore(file, environ={}, writer=disk.writer, on_fault=heard.append)
    store.change("companion", "scale", 1.3)
    store.change("companion", "scale", 1.4)
    disk.answer()
    assert heard == []
    for callback in disk.told:
        callback()
    assert [type(fault) for fault in heard] == [SettingsNotSaved]
    blocked.rmdir()
    store.close()
    assert json.loads(file.read_bytes()) == {"companion": {"scale": 1.4}}


def test_timers_are_there_before_they_are_on_disk(tmp_path: Path, disk: Disk) -> None:
    file = TimerFile(tmp_path / "timers.json", disk.writer)
    book = TimerBook(file, lambda _timer: None, clock=lambda: 1000.0)
    book.set(2000.0, "tea")
    egg = book.set(3000.0, "egg")
    book.cancel("t1")
    assert book.timers == [egg]
    assert not (tmp_path / "timers.json").exists()
    disk.answer()
    assert TimerFile(tmp_path / "timers.json").load() == [egg] == book.timers


def test_a_timer_that_cannot_be_written_is_told_and_not_set(tmp_path: Path, disk: Disk) -> None:
    file = tmp_path / "timers.json"
    fill(file)
    book = TimerBook(TimerFile(file, disk.writer), print, clock=lambda: 1000.0)
    changes: list[list[Timer]] = []
    book.observe(lambda: changes.append(book.timers))

    async def scene() -> None:
        timer = book.set(2000.0, "tea")
        threading.Timer(0.05, disk.answers.set).start()
        with pytest.raises(OSError, match="part"):
            await book.stored()
        assert changes == [[timer], []]

    asyncio.run(scene())
    assert book.timers == []


def test_a_timer_that_rang_rings_no_more_though_the_disk_is_full(
    tmp_path: Path, disk: Disk
) -> None:
    path = tmp_path / "timers.json"
    TimerFile(path).save([Timer("t1", 10.0, "tea", 1.0)])
    fill(path)
    rung: list[str] = []
    alarms: list[Callable[[], None]] = []

    class Alarm:
        def cancel(self) -> None: ...

    def call_later(_delay: float, wake: Callable[[], None]) -> Alarm:
        alarms.append(wake)
        return Alarm()

    file = TimerFile(path, disk.writer)
    book = TimerBook(
        file, lambda timer: rung.append(timer.label), clock=lambda: 11.0, call_later=call_later
    )
    book.start()
    disk.answer()
    alarms[-1]()
    disk.writer.flush()
    assert TimerFile(path).load() != []
    assert rung == ["tea"]
