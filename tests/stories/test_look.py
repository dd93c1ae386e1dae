"""The window "Look and album": own colours, worn parts, the days together and moments."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QColorDialog, QWidget

from neodeskpet.app.activities.album import Album, AlbumActivity, read_album
from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.figure.behaviour.seasons import SeasonSettings
from neodeskpet.ui.windows.look_window import LookWindow
from tests.support.desk import DeskStory

Play = Callable[..., None]
SLOW = 90.0
"""Seconds that a first picture may take while other programs use the processor."""


def window(person: DeskStory) -> LookWindow:
    desk = person.desk
    assert desk.windows.present("look")
    found = desk.windows["look"]
    assert isinstance(found, LookWindow)
    return found


def save(part: QWidget, name: str) -> None:
    folder = os.environ.get("LOOK_PICTURES")
    if folder:
        part.grab().save(str(Path(folder) / f"{name}.png"))


def test_neo_gets_own_colours_and_stays_neo(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        shown = window(person)
        look = shown.look
        await person.until(
            lambda: not look.preview.pixmap().isNull(), "no picture of the colours", SLOW
        )
        usual = look.preview.pixmap().toImage()
        assert look.accent.value() == "#4fcac4"
        assert not look.use.isEnabled()
        violet = next(one for one in look.accent.swatches if one.colour == "#a06cd5")
        violet.setFocus()
        QTest.keyClick(violet, Qt.Key.Key_Space)
        await person.until(lambda: look.preview.pixmap().toImage() != usual, "no preview", SLOW)
        assert look.use.isEnabled()
        gold = next(one for one in look.scarf.swatches if one.colour == "#f2c14e")
        QTest.mouseClick(gold, Qt.MouseButton.LeftButton)
        await person.until(lambda: look.scarf.value() == "#f2c14e", "no second colour")
        half = look.preview.pixmap().toImage()
        await person.until(lambda: look.preview.pixmap().toImage() != half, "no second preview")
        save(shown, "look")
        look.use.click()

        def model() -> str:
            return str(desk.engine.settings.value("companion", "model"))

        await person.until(lambda: "own colours" in model(), "it isn't coloured", SLOW)
        await person.until(lambda: "has these colours" in look.state.text(), "it isn't told")
        first = model()
        assert await asyncio.to_thread(Path(first).exists)
        assert desk.engine.storage.personas.current.name == "Neo"
        assert desk.engine.storage.personas.figure.bundled_personas is not None
        assert (look.accent.value(), look.scarf.value()) == ("#a06cd5", "#f2c14e")
        look.original.click()
        await person.until(lambda: model() == "", "it isn't restored")
        await person.until(lambda: not Path(first).exists(), "the coloured copy stays")
        await person.until(lambda: look.accent.value() == "#4fcac4", "other colours are shown")

    desk_story(story, pet=True)


def test_any_colour_can_be_chosen_and_a_cancelled_choice_changes_nothing(
    desk_story: Play,
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        desk.engine.settings.change("appearance", "theme", "dark")
        desk.engine.settings.change("appearance", "language", "zh_CN")
        desk.engine.settings.change("appearance", "font_size", 28)
        shown = window(person)
        look = shown.look
        await person.until(lambda: look.accent.value() == "#4fcac4", "no colours", SLOW)
        await person.until(lambda: not look.preview.pixmap().isNull(), "no picture", SLOW)
        save(shown, "look-28")

        async def ask() -> QColorDialog:
            QTest.mouseClick(look.accent.other, Qt.MouseButton.LeftButton)
            await person.until(lambda: look.accent.findChildren(QColorDialog), "no dialog")
            (dialog,) = look.accent.findChildren(QColorDialog)
            return dialog

        dialog = await ask()
        assert dialog.currentColor().name() == "#4fcac4"
        save(dialog, "any-colour-28")
        dialog.reject()
        await person.until(lambda: not look.accent.findChildren(QColorDialog), "it stays")
        assert look.accent.value() == "#4fcac4" and not look.use.isEnabled()
        dialog = await ask()
        dialog.setCurrentColor(QColor("#123456"))
        dialog.accept()
        await person.until(lambda: look.use.isEnabled(), "it isn't chosen", SLOW)
        assert look.accent.value() == "#123456"
        await person.until(lambda: not look.accent.findChildren(QColorDialog), "it stays")
        dialog = await ask()
        assert dialog.currentColor().name() == "#123456", "it begins with the colour that is shown"
        dialog.reject()
        await person.until(lambda: not look.accent.findChildren(QColorDialog), "it stays")
        assert look.accent.value() == "#123456"

    desk_story(story, pet=True)


def test_worn_parts_and_what_comes_next(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        desk.engine.settings.change("pastimes", "feasts", True)
        look = window(person).look
        ways = {one.title: one.detail for one in look.parts.entries()}
        assert ways["Santa hat"].startswith("By itself: Christmas; ")
        assert "when a tool reports rain" in ways["Umbrella"]
        titles = [one.title for one in look.parts.entries()]
        assert {"Glasses", "Headphones", "Ribbon", "Santa hat"} <= set(titles)
        await person.until(lambda: look.next.text().startswith("Next: "), "nothing comes next")
        assert look.next.text().endswith("Glasses in 100 more turns.")
        look.parts.select("glasses")
        QTest.keyClick(look.parts, Qt.Key.Key_Return)
        assert desk.engine.settings.value("companion", "wears") == "glasses"
        await person.until(lambda: desk.companion.pet.worn_part == "glasses", "it isn't worn")
        look.show_parts()
        worn = [one.title for one in look.parts.entries() if one.trailing]
        assert worn == ["Glasses"]
        look.itself.click()
        assert desk.engine.settings.value("companion", "wears") == "itself"

    desk_story(story, pet=True)


def test_the_album_has_days_and_moments(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        store, today = desk.engine.storage.store, date.today()

        async def kinds() -> list[str]:
            return [one.kind for one in (await read_album(store)).moments]

        async def has_talk() -> bool:
            return "turn 1" in await kinds()

        person.type("Hello there")
        await person.idle()
        for _ in range(200):
            if await has_talk():
                break
            await asyncio.sleep(0.05)
        assert await has_talk()
        album = await read_album(store)
        assert (album.days, album.first, album.last) == (1, today, today)
        shown = window(person)
        shown.show_page("album")
        moments = shown.album
        await person.until(lambda: moments.list.current_id() == "turn 1", "no moment")
        assert moments.together.text().startswith("1 day together since ")
        file = desk.engine.storage.home / "album" / "turn 1.png"
        card = moments.picture
        await person.until(lambda: "The first talk" in card.accessibleName(), "no card")
        await person.until(lambda: card.has_figure, "the card has no figure", SLOW)
        assert await asyncio.to_thread(file.is_file)
        save(shown, "album")
        desk.engine.settings.change("appearance", "theme", "dark")
        desk.engine.settings.change("appearance", "language", "zh_CN")
        await person.until(lambda: "在一起" in moments.together.text(), "not in Chinese")
        await person.until(lambda: card.has_figure, "the card has no figure", SLOW)
        save(shown, "album-dark")
        shown.show_page("look")
        await person.until(lambda: not shown.look.preview.pixmap().isNull(), "no preview", SLOW)
        save(shown, "look-dark")

    desk_story(story, pet=True)


def test_festivals_and_days_are_moments(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        store, now = desk.engine.storage.store, [datetime(2026, 12, 25, 12)]
        context = ActivityContext(
            desk.engine, desk.companion.pet, desk.companion.presenter, desk.attention
        )
        album = AlbumActivity(context, SeasonSettings, moment=lambda: now[0])
        desk.activities.album.check()  # the app writes today by itself, sooner or later
        await desk.activities.album.wait_idle()
        before = (await read_album(store)).days
        for day in range(6):
            now[0] = datetime(2026, 12, 25, 12) + timedelta(days=day)
            album.check()
            await album.wait_idle()
        found = await read_album(store)
        assert found.days == before + 6
        moments = {one.kind: one for one in found.moments}
        assert moments["holiday christmas 2026"].wears == "santa hat"
        assert moments["holiday christmas 2026"].day == date(2026, 12, 25)
        assert ("days 7" in moments) is (found.days >= 7)
        await album.aclose()

    desk_story(story, pet=True)


def test_an_album_counts_each_day_once_and_keeps_moments() -> None:
    start = date(2026, 11, 1)
    album = Album().with_day(start).with_day(start).with_day(start + timedelta(days=40))
    assert (album.days, album.first, album.last) == (2, start, start + timedelta(days=40))
    assert album.with_day(start) == album, "a clock that was set back takes nothing away"
    assert Album.of_text(album.text()) == album
    for damaged in (None, "", "[]", "{}", '{"days": 3, "moments": []}'):
        assert Album.of_text(damaged) == Album()
