"""The page "Shared with the companion": which lists it has open, and the history of changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.toolkit.app_window import App
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.app_panel import ActionLog, LoggedActions


class SharingPage(QWidget):
    """`panels` show the tab or window of an app for the user, by the app's id. `name` is the
    companion's. Errors and texts go to `undo`.
    """

    def __init__(
        self,
        theme: Theme,
        actions: LoggedActions,
        undo: UndoBar,
        panels: Mapping[str, Callable[[], object]],
        clock: Callable[[], float] = time.time,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self._apps = actions.apps
        self._panels = panels
        self._undo = undo
        self._work = TaskRunner("sharing", failed=self._fail)
        self.windows = ListPane(theme, (("toggle", "eye"), ("show", "open")), QWidget())
        self.windows.remove_add_button()
        self.windows.update_action_labels()
        self._log = ActionLog(theme, actions, self._work, undo, self, clock=clock, name=name)
        self.log = self._log.pane
        self.windows.action_requested.connect(self._act)
        self.windows.list.opened.connect(partial(self._act, "show"))
        self.windows.list.chosen.connect(self._name_actions)
        self._unlisten = (
            self._apps.host.subscribe(self.refresh),
            self._apps.caller.subscribe(self.refresh),
        )
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(12)
        box.addWidget(self.windows, 1)
        box.addWidget(self.log, 1)
        self.set_theme(theme)
        self.retranslate()

    async def aclose(self) -> None:
        """Call before the window is deleted."""
        for end in self._unlisten:
            end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self.windows.set_theme(theme)
        self.log.set_theme(theme)

    def retranslate(self) -> None:
        self._show()
        self._log.show_entries()

    def refresh(self) -> None:
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
        seen = tr("Open: {what}", what=target) if target else tr("The companion has it open")
        return ListEntry(app.id, tr(app.title), seen, icon="eye")

    def _name_actions(self) -> None:
        chosen = self.windows.list.current_id()
        is_open = chosen in self._apps.host.open_targets
        toggle = tr("Close for the companion") if is_open else tr("Open for the companion")
        self.windows.set_texts(
            tr("Shared with the companion"), {"toggle": toggle, "show": tr("Show")}
        )
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
        self._undo.show_text(format_error(error))
