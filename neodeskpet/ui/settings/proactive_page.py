"""Speaking by itself: when, and what this computer lets it notice."""

from __future__ import annotations

from neodeskpet.language import tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.desktop.activity_detector import AvailableSenses
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel


class ProactivePage(SettingsPage):
    """`senses` is what can be noticed here: what can't is said plainly."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, senses: AvailableSenses, theme: Theme
    ) -> None:
        self._senses = senses
        super().__init__(section, port, theme)

    def build(self) -> None:
        super().build()
        self.noticed = PlainLabel()
        self.add_notice(self.noticed)
        self._show_senses()

    def retranslate(self) -> None:
        super().retranslate()
        self._show_senses()

    def _show_senses(self) -> None:
        senses = self._senses
        lines = []
        if not (senses.idle and senses.fullscreen):
            lines.append(
                tr(
                    "On this desktop I can't notice whether you type or look at a full screen, so "
                    "I say nothing by myself: what is worth reading waits under “What I wanted to "
                    "say…” in the menu."
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
