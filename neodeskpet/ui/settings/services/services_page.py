"""Which model the companion speaks through, and how it calls tools there."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import MODE_NAMES, MODE_NOTES
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.services.service_editor import SEARCH_TEXTS as SEARCHED
from neodeskpet.ui.settings.services.service_form import MODE_FIELD, OWN_FIELDS, ServiceForm
from neodeskpet.ui.settings.services.service_list import AddServiceRow, ServiceList
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import CatalogPort
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox, Options, SegmentedControl

_WORDS = (
    N_("Tool mode"),
    N_("Text format"),
    N_("Test"),
    *MODE_NAMES,
    *MODE_NAMES.values(),
    "dialect",
    "function calling",
)

_MORE = (N_("Thinking"), N_("Prices"), N_("Context"))


class ServicesPage(SettingsPage):
    """The form of a service, mode and dialect (which the tools' page has too), and what else the
    section holds. `dialects` are (value, English text) pairs; one alone is no choice.
    """

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        catalogue: CatalogPort,
        theme: Theme,
        *,
        dialects: Options = (),
    ) -> None:
        self._catalogue = catalogue
        self._dialects = dialects
        super().__init__(section, port, theme)

    def build(self) -> None:
        self.services = ServiceList(self._catalogue, self.theme)
        self.services.changed.connect(self._show_services)
        self.box.addWidget(self.services)
        self.form = ServiceForm(
            self.section, self.port, self._catalogue.endpoint(""), self.theme, self
        )
        self.form.proposal_taken.connect(self._open_first)
        for row in self.form.rows.values():
            self.add_row(row)
        stack = search_text((self.section.title, *_WORDS))
        self.mode = SegmentedControl(tuple(MODE_NAMES.items()))
        self.mode.chosen.connect(lambda value: self._change("mode", value))
        self._mode_row = SettingsRow(
            self.theme, self.mode, self.form.trial.button, stack=stack, stretch=None
        )
        self.add_row(self._mode_row)
        self.dialect = ComboBox(self.theme)
        self.dialect.chosen.connect(lambda value: self._change("dialect", value))
        self._dialect_row = SettingsRow(self.theme, self.dialect, stack=stack)
        self._dialect_row.set_relevant(len(self._dialects) > 1)
        self.add_row(self._dialect_row)
        self.more = QPushButton()
        self.more.clicked.connect(self._make_card)
        stack = search_text((self.section.title, *_MORE, *SEARCHED))
        self._more_row = SettingsRow(self.theme, self.more, QWidget(), stack=stack, stretch=1)
        self.add_row(self._more_row)
        self.box.addWidget(self.form.trial.report)
        self.box.addWidget(self.form.trial.proposal)
        self.box.addWidget(self.form.trial.undo)
        self.add = AddServiceRow(self._catalogue, self.theme)
        self.add.added.connect(self.services.open)
        self.add_row(self.add)
        self.add_fields([one for one in self.section.settings if one.name not in OWN_FIELDS])

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        self.form.setting_changed(section, name)
        if section == self.section.name:
            self._show_services()
        if section == MODE_FIELD:
            self._show_mode()

    def search(self, query: str) -> int:
        count = super().search(query) + self.services.search(query)
        trial = self.form.trial
        trial.report.setVisible(not query and bool(trial.report.findings()))
        trial.proposal.setVisible(not query and trial.proposal.offers)
        trial.undo.setVisible(not query and trial.undo.has_undo)
        return count

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.form.set_theme(theme)
        self.services.set_theme(theme)
        self.dialect.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.form.retranslate()
        self.services.retranslate()
        self.add.retranslate()
        self.dialect.set_options([(value, tr(text)) for value, text in self._dialects])
        self.dialect.setAccessibleName(tr("Text format"))
        self._dialect_row.set_texts(
            tr("Text format"), tr("How a model writes a call in text mode.")
        )
        self.mode.set_options([(mode, tr(name)) for mode, name in MODE_NAMES.items()])
        self.mode.set_name(tr("Tool mode"))
        self._mode_row.title.setText(tr("Tool mode"))
        self.more.setText(tr("Edit service…"))
        self._more_row.set_texts("", tr("Several models, thinking, prices, limits, headers."))
        self._show_mode()
        self._show_services()

    def set_narrow(self, narrow: bool) -> None:
        super().set_narrow(narrow)
        self.services.set_narrow(narrow)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catalogue.refresh()  # someone may have edited the file by hand

    async def aclose(self) -> None:
        await super().aclose()
        self.services.cancel()

    def _show_services(self) -> None:
        """One service is set up in the form; several have a card each."""
        several = self._catalogue.kept
        self.services.setVisible(several)
        self.form.set_shown(not several)
        above = self.services if several else self.form.trial.undo
        if self.box.indexOf(self.add) != self.box.indexOf(above) + 1:
            self.box.removeWidget(self.add)
            self.box.insertWidget(self.box.indexOf(above) + 1, self.add)
        own = bool(self._catalogue.catalog.endpoints) and not self._catalogue.outside
        self.add.set_relevant(several or own)
        self._more_row.set_relevant(own and not several)

    def _make_card(self) -> None:
        """The one service gets a card, which has room for all there is to set."""
        try:
            undo = self._catalogue.edit(lambda catalog: catalog)
        except KnownError as error:
            self._more_row.set_error(format_error(error))
            return
        self._open_first()
        self.services.undo.show_undo(tr("The service has a card of its own now."), undo)

    def _open_first(self) -> None:
        """What was noted of the one service made a card of it: it stays open."""
        if self._catalogue.kept:
            self.services.open(next(iter(self.services.cards), ""))

    def _show_mode(self) -> None:
        mode = str(self.port.value(MODE_FIELD, "mode"))
        self.mode.set_value(mode)
        self.dialect.set_value(str(self.port.value(MODE_FIELD, "dialect")))
        self._mode_row.set_note(tr(MODE_NOTES.get(mode, "")))

    def _change(self, name: str, value: str) -> None:
        try:
            self.port.change(MODE_FIELD, name, value)
        except KnownError as error:
            self._mode_row.set_error(format_error(error))
        else:
            self._mode_row.set_error("")
