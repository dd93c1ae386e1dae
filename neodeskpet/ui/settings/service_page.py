"""Which model the companion speaks through, and how it calls tools there."""

from __future__ import annotations

from neodeskpet.core.errors import KnownError
from neodeskpet.core.modes import MODE_NAMES, MODE_NOTES
from neodeskpet.core.wording import N_
from neodeskpet.language import say, tr
from neodeskpet.settings.look import SectionInfo
from neodeskpet.ui.settings.controls import Choice, Choices, Segments
from neodeskpet.ui.settings.fields import SettingsPort, haystack
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.ports import ServicePort
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.settings.service_form import MODE, OWN, ServiceForm
from neodeskpet.ui.theme import Theme

_WORDS = (
    *(N_("Tool mode"), N_("Text form"), N_("Test")),
    *(*MODE_NAMES, *MODE_NAMES.values(), "dialect", "function calling"),
)


class ServicePage(Page):
    """The form of a service, mode and dialect (which the tools' page has too), and what else the
    section holds. `dialects` are (value, English text) pairs; one alone is no choice.
    """

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        service: ServicePort,
        theme: Theme,
        *,
        dialects: Choices = (),
    ) -> None:
        self._service = service
        self._dialects = dialects
        super().__init__(section, port, theme)

    def build(self) -> None:
        self.form = ServiceForm(self.section, self.port, self._service, self.theme, self)
        for row in self.form.rows.values():
            self.add_row(row)
        stack = haystack((self.section.title, *_WORDS))
        self.mode = Segments(tuple(MODE_NAMES.items()))
        self.mode.chosen.connect(lambda value: self._change("mode", value))
        self._mode_row = Row(self.theme, self.mode, self.form.test, stack=stack, stretch=None)
        self.add_row(self._mode_row)
        self.dialect = Choice(self.theme)
        self.dialect.chosen.connect(lambda value: self._change("dialect", value))
        self._dialect_row = Row(self.theme, self.dialect, stack=stack)
        self._dialect_row.set_wanted(len(self._dialects) > 1)
        self.add_row(self._dialect_row)
        self.box.addWidget(self.form.report)
        self.box.addWidget(self.form.proposal)
        self.box.addWidget(self.form.undo)
        for info in self.section.settings:
            if info.name not in OWN:
                self.add_field(info)

    def heard(self, section: str, name: str) -> None:
        super().heard(section, name)
        self.form.heard(section, name)
        if section == MODE:
            self._show_mode()

    def search(self, query: str) -> int:
        count = super().search(query)
        self.form.report.setVisible(not query and bool(self.form.report.findings()))
        return count

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.form.set_theme(theme)
        self.dialect.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.form.retranslate()
        self.dialect.set_choices([(value, tr(text)) for value, text in self._dialects])
        self.dialect.setAccessibleName(tr("Text form"))
        self._dialect_row.set_texts(tr("Text form"), tr("How a model writes a call in text mode."))
        self.mode.set_texts([(mode, tr(name)) for mode, name in MODE_NAMES.items()])
        self.mode.set_name(tr("Tool mode"))
        self._mode_row.title.setText(tr("Tool mode"))
        self._show_mode()

    def _show_mode(self) -> None:
        mode = str(self.port.value(MODE, "mode"))
        self.mode.set_value(mode)
        self.dialect.set_value(str(self.port.value(MODE, "dialect")))
        self._mode_row.set_note(tr(MODE_NOTES.get(mode, "")))

    def _change(self, name: str, value: str) -> None:
        try:
            self.port.change(MODE, name, value)
        except KnownError as error:
            self._mode_row.set_wrong(" ".join(say(error)))
        else:
            self._mode_row.set_wrong("")
