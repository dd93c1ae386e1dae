"""Controls: switch, segments, combo box, slider, text fields. Made for the keyboard. The wheel
scrolls the page and never changes a value, even of the focused control.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.accessible import mark_as_choices
from neodeskpet.ui.widgets.labels import PlainLabel

CONTROL_HEIGHT = 28
NUMBER_WIDTH, SHORT_WIDTH, MEDIUM_WIDTH, LONG_WIDTH = 84, 150, 200, 282
"""The widths of controls that can have any width, at the default text size."""
_INPUT_DELAY_MS = 500
_PADDING, _TIGHT_PADDING = 16, 4
"""The padding of a segment beside its text, and where there is less room."""

Options = Sequence[tuple[str, str]]
"""Pairs of value and displayed text."""


def controls_sheet(t: Theme) -> str:
    """Return the style sheet of these controls, for the window that contains them."""
    high = max(CONTROL_HEIGHT, t.line_px + 6)
    return f"""
ComboBox, TextEntry {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.control_line};
  border-radius: {t.control_radius}px; padding: 0 10px; min-height: {high - 2}px;
  selection-background-color: {t.selection}; selection-color: {t.text};
  placeholder-text-color: {t.muted}; }}
TextEntry {{ padding: 0 8px; }}
ComboBox:focus, TextEntry:focus {{ border-color: {t.accent}; }}
ComboBox:disabled, TextEntry:disabled {{ background: {t.window}; color: {t.muted}; }}
ComboBox::drop-down {{ border: none; width: 26px; }}
ComboBox::down-arrow {{ image: none; }}
ComboBox QLineEdit {{ background: transparent; border: none; padding: 0; min-height: 0; }}
ComboBox QAbstractItemView {{ background: {t.surface}; border: 1px solid {t.line}; padding: 4px;
  selection-background-color: {t.person}; selection-color: {t.text}; outline: none; }}
ComboBox QAbstractItemView::item {{ min-height: {high - 6}px; padding: 0 8px; }}
TextEntry[wrong="true"], ComboBox[wrong="true"] {{ border-color: {t.failed}; }}
_SegmentButton {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.control_line};
  border-radius: 0; border-right: none; padding: 0 {_PADDING}px; min-height: {high - 2}px; }}
_SegmentButton[place="first"] {{ border-top-left-radius: {t.control_radius}px;
  border-bottom-left-radius: {t.control_radius}px; }}
_SegmentButton[place="last"] {{ border-right: 1px solid {t.control_line};
  border-top-right-radius: {t.control_radius}px;
  border-bottom-right-radius: {t.control_radius}px; }}
_SegmentButton[stacked="true"] {{ border: 1px solid {t.control_line}; border-radius: 0; }}
_SegmentButton[tight="true"] {{ padding: 0 {_TIGHT_PADDING}px; }}
_SegmentButton:hover {{ background: {t.hover}; }}
_SegmentButton:checked {{ background: {t.accent}; color: {t.on_accent}; border-color: {t.accent}; }}
_SegmentButton:focus {{ border: 2px solid {t.text}; padding: 0 15px; min-height: {high - 4}px; }}
_SegmentButton[tight="true"]:focus {{ padding: 0 {_TIGHT_PADDING - 1}px; }}
QSlider {{ min-height: {CONTROL_HEIGHT}px; }}
QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {t.line}; }}
QSlider::sub-page:horizontal {{ background: {t.accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ width: 14px; height: 14px; margin: -6px 0; border-radius: 8px;
  background: {t.surface}; border: 2px solid {t.accent}; }}
QSlider::handle:horizontal:hover {{ background: {t.person}; }}
QSlider::handle:horizontal:focus {{ background: {t.accent}; }}
"""


def local_files(data: QMimeData) -> list[Path]:
    """Return the local files of dragged or pasted data."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def paint_chevron(widget: QWidget, painter: QPainter, theme: Theme) -> None:
    """Paint the arrow of a field that opens a list, at its right."""
    arrow = pixmap("chevron-down", QColor(theme.muted), 16, widget.devicePixelRatioF())
    painter.drawPixmap(widget.width() - 26, (widget.height() - 16) // 2, arrow)


class Switch(QAbstractButton):
    """On or off. Space toggles it. `toggled(bool)` is from QAbstractButton."""

    _SIZE = QSize(42, 26)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(self._SIZE)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return self._SIZE

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            track = QRectF(self.rect()).adjusted(3, 3, -3, -3)
            radius = track.height() / 2
            on = self.isChecked()
            painter.setPen(QColor(t.accent if on else t.control_line))
            painter.setBrush(QColor(t.accent if on else t.pressed))
            painter.setOpacity(1.0 if self.isEnabled() else 0.5)
            painter.drawRoundedRect(track, radius, radius)
            centre = track.right() - radius if on else track.left() + radius
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.on_accent if on else t.muted))
            painter.drawEllipse(QPointF(centre, track.center().y()), radius - 3, radius - 3)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QColor(t.text if on else t.accent))
                ring = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
                painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)


