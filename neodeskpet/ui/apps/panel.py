"""An app's panel for the person: what it holds, and below it who did what, with undo.

Both are over what the companion's window is over: what one changes, the other sees at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.apps.apps import Apps
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.core.errors import KnownError
from neodeskpet.language import explain, tr
from neodeskpet.ui.apps.log import ActLog
from neodeskpet.ui.notebook.pane import Pane
from neodeskpet.ui.theme import Theme, dress, tick_rules
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work

LEAST = (320, 380)


class PanelBody(Protocol):
    """What an app's panel shows of it."""

    pane: Pane

    async def read(self) -> None:
        """Read it anew and show it. Raises KnownError."""
        ...

    def retranslate(self) -> None: ...

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when what it shows has changed; returns what ends it."""
        ...


MakeBody = Callable[[Theme, Apps, Work, QWidget], PanelBody]


class AppPanel(QWidget):
    """`make` builds the body, whose acts run in the panel's `Work`; `name` is what the companion is
    called.
    """

    def __init__(
        self,
        theme: Theme,
        apps: Apps,
        undo: CallsUndo,
        app_id: str,
        make: MakeBody,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setMinimumSize(*LEAST)
        self._title = apps.host.app(app_id).title
        self._work = Work(f"panel of {app_id}", failed=self._fail)
        self.bar = UndoBar(theme)
        self.body = make(theme, apps, self._work, self)
        self.log = ActLog(theme, apps, undo, self._work, self.bar, self, app_id, name=name)
        self._unlisten = (
            self.body.observe(self._refresh),
            apps.host.observe(self._refresh),
            apps.caller.observe(self._refresh),
        )
        Presence(self, read=self._refresh, gone=self.bar.clear, back=self.body.pane.leave_form)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(12)
        box.addWidget(self.body.pane, 3)
        box.addWidget(self.log.pane, 2)
        box.addWidget(self.bar)
        self.set_theme(theme)
        self.retranslate()
        self.resize(440, 640)

    def present(self) -> None:
        """Show the window in front."""
        bring_forward(self)

    async def finish(self) -> None:
        """Before the window goes."""
        for end in self._unlisten:
            end()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        own = f"#panel, #sheet, Sheet, QStackedWidget {{ background: {theme.window}; }}"
        dress(self, theme, controls_sheet(theme) + tick_rules("QCheckBox", theme) + own)
        self.bar.set_theme(theme)
        self.body.pane.set_theme(theme)
        self.log.pane.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(self._title))
        self.bar.retranslate()
        self.body.retranslate()
        self.log.show()

    def _refresh(self) -> None:
        if self.isVisible():  # else it is read when it is shown
            self._work.replace("body", self.body.read)
            self._work.replace("log", self.log.read)

    def _fail(self, error: KnownError) -> None:
        self.bar.tell(explain(error))
