"""The form in which an appointment is written: what, when, until when, and what is to be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from neodeskpet.appointments.appointment import Appointment
from neodeskpet.core.schedule.words.reading import LONGEST_TEXT
from neodeskpet.language import tr
from neodeskpet.ui.calendar.tools import ToolChecklist, ToolChoice
from neodeskpet.ui.notebook.form import FormSheet
from neodeskpet.ui.widgets.label import PlainLabel

_MAX_TITLE = 200
_MAX_PROMPT = 2_000


class AppointmentForm(QWidget):
    """`choices` are the tools that may be ticked. Signals: `written()`: what is said of the time
    may be another.
    """

    time_edited = Signal()

    def __init__(self, choices: Callable[[], Sequence[ToolChoice]] = tuple) -> None:
        super().__init__()
        self._choices = choices
        self.sheet = FormSheet()
        self.title = QLineEdit()
        self.title.setMaxLength(_MAX_TITLE)
        self.when = QLineEdit()
        self.when.setMaxLength(LONGEST_TEXT)
        self.until = QLineEdit()
        self.until.setMaxLength(LONGEST_TEXT)
        self.prompt = QLineEdit()
        self.prompt.setMaxLength(_MAX_PROMPT)
        self.tools = ToolChecklist()
        self.next = PlainLabel()
        self.next.setProperty("muted", True)
        self.next.setWordWrap(True)
        self.choices = QWidget()
        self._choice_box = QVBoxLayout(self.choices)
        self._choice_box.setContentsMargins(0, 0, 0, 0)
        self.appointment: Appointment | None = None
        for field in (self.title, self.when):
            self.sheet.add_field(field)
        self.sheet.add_unlabelled(self.next)
        self.sheet.add_unlabelled(self.choices)
        for field in (self.until, self.prompt):
            self.sheet.add_field(field)
        self.sheet.add_field(self.tools)
        self.prompt.textChanged.connect(lambda _text: self._show_tools())
        self.sheet.add_buttons()
        for field in (self.when, self.until):
            field.textEdited.connect(lambda _text: self.time_edited.emit())
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.sheet)

    def edit(self, one: Appointment | None) -> None:
        """Write a new one, or this one anew."""
        self.appointment = one
        self.title.setText(one.title if one else "")
        self.when.setText(one.said if one else "")
        self.until.setText("")
        self.prompt.setText(one.prompt if one else "")
        self.tools.set_tools(self._choices(), one.tools if one else ())
        self._show_tools()
        self.sheet.error_label.hide()
        self.next.setText("")
        self.show_readings((), lambda _number: None)
        self.title.setFocus()

    def _show_tools(self) -> None:
        """What only rings needs none."""
        self.sheet.show_field(self.tools, bool(self.prompt.text().strip()))

    def has_changed_times(self) -> bool:
        """Whether its times are to be others than they were."""
        one = self.appointment
        return one is None or self.when.text().strip() != one.said

    def show_readings(self, readings: Sequence[str], choose: Callable[[int], None]) -> None:
        """Buttons for what the time may mean; none for ()."""
        while (item := self._choice_box.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for number, words in enumerate(readings):
            button = QPushButton(words)
            button.clicked.connect(partial(_choose_reading, choose, number))
            self._choice_box.addWidget(button)
        self.choices.setVisible(bool(readings))

    def retranslate(self) -> None:
        self.sheet.set_labels(
            {
                self.title: tr("What"),
                self.when: tr("When"),
                self.until: tr("Until (may be empty)"),
                self.prompt: tr("What the companion is to do (empty: it rings)"),
                self.tools: tr("Tools it may use for that"),
            }
        )
        self.when.setPlaceholderText(tr("every Friday at 4pm, tomorrow 9:00"))
        self.until.setPlaceholderText("2026-12-31")
        self.prompt.setPlaceholderText(tr("Tell me the weather."))


def _choose_reading(choose: Callable[[int], None], number: int, _checked: bool = False) -> None:
    choose(number)
