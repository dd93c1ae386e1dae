"""Which apps the companion has open, and what it did in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.undo import WindowCallsUndo
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.app_panel import ActionLog, LoggedActions
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("The companion's apps")
MIN_SIZE = (320, 420)


class AppsWindow(QWidget):
    """`panels` show an app's panel for the person, by the app's id. `name` is what the companion is
    called.
    """

    def __init__(
        self,
        theme: Theme,
        apps: AppWindows,
        undo: WindowCallsUndo,
        panels: Mapping[str, Callable[[], object]],
        clock: Callable[[], float] = time.time,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self.setObjectName("apps")
        self.setMinimumSize(*MIN_SIZE)
        self._apps = apps
        self._panels = panels
        self._work = TaskRunner("apps", failed=self._fail)
        self.bar = UndoBar(theme)
        self.windows = ListPane(theme, (("toggle", "eye"), ("show", "open")), QWidget())
        self.windows.add.hide()
        self.windows.update_action_labels()
        self._log = ActionLog(
            theme, LoggedActions(apps, undo), self._work, self.bar, self, clock=clock, name=name
        )
        self.log = self._log.pane
        self.windows.action_requested.connect(self._act)
        self.windows.list.opened.connect(partial(self._act, "show"))
        self.windows.list.chosen.connect(self._name_actions)
        self._unlisten = (
            apps.host.subscribe(self._refresh),
            apps.caller.subscribe(self._refresh),
        )
        RefreshOnShow(self, read=self._refresh, gone=self.bar.clear)
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
        bring_to_front(self)

    async def aclose(self) -> None:
        """Before the window goes."""
        for end in self._unlisten:
            end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        sheet = f"#apps, QStackedWidget {{ background: {theme.window}; }}"
        apply_window_theme(self, theme, controls_sheet(theme) + sheet)
        self.bar.set_theme(theme)
        self.windows.set_theme(theme)
        self.log.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.bar.retranslate()
        self._show()
        self._log.show_entries()

    # What is shown

    def _refresh(self) -> None:
        if self.isVisible():  # else it is read when it is shown
            self._show()
            self._work.replace("read", self._log.reload)

    def _show(self) -> None:
        opened = self._apps.host.open_targets
        shown = [app for app in self._apps.host.apps if not app.options.pinned]
        self.windows.show_entries([self._app_entry(app, opened) for app in shown], "")
        self._name_actions()

    def _app_entry(self, app: App, opened: Mapping[str, str]) -> ListEntry:
        if app.id not in opened:
            return ListEntry(app.id, tr(app.title), tr("Closed"), icon="eye-off")
        target = opened[app.id]
        seen = tr("Open: {what}", what=target) if target else tr("Open for the companion now")
        return ListEntry(app.id, tr(app.title), seen, icon="eye")

    def _name_actions(self) -> None:
        chosen = self.windows.list.current_id()
        is_open = chosen in self._apps.host.open_targets
        toggle = tr("Close for the companion") if is_open else tr("Open for the companion")
        self.windows.set_texts(tr("Apps"), {"toggle": toggle, "show": tr("Show the panel")})
        self.windows.actions_of["show"].setEnabled(chosen in self._panels)

    # What the person does

    def _act(self, action: str, app_id: str) -> None:
        if action == "show":
            if app_id in self._panels:
                self._panels[app_id]()
        elif app_id in self._apps.host.open_targets:
            self._work.start(f"close {app_id}", partial(self._apps.close, app_id))
        elif app_id:
            self._work.start(f"open {app_id}", partial(self._apps.open, app_id))

    def _fail(self, error: KnownError) -> None:
        self.bar.show_text(format_error(error))
