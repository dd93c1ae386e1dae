"""The page of an empty conversation."""

from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.welcome_page import SUGGESTIONS, WelcomePage
from neodeskpet.ui.theme import DARK, LIGHT


def test_a_suggestion_starts_with_a_press(qtbot: QtBot) -> None:
    welcome = WelcomePage(LIGHT)
    qtbot.addWidget(welcome)
    told: list[str] = []
    welcome.suggested.connect(told.append)
    for button in welcome.buttons:
        button.click()
    assert told == list(SUGGESTIONS)


def test_it_knows_its_name_and_is_painted_in_both_themes(qtbot: QtBot) -> None:
    welcome = WelcomePage(LIGHT)
    qtbot.addWidget(welcome)
    welcome.set_name("Mimi")
    assert "Mimi is listening" in [label.text() for label in welcome.findChildren(QLabel)]
    welcome.resize(320, 500)
    before = welcome.grab().toImage()
    face = QPixmap(96, 96)
    face.fill("teal")
    welcome.set_portrait(face)
    welcome.set_theme(DARK)
    assert welcome.grab().toImage() != before
    assert welcome.minimumSizeHint().width() <= 320
