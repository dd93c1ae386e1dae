"""The figure before everything else: what the person does with it meanwhile is not lost."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from neodeskpet.app.windows.entrance import STEPS, Entrance
from neodeskpet.core.errors import ModelFileError
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui import loop
from neodeskpet.ui.pet.window import PetWindow


def test_what_is_done_with_the_figure_before_the_desk_is_there(
    qapp: QApplication, tmp_path: Path
) -> None:
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    settings.change("companion", "model", str(tmp_path / "nobody"))
    settings.change("companion", "scale", 0.7)
    pet = PetWindow(tmp_path / "cache", random=Random(1))
    refused: list[ModelFileError] = []
    pet.failed.connect(refused.append)
    entrance = Entrance(pet, settings)

    async def enter() -> int:
        await entrance.come()
        return 0

    try:
        assert loop.run(qapp, enter) == 0
        assert refused, "it waits for a figure, or for the word that there is none"
        assert pet.stand.scale == 0.7
        assert pet.appeared is None
        assert not pet.loading
        pet.chat_requested.emit()
        pet.stand.placed.emit("screen", QPoint(30, 40))
        pet.scaled.emit(1.3)
        assert settings.settings.companion.positions["screen"] == (30, 40)
        assert settings.settings.companion.scale == 1.3
        assert entrance.leave(), "the chat was asked for"
        pet.scaled.emit(0.9)
        assert settings.settings.companion.scale == 1.3, "the desk hears it from now on"
    finally:
        pet.close_model()


def test_the_rest_waits_for_the_figures_first_frame(qapp: QApplication, tmp_path: Path) -> None:
    """That it is ready isn't enough, nor a frame without it: what is loaded then delays it."""
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    pet = PetWindow(tmp_path / "cache", random=Random(1))
    entrance = Entrance(pet, settings, patience=60.0, rest=())

    async def enter() -> int:
        here = asyncio.get_running_loop()
        here.call_soon(pet.ready.emit, None)
        here.call_soon(pet.frameSwapped.emit)
        await entrance.come()
        return int(pet.appeared is not None)

    try:
        assert loop.run(qapp, enter) == 1
        assert not entrance.leave()
    finally:
        pet.close_model()


@pytest.mark.parametrize("name", STEPS)
def test_each_step_is_a_module(name: str) -> None:
    assert importlib.import_module(name)
