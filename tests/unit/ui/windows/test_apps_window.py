"""The window of the companion's apps, in another language and another theme."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from neodeskpet.language import set_language
from neodeskpet.toolkit.undo import WindowCallsUndo
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.windows.apps_window import AppsWindow
from tests.unit.tools.apps.house import house


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    set_language("en")


def test_it_speaks_the_language_that_is_chosen(qapp: QApplication) -> None:
    async def run() -> None:
        async with house() as home:
            window = AppsWindow(LIGHT, home.apps, WindowCallsUndo({}), {})
            assert window.windows.heading.text() == "Apps"
            set_language("zh_CN")
            window.retranslate()
            window.set_theme(DARK)
            assert window.windows.heading.text() == "应用"
            assert window.log.empty.text() == "还没有任何操作。"
            assert [entry.title for entry in window.windows.list.entries()][:2] == [
                "笔记",
                "计时器",
            ]
            await window.aclose()

    asyncio.run(run())
