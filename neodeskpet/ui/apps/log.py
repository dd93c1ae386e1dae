"""What was done in apps, by whom, and what takes it back."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from neodeskpet.apps.app import App
from neodeskpet.apps.apps import Apps
from neodeskpet.apps.record import OPEN, UNDO, Act, Actor
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.core.windows.window import CLOSE
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import time_words
from neodeskpet.ui.notebook.entries import Entry
from neodeskpet.ui.notebook.pane import Pane
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.work import Work

_SHOWN = 100


class ActLog(QObject):
    """The acts of the app `app_id`, or of all; `bar` says what can't be taken back any more, `name`
    is what the companion is called.
    """

    def __init__(
        self,
        theme: Theme,
        apps: Apps,
        undo: CallsUndo,
        work: Work,
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
        self._acts: list[Act] = []
        self.pane = Pane(theme, (("undo", "refresh"),), QWidget())
        self.pane.add.hide()
        self.pane.name_actions()
        self.pane.acted.connect(lambda _action, number: self._take_back(number))
        self.pane.list.chosen.connect(self._name_undo)

    async def read(self) -> None:
        """Raises StoreError."""
        acts = await self._apps.record.acts()
        self._acts = [act for act in acts if self._app_id in ("", act.window)][:_SHOWN]
        self.show()

    def show(self) -> None:
        titles = {app.id: app for app in self._apps.host.apps}
        now = self._clock()
        alone, name = bool(self._app_id), self._name() or tr("Companion")
        entries = [
            _entry(act, titles.get(act.window), now, name, alone=alone) for act in self._acts
        ]
        self.pane.show_entries(entries, tr("Nothing was done yet."))
        self._name_undo()

    def _name_undo(self) -> None:
        self.pane.set_words(tr("Activity"), {"undo": tr("Undo")})
        act = self._chosen(self.pane.list.current_id())
        self.pane.actions_of["undo"].setEnabled(act is not None and act.undo is not None)

    def _chosen(self, number: str) -> Act | None:
        return next((act for act in self._acts if str(act.number) == number), None)

    def _take_back(self, number: str) -> None:
        act = self._chosen(number)
        if act is not None:
            self._work.start_once("undo", partial(self._undo_act, act))

    async def _undo_act(self, act: Act) -> None:
        if not await self._apps.take_back(act, self._undo):
            self._bar.tell(tr("This can't be undone any more."))


def _entry(act: Act, app: App | None, now: float, name: str, *, alone: bool) -> Entry:
    """`name` is the companion's."""
    words = {OPEN: tr("Opened"), CLOSE: tr("Closed"), UNDO: tr("Undone")}
    action = app.actions.get(act.action) if app is not None else None
    done = words.get(act.action) or tr(act.action)
    if action is not None and action.title:
        done = tr(action.title)
    where = tr(app.title) if app is not None else act.window
    who = {Actor.PERSON: tr("You"), Actor.PROGRAM: act.who}.get(act.actor, name)
    detail = " · ".join(filter(None, (time_words(act.at, now), who, act.summary)))
    sign = "" if act.success else "warning"
    title = done if alone else tr("{name}: {text}", name=where, text=done)
    return Entry(str(act.number), title, detail, sign=sign, whole=act.summary)
