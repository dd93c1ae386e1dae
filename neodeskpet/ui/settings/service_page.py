"""Which model the companion speaks through: preset, address, key, model, mode, and the test."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import say, tr
from neodeskpet.ui.settings.controls import Choice, Entry, Segments
from neodeskpet.ui.settings.fields import Section, SettingsPort, haystack
from neodeskpet.ui.settings.key_row import KeyRow
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.ports import Finding, Preset, Proposal, ServicePort, Verdict
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
    "preset": (N_("Preset"), N_("Service"), N_("Provider"), "OpenAI", "Anthropic", "Gemini"),
    "address": (N_("Address"), N_("Base URL"), "URL", "endpoint"),
    "model": (N_("Model"), N_("Refresh"), "LLM"),
    "mode": (N_("Tool mode"), N_("Test"), "native", "text", "auto", "function calling"),
    "dialect": (N_("Dialect"), N_("How tools are written in text mode."), "TOOL_REQUEST"),
}


@dataclass(frozen=True, slots=True)
class ServicePaths:
    """Where the settings of the service lie."""

    preset: str = "service.preset"
    address: str = "service.base_url"
    model: str = "service.model"
    mode: str = "tools.mode"
    dialect: str = "tools.dialect"


class ServicePage(Page):
    """`guide_requested()` asks for the first-run guide again."""

    guide_requested = Signal()

    def __init__(
        self,
        section: Section,
        port: SettingsPort,
        service: ServicePort,
        theme: Theme,
        *,
        paths: ServicePaths | None = None,
        dialects: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._service = service
        self._paths = paths or ServicePaths()
        self._dialects = dialects
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
            "address": self._row("address", self.address),
            "model": self._row("model", self.model, self.refresh),
            "mode": self._row("mode", self.mode, self.test, stretch=None),
            "dialect": self._row("dialect", self.dialect),
        }
        for name in ("preset", "address"):
            self.add_row(self._rows[name])
        self.add_row(self.key)
        for name in ("model", "mode", "dialect"):
            self.add_row(self._rows[name])
        self.report = Report(self.theme)
        self.proposal = ProposalBar(self.theme)
        self.box.addWidget(self.report)
        self.box.addWidget(self.proposal)
        super().build()

    def heard(self, path: str) -> None:
        super().heard(path)
        if path in self._values():
            self._heard_all()

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
        self.preset.set_choices([(p.id, _title(p)) for p in self._service.presets()])
        self.dialect.set_choices([(value, tr(text)) for value, text in self._dialects])
        for name, row in self._rows.items():
            title = tr(_TEXTS[name][0])
            row.set_texts(title)
            row.controls[0].setAccessibleName(title)
        self.mode.set_name(tr("Tool mode"))
        self.address.setPlaceholderText("https://…/v1")
        self._rows["dialect"].set_note(tr("How tools are written in text mode."))
        self.key.retranslate()
        self.report.retranslate()
        self.proposal.retranslate()
        self._show_work()
        self._heard_all()

    def _row(self, name: str, *controls: QWidget, stretch: int | None = 0) -> Row:
        stack = haystack((self.section.title, *_TEXTS[name]))
        return Row(self.theme, *controls, stack=stack, stretch=stretch)

    def _connect(self) -> None:
        paths = self._paths
        self.preset.chosen.connect(self._choose_preset)
        self.address.typed.connect(self._change_address)
        for choice, path in ((self.model, paths.model), (self.dialect, paths.dialect)):
            choice.chosen.connect(lambda value, at=path: self._change(at, value))
            choice.typed.connect(lambda value, at=path: self._change(at, value))
        self.mode.chosen.connect(lambda value: self._change(paths.mode, value))
        self.refresh.clicked.connect(self.ask_models)
        self.test.clicked.connect(self.run_test)
        self.proposal.taken.connect(self._take)

    def _values(self) -> dict[str, str]:
        paths = self._paths
        named = (paths.preset, paths.address, paths.model, paths.mode, paths.dialect)
        return {path: str(self.port.value(path) or "") for path in named}

    def _heard_all(self) -> None:
        values, paths = self._values(), self._paths
        self.preset.set_value(values[paths.preset])
        self.address.set_value(values[paths.address])
        self.model.set_value(values[paths.model])
        self.mode.set_value(values[paths.mode])
        self.dialect.set_value(values[paths.dialect])
        self._rows["mode"].set_note(tr(MODE_NOTES.get(values[paths.mode], "")))
        self._show_fitting()

    def _preset(self) -> Preset | None:
        chosen = str(self.port.value(self._paths.preset) or "")
        return next((p for p in self._service.presets() if p.id == chosen), None)

    def _show_fitting(self) -> None:
        """Show the rows the chosen service has a use for."""
        preset = self._preset()
        offline = preset is not None and preset.offline
        for row in (self._rows["address"], self._rows["model"], self.key):
            row.set_wanted(not offline)
        if offline:
            self._rows["preset"].set_note(
                tr("Answers by rules, without a language model and without a network.")
            )
        elif preset is not None and preset.keyless:
            self._rows["preset"].set_note(tr("Runs on this computer; it needs no key."))
        else:
            self._rows["preset"].set_note("")
        self._rows["dialect"].set_wanted(bool(self._dialects))

    def _choose_preset(self, chosen: str) -> None:
        preset = next((p for p in self._service.presets() if p.id == chosen), None)
        self._stop("models")
        self._stop("test")
        self._change(self._paths.preset, chosen)
        if preset is not None and preset.base_url:
            self._change(self._paths.address, preset.base_url)
        self.model.set_choices([])
        self.report.clear()
        self.proposal.show_proposal(None)
        self.key.refresh()
        self._heard_all()

    def _change_address(self, address: str) -> None:
        row = self._rows["address"]
        if address and not address.lower().startswith(("http://", "https://")):
            row.set_wrong(tr("An address begins with http:// or https://."))
            return
        row.set_wrong("")
        self._change(self._paths.address, address)
        self.key.refresh()

    def _change(self, path: str, value: str) -> None:
        row = self._row_of(path)
        try:
            self.port.change(path, value)
        except ValueError as error:
            row.set_wrong(str(error))
        else:
            row.set_wrong("")

    def _row_of(self, path: str) -> Row:
        paths = self._paths
        return {
            paths.preset: self._rows["preset"],
            paths.address: self._rows["address"],
            paths.model: self._rows["model"],
            paths.mode: self._rows["mode"],
            paths.dialect: self._rows["dialect"],
        }[path]

    def _take(self, proposal: Proposal) -> None:
        self._change(self._paths.mode, proposal.mode)
        if proposal.dialect:
            self._change(self._paths.dialect, proposal.dialect)
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


def _title(preset: Preset) -> str:
    return tr(preset.title) if preset.words else preset.title
