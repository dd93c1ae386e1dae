"""The editor of a sent message, shown in its place: a small composer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip


class MessageEditor(QFrame):
    """Signals: `confirmed(text)` to send the edited message with the attachments of
    `composer.attachments`; `cancelled()`; `height_changed()`.
    """

    confirmed = Signal(str)
    cancelled = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.composer = Composer(theme, inside=True)
        self.note = PlainLabel()
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        self.cancel = QPushButton()
        self.cancel.setProperty("quiet", True)
        self._lay_out()
        self.composer.submitted.connect(self.confirmed)
        self.composer.field.escaped.connect(self.cancelled)
        self.composer.field.height_changed.connect(self.height_changed)
        self.composer.attachments.changed.connect(self.height_changed)
        self.composer.field.installEventFilter(self)
        self.cancel.clicked.connect(self.cancelled)
        self.set_theme(theme)
        self.retranslate()

    def set_text(self, text: str) -> None:
        """Set the text to edit."""
        self.composer.set_draft(text)

    def height_for(self, width: int) -> int:
        """Return the preferred height for this width."""
        self.setFixedWidth(width)
        self._box.activate()
        return max(self._box.sizeHint().height(), self._box.totalHeightForWidth(width))

    def take_focus(self) -> None:
        self.composer.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        self.composer.set_theme(theme)
        self.note.setFont(ui_font(theme, theme.small_px))
        self.setStyleSheet(f"MessageEditor {{ background: {theme.window}; border: none; }}")

    def retranslate(self) -> None:
        self.composer.retranslate()
        self.composer.field.setAccessibleName(tr("Edit the message"))
        self.note.setText(tr("The old version is kept."))
        self.cancel.setText(tr("Cancel"))
        set_tooltip(self.cancel, tr("Cancel (Esc)"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Cancel on Esc, even while a reply is running that Esc would stop otherwise."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(4, 0, 0, 0)
        foot.addWidget(self.note, 1)
        foot.addWidget(self.cancel)
        box = self._box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.composer)
        box.addLayout(foot)
