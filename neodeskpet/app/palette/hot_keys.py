"""Hot keys as the settings have them: heard, carried out, and said where they can't be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neodeskpet.language import tr
from neodeskpet.settings.model import SECTIONS, setting_info
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.hotkeys.port import REASONS, HotKeys, Refusal

SECTION = "keys"


class HotKeyJoint:
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
        port.pressed.connect(self._do)
        port.refused.connect(self._refused)
        self._unobserve = settings.observe(self._settled)

    def begin(self) -> None:
        """Hear what is set, from now on."""
        values = {name: str(self._settings.value(SECTION, name)) for name in _NAMES}
        self._port.grab(
            {
                name: (keys, tr(setting_info(SECTION, name).title))
                for name, keys in values.items()
                if keys
            }
        )

    def close(self) -> None:
        self._unobserve()
        self._port.close()

    def _do(self, name: str) -> None:
        self._deeds[name]()

    def _refused(self, name: str, refusal: str) -> None:
        self._tell_fault(name, tr(REASONS[Refusal(refusal)]))

    def _settled(self, section: str, _name: str, _value: object) -> None:
        if section == SECTION:
            for name in _NAMES:
                self._tell_fault(name, "")
            self.begin()


_NAMES = tuple(SECTIONS[SECTION].model_fields)
