"""Asks what to do with an app that doesn't respond. In its own process `main` writes the answer to
standard output; a second start of the app shows the same window.
"""

from __future__ import annotations

import asyncio
import sys
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import set_language, tr
from neodeskpet.ui import event_loop
from neodeskpet.ui.theme import (
    Theme,
    ThemeName,
    apply_theme,
    apply_window_theme,
    theme_for,
    ui_font,
)
from neodeskpet.ui.widgets.labels import PlainLabel

_WIDTH = 420


class HangWindow(QWidget):
    """Emits `answered(restart)`; closing the window means to wait."""

    answered = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("hang")
        self.setWindowTitle("NeoDeskPet")
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        self._answered = False
        self.title = PlainLabel(tr("NeoDeskPet isn't responding"))
        self.title.setWordWrap(True)
        self.text = PlainLabel(
            tr(
                "You can wait, or restart it. Conversations are kept, and a report shows "
                "where it stopped."
            )
        )
        self.text.setWordWrap(True)
        self.wait_button = QPushButton(tr("Wait"))
        self.restart_button = QPushButton(tr("Restart"))
        self.restart_button.setProperty("primary", True)
        self.wait_button.clicked.connect(self.close)
        self.restart_button.clicked.connect(lambda: self._answer(restart=True))
        self._lay_out()
        apply_window_theme(self, theme, f"#hang {{ background: {theme.window}; }}")
        self.title.setFont(ui_font(theme, theme.heading_px, bold=True))

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._answer(restart=False)

    def _lay_out(self) -> None:
        choice = QHBoxLayout()
        choice.addStretch(1)
        choice.addWidget(self.wait_button)
        choice.addWidget(self.restart_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(20, 18, 20, 16)
        box.setSpacing(12)
        box.addWidget(self.title)
        box.addWidget(self.text)
        box.addLayout(choice)
        self.setMinimumWidth(_WIDTH)

    def _answer(self, *, restart: bool) -> None:
        if not self._answered:
            self._answered = True
            self.answered.emit(restart)


async def ask_restart(theme: Theme) -> bool:
    """Ask whether to restart the app; return the answer."""
    window = HangWindow(theme)
    answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    window.answered.connect(answer.set_result)
    window.show()
    window.raise_()
    restart = await answer
    window.close()
    window.deleteLater()
    return restart


def main(arguments: list[str]) -> int:
    """Ask with the arguments `LANGUAGE THEME`; write "wait" or "restart"."""
    language, theme_name = arguments
    set_language(language)
    app = QApplication(["neodeskpet"])
    theme = theme_for(cast(ThemeName, theme_name))
    apply_theme(app, theme)

    async def ask() -> int:
        print("restart" if await ask_restart(theme) else "wait", flush=True)
        return 0

    return event_loop.run(app, ask)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
