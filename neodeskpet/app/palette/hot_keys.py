"""Hot keys as the settings have them: heard, carried out, and said where they can't be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neodeskpet.language import tr
from neodeskpet.settings.model import SECTIONS, setting_info
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.hotkeys.port import PROBLEM_TEXTS, HotKeyProblem, HotKeys

HOT_KEYS_SECTION = "keys"


class HotKeyController:
    """`deeds` by the setting's name; `tell_fault(setting, text)` shows what is wrong under it."""

    def __init__(
        self,
        settings: SettingsStore,
        port: HotKeys,
        deeds: Mapping[str, Callable[[], object]],
        tell_fault: Callable[[str, str], None],
    ) -> None:
        self._settings = settings
        self._port = port
        self._deeds = deeds
        self._tell_fault = tell_fault
        port.pressed.connect(self._run_action)
        port.rejected.connect(self._on_refused)
        self._unobserve = settings.subscribe(self._on_setting_changed)

    def start(self) -> None:
        """Hear what is set, from now on."""
        values = {
            name: str(self._settings.value(HOT_KEYS_SECTION, name)) for name in _HOT_KEY_NAMES
        }
        self._port.set_hot_keys(
            {
                name: (keys, tr(setting_info(HOT_KEYS_SECTION, name).title))
                for name, keys in values.items()
                if keys
            }
        )

    def close(self) -> None:
        self._unobserve()
        self._port.close()

    def _run_action(self, name: str) -> None:
        self._deeds[name]()

    def _on_refused(self, name: str, refusal: str) -> None:
        self._tell_fault(name, tr(PROBLEM_TEXTS[HotKeyProblem(refusal)]))

    def _on_setting_changed(self, section: str, _name: str, _value: object) -> None:
        if section == HOT_KEYS_SECTION:
            for name in _HOT_KEY_NAMES:
                self._tell_fault(name, "")
            self.start()


_HOT_KEY_NAMES = tuple(SECTIONS[HOT_KEYS_SECTION].model_fields)
