"""What was done in apps, by whom, and what takes it back."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from neodeskpet.apps.app import App
from neodeskpet.apps.apps import AppWindows
from neodeskpet.apps.record import OPEN_ACTION, UNDO_ACTION, Actor, LogEntry
from neodeskpet.apps.undo import WindowCallsUndo
from neodeskpet.core.windows.window import CLOSE_ACTION
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import format_time
from neodeskpet.ui.notebook.entries import ListEntry
from neodeskpet.ui.notebook.pane import ListPane
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.work import TaskRunner

_SHOWN = 100


class ActionLog(QObject):
    """The acts of the app `app_id`, or of all; `bar` says what can't be taken back any more, `name`
    is what the companion is called.
    """

    def __init__(
        self,
        theme: Theme,
        apps: AppWindows,
        undo: WindowCallsUndo,
        work: TaskRunner,
        bar: UndoBar,
        parent: QObject,
        app_id: str = "",
        clock: Callable[[], float] = time.time,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__(parent)
        self._apps = apps
        self._undo = undo
        self._work = work
        self._bar = bar
        self._app_id = app_id
        self._clock = clock
        self._name = name
        self._acts: list[LogEntry] = []
        self.pane = ListPane(theme, (("undo", "refresh"),), QWidget())
        self.pane.add.hide()
        self.pane.update_action_labels()
        self.pane.action_requested.connect(lambda _action, number: self._take_back(number))
        self.pane.list.chosen.connect(self._name_undo)

    async def reload(self) -> None:
        """Raises StoreError."""
        acts = await self._apps.record.list_entries()
        self._acts = [act for act in acts if self._app_id in ("", act.window)][:_SHOWN]
        self.show_entries()

    def show_entries(self) -> None:
        titles = {app.id: app for app in self._apps.host.apps}
        now = self._clock()
        alone, name = bool(self._app_id), self._name() or tr("Companion")
        entries = [
            _entry(act, titles.get(act.window), now, name, alone=alone) for act in self._acts
        ]
        self.pane.show_entries(entries, tr("Nothing was done yet."))
        self._name_undo()

    def _name_undo(self) -> None:
        self.pane.set_texts(tr("Activity"), {"undo": tr("Undo")})
        act = self._chosen(self.pane.list.current_id())
        self.pane.actions_of["undo"].setEnabled(act is not None and act.undo is not None)

    def _chosen(self, number: str) -> LogEntry | None:
        return next((act for act in self._acts if str(act.number) == number), None)

    def _take_back(self, number: str) -> None:
        act = self._chosen(number)
        if act is not None:
            self._work.start_once("undo", partial(self._undo_act, act))

    async def _undo_act(self, act: LogEntry) -> None:
        if not await self._apps.undo(act, self._undo):
            self._bar.show_text(tr("This can't be undone any more."))


def _entry(act: LogEntry, app: App | None, now: float, name: str, *, alone: bool) -> ListEntry:
    """`name` is the companion's."""
    words = {OPEN_ACTION: tr("Opened"), CLOSE_ACTION: tr("Closed"), UNDO_ACTION: tr("Undone")}
    action = app.actions.get(act.action) if app is not None else None
    done = words.get(act.action) or tr(act.action)
    if action is not None and action.title:
        done = tr(action.title)
    where = tr(app.title) if app is not None else act.window
    who = {Actor.PERSON: tr("You"), Actor.PROGRAM: act.who}.get(act.actor, name)
    detail = " · ".join(filter(None, (format_time(act.at, now), who, act.summary)))
    sign = "" if act.success else "warning"
    title = done if alone else tr("{name}: {text}", name=where, text=done)
    return ListEntry(str(act.number), title, detail, icon=sign, tooltip=act.summary)
