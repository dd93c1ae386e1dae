"""A small window beside the companion to send it one message: the composer, placed where it covers
neither the face nor the bubble.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.chat.composer.attachment_strip import Attachment
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.pet.screen_geometry import bubble_position
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font
from neodeskpet.ui.windows.window_geometry import bring_to_front

_GAP = 12
_MARGIN = 24


def quick_message_position(
    size: QSize, figure: QRect, head: QRect, mouth: QPoint, bubble: QRect, screen: QRect
) -> QRect:
    """On the screen always; over the body where there is no room beside it. Where nothing is free
    the bubble is hidden rather than the face.
    """
    spots = [spot for spot in _free_positions(size, figure, screen) if not spot.intersects(head)]
    free = [spot for spot in spots if not spot.intersects(bubble)]
    if free or spots:
        return (free or spots)[0]
    return bubble_position(size, figure, mouth, screen, head=head, covered=[bubble]).body


def position_when_hidden(size: QSize, screen: QRect) -> QRect:
    """While the companion is hidden: in the middle, near the lower edge."""
    left = screen.left() + (screen.width() - size.width()) // 2
    return QRect(QPoint(left, screen.bottom() + 1 - _MARGIN - size.height()), size)


def _free_positions(size: QSize, figure: QRect, screen: QRect) -> Iterator[QRect]:
    """Those that are wholly on the screen, the best first."""
    width, height = size.width(), size.height()
    feet = min(figure.bottom(), screen.bottom()) + 1
    middle = figure.center().x() - width // 2
    left = figure.left() - _GAP - width
    right = figure.right() + 1 + _GAP
    sides = [left, right]
    if figure.left() - screen.left() < screen.right() - figure.right():
        sides.reverse()
    corners = (
        *(QPoint(side, feet - height) for side in sides),
        QPoint(middle, figure.bottom() + 1 + _GAP),
        QPoint(max(screen.left(), min(middle, screen.right() + 1 - width)), feet - height),
    )
    for corner in corners:
        spot = QRect(corner, size)
        if screen.contains(spot):
            yield spot


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
