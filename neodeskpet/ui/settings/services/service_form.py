"""What it takes to connect a service: preset, address, key, model, and the test.

The page of the settings and the first-run guide lay the same rows out in their own way.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.services.endpoint_test import EndpointTest
from neodeskpet.ui.settings.services.key_row import KeyRow
from neodeskpet.ui.settings.services.service_presets import (
    OFFLINE,
    PRESETS,
    Preset,
    preset_of,
    presets_for,
)
from neodeskpet.ui.settings.settings_ports import EndpointPort, LocalModelServer
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox, TextEntry

OWN_FIELDS = ("protocol", "base_url", "model")
"""The settings of the section that this form edits."""
MODE_FIELD = "mode"
"""The section that holds mode and dialect."""

_TEXTS = {
    "preset": (N_("Preset"), N_("Service"), N_("Provider"), *(p.title for p in PRESETS)),
    "base_url": (N_("Address"), "base URL", "endpoint", "server"),
    "model": (N_("Model"), N_("Refresh"), "LLM"),
}


class ServiceForm(QObject):
    """The rows `preset`, `base_url`, `key` and `model` (in `rows`) and the `trial`; all are
    children of `parent`, which lays them out. `settled()`: the person took the test's proposal.
    """

    proposal_taken = Signal()

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        service: EndpointPort,
        theme: Theme,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._section = section
        self._port = port
        self._service = service
        protocols = [s.choices for s in section.settings if s.name == "protocol"]
        self._presets = presets_for([value for choices in protocols for value, _ in choices])
        self._custom = ""
        self._work = TaskRunner("service", failed=self._fail, changed=self._show_work)
        self.preset = ComboBox(theme)
        self.address = TextEntry()
        self.key = KeyRow(service, theme)
        self.model = ComboBox(theme, editable=True)
        self.refresh = QPushButton()
        self.trial = EndpointTest(self._ready, theme, parent)
        self._shown = True
        self.rows: dict[str, SettingsRow] = {
            "preset": self._row("preset", theme, self.preset),
            "base_url": self._row("base_url", theme, self.address),
            "key": self.key,
            "model": self._row("model", theme, self.model, self.refresh),
        }
        for row in self.rows.values():
            row.setParent(parent)
        self._connect()
        self.retranslate()
        self.address.set_value(self._value("base_url"))

    def setting_changed(self, section: str, name: str) -> None:
        """A setting changed, here or elsewhere."""
        if section != self._section.name:
            return
        if name == "base_url":
            self.address.set_value(self._value("base_url"))
        self._show_values()

    def set_shown(self, shown: bool) -> None:
        """Whether this form is the way to the service; with several services it isn't."""
        if shown != self._shown:
            self._shown = shown
            self._clear()
            self._show_values()

    def connect_to(self, server: LocalModelServer) -> None:
        """Take a server found on this computer and its first model, and test it."""
        self._custom = ""
        self._clear()
        self._change("protocol", "openai")
        self._change("base_url", server.base_url)
        self.model.set_options([(name, name) for name in server.models])
        if server.models and self._value("model") not in server.models:
            self._change("model", server.models[0])
        self.key.refresh()
        self.trial.run()

    def ask_models(self) -> None:
        """Ask the endpoint for its models, or stop asking."""
        self._work.toggle("models", self._list_models)

    def set_theme(self, theme: Theme) -> None:
        for part in (self.preset, self.model, self.trial):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self.preset.set_options([(p.id, p.words) for p in self._presets.values()])
        for name in _TEXTS:
            title = tr(_TEXTS[name][0])
            self.rows[name].title.setText(title)
            self.rows[name].controls[0].setAccessibleName(title)
        self.address.setPlaceholderText("https://…/v1")
        self.key.retranslate()
        self.trial.retranslate()
        self._show_work()
        self._show_values()

    def _row(self, name: str, theme: Theme, *controls: QWidget) -> SettingsRow:
        return SettingsRow(
            theme, *controls, stack=search_text((self._section.title, *_TEXTS[name]))
        )

    def _connect(self) -> None:
        self.preset.chosen.connect(self._choose_preset)
        self.address.typed.connect(self._change_address)
        for signal in (self.model.chosen, self.model.typed):
            signal.connect(self._choose_model)
        self.refresh.clicked.connect(self.ask_models)
        self.key.changed.connect(self.trial.discard_results)
        self.trial.proposal_taken.connect(self.proposal_taken)
        self.trial.proposal_refused.connect(self.rows["preset"].set_error)

    def _value(self, name: str) -> str:
        return str(self._port.value(self._section.name, name))

    def _preset(self) -> Preset:
        """A custom one that was chosen stays chosen, though the address may be a known one."""
        protocol = self._value("protocol")
        chosen = self._presets.get(self._custom)
        if chosen is not None and chosen.protocol == protocol:
            return chosen
        return preset_of(self._presets.values(), protocol, self._value("base_url"))

    def _show_values(self) -> None:
        """All but the address: a wrong one that is being written stays."""
        preset = self._preset()
        self.preset.set_value(preset.id)
        self.model.set_value(self._value("model"))
        self.rows["preset"].set_relevant(self._shown)
        connected = self._shown and preset.id != OFFLINE
        self.rows["base_url"].set_relevant(connected)
        addressed = connected and bool(self._value("base_url"))
        for name in ("key", "model"):
            self.rows[name].set_relevant(addressed)
        self.trial.button.setVisible(addressed)
        if preset.id == OFFLINE:
            note = tr("Answers by rules, without a language model and without a network.")
        elif preset.keyless:
            note = tr("Runs on this computer; it needs no key.")
        else:
            note = ""
        self.rows["preset"].set_note(note)
        for name in ("base_url", "model"):
            above = self._port.overridden(self._section.name, name)
            note = tr("Set from outside for this run; a change here ends that.") if above else ""
            self.rows[name].set_note(note)

    def _choose_preset(self, chosen: str) -> None:
        preset = self._presets[chosen]
        self._custom = chosen if preset.custom else ""
        self._clear()
        self._change("protocol", preset.protocol)
        if preset.base_url:
            self._change("base_url", preset.base_url)
        self.key.refresh()
        self._show_values()
        if self._custom and self.preset.picked_from_list:
            self.address.setFocus()

    def _clear(self) -> None:
        """What was learnt of the former service no longer holds."""
        self._work.cancel_all()
        self._show_work()
        self.trial.clear()
        self.model.set_options([])
        for row in self.rows.values():
            row.set_error("")

    def _change_address(self, address: str) -> None:
        if not _plausible(address):
            wrong = tr("An address looks like https://api.example.com/v1.")
            self.rows["base_url"].set_error(wrong)
            return
        self.trial.clear()
        self._change("base_url", address)
        self.key.refresh()

    def _choose_model(self, name: str) -> None:
        self.trial.clear()
        self._change("model", name)

    def _change(self, name: str, value: str) -> None:
        row = self.rows.get(name, self.rows["preset"])
        try:
            self._port.change(self._section.name, name, value)
        except KnownError as error:
            row.set_error(format_error(error))
        else:
            row.set_error("")

    async def _list_models(self) -> None:
        row = self.rows["model"]
        row.set_error("")
        await self.key.wait_until_saved()
        models = await self._service.models()
        self.model.set_options([(name, name) for name in models])
        row.set_note(
            tr_count(N_("{count} model on offer."), N_("{count} models on offer."), len(models))
        )

    def _fail(self, error: KnownError) -> None:
        self.rows["model"].set_error(format_error(error))

    async def _ready(self) -> EndpointPort:
        """A test needs a model: the first on offer, for the person to change; and the key that may
        just have been pasted.
        """
        await self.key.wait_until_saved()
        if not self._value("model"):
            await self._list_models()
            first = self.model.itemData(0)
            if first is not None:
                self._change("model", str(first))
        return self._service

    def _show_work(self) -> None:
        asking = self._work.busy()
        self.refresh.setText(tr("Stop") if asking else tr("Refresh"))
        self.refresh.setAccessibleName(
            tr("Stop asking for models") if asking else tr("Ask the service for its models")
        )


def _plausible(address: str) -> bool:
    """Without a scheme one is found for it; another scheme than HTTP's can't work."""
    scheme, found, rest = address.partition("://")
    if found and (scheme.lower() not in ("http", "https") or not rest):
        return False
    return not any(letter.isspace() for letter in address)
