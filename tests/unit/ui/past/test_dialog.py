"""The window in which an archive is chosen from."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.conversation.past.intake import Choice, Taken
from neodeskpet.memory.past.came import Came
from neodeskpet.ui.past.choices import COUNT, DAY, TITLE, ChoiceList
from neodeskpet.ui.past.dialog import PastDialog
from neodeskpet.ui.past.interrupted_bar import InterruptedBar
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, until


def choice(key: str, *, new: int = 2, here: bool = False, last: float = 1.7e9) -> Choice:
    return Choice(key, f"<b>{key}</b>\n", 1.7e9, last, 2, new, here, "ChatGPT")


@pytest.mark.usefixtures("qapp")
def test_what_is_here_cannot_be_chosen_and_the_latest_comes_first() -> None:
    model = ChoiceList()
    model.put(
        [choice("a"), choice("b", new=0, here=True, last=1.8e9), choice("c", new=1, here=True)]
    )
    assert [model.index(row, TITLE).data() for row in range(3)] == [
        "<b>b</b>",
        "<b>a</b>",
        "<b>c</b>",
    ]
    assert [model.index(row, COUNT).data() for row in range(3)] == ["here already", "2", "1 new"]
    assert model.index(1, DAY).data() == "2023-11-14"
    assert [one.id for one in model.chosen] == ["a", "c"]
    role = Qt.ItemDataRole.CheckStateRole
    assert not model.setData(model.index(0, TITLE), Qt.CheckState.Checked.value, role)
    assert model.setData(model.index(1, TITLE), Qt.CheckState.Unchecked.value, role)
    assert [one.id for one in model.chosen] == ["c"]
    assert "&lt;b&gt;" in str(model.index(0, TITLE).data(Qt.ItemDataRole.ToolTipRole))
    assert not model.flags(model.index(0, TITLE)) & Qt.ItemFlag.ItemIsUserCheckable


@pytest.mark.usefixtures("qapp")
def test_a_search_bounds_what_all_and_none_mean() -> None:
    model = ChoiceList()
    model.put([choice("cats"), choice("dogs")])
    model.search("DOG")
    assert model.rowCount() == 1
    model.choose(False)
    assert [one.id for one in model.chosen] == ["cats"]
    model.search("")
    model.choose(True)
    assert len(model.chosen) == 2 and model.rowCount() == 2


class NoStore:
    async def past_known(self, ids: object) -> dict[str, frozenset[str]]:
        return {}

    async def begin_past(self, name: str, among: object) -> Came:
        return Came("import", name, 0.0)

    async def take_past(self, past: object, of: str) -> list[str]:
        return []

    async def end_past(self, of: str) -> None: ...

    async def unfinished_pasts(self) -> list[Came]:
        return []

    async def take_past_back(self, taken: object, of: str = "") -> None: ...

    async def get_state(self, key: str) -> str | None:
        return None

    async def set_state(self, key: str, value: str | None) -> None: ...


def test_what_cannot_be_read_is_said(qtbot: QtBot, tmp_path: Path) -> None:
    async def back(taken: Taken) -> None: ...

    (tmp_path / "a.zip").write_bytes(b"PK\x05\x06" + b"\0" * 18)
    owner = QWidget()
    qtbot.addWidget(owner)

    async def scene() -> None:
        dialog = PastDialog(LIGHT, NoStore(), tmp_path / "a.zip", back, owner)
        dialog.look()
        await until(lambda: "There are no conversations in it" in dialog.state.text())
        assert dialog.begin.isHidden() and dialog.list.model().rowCount() == 0
        await dialog.finish()

    play(scene())


def test_an_interrupted_import_of_a_long_name_keeps_the_window_narrow(qtbot: QtBot) -> None:
    bar = InterruptedBar(LIGHT)
    qtbot.addWidget(bar)
    assert bar.isHidden()
    heard: list[Taken] = []
    bar.keep.connect(heard.append)
    taken = Taken("x" * 200 + "-2026.zip", {"one": ["a", "b"], "two": ["c"]})
    bar.tell(taken)
    assert "-2026.zip" in bar.text.text() and "3 messages in 2" in bar.text.text()
    assert bar.minimumSizeHint().width() < 320
    bar.kept.click()
    bar.kept.click()
    bar.back.click()
    assert heard == [taken]  # once; it is being done
    bar.tell(None)
    assert bar.isHidden()
