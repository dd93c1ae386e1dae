"""The settings in large text and under the hand: nothing is clipped, nothing moves away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QListWidget, QScrollArea, QWidget

from neodeskpet.ui.settings.service.editor import ServiceEditor
from neodeskpet.ui.settings.service.page import ServicePage
from tests.stories.test_model_switch import offer
from tests.support.desk import DeskStory
from tests.support.sseserver import ScriptedServer

Play = Callable[..., None]


def clipped(window: QWidget) -> list[str]:
    """The buttons with words that are too low for their text or stand out of the window."""
    buttons = [one for one in window.findChildren(QAbstractButton) if one.isVisible()]
    right = window.mapToGlobal(QPoint(window.width(), 0)).x()
    return [
        one.text()
        for one in buttons
        if one.text()
        and (
            one.height() < one.fontMetrics().height()
            or one.mapToGlobal(QPoint(one.width(), 0)).x() > right
        )
    ]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_large_text_clips_nothing(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        window = person.desk.settings
        for name in window.pages:
            window.present(name)
            await asyncio.sleep(0.05)
            (area,) = window.findChildren(QScrollArea, "pagesArea")
            inner = area.widget()
            assert inner.minimumSizeHint().width() <= area.viewport().width(), name
            assert clipped(window) == [], name

    look = {"language": language, "font_size": 27, "reduced_motion": True}
    desk_story(story, settings={"appearance": look})


async def picker(person: DeskStory, server: ScriptedServer) -> ServiceEditor:
    """The list of all models that the first service offers."""
    names = [f"a-model-with-a-really-very-long-name-2026-11-22-preview-{n}" for n in range(6)]
    server.pages["/v1/models"] = {"data": [{"id": name} for name in names]}
    person.desk.settings.present("service")
    page = person.desk.settings.pages["service"]
    assert isinstance(page, ServicePage)
    person.click(page.services.cards["First"].head)
    editor = page.services.editor
    assert editor is not None
    person.click(editor.models.choose)
    await person.until(lambda: editor.models.list.count(), "nothing is on offer")
    return editor


def ink(picture: QImage) -> int:
    """How many of its dots aren't as its corner."""
    ground = picture.pixel(4, 4)
    across, down = range(4, picture.width() - 4), range(4, picture.height() - 4)
    return sum(picture.pixel(x, y) != ground for x in across for y in down)


def second_line(models: QListWidget, row: int) -> int:
    """Ink in the lower half of a row, where its second line stands."""
    box = models.visualItemRect(models.item(row))
    box.setTop(box.center().y() + 2)
    box.setLeft(box.left() + 32)
    return ink(models.viewport().grab(box.adjusted(0, 0, -4, -2)).toImage())


def test_a_selected_row_keeps_its_second_line_and_a_tick_moves_nothing(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    offer(tmp_path, server, server)

    async def story(person: DeskStory) -> None:
        editor = await picker(person, server)
        models = editor.models.list
        await asyncio.sleep(0.1)
        before = second_line(models, 2)
        models.setCurrentRow(2)
        models.setFocus()
        await asyncio.sleep(0.1)
        assert second_line(models, 2) > before // 2 > 0

        place = models.mapToGlobal(QPoint())
        count = len(editor.models.lines)
        models.item(2).setCheckState(Qt.CheckState.Checked)
        await person.until(lambda: len(editor.models.lines) > count, "it isn't kept")
        await asyncio.sleep(0.1)
        assert models.mapToGlobal(QPoint()) == place

    desk_story(story, mode=None)


def test_a_key_in_the_open_is_asked_about_beside_its_entry(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.settings.present("service")
        page = person.desk.settings.pages["service"]
        assert isinstance(page, ServicePage)
        row = page.form.key
        await person.until(row.plain.isVisible, "nothing is asked")
        assert "box.example" in row.note.text()
        person.click(row.plain)
        await person.until(row.plain.isHidden, "it asks again")
        assert person.desk.engine.settings.settings.service.plain_keys

    desk_story(
        story,
        settings={
            "service": {"protocol": "openai", "base_url": "http://box.example/v1", "model": "m"}
        },
    )
