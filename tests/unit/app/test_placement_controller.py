"""Without a setting nothing polls the desktop; undetectable states are reported at the setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from neodeskpet.app.placement_controller import PlacementController
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.ui.desktop.window_watcher import ScriptedWindowWatcher
from neodeskpet.ui.pet.pet_window import PetWindow


@pytest.fixture
def pet(qapp: QApplication, tmp_path: Path) -> Iterator[PetWindow]:
    made = PetWindow(tmp_path, core=False)
    yield made
    made.deleteLater()


def test_without_such_settings_nothing_queries_the_desktop(pet: PetWindow) -> None:
    found: list[ScriptedWindowWatcher] = []

    def find() -> ScriptedWindowWatcher:
        found.append(ScriptedWindowWatcher())
        return found[-1]

    joint = PlacementController(pet, find, lambda _name, _text: None, pet)
    joint.apply(CompanionSettings(), calm=False)
    joint.apply(CompanionSettings(fall=True), calm=False)
    assert not found
    joint.apply(CompanionSettings(fall=True, perch=True), calm=False)
    joint.apply(CompanionSettings(fall=True, perch=True), calm=True)
    assert len(found) == 1
    joint.apply(CompanionSettings(full_screen="quiet"), calm=False)
    assert len(found) == 1
    assert not found[0].closed
    found[0].set_windows()
    joint.apply(CompanionSettings(), calm=False)
    assert found[0].closed
    joint.apply(CompanionSettings(perch=True), calm=False)
    joint.start()
    joint.close()


def test_a_state_that_can_not_be_detected_is_reported_beside_the_switch(pet: PetWindow) -> None:
    told: list[tuple[str, str]] = []
    joint = PlacementController(
        pet, lambda: None, lambda name, text: told.append((name, text)), pet
    )
    joint.apply(CompanionSettings(perch=True), calm=False)
    assert [name for name, _ in told] == ["perch"]
    joint.apply(CompanionSettings(full_screen="hide"), calm=False)
    assert [name for name, _ in told] == ["perch", "full_screen"]
    assert not joint.must_stay_still
    joint.close()
