"""The test of one service: with which model, what it found, and what it proposes."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import say, tr
from neodeskpet.llm.catalog.edit import add_model
from neodeskpet.llm.catalog.known_models import know
from neodeskpet.ui.settings.controls import Choice
from neodeskpet.ui.settings.ports import CatalogPort, Finding, Proposal, Verdict
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.settings.service.report import ProposalBar, Report, taken_words
from neodeskpet.ui.settings.undo_bar import UndoBar
from neodeskpet.ui.settings.work import Work
from neodeskpet.ui.theme import Theme


class ServiceTrial(QWidget):
    """A service without a model takes the first that it offers."""

    def __init__(self, port: CatalogPort, name: str, theme: Theme) -> None:
        super().__init__()
        self._port = port
        self._name = name
        self._work = Work(self._show_work)
        self.model = Choice(theme)
        self.button = QPushButton()
        self.button.setProperty("primary", True)
        self.button.clicked.connect(lambda: self._work.toggle("test", self._run))
        self.report = Report(theme)
        self.proposal = ProposalBar(theme)
        self.proposal.taken.connect(self._take)
        self.undo = UndoBar(theme)
        self._row = Row(theme, self.model, self.button)
        self.rows = (self._row,)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(12)
        for part in (self._row, self.report, self.proposal, self.undo):
            box.addWidget(part)

    def serve(self, name: str) -> None:
        """The test is about the service of this name."""
        if name != self._name:
            self._name = name
            self._work.cancel()
            self.report.clear()
            self.proposal.show_proposal(None)
            self._show_work()

    def refresh(self) -> None:
        """Offer the models there are now."""
        names = [one.id for one in self._port.catalog.models if one.endpoint == self._name]
        before = self.model.value()
        self.model.set_choices([(name, name) for name in names])
        talking = [name for name in names if not know(name).embedding]
        self.model.set_value(before if before in names else (talking or names or [""])[0])
        self.model.setEnabled(bool(names))

    def cancel(self) -> None:
        self._work.cancel()

    def set_theme(self, theme: Theme) -> None:
        for part in (self._row, self.model, self.report, self.proposal, self.undo):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self._row.set_texts(tr("Test"), tr("Asks about ten small questions."))
        self.model.setAccessibleName(tr("The model to test with"))
        self.report.retranslate()
        self.proposal.retranslate()
        self.undo.retranslate()
        self._show_work()

    async def _run(self) -> None:
        self.undo.clear()
        self.report.clear()
        self.proposal.show_proposal(None)
        self.report.add(Finding("connection", N_("Connection"), Verdict.RUNNING))
        try:
            if not self.model.value():
                await self._take_first()
            port = self._port.endpoint(self._name, self.model.value())
            self.proposal.show_proposal(await port.test(self.report.add))
        except KnownError as error:
            what, hint = say(error)
            failed = Finding("connection", N_("Connection"), Verdict.FAILED, what, hint)
            self.report.add(failed)

    async def _take_first(self) -> None:
        offered = await self._port.endpoint(self._name).models()
        talking = [name for name in offered if not know(name).embedding]
        if talking:
            self._port.edit(lambda catalog: add_model(catalog, self._name, talking[0]))
            self.refresh()

    def _take(self, proposal: Proposal) -> None:
        try:
            undo = self._port.endpoint(self._name, proposal.model).take(proposal)
        except KnownError as error:
            self._row.set_wrong(" ".join(say(error)))
            return
        self._row.set_wrong("")
        self.undo.offer(taken_words(proposal), undo)

    def _show_work(self) -> None:
        testing = self._work.running("test")
        if not testing:
            for finding in self.report.findings():
                if finding.verdict is Verdict.RUNNING:
                    self.report.add(Finding(finding.id, finding.title, Verdict.SKIPPED))
        self.button.setText(tr("Stop") if testing else tr("Test"))
        name = tr("Stop the test") if testing else tr("Test {name}", name=self._name)
        self.button.setAccessibleName(name)
