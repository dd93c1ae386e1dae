"""The test of a service: one line with the result, the table of all steps, and a proposal.

The test starts by itself a moment after a change. A further change cancels it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, join_hint, tr, translate_error
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.services.endpoint_test_report import (
    EndpointTestReport,
    ProposalBar,
    taken_text,
    verdict_glyph,
)
from neodeskpet.ui.settings.settings_ports import (
    EndpointPort,
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)
from neodeskpet.ui.settings.settings_row import scroll_into_view
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar

AUTO_TEST_DELAY_MS = 1200
_ABILITIES = {
    "tools": N_("tools"),
    "thinking": N_("thinking"),
    "vision": N_("pictures"),
    "vectors": N_("vectors"),
}
_LAST = {
    EndpointTestVerdict.GOOD: N_("Worked in the last test"),
    EndpointTestVerdict.FAULT: N_("Worked with limits in the last test"),
    EndpointTestVerdict.FAILED: N_("Failed in the last test"),
}
_REPLY_STEPS = ("streaming", "whole", "vectors")


class EndpointTestRow(QWidget):
    """`prepare` gives the service once it can be tested. `may_test` says whether the service is
    complete; None: not known yet. `tested(verdict)` comes after each test; `proposal_taken()` when
    the user took the proposal.
    """

    tested = Signal(object)
    proposal_taken = Signal()

    def __init__(
        self,
        prepare: Callable[[], Awaitable[EndpointPort]],
        may_test: Callable[[], bool | None],
        theme: Theme,
    ) -> None:
        super().__init__()
        self._prepare = prepare
        self._may_test = may_test
        self._theme = theme
        self._name = ""
        self._last: EndpointTestVerdict | None = None
        self._service: EndpointPort | None = None
        self._work = TaskRunner("test of a service", failed=self._fail, changed=self._show_work)
        self.delay = QTimer(self, singleShot=True, interval=AUTO_TEST_DELAY_MS)
        self.delay.timeout.connect(self._start_if_complete)
        self.glyph = PlainLabel()
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.details = QPushButton()
        self.details.setCheckable(True)
        mark_as_fold(self.details)
        self.details.setProperty("quiet", True)
        self.details.toggled.connect(lambda _: self._show_report())
        self.button = QPushButton()
        self.button.clicked.connect(self._toggle)
        self.report = EndpointTestReport(theme)
        self.proposal = ProposalBar(theme)
        self.proposal.taken.connect(self._take)
        self.undo = UndoBar(theme)
        self.error_label = ErrorLabel()
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.glyph)
        line.addWidget(self.text, 1)
        line.addWidget(self.details)
        line.addWidget(self.button)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(line)
        for part in (self.error_label, self.report, self.proposal, self.undo):
            box.addWidget(part)
        self.set_theme(theme)

    def schedule(self) -> None:
        """The service was changed: forget the old result, and test it a moment later."""
        self.clear()
        self.delay.start()

    def run(self) -> None:
        """Test the service now, from the beginning if a test runs."""
        self.delay.stop()
        self._work.replace("test", self._run)

    def clear(self) -> None:
        """Stop, and forget the result: it is about another service or key."""
        self.cancel()
        self._last = None
        self._forget()
        self._show_work()

    def cancel(self) -> None:
        """Stop the test."""
        self.delay.stop()
        self._work.cancel_all()

    def set_service(self, name: str, last: EndpointTestVerdict | None) -> None:
        """Name the service in texts; `last` is the result of an earlier test."""
        self._name = name
        self._last = last
        self._show_work()

    @property
    def is_busy(self) -> bool:
        return self._work.busy()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for part in (self.report, self.proposal, self.undo):
            part.set_theme(theme)
        self.text.setFont(ui_font(theme, theme.small_px))
        self._show_work()

    def retranslate(self) -> None:
        for part in (self.report, self.proposal, self.undo):
            part.retranslate()
        self._show_work()

    def _toggle(self) -> None:
        if self._work.busy("test"):
            self._work.cancel_task("test")
        else:
            self.run()

    def _start_if_complete(self) -> None:
        if not self.isVisible():
            return
        complete = self._may_test()
        if complete is None:
            self.delay.start()
        elif complete:
            self.run()

    def _forget(self) -> None:
        self.undo.clear()
        self.report.clear()
        self.proposal.show_proposal(None)
        self.error_label.set_error("")

    async def _run(self) -> None:
        self._forget()
        self._find(EndpointTestFinding("connection", N_("Connection"), EndpointTestVerdict.RUNNING))
        self._service = await self._prepare()
        proposal = await self._service.test(self._find)
        if proposal is not None and self._service.is_needed(proposal):
            self.proposal.show_proposal(proposal)
            scroll_into_view(self.proposal)
        self._skip_unfinished()
        self.tested.emit(result_verdict(self.report.findings()))

    def _skip_unfinished(self) -> None:
        """No step runs any more."""
        for finding in self.report.findings():
            if finding.verdict is EndpointTestVerdict.RUNNING:
                self.report.add(
                    EndpointTestFinding(finding.id, finding.title, EndpointTestVerdict.SKIPPED)
                )

    def _find(self, finding: EndpointTestFinding) -> None:
        self.report.add(finding)
        self._show_report()
        self._show_text()

    def _fail(self, error: KnownError) -> None:
        what, hint = translate_error(error)
        self._find(
            EndpointTestFinding(
                "connection", N_("Connection"), EndpointTestVerdict.FAILED, what, hint
            )
        )
        self.tested.emit(EndpointTestVerdict.FAILED)

    def _take(self, proposal: EndpointTestProposal) -> None:
        assert self._service is not None
        try:
            undo = self._service.take(proposal)
        except KnownError as error:
            self.error_label.set_error(format_error(error))
            return
        self.undo.show_undo(taken_text(proposal), undo)
        self.proposal_taken.emit()

    def _show_work(self) -> None:
        testing = self._work.busy()
        if not testing:
            self._skip_unfinished()
        ever = self._last is not None or bool(self.report.findings())
        self.button.setText(tr("Stop") if testing else tr("Test again") if ever else tr("Test"))
        if testing:
            said = tr("Stop the test")
        else:
            said = tr("Test {name}", name=self._name) if self._name else tr("Test the service")
        self.button.setAccessibleName(said)
        self._show_report()
        self._show_text()

    def _show_report(self) -> None:
        some, opened = bool(self.report.findings()), self.details.isChecked()
        self.report.setVisible(some and opened)
        self.details.setVisible(some)
        self.details.setText(tr("Details"))
        self.details.setAccessibleName(tr("Show the steps of the test"))
        arrow = "chevron-down" if opened else "chevron-right"
        self.details.setIcon(icon(arrow, QColor(self._theme.muted), 16))

    def _show_text(self) -> None:
        findings = self.report.findings()
        if findings:
            verdict, text = result_verdict(findings), result_text(findings)
        elif self._last is not None:
            verdict, text = self._last, tr(_LAST[self._last])
        else:
            verdict, text = EndpointTestVerdict.SKIPPED, tr("Not tested yet")
        glyph, colour = verdict_glyph(verdict, self._theme)
        self.glyph.setText(glyph)
        for part in (self.glyph, self.text):
            part.setStyleSheet(f"color: {colour};")
        self.text.setText(text)


def result_verdict(findings: Sequence[EndpointTestFinding]) -> EndpointTestVerdict:
    """Return the result of all steps so far: whether replies arrive, and whether tools work."""
    verdicts = {one.id: one.verdict for one in findings}
    if EndpointTestVerdict.RUNNING in verdicts.values():
        return EndpointTestVerdict.RUNNING
    works = (EndpointTestVerdict.GOOD, EndpointTestVerdict.FAULT)
    replies = [verdicts[step] for step in _REPLY_STEPS if step in verdicts]
    if EndpointTestVerdict.FAILED in verdicts.values() and not any(v in works for v in replies):
        return EndpointTestVerdict.FAILED
    if not replies:
        return EndpointTestVerdict.SKIPPED
    tools = verdicts.get("tools", EndpointTestVerdict.GOOD)
    return (
        EndpointTestVerdict.GOOD
        if tools is EndpointTestVerdict.GOOD
        else (EndpointTestVerdict.FAULT)
    )


def result_text(findings: Sequence[EndpointTestFinding]) -> str:
    """Return the result in one line: what works; or what happened, and what to do."""
    match result_verdict(findings):
        case EndpointTestVerdict.RUNNING:
            return tr("Testing: {step}…", step=tr(findings[-1].title))
        case EndpointTestVerdict.FAILED:
            failed = next(one for one in findings if one.verdict is EndpointTestVerdict.FAILED)
            return join_hint(failed.text or tr("doesn't work"), failed.detail)
        case EndpointTestVerdict.SKIPPED:
            return tr("The test was stopped")
    good = {one.id for one in findings if one.verdict is EndpointTestVerdict.GOOD}
    able = [tr(text) for step, text in _ABILITIES.items() if step in good]
    if "tools" not in good and "forms" in good:
        able.insert(0, tr("tools in text mode"))
    elif any(one.id == "forms" and one.verdict is EndpointTestVerdict.FAULT for one in findings):
        able.insert(0, tr("without tools"))
    return " · ".join([tr("Works"), *able])
