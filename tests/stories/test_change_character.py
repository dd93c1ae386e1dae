"""The character is changed from the companion's menu with four clicks, including the one that opens
it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.ui.windows.character_gallery import CharacterGallery
from tests.support.desk import DeskStory

Play = Callable[..., None]
SLOW = 60.0
"""Seconds that a figure may take if software rendering draws several."""


def test_the_character_is_changed_in_four_clicks(desk_story: Play) -> None:
    async def change(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        # a right click, "More" and "Characters and companions…"
        desk.menu.menu.actions["gallery"].trigger()
        gallery = desk.windows["gallery"]
        assert isinstance(gallery, CharacterGallery)
        await person.until(lambda: len(gallery.tiles) == 10, "nobody is shown", SLOW)
        await person.until(gallery.isVisible, "it isn't shown")
        # the fourth click
        QTest.mouseClick(gallery.tiles["ready mochi"], Qt.MouseButton.LeftButton)
        await person.until(lambda: gallery.tiles["ready mochi"].isChecked(), "it stays", SLOW)
        model = str(desk.engine.settings.value("companion", "model"))
        assert model.endswith(("Mochi", "糯米"))
        await desk.wait_for_figure()
        assert desk.character_controller.character is not None
        assert desk.companion.pet.title() in ("Mochi", "糯米")
        QTest.mouseClick(gallery.tiles["neo"], Qt.MouseButton.LeftButton)
        await person.until(lambda: gallery.tiles["neo"].isChecked(), "Neo doesn't come", SLOW)
        assert desk.engine.settings.value("companion", "model") == ""

    desk_story(change, "", pet=True)