class SegmentedControl(QWidget):
    """A few choices side by side, or one below the other if there is no room (`may_tighten`: with
    less padding first); the arrow keys move between them. Emits `chosen(value)` when the user
    chooses.
    """

    chosen = Signal(str)

    def __init__(
        self, choices: Options, parent: QWidget | None = None, *, may_tighten: bool = False
    ) -> None:
        super().__init__(parent)
        self._may_tighten = may_tighten
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        self._tight = False
        self._line = line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        for number, (value, text) in enumerate(choices):
            button = _SegmentButton(text)
            place = "first" if number == 0 else "last" if number == len(choices) - 1 else "middle"
            button.setProperty("place", place)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, pressed=value: self.chosen.emit(pressed))
            self._group.addButton(button)
            self._buttons[value] = button
            line.addWidget(button)
        mark_as_choices(self._group)
        line.addStretch()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self._side_by_side(), self._line.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        widest = max(button.sizeHint().width() for button in self._buttons.values())
        return QSize(widest, self._line.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._arrange()

    def _side_by_side(self) -> int:
        wide = sum(button.sizeHint().width() for button in self._buttons.values())
        return wide + self._saved_padding() if self._tight else wide

    def _saved_padding(self) -> int:
        return 2 * (_PADDING - _TIGHT_PADDING) * len(self._buttons) if self._may_tighten else 0

    def _arrange(self) -> None:
        missing = self._side_by_side() - self.width()
        stacked = missing > self._saved_padding()
        tight = missing > 0 and not stacked
        ways = QBoxLayout.Direction
        direction = ways.TopToBottom if stacked else ways.LeftToRight
        if self._line.direction() is direction and tight == self._tight:
            return
        self._tight = tight
        self._line.setDirection(direction)
        for button in self._buttons.values():
            button.setProperty("stacked", stacked)
            button.setProperty("tight", tight)
            button.style().unpolish(button)
            button.style().polish(button)
        self.updateGeometry()

    def set_value(self, value: str) -> None:
        if value in self._buttons:
            self._buttons[value].setChecked(True)

    def clear_value(self) -> None:
        """Show that no choice is selected."""
        self._group.setExclusive(False)
        for button in self._buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)

    def value(self) -> str:
        return next((v for v, button in self._buttons.items() if button.isChecked()), "")

    def set_options(self, choices: Options) -> None:
        """Set the texts of the same values in another language."""
        for value, text in choices:
            self._buttons[value].setText(text)

    def button(self, value: str) -> QPushButton:
        return self._buttons[value]

    def set_name(self, name: str) -> None:
        """Set the accessible name; each segment adds its own text to it."""
        self.setAccessibleName(name)
        for button in self._buttons.values():
            button.setAccessibleName(tr("{name}: {text}", name=name, text=button.text()))


