"""The test of a service: what it found, what it proposes, and the way back; and its row in a card,
where the model to test with is chosen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, translate_error
from neodeskpet.llm.catalog.catalog_editing import add_model
from neodeskpet.llm.catalog.known_models import known_model
from neodeskpet.ui.settings.services.endpoint_test_report import (
    EndpointTestReport,
    ProposalBar,
    taken_text,
)
from neodeskpet.ui.settings.settings_ports import (
    CatalogPort,
    EndpointPort,
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)
from neodeskpet.ui.settings.settings_row import SettingsRow, scroll_into_view
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox
from neodeskpet.ui.widgets.undo_bar import UndoBar


class EndpointTest(QObject):
    """`button` begins or stops it; `report`, `proposal` and `undo` tell what it came to. All are
    children of `parent`, which lays them out. `port` gives the service once it has a model.
    Signals: `settled()`, the proposal was taken; `refused(str)`, why it couldn't be.
    """

    proposal_taken = Signal()
    proposal_refused = Signal(str)

    def __init__(
        self, port: Callable[[], Awaitable[EndpointPort]], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._port = port
        self._tested: EndpointPort | None = None
        self._name = ""
        self._work = TaskRunner("test of a service", failed=self._fail, changed=self._show_work)
        self.button = QPushButton(parent)
        self.button.setProperty("primary", True)
        self.button.clicked.connect(lambda: self._work.toggle("test", self._run))
        self.report = EndpointTestReport(theme, parent)
        self.proposal = ProposalBar(theme, parent)
        self.proposal.taken.connect(self._take)
        self.undo = UndoBar(theme)
        self.undo.setParent(parent)

    def run(self) -> None:
        """Test the service, from the beginning if a test runs."""
        self._work.replace("test", self._run)

    def clear(self) -> None:
        """Stop, and forget what was found: it is about another service now."""
        self._work.cancel_all()
        self._forget()
        self._show_work()

    def discard_results(self) -> None:
        """Another key is kept: forget what was found. A test that runs has waited for the key."""
        if not self._work.busy():
            self.clear()

    def cancel(self) -> None:
        """Stop what runs: it goes."""
        self._work.cancel_all()

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
        self.report.add(
            EndpointTestFinding("connection", N_("Connection"), EndpointTestVerdict.RUNNING)
        )
        self._tested = await self._port()
        self.proposal.show_proposal(await self._tested.test(self._find))
        scroll_into_view(self.report if self.proposal.isHidden() else self.proposal)

    def _find(self, finding: EndpointTestFinding) -> None:
        self.report.add(finding)
        scroll_into_view(self.report)

    def _fail(self, error: KnownError) -> None:
        what, hint = translate_error(error)
        self._find(
            EndpointTestFinding(
                "connection", N_("Connection"), EndpointTestVerdict.FAILED, what, hint
            )
        )

    def _take(self, proposal: EndpointTestProposal) -> None:
        assert self._tested is not None
        try:
            undo = self._tested.take(proposal)
        except KnownError as error:
            self.proposal_refused.emit(format_error(error))
            return
        self.undo.show_undo(taken_text(proposal), undo)
        self.proposal_taken.emit()

    def _show_work(self) -> None:
        testing = self._work.busy()
        if not testing:
            for finding in self.report.findings():  # a stopped test leaves none that seems to run
                if finding.verdict is EndpointTestVerdict.RUNNING:
                    self.report.add(
                        EndpointTestFinding(finding.id, finding.title, EndpointTestVerdict.SKIPPED)
                    )
        self.button.setText(tr("Stop") if testing else tr("Test"))
        if testing:
            said = tr("Stop the test")
        else:
            said = tr("Test {name}", name=self._name) if self._name else tr("Test the service")
        self.button.setAccessibleName(said)


class EndpointTestRow(QWidget):
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
        self.model = ComboBox(theme)
        self.test = EndpointTest(self._endpoint, theme, self)
        self.test.set_name(name)
        self.row = SettingsRow(theme, self.model, self.test.button)
        self.test.proposal_taken.connect(partial(self.row.set_error, ""))
        self.test.proposal_refused.connect(self.row.set_error)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(12)
        for part in (self.row, self.test.report, self.test.proposal, self.test.undo):
            box.addWidget(part)

    def set_service(self, name: str) -> None:
        """The test is about the service of this name."""
        if name != self._name:
            self._name = name
            self.test.set_name(name)
            self.test.clear()

    def refresh(self) -> None:
        """Offer the models there are now."""
        names = [one.id for one in self._port.catalog.models if one.endpoint == self._name]
        before = self.model.value()
        self.model.set_options([(name, name) for name in names])
        talking = [name for name in names if not known_model(name).embedding]
        self.model.set_value(before if before in names else (talking or names or [""])[0])
        self.model.setEnabled(bool(names))

    def set_theme(self, theme: Theme) -> None:
        for part in (self.row, self.model, self.test):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self.row.set_texts(tr("Test"), tr("Asks about a dozen small questions."))
        self.model.setAccessibleName(tr("The model to test with"))
        self.test.retranslate()

    async def _endpoint(self) -> EndpointPort:
        await self._ready()
        if not self.model.value():
            offered = await self._port.endpoint(self._name).models()
            talking = [name for name in offered if not known_model(name).embedding]
            if talking:
                self._port.edit(lambda catalog: add_model(catalog, self._name, talking[0]))
                self.refresh()
        return self._port.endpoint(self._name, self.model.value())
