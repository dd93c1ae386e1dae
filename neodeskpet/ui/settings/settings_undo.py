"""The line at the foot of the settings that undoes the last change, for some seconds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr, tr_count
from neodeskpet.settings.activity_settings import LIVELINESS_SWITCHES
from neodeskpet.settings.setting_fields import ControlKind
from neodeskpet.settings.settings_model import SECTIONS, setting_info
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.undo_bar import UndoBar

UNDO_MS = 8_000
EDITED_WITHOUT_ROW = frozenset(
    {
        "files.folders",
        "local.file",
        "mode.always_allowed",
        "mode.source_rules",
        "mode.tool_rules",
        "voice.input_device",
        "voice.output_device",
        "voice.voice",
    }
)
"""Settings without a generated row that the user changes in the settings window. The others are
changed by the program, or elsewhere.
"""
_Key = tuple[str, str]


class SettingsUndo(UndoBar):
    """Offers to undo the last change. Changes of one moment (a preset, a reset) are undone
    together, and so is a series of changes of one setting (a slider, typing).
    """

    def __init__(self, port: SettingsPort, theme: Theme, companion_name: Callable[[], str]) -> None:
        super().__init__(theme)
        self._port = port
        self._companion_name = companion_name
        self._values: dict[_Key, object] = {
            (section, name): port.value(section, name)
            for section, kind in SECTIONS.items()
            for name in kind.model_fields
            if _is_offered(section, name)
        }
        self._before: dict[_Key, object] = {}
        self._undoing = False
        self._moment = QTimer(self, interval=0, singleShot=True)
        self.timeout = QTimer(self, interval=UNDO_MS, singleShot=True)
        self.timeout.timeout.connect(self.clear)

    def setting_changed(self, section: str, name: str, *, visible: bool) -> None:
        """Remember the previous value. `visible`: the window is open, so the undo is offered."""
        key = (section, name)
        if key not in self._values:
            return
        before, self._values[key] = self._values[key], self._port.value(section, name)
        if self._undoing or not visible:
            return
        if not (self._moment.isActive() or (self.has_undo and self._before.keys() == {key})):
            self._before = {}
        self._before.setdefault(key, before)
        self._moment.start()
        self.timeout.start()
        self.show_undo(self._text(), self._restore)

    def _text(self) -> str:
        if len(self._before) > 1 and self._before.keys() <= set(LIVELINESS_SWITCHES):
            return tr("Changed: {title}", title=tr("Liveliness"))
        if len(self._before) == 1:
            [key] = self._before
            title = tr(setting_info(*key).title, name=self._companion_name())
            return tr("Changed: {title}", title=title)
        return tr_count(
            N_("{count} setting was changed."),
            N_("{count} settings were changed."),
            len(self._before),
        )

    def _restore(self) -> None:
        self.timeout.stop()
        before, self._before = self._before, {}
        self._undoing = True
        try:
            for (section, name), value in before.items():
                if value == setting_info(section, name).default:
                    self._port.reset(section, name)
                else:
                    self._port.change(section, name, value)
        finally:
            self._undoing = False


def _is_offered(section: str, name: str) -> bool:
    info = setting_info(section, name)
    return info.control is not ControlKind.HIDDEN or info.path in EDITED_WITHOUT_ROW
