"""Marks entries of the notebook that the user did not change last, from the history of actions, and
undoes those changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QApplication

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.tools.apps.window_log import Actor, LogEntry
from neodeskpet.ui.formatting import format_time
from neodeskpet.ui.widgets.entry_list import MARK_SIDE, ListEntry
from neodeskpet.ui.windows.app_panel import LoggedActions

TODO, NOTE, TIMER, APPOINTMENT = "todo", "note", "timer", "schedule"
"""Kinds of entries: the families of the tools that change them."""
_ROW_KINDS = {"todo": TODO, "timer": TIMER, "appointment": APPOINTMENT}
_MADE = frozenset({"todo.add", "note.add", "timer.set", "schedule.add"})


@dataclass(frozen=True, slots=True)
class ItemMark:
    """A mark. `text`: who made the change, and when."""

    text: str
    act: LogEntry


class ItemMarks:
    """The marks of all entries. `name` is the companion's. Coroutines raise StoreError."""

    def __init__(
        self,
        actions: LoggedActions,
        name: Callable[[], str] = str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._apps = actions.apps
        self._undo = actions.undo
        self._name = name
        self._clock = clock
        self._last: dict[tuple[str, str], LogEntry] = {}

    async def reload(self) -> None:
        """Read the history."""
        last: dict[tuple[str, str], LogEntry] = {}
        for act in reversed(await self._apps.record.list_entries()):
            for key in changed_items(act):
                last[key] = act
        self._last = last

    def find(self, kind: str, item_id: str) -> ItemMark | None:
        """Return the mark of an entry whose last change the user did not make."""
        act = self._last.get((kind, item_id))
        if act is None or act.actor is Actor.PERSON:
            return None
        return ItemMark(self._text(act), act)

    def marked(self, entries: Iterable[ListEntry], kind: str = "") -> list[ListEntry]:
        """Return the entries with their marks. Without a `kind` the id contains it: `todo 3`."""
        face = QApplication.windowIcon().pixmap(2 * MARK_SIDE)
        shown = []
        for entry in entries:
            mark = self.find(*row_item(entry.id, kind))
            shown.append(
                entry if mark is None else replace(entry, mark=mark.text, mark_picture=face)
            )
        return shown

    async def undo_changes(self, kind: str, item_id: str) -> bool:
        """Undo the last change of an entry; return whether that succeeded. Raises KnownError."""
        mark = self.find(kind, item_id)
        if mark is None:
            return False
        return await self._apps.undo(mark.act, self._undo)

    def _text(self, act: LogEntry) -> str:
        undo = act.undo or {}
        who = act.who if act.actor is Actor.PROGRAM else self._name() or tr("The companion")
        when = format_time(act.at, self._clock())
        words = N_("{name} changed this · {time}")
        if undo.get("tool") in _MADE:
            words = N_("{name} added this · {time}")
        elif undo.get("tool") == "todo.done" and undo.get("done") is False:
            words = N_("{name} ticked this · {time}")
        return tr(words, name=who, time=when)


def row_item(row: str, kind: str = "") -> tuple[str, str]:
    """Return the kind and the id of the entry in this row."""
    name, _, item_id = row.rpartition(" ")
    return _ROW_KINDS.get(name, kind), item_id


def changed_items(act: LogEntry) -> set[tuple[str, str]]:
    """Return the kinds and ids of the entries that an action changed, from its data for undo."""
    undo = act.undo or {}
    kind = str(undo.get("tool", "")).partition(".")[0]
    ids = [undo.get("id"), undo.get("delete")]
    restored = undo.get("restore")
    ids += restored if isinstance(restored, list) else []
    return {(kind, str(one)) for one in ids if one is not None}
