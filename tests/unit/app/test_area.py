"""The area that was drawn is stored for the screen on which the companion is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from neodeskpet.app.placement_controller import WalkingAreaController
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.walker import Limits
from neodeskpet.ui.theme import LIGHT


def test_it_is_stored_changed_and_deleted(qapp: QApplication, tmp_path: Path) -> None:
    pet = PetWindow(tmp_path, core=False)
    pet.placement.move_feet_to(QPoint(800, 900))
    kept: list[Limits] = []
    area = WalkingAreaController(pet, kept.append, lambda: LIGHT, lambda: "Mimi", pet)
    screen = QGuiApplication.primaryScreen().name()
    area.set_limits({"elsewhere": (10, 900)})
    area.show_editor()
    assert area.editor is not None
    area.editor.set_left(300)
    area.show_editor()
    assert area.editor.span[0] == 0, "a new one begins with the stored one"
    area.editor.set_left(300)
    area.editor.accept()
    assert area.editor is None
    assert kept[-1] == {"elsewhere": (10, 900), screen: (300, 1600)}
    area.set_limits(kept[-1])
    area.show_editor()
    assert area.editor.span == (300, 1600)
    area.editor.cancelled.emit()
    assert area.editor is None
    assert len(kept) == 1
    area.show_editor()
    area.editor.clear_area()
    assert kept[-1] == {"elsewhere": (10, 900)}
    area.close()
    pet.deleteLater()
