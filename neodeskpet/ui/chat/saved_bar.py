"""Says how far a file is written, and where; and opens its folder. A quiet line that can be sent
away.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.link_bar import OpenUrl
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import ElidedLabel


class ExportBar(QFrame):
    """Hidden until something is written. `stopped()`: it isn't to be written after all."""

    stop_requested = Signal()

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self._open_url = open_url
        self._path: Path | None = None
        self._progress = self._printed = ""
        self.text = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.text.setProperty("muted", True)
        self.open = QPushButton()
        self.close_button = QPushButton()
        for button in (self.open, self.close_button):
            button.setProperty("quiet", True)
        self.open.clicked.connect(self._open)
        self.close_button.clicked.connect(self._close)
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 4, 12, 4)
        line.setSpacing(8)
        line.addWidget(self.text, 1)
        line.addWidget(self.open)
        line.addWidget(self.close_button)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def show_saved(self, path: Path) -> None:
        """`path` was written."""
        self._path, self._progress, self._printed = path, "", ""
        self.retranslate()
        self.show()

    def show_printed(self, printer: str) -> None:
        """It was sent to this printer."""
        self._progress, self._printed = "", printer
        self.retranslate()
        self.show()

    def show_progress(self, text: str) -> None:
        """It is being written, and so far."""
        self._progress = text
        self.retranslate()
        self.show()

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"SavedBar {{ background: {theme.window}; border: none;"
            f" border-top: 1px solid {theme.line}; }}"
        )

    def retranslate(self) -> None:
        said = tr("Saved as {path}", path=str(self._path or ""))
        if self._printed:
            said = tr("Sent to the printer {name}", name=self._printed)
        self.text.set_text(self._progress or said)
        self.open.setText(tr("Open the folder"))
        self.open.setVisible(not (self._progress or self._printed))
        self.close_button.setText(tr("Stop") if self._progress else tr("Close"))

    def _close(self) -> None:
        if self._progress:
            self.stop_requested.emit()
        self.hide()

    def _open(self) -> None:
        if self._path is not None:
            self._open_url(QUrl.fromLocalFile(str(self._path.parent)))
        self.hide()
