"""The list of conversations: everything by mouse and by keyboard, nothing that blocks."""

from datetime import datetime

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.ui.chat.sidebar.conversation_list_model import ID_ROLE
from neodeskpet.ui.chat.sidebar.sidebar import Sidebar
from neodeskpet.ui.theme import DARK, LIGHT

NOW = datetime(2026, 9, 21, 14, 13).timestamp()
INFOS = [
    ConversationInfo("a", "上海的天气", NOW, NOW - 60),
    ConversationInfo("b", "Trip to Kyoto", NOW, NOW - 3600),
    ConversationInfo("p", "Pinned one", NOW, NOW - 7200, True),
]


@pytest.fixture
def sidebar(qtbot: QtBot) -> Sidebar:
    made = Sidebar(LIGHT, now=lambda: NOW)
    qtbot.addWidget(made)
    made.resize(260, 500)
    made.set_conversations(INFOS)
    made.show()
    return made


class Told:
    def __init__(self, sidebar: Sidebar) -> None:
        self.all: list[tuple[object, ...]] = []
        sidebar.opened.connect(lambda one: self.all.append(("opened", one)))
        sidebar.new_requested.connect(lambda: self.all.append(("new",)))
        sidebar.renamed.connect(lambda one, title: self.all.append(("renamed", one, title)))
        sidebar.pin_requested.connect(lambda one, pinned: self.all.append(("pin", one, pinned)))
        sidebar.delete_requested.connect(lambda ids: self.all.append(("delete", *ids)))
        sidebar.archive_requested.connect(lambda ids, on: self.all.append(("away", *ids, on)))
        sidebar.move_requested.connect(lambda ids, to: self.all.append(("move", *ids, to)))
        sidebar.closed.connect(lambda: self.all.append(("closed",)))


@pytest.fixture
def told(sidebar: Sidebar) -> Told:
    return Told(sidebar)


def place_of(sidebar: Sidebar, conversation_id: str, from_right: int | None = None) -> QPoint:
    """Return the middle of a row, or a place that many pixels from its right end."""
    rect = sidebar.list.visualRect(sidebar.model.index_of(conversation_id))
    if from_right is None:
        return rect.center() - QPoint(60, 0)
    return QPoint(rect.right() - from_right, rect.center().y())


def click(sidebar: Sidebar, place: QPoint) -> None:
    QTest.mouseClick(
        sidebar.list.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        place,
    )


def test_a_click_opens(sidebar: Sidebar, told: Told) -> None:
    click(sidebar, place_of(sidebar, "b"))
    assert told.all == [("opened", "b")]


def test_enter_opens_the_current_row(sidebar: Sidebar, told: Told) -> None:
    sidebar.set_current("p")
    QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert told.all == [("opened", "a")]


@pytest.mark.parametrize(
    ("from_right", "expected"),
    [(4 + 26 * 2 + 13, ("pin", "b", True)), (4 + 13, ("delete", "b"))],
    ids=["pin", "trash"],
)
def test_the_icons_in_a_row(
    sidebar: Sidebar, told: Told, from_right: int, expected: tuple[object, ...]
) -> None:
    click(sidebar, place_of(sidebar, "b", from_right))
    assert told.all == [expected]


def test_the_pencil_opens_an_editor_in_the_row(sidebar: Sidebar, told: Told, qtbot: QtBot) -> None:
    click(sidebar, place_of(sidebar, "b", 4 + 26 + 13))
    editor = sidebar.list.viewport().findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "Trip to Kyoto"
    editor.setText("Kyoto in May")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(told.all))
    assert told.all == [("renamed", "b", "Kyoto in May")]


def test_escape_leaves_the_editor_without_renaming(sidebar: Sidebar, told: Told) -> None:
    sidebar.rename("a")
    editor = sidebar.list.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.setText("something else")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert told.all == []


def test_renaming_the_open_one_ends_a_search_that_hides_it(sidebar: Sidebar) -> None:
    sidebar.set_current("a")
    sidebar.search.setText("kyoto")
    sidebar.rename_current()
    assert sidebar.search.text() == ""
    assert sidebar.list.viewport().findChild(QLineEdit) is not None


