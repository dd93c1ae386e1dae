"""The chat window: its parts fit together at every width, closing only hides it."""

import pytest
from PySide6.QtCore import QMimeData, QPointF, QRect, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.records import ConversationInfo
from neodeskpet.ui.chat.window import TITLE, WIDE, ChatWindow
from neodeskpet.ui.theme import DARK, LIGHT, Theme

INFOS = [ConversationInfo("a", "one", 1.0, 2.0), ConversationInfo("b", "two", 1.0, 1.0)]


class View(QWidget):
    """What stands for the conversation."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme | None = None
        self.portrait: QPixmap | None = None
        self.spoken = False

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme

    def retranslate(self) -> None:
        self.spoken = True

    def set_portrait(self, picture: QPixmap) -> None:
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
    made.sidebar.show_infos(INFOS)
    made.resize(560, 700)
    made.show()
    return made


class Told:
    def __init__(self, window: ChatWindow) -> None:
        self.all: list[tuple[object, ...]] = []
        window.settings_requested.connect(lambda name: self.all.append(("settings", name)))
        window.export_requested.connect(lambda kind: self.all.append(("export", kind)))
        window.sidebar_toggled.connect(lambda on: self.all.append(("sidebar", on)))
        window.sidebar.new_requested.connect(lambda: self.all.append(("new",)))
        window.hidden.connect(lambda: self.all.append(("hidden",)))


@pytest.fixture
def told(window: ChatWindow) -> Told:
    return Told(window)


def test_the_title_is_stable(window: ChatWindow) -> None:
    assert window.windowTitle() == TITLE == "NeoDeskPet Chat"


def test_closing_hides_it_and_it_comes_back_ready_to_write(window: ChatWindow, told: Told) -> None:
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
    def test_is_beside_the_conversation_in_a_wide_window(self, window: ChatWindow) -> None:
        window.resize(1000, 700)
        window.show_sidebar(True)
        assert window.header.mapTo(window, window.header.rect().topLeft()).x() > 200
        assert window.sidebar.isVisible()

    def test_lies_over_it_in_a_narrow_one(self, window: ChatWindow) -> None:
        window.resize(320, 600)
        window.show_sidebar(True)
        assert window.header.width() == 320
        assert window.sidebar.isVisible()
        assert window.sidebar.width() < 320

    def test_an_opened_conversation_closes_it_where_it_covers(self, window: ChatWindow) -> None:
        window.resize(400, 600)
        window.show_sidebar(True)
        window.sidebar.opened.emit("a")
        assert not window.sidebar_shown()

    def test_an_opened_conversation_leaves_it_where_there_is_room(self, window: ChatWindow) -> None:
        window.resize(WIDE + 200, 600)
        window.show_sidebar(True)
        window.sidebar.opened.emit("a")
        assert window.sidebar_shown()

    def test_a_press_beside_it_closes_it(self, window: ChatWindow) -> None:
        window.resize(400, 600)
        window.show_sidebar(True)
        QTest.mouseClick(
            window.childAt(390, 300),
            Qt.MouseButton.LeftButton,
        )
        assert not window.sidebar_shown()

    def test_escape_in_it_closes_it(self, window: ChatWindow) -> None:
        window.show_sidebar(True)
        QTest.keyClick(window.sidebar, Qt.Key.Key_Escape)
        assert not window.sidebar_shown()

    def test_is_told_once_each_way(self, window: ChatWindow, told: Told) -> None:
        window.show_sidebar(True)
        window.show_sidebar(True)
        window.show_sidebar(False)
        assert told.all == [("sidebar", True), ("sidebar", False)]

    def test_opens_by_its_button_and_by_ctrl_b(self, window: ChatWindow, qtbot: QtBot) -> None:
        QTest.mouseClick(window.header.sidebar, Qt.MouseButton.LeftButton)
        assert window.sidebar_shown()
        with qtbot.waitActive(window):
            window.activateWindow()
        QTest.keyClick(window.composer.field, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
        assert not window.sidebar_shown()


class TestMenu:
    def test_of_the_header(self, window: ChatWindow, told: Told) -> None:
        for entry in ("new", "export_markdown", "export_json", "settings"):
            window.header.chosen.emit(entry)
        assert told.all == [
            ("new",),
            ("export", "markdown"),
            ("export", "json"),
            ("settings", ""),
        ]

    def test_conversations_opens_the_list(self, window: ChatWindow) -> None:
        window.header.chosen.emit("conversations")
        assert window.sidebar_shown()

    def test_rename_edits_the_open_ones_title(self, window: ChatWindow) -> None:
        window.sidebar.set_current("b")
        window.header.chosen.emit("rename")
        assert window.sidebar_shown()
        assert window.sidebar.list.currentIndex().data() == "two"

    def test_the_models_pill_leads_to_the_service(self, window: ChatWindow, told: Told) -> None:
        window.header.set_service("m", "auto")
        QTest.mouseClick(window.header.pill, Qt.MouseButton.LeftButton)
        assert told.all == [("settings", "service")]


class TestPlace:
    def test_is_told_when_it_settled(self, window: ChatWindow, qtbot: QtBot) -> None:
        with qtbot.waitSignal(window.geometry_settled, timeout=5000) as settled:
            window.resize(600, 640)
        assert settled.args[0].size().width() == 600

    def test_is_told_on_closing(self, window: ChatWindow) -> None:
        told: list[QRect] = []
        window.geometry_settled.connect(told.append)
        window.close()
        assert told == [window.geometry()]

    def test_comes_back(self, window: ChatWindow) -> None:
        window.restore(QRect(200, 100, 500, 600))
        assert window.geometry() == QRect(200, 100, 500, 600)

    @pytest.mark.parametrize(
        "place",
        [
            QRect(90000, 90000, 500, 600),
            QRect(-5000, -5000, 500, 600),
            QRect(0, 0, 99999, 99999),
            QRect(10, 10, 1, 1),
        ],
    )
    def test_is_put_where_a_screen_is(self, window: ChatWindow, place: QRect) -> None:
        window.restore(place)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        assert screen.contains(window.geometry())
        assert window.width() >= 320


def test_fits_into_320(window: ChatWindow) -> None:
    window.composer.set_running(True)
    window.composer.set_draft("x" * 1000)
    window.composer.set_queue(["y" * 500])
    window.header.set_service("m" * 200, "native")
    window.ask_link("https://example.com/" + "z" * 500)
    window.resize(320, 600)
    assert window.width() == 320
    for part in (window.header, window.composer, window.links):
        assert part.width() == 320
        assert part.minimumSizeHint().width() <= 320


def test_a_page_stands_in_for_the_conversation(window: ChatWindow, view: View) -> None:
    guide = QLabel("guide")
    window.set_page(guide)
    assert guide.isVisible()
    assert not view.isVisible()
    window.set_page(None)
    assert view.isVisible()
    assert guide.parent() is None


def test_an_empty_conversation_says_how_to_begin(window: ChatWindow, view: View) -> None:
    sent: list[str] = []
    window.composer.submitted.connect(sent.append)
    window.set_empty(True)
    assert window.welcome.isVisible()
    window.welcome.buttons[0].click()
    assert sent == ["What can you do?"]
    guide = QLabel("guide")
    window.set_page(guide)
    assert guide.isVisible()
    window.set_empty(False)
    assert guide.isVisible()
    window.set_page(None)
    assert view.isVisible()


def test_the_name_is_the_persons_choice(window: ChatWindow) -> None:
    window.set_name("Mimi")
    assert window.header.name.whole() == "Mimi"


def test_theme_and_portrait_reach_the_view(window: ChatWindow, view: View) -> None:
    assert view.theme is LIGHT
    window.set_theme(DARK)
    assert view.theme is DARK
    face = QPixmap(8, 8)
    window.set_portrait(face)
    assert view.portrait is face


def test_retranslates_its_parts(window: ChatWindow) -> None:
    window.composer.field.setPlaceholderText("")
    window.retranslate()
    assert window.composer.field.placeholderText()


def test_the_conversation_is_retranslated_with_the_window(window: ChatWindow) -> None:
    view = window.view
    assert isinstance(view, View)
    window.retranslate()
    assert view.spoken


def test_pictures_may_be_dropped_anywhere(window: ChatWindow) -> None:
    offered: list[QMimeData] = []
    window.composer.offered.connect(offered.append)
    picture, words = QMimeData(), QMimeData()
    picture.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    words.setText("hello")
    spot, copy = QPointF(100, 200), Qt.DropAction.CopyAction
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    taken = []
    for source in (picture, words):
        entered = QDragEnterEvent(spot.toPoint(), copy, source, left, none)
        entered.ignore()
        dropped = QDropEvent(spot, copy, source, left, none)
        QApplication.sendEvent(window, entered)
        QApplication.sendEvent(window, dropped)
        taken.append(entered.isAccepted())
    assert taken == [True, False]
    assert len(offered) == 1
