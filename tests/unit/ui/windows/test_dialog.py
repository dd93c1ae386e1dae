"""The window in which conversations of an archive are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.conversation.import_chats.chat_importer import ImportChoice, ImportedMessages
from neodeskpet.storage.chat_imports import ImportBatch
from neodeskpet.ui.chat.notice_bars import InterruptedImportBar
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.import_dialog import (
    COUNT_COLUMN,
    DAY_COLUMN,
    TITLE_COLUMN,
    ImportChoiceModel,
    ImportDialog,
)
from tests.support.scenario import play, until


def choice(key: str, *, new: int = 2, here: bool = False, last: float = 1.7e9) -> ImportChoice:
    return ImportChoice(key, f"<b>{key}</b>\n", 1.7e9, last, 2, new, here, "ChatGPT")


@pytest.mark.usefixtures("qapp")
def test_existing_ones_can_not_be_chosen_and_the_latest_comes_first() -> None:
    model = ImportChoiceModel()
    model.set_choices(
        [choice("a"), choice("b", new=0, here=True, last=1.8e9), choice("c", new=1, here=True)]
    )
    assert [model.index(row, TITLE_COLUMN).data() for row in range(3)] == [
        "<b>b</b>",
        "<b>a</b>",
        "<b>c</b>",
    ]
    assert [model.index(row, COUNT_COLUMN).data() for row in range(3)] == [
        "already here",
        "2",
        "1 new",
    ]
    assert model.index(1, DAY_COLUMN).data() == "2023-11-14"
    assert [one.id for one in model.chosen] == ["a", "c"]
    role = Qt.ItemDataRole.CheckStateRole
    assert not model.setData(model.index(0, TITLE_COLUMN), Qt.CheckState.Checked.value, role)
    assert model.setData(model.index(1, TITLE_COLUMN), Qt.CheckState.Unchecked.value, role)
    assert [one.id for one in model.chosen] == ["c"]
    assert "&lt;b&gt;" in str(model.index(0, TITLE_COLUMN).data(Qt.ItemDataRole.ToolTipRole))
    assert not model.flags(model.index(0, TITLE_COLUMN)) & Qt.ItemFlag.ItemIsUserCheckable


@pytest.mark.usefixtures("qapp")
def test_all_and_none_act_on_the_search_results() -> None:
    model = ImportChoiceModel()
    model.set_choices([choice("cats"), choice("dogs")])
    model.set_filter("DOG")
    assert model.rowCount() == 1
    model.set_all_chosen(False)
    assert [one.id for one in model.chosen] == ["cats"]
    model.set_filter("")
    model.set_all_chosen(True)
    assert len(model.chosen) == 2 and model.rowCount() == 2


class NoStore:
    async def known_imported(self, ids: object) -> dict[str, frozenset[str]]:
        return {}

    async def begin_import(self, name: str, among: object) -> ImportBatch:
        return ImportBatch("import", name, 0.0)

    async def add_imported(self, past: object, of: str) -> list[str]:
        return []

    async def end_import(self, of: str) -> None: ...

    async def unfinished_imports(self) -> list[ImportBatch]:
        return []

    async def undo_import(self, taken: object, of: str = "") -> None: ...

    async def get_state(self, key: str) -> str | None:
        return None

    async def set_state(self, key: str, value: str | None) -> None: ...


def test_an_unreadable_archive_is_reported(qtbot: QtBot, tmp_path: Path) -> None:
    async def back(taken: ImportedMessages) -> None: ...

    (tmp_path / "a.zip").write_bytes(b"PK\x05\x06" + b"\0" * 18)
    owner = QWidget()
    qtbot.addWidget(owner)

    async def scene() -> None:
        dialog = ImportDialog(LIGHT, NoStore(), tmp_path / "a.zip", back, owner)
        dialog.start()
        await until(lambda: "There are no conversations in it" in dialog.status_label.text())
        assert dialog.import_button.isHidden() and dialog.list.model().rowCount() == 0
        await dialog.aclose()

    play(scene())


def test_an_interrupted_import_of_a_long_name_keeps_the_window_narrow(qtbot: QtBot) -> None:
    bar = InterruptedImportBar(LIGHT)
    qtbot.addWidget(bar)
    assert bar.isHidden()
    heard: list[ImportedMessages] = []
    bar.keep_requested.connect(heard.append)
    taken = ImportedMessages("x" * 200 + "-2026.zip", {"one": ["a", "b"], "two": ["c"]})
    bar.show_import(taken)
    assert "-2026.zip" in bar.message_label.text() and "3 messages in 2" in bar.message_label.text()
    assert bar.minimumSizeHint().width() < 320
    bar.keep_button.click()
    bar.keep_button.click()
    bar.undo_button.click()
    assert heard == [taken]  # once; it is running
    bar.show_import(None)
    assert bar.isHidden()