class TestSeveral:
    def select(self, sidebar: Sidebar, *ids: str) -> None:
        for number, one in enumerate(ids):
            modifier = (
                Qt.KeyboardModifier.ControlModifier if number else Qt.KeyboardModifier.ShiftModifier
            )
            QTest.mouseClick(
                sidebar.list.viewport(),
                Qt.MouseButton.LeftButton,
                modifier,
                place_of(sidebar, one),
            )

    def test_delete_and_archive_by_key(self, sidebar: Sidebar, told: Told) -> None:
        sidebar.list.setCurrentIndex(sidebar.model.index_of("p"))
        QTest.keyClick(sidebar.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        assert sidebar.selected_ids() == ["p", "a"]
        QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
        QTest.keyClick(sidebar.list, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        assert told.all == [("delete", "p", "a"), ("away", "p", "a", True)]
        QTest.keyClick(sidebar.list, Qt.Key.Key_Escape)
        assert sidebar.selected_ids() == ["a"]

    def test_ctrl_and_shift_select_and_open_nothing(self, sidebar: Sidebar, told: Told) -> None:
        sidebar.list.setCurrentIndex(sidebar.model.index_of("p"))
        self.select(sidebar, "b")
        assert sidebar.selected_ids() == ["p", "a", "b"]
        self.select(sidebar, "b", "a")
        assert told.all == []

    def test_the_menu_of_several_rows(self, sidebar: Sidebar, told: Told) -> None:
        sidebar.list.selectAll()
        sidebar.list.menu_requested.emit(sidebar.model.index_of("a"), QPoint(10, 10))
        menu = sidebar.findChild(QMenu)
        assert menu is not None
        assert [action.text() for action in menu.actions()] == [
            "Move to folder",
            "Archive",
            "Delete",
        ]
        menu.actions()[1].trigger()
        menu.close()
        assert told.all == [("away", "p", "a", "b", True)]


class TestFolders:
    def show(self, sidebar: Sidebar) -> None:
        inside = ConversationInfo("w", "Plans", NOW, NOW - 9, folder="Work")
        sidebar.set_conversations([*INFOS, inside])

    def rows(self, sidebar: Sidebar) -> list[str]:
        model = sidebar.model
        return [str(model.index(at, 0).data()) for at in range(model.rowCount())]

    def test_a_folder_opens_and_closes(self, sidebar: Sidebar, told: Told) -> None:
        self.show(sidebar)
        assert self.rows(sidebar) == ["Pinned one", "Work", "Plans", "上海的天气", "Trip to Kyoto"]
        sidebar.list.setCurrentIndex(sidebar.model.index(1, 0))
        QTest.keyClick(sidebar.list, Qt.Key.Key_Left)
        assert "Plans" not in self.rows(sidebar) and "Work" in self.rows(sidebar)
        QTest.keyClick(sidebar.list, Qt.Key.Key_Right)
        assert "Plans" in self.rows(sidebar)
        rect = sidebar.list.visualRect(sidebar.model.index(1, 0))
        click(sidebar, rect.center())
        assert "Plans" not in self.rows(sidebar) and told.all == []
        sidebar.search.setText("plans")
        assert self.rows(sidebar) == ["Plans"]

    def test_conversations_are_dragged_into_a_folder(self, sidebar: Sidebar, told: Told) -> None:
        self.show(sidebar)
        model, move = sidebar.model, Qt.DropAction.MoveAction
        data = model.mimeData([model.index_of("a"), model.index_of("b")])
        assert model.canDropMimeData(data, move, -1, -1, model.index(1, 0))
        model.dropMimeData(data, move, -1, -1, model.index(1, 0))
        model.dropMimeData(model.mimeData([model.index_of("w")]), move, -1, -1, QModelIndex())
        model.dropMimeData(data, move, -1, -1, model.index_of("p"))  # it is in no folder already
        assert told.all == [("move", "a", "b", "Work"), ("move", "w", "")]
        assert not model.dropMimeData(QMimeData(), move, -1, -1, model.index(1, 0))

    def test_a_new_folder_is_named(self, sidebar: Sidebar, told: Told) -> None:
        sidebar.naming.open_for(["a"])
        QTest.keyClick(sidebar.naming.field, Qt.Key.Key_Escape)
        assert sidebar.naming.isHidden()
        sidebar.naming.open_for(["a"])
        QTest.keyClicks(sidebar.naming.field, "  Far  away ")
        QTest.keyClick(sidebar.naming.field, Qt.Key.Key_Return)
        assert told.all == [("move", "a", "Far away")] and sidebar.naming.isHidden()

    def test_a_folder_is_renamed_in_its_row(self, sidebar: Sidebar, told: Told) -> None:
        self.show(sidebar)
        sidebar.model.setData(sidebar.model.index(1, 0), "Job")
        sidebar.model.setData(sidebar.model.index(1, 0), "  ")
        assert told.all == [("move", "w", "Job")]


def test_archived_conversations_are_a_separate_list(sidebar: Sidebar, told: Told) -> None:
    assert sidebar.archived_button.isHidden()
    away = ConversationInfo("z", "Old", NOW, NOW - 9, archived=True)
    sidebar.set_conversations([*INFOS, away])
    assert not sidebar.model.index_of("z").isValid()
    assert sidebar.archived_button.text() == "Archived (1)"
    QTest.mouseClick(sidebar.archived_button, Qt.MouseButton.LeftButton)
    assert sidebar.model.index_of("z").isValid() and sidebar.model.rowCount() == 1
    sidebar.list.setCurrentIndex(sidebar.model.index(0, 0))
    QTest.keyClick(sidebar.list, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert told.all == [("away", "z", False)]
    sidebar.set_conversations(INFOS)
    assert not sidebar.model.shows_archived and sidebar.archived_button.isHidden()


def test_search_by_title(sidebar: Sidebar) -> None:
    sidebar.search.setText("天气")
    assert sidebar.model.rowCount() == 1
    sidebar.search.setText("no such thing")
    shown = [label.text() for label in sidebar.findChildren(QLabel) if not label.isHidden()]
    assert "Nothing was found." in shown


def test_an_empty_list_explains_itself(sidebar: Sidebar) -> None:
    sidebar.set_conversations([])
    shown = [label.text() for label in sidebar.findChildren(QLabel) if not label.isHidden()]
    assert "Your conversations appear here." in shown


def test_new_and_close(sidebar: Sidebar, told: Told) -> None:
    QTest.mouseClick(sidebar.new, Qt.MouseButton.LeftButton)
    QTest.keyClick(sidebar, Qt.Key.Key_Escape)
    assert told.all == [("new",), ("closed",)]


def test_the_menu_of_a_row_pops_up(sidebar: Sidebar, told: Told) -> None:
    sidebar.set_current("p")
    sidebar.list.customContextMenuRequested.emit(place_of(sidebar, "p"))
    menu = sidebar.findChild(QMenu)
    assert menu is not None
    assert menu.isVisible()
    assert [action.text() for action in menu.actions()] == [
        "Open",
        "Unpin",
        "Rename",
        "Move to folder",
        "Archive",
        "Delete",
    ]
    menu.actions()[1].trigger()
    menu.actions()[0].trigger()
    menu.close()
    assert told.all == [("pin", "p", False), ("opened", "p")]


def test_the_menu_key_uses_the_current_row(sidebar: Sidebar) -> None:
    sidebar.set_current("a")
    sidebar.list.customContextMenuRequested.emit(QPoint(10, 490))
    menu = sidebar.findChild(QMenu)
    assert menu is not None
    assert menu.isVisible()
    menu.close()


def test_the_open_one_stays_marked_when_the_list_changes(sidebar: Sidebar) -> None:
    sidebar.set_current("b")
    sidebar.set_conversations([*INFOS, ConversationInfo("n", "new", NOW, NOW)])
    assert sidebar.list.currentIndex().data(ID_ROLE) == "b"


def test_paints_in_both_themes(sidebar: Sidebar) -> None:
    sidebar.set_current("p")
    light = sidebar.grab().toImage()
    sidebar.set_theme(DARK)
    sidebar.retranslate()
    QTest.mouseMove(sidebar.list.viewport(), place_of(sidebar, "b"))
    assert sidebar.grab().toImage() != light


def signs(sidebar: Sidebar, row: int) -> list[QPoint]:
    """Return where the icons at the pointer are painted in a row: clusters of pixels of their
    colour at its right end.
    """
    image = sidebar.list.viewport().grab().toImage()
    rect = sidebar.list.visualRect(sidebar.model.index(row, 0))
    muted = QColor(LIGHT.muted)
    marked = [
        x
        for x in range(rect.left() + rect.width() // 2, min(rect.right() + 1, image.width()))
        if any(
            _near(image.pixelColor(x, y), muted) for y in range(rect.top() + 4, rect.bottom() - 3)
        )
    ]
    groups: list[list[int]] = []
    for x in marked:
        if groups and x - groups[-1][-1] <= 4:
            groups[-1].append(x)
        else:
            groups.append([x])
    return [QPoint((group[0] + group[-1]) // 2, rect.center().y()) for group in groups]


def _near(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) < 40 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))


@pytest.mark.parametrize("width", [260, 272])
def test_the_icon_at_the_pointer_is_the_one_that_acts(qtbot: QtBot, width: int) -> None:
    sidebar = Sidebar(LIGHT, now=lambda: NOW)
    qtbot.addWidget(sidebar)
    sidebar.set_conversations([ConversationInfo("a", "Cats", NOW, NOW - 60)])
    sidebar.resize(width, 300)
    with qtbot.waitExposed(sidebar):
        sidebar.show()
    told: list[str] = []
    sidebar.pin_requested.connect(lambda _id, _on: told.append("pin"))
    sidebar.delete_requested.connect(lambda _ids: told.append("trash"))
    rect = sidebar.list.visualRect(sidebar.model.index(0, 0))
    assert rect.right() <= sidebar.list.viewport().rect().right()
    QTest.mouseMove(sidebar.list.viewport(), rect.center())
    qtbot.waitUntil(lambda: len(signs(sidebar, 0)) == 3)
    pin, edit, trash = signs(sidebar, 0)
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=pin)
    assert told == ["pin"]
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=trash)
    assert told == ["pin", "trash"]
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=edit)
    (editor,) = sidebar.list.findChildren(QLineEdit)
    assert sidebar.list.viewport().rect().contains(editor.geometry())


def test_the_progress_of_the_index_is_shown_beside_the_results(sidebar: Sidebar) -> None:
    sidebar.show_results(searching=True, progress=(12_000, 100_000))
    assert sidebar._behind.isVisible()
    assert "12000 of 100000" in sidebar._behind.text()
    sidebar.show_results(searching=True, progress=(5, 20))
    assert "20" not in sidebar._behind.text(), "few messages take no time"
    sidebar.show_results(searching=True)
    assert not sidebar._behind.isVisible()
