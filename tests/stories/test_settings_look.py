"""The settings in large text: nothing is clipped, and nothing moves away from the pointer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.widgets.controls import ComboBox
from tests.support.desk import DeskStory
from tests.support.fit import cut_texts, overlaps, shown_in, words

Play = Callable[..., None]


def clipped(window: QWidget) -> list[str]:
    """Return what is too small for its text, has empty space inside, covers another part, isn't in
    line with the other rows, or extends out of the window.
    """
    right = window.mapToGlobal(QPoint(window.width(), 0)).x()
    widgets = list(shown_in(window))
    out = [
        f"{words(one)} stands out"
        for one in widgets
        if words(one) and one.mapToGlobal(QPoint(one.width(), 0)).x() > right
    ]
    rows = [one for one in widgets if isinstance(one, SettingsRow)]
    out += [f"{one.title.text()}: gaps" for one in rows if airy(one)]
    out += [f"{one.title.text()}: its note is pinched" for one in rows if pinched(one)]
    out += [f"{one.title.text()}: its control isn't at the edge" for one in rows if off_edge(one)]
    out += [
        f"{one.currentText()!r} is elided"
        for one in widgets
        if isinstance(one, ComboBox) and not one.isEditable() and not one.shows_whole_text
    ]
    return out + cut_texts(widgets) + overlaps(window, widgets)


def off_edge(row: SettingsRow) -> bool:
    """Whether the last control beside a title doesn't end where those of all other rows end."""
    shown = [one for one in row.controls if one.isVisible()]
    if row.is_stacked or not shown:
        return False
    right = max(one.mapTo(row, QPoint(one.width(), 0)).x() for one in shown)
    return abs(right - row.contentsRect().right() - 1 + row.side_padding) > 1


def airy(row: SettingsRow) -> bool:
    """Whether it is higher than its content."""
    width = row.width()
    wanted = row.heightForWidth(width) if row.hasHeightForWidth() else row.sizeHint().height()
    return row.height() > max(wanted, row.minimumHeight()) + 2


def pinched(row: SettingsRow) -> bool:
    """Whether its explanation is a narrow column although there is room."""
    return row.note.isVisible() and row.note.width() < row.width() / 3


def fits(area: QScrollArea) -> bool:
    """Nothing has to be scrolled sideways."""
    return area.widget().minimumSizeHint().width() <= area.viewport().width()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_text_of_any_size_is_never_clipped(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        window, settings = person.desk.side_windows.settings, person.desk.engine.settings
        (area,) = window.findChildren(QScrollArea, "pagesArea")
        for size in (13, 20, 28):
            settings.change("appearance", "font_size", size)
            for name in window.pages:
                window.present(name)
                await asyncio.sleep(0.05)
                for width in (820, 640, 560):
                    window.resize(width, 700)
                    await asyncio.sleep(0.02)
                    try:  # its layout takes several iterations of the loop
                        await person.until(lambda: fits(area) and not clipped(window))
                    except TimeoutError:
                        assert clipped(window) == [], (name, size, width)
                        assert fits(area), (name, size, width)

    settings = {
        "appearance": {"language": language, "reduced_motion": True},
        "service": {"protocol": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
    }
    desk_story(story, mode=None, settings=settings, limit=580)  # all pages, many times


def test_an_unencrypted_key_is_asked_about_beside_its_field(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.side_windows.settings.present("service")
        page = person.desk.side_windows.settings.pages["service"]
        assert isinstance(page, ServicesPage)
        await person.until(lambda: page.services.editor is not None)
        assert page.services.editor is not None
        row = page.services.editor.key
        await person.until(row.plain.isVisible, "nothing is asked")
        assert "box.example" in row.note.text()
        person.click(row.plain)
        await person.until(row.plain.isHidden, "it asks again")
        assert person.desk.engine.settings.settings.service.plain_hosts == "box.example"

    desk_story(
        story,
        settings={
            "service": {"protocol": "openai", "base_url": "http://box.example/v1", "model": "m"}
        },
    )


def test_theme_changes_leave_nothing_behind(desk_story: Play) -> None:
    def objects() -> int:
        return sum(len(one.findChildren(QObject)) for one in QApplication.topLevelWidgets())

    async def story(desk: DeskStory) -> None:
        async def change(times: int) -> None:
            for theme in ("dark", "light") * times:
                desk.desk.engine.settings.change("appearance", "theme", theme)
                await desk.until(
                    lambda theme=theme: desk.desk.chat.view.item_style.theme.name == theme
                )

        await change(1)
        once = objects()
        await change(3)
        await desk.until(lambda: objects() <= once, "each change leaves something")

    desk_story(story)
