"""Which apps the companion has open, and what it did in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.apps.app import App
from neodeskpet.apps.record import OPEN, UNDO, Act, Actor
from neodeskpet.apps.shelf import Apps
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.core.errors import KnownError
from neodeskpet.core.windows.window import CLOSE
from neodeskpet.core.wording import N_
from neodeskpet.language import say, tr
from neodeskpet.ui.chat.items.wording import time_words
from neodeskpet.ui.notebook.entries import Entry
from neodeskpet.ui.notebook.pane import Pane
from neodeskpet.ui.settings.controls import controls_sheet
from neodeskpet.ui.settings.undo_bar import UndoBar
from neodeskpet.ui.theme import Theme, dress
from neodeskpet.ui.work import Work

TITLE = N_("The companion's apps")
LEAST = (320, 420)
_SHOWN = 100


class AppsWindow(QWidget):
    """`panels` show an app's panel for the person, by the app's id."""

    def __init__(
        self,
        theme: Theme,
        apps: Apps,
        undo: CallsUndo,
        panels: Mapping[str, Callable[[], None]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.setObjectName("apps")
        self.setMinimumSize(*LEAST)
        self._apps = apps
        self._undo = undo
        self._panels = panels
        self._clock = clock
        self._acts: list[Act] = []
        self._work = Work("apps", failed=self._fail)
        self.bar = UndoBar(theme)
        self.windows = Pane(theme, (("toggle", "eye"), ("show", "open")), QWidget())
        self.log = Pane(theme, (("undo", "refresh"),), QWidget())
        for pane in (self.windows, self.log):
            pane.add.hide()
            for button in pane.actions_of.values():
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.windows.acted.connect(self._act)
        self.windows.list.opened.connect(partial(self._act, "show"))
        self.windows.list.chosen.connect(self._name_actions)
        self.log.acted.connect(lambda _action, number: self._take_back(number))
        self.log.list.chosen.connect(self._name_actions)
        self._unlisten = (
            apps.host.observe(self._refresh),
            apps.caller.observe(self._refresh),
        )
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(12)
        box.addWidget(self.windows, 1)
        box.addWidget(self.log, 1)
        box.addWidget(self.bar)
        self.set_theme(theme)
        self.retranslate()
        self.resize(440, 720)

    def present(self) -> None:
        """Show the window in front."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    async def finish(self) -> None:
        """Before the window goes."""
        for end in self._unlisten:
            end()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        sheet = f"#apps, QStackedWidget {{ background: {theme.window}; }}"
        dress(self, theme, controls_sheet(theme) + sheet)
        self.bar.set_theme(theme)
        self.windows.set_theme(theme)
        self.log.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.bar.retranslate()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.bar.clear()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    # What is shown

    def _refresh(self) -> None:
        if self.isVisible():  # else it is read when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        self._acts = await self._apps.record.acts(_SHOWN)
        self._show()

    def _show(self) -> None:
        opened = self._apps.host.opened
        shown = [app for app in self._apps.host.apps if not app.options.pinned]
        self.windows.show_entries([self._app_entry(app, opened) for app in shown], "")
        titles = {app.id: app for app in self._apps.host.apps}
        now = self._clock()
        self.log.show_entries(
            [_act_entry(act, titles.get(act.window), now) for act in self._acts],
            tr("Nothing was done yet."),
        )
        self._name_actions()

    def _app_entry(self, app: App, opened: Mapping[str, str]) -> Entry:
        if app.id not in opened:
            return Entry(app.id, tr(app.title), tr("Closed"), sign="eye-off")
        target = opened[app.id]
        seen = tr("Open: {what}", what=target) if target else tr("Open for the companion now")
        return Entry(app.id, tr(app.title), seen, sign="eye")

    def _name_actions(self) -> None:
        chosen = self.windows.list.current_id()
        is_open = chosen in self._apps.host.opened
        toggle = tr("Close for the companion") if is_open else tr("Open for the companion")
        self._set_words(self.windows, tr("Apps"), toggle=toggle, show=tr("Show the panel"))
        self.windows.actions_of["show"].setEnabled(chosen in self._panels)
        self._set_words(self.log, tr("Activity"), undo=tr("Undo"))
        act = self._chosen(self.log.list.current_id())
        self.log.actions_of["undo"].setEnabled(act is not None and act.undo is not None)

    def _set_words(self, pane: Pane, heading: str, **actions: str) -> None:
        pane.set_words(heading, actions)
        for action, text in actions.items():
            pane.actions_of[action].setText(text)

    def _chosen(self, number: str) -> Act | None:
        return next((act for act in self._acts if str(act.number) == number), None)

    # What the person does

    def _act(self, action: str, app_id: str) -> None:
        if action == "show":
            if app_id in self._panels:
                self._panels[app_id]()
        elif app_id in self._apps.host.opened:
            self._work.start(f"close {app_id}", partial(self._apps.close, app_id))
        elif app_id:
            self._work.start(f"open {app_id}", partial(self._apps.open, app_id))

    def _take_back(self, number: str) -> None:
        act = self._chosen(number)
        if act is not None:
            self._work.start_once("undo", partial(self._undo_act, act))

    async def _undo_act(self, act: Act) -> None:
        if not await self._apps.take_back(act, self._undo):
            self.bar.tell(tr("This can't be undone any more."))

    def _fail(self, error: KnownError) -> None:
        self.bar.tell(" ".join(say(error)))


def _act_entry(act: Act, app: App | None, now: float) -> Entry:
    words = {OPEN: tr("Opened"), CLOSE: tr("Closed"), UNDO: tr("Undone")}
    action = app.actions.get(act.action) if app is not None else None
    if action is not None and action.title:
        name = tr(action.title)
    else:
        name = words.get(act.action, act.action)
    where = tr(app.title) if app is not None else act.window
    who = tr("You") if act.actor is Actor.PERSON else tr("Companion")
    detail = " · ".join(filter(None, (time_words(act.at, now), who, act.summary)))
    sign = "" if act.success else "warning"
    return Entry(str(act.number), f"{where}: {name}", detail, sign=sign, whole=act.summary)
