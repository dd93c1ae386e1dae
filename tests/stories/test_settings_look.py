"""The settings in large text and under the hand: nothing is clipped, nothing moves away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from PySide6.QtCore import QObject, QPoint, QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.widgets.labels import ElidedLabel
from tests.support.desk import DeskStory

Play = Callable[..., None]


def clipped(window: QWidget) -> list[str]:
    """What is too small for its words, has air within it, or stands out of the window."""
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
    return out + [why for one in widgets if words(one) and (why := too_small(one))]


def shown_in(widget: QWidget) -> Iterator[QWidget]:
    """All that is visible in it; of what is hidden, thousands, nothing is looked at."""
    for child in widget.children():
        if isinstance(child, QWidget) and child.isVisible():
            yield child
            yield from shown_in(child)


def airy(row: SettingsRow) -> bool:
    """Whether it is higher than what is in it."""
    width = row.width()
    wanted = row.heightForWidth(width) if row.hasHeightForWidth() else row.sizeHint().height()
    return row.height() > wanted + 2


def pinched(row: SettingsRow) -> bool:
    """Whether its explanation is a narrow column though there is room."""
    return row.note.isVisible() and row.note.width() < (row.width() - row.title.width()) / 2


def words(widget: QWidget) -> str:
    match widget:
        case ElidedLabel():
            return ""  # it shortens its words itself
        case QLabel() | QAbstractButton() | QLineEdit():
            return widget.text()
        case QComboBox():
            return widget.currentText()
        case _:
            return ""


def too_small(widget: QWidget) -> str:
    """Why its words don't fit into it, "" if they do. A field is scrolled sideways."""
    line = widget.fontMetrics().height()
    if isinstance(widget, QLabel) and widget.wordWrap():
        wanted = QSize(0, widget.heightForWidth(widget.width()))
    elif isinstance(widget, QLabel | QAbstractButton):
        wanted = widget.sizeHint()
    else:
        wanted = QSize(0, line)
    # Qt rounds the heights of lines of several fonts in its own way; a button's padding, of which
    # the width of its border is taken, is no text.
    slack = 4 if isinstance(widget, QAbstractButton) else 1
    high = max(line, wanted.height())
    if widget.height() + 1 < high or widget.width() + slack < wanted.width():
        return f"{words(widget)!r}: {widget.size().toTuple()} for {wanted.toTuple()}"
    return ""


def fits(area: QScrollArea) -> bool:
    """Nothing has to be scrolled sideways."""
    return area.widget().minimumSizeHint().width() <= area.viewport().width()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_text_of_any_size_is_clipped_nowhere(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        window, settings = person.desk.side_windows.settings, person.desk.engine.settings
        (area,) = window.findChildren(QScrollArea, "pagesArea")
        for size in (13, 20, 27):
            settings.change("appearance", "font_size", size)
            for name in window.pages:
                window.present(name)
                await asyncio.sleep(0.05)
                for width in (820, 640, 420):
                    window.resize(width, 700)
                    await asyncio.sleep(0.02)
                    with suppress(TimeoutError):  # it is laid out anew in several turns
                        await person.until(lambda: fits(area) and not clipped(window))
                    assert clipped(window) == [], (name, size, width)
                    assert fits(area), (name, size, width)

    settings = {
        "appearance": {"language": language, "reduced_motion": True},
        "service": {"protocol": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
    }
    desk_story(story, mode=None, settings=settings, limit=280)  # all pages, many times


def test_a_key_in_the_open_is_asked_about_beside_its_entry(desk_story: Play) -> None:
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


def test_themes_that_change_leave_nothing_behind(desk_story: Play) -> None:
    def objects() -> int:
        return sum(len(one.findChildren(QObject)) for one in QApplication.topLevelWidgets())

    async def story(desk: DeskStory) -> None:
        async def change(times: int) -> None:
            for theme in ("dark", "light") * times:
                desk.desk.engine.settings.change("appearance", "theme", theme)
                await desk.until(lambda theme=theme: desk.desk.view.item_style.theme.name == theme)

        await change(1)
        once = objects()
        await change(3)
        await desk.until(lambda: objects() <= once, "each change leaves something")

    desk_story(story)