class _SegmentButton(QPushButton):
    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        least = 64 - (2 * (_PADDING - _TIGHT_PADDING) if self.property("tight") else 0)
        return QSize(max(hint.width(), least), max(hint.height(), CONTROL_HEIGHT))


class _InputDelay(QTimer):
    """Passes a text to `tell` once the user pauses typing; never the same text twice."""

    def __init__(
        self, parent: QObject, value: Callable[[], str], tell: Callable[[str], object]
    ) -> None:
        super().__init__(parent, singleShot=True, interval=_INPUT_DELAY_MS)
        self._value = value
        self._tell = tell
        self._known = ""
        self.timeout.connect(self.flush)

    def take(self, text: str) -> None:
        """Set the known text without reporting it."""
        self.stop()
        self._known = text

    def refresh(self, text: str, show: Callable[[str], None]) -> None:
        """Call `show` with the known text, unless the user is typing: that text stays."""
        if self.isActive():
            self._known = text
        else:
            show(text)

    def flush(self) -> None:
        """Report a text that hasn't been reported yet at once."""
        self.stop()
        value = self._value()
        if value != self._known:
            self._known = value
            self._tell(value)


class ComboBox(QComboBox):
    """A list to choose from. Signals: `chosen(value)` when the user chose; if editable,
    `typed(text)` once the user paused or left. `picked_from_list`: the last choice was made in the
    open list; the arrow keys change the value without it, and must be able to continue.
    """

    chosen = Signal(str)
    typed = Signal(str)

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, editable: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._written = _InputDelay(self, self.value, self.typed.emit)
        self._label = PlainLabel()
        self._label.setBuddy(self)
        self._place_label()
        self.picked_from_list = False
        self.set_editable(editable)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(8)
        self.setMaxVisibleItems(14)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(self._activated)

    def set_editable(self, editable: bool) -> None:
        """Let the user type a value, or only choose one of the list. Set the options after it."""
        if editable == self.isEditable():
            return
        self.setEditable(editable)
        edit = self.lineEdit()
        if edit is not None:
            edit.textEdited.connect(lambda _: self._written.start())
            edit.editingFinished.connect(self._written.flush)

    def set_options(self, choices: Options) -> None:
        """Replace the list; the value is kept if it is in the new list (or can be typed)."""
        before = self.value()
        self.blockSignals(True)
        self.clear()
        for value, text in choices:
            self.addItem(text, value)
        self.blockSignals(False)
        self.set_value(before)

    def set_value(self, value: str) -> None:
        self._written.take(value)
        self.setCurrentIndex(self.findData(value))
        if self.isEditable():
            self.setEditText(value)
            edit = self.lineEdit()
            if edit is not None and not edit.hasFocus():
                edit.setCursorPosition(0)  # the beginning of a name distinguishes it

    def value(self) -> str:
        if self.isEditable():
            return self.currentText().strip()
        data = self.currentData()
        return "" if data is None else str(data)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def setAccessibleName(self, name: str) -> None:
        """Name it for screen readers. On Linux Qt reports the value as the name, and the name only
        as a label beside the list: it is a hidden one.
        """
        super().setAccessibleName(name)
        self._label.setText(name)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ParentChange:
            self._place_label()
        return super().event(event)

    def _place_label(self) -> None:
        parent = self.parentWidget()
        self._label.setParent(parent if parent is not None else self)
        self._label.hide()

    def showPopup(self) -> None:
        self.picked_from_list = True
        super().showPopup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.picked_from_list = False
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    @property
    def shows_whole_text(self) -> bool:
        """Whether the text of the current choice isn't elided."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option.currentText == self.currentText()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Elide a text that is too long: Qt would cut it."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        option.currentText = option.fontMetrics.elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, field.width() - 2
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            paint_chevron(self, painter, self._theme)

    def _activated(self, row: int) -> None:
        value = str(self.itemData(row))
        self.set_value(value)
        self.chosen.emit(value)


_STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
"""Reasons of a lost focus after which the user returns to the field: another window, or a menu."""


class TextEntry(QLineEdit):
    """One line of text. Signals: `typed(text)` when the user paused or left the field;
    `focus_left()` whenever they left it, unlike `editingFinished`, which is only emitted after a
    change.
    """

    typed = Signal(str)
    focus_left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._written = _InputDelay(self, self.value, self.typed.emit)
        self.textEdited.connect(lambda _: self._written.start())
        self.editingFinished.connect(self._written.flush)

    def set_value(self, text: str) -> None:
        """Replace the shown text."""
        self._written.take(text)
        if self.text() != text:
            self.setText(text)

    def refresh(self, text: str) -> None:
        """Show the known text unless the user is typing."""
        self._written.refresh(text, self.set_value)

    def value(self) -> str:
        return self.text().strip()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in _STAYS:
            self.focus_left.emit()


class MultiLineField(QPlainTextEdit):
    """A few lines of text. Emits `typed(text)` when the user leaves the field."""

    typed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setFixedHeight(76)
        self._emitted = ""

    def set_value(self, text: str) -> None:
        if not self.hasFocus():
            self._emitted = text
            self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.toPlainText() != self._emitted:
            self._emitted = self.toPlainText()
            self.typed.emit(self._emitted)


class TextArea(QPlainTextEdit):
    """A field of `lines` lines, with at most `longest` characters. Emits `typed(text)` when the
    user paused or left the field.
    """

    typed = Signal(str)

    def __init__(self, longest: int, lines: int) -> None:
        super().__init__()
        self._longest = longest
        self._lines = lines
        self._written = _InputDelay(self, self.value, self.typed.emit)
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._written.start)

    def set_value(self, text: str) -> None:
        """Replace the shown text."""
        if self.toPlainText().strip() != text:
            self.setPlainText(text)
        self._written.take(text)

    def refresh(self, text: str) -> None:
        """Show the known text unless the user is typing."""
        self._written.refresh(text, self.set_value)

    def value(self) -> str:
        return self.toPlainText().strip()[: self._longest]

    def flush(self) -> None:
        """Report a text that hasn't been reported yet."""
        self._written.flush()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * self._lines + 18)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.flush()


