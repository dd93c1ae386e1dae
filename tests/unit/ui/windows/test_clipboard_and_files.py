"""The contents of the app panels stay usable while they are loaded again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.clipboard_and_files import ClipboardPanelContent, FilesPanelContent
from tests.unit.tools.apps.house import house


def unexpected(error: KnownError) -> None:
    raise AssertionError(error)


def test_a_folder_that_is_opened_during_a_reload_is_opened(qtbot: QtBot, tmp_path: Path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    (tmp_path / "in").mkdir()

    async def scene() -> None:
        work = TaskRunner("panel", failed=unexpected)
        async with house(folders=[tmp_path]) as home:
            content = FilesPanelContent(lambda: None, LIGHT, home.apps, work, parent)
            qtbot.addWidget(content.pane)
            await content.reload()
            reload = spawn_task(content.reload(), name="test")
            await asyncio.sleep(0)
            content.pane.list.opened.emit(str(tmp_path))
            await reload
            await work.wait_until_idle()
            await content.reload()
            assert content.pane.note.text() == str(tmp_path)
            assert content.pane.list.entries()[0].title == "in"
            await work.aclose()

    asyncio.run(scene())


def test_a_cancelled_reload_of_the_clipboard_keeps_what_is_shown(
    qtbot: QtBot, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    looked: list[int] = []

    async def look() -> ClipboardContent:
        looked.append(1)
        if len(looked) > 1:
            await asyncio.Event().wait()
        return ClipboardContent(text="a plan")

    async def scene() -> None:
        work = TaskRunner("panel", failed=unexpected)
        async with house() as home:
            content = ClipboardPanelContent(look, LIGHT, home.apps, work, parent)
            qtbot.addWidget(content.pane)
            await content.reload()
            second = spawn_task(content.reload(), name="test")
            await asyncio.sleep(0)
            second.cancel()
            await asyncio.wait([second])
            assert content.pane.list.entries()[0].title == "a plan"

    asyncio.run(scene())
