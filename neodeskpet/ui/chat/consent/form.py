"""The form in which the person edits what a call would do, before it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.visible import show_hidden_chars
from neodeskpet.language import tr
from neodeskpet.ui.chat.consent.fields import (
    ArgumentField,
    FieldKind,
    InvalidFieldText,
    parse_fields,
)
from neodeskpet.ui.theme import Theme, apply_window_theme, ui_font
from neodeskpet.ui.widgets.controls import ComboBox, controls_sheet
from neodeskpet.ui.widgets.label import PlainLabel

MAX_HEIGHT = 380
_TEXT_LINES = 4


class ArgumentForm(QFrame):
    """`confirmed(arguments)` tells what the person wants to run; `left()` that they don't edit.
    `heading` is what is asked; `words` are on the two buttons.
    """

    confirmed = Signal(object)
    cancelled = Signal()

    def __init__(
        self,
        fields: Sequence[ArgumentField],
        theme: Theme,
        parent: QWidget | None,
        *,
        heading: str = "",
        words: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._fields = fields
        self._theme = theme
        self._controls = [_control(field, theme) for field in fields]
        self._faults = {field.name: PlainLabel() for field in fields}
        self.error_label = PlainLabel()
        confirm, back = words or (tr("Allow once"), tr("Back"))
        self.heading = PlainLabel(heading)
        self.heading.setWordWrap(True)
        self.heading.setVisible(bool(heading))
        self.allow = QPushButton(confirm)
        self.allow.setProperty("primary", True)
        self.back = QPushButton(back)
        self._lay_out()
        self.allow.clicked.connect(self._confirm)
        self.back.clicked.connect(self.cancelled)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(self, theme, controls_sheet(theme))
        for control in self._controls:
            if isinstance(control, ComboBox):
                control.set_theme(theme)

    def show_error(self, text: str, field: str = "") -> None:
        """Say what is wrong, under its field if it is one's own."""
        for label in (self.error_label, *self._faults.values()):
            label.hide()
        label = self._faults.get(field, self.error_label)
        label.setText(text)
        label.setVisible(bool(text))

    def errors(self) -> str:
        """All that is said to be wrong now."""
        labels = (self.error_label, *self._faults.values())
        return " ".join(label.text() for label in labels if not label.isHidden())

    def texts(self) -> list[str]:
        return [_control_text(control) for control in self._controls]

    def control_for(self, name: str) -> QWidget:
        """The control of this argument. Raises StopIteration when there is none."""
        pairs = zip(self._fields, self._controls, strict=True)
        return next(control for field, control in pairs if field.name == name)

    def take_focus(self) -> None:
        (self._controls or [self.allow])[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def fit_width(self, width: int) -> int:
        """Take this width; the height that is wanted then."""
        self.setFixedWidth(width)
        inner = self._inner.layout()
        assert inner is not None
        inner.activate()
        wanted = inner.heightForWidth(width - 4) if inner.hasHeightForWidth() else -1
        tall = max(wanted, self._inner.sizeHint().height())
        return min(MAX_HEIGHT, tall + self._foot.sizeHint().height() + 12)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def _confirm(self) -> None:
        try:
            arguments: Mapping[str, object] = parse_fields(self._fields, self.texts())
        except InvalidFieldText as error:
            self.show_error(tr(error.reason), error.field)
            return
        self.show_error("")
        self.confirmed.emit(arguments)

    def _lay_out(self) -> None:
        self._inner = QWidget()
        rows = QVBoxLayout(self._inner)
        rows.setContentsMargins(0, 0, 6, 0)
        rows.setSpacing(4)
        rows.addWidget(self.heading)
        for field, control in zip(self._fields, self._controls, strict=True):
            rows.addWidget(self._heading(field))
            control.setAccessibleName(show_hidden_chars(field.name))
            rows.addWidget(control)
            fault = self._faults[field.name]
            fault.setProperty("failed", True)
            fault.setWordWrap(True)
            fault.hide()
            rows.addWidget(fault)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._inner)
        self._foot = QWidget()
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        self.error_label.setProperty("failed", True)
        self.error_label.setWordWrap(True)
        self.error_label.hide()
        foot.addWidget(self.error_label)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.allow)
        line.addWidget(self.back)
        line.addStretch()
        foot.addLayout(line)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(6)
        whole.addWidget(area, 1)
        whole.addWidget(self._foot)

    def _heading(self, field: ArgumentField) -> PlainLabel:
        name = show_hidden_chars(field.name)
        words = name if field.required else tr("{name} (may be left out)", name=name)
        label = PlainLabel(f"{words}: {field.description}" if field.description else words)
        label.setWordWrap(True)
        label.setProperty("muted", True)
        label.setFont(ui_font(self._theme, self._theme.small_px))
        return label


def _control(field: ArgumentField, theme: Theme) -> QWidget:
    if field.kind is FieldKind.CHOICE:
        choice = ComboBox(theme)
        choice.set_options([(one, _choice_text(one)) for one in field.choices])
        choice.set_value(field.text)
        return choice
    if field.kind in (FieldKind.TEXT, FieldKind.JSON):
        text = QPlainTextEdit()
        text.setTabChangesFocus(field.kind is FieldKind.JSON)
        lines = min(_TEXT_LINES * 2, max(_TEXT_LINES, field.text.count("\n") + 1))
        if field.kind is FieldKind.JSON and "\n" not in field.text:
            lines = 2
        text.setFixedHeight(lines * text.fontMetrics().lineSpacing() + 16)
        text.setPlainText(field.text)
        return text
    line = QLineEdit(field.text)
    line.setCursorPosition(0)
    return line


def _choice_text(value: str) -> str:
    words = {"": tr("(not given)"), "true": tr("yes"), "false": tr("no")}
    return words.get(value, value[1:-1] if value.startswith('"') else value)


def _control_text(control: QWidget) -> str:
    if isinstance(control, ComboBox):
        return control.value()
    if isinstance(control, QPlainTextEdit):
        return control.toPlainText()
    assert isinstance(control, QLineEdit)
    return control.text()
