"""The form for an appointment: title, start, end, prompt, and the tools that it may use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT
from neodeskpet.language import tr
from neodeskpet.notebook.appointment import Appointment
from neodeskpet.ui.notebook.entry_forms import FormSheet
from neodeskpet.ui.theme import Theme, checkbox_rules
from neodeskpet.ui.widgets.labels import PlainLabel, tooltip_text

_ROWS = 4
_NAME = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """A tool to choose. `title` is English, for `tr`. `needs_approval`: it asks for permission, so
    a background prompt can't run it.
    """

    name: str
    title: str
    needs_approval: bool = False


class ToolChecklist(QListWidget):
    """A list of tools; ticked ones come first. A removed tool stays in the entry and is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(_toggle)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"QListWidget {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.control_radius}px; }}" + checkbox_rules("QListWidget", theme)
        )

    def set_tools(self, choices: Sequence[ToolChoice], ticked: Sequence[str]) -> None:
        """Show all tools, with these ticked."""
        self.clear()
        gone = [ToolChoice(name, name) for name in ticked if name not in {c.name for c in choices}]
        shown = sorted((*choices, *gone), key=lambda one: (one.name not in ticked, one.name))
        for one in shown:
            words = tr(one.title) if one.title else one.name
            item = QListWidgetItem(
                words if not one.needs_approval else tr("{tool} · asks first", tool=words)
            )
            item.setData(_NAME, one.name)
            note = tr("It asks for permission, so it can't run in the background.")
            words = f"{one.name}\n{note}" if one.needs_approval else one.name
            item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(words))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = one.name in ticked
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self.addItem(item)
        row = max(self.sizeHintForRow(0), self.fontMetrics().height())
        self.setFixedHeight(row * _ROWS + 2 * self.frameWidth())

    def checked_tools(self) -> tuple[str, ...]:
        """Return the names of the ticked tools."""
        items = [self.item(row) for row in range(self.count())]
        on = [item for item in items if item.checkState() is Qt.CheckState.Checked]
        return tuple(str(item.data(_NAME)) for item in on)


def _toggle(item: QListWidgetItem) -> None:
    on = item.checkState() is Qt.CheckState.Checked
    item.setCheckState(Qt.CheckState.Unchecked if on else Qt.CheckState.Checked)


_MAX_TITLE = 200
_MAX_PROMPT = 2_000


class AppointmentForm(QWidget):
    """The form. `choices` are the tools that may be ticked. `time_edited`: the text about the time
    may have changed.
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
        """Show the form for a new appointment, or for this one."""
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
        """Show the tools only if there is a prompt."""
        self.sheet.show_field(self.tools, bool(self.prompt.text().strip()))

    def has_changed_times(self) -> bool:
        """Return whether its times were changed."""
        one = self.appointment
        return one is None or self.when.text().strip() != one.said

    def show_readings(self, readings: Sequence[str], choose: Callable[[int], None]) -> None:
        """Show buttons for the meanings of an ambiguous time; none for ()."""
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
                self.until: tr("Until (optional)"),
                self.prompt: tr("What the companion should do (empty: only ring)"),
                self.tools: tr("Tools that it may use"),
            }
        )
        self.when.setPlaceholderText(tr("every Friday at 4pm, tomorrow 9:00"))
        self.until.setPlaceholderText("2026-12-31")
        self.prompt.setPlaceholderText(tr("Tell me the weather."))


def _choose_reading(choose: Callable[[int], None], number: int, _checked: bool = False) -> None:
    choose(number)
