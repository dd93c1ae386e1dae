"""The card of the current character: face, name, manner, and the ways to change it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.ui.settings.character_head import CharacterHeadPage, CurrentCharacter
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import live_settings


class Head:
    """A `CharacterHeadPort` that counts the presses."""

    def __init__(self) -> None:
        self.character = CurrentCharacter("Neo", "Curious and warm. Brief.")
        self.picture = QImage(64, 64, QImage.Format.Format_ARGB32)
        self.picture.fill(QColor("#ff0000"))
        self.pressed: list[str] = []
        self.fails: KnownError | None = None
        self.observers: list[Callable[[], None]] = []

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    async def current(self) -> CurrentCharacter:
        if self.fails is not None:
            raise self.fails
        return self.character

    async def face(self) -> QImage:
        return self.picture

    def change(self) -> None:
        self.pressed.append("change")

    def edit(self) -> None:
        self.pressed.append("edit")

    def look(self) -> None:
        self.pressed.append("look")


def test_shows_the_character_and_follows_a_change(qtbot: QtBot, tmp_path: Path) -> None:
    head = Head()
    page = CharacterHeadPage(live_settings(tmp_path), head, LIGHT)
    qtbot.addWidget(page)

    async def scenario() -> None:
        page.retranslate()
        page.resize(608, 160)
        page.show()
        await until(lambda: page.name.text() == "Neo")
        await until(lambda: page.face.grab().toImage().pixelColor(44, 44) == QColor("#ff0000"))
        assert page.line.text() == "Curious and warm. Brief."
        page.change.click()
        page.edit.click()
        assert head.pressed == ["change", "edit"]
        head.character, head.picture = CurrentCharacter("Mochi", ""), QImage()
        for tell in tuple(head.observers):
            tell()
        await until(lambda: page.edit.accessibleName() == "Edit Mochi")
        assert page.line.isHidden(), "a character without a description"
        page.set_theme(DARK)
        assert page.face.grab().toImage().pixelColor(4, 4) == QColor(DARK.person)
        head.fails = ModelFileError("it is broken", file="a.png")
        page.refresh()
        await until(page.error_label.isVisible)
        await page.aclose()

    play(scenario())
    assert head.observers == []


def test_the_first_letter_is_shown_until_the_face_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    drawn = asyncio.Event()

    class Slow(Head):
        async def face(self) -> QImage:
            await drawn.wait()
            return self.picture

    page = CharacterHeadPage(live_settings(tmp_path), Slow(), LIGHT)
    qtbot.addWidget(page)

    def colours() -> set[str]:
        picture = page.face.grab().toImage()
        return {picture.pixelColor(x, 44).name() for x in range(88)}

    async def scenario() -> None:
        page.retranslate()
        page.show()
        await until(lambda: QColor(LIGHT.accent).name() in colours())
        drawn.set()
        await until(lambda: colours() == {"#ff0000"})
        page.refresh()
        await settle()
        assert colours() == {"#ff0000"}, "the same character keeps its face"
        await page.aclose()

    play(scenario())


def test_a_search_finds_the_card_by_its_buttons_and_the_name(qtbot: QtBot, tmp_path: Path) -> None:
    page = CharacterHeadPage(live_settings(tmp_path), Head(), LIGHT)
    qtbot.addWidget(page)
    page.retranslate()
    assert page.search("") == 1 and page.heading.isHidden()
    assert page.search("change character") == 1 and not page.heading.isHidden()
    assert page.search("zzz") == 0
    assert page.has_setting_named("character")
