"""Which model the companion speaks through: preset, address, key, model, mode, and the test."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import say, tr
from neodeskpet.settings.look import SectionInfo
from neodeskpet.ui.settings.controls import Choice, Choices, Entry, Segments
from neodeskpet.ui.settings.fields import SettingsPort, haystack
from neodeskpet.ui.settings.key_row import KeyRow
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.ports import Finding, Proposal, ServicePort, Verdict
from neodeskpet.ui.settings.presets import (
    CUSTOM,
    OFFLINE,
    PRESETS,
    Preset,
    named,
    offered,
    preset_of,
)
from neodeskpet.ui.settings.report import ProposalBar, Report
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.theme import Theme

MODES = ("native", "text", "auto")
MODE_NOTES = {
    "native": N_("Tools travel in the service's own form. Stops and says so if it can't."),
    "text": N_("Tools travel in the text. Works with every model."),
    "auto": N_("Begins native; offers text mode if the service can't use tools."),
}
_TEXTS = {
    "preset": (N_("Preset"), N_("Service"), N_("Provider"), *(p.title for p in PRESETS)),
    "base_url": (N_("Address"), "base URL", "endpoint", "server"),
    "model": (N_("Model"), N_("Refresh"), "LLM"),
    "mode": (N_("Tool mode"), N_("Test"), "native", "text", "auto", "function calling"),
    "dialect": (N_("Text form"), "dialect"),
}
_MODE = "mode"
_OWN = ("protocol", "base_url", "model")


class ServicePage(Page):
    """Beside the section's own settings it shows mode and dialect, which the tools' page has too.
    `dialects` are (value, English text) pairs; the row is hidden when there is one only.
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
        protocol = next((s for s in section.settings if s.name == "protocol"), None)
        protocols = [value for value, _ in protocol.choices] if protocol else []
        self._presets = offered(protocols)
        self._custom = False
        self._work: dict[str, asyncio.Task[None]] = {}
        super().__init__(section, port, theme)
        self._connect()
        self._heard_all()

    def build(self) -> None:
        self.preset = Choice(self.theme)
        self.address = Entry()
        self.model = Choice(self.theme, editable=True)
        self.refresh = QPushButton()
        self.mode = Segments([(mode, mode) for mode in MODES])
        self.test = QPushButton()
        self.test.setProperty("primary", True)
        self.dialect = Choice(self.theme)
        self.key = KeyRow(self._service, self.theme)
        self._rows = {
            "preset": self._row("preset", self.preset),
            "base_url": self._row("base_url", self.address),
            "model": self._row("model", self.model, self.refresh),
            "mode": self._row("mode", self.mode, self.test, stretch=None),
            "dialect": self._row("dialect", self.dialect),
        }
        for name in ("preset", "base_url"):
            self.add_row(self._rows[name])
        self.add_row(self.key)
        for name in ("model", "mode", "dialect"):
            self.add_row(self._rows[name])
        self.report = Report(self.theme)
        self.proposal = ProposalBar(self.theme)
        for info in self.section.settings:
            if info.name not in _OWN:
                self.add_field(info)
        self.box.addWidget(self.report)
        self.box.addWidget(self.proposal)

    def heard(self, section: str, name: str) -> None:
        super().heard(section, name)
        if (section, name) == (self.section.name, "base_url"):
            self.address.set_value(self._value("base_url"))
        if section in (self.section.name, _MODE):
            self._show_values()

    def search(self, query: str) -> int:
        count = super().search(query)
        self.report.setVisible(not query and bool(self.report.findings()))
        return count

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for part in (self.preset, self.model, self.dialect, self.report, self.proposal):
            part.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.preset.set_choices([(preset.id, preset.words) for preset in self._presets])
        self.dialect.set_choices([(value, tr(text)) for value, text in self._dialects])
        for name, row in self._rows.items():
            title = tr(_TEXTS[name][0])
            row.set_texts(title)
            row.controls[0].setAccessibleName(title)
        self.mode.set_name(tr("Tool mode"))
        self.address.setPlaceholderText("https://…/v1")
        self._rows["dialect"].set_note(tr("How a model writes a call in text mode."))
        self.key.retranslate()
        self.report.retranslate()
        self.proposal.retranslate()
        self._show_work()
        self._show_values()

    def _row(self, name: str, *controls: QWidget, stretch: int | None = 0) -> Row:
        stack = haystack((self.section.title, *_TEXTS[name]))
        return Row(self.theme, *controls, stack=stack, stretch=stretch)

    def _connect(self) -> None:
        self.preset.chosen.connect(self._choose_preset)
        self.address.typed.connect(self._change_address)
        for signal in (self.model.chosen, self.model.typed):
            signal.connect(lambda name: self._change("model", name))
        self.dialect.chosen.connect(lambda value: self._change("dialect", value))
        self.mode.chosen.connect(lambda value: self._change("mode", value))
        self.refresh.clicked.connect(self.ask_models)
        self.test.clicked.connect(self.run_test)
        self.proposal.taken.connect(self._take)

    def _value(self, name: str) -> str:
        return str(self.port.value(self._section_of(name), name))

    def _section_of(self, name: str) -> str:
        return _MODE if name in ("mode", "dialect") else self.section.name

    def _preset(self) -> Preset:
        preset = preset_of(self._value("protocol"), self._value("base_url"))
        return named(CUSTOM) if self._custom and preset.id != OFFLINE else preset

    def _heard_all(self) -> None:
        self.address.set_value(self._value("base_url"))
        self._show_values()

    def _show_values(self) -> None:
        """All but the address: a wrong one that is being written stays."""
        self.preset.set_value(self._preset().id)
        self.model.set_value(self._value("model"))
        self.mode.set_value(self._value("mode"))
        self.dialect.set_value(self._value("dialect"))
        self._rows["mode"].set_note(tr(MODE_NOTES.get(self._value("mode"), "")))
        self._show_fitting()

    def _show_fitting(self) -> None:
        """Show the rows the chosen service has a use for."""
        preset = self._preset()
        for row in (self._rows["base_url"], self._rows["model"], self.key):
            row.set_wanted(preset.id != OFFLINE)
        if preset.id == OFFLINE:
            note = tr("Answers by rules, without a language model and without a network.")
        elif preset.keyless:
            note = tr("Runs on this computer; it needs no key.")
        else:
            note = ""
        self._rows["preset"].set_note(note)
        self._rows["dialect"].set_wanted(len(self._dialects) > 1)

    def _choose_preset(self, chosen: str) -> None:
        preset = named(chosen)
        self._stop("models")
        self._stop("test")
        self._custom = chosen == CUSTOM
        self._change("protocol", preset.protocol)
        if preset.base_url:
            self._change("base_url", preset.base_url)
        self.model.set_choices([])
        self.report.clear()
        self.proposal.show_proposal(None)
        self.key.refresh()
        self._heard_all()
        if self._custom:
            self.address.setFocus()

    def _change_address(self, address: str) -> None:
        if address and not address.lower().startswith(("http://", "https://")):
            wrong = tr("An address begins with http:// or https://.")
            self._rows["base_url"].set_wrong(wrong)
            return
        self._change("base_url", address)
        self.key.refresh()

    def _change(self, name: str, value: str) -> None:
        row = self._rows["preset" if name == "protocol" else name]
        try:
            self.port.change(self._section_of(name), name, value)
        except KnownError as error:
            row.set_wrong(" ".join(say(error)))
        else:
            row.set_wrong("")

    def _take(self, proposal: Proposal) -> None:
        self._change("mode", proposal.mode)
        if proposal.dialect:
            self._change("dialect", proposal.dialect)
        self._heard_all()

    def ask_models(self) -> None:
        """Ask the endpoint for its models, or stop asking."""
        if not self._stop("models"):
            self._start("models", self._list_models())

    def run_test(self) -> None:
        """Test the endpoint, or stop the test."""
        if not self._stop("test"):
            self._start("test", self._run_test())

    async def _list_models(self) -> None:
        row = self._rows["model"]
        row.set_wrong("")
        try:
            models = await self._service.models()
        except KnownError as error:
            row.set_wrong(" ".join(say(error)))
            return
        self.model.set_choices([(name, name) for name in models])
        row.set_note(tr("{count} models on offer.", count=str(len(models))))

    async def _run_test(self) -> None:
        self.report.clear()
        self.proposal.show_proposal(None)
        self.report.add(Finding("connection", N_("Connection"), Verdict.RUNNING))
        try:
            proposal = await self._service.test(self.report.add)
        except KnownError as error:
            what, hint = say(error)
            self.report.add(Finding("connection", N_("Connection"), Verdict.FAILED, what, hint))
            return
        self.proposal.show_proposal(proposal)

    def _start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = spawn(work, name=f"settings {name}")
        self._work[name] = task
        task.add_done_callback(lambda done: self._ended(name, done))
        self._show_work()

    def _stop(self, name: str) -> bool:
        """Cancel what runs under this name; False if nothing does."""
        task = self._work.pop(name, None)
        if task is None:
            return False
        task.cancel()
        self._show_work()
        return True

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        if self._work.get(name) is task:
            del self._work[name]
        if name == "test" and task.cancelled():
            self._mark_cancelled()
        self._show_work()

    def _mark_cancelled(self) -> None:
        for finding in self.report.findings():
            if finding.verdict is Verdict.RUNNING:
                self.report.add(Finding(finding.id, finding.title, Verdict.SKIPPED))

    def _show_work(self) -> None:
        asking, testing = "models" in self._work, "test" in self._work
        self.refresh.setText(tr("Stop") if asking else tr("Refresh"))
        self.refresh.setAccessibleName(
            tr("Stop asking for models") if asking else tr("Ask the service for its models")
        )
        self.test.setText(tr("Stop") if testing else tr("Test"))
        self.test.setAccessibleName(tr("Stop the test") if testing else tr("Test the service"))
