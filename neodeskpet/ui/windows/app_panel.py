"""A window with the content of an app, and below it the history of actions with undo."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.core.app_windows.window import CLOSE_ACTION
from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.undo import WindowCallsUndo
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.tools.apps.window_log import OPEN_ACTION, UNDO_ACTION, Actor, LogEntry
from neodeskpet.ui.formatting import format_time
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, checkbox_rules
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import CentredColumn, LeastSize, bring_to_front

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class LoggedActions:
    """The actions of the app `app_id`, "" for those of all apps, and their undo functions."""

    apps: AppWindows
    undo: WindowCallsUndo
    app_id: str = ""


class ActionLog(QObject):
    """The list of actions with an undo button. `bar` reports actions that can't be undone any more;
    `name` is the name of the companion.
    """

    def __init__(
        self,
        theme: Theme,
        actions: LoggedActions,
        work: TaskRunner,
        bar: UndoBar,
        parent: QObject,
        clock: Callable[[], float] = time.time,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__(parent)
        self._apps = actions.apps
        self._undo = actions.undo
        self._work = work
        self._bar = bar
        self._app_id = actions.app_id
        self._clock = clock
        self._name = name
        self._acts: list[LogEntry] = []
        self.pane = ListPane(theme, (("undo", "refresh"),), QWidget())
        self.pane.add.hide()
        self.pane.update_action_labels()
        self.pane.action_requested.connect(lambda _action, number: self._take_back(number))
        self.pane.list.chosen.connect(self._name_undo)

    async def reload(self) -> None:
        """Load the actions and show them. Raises StoreError."""
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
        self.pane.show_entries(entries, tr("No changes yet."))
        # The window of one app leaves the room to its content while there is no history.
        self.pane.setVisible(bool(entries) or not alone)
        self._name_undo()

    def _name_undo(self) -> None:
        self.pane.set_texts(tr("History"), {"undo": tr("Undo")})
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
    """Return the entry of an action; `name` is the companion's name."""
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


MIN_SIZE = (320, 380)


class PanelContent(Protocol):
    """The content of an app in a panel."""

    pane: ListPane

    async def reload(self) -> None:
        """Read the data and show it. Raises KnownError."""
        ...

    def retranslate(self) -> None: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after a change; returns a function that ends that."""
        ...


CreatePanelContent = Callable[[Theme, AppWindows, TaskRunner, QWidget], PanelContent]


class AppPanel(QWidget):
    """`make` creates the content, which starts its tasks in the panel's `TaskRunner`; `name` is the
    companion's.
    """

    def __init__(
        self,
        theme: Theme,
        apps: AppWindows,
        undo: WindowCallsUndo,
        app_id: str,
        make: CreatePanelContent,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self.setObjectName("panel")
        LeastSize(self, MIN_SIZE)
        CentredColumn(self)
        self._title = apps.host.app(app_id).title
        self._work = TaskRunner(f"panel of {app_id}", failed=self._fail)
        self.bar = UndoBar(theme)
        self.content = make(theme, apps, self._work, self)
        self.log = ActionLog(
            theme, LoggedActions(apps, undo, app_id), self._work, self.bar, self, name=name
        )
        self._unlisten = (
            self.content.subscribe(self._refresh),
            apps.host.subscribe(self._refresh),
            apps.caller.subscribe(self._refresh),
        )
        RefreshOnShow(
            self, read=self._refresh, gone=self.bar.clear, back=self.content.pane.cancel_form
        )
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(12)
        box.addWidget(self.content.pane, 3)
        box.addWidget(self.log.pane, 2)
        box.addWidget(self.bar)
        self.set_theme(theme)
        self.retranslate()
        self.resize(440, 640)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks and subscriptions."""
        for end in self._unlisten:
            end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        own = f"#panel, #sheet, FormSheet, QStackedWidget {{ background: {theme.window}; }}"
        apply_window_theme(
            self, theme, controls_sheet(theme) + checkbox_rules("QCheckBox", theme) + own
        )
        self.bar.set_theme(theme)
        self.content.pane.set_theme(theme)
        self.log.pane.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(self._title))
        self.bar.retranslate()
        self.content.retranslate()
        self.log.show_entries()

    def _refresh(self) -> None:
        if self.isVisible():  # otherwise it is loaded when it is shown
            self._work.replace("body", self.content.reload)
            self._work.replace("log", self.log.reload)

    def _fail(self, error: KnownError) -> None:
        self.bar.show_text(format_error(error))
