"""The forms for a timer and a note."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT, parse_moment
from neodeskpet.language import tr
from neodeskpet.notebook.appointment import LOCAL_ZONE
from neodeskpet.notebook.notes import MOST_NOTE_CHARACTERS, Note
from neodeskpet.notebook.timers import Repeat, Timer
from neodeskpet.ui.formatting import format_repeat
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.accessible import describe
from neodeskpet.ui.widgets.controls import ComboBox
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel

_MAX_LABEL = 500


class FormSheet(QScrollArea):
    """Fields below their names, an error text, and two buttons. Enter in a line saves.

    Signals: `saved()`, `cancelled()`.
    """

    saved = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.save = QPushButton()
        self.save.setProperty("primary", True)
        self.cancel = QPushButton()
        self.error_label = ErrorLabel()
        self.save.clicked.connect(self.saved)
        self.cancel.clicked.connect(self.cancelled)
        self._names: dict[QWidget, PlainLabel] = {}
        self._tall = False
        inside = QWidget()
        inside.setObjectName("sheet")
        self._box = QVBoxLayout(inside)
        self._box.setContentsMargins(0, 0, 4, 0)
        self._box.setSpacing(6)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def add_field(self, field: QWidget, stretch: int = 0) -> None:
        name = self._names[field] = PlainLabel()
        name.setBuddy(field)
        self._box.addWidget(name)
        self._box.addWidget(field, stretch)
        self._tall = self._tall or stretch > 0
        if isinstance(field, QLineEdit):
            field.returnPressed.connect(self.saved)
        field.installEventFilter(self)

    def show_field(self, field: QWidget, wanted: bool) -> None:
        """Show or hide a field with its name."""
        for widget in (self._names[field], field):
            widget.setVisible(wanted)

    def add_unlabelled(self, widget: QWidget) -> None:
        """Add a widget without a name."""
        self._box.addWidget(widget)

    def add_buttons(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.save)
        line.addWidget(self.cancel)
        line.addStretch(1)
        self._box.addWidget(self.error_label)
        self._box.addLayout(line)
        self._box.addStretch(0 if self._tall else 1)

    def set_labels(self, names: Mapping[QWidget, str]) -> None:
        for field, text in names.items():
            self._names[field].setText(text)
            field.setAccessibleName(text)
        self.save.setText(tr("Save"))
        self.cancel.setText(tr("Cancel"))

    def show_error(self, text: str, field: QWidget) -> None:
        self.clear_error()
        self.error_label.set_error(text)
        describe(field, text)
        field.setFocus()
        # After the layout.
        QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(self.error_label))

    def clear_error(self) -> None:
        self.error_label.set_error("")
        for field in self._names:
            describe(field, "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.saved.emit()
                return True
        return super().eventFilter(watched, event)


class TimerForm(QWidget):
    """The label, the time and the repetition."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.sheet = FormSheet()
        self.label = QLineEdit()
        self.label.setMaxLength(_MAX_LABEL)
        self.when = QLineEdit()
        self.when.setMaxLength(LONGEST_TEXT)
        self.repeat = ComboBox(theme)
        self.timer: Timer | None = None
        self._written = ""
        for field in (self.label, self.when, self.repeat):
            self.sheet.add_field(field)
        self.sheet.add_buttons()
        _fill_with(self, self.sheet)

    def edit(self, timer: Timer | None) -> None:
        """Show the form for a new entry, or for this one."""
        self.timer = timer
        self.label.setText(timer.label if timer else "")
        self._written = f"{datetime.fromtimestamp(timer.due):%Y-%m-%d %H:%M}" if timer else ""
        self.when.setText(self._written)
        self.repeat.set_value((timer.repeat if timer else Repeat.ONCE).value)
        self.sheet.clear_error()
        self.label.setFocus()

    def parse(self, now: float) -> tuple[float, str, Repeat] | None:
        """Return time, label and repetition; None after showing an error."""
        label, repeat = self.label.text().strip(), Repeat(self.repeat.value())
        text = self.when.text().strip()
        if self.timer is not None and text == self._written and self.timer.due > now:
            return self.timer.due, label, repeat
        try:
            due = parse_moment(text, now, LOCAL_ZONE)
        except ValueError:
            self.sheet.show_error(
                tr(
                    "This is not a future time that can be understood. Try “10 min”, “17:30” "
                    "or “tomorrow 9:00”."
                ),
                self.when,
            )
            return None
        return due, label, repeat

    def retranslate(self) -> None:
        self.sheet.set_labels(
            {self.label: tr("What"), self.when: tr("When"), self.repeat: tr("How often")}
        )
        self.when.setPlaceholderText(tr("10 min, 17:30, tomorrow 9:00"))
        self.repeat.set_options([(one.value, format_repeat(one)) for one in Repeat])


class NoteForm(QWidget):
    """The text and the tags."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = FormSheet()
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(96)
        self.tags = QLineEdit()
        self.tags.setMaxLength(500)
        self.note: Note | None = None
        self.sheet.add_field(self.text, 1)
        self.sheet.add_field(self.tags)
        self.sheet.add_buttons()
        _fill_with(self, self.sheet)

    def edit(self, note: Note | None) -> None:
        """Show the form for a new entry, or for this one."""
        self.note = note
        self.text.setPlainText(note.text if note else "")
        self.tags.setText(", ".join(note.tags) if note else "")
        self.sheet.clear_error()
        self.text.setFocus()

    def parse(self) -> tuple[str, list[str]] | None:
        """Return the text and the tags; None after showing an error."""
        text = self.text.toPlainText().strip()
        if not text:
            self.sheet.show_error(tr("Enter a text."), self.text)
            return None
        if len(text) > MOST_NOTE_CHARACTERS:
            said = tr(
                "A note can have at most {count} characters.", count=f"{MOST_NOTE_CHARACTERS:,}"
            )
            self.sheet.show_error(said, self.text)
            return None
        tags = self.tags.text().replace("，", ",").replace("、", ",").split(",")
        return text, [tag.strip().lstrip("#") for tag in tags if tag.strip(" #")]

    def retranslate(self) -> None:
        self.sheet.set_labels({self.text: tr("Note"), self.tags: tr("Tags, separated by commas")})


def _fill_with(form: QWidget, sheet: FormSheet) -> None:
    box = QVBoxLayout(form)
    box.setContentsMargins(0, 0, 0, 0)
    box.addWidget(sheet)
