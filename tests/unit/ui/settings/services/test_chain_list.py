from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.services.chain_list import ChainList
from neodeskpet.ui.theme import DARK, LIGHT


def test_is_changed_by_buttons_and_keys(qtbot: QtBot) -> None:
    chain = ChainList(LIGHT)
    qtbot.addWidget(chain)
    told: list[object] = []
    chain.added.connect(told.append)
    chain.removed.connect(lambda name: told.append(f"-{name}"))
    chain.moved.connect(lambda name, by: told.append((name, by)))
    chain.retranslate("Simple")
    chain.set_theme(DARK)
    chain.show_chain(("a", "b"), ("a", "b", "c"))
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
    chain.add.chosen.emit("")
    assert told == [("a", 1), ("b", -1), ("b", -1), "-b", "-a", "c"]
    assert chain.list.accessibleName() == "Simple"
    assert "Simple" in chain.add.accessibleName()


def test_the_chosen_one_stays_chosen_and_an_empty_chain_says_so(qtbot: QtBot) -> None:
    chain = ChainList(LIGHT)
    qtbot.addWidget(chain)
    chain.show_chain(("a", "b"), ("a", "b"))
    assert not chain.add.isEnabled()
    chain.list.setCurrentRow(1)
    chain.show_chain(("b", "a"), ("a", "b"))
    assert chain.chosen() == "b"
    chain.show_chain((), ("a", "b"))
    assert chain.list.isHidden()
    assert not chain.none.isHidden()
    assert chain.chosen() == ""
    chain.list.removed.emit()
    chain.list.moved.emit(1)
