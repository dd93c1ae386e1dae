"""The controls of settings: each shows a value and reports changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.settings.setting_fields import ControlKind, SettingInfo
from neodeskpet.settings.settings_model import LONGEST_ABOUT
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.accessible import set_accessible_role
from neodeskpet.ui.widgets.controls import (
    LONG_WIDTH,
    MEDIUM_WIDTH,
    NUMBER_WIDTH,
    ComboBox,
    LabeledSlider,
    SegmentedControl,
    Switch,
    TextArea,
    TextEntry,
)

_PARAGRAPH_LINES = 3
_HOUR_WIDTH = 100
"""Room for “22:00” and the arrow of the list, at the default text size."""


class FieldControl(QWidget):
    """A control for a field. `edited(value)`: the user changed it. `row_width` is the width at the
    default text size, 0 for the control's own; `takes_line`: it has a line of its own.
    """

    edited = Signal(object)
    row_width = 0
    takes_line = False

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__()
        self.info = info
        self.line = QHBoxLayout(self)
        self.line.setContentsMargins(0, 0, 0, 0)
        self.line.setSpacing(8)

    def show_value(self, value: object) -> None:
        raise NotImplementedError

    def retranslate(self, title: str) -> None:
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Set the theme of painted controls; the others get the style sheet of the window."""


class SwitchControl(FieldControl):
    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.switch = Switch(theme)
        self.switch.clicked.connect(lambda on: self.edited.emit(bool(on)))
        self.line.addWidget(self.switch)

    def show_value(self, value: object) -> None:
        self.switch.setChecked(bool(value))

    def retranslate(self, title: str) -> None:
        self.switch.setAccessibleName(title)

    def set_theme(self, theme: Theme) -> None:
        self.switch.set_theme(theme)


class ComboBoxControl(FieldControl):
    row_width = MEDIUM_WIDTH

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.choice = ComboBox(theme)
        self.choice.chosen.connect(self.edited.emit)
        self.line.addWidget(self.choice)

    def show_value(self, value: object) -> None:
        self.choice.set_value(str(value))

    def retranslate(self, title: str) -> None:
        self.choice.set_options([(value, tr(text)) for value, text in self.info.choices])
        self.choice.setAccessibleName(title)

    def set_theme(self, theme: Theme) -> None:
        self.choice.set_theme(theme)


class SegmentedFieldControl(FieldControl):
    """A few choices side by side. The choices of a boolean setting are "true" and "false"; they
    are whole phrases, so they have a line of their own.
    """

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.takes_line = isinstance(info.default, bool)
        self.segments = SegmentedControl(info.choices)
        self.segments.chosen.connect(self._report)
        self.line.addWidget(self.segments)
        if self.takes_line:
            self.line.addStretch()

    def show_value(self, value: object) -> None:
        self.segments.set_value(str(value).lower() if isinstance(value, bool) else str(value))

    def _report(self, value: str) -> None:
        self.edited.emit(value == "true" if isinstance(self.info.default, bool) else value)

    def retranslate(self, title: str) -> None:
        self.segments.set_options([(value, tr(text)) for value, text in self.info.choices])
        self.segments.set_name(title)


class SliderControl(FieldControl):
    row_width = MEDIUM_WIDTH

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.scale = LabeledSlider(info.minimum, info.maximum, info.step, unit=info.unit)
        self.scale.moved.connect(self.edited.emit)
        self.line.addWidget(self.scale)

    def show_value(self, value: object) -> None:
        self.scale.set_value(float(str(value)))

    def retranslate(self, title: str) -> None:
        self.scale.set_name(title)


class HourControl(FieldControl):
    """An hour of the day, as a list of full hours."""

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.choice = ComboBox(theme)
        self.choice.setMinimumContentsLength(5)
        self.choice.set_options([(str(hour), f"{hour}:00") for hour in range(24)])
        self.choice.chosen.connect(lambda hour: self.edited.emit(int(hour)))
        self.line.addWidget(self.choice)
        self.set_theme(theme)

    def show_value(self, value: object) -> None:
        self.choice.set_value(str(value))

    def retranslate(self, title: str) -> None:
        self.choice.setAccessibleName(title)

    def set_theme(self, theme: Theme) -> None:
        self.choice.set_theme(theme)
        self.choice.setFixedWidth(scale_to_font(_HOUR_WIDTH, theme))


