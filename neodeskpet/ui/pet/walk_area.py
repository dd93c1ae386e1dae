"""The editor of the walking area on a screen: two edges between which the companion walks."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QScreen,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.desktop.work_area import work_area
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import set_accessible_role
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.windows.window_geometry import bring_to_front

_VEIL = QColor(20, 16, 32, 120)
_HALO = QColor(255, 255, 255)
_HANDLE_WIDTH, _HANDLE_HEIGHT = 30, 132
_STEP, _STRIDE = 10, 80
_PANEL = 430


class WalkAreaWindow(QWidget):
    """Edges are dragged, or moved by the arrow keys; the area between them is dragged as a whole.
    Enter saves, Esc cancels. The edges are at least `least` pixels apart.

    Signals: `accepted((left, right))` in pixels from the screen's left side, `accepted(None)` for
    the whole screen; `cancelled()`.
    """

    accepted = Signal(object)
    cancelled = Signal()

    def __init__(
        self,
        theme: Theme,
        screen: QScreen,
        span: tuple[int, int] | None,
        least: int,
        *,
        name: str = "",
        cut_out: bool = False,
    ) -> None:
        """`cut_out`: the desktop has no compositing, so the window is clipped to its
        visible parts.
        """
        super().__init__(
            None,
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint,
        )
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._theme = theme
        self._cut_out = cut_out
        area = work_area(screen)
        self._width = area.width()
        self._least = min(least, self._width)
        self._drag: tuple[int, tuple[int, int]] | None = None
        self._left, self._right = 0, self._width
        self.handles = (_Handle(self, tr("Left edge")), _Handle(self, tr("Right edge")))
        self._make_panel(name)
        self.handles[0].moved.connect(self.set_left)
        self.handles[1].moved.connect(self.set_right)
        self.setWindowTitle(tr("Walking area"))
        self.setAccessibleName(tr("Walking area"))
        self.setScreen(screen)
        self.setGeometry(area)
        if span is not None:
            self.set_right(min(span[1], self._width))
            self.set_left(span[0])
        self.set_theme(theme)
        QGuiApplication.instance().screenRemoved.connect(self._lose)  # type: ignore[union-attr]

    @property
    def span(self) -> tuple[int, int]:
        """The area in pixels from the screen's left side."""
        return self._left, self._right

    def present(self) -> None:
        bring_to_front(self)
        self.handles[0].setFocus()

    def set_left(self, x: int) -> None:
        self._left = max(0, min(x, self._right - self._least))
        self._show()

    def set_right(self, x: int) -> None:
        self._right = min(self._width, max(x, self._left + self._least))
        self._show()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        own = f"#walkPanel {{ background: {theme.window}; border: 1px solid {theme.control_line};"
        apply_window_theme(self, theme, f"{own} border-radius: {theme.card_radius}px; }}")
        self.words.setFont(ui_font(theme))
        self._show()

    def accept(self) -> None:
        """Save the area."""
        self.accepted.emit(None if self.span == (0, self._width) else self.span)

    def clear_area(self) -> None:
        """Use the whole screen."""
        self.accepted.emit(None)

    # Keyboard and pointer

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = event.position().toPoint().x()
        if event.button() is Qt.MouseButton.LeftButton and self._left <= x <= self._right:
            self._drag = x, self.span

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            return
        start, (left, right) = self._drag
        by = event.position().toPoint().x() - start
        by = max(-left, min(self._width - right, by))
        self._left, self._right = left + by, right + by
        self._show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None

    # Painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            for part in (QRect(0, 0, self._left, self.height()), self._beyond()):
                painter.fillRect(part, _VEIL)
            for colour, width in ((_HALO, 5), (QColor(self._theme.accent), 3)):
                painter.setPen(QPen(colour, width))
                for x in (self._left + 2, self._right - 3):
                    painter.drawLine(x, 0, x, self.height())
                floor = self.height() - 3
                painter.drawLine(self._left + 2, floor, self._right - 3, floor)

    def _beyond(self) -> QRect:
        return QRect(self._right, 0, self._width - self._right, self.height())

    def _make_panel(self, name: str) -> None:
        self.panel = QFrame(self)
        self.panel.setObjectName("walkPanel")
        text = tr("{name} walks between these edges. Drag them.", name=name or "Neo")
        self.words = PlainLabel(text)
        self.words.setWordWrap(True)
        hint = PlainLabel(tr("Or use Tab and the arrow keys. Enter saves, Esc cancels."))
        hint.setWordWrap(True)
        hint.setProperty("muted", True)
        keep = QPushButton(tr("Keep"))
        keep.setProperty("primary", True)
        whole, cancel = QPushButton(tr("Whole width")), QPushButton(tr("Cancel"))
        keep.clicked.connect(self.accept)
        whole.clicked.connect(self.clear_area)
        cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout()
        row.addStretch()
        for button in (cancel, whole, keep):
            button.setAutoDefault(True)  # Enter presses the focused button
            row.addWidget(button)
        box = QVBoxLayout(self.panel)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(8)
        for label in (self.words, hint):
            box.addWidget(label)
        box.addLayout(row)

    def _show(self) -> None:
        middle = (self.height() - _HANDLE_HEIGHT) // 2
        for handle, x in zip(self.handles, self.span, strict=True):
            left = max(0, min(self._width - _HANDLE_WIDTH, x - _HANDLE_WIDTH // 2))
            handle.setGeometry(left, middle, _HANDLE_WIDTH, _HANDLE_HEIGHT)
            handle.set_position(x, self._theme)
        width = min(scale_to_font(_PANEL, self._theme), self._width)
        self.panel.setFixedWidth(width)
        self.panel.adjustSize()
        self.panel.move((self._width - width) // 2, max(24, self.height() // 6))
        if self._cut_out:
            self._cut()
        self.update()

    def _cut(self) -> None:
        shown = QRegion(self.panel.geometry())
        for handle in self.handles:
            shown += handle.geometry()
        for x in (self._left, self._right - 6):
            shown += QRect(x, 0, 6, self.height())
        shown += QRect(self._left, self.height() - 6, self._right - self._left, 6)
        self.setMask(shown)

    def _lose(self, screen: QScreen) -> None:
        if screen is self.screen():
            self.cancelled.emit()


class _Handle(QWidget):
    """A draggable edge. `moved(x)`: the user moves it to x."""

    moved = Signal(int)

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_accessible_role(self, QAccessible.Role.Slider)
        self.setAccessibleName(name)
        self._x = 0
        self._theme: Theme | None = None
        self._grip: int | None = None

    def set_position(self, x: int, theme: Theme) -> None:
        """Place the edge at this pixel."""
        self._x, self._theme = x, theme
        self.setAccessibleDescription(tr("{x} pixels from the left", x=str(x)))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._grip = self._over(event) - self._x

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self.moved.emit(self._over(event) - self._grip)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        step = _STRIDE if far else _STEP
        ways = {Qt.Key.Key_Left: -step, Qt.Key.Key_Right: step}
        if event.key() in ways:
            self.moved.emit(self._x + ways[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _over(self, event: QMouseEvent) -> int:
        return self.mapToParent(event.position().toPoint()).x()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        if theme is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            place = self.rect().adjusted(3, 3, -3, -3)
            edge = theme.text if self.hasFocus() else theme.on_accent
            painter.setPen(QPen(QColor(edge), 3 if self.hasFocus() else 2))
            painter.setBrush(QColor(theme.accent))
            painter.drawRoundedRect(place, place.width() / 2, place.width() / 2)
            painter.setPen(QPen(QColor(theme.on_accent), 2))
            middle = place.center() + QPoint(1, 0)
            for dx in (-3, 3):
                painter.drawLine(middle + QPoint(dx, -12), middle + QPoint(dx, 12))

    def focusInEvent(self, event: object) -> None:
        self.update()

    def focusOutEvent(self, event: object) -> None:
        self.update()
