"""What the companion may do with the lists of the window "Today": a card with two switches, and the
page with the history of changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.toolkit.app_window import App
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import Switch
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.app_panel import ActionLog, LoggedActions


class ListPermissionsPort(Protocol):
    """Whether the model may see and change lists; a list is a family of tools."""

    def may_see(self, families: Collection[str]) -> bool: ...

    def set_may_see(self, families: Collection[str], on: bool) -> None:
        """Raises KnownError."""
        ...

    def may_change(self, families: Collection[str]) -> bool: ...

    def set_may_change(self, families: Collection[str], on: bool) -> None:
        """Raises KnownError."""
        ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after a change; returns a function that ends that."""
        ...


class SharingCard(QFrame):
    """The switches of the lists of some apps. `name` is the companion's, `undo` shows errors.

    Signals: `changed()` after a permission changed; `history_requested()`.
    """

    changed = Signal()
    history_requested = Signal()

    def __init__(
        self,
        theme: Theme,
        permissions: ListPermissionsPort,
        undo: UndoBar,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self.setProperty("card", True)
        self._permissions = permissions
        self._undo = undo
        self._name = name
        self._families: frozenset[str] = frozenset()
        self._title = ""
        self.sees, self.changes = Switch(theme), Switch(theme)
        self._labels = {self.sees: PlainLabel(), self.changes: PlainLabel()}
        self.history = QPushButton()
        self.history.setProperty("foot", True)
        self.history.clicked.connect(self.history_requested)
        self.sees.clicked.connect(lambda on: self._set(permissions.set_may_see, on))
        self.changes.clicked.connect(lambda on: self._set(permissions.set_may_change, on))
        box = QVBoxLayout(self)
        box.setContentsMargins(12, 8, 8, 8)
        box.setSpacing(6)
        for switch, label in self._labels.items():
            label.setWordWrap(True)
            label.setBuddy(switch)
            row = QHBoxLayout()
            row.addWidget(label, 1)
            row.addWidget(switch)
            box.addLayout(row)
        box.addWidget(self.history)
        self._end = permissions.subscribe(self._show)
        self.hide()

    def close_subscription(self) -> None:
        """Call before the card is deleted."""
        self._end()

    def set_theme(self, theme: Theme) -> None:
        for switch in self._labels:
            switch.set_theme(theme)

    def show_apps(self, apps: Iterable[App], title: str) -> None:
        """Show the permissions of the lists of these apps; `title` names them."""
        shown = (action.spec.family for app in apps for action in app.actions.values())
        self._families, self._title = frozenset(shown), title
        self._show()

    def retranslate(self) -> None:
        self.history.setText(f"{tr('History of changes')} ›")
        self.history.setAccessibleName(tr("History of changes"))
        self._show()

    def summary(self) -> str:
        """Return what the companion may do: "Neo sees this and can change it"."""
        if not self._permissions.may_see(self._families):
            return self._text(N_("{name} doesn't see this"))
        if not self._permissions.may_change(self._families):
            return self._text(N_("{name} sees this and can't change it"))
        return self._text(N_("{name} sees this and can change it"))

    @property
    def is_seen(self) -> bool:
        """Whether the companion sees all of the lists."""
        return self._permissions.may_see(self._families)

    def _text(self, text: str) -> str:
        return tr(text, name=self._name() or tr("The companion"))

    def _show(self) -> None:
        sees = self.is_seen
        texts = {
            self.sees: self._text(N_("{name} sees this")),
            self.changes: self._text(N_("{name} can change it")),
        }
        for switch, text in texts.items():
            self._labels[switch].setText(text)
            switch.setAccessibleName(
                tr("{name}: {text}", name=text, text=self._title) if self._title else text
            )
        self.sees.setChecked(sees)
        self.changes.setChecked(sees and self._permissions.may_change(self._families))
        self.changes.setEnabled(sees)
        self.changed.emit()

    def _set(self, store: Callable[[Collection[str], bool], None], on: bool) -> None:
        try:
            store(self._families, on)
        except KnownError as error:
            self._undo.show_text(format_error(error))
        self._show()


class HistoryPage(QWidget):
    """The history of the actions in all apps. `name` is the companion's."""

    def __init__(
        self,
        theme: Theme,
        actions: LoggedActions,
        undo: UndoBar,
        clock: Callable[[], float] = time.time,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self._undo = undo
        self._work = TaskRunner("history", failed=self._fail)
        self._log = ActionLog(theme, actions, self._work, undo, self, clock=clock, name=name)
        self.log = self._log.pane
        self._end = actions.apps.caller.subscribe(self.refresh)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.log)
        self.setFocusProxy(self.log.list)

    async def aclose(self) -> None:
        """Call before the page is deleted."""
        self._end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self.log.set_theme(theme)

    def retranslate(self) -> None:
        self._log.show_entries()

    def refresh(self) -> None:
        if self.isVisible():  # otherwise it is read when it is shown
            self._work.replace("read", self._log.reload)

    def _fail(self, error: KnownError) -> None:
        self._undo.show_text(format_error(error))