class TextControl(FieldControl):
    row_width = LONG_WIDTH

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        if isinstance(info.default, int):
            self.row_width = NUMBER_WIDTH
        self.entry = TextEntry()
        self.entry.typed.connect(self.edited.emit)
        self.line.addWidget(self.entry)

    def show_value(self, value: object) -> None:
        self.entry.set_value("" if value is None else str(value))

    def retranslate(self, title: str) -> None:
        self.entry.setAccessibleName(title)
        self.entry.setPlaceholderText(tr(self.info.placeholder))


class ParagraphControl(FieldControl):
    """A text of several lines, limited to the setting's length when it is entered."""

    takes_line = True

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.area = TextArea(LONGEST_ABOUT, _PARAGRAPH_LINES)
        self.area.typed.connect(self.edited.emit)
        self.line.addWidget(self.area)

    def show_value(self, value: object) -> None:
        self.area.refresh(str(value))

    def retranslate(self, title: str) -> None:
        self.area.setAccessibleName(title)
        self.area.setPlaceholderText(tr(self.info.placeholder))


class FolderControl(TextControl):
    """A path that can be typed or chosen. The file dialog does not block."""

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.button = QPushButton()
        self.button.clicked.connect(self._choose)
        self.line.addWidget(self.button)
        self._dialog: QFileDialog | None = None

    def retranslate(self, title: str) -> None:
        super().retranslate(title)
        self.button.setText(tr("Choose…"))
        self.button.setAccessibleName(tr("Choose a folder: {title}", title=title))

    def _choose(self) -> None:
        start = self.entry.value() or str(DialogFolders().start_folder(FolderKind.DOCUMENTS))
        dialog = QFileDialog(self, tr(self.info.title), start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._take)
        dialog.open()
        self._dialog = dialog

    def _take(self, path: str) -> None:
        self.entry.set_value(path)
        self.edited.emit(path)


class HotKeyControl(FieldControl):
    """A field that records a key combination, and a button that removes it."""

    row_width = LONG_WIDTH

    def __init__(self, info: SettingInfo, theme: Theme) -> None:
        super().__init__(info, theme)
        self.entry = QKeySequenceEdit()
        set_accessible_role(self.entry, QAccessible.Role.Grouping)
        self.entry.setMaximumSequenceLength(1)
        self.entry.editingFinished.connect(self._tell)
        self.button = QPushButton()
        self.button.setProperty("quiet", True)
        self.button.clicked.connect(self._remove)
        self.line.addWidget(self.entry, 1)
        self.line.addWidget(self.button)
        self._emitted = ""

    def show_value(self, value: object) -> None:
        self._emitted = str(value)
        self.entry.setKeySequence(QKeySequence(self._emitted))
        self.button.setEnabled(bool(self._emitted))

    def retranslate(self, title: str) -> None:
        self.entry.setAccessibleName(title)
        field = self.entry.findChild(QLineEdit)
        if field is not None:
            field.setAccessibleName(title)
            field.setPlaceholderText(tr("Press the keys"))
        self.button.setText(tr("Remove"))
        self.button.setAccessibleName(tr("Remove {name}", name=title))

    def _tell(self) -> None:
        keys = self.entry.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        if keys != self._emitted:
            self._emitted = keys
            self.edited.emit(keys)

    def _remove(self) -> None:
        self.edited.emit("")


CONTROLS: dict[ControlKind, Callable[[SettingInfo, Theme], FieldControl]] = {
    ControlKind.SWITCH: SwitchControl,
    ControlKind.CHOICE: ComboBoxControl,
    ControlKind.SEGMENTS: SegmentedFieldControl,
    ControlKind.SCALE: SliderControl,
    ControlKind.HOUR: HourControl,
    ControlKind.TEXT: TextControl,
    ControlKind.PARAGRAPH: ParagraphControl,
    ControlKind.FOLDER: FolderControl,
    ControlKind.KEYS: HotKeyControl,
}
