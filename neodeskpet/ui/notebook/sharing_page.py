"""The page "Shared with the companion": which lists it has open, and the history of changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Protocol

from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.toolspec import Risk
from neodeskpet.language import format_error, tr
from neodeskpet.toolkit.app_window import App
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.app_panel import ActionLog, LoggedActions


class ChangePermissionPort(Protocol):
    """Whether the model may use the tools of some families that change something."""

    def may_change(self, families: Collection[str]) -> bool: ...

    def set_may_change(self, families: Collection[str], on: bool) -> None:
        """Raises KnownError."""
        ...


class SharingPage(QWidget):
    """The page. `panels` show the tab or window of an app for the user, by the app's id. `name` is
    the companion's. `undo` shows errors and texts.
    """

    def __init__(
        self,
        theme: Theme,
        actions: LoggedActions,
        undo: UndoBar,
        panels: Mapping[str, Callable[[], object]],
        permission: ChangePermissionPort,
        clock: Callable[[], float] = time.time,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self._apps = actions.apps
        self._panels = panels
        self._permission = permission
        self._name = name
        self._undo = undo
        self._work = TaskRunner("sharing", failed=self._fail)
        self.windows = ListPane(
            theme, (("toggle", "eye"), ("change", "edit"), ("show", "open")), QWidget()
        )
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
        if self.isVisible():  # otherwise it is read when it is shown
            self._show()
            self._work.replace("read", self._log.reload)

    def may_change(self, app_id: str) -> bool:
        """Whether the companion may change what an app shows; True for no app."""
        app = next((one for one in self._apps.host.apps if one.id == app_id), None)
        return app is None or self._may_change(app)

    def _show(self) -> None:
        opened = self._apps.host.open_targets
        shown = [app for app in self._apps.host.apps if not app.options.pinned]
        self.windows.show_entries([self._app_entry(app, opened) for app in shown], "")
        self._name_actions()

    def _app_entry(self, app: App, opened: Mapping[str, str]) -> ListEntry:
        if app.id not in opened:
            seen, sign = tr("Closed"), "eye-off"
        else:
            target, sign = opened[app.id], "eye"
            seen = tr("Open: {what}", what=target) if target else tr("The companion has it open")
        limit = "" if self._may_change(app) else tr("can't change it")
        return ListEntry(app.id, tr(app.title), " · ".join(filter(None, (seen, limit))), icon=sign)

    def _may_change(self, app: App) -> bool:
        """True for one that has nothing to change."""
        return not _families(app) or self._permission.may_change(_families(app))

    def _name_actions(self) -> None:
        chosen = self.windows.list.current_id()
        is_open = chosen in self._apps.host.open_targets
        toggle = tr("Close for the companion") if is_open else tr("Open for the companion")
        app = next((one for one in self._apps.host.apps if one.id == chosen), None)
        allowed = self.may_change(chosen)
        name = self._name() or tr("the companion")
        change = (
            tr("Don't let {name} change it", name=name)
            if allowed
            else tr("Let {name} change it", name=name)
        )
        words = {"toggle": toggle, "change": change, "show": tr("Show")}
        self.windows.set_texts(tr("Shared with the companion"), words)
        self.windows.actions_of["change"].setEnabled(app is not None and bool(_families(app)))
        self.windows.actions_of["show"].setEnabled(chosen in self._panels)

    # Actions of the user

    def _act(self, action: str, app_id: str) -> None:
        if action == "show":
            if app_id in self._panels:
                self._panels[app_id]()
        elif action == "change":
            self._switch_change(app_id)
        elif app_id in self._apps.host.open_targets:
            self._work.start(f"close {app_id}", partial(self._apps.close, app_id))
        elif app_id:
            self._work.start(f"open {app_id}", partial(self._apps.open, app_id))

    def _switch_change(self, app_id: str) -> None:
        app = next((one for one in self._apps.host.apps if one.id == app_id), None)
        if app is None:
            return
        try:
            self._permission.set_may_change(_families(app), not self._may_change(app))
        except KnownError as error:
            self._fail(error)
        self._show()

    def _fail(self, error: KnownError) -> None:
        self._undo.show_text(format_error(error))


def _families(app: App) -> frozenset[str]:
    """The families of the tools by which the companion changes what an app shows."""
    return frozenset(
        tool.name.partition(".")[0]
        for tool in app.actions.values()
        if tool.spec.risk not in (Risk.READ, Risk.SENSITIVE_READ)
    )
