"""The window of all companions: the present ones, and those that can be invited."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import set_language, tr
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.windows.companions_window import CompanionCandidate, CompanionsWindow
from tests.support.scenario import play, until


class Inn:
    def __init__(self) -> None:
        self.found = [
            CompanionCandidate("", "Neo"),
            CompanionCandidate("/m/Mo", "Mo", is_present=True),
            CompanionCandidate("/m/torn", "torn", problem="It can't be read."),
        ]
        self.is_full = False
        self.done: list[str] = []
        self.faces: list[str] = []
        self.observers: list[Callable[[], None]] = []

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    async def candidates(self) -> list[CompanionCandidate]:
        return self.found

    async def face(self, figure: str) -> QPixmap:
        self.faces.append(figure)
        face = QPixmap(8, 8)
        face.fill(QColor("red"))
        return face if figure == "/m/Mo" else QPixmap()

    async def invite(self, figure: str) -> None:
        if self.done:
            raise KnownError(N_("The disk is full."))
        self.done.append(f"invite {figure}")
        self.found[0] = CompanionCandidate("", "Neo", is_present=True)
        self.is_full = True
        for observer in self.observers:
            observer()

    async def open(self, figure: str) -> None:
        self.done.append(f"open {figure}")

    async def dismiss(self, figure: str) -> None:
        self.done.append(f"dismiss {figure}")
        self.found[0] = CompanionCandidate("", "Neo")
        self.is_full = False
        for observer in self.observers:
            observer()


class Parley:
    """A dialogue that continues until it is stopped."""

    def __init__(self) -> None:
        self.is_enabled = False
        self.is_running = False
        self.words = ""
        self.observers: list[Callable[[], None]] = []

    def status(self) -> str:
        return self.words

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    async def start(self, figure: str, topic: str) -> None:
        if topic == "war":
            raise KnownError(N_("No."))
        self._tell(f"{figure} talks of {topic}", running=True)

    def stop(self) -> None:
        self._tell("You stopped the dialogue.", running=False)

    def _tell(self, words: str, *, running: bool) -> None:
        self.words, self.is_running = words, running
        for observer in self.observers:
            observer()


@pytest.fixture
def inn() -> Inn:
    return Inn()


@pytest.fixture
def parley() -> Parley:
    return Parley()


@pytest.fixture
def window(qtbot: QtBot, inn: Inn, parley: Parley) -> Iterator[CompanionsWindow]:
    made = CompanionsWindow(LIGHT, inn, parley)
    qtbot.addWidget(made)
    yield made
    made.close()


def test_one_is_invited_talked_with_and_removed(window: CompanionsWindow, inn: Inn) -> None:
    def may() -> tuple[bool, bool, bool]:
        buttons = (window.invite_button, window.open_button, window.dismiss_button)
        return buttons[0].isEnabled(), buttons[1].isEnabled(), buttons[2].isEnabled()

    async def scenario() -> None:
        window.present()
        await until(lambda: window.list.count() == 3)
        window.list.select("figure /m/torn")
        assert may() == (False, False, False)
        window.list.select("figure /m/Mo")
        assert may() == (False, True, True)
        window.list.select("figure ")
        assert may() == (True, False, False)
        window.invite_button.click()
        await until(lambda: may() == (False, True, True))
        window.list.opened.emit("figure ")
        await until(lambda: inn.done[-1] == "open ")
        window.dismiss_button.click()
        await until(lambda: may() == (True, False, False))
        window.set_theme(DARK)
        window.list.opened.emit("figure ")
        await until(window.error_label.isVisible)
        assert "The disk is full." in window.error_label.text()
        inn.is_full = True
        window.retranslate()
        assert may() == (False, False, False)
        await window.aclose()
        assert not inn.observers

    play(scenario())


def test_without_a_figure_to_invite_it_says_where_to_get_one(
    window: CompanionsWindow, inn: Inn
) -> None:
    async def scenario() -> None:
        inn.found, found = [], inn.found
        window.present()
        await until(window.empty.isVisible)
        assert "settings under “Companion”" in window.empty.text()
        asked = []
        window.settings_requested.connect(lambda: asked.append(1))
        window.add_button.click()
        assert asked == [1]
        inn.found = found
        window.close()
        window.present()
        await until(lambda: window.list.isVisible() and not window.empty.isVisible())

    play(scenario())


def cut(window: QWidget) -> list[str]:
    """Return texts that are higher than their room."""
    labels = [one for one in window.findChildren(QLabel) if one.isVisible() and one.wordWrap()]
    buttons = [one for one in window.findChildren(QPushButton) if one.isVisible()]
    low = [one.text() for one in labels if one.height() < one.heightForWidth(one.width())]
    return low + [one.text() for one in buttons if one.height() < one.sizeHint().height()]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_at_its_smallest_size_nothing_is_cut(
    window: CompanionsWindow, inn: Inn, parley: Parley, language: str
) -> None:
    async def scenario() -> None:
        set_language(language)
        window.set_theme(LIGHT.sized(17))
        window.retranslate()
        inn.found = []
        parley.words = tr(
            "Conversations between companions can be allowed in the settings under "
            "“Other companions”."
        )
        window.present()
        await until(window.empty.isVisible)
        window.resize(window.minimumSize())
        await until(lambda: cut(window) == [])

    try:
        play(scenario())
    finally:
        set_language("en")


def test_they_talk_on_request_and_stop(window: CompanionsWindow, inn: Inn, parley: Parley) -> None:
    async def scenario() -> None:
        window.present()
        await until(lambda: window.list.count() == 3)
        window.list.select("figure /m/Mo")
        assert not window.talk_button.isEnabled()
        assert "settings" in window.status_label.text()
        parley.is_enabled = True
        window.list.select("figure ")
        assert not window.talk_button.isEnabled(), "it isn't here"
        window.list.select("figure /m/Mo")
        assert window.talk_button.isEnabled()
        assert not window.stop_button.isVisible()
        window.topic.setText("war")
        window.topic.returnPressed.emit()
        await until(window.error_label.isVisible)
        window.topic.setText("tea")
        window.talk_button.click()
        await until(window.stop_button.isVisible)
        assert window.status_label.text() == "/m/Mo talks of tea"
        assert not window.talk_button.isVisible()
        assert not window.topic.text()
        window.topic.returnPressed.emit()
        window.stop_button.click()
        assert window.talk_button.isVisible()
        assert window.status_label.text() == "You stopped the dialogue."
        await window.aclose()
        assert not parley.observers

    play(scenario())


def test_each_figure_has_its_own_face(window: CompanionsWindow, inn: Inn) -> None:
    async def scenario() -> None:
        window.present()
        await until(lambda: len(inn.faces) == 2)
        await until(lambda: any(one.picture for one in window.list.entries()))
        faces = {one.title: one.picture is not None for one in window.list.entries()}
        assert faces == {"Neo": False, "Mo": True, "torn": False}
        assert "/m/torn" not in inn.faces, "it can't be drawn"
        image = window.list.viewport().grab().toImage()
        row = window.list.visualItemRect(window.list.item(1))
        red = [image.pixelColor(x, row.center().y()).name() for x in range(60)]
        assert "#ff0000" in red
        window.retranslate()
        await window.aclose()

    play(scenario())
