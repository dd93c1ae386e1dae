"""The test of a service: what it found, what it proposes, and the way back; and its row in a card,
where the model to test with is chosen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, say, tr
from neodeskpet.llm.catalog.edit import add_model
from neodeskpet.llm.catalog.known_models import know
from neodeskpet.ui.settings.in_sight import bring_into_sight
from neodeskpet.ui.settings.ports import CatalogPort, EndpointPort, Finding, Proposal, Verdict
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.settings.service.report import ProposalBar, Report, taken_words
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import Choice
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.work import Work


class Trial(QObject):
    """`button` begins or stops it; `report`, `proposal` and `undo` tell what it came to. All are
    children of `parent`, which lays them out. `port` gives the service once it has a model.
    Signals: `settled()`, the proposal was taken; `refused(str)`, why it couldn't be.
    """

    settled = Signal()
    refused = Signal(str)

    def __init__(
        self, port: Callable[[], Awaitable[EndpointPort]], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._port = port
        self._tested: EndpointPort | None = None
        self._name = ""
        self._work = Work("test of a service", failed=self._fail, changed=self._show_work)
        self.button = QPushButton(parent)
        self.button.setProperty("primary", True)
        self.button.clicked.connect(lambda: self._work.toggle("test", self._run))
        self.report = Report(theme, parent)
        self.proposal = ProposalBar(theme, parent)
        self.proposal.taken.connect(self._take)
        self.undo = UndoBar(theme)
        self.undo.setParent(parent)

    def run(self) -> None:
        """Test the service, from the beginning if a test runs."""
        self._work.replace("test", self._run)

    def clear(self) -> None:
        """Stop, and forget what was found: it is about another service now."""
        self._work.cancel()
        self._forget()
        self._show_work()

    def outdate(self) -> None:
        """Another key is kept: forget what was found. A test that runs has waited for the key."""
        if not self._work.busy():
            self.clear()

    def cancel(self) -> None:
        """Stop what runs: it goes."""
        self._work.cancel()

    def set_name(self, name: str) -> None:
        """What the service is called; "" for the only one."""
        self._name = name
        self._show_work()

    def set_theme(self, theme: Theme) -> None:
        for part in (self.report, self.proposal, self.undo):
            part.set_theme(theme)

    def retranslate(self) -> None:
        for part in (self.report, self.proposal, self.undo):
            part.retranslate()
        self._show_work()

    def _forget(self) -> None:
        self.undo.clear()
        self.report.clear()
        self.proposal.show_proposal(None)

    async def _run(self) -> None:
        self._forget()
        self.report.add(Finding("connection", N_("Connection"), Verdict.RUNNING))
        self._tested = await self._port()
        self.proposal.show_proposal(await self._tested.test(self._find))
        bring_into_sight(self.report if self.proposal.isHidden() else self.proposal)

    def _find(self, finding: Finding) -> None:
        self.report.add(finding)
        bring_into_sight(self.report)

    def _fail(self, error: KnownError) -> None:
        what, hint = say(error)
        self._find(Finding("connection", N_("Connection"), Verdict.FAILED, what, hint))

    def _take(self, proposal: Proposal) -> None:
        assert self._tested is not None
        try:
            undo = self._tested.take(proposal)
        except KnownError as error:
            self.refused.emit(explain(error))
            return
        self.undo.offer(taken_words(proposal), undo)
        self.settled.emit()

    def _show_work(self) -> None:
        testing = self._work.busy()
        if not testing:
            for finding in self.report.findings():  # a stopped test leaves none that seems to run
                if finding.verdict is Verdict.RUNNING:
                    self.report.add(Finding(finding.id, finding.title, Verdict.SKIPPED))
        self.button.setText(tr("Stop") if testing else tr("Test"))
        if testing:
            said = tr("Stop the test")
        else:
            said = tr("Test {name}", name=self._name) if self._name else tr("Test the service")
        self.button.setAccessibleName(said)


class TrialRow(QWidget):
    """The test of a service of the catalogue. Without a model it takes the first on offer. What
    must be done before is waited for by `ready`.
    """

    def __init__(
        self, port: CatalogPort, name: str, theme: Theme, ready: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__()
        self._port = port
        self._ready = ready
        self._name = name
        self.model = Choice(theme)
        self.trial = Trial(self._endpoint, theme, self)
        self.trial.set_name(name)
        self.row = Row(theme, self.model, self.trial.button)
        self.trial.settled.connect(partial(self.row.set_wrong, ""))
        self.trial.refused.connect(self.row.set_wrong)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(12)
        for part in (self.row, self.trial.report, self.trial.proposal, self.trial.undo):
            box.addWidget(part)

    def serve(self, name: str) -> None:
        """The test is about the service of this name."""
        if name != self._name:
            self._name = name
            self.trial.set_name(name)
            self.trial.clear()

    def refresh(self) -> None:
        """Offer the models there are now."""
        names = [one.id for one in self._port.catalog.models if one.endpoint == self._name]
        before = self.model.value()
        self.model.set_choices([(name, name) for name in names])
        talking = [name for name in names if not know(name).embedding]
        self.model.set_value(before if before in names else (talking or names or [""])[0])
        self.model.setEnabled(bool(names))

    def set_theme(self, theme: Theme) -> None:
        for part in (self.row, self.model, self.trial):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self.row.set_texts(tr("Test"), tr("Asks about a dozen small questions."))
        self.model.setAccessibleName(tr("The model to test with"))
        self.trial.retranslate()

    async def _endpoint(self) -> EndpointPort:
        await self._ready()
        if not self.model.value():
            offered = await self._port.endpoint(self._name).models()
            talking = [name for name in offered if not know(name).embedding]
            if talking:
                self._port.edit(lambda catalog: add_model(catalog, self._name, talking[0]))
                self.refresh()
        return self._port.endpoint(self._name, self.model.value())
