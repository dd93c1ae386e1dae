from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.services.chain_list import ChainList
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.model_picker import ModelRow


def rows(*names: str) -> list[ModelRow]:
    return [ModelRow(name, name) for name in names]


def test_it_is_changed_by_buttons_and_keys(qtbot: QtBot) -> None:
    chain = ChainList(LIGHT)
    qtbot.addWidget(chain)
    told: list[object] = []
    chain.added.connect(told.append)
    chain.removed.connect(lambda name: told.append(f"-{name}"))
    chain.moved.connect(lambda name, by: told.append((name, by)))
    chain.retranslate("Simple")
    chain.set_theme(DARK)
    chain.show_chain(("a", "b"), rows("a", "b", "c"))
    assert [row.name for row in chain.add.rows()] == ["c"]
    assert chain.chosen() == "a"
    assert (chain.up.isEnabled(), chain.down.isEnabled()) == (False, True)
    chain.down.click()
    chain.list.setCurrentRow(1)
    assert (chain.up.isEnabled(), chain.down.isEnabled()) == (True, False)
    chain.up.click()
    QTest.keyClick(chain.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(chain.list, Qt.Key.Key_Delete)
    QTest.keyClick(chain.list, Qt.Key.Key_Up)
    chain.out.click()
    chain.add.chosen.emit("c")
    assert told == [("a", 1), ("b", -1), ("b", -1), "-b", "-a", "c"]
    assert chain.list.accessibleName() == "Simple"
    assert "Simple" in chain.add.accessibleName()


def test_the_chosen_one_stays_chosen_and_an_empty_chain_says_so(qtbot: QtBot) -> None:
    chain = ChainList(LIGHT)
    qtbot.addWidget(chain)
    chain.show_chain(("a", "b"), rows("a", "b"))
    assert not chain.add.rows()
    chain.list.setCurrentRow(1)
    chain.show_chain(("b", "a"), rows("a", "b"))
    assert chain.chosen() == "b"
    chain.show_chain((), rows("a", "b"))
    assert chain.list.isHidden()
    assert not chain.none.isHidden()
    assert chain.chosen() == ""
    chain.list.removed.emit()
    chain.list.moved.emit(1)


def test_a_dragged_model_gets_the_place_where_it_is_dropped(qtbot: QtBot) -> None:
    chain = ChainList(LIGHT)
    qtbot.addWidget(chain)
    chain.resize(400, 300)
    chain.show_chain(("a", "b", "c"), rows("a", "b", "c"))
    chain.show()
    moves: list[tuple[str, int]] = []
    chain.moved.connect(lambda name, by: moves.append((name, by)))

    def drop(row: int, position: QPoint) -> None:
        chain.list.setCurrentRow(row)
        data = chain.list.mimeData(chain.list.selectedItems())
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        action = Qt.DropAction.MoveAction
        chain.list.dropEvent(QDropEvent(QPointF(position), action, data, buttons, keys))

    def place(row: int) -> QRect:
        return chain.list.visualItemRect(chain.list.item(row))

    drop(0, place(2).bottomLeft())
    qtbot.waitUntil(lambda: moves == [("a", 2)])
    drop(2, place(0).topLeft())
    qtbot.waitUntil(lambda: moves[1:] == [("c", -2)])
    drop(1, place(1).topLeft())
    drop(1, QPoint(5, chain.list.viewport().height() - 1))
    qtbot.waitUntil(lambda: moves[2:] == [("b", 1)])
