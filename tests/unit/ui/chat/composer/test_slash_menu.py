"""The list above the composer: its entries, by keyboard and mouse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError, ToolFailed
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dropped_content import PictureSource
from neodeskpet.ui.chat.composer.slash_menu import PreparedPrompt, PromptText, SlashMenu
from neodeskpet.ui.theme import DARK, LIGHT

REVIEW = PreparedPrompt("git", "review", "Look at the last change")
COMMIT = PreparedPrompt("git", "commit", "Word a commit", ("style", "scope"), frozenset({"style"}))
PLAN = PreparedPrompt("day", "plan", "Plan the day")


class Server:
    """A port with the prompts of a test."""

    def __init__(self, *prompts: PreparedPrompt) -> None:
        self.prompts = prompts
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.fails = False

    def available(self) -> Sequence[PreparedPrompt]:
        return self.prompts

    async def load_text(self, prompt: PreparedPrompt, arguments: Mapping[str, str]) -> PromptText:
        self.asked.append((prompt.name, dict(arguments)))
        if self.fails:
            raise ToolFailed("gone")
        return PromptText(f"/{prompt.name} it", [b"png"])


class Stage:
    """A window with a composer at its bottom."""

    def __init__(self, qtbot: QtBot, *prompts: PreparedPrompt) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        box = QVBoxLayout(self.window)
        self.composer = Composer(LIGHT)
        box.addStretch(1)
        box.addWidget(self.composer)
        self.server = Server(*prompts)
        self.pictures: list[PictureSource] = []
        self.faults: list[KnownError] = []
        self.slash_menu = SlashMenu(
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
        QTest.keyClick(self.slash_menu.list if in_list else self.composer.field, key)

    def all_runs(self) -> list[str]:
        if not self.slash_menu.isVisible():
            return []
        rows = map(
            self.slash_menu.list.topLevelItem, range(self.slash_menu.list.topLevelItemCount())
        )
        return [row.text(0) for row in rows if row is not None]


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def play(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(story())


def test_typing_filters_the_list(qtbot: QtBot) -> None:
    stage = Stage(qtbot, REVIEW, COMMIT, PLAN)
    stage.write("/")
    assert stage.all_runs() == ["/git:review", "/git:commit", "/day:plan"]
    assert stage.slash_menu.geometry().bottom() < stage.composer.geometry().top()
    stage.write("git change")
    assert stage.all_runs() == ["/git:review"]
    stage.write("\n")
    assert stage.all_runs() == []
    stage.composer.field.clear()
    stage.write("a / b")
    assert stage.all_runs() == []


def test_without_prompts_nothing_opens(qtbot: QtBot) -> None:
    stage = Stage(qtbot)
    stage.write("/")
    assert stage.all_runs() == []


def test_by_keyboard(qtbot: QtBot) -> None:
    stage = Stage(qtbot, REVIEW, COMMIT, PLAN)

    async def story() -> None:
        stage.write("/")
        stage.press(Qt.Key.Key_Up)
        assert stage.slash_menu.list.currentItem().text(0) == "/day:plan"  # type: ignore[union-attr]
        stage.press(Qt.Key.Key_G, in_list=True)
        assert stage.composer.draft() == "/g"
        assert stage.all_runs() == ["/git:review", "/git:commit"]
        stage.press(Qt.Key.Key_Escape, in_list=True)
        assert stage.all_runs() == []
        stage.write("i")
        assert stage.all_runs()
        stage.press(Qt.Key.Key_Tab)
        await settle()
        assert stage.server.asked == [("review", {})]
        assert stage.composer.draft() == "/review it"
        assert stage.all_runs() == []
        assert [one.data for one in stage.pictures] == [b"png"]
        await stage.slash_menu.aclose()

    play(story)


def test_arguments_are_asked_for(qtbot: QtBot) -> None:
    stage = Stage(qtbot, COMMIT)

    async def story() -> None:
        stage.write("/")
        box = stage.slash_menu.list.visualItemRect(stage.slash_menu.list.currentItem())  # type: ignore[arg-type]
        left = Qt.MouseButton.LeftButton
        QTest.mouseClick(stage.slash_menu.list.viewport(), left, pos=box.center())
        form = stage.slash_menu.form
        assert form is not None
        assert stage.slash_menu.list.isHidden()
        stage.window.resize(420, 420)
        QTest.keyClicks(form.control_for("scope"), "ui")
        form.allow.click()
        assert form.errors() == "This is required."
        QTest.keyClick(form, Qt.Key.Key_Escape)
        assert stage.slash_menu.form is None
        assert stage.all_runs() == ["/git:commit"]
        stage.press(Qt.Key.Key_Return)
        form = stage.slash_menu.form
        assert form is not None
        QTest.keyClicks(form.control_for("style"), "short")
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
        assert not stage.slash_menu.isVisible()
        stage.slash_menu.set_theme(DARK)
        await stage.slash_menu.aclose()

    play(story)
