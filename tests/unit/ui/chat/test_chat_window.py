"""The chat window: its parts fit together at every width, closing only hides it."""

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.language import set_language
from neodeskpet.ui.chat.chat_window import WIDE_WIDTH, ChatWindow
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT, Theme

INFOS = [ConversationInfo("a", "one", 1.0, 2.0), ConversationInfo("b", "two", 1.0, 1.0)]


class View(QWidget):
    """A stand-in for the conversation."""

    link_activated = Signal(str)
    composer_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme | None = None
        self.portrait: QPixmap | None = None
        self.spoken = False

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme

    def retranslate(self) -> None:
        self.spoken = True

    def go_to_question(self) -> bool:
        return False

    def allow_question(self) -> bool:
        return False

    def leave_question(self) -> bool:
        return False

    def close_form(self) -> bool:
        return False

    def has_question(self) -> bool:
        return False

    def column_edges(self, width: int) -> tuple[int, int]:
        return (20, 30)

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None:
        self.portrait = picture


def never_opens(url: QUrl) -> bool:
    return False


@pytest.fixture
def view() -> View:
    return View()


@pytest.fixture
def window(qtbot: QtBot, view: View) -> ChatWindow:
    made = ChatWindow(view, LIGHT, open_url=never_opens, now=lambda: 2.0)
    qtbot.addWidget(made)
    made.sidebar.set_conversations(INFOS)
    made.resize(560, 700)
    made.show()
    return made


class Told:
    def __init__(self, window: ChatWindow) -> None:
        self.all: list[tuple[object, ...]] = []
        window.settings_requested.connect(lambda name: self.all.append(("settings", name)))
        window.export_requested.connect(lambda kind: self.all.append(("export", kind)))
        window.export_all_requested.connect(lambda kind: self.all.append(("export all", kind)))
        window.sidebar_toggled.connect(lambda on: self.all.append(("sidebar", on)))
        window.sidebar.new_requested.connect(lambda: self.all.append(("new",)))
        window.hidden.connect(lambda: self.all.append(("hidden",)))


@pytest.fixture
def told(window: ChatWindow) -> Told:
    return Told(window)


def test_the_title_is_stable(window: ChatWindow) -> None:
    window.set_name("Mimi")
    assert window.windowTitle() == "Mimi – NeoDeskPet Chat"


def test_the_title_follows_the_language(window: ChatWindow) -> None:
    set_language("zh_CN")
    try:
        window.retranslate()
        assert window.windowTitle().endswith("NeoDeskPet 聊天")
    finally:
        set_language("en")
        window.retranslate()


def test_closing_hides_it_and_it_is_shown_ready_to_write(window: ChatWindow, told: Told) -> None:
    window.composer.set_draft("half a sen")
    window.close()
    assert window.isHidden()
    assert ("hidden",) in told.all
    window.present()
    assert window.isVisible()
    assert window.composer.draft() == "half a sen"


def test_a_link_of_the_view_is_asked_about(window: ChatWindow, view: View) -> None:
    view.link_activated.emit("https://example.com/")
    assert window.links.address() == "https://example.com/"
    assert not window.links.isHidden()


