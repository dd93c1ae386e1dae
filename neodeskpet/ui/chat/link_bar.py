"""Before a link opens, its whole address is shown: a bar, not a box that blocks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, code_font, ui_font
from neodeskpet.ui.widgets.label import PlainLabel

SCHEMES = ("http", "https", "mailto")
_MAX_HEIGHT = 96

OpenUrl = Callable[[QUrl], bool]


def ascii_address(address: str) -> str:
    """The address as it will be asked for: letters outside ASCII encoded, so that no host can pass
    for another.
    """
    return bytes(QUrl(address.strip()).toEncoded().data()).decode("ascii", "replace")


class LinkConfirmationBar(QFrame):
    """`ask(address)` shows it; Open, Copy or Cancel hides it. `opened(address)` tells what was
    opened; other schemes than http, https and mailto can only be copied.
    """

    opened = Signal(str)

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self._open_url = open_url
        self._address = ""
        self._failed = False
        self._title = PlainLabel()
        self._title.setWordWrap(True)
        self.shown = QTextEdit()
        self.shown.setReadOnly(True)
        self.shown.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.shown.setTabChangesFocus(True)
        self.shown.document().setDocumentMargin(0)
        self.open = QPushButton()
        self.open.setProperty("primary", True)
        self.copy = QPushButton()
        self.cancel = QPushButton()
        self.open.clicked.connect(self._open)
        self.copy.clicked.connect(self._copy)
        self.cancel.clicked.connect(self.dismiss)
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def show_address(self, address: str) -> None:
        """Show this address and the choice."""
        self._failed = False
        self._address = ascii_address(address) or address
        self.shown.setPlainText(self._address)
        self.retranslate()
        allowed = self._allowed()
        self.open.setVisible(allowed)
        self.show()
        self._fit()
        (self.open if allowed else self.copy).setFocus()

    def address(self) -> str:
        """What is asked about; empty when nothing is."""
        return self._address

    def dismiss(self) -> None:
        self._address = ""
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._title.setFont(ui_font(theme, bold=True))
        self.shown.setFont(code_font(theme))
        self.setStyleSheet(
            f"LinkBar {{ background: {theme.surface}; border: none;"
            f" border-top: 1px solid {theme.line}; }}"
            "QTextEdit { background: transparent; border: none; padding: 0; }"
        )

    def retranslate(self) -> None:
        host = QUrl(self._address).host(QUrl.ComponentFormattingOption.EncodeUnicode)
        if self._failed:
            title = tr("Nothing on this computer opened the link. You can copy it.")
        elif not self._allowed():
            title = tr("This kind of link isn't opened from here. You can copy it.")
        elif host:
            title = tr("Open {host} in the browser?", host=host)
        else:
            title = tr("Open this link?")
        self._title.setText(title)
        self.shown.setAccessibleName(tr("The whole address"))
        self.open.setText(tr("Open"))
        self.copy.setText(tr("Copy"))
        self.cancel.setText(tr("Cancel"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.open, self.copy, self.cancel):
            buttons.addWidget(button)
        buttons.addStretch()
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 12, 16, 12)
        box.setSpacing(8)
        box.addWidget(self._title)
        box.addWidget(self.shown)
        box.addLayout(buttons)

    def _allowed(self) -> bool:
        return QUrl(self._address).scheme().lower() in SCHEMES

    def _fit(self) -> None:
        document = self.shown.document()
        document.setTextWidth(self.shown.viewport().width())
        self.shown.setFixedHeight(min(round(document.size().height()) + 2, _MAX_HEIGHT))

    def _open(self) -> None:
        address = self._address
        if self._open_url(QUrl(address)):
            self.opened.emit(address)
            self.dismiss()
        else:
            self._failed = True
            self.retranslate()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address)
        self.dismiss()
