"""The form in which the user edits the arguments of a tool call.

The fields come from the JSON Schema of the tool; an unchanged field keeps its exact value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

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

from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import read_json
from neodeskpet.core.unicode_text import has_hidden_chars, show_hidden_chars
from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, apply_window_theme, ui_font
from neodeskpet.ui.widgets.controls import ComboBox, controls_sheet
from neodeskpet.ui.widgets.labels import PlainLabel

_LINE_CHARS = 72
_MOST_CHOICES = 100
_DESCRIPTION_CHARS = 300

MISSING = object()


class FieldKind(StrEnum):
    """LINE and TEXT hold a plain string, the others JSON; each value of CHOICE is JSON too."""

    LINE = "line"
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    CHOICE = "choice"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ArgumentField:
    """`text` is the initial text of the field and `value` the value of the argument, MISSING if it
    isn't given. `choices` are the texts to choose from; "" means "not given".
    """

    name: str
    kind: FieldKind
    text: str
    value: object
    required: bool = False
    description: str = ""
    choices: tuple[str, ...] = ()


class InvalidFieldText(Exception):
    """The text of `field` can't be parsed; `reason` is an English N_ text."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


def argument_fields(
    schema: Mapping[str, object], arguments: Mapping[str, object]
) -> tuple[ArgumentField, ...]:
    """Return a field for each argument, those of the schema first."""
    properties = _mapping(schema.get("properties"))
    needed = schema.get("required")
    required = needed if isinstance(needed, list | tuple) else ()
    names = [*properties, *(name for name in arguments if name not in properties)]
    return tuple(
        _field(name, _mapping(properties.get(name)), arguments.get(name, MISSING), name in required)
        for name in names
    )


def parse_fields(fields: Sequence[ArgumentField], texts: Sequence[str]) -> dict[str, object]:
    """Return the arguments of the form. Raises InvalidFieldText."""
    read = {one.name: _read(one, text) for one, text in zip(fields, texts, strict=True)}
    return {name: value for name, value in read.items() if value is not MISSING}


def _field(name: str, schema: Mapping[str, object], value: object, required: bool) -> ArgumentField:
    about = show_hidden_chars(" ".join(str(schema.get("description", "")).split()))[
        :_DESCRIPTION_CHARS
    ]
    kind, choices = _kind(schema, value)
    if kind is FieldKind.CHOICE:
        choices = choices if required else ("", *choices)
        if value is not MISSING and _json(value) not in choices:
            choices = (*choices, _json(value))
    return ArgumentField(name, kind, _text(kind, value), value, required, about, choices)


def _kind(schema: Mapping[str, object], value: object) -> tuple[FieldKind, tuple[str, ...]]:
    options = schema.get("enum")
    if isinstance(options, list) and 0 < len(options) <= _MOST_CHOICES:
        return FieldKind.CHOICE, tuple(_json(option) for option in options)
    given = value is not MISSING
    match schema.get("type"):
        case "boolean" if not given or isinstance(value, bool):
            return FieldKind.CHOICE, ("true", "false")
        case "integer" if not given or (isinstance(value, int) and not isinstance(value, bool)):
            return FieldKind.INTEGER, ()
        case "number" if not given or _is_number(value):
            return FieldKind.NUMBER, ()
        case "string" if not given or isinstance(value, str):
            return _string_kind(cast("str", value) if given else ""), ()
        case _:
            return FieldKind.JSON, ()


def _string_kind(value: str) -> FieldKind:
    if has_hidden_chars(value):
        return FieldKind.JSON
    return (
        FieldKind.LINE
        if len(value) <= _LINE_CHARS and not set("\n\t") & set(value)
        else FieldKind.TEXT
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(kind: FieldKind, value: object) -> str:
    if value is MISSING:
        return ""
    if kind in (FieldKind.LINE, FieldKind.TEXT):
        return str(value)
    return _json(value, indent=2 if kind is FieldKind.JSON else None)


def _json(value: object, indent: int | None = None) -> str:
    flat = show_hidden_chars(json.dumps(value, ensure_ascii=False))
    if indent is None or len(flat) <= _LINE_CHARS:
        return flat
    return show_hidden_chars(json.dumps(value, ensure_ascii=False, indent=indent))


def _read(field: ArgumentField, text: str) -> object:
    if text == field.text:
        return field.value
    if not text.strip() and not field.required:
        return MISSING
    match field.kind:
        case FieldKind.LINE | FieldKind.TEXT:
            return text
        case FieldKind.INTEGER | FieldKind.NUMBER:
            return _read_number(field, text.strip())
        case _:
            try:
                return read_json(text, strict=True)
            except ValueError:
                raise InvalidFieldText(field.name, N_("This isn't valid JSON.")) from None


def _read_number(field: ArgumentField, text: str) -> float:
    try:
        if field.kind is FieldKind.INTEGER:
            return int(text)
        number = float(text)
    except ValueError:
        whole = field.kind is FieldKind.INTEGER
        reason = N_("Enter a whole number.") if whole else N_("Enter a number.")
        raise InvalidFieldText(field.name, reason) from None
    if not math.isfinite(number):
        raise InvalidFieldText(field.name, N_("Enter a number."))
    return int(text) if text.lstrip("+-").isdecimal() else number


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


MAX_HEIGHT = 380
_TEXT_LINES = 4


class ArgumentForm(QFrame):
    """A form with a heading, the fields and two buttons.

    Signals: `confirmed(arguments)` when the user wants to run the call, `cancelled()`.
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
        """Show an error, below its field if it belongs to one."""
        for label in (self.error_label, *self._faults.values()):
            label.hide()
        label = self._faults.get(field, self.error_label)
        label.setText(text)
        label.setVisible(bool(text))

    def errors(self) -> str:
        """Return all errors that are shown."""
        labels = (self.error_label, *self._faults.values())
        return " ".join(label.text() for label in labels if not label.isHidden())

    def texts(self) -> list[str]:
        return [_control_text(control) for control in self._controls]

    def control_for(self, name: str) -> QWidget:
        """Return the control of this argument. Raises StopIteration if there is none."""
        pairs = zip(self._fields, self._controls, strict=True)
        return next(control for field, control in pairs if field.name == name)

    def take_focus(self) -> None:
        (self._controls or [self.allow])[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def fit_width(self, width: int) -> int:
        """Set this width; return the height that the form needs then."""
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
        words = name if field.required else tr("{name} (optional)", name=name)
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