_GROUPED = 10_000
"""From this number on, digits are grouped."""


class LabeledSlider(QWidget):
    """A slider with its value beside it. Emits `moved(value)` while it is moved. Its values are the
    multiples of `step`, and `minimum` at the left end.
    """

    moved = Signal(float)

    def __init__(
        self,
        minimum: float,
        maximum: float,
        step: float,
        *,
        unit: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._minimum, self._step, self._unit = minimum, step, unit
        self._first = math.floor(round(minimum / step, 6)) * step
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, round((maximum - self._first) / step))
        self.slider.setPageStep(max(1, self.slider.maximum() // 10))
        self.slider.valueChanged.connect(self._show)
        self.slider.valueChanged.connect(lambda _: self.moved.emit(self.value()))
        self._shown = PlainLabel()
        self._shown.setMinimumWidth(56)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        line.addWidget(self.slider, 1)
        line.addWidget(self._shown)
        self._show()
        self.setFocusProxy(self.slider)

    def value(self) -> float:
        return max(self._minimum, round(self._first + self.slider.value() * self._step, 6))

    def set_value(self, value: float) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(round((value - self._first) / self._step))
        self.slider.blockSignals(False)
        self._show()

    def set_name(self, name: str) -> None:
        """Set the accessible name, and update the unit."""
        self.slider.setAccessibleName(name)
        self._show()

    def _show(self) -> None:
        value = self.value()
        if self._unit == "%":
            self._shown.setText(f"{value * 100:.0f} %")
        else:
            number = f"{value:,.0f}" if value >= _GROUPED else f"{value:g}"
            self._shown.setText(f"{number} {tr(self._unit)}".strip())


class _Slider(QSlider):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
