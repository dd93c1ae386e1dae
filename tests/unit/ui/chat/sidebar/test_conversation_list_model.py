"""The rows of the sidebar."""

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.ui.chat.sidebar.conversation_list_model import (
    DATE_ROLE,
    ID_ROLE,
    PINNED_ROLE,
    ConversationListModel,
)
from neodeskpet.ui.widgets.labels import tooltip_text

NOW = datetime(2026, 9, 21, 14, 13).timestamp()


def info(
    name: str, title: str = "", updated: float = NOW, pinned: bool = False
) -> ConversationInfo:
    return ConversationInfo(name, title, NOW - 1e7, updated, pinned)


def model(*infos: ConversationInfo) -> ConversationListModel:
    made = ConversationListModel(now=lambda: NOW)
    made.set_conversations(infos)
    return made


def ids(made: ConversationListModel) -> list[str]:
    return [str(made.index(row, 0).data(ID_ROLE)) for row in range(made.rowCount())]


def test_it_is_a_valid_qt_model(qapp: QApplication) -> None:
    made = ConversationListModel()
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning)
    made.set_conversations([info("a", "one"), info("b", "two")])
    made.set_filter("two")
    made.set_filter("")
    assert tester.model() is made


def test_pinned_first_then_newest(qapp: QApplication) -> None:
    made = model(
        info("old", updated=NOW - 900),
        info("new", updated=NOW - 10),
        info("pinned", updated=NOW - 99999, pinned=True),
    )
    assert ids(made) == ["pinned", "new", "old"]
    assert [bool(made.index(row, 0).data(PINNED_ROLE)) for row in range(3)] == [True, False, False]


def test_one_without_a_title_has_a_name_but_an_empty_editor(qapp: QApplication) -> None:
    made = model(info("a"))
    row = made.index(0, 0)
    assert row.data() == "New conversation"
    assert row.data(Qt.ItemDataRole.EditRole) == ""


def test_a_tooltip_shows_a_title_as_plain_text(qapp: QApplication) -> None:
    marks = '<img src="/a/file.png">'
    made = model(info("a", marks), ConversationInfo("b", "in it", NOW, NOW, folder=marks))
    rows = [made.index(row, 0) for row in range(made.rowCount())]
    marked = [row for row in rows if row.data() == marks]
    assert len(marked) == 2  # a conversation and a folder
    tips = {row.data(Qt.ItemDataRole.ToolTipRole) for row in marked}
    assert tips == {tooltip_text(marks)} != {marks}


def test_the_search_requires_every_word(qapp: QApplication) -> None:
    made = model(info("a", "Trip to Kyoto"), info("b", "上海的天气"), info("c", "Kyoto weather"))
    made.set_filter("KYOTO")
    assert sorted(ids(made)) == ["a", "c"]
    made.set_filter("kyoto trip")
    assert ids(made) == ["a"]
    made.set_filter("天气")
    assert ids(made) == ["b"]
    made.set_filter("nothing like it")
    assert ids(made) == []
    made.set_filter("  ")
    assert len(ids(made)) == 3


def test_editing_reports_a_clean_title(qapp: QApplication) -> None:
    made = model(info("a", "before"))
    told: list[tuple[str, str]] = []
    made.renamed.connect(lambda conversation, title: told.append((conversation, title)))
    assert made.setData(made.index(0, 0), "  after \n all ")
    assert told == [("a", "after all")]


def test_an_empty_or_equal_title_is_refused(qapp: QApplication) -> None:
    made = model(info("a", "before"))
    told: list[str] = []
    made.renamed.connect(lambda conversation, title: told.append(title))
    assert not made.setData(made.index(0, 0), "   ")
    assert not made.setData(made.index(0, 0), "before")
    assert told == []


def test_the_same_list_changes_nothing(qapp: QApplication) -> None:
    made = model(info("a", "one"))
    resets: list[int] = []
    made.modelReset.connect(lambda: resets.append(1))
    made.set_conversations([info("a", "one")])
    assert resets == []
    made.set_conversations([info("a", "two")])
    assert resets == [1]


def test_times_in_words(qapp: QApplication) -> None:
    made = model(
        info("a", updated=datetime(2026, 9, 21, 8, 5).timestamp()),
        info("b", updated=datetime(2026, 3, 2).timestamp()),
        info("c", updated=datetime(2024, 12, 31).timestamp()),
    )
    shown = [made.index(row, 0).data(DATE_ROLE) for row in range(3)]
    assert shown == ["08:05", "2 Mar", "2024-12-31"]


def test_finds_rows_by_id(qapp: QApplication) -> None:
    made = model(info("a", "one"), info("b", "two"))
    assert made.index_of("b").data() == "two"
    assert not made.index_of("zzz").isValid()
    found = made.conversation("a")
    assert found is not None
    assert found.title == "one"
    assert made.conversation("zzz") is None


def test_a_screen_reader_hears_that_it_is_pinned(qapp: QApplication) -> None:
    made = model(info("a", "one", pinned=True))
    row = made.index(0, 0)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole) == "one, pinned"
