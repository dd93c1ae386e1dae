"""Bars above the composer: confirm a link, follow an export, leave safe mode, and finish or undo an
interrupted import.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal, SignalInstance
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from neodeskpet.language import count_conversations, count_messages, tr
from neodeskpet.ui.theme import Theme, code_font, set_style_sheet, ui_font
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel

if TYPE_CHECKING:
    from neodeskpet.conversation.import_chats.chat_importer import ImportedMessages

SCHEMES = ("http", "https", "mailto")
_MAX_HEIGHT = 96

OpenUrl = Callable[[QUrl], bool]


def ascii_address(address: str) -> str:
    """Return the address as it is requested: letters outside ASCII are encoded, so that no host can
    imitate another.
    """
    return bytes(QUrl(address.strip()).toEncoded().data()).decode("ascii", "replace")


class LinkConfirmationBar(QFrame):
    """`show_address(address)` shows the bar; Open, Copy or Cancel hides it. `opened(address)` is
    emitted for an opened link; links other than http, https and mailto can only be copied.
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
        self._opener: QWidget | None = None
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
        """Show this address and the buttons."""
        self._failed = False
        self._address = ascii_address(address) or address
        self.shown.setPlainText(self._address)
        self.retranslate()
        allowed = self._allowed()
        self.open.setVisible(allowed)
        self._opener = QApplication.focusWidget()
        self.show()
        self._fit()
        (self.open if allowed else self.copy).setFocus()

    def address(self) -> str:
        """Return the address in question; "" if there is none."""
        return self._address

    def dismiss(self) -> None:
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        self._address = ""
        self.hide()
        if had_focus and self._opener is not None and isValid(self._opener):
            self._opener.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        self._title.setFont(ui_font(theme, bold=True))
        self.shown.setFont(code_font(theme))
        set_style_sheet(
            self,
            f"LinkConfirmationBar {{ background: {theme.surface}; border: none;"
            f" border-top: 1px solid {theme.line}; }}"
            "QTextEdit { background: transparent; border: none; padding: 0; }",
        )

    def retranslate(self) -> None:
        host = QUrl(self._address).host(QUrl.ComponentFormattingOption.EncodeUnicode)
        if self._failed:
            title = tr("No program on this computer opened the link. You can copy it.")
        elif not self._allowed():
            title = tr("NeoDeskPet doesn't open this kind of link. You can copy it.")
        elif host:
            title = tr("Open {host} in the browser?", host=host)
        else:
            title = tr("Open this link?")
        self._title.setText(title)
        self.shown.setAccessibleName(tr("Full address"))
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


class ExportBar(QFrame):
    """Hidden until an export starts. `stop_requested()`: the user cancels the export."""

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
        """Show that `path` was written."""
        self._path, self._progress, self._printed = path, "", ""
        self.retranslate()
        self.show()

    def show_printed(self, printer: str) -> None:
        """Show that the conversation was sent to this printer."""
        self._progress, self._printed = "", printer
        self.retranslate()
        self.show()

    def show_progress(self, text: str) -> None:
        """Show the progress of an export."""
        self._progress = text
        self.retranslate()
        self.show()

    def set_theme(self, theme: Theme) -> None:
        set_style_sheet(
            self,
            f"ExportBar {{ background: {theme.window}; border: none;"
            f" border-top: 1px solid {theme.line}; }}",
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


class SafeModeBar(QFrame):
    """Hidden until safe mode is on. `exit_requested()`: the user wants to start normally."""

    exit_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.exit_button = QPushButton()
        self.exit_button.clicked.connect(self.exit_requested)
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 8, 12, 8)
        line.setSpacing(12)
        line.addWidget(self.text, 1)
        line.addWidget(self.exit_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        set_style_sheet(
            self,
            f"SafeModeBar {{ background: {theme.surface}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}",
        )

    def retranslate(self) -> None:
        self.text.setText(
            tr(
                "Safe mode: there is no figure, and the offline helper answers. Your data"
                " is unchanged."
            )
        )
        self.exit_button.setText(tr("Start normally"))


_MAX_NAME_CHARS = 28
"""Limit for the name of an archive: a line can't break inside it, so it would widen the window."""


def shorten_name(name: str) -> str:
    half = _MAX_NAME_CHARS // 2
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[:half]}…{name[1 - half :]}"


def interrupted_text(taken: ImportedMessages) -> str:
    return tr(
        "The import of “{name}” was interrupted after {messages} in "
        "{conversations}. Import the file again to get the rest, or undo the "
        "import.",
        name=shorten_name(taken.name),
        messages=count_messages(taken.count),
        conversations=count_conversations(len(taken.messages)),
    )


class InterruptedImportBar(QFrame):
    """Hidden until there is an interrupted import. Signals: `undo_requested(ImportedMessages)`,
    `keep_requested(ImportedMessages)`.
    """

    undo_requested = Signal(object)
    keep_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: ImportedMessages | None = None
        self.message_label = PlainLabel()
        self.message_label.setWordWrap(True)
        self.undo_button, self.keep_button = QPushButton(), QPushButton()
        self.keep_button.setProperty("quiet", True)
        self.undo_button.clicked.connect(lambda: self._answer(self.undo_requested))
        self.keep_button.clicked.connect(lambda: self._answer(self.keep_requested))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.keep_button, self.undo_button):
            buttons.addWidget(button)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 8, 12, 8)
        box.setSpacing(6)
        box.addWidget(self.message_label)
        box.addLayout(buttons)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def show_import(self, taken: ImportedMessages | None) -> None:
        """Show this interrupted import; None hides the bar."""
        self._taken = taken
        for button in (self.undo_button, self.keep_button):
            button.setEnabled(True)
        self.retranslate()
        self.setVisible(taken is not None)

    def set_theme(self, theme: Theme) -> None:
        set_style_sheet(
            self,
            f"InterruptedImportBar {{ background: {theme.surface}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}",
        )

    def retranslate(self) -> None:
        self.message_label.setText(interrupted_text(self._taken) if self._taken is not None else "")
        self.undo_button.setText(tr("Undo the import"))
        self.keep_button.setText(tr("Keep it"))

    def _answer(self, wanted: SignalInstance) -> None:
        for button in (self.undo_button, self.keep_button):
            button.setEnabled(False)
        wanted.emit(self._taken)
