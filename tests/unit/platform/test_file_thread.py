"""Settings written in the background, on a slow disk."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neodeskpet.core.errors import SettingsError
from neodeskpet.llm.catalog.catalog_file import CatalogChanged, CatalogFile, CatalogNotSaved
from neodeskpet.llm.catalog.model_catalog import Catalog, catalog_of_service
from neodeskpet.platform.private_files import FileThread
from neodeskpet.settings.config_files import SettingsNotSaved
from neodeskpet.settings.store import SettingsStore


class Disk:
    """A file thread that is blocked until the disk answers."""

    def __init__(self) -> None:
        self.render: list[Callable[[], None]] = []
        self.writer = FileThread(self.render.append)
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
    """Block writing into `file` until the returned file is deleted."""
    blocked = file.with_name(f".{file.name}.{os.getpid()}.part")
    blocked.mkdir()
    return blocked


def test_settings_take_effect_at_once_and_the_last_state_is_written(
    tmp_path: Path, disk: Disk
) -> None:
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


def test_closing_writes_pending_changes(tmp_path: Path, disk: Disk) -> None:
    file = tmp_path / "settings.json"
    store = SettingsStore(file, environ={}, writer=disk.writer)
    store.change("companion", "scale", 1.3)
    threading.Timer(0.05, disk.answers.set).start()
    store.close()
    assert json.loads(file.read_bytes()) == {"companion": {"scale": 1.3}}


def test_a_failed_save_is_reported_on_the_callers_thread(tmp_path: Path, disk: Disk) -> None:
    heard: list[SettingsError] = []
    file = tmp_path / "settings.json"
    blocked = fill(file)
    store = SettingsStore(file, environ={}, writer=disk.writer, on_fault=heard.append)
    store.change("companion", "scale", 1.3)
    store.change("companion", "scale", 1.4)
    disk.answer()
    assert heard == []
    for callback in disk.render:
        callback()
    assert [type(fault) for fault in heard] == [SettingsNotSaved]
    blocked.rmdir()
    store.close()
    assert json.loads(file.read_bytes()) == {"companion": {"scale": 1.4}}


ONE = catalog_of_service("openai", "http://one.example/v1", "m")
TWO = catalog_of_service("openai", "http://two.example/v1", "m")


def test_model_services_take_effect_at_once_and_are_written_in_the_background(
    tmp_path: Path, disk: Disk
) -> None:
    path = tmp_path / "llm-config.json"
    file = CatalogFile(path, writer=disk.writer)
    first = file.edit(lambda catalog: catalog, ONE)
    second = file.edit(lambda _: TWO, Catalog())
    assert file.catalog == TWO
    assert not path.exists()
    assert not file.refresh(), "a pending change isn't taken for a manual one"
    with pytest.raises(CatalogChanged):
        file.revert(first)
    file.revert(second)
    assert file.catalog == ONE
    disk.answer()
    assert CatalogFile(path).catalog == ONE
    assert not file.refresh()


def test_undoing_the_first_edit_leaves_no_file(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "llm-config.json"
    file = CatalogFile(path, writer=disk.writer)
    file.revert(file.edit(lambda catalog: catalog, ONE))
    assert file.catalog is None
    disk.answer()
    assert not path.exists()
    assert not file.refresh()


def test_a_failed_save_of_model_services_is_reported_and_repeated_with_the_next(
    tmp_path: Path, disk: Disk
) -> None:
    path = tmp_path / "llm-config.json"
    heard: list[SettingsError] = []
    file = CatalogFile(path, on_fault=heard.append, writer=disk.writer)
    blocked = fill(path)
    file.edit(lambda catalog: catalog, ONE)
    disk.answer()
    for told in disk.render:
        told()
    assert [type(fault) for fault in heard] == [CatalogNotSaved]
    assert file.catalog == ONE
    assert not file.refresh()
    blocked.rmdir()
    file.edit(lambda _: TWO, Catalog())
    disk.writer.flush()
    assert CatalogFile(path).catalog == TWO
