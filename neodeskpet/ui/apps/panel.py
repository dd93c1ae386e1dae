"""An app's panel for the person: what it holds, and below it who did what, with undo.

Both are over what the companion's window is over: what one changes, the other sees at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.apps.apps import AppWindows
from neodeskpet.apps.undo import WindowCallsUndo
from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.ui.apps.log import ActionLog
from neodeskpet.ui.notebook.pane import ListPane
from neodeskpet.ui.theme import Theme, apply_window_theme, checkbox_rules
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.place import bring_to_front
from neodeskpet.ui.windows.presence import RefreshOnShow
from neodeskpet.ui.work import TaskRunner

MIN_SIZE = (320, 380)


class PanelContent(Protocol):
    """What an app's panel shows of it."""

    pane: ListPane

    async def reload(self) -> None:
        """Read it anew and show it. Raises KnownError."""
        ...

    def retranslate(self) -> None: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when what it shows has changed; returns what ends it."""
        ...


CreatePanelContent = Callable[[Theme, AppWindows, TaskRunner, QWidget], PanelContent]


class AppPanel(QWidget):
    """`make` builds the body, whose acts run in the panel's `Work`; `name` is what the companion is
    called.
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
        self.setMinimumSize(*MIN_SIZE)
        self._title = apps.host.app(app_id).title
        self._work = TaskRunner(f"panel of {app_id}", failed=self._fail)
        self.bar = UndoBar(theme)
        self.content = make(theme, apps, self._work, self)
        self.log = ActionLog(theme, apps, undo, self._work, self.bar, self, app_id, name=name)
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
        """Before the window goes."""
        for end in self._unlisten:
            end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        own = f"#panel, #sheet, Sheet, QStackedWidget {{ background: {theme.window}; }}"
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
        if self.isVisible():  # else it is read when it is shown
            self._work.replace("body", self.content.reload)
            self._work.replace("log", self.log.reload)

    def _fail(self, error: KnownError) -> None:
        self.bar.show_text(format_error(error))
