"""The settings page of the companion's initiative: how lively it is, when it starts a conversation,
and what it can detect on this computer.
"""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.settings.activity_settings import (
    LIVELINESS_PRESETS,
    LIVELINESS_SWITCHES,
    liveliness_of,
)
from neodeskpet.settings.setting_fields import SectionInfo, SettingInfo
from neodeskpet.ui.desktop.activity_detector import AvailableSenses
from neodeskpet.ui.settings.field_controls import HourControl
from neodeskpet.ui.settings.settings_page import FieldRow, SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import SegmentedControl
from neodeskpet.ui.widgets.labels import PlainLabel

_NAMES = (
    ("calm", N_("Calm")),
    ("normal", N_("Normal")),
    ("lively", N_("Lively")),
)
_NOTES = {
    "calm": N_("Stands still by itself, reacts half as often, and greets nobody."),
    "normal": N_("Stretches and yawns by the time of day, and greets you after a long break."),
    "lively": N_("Also walks a little, dances while music plays, and does more by itself."),
}


_CUSTOM = N_("Custom: you set its switches one by one. A choice here sets all four of them.")


def set_liveliness(settings: SettingsPort, preset: str) -> None:
    """Set the four switches. Raises SettingsError."""
    for switch, value in zip(LIVELINESS_SWITCHES, LIVELINESS_PRESETS[preset], strict=True):
        settings.change(*switch, value)


class LivelinessRow(SettingsRow):
    """One choice that sets four switches; it shows “Custom” if they match no preset."""

    def __init__(self, port: SettingsPort, theme: Theme) -> None:
        self._port = port
        self.choice = SegmentedControl(_NAMES)
        self.choice.chosen.connect(self._choose)
        words = (N_("Liveliness"), *(name for _, name in _NAMES), *_NOTES.values(), _CUSTOM)
        super().__init__(theme, self.choice, stack=search_text(words))
        self.retranslate()

    def setting_changed(self, section: str, name: str) -> None:
        if (section, name) in LIVELINESS_SWITCHES:
            self.refresh()

    def refresh(self) -> None:
        """Show the preset that the four switches match."""
        preset = liveliness_of(self._port.value)
        if preset is None:
            self.choice.clear_value()
        else:
            self.choice.set_value(preset)
        self.set_note(tr(_CUSTOM if preset is None else _NOTES[preset]))

    def retranslate(self) -> None:
        self.title.setText(tr("Liveliness"))
        self.choice.set_options([(value, tr(name)) for value, name in _NAMES])
        self.choice.set_name(tr("Liveliness"))
        self.refresh()

    def _choose(self, preset: str) -> None:
        try:
            set_liveliness(self._port, preset)
        except KnownError as error:
            self.refresh()
            self.set_error(format_error(error))
        else:
            self.set_error("")
            self.refresh()


class QuietHoursRow(FieldRow):
    """One row for the first and the last hour (`infos`) of a time of the day."""

    def __init__(
        self,
        section: SectionInfo,
        infos: tuple[SettingInfo, SettingInfo],
        port: SettingsPort,
        theme: Theme,
        companion_name: Callable[[], str],
    ) -> None:
        first, self._last_info = infos
        self.last = HourControl(self._last_info, theme)
        super().__init__(section, first, port, theme, companion_name, PlainLabel("–"), self.last)
        self.last.edited.connect(lambda value: self._store(self._last_info, value))

    def refresh(self) -> None:
        super().refresh()
        info = self._last_info
        self.last.show_value(self._port.value(info.section, info.name))

    def retranslate(self) -> None:
        super().retranslate()
        self.control.retranslate(tr("Quiet hours: from"))
        self.last.retranslate(tr("Quiet hours: until"))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.last.set_theme(theme)


class ProactivePage(SettingsPage):
    """The page. `senses` is what can be detected on this computer; the page says what can't be."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, senses: AvailableSenses, theme: Theme
    ) -> None:
        self._senses = senses
        super().__init__(section, port, theme)

    def build(self) -> None:
        self.liveliness = LivelinessRow(self.port, self.theme)
        self.add_row(self.liveliness)
        infos = {info.name: info for info in self.section.settings}
        first, last = infos.pop("quiet_from"), infos.pop("quiet_to")
        shown = [info for info in infos.values() if not info.folded]
        self.add_fields(shown)
        self.quiet_hours = QuietHoursRow(
            self.section, (first, last), self.port, self.theme, self._current_name
        )
        self.fields[first.name] = self.fields[last.name] = self.quiet_hours
        self.add_row(self.quiet_hours)
        self.add_fields([info for info in infos.values() if info.folded])
        self.noticed = PlainLabel()
        self.add_notice(self.noticed)
        self._show_senses()

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        self.liveliness.setting_changed(section, name)

    def retranslate(self) -> None:
        super().retranslate()
        self.liveliness.retranslate()
        self._show_senses()

    def _show_senses(self) -> None:
        senses = self._senses
        lines = []
        if not (senses.idle and senses.fullscreen):
            lines.append(
                tr(
                    "On this desktop I can't detect whether you type or use a full-screen "
                    "window, so I don't start conversations. You find my messages under "
                    "“Missed messages…” in the menu."
                )
            )
        if not senses.call:
            lines.append(tr("A call can't be noticed on this computer: switch Quiet on for it."))
        else:
            lines.append(tr("A microphone or camera in use counts as a call."))
        if not senses.shared:
            lines.append(
                tr("A shared screen can't be noticed on this computer: switch Quiet on for it.")
            )
        self.noticed.setText("\n".join(lines))
