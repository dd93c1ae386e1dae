"""The figure before everything else: the user's actions in the meantime are not lost."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from neodeskpet.app.figure_startup import PRELOADED_MODULES, FigureStartup
from neodeskpet.core.errors import ModelFileError
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui import event_loop
from neodeskpet.ui.pet.pet_window import PetWindow


def test_actions_on_the_figure_before_the_desk_exists(qapp: QApplication, tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    settings.change("companion", "model", str(tmp_path / "nobody"))
    settings.change("companion", "scale", 0.7)
    pet = PetWindow(tmp_path / "cache", random=Random(1))
    refused: list[ModelFileError] = []
    pet.failed.connect(refused.append)
    entrance = FigureStartup(pet, settings)

    async def enter() -> int:
        await entrance.show_and_preload()
        return 0

    try:
        assert event_loop.run(qapp, enter) == 0
        assert refused, "it waits for a figure, or for the news that there is none"
        assert pet.placement.scale == 0.7
        assert pet.appeared_at is None
        assert not pet.is_loading
        pet.chat_requested.emit()
        pet.placement.placed.emit("screen", QPoint(30, 40))
        pet.scaled.emit(1.3)
        assert settings.settings.companion.positions["screen"] == (30, 40)
        assert settings.settings.companion.scale == 1.3
        assert entrance.finish(), "the chat was asked for"
        pet.scaled.emit(0.9)
        assert settings.settings.companion.scale == 1.3, "the desk receives it from now on"
    finally:
        pet.release_model()


def test_the_rest_waits_for_the_figures_first_frame(qapp: QApplication, tmp_path: Path) -> None:
    """A loaded figure isn't enough, nor is a frame without it: further loading would delay it."""
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    pet = PetWindow(tmp_path / "cache", random=Random(1))
    entrance = FigureStartup(pet, settings, timeout=60.0, rest=())

    async def enter() -> int:
        here = asyncio.get_running_loop()
        here.call_soon(pet.ready.emit, None)
        here.call_soon(pet.frameSwapped.emit)
        await entrance.show_and_preload()
        return int(pet.appeared_at is not None)

    try:
        assert event_loop.run(qapp, enter) == 1
        assert not entrance.finish()
    finally:
        pet.release_model()


@pytest.mark.parametrize("name", PRELOADED_MODULES)
def test_each_step_is_a_module(name: str) -> None:
    assert importlib.import_module(name)
