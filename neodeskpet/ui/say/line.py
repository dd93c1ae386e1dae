"""A small line to say something to the companion: the composer, in a window that stands beside it
and goes when it is done.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from neodeskpet.core.wording import N_
from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.attachments import Attachment
from neodeskpet.ui.chat.compose.composer import Composer
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font
from neodeskpet.ui.windows.place import bring_to_front

TITLE = N_("Say something – NeoDeskPet")
_WIDTH = 340


class QuickMessageWindow(QWidget):
    """`said(text, attachments)`: Enter was pressed. `fitted()`: it wants another height, or was
    shown. Esc closes it; what was written stays for the next time. It also goes when another
    window is used and nothing is written.
    """

    submitted = Signal(str, list)
    size_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            None,
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint,
        )
        self.setObjectName("sayLine")
        self._theme = theme
        self.composer = Composer(theme, inside=True)
        frame = QFrame()
        frame.setObjectName("sayFrame")
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(6, 6, 6, 6)
        inner.addWidget(self.composer)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(frame)
        self._box = box
        self._fit = QTimer(self, singleShot=True, interval=0)
        self._fit.timeout.connect(self.size_changed)
        self.composer.field.escaped.connect(self.hide)
        self.composer.field.height_changed.connect(self._fit.start)
        self.composer.attachments.changed.connect(self._fit.start)
        self.composer.submitted.connect(self._say)
        self.set_theme(theme)
        self.retranslate()

    def present(self) -> None:
        """Show it, ready to write."""
        self.size_changed.emit()
        bring_to_front(self)
        self.composer.field.setFocus()

    def preferred_size(self, screen: QRect) -> QSize:
        """Its size on this screen."""
        width = min(scale_to_font(_WIDTH, self._theme), screen.width())
        self._box.activate()
        height = self._box.sizeHint().height()
        return QSize(width, min(height, screen.height()))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.composer.set_theme(theme)
        apply_window_theme(
            self,
            theme,
            f"#sayFrame {{ background: {theme.window}; border: 1px solid {theme.control_line}; }}",
        )
        self._fit.start()

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.composer.retranslate()
        self.composer.field.setAccessibleName(tr("Say something"))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.WindowDeactivate and not self.composer.has_content():
            self.hide()
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit.start()

    def _say(self, text: str) -> None:
        attached: list[Attachment] = self.composer.attachments.take_all()
        self.hide()
        self.submitted.emit(text, attached)
