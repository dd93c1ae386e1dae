"""The head of the chat."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.chat_commands import MENU
from neodeskpet.ui.chat.chat_header import ChatHeader, format_token_count
from neodeskpet.ui.theme import DARK, LIGHT


@pytest.fixture
def header(qtbot: QtBot) -> ChatHeader:
    made = ChatHeader(LIGHT)
    qtbot.addWidget(made)
    made.resize(560, 56)
    made.set_name("Neo")
    made.show()
    return made


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (12_400, "12.4k"),
        (64_000, "64k"),
        (999_700, "1M"),
        (1_048_576, "1.05M"),
        (2_000_000, "2M"),
        (1_234_000_000, "1234M"),
    ],
)
def test_short_numbers(tokens: int, text: str) -> None:
    assert format_token_count(tokens) == text


def test_it_shows_model_and_mode(header: ChatHeader) -> None:
    header.set_service("deepseek-chat", "auto")
    assert header.model_button.text() == "deepseek-chat · Auto"
    assert header.model_button.accessibleName().startswith(
        "Model deepseek-chat, in all conversations; tools Auto"
    )
    header.set_service("", "auto")
    assert header.model_button.text() == "No model yet · Auto"
    header.set_service("Offline helper", "")
    assert header.model_button.text() == "Offline helper"
    header.set_service("", "")
    assert header.model_button.isHidden()


def test_it_shows_how_full_the_context_is(header: ChatHeader, qtbot: QtBot) -> None:
    assert header.context.isHidden()
    header.set_token_limit(64_000)
    assert header.context.isHidden()
    header.set_tokens_used(12_400)
    qtbot.waitUntil(lambda: header.context.text() == "12.4k / 64k")
    header.set_tokens_used(500)
    header.set_token_limit(None)
    qtbot.waitUntil(lambda: header.context.text() == "500 tokens")
    name = header.context.accessibleName()
    assert name == "Context: 500 tokens; the limit of the model is unknown."


def test_it_says_what_was_left_out_and_why(header: ChatHeader) -> None:
    header.set_tokens_used(500)
    header.set_token_limit(2000)
    assert header.context.icon().isNull()
    header.set_omissions(["The memory was not ready."])
    assert not header.context.icon().isNull()
    for words in (header.context.accessibleName(), header.context.toolTip()):
        assert "500 of 2k tokens" in words and "The memory was not ready." in words
    pressed = []
    header.context_requested.connect(lambda: pressed.append(True))
    header.context.click()
    assert pressed
    header.set_omissions([])
    assert header.context.icon().isNull()


def test_at_320_pixels_the_name_is_complete_and_the_model_is_cut(header: ChatHeader) -> None:
    header.set_service("a-model-with-a-really-long-name-v3.2-instruct", "native")
    header.set_tokens_used(1)
    header.set_token_limit(2)
    header.resize(320, 56)
    QTest.qWait(0)
    assert header.name.text() == "Neo"
    assert "…" in header.model_button.text()
    assert header.model_button.toolTip().startswith("a-model-with-a-really-long-name")
    assert header.context.isHidden()


@pytest.mark.parametrize("width", [320, 900])
def test_a_model_button_without_room_for_letters_shows_its_icon(
    header: ChatHeader, width: int
) -> None:
    header.set_theme(LIGHT.sized(28))
    header.set_service("a-model-with-a-long-name", "native")
    header.resize(width, 56)
    QTest.qWait(0)
    button = header.model_button
    assert (button.text() == "") is (width == 320)
    assert button.icon().isNull() is (width == 900)
    assert "a-model-with-a-long-name" in button.accessibleName()
    assert button.toolTip().startswith("a-model-with-a-long-name")


def test_a_very_long_name_is_cut(header: ChatHeader) -> None:
    header.set_name("Neo " * 40)
    header.resize(320, 56)
    QTest.qWait(0)
    assert header.name.text().endswith("…")
    assert header.more.geometry().right() <= 320


def test_presses_are_reported(header: ChatHeader) -> None:
    told: list[str] = []
    header.models_requested.connect(lambda: told.append("models"))
    header.sidebar_pressed.connect(lambda: told.append("sidebar"))
    header.set_service("m", "auto")
    for button in (header.model_button, header.sidebar):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert told == ["models", "sidebar"]


def test_the_menu_opens_and_reports(header: ChatHeader) -> None:
    told: list[str] = []
    header.chosen.connect(told.append)
    QTest.mouseClick(header.more, Qt.MouseButton.LeftButton)
    assert header.menu.isVisible()
    for action in header.menu.actions():
        inside = action.menu()
        for one in inside.actions() if isinstance(inside, QMenu) else [action]:
            if not one.isSeparator():
                one.trigger()
    header.menu.close()
    assert told == [command.id for group in MENU for command in group]


def test_it_shows_the_portrait_in_a_circle(header: ChatHeader) -> None:
    face = QPixmap(64, 64)
    face.fill(QColor("#ff0000"))
    header.set_portrait(face)
    image = header.portrait.grab().toImage()
    ratio = image.devicePixelRatio()
    assert image.pixelColor(round(16 * ratio), round(16 * ratio)).name() == "#ff0000"
    assert image.pixelColor(0, 0).name() != "#ff0000"


def test_another_theme(header: ChatHeader) -> None:
    header.set_theme(DARK)
    header.retranslate()
    assert DARK.window in header.styleSheet()


@pytest.mark.parametrize("width", [320, 420, 560, 700, 900])
def test_the_model_is_cut_only_without_room(header: ChatHeader, width: int) -> None:
    header.set_service("a-model-with-a-rather-long-name-2026-11-22-preview", "native")
    header.set_tokens_used(1)
    header.resize(width, 56)
    QTest.qWait(0)
    after = header.context if header.context.isVisible() else header.more
    empty = after.x() - header.model_button.geometry().right() - 1
    assert "…" not in header.model_button.text() or empty <= 2 * 8, empty
    assert header.context.isHidden() or header.context.text() == "1 tokens"
