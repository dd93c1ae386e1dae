"""Reading and reusing a reply: formulas, a table, long code, a passage to reply to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.item import Item
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.wide_items import FormulaItem, MarkdownTableItem
from neodeskpet.ui.chat.view.message_column import RowPosition
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
Kind = TypeVar("Kind", bound=Item)

REPLY = (
    r"""A ticket costs $5, two cost $10, for $n$ people $5n$.

$$
\text{速度} = \frac{s}{t}
$$

| *Way* | $t$ |
|---|--:|
| walk | 2 |

```python
"""
    + "".join(f"line_{n} = {n}\n" for n in range(90))
    + "```\n"
)


def found(person: DeskStory, kind: type[Kind], number: int = 0) -> tuple[RowPosition, Kind]:
    """An item of the newest message, and its place."""
    view = person.desk.chat.view
    message = len(view.column.entries) - 1
    entry = view.column.entries[message]
    assert entry is not None
    rows = [(row, item) for row, item in enumerate(entry.items) if isinstance(item, kind)]
    row, item = rows[number]
    assert isinstance(item, kind)
    return RowPosition(message, row), item


def choose(person: DeskStory, kind: type[Item], name: str) -> None:
    """Choose from the context menu of an item."""
    view = person.desk.chat.view
    place, _ = found(person, kind)
    view.scroller.reveal(place)
    spot = view.scroller.row_rect(place).topLeft() + QPoint(12, 12)
    where = view.viewport().mapToGlobal(spot)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, where)
    QApplication.sendEvent(view.viewport(), event)
    menu = view.findChildren(QMenu)[-1]
    next(action for action in menu.actions() if action.text() == name).trigger()
    menu.close()


def pasted() -> str:
    return QGuiApplication.clipboard().text()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_reply_is_read_and_reused_elsewhere(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    async def story(person: DeskStory) -> None:
        view, field = person.desk.chat.view, person.desk.chat.window.composer.field
        server.reply(*(text(REPLY[at : at + 9]) for at in range(0, len(REPLY), 9)), *end())
        person.type("How fast?")
        await person.until(lambda: person.desk.engine.chat.running)
        await person.idle()

        # Formulas are drawn; money isn't one.
        _, first = found(person, MarkdownItem)
        place, formula = found(person, FormulaItem)
        drawn = partial(_drawn, person, first)
        await person.until(lambda: len(drawn()) > 1, "not all was drawn")  # one after the other
        assert drawn() == ["n", "5n"]
        view.scroller.reveal(place)
        await person.until(lambda: formula.document(view.scene).formulas, "nothing was drawn")

        # The copied text is the written text.
        view.select_all()
        view.copy(markdown=False)
        assert "two cost $10, for $n$ people $5n$." in pasted()
        assert r"\frac{s}{t}" in pasted()
        choose(person, FormulaItem, tr("Copy the formula"))
        assert pasted() == r"\text{速度} = \frac{s}{t}"
        choose(person, MarkdownTableItem, tr("Copy the table"))
        assert pasted() == "Way\t$t$\nwalk\t2"
        choose(person, MarkdownTableItem, tr("Copy the table as Markdown"))
        assert pasted() == "| *Way* | $t$ |\n|---|--:|\n| walk | 2 |"

        # A passage is quoted in the next message.
        place, _ = found(person, MarkdownItem)
        view.scroller.reveal(place)
        spot = view.scroller.row_rect(place).topLeft() + QPoint(30, 12)
        for _ in range(3):
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        person.type("Really?", send=False)
        choose(person, MarkdownItem, tr("Quote"))
        quoted = "> A ticket costs $5, two cost $10, for $n$ people $5n$."
        assert field.toPlainText() == f"Really?\n\n{quoted}\n\n"
        field.clear()

        # Long code folds and unfolds, and its lines need no wrapping.
        _, code = found(person, CodeItem)
        if not code.block.folded:  # it came so fast that it was never visible while it grew
            person.press_in_message(tr("Fold the code"))
        assert code.block.folded
        person.press_in_message(tr("Show all {count} lines", count="90"))
        assert not code.block.folded
        person.press_in_message(tr("Scroll long lines"))
        assert not code.block.wraps

    desk_story(story, url=server.url, settings={"appearance": {"language": language}})


def test_long_code_is_folded_after_a_restart_and_can_be_saved(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def story(person: DeskStory) -> None:
        engine = person.desk.engine
        server.reply(text(REPLY), *end())
        person.type("How fast?")
        await person.until(lambda: engine.chat.running)
        await person.idle()
        info = engine.chat.conversation
        assert info is not None
        await engine.chat.open_new()
        await person.until(lambda: person.desk.chat.view.is_empty)
        await engine.chat.open(info.id)
        await person.until(lambda: "line_89" in person.shown())
        _, code = found(person, CodeItem)
        assert code.block.folded

        person.press_in_message(tr("Save the code…"))
        (dialog,) = person.desk.chat.window.findChildren(QFileDialog)
        assert dialog.selectedFiles()[0].endswith("code.py")
        file = tmp_path / "saved.py"
        dialog.selectFile(str(file))
        dialog.accept()
        await person.until(lambda: file.exists() and "line_89 = 89" in file.read_text("utf-8"))

    desk_story(story, url=server.url)


def _drawn(person: DeskStory, item: MarkdownItem) -> list[str]:
    """The formulas of a text that are drawn by now."""
    return [one.formula.tex for one in item.document(person.desk.chat.view.scene).formulas]
