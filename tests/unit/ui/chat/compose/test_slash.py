"""The list over the composer: what it offers, by keyboard and mouse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError, ToolFailed
from neodeskpet.ui.chat.compose.composer import Composer
from neodeskpet.ui.chat.compose.offers import Offer
from neodeskpet.ui.chat.compose.slash import Prepared, SlashMenu, Words
from neodeskpet.ui.theme import DARK, LIGHT

REVIEW = Prepared("git", "review", "Look at the last change")
COMMIT = Prepared("git", "commit", "Word a commit", ("style", "scope"), frozenset({"style"}))
PLAN = Prepared("day", "plan", "Plan the day")


class Server:
    """A port on prompts that are what a test says."""

    def __init__(self, *prompts: Prepared) -> None:
        self.prompts = prompts
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.fails = False

    def prepared(self) -> Sequence[Prepared]:
        return self.prompts

    async def words(self, prompt: Prepared, arguments: Mapping[str, str]) -> Words:
        self.asked.append((prompt.name, dict(arguments)))
        if self.fails:
            raise ToolFailed("gone")
        return Words(f"/{prompt.name} it", [b"png"])


class Stage:
    """A window with a composer at its foot."""

    def __init__(self, qtbot: QtBot, *prompts: Prepared) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        box = QVBoxLayout(self.window)
        self.composer = Composer(LIGHT)
        box.addStretch(1)
        box.addWidget(self.composer)
        self.server = Server(*prompts)
        self.pictures: list[Offer] = []
        self.faults: list[KnownError] = []
        self.slash = SlashMenu(
            self.composer,
            self.server,
            LIGHT,
            attach=self.pictures.extend,
            failed=self.faults.append,
        )
        self.window.resize(500, 500)
        self.window.show()
        self.window.activateWindow()
        self.composer.field.setFocus()

    def write(self, text: str) -> None:
        self.composer.insert(text)

    def press(self, key: Qt.Key, *, in_list: bool = False) -> None:
        QTest.keyClick(self.slash.list if in_list else self.composer.field, key)

    def listed(self) -> list[str]:
        if not self.slash.isVisible():
            return []
        rows = map(self.slash.list.topLevelItem, range(self.slash.list.topLevelItemCount()))
        return [row.text(0) for row in rows if row is not None]


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def play(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(story())


def test_what_is_written_narrows_the_list(qtbot: QtBot) -> None:
    stage = Stage(qtbot, REVIEW, COMMIT, PLAN)
    stage.write("/")
    assert stage.listed() == ["/git:review", "/git:commit", "/day:plan"]
    assert stage.slash.geometry().bottom() < stage.composer.geometry().top()
    stage.write("git change")
    assert stage.listed() == ["/git:review"]
    stage.write("\n")
    assert stage.listed() == []
    stage.composer.field.clear()
    stage.write("a / b")
    assert stage.listed() == []


def test_nothing_opens_where_there_is_nothing(qtbot: QtBot) -> None:
    stage = Stage(qtbot)
    stage.write("/")
    assert stage.listed() == []


def test_by_keyboard(qtbot: QtBot) -> None:
    stage = Stage(qtbot, REVIEW, COMMIT, PLAN)

    async def story() -> None:
        stage.write("/")
        stage.press(Qt.Key.Key_Up)
        assert stage.slash.list.currentItem().text(0) == "/day:plan"  # type: ignore[union-attr]
        stage.press(Qt.Key.Key_G, in_list=True)
        assert stage.composer.draft() == "/g"
        assert stage.listed() == ["/git:review", "/git:commit"]
        stage.press(Qt.Key.Key_Escape, in_list=True)
        assert stage.listed() == []
        stage.write("i")
        assert stage.listed()
        stage.press(Qt.Key.Key_Tab)
        await settle()
        assert stage.server.asked == [("review", {})]
        assert stage.composer.draft() == "/review it"
        assert stage.listed() == []
        assert [one.data for one in stage.pictures] == [b"png"]
        await stage.slash.finish()

    play(story)


def test_arguments_are_asked_for(qtbot: QtBot) -> None:
    stage = Stage(qtbot, COMMIT)

    async def story() -> None:
        stage.write("/")
        box = stage.slash.list.visualItemRect(stage.slash.list.currentItem())  # type: ignore[arg-type]
        left = Qt.MouseButton.LeftButton
        QTest.mouseClick(stage.slash.list.viewport(), left, pos=box.center())
        form = stage.slash.form
        assert form is not None
        assert stage.slash.list.isHidden()
        stage.window.resize(420, 420)
        QTest.keyClicks(form.control("scope"), "ui")
        form.allow.click()
        assert form.faults() == "This is needed."
        QTest.keyClick(form, Qt.Key.Key_Escape)
        assert stage.slash.form is None
        assert stage.listed() == ["/git:commit"]
        stage.press(Qt.Key.Key_Return)
        form = stage.slash.form
        assert form is not None
        QTest.keyClicks(form.control("style"), "short")
        stage.server.fails = True
        form.allow.click()
        await settle()
        assert [error.detail for error in stage.faults] == ["gone"]
        assert stage.composer.draft() == "/"
        stage.server.fails = False
        form.allow.click()
        await settle()
        assert stage.server.asked[-1] == ("commit", {"style": "short"})
        assert stage.composer.draft() == "/commit it"
        assert not stage.slash.isVisible()
        stage.slash.set_theme(DARK)
        await stage.slash.finish()

    play(story)
