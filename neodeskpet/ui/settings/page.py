"""A page of the settings, generated from a section's fields; every change is live."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.settings.controls import Choice, Entry, Scale, Segments, Switch
from neodeskpet.ui.settings.fields import (
    Field,
    Kind,
    Section,
    SettingsPort,
    searchable,
)
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.theme import Theme, ui_font

GAP = 12


class Page(QWidget):
    """The title, the description and the rows of `section`. `rows` maps a path to its row."""

    def __init__(self, section: Section, port: SettingsPort, theme: Theme) -> None:
        super().__init__()
        self.section = section
        self.port = port
        self.theme = theme
        self.heading = QLabel()
        self.about = QLabel()
        self.about.setWordWrap(True)
        self.about.setProperty("muted", True)
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(0, 0, 0, 24)
        self.box.setSpacing(GAP)
        self.box.addWidget(self.heading)
        self.box.addWidget(self.about)
        self.rows: list[Row] = []
        self.fields: dict[str, FieldRow] = {}
        self.build()

    def build(self) -> None:
        """Make the rows. A page with more than its fields extends this."""
        for field in self.section.fields:
            self.add_field(field)

    def add_field(self, field: Field) -> FieldRow:
        row = FieldRow(self.section, field, self.port, self.theme)
        self.fields[field.path] = row
        self.add_row(row)
        return row

    def add_row(self, row: Row) -> None:
        self.rows.append(row)
        self.box.addWidget(row)

    def heard(self, path: str) -> None:
        """A setting changed, here or elsewhere."""
        row = self.fields.get(path)
        if row is not None:
            row.refresh()

    def search(self, query: str) -> int:
        """Show the rows that match (all for an empty query); how many they are."""
        count = sum(row.search(query) for row in self.rows)
        self.about.setVisible(not query and bool(self.about.text()))
        return count

    def set_narrow(self, narrow: bool) -> None:
        for row in self.rows:
            row.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.heading.setFont(ui_font(theme, theme.heading_px, bold=True))
        for row in self.rows:
            row.set_theme(theme)

    def retranslate(self) -> None:
        self.heading.setText(tr(self.section.title))
        self.about.setText(tr(self.section.description))
        self.about.setVisible(bool(self.section.description))
        for row in self.fields.values():
            row.retranslate()


class FieldRow(Row):
    """The row of one field, bound to the live settings."""

    def __init__(self, section: Section, field: Field, port: SettingsPort, theme: Theme) -> None:
        self.field = field
        self._port = port
        self.control = _CONTROLS[field.kind](field, theme)
        super().__init__(theme, self.control, stack=searchable(section, field))
        self.control.edited.connect(self._change)
        self.retranslate()
        self.refresh()

    def refresh(self) -> None:
        """Show the present value."""
        self.control.show_value(self._port.value(self.field.path))
        self.set_wrong("")

    def retranslate(self) -> None:
        self.set_texts(tr(self.field.title), tr(self.field.description))
        self.control.retranslate(tr(self.field.title))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.control.set_theme(theme)

    def _change(self, value: object) -> None:
        try:
            self._port.change(self.field.path, value)
        except ValueError as error:
            self.set_wrong(str(error))
        else:
            self.set_wrong("")


class Control(QWidget):
    """A control bound to a field: `show_value` puts a value in, `edited(value)` tells a change."""

    edited = Signal(object)

    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__()
        self.field = field
        self.line = QHBoxLayout(self)
        self.line.setContentsMargins(0, 0, 0, 0)
        self.line.setSpacing(8)

    def show_value(self, value: object) -> None:
        raise NotImplementedError

    def retranslate(self, title: str) -> None:
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """The style sheet of the window reaches the controls; painted ones take the theme here."""


class SwitchControl(Control):
    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__(field, theme)
        self.switch = Switch(theme)
        self.switch.clicked.connect(lambda on: self.edited.emit(bool(on)))
        self.line.addWidget(self.switch, 0, Qt.AlignmentFlag.AlignLeft)
        self.line.addStretch()
        self.setMinimumHeight(34)

    def show_value(self, value: object) -> None:
        self.switch.setChecked(bool(value))

    def retranslate(self, title: str) -> None:
        self.switch.setAccessibleName(title)

    def set_theme(self, theme: Theme) -> None:
        self.switch.set_theme(theme)


class ChoiceControl(Control):
    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__(field, theme)
        self.choice = Choice(theme)
        self.choice.chosen.connect(self.edited.emit)
        self.line.addWidget(self.choice)

    def show_value(self, value: object) -> None:
        self.choice.set_value(str(value))

    def retranslate(self, title: str) -> None:
        self.choice.set_choices([(value, tr(text)) for value, text in self.field.choices])
        self.choice.setAccessibleName(title)

    def set_theme(self, theme: Theme) -> None:
        self.choice.set_theme(theme)


class SegmentsControl(Control):
    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__(field, theme)
        self.segments = Segments(field.choices)
        self.segments.chosen.connect(self.edited.emit)
        self.line.addWidget(self.segments, 0, Qt.AlignmentFlag.AlignLeft)
        self.line.addStretch()

    def show_value(self, value: object) -> None:
        self.segments.set_value(str(value))

    def retranslate(self, title: str) -> None:
        self.segments.set_texts([(value, tr(text)) for value, text in self.field.choices])
        self.segments.set_name(title)


class ScaleControl(Control):
    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__(field, theme)
        self.scale = Scale(field.minimum, field.maximum, field.step, unit=field.unit)
        self.scale.moved.connect(self.edited.emit)
        self.line.addWidget(self.scale)

    def show_value(self, value: object) -> None:
        self.scale.set_value(float(str(value)))

    def retranslate(self, title: str) -> None:
        self.scale.set_name(title)


class TextControl(Control):
    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__(field, theme)
        self.entry = Entry()
        self.entry.typed.connect(self.edited.emit)
        self.line.addWidget(self.entry)

    def show_value(self, value: object) -> None:
        self.entry.set_value("" if value is None else str(value))

    def retranslate(self, title: str) -> None:
        self.entry.setAccessibleName(title)
        self.entry.setPlaceholderText(tr(self.field.placeholder))


class FolderControl(TextControl):
    """A path that can be written or chosen; the chooser opens without blocking."""

    def __init__(self, field: Field, theme: Theme) -> None:
        super().__init__(field, theme)
        self.button = QPushButton()
        self.button.clicked.connect(self._choose)
        self.line.addWidget(self.button)
        self._dialog: QFileDialog | None = None

    def retranslate(self, title: str) -> None:
        super().retranslate(title)
        self.button.setText(tr("Choose…"))
        self.button.setAccessibleName(tr("Choose a folder: {title}", title=title))

    def _choose(self) -> None:
        dialog = QFileDialog(self, tr(self.field.title), self.entry.value())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._take)
        dialog.open()
        self._dialog = dialog

    def _take(self, path: str) -> None:
        self.entry.set_value(path)
        self.edited.emit(path)


_CONTROLS: dict[Kind, Callable[[Field, Theme], Control]] = {
    Kind.SWITCH: SwitchControl,
    Kind.CHOICE: ChoiceControl,
    Kind.SEGMENTS: SegmentsControl,
    Kind.SCALE: ScaleControl,
    Kind.TEXT: TextControl,
    Kind.FOLDER: FolderControl,
}