class TestSidebar:
    def test_the_sidebar_is_beside_the_conversation_in_a_wide_window(
        self, window: ChatWindow
    ) -> None:
        window.resize(1000, 700)
        window.show_sidebar(True)
        assert window.header.mapTo(window, window.header.rect().topLeft()).x() > 200
        assert window.sidebar.isVisible()

    def test_the_sidebar_covers_it_in_a_narrow_one(self, window: ChatWindow) -> None:
        window.resize(320, 600)
        window.show_sidebar(True)
        assert window.header.width() == 320
        assert window.sidebar.isVisible()
        assert window.sidebar.width() < 320

    def test_the_sidebar_has_the_focus_if_it_covers(self, window: ChatWindow, qtbot: QtBot) -> None:
        window.resize(400, 600)
        window.present()
        window.show_sidebar(True)
        qtbot.waitUntil(window.sidebar.list.hasFocus)
        QTest.keyClick(window.sidebar.list, Qt.Key.Key_Escape)
        assert not window.is_sidebar_visible()
        qtbot.waitUntil(window.composer.field.hasFocus)

    def test_an_opened_conversation_closes_a_covering_sidebar(self, window: ChatWindow) -> None:
        window.resize(400, 600)
        window.show_sidebar(True)
        window.sidebar.opened.emit("a")
        assert not window.is_sidebar_visible()

    def test_an_opened_conversation_leaves_it_open_if_there_is_room(
        self, window: ChatWindow
    ) -> None:
        window.resize(WIDE_WIDTH + 200, 600)
        window.show_sidebar(True)
        window.sidebar.opened.emit("a")
        assert window.is_sidebar_visible()

    def test_a_press_beside_it_closes_it(self, window: ChatWindow) -> None:
        window.resize(400, 600)
        window.show_sidebar(True)
        QTest.mouseClick(
            window.childAt(390, 300),
            Qt.MouseButton.LeftButton,
        )
        assert not window.is_sidebar_visible()

    def test_escape_in_it_closes_it(self, window: ChatWindow) -> None:
        window.show_sidebar(True)
        QTest.keyClick(window.sidebar, Qt.Key.Key_Escape)
        assert not window.is_sidebar_visible()

    def test_each_change_is_reported_once(self, window: ChatWindow, told: Told) -> None:
        window.show_sidebar(True)
        window.show_sidebar(True)
        window.show_sidebar(False)
        assert told.all == [("sidebar", True), ("sidebar", False)]

    def test_it_opens_by_its_button_and_by_ctrl_b(self, window: ChatWindow, qtbot: QtBot) -> None:
        QTest.mouseClick(window.header.sidebar, Qt.MouseButton.LeftButton)
        assert window.is_sidebar_visible()
        with qtbot.waitActive(window):
            window.activateWindow()
        QTest.keyClick(window.composer.field, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
        assert not window.is_sidebar_visible()


class TestMenu:
    def test_of_the_header(self, window: ChatWindow, told: Told) -> None:
        for entry in ("new", "export_markdown", "export_page", "all_as_json", "settings"):
            window.header.chosen.emit(entry)
        assert told.all == [
            ("new",),
            ("export", "markdown"),
            ("export", "page"),
            ("export all", "json"),
            ("settings", ""),
        ]

    def test_conversations_opens_the_list(self, window: ChatWindow) -> None:
        window.header.chosen.emit("conversations")
        assert window.is_sidebar_visible()

    def test_rename_edits_the_title_of_the_open_one(self, window: ChatWindow) -> None:
        window.sidebar.set_current("b")
        window.header.chosen.emit("rename")
        assert window.is_sidebar_visible()
        assert window.sidebar.list.currentIndex().data() == "two"

    def test_the_list_of_models_leads_to_the_service(
        self, window: ChatWindow, told: Told, qtbot: QtBot
    ) -> None:
        window.header.set_service("m", "auto")
        with qtbot.waitSignal(window.header.models_requested):
            QTest.mouseClick(window.header.model_button, Qt.MouseButton.LeftButton)
        window.header.open_picker(())
        QTest.mouseClick(window.header.picker.services, Qt.MouseButton.LeftButton)
        assert told.all == [("settings", "service")]


@pytest.mark.parametrize("width", [360, 640, 1100, 1500])
def test_composer_and_messages_share_their_edges(qtbot: QtBot, width: int) -> None:
    view = ChatView(LIGHT)
    window = ChatWindow(view, LIGHT, open_url=never_opens)
    qtbot.addWidget(window)
    window.resize(width, 700)
    with qtbot.waitExposed(window):
        window.show()
    window.set_empty(False)
    frame, box = view.scroller.frame, window.composer.box_rect()
    left = view.mapTo(window, QPoint(frame.left - frame.gutter, 0)).x()
    right = view.mapTo(window, QPoint(frame.left + frame.width, 0)).x()
    corner = window.composer.mapTo(window, box.topLeft())
    assert corner.x() == left
    assert corner.x() + box.width() == right


def test_the_find_bar_is_above_the_messages(qtbot: QtBot) -> None:
    view = ChatView(LIGHT)
    window = ChatWindow(view, LIGHT, open_url=never_opens)
    qtbot.addWidget(window)
    window.resize(900, 700)
    with qtbot.waitExposed(window):
        window.show()
    window.set_empty(False)
    before = view.geometry()
    window.find_bar.open("x")
    assert view.geometry() == before
    bar = window.find_bar
    inside = view.mapTo(window, QPoint(0, 0))
    corner = bar.mapTo(window, QPoint(0, 0))
    assert bar.isVisible()
    assert corner.y() >= inside.y()
    assert corner.x() + bar.width() <= window.width()
    window.resize(330, 700)
    assert bar.mapTo(window, QPoint(0, 0)).x() >= 0
