"""The result of a test in one line, its table, the proposal, and tests that start by themselves."""

from __future__ import annotations

import asyncio

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unauthorized
from neodeskpet.ui.settings.services.endpoint_test import (
    EndpointTestRow,
    result_text,
    result_verdict,
)
from neodeskpet.ui.settings.settings_ports import (
    EndpointPort,
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Service

GOOD, FAULT = EndpointTestVerdict.GOOD, EndpointTestVerdict.FAULT
FAILED, SKIPPED = EndpointTestVerdict.FAILED, EndpointTestVerdict.SKIPPED
RUNNING = EndpointTestVerdict.RUNNING


class Complete:
    """Whether the service may be tested."""

    def __init__(self) -> None:
        self.value: bool | None = True

    def __call__(self) -> bool | None:
        return self.value


@pytest.fixture
def service() -> Service:
    made = Service()
    made.findings = [
        EndpointTestFinding("connection", "Connection", GOOD),
        EndpointTestFinding("streaming", "Streaming", GOOD),
        EndpointTestFinding("tools", "Native tools", GOOD),
    ]
    return made


@pytest.fixture
def complete() -> Complete:
    return Complete()


@pytest.fixture
def row(qtbot: QtBot, service: Service, complete: Complete) -> EndpointTestRow:
    async def prepare() -> EndpointPort:
        return service

    made = EndpointTestRow(prepare, complete, LIGHT)
    made.delay.setInterval(0)
    qtbot.addWidget(made)
    made.set_service("one", None)
    made.retranslate()
    made.show()
    return made


def finding(step: str, verdict: EndpointTestVerdict, text: str = "") -> EndpointTestFinding:
    return EndpointTestFinding(step, step.title(), verdict, text)


def test_one_line_says_the_result_and_a_press_opens_the_table(
    row: EndpointTestRow, service: Service
) -> None:
    told: list[EndpointTestVerdict] = []
    row.tested.connect(told.append)

    async def scenario() -> None:
        assert row.text.text() == "Not tested yet"
        assert row.details.isHidden()
        row.button.click()
        assert row.button.accessibleName() == "Stop the test"
        await settle()
        assert row.text.text() == "Works · tools"
        assert (row.button.text(), row.button.accessibleName()) == ("Test again", "Test one")
        assert row.report.isHidden()
        row.details.click()
        assert not row.report.isHidden()
        assert told == [GOOD]
        row.set_theme(DARK)
        row.retranslate()

    play(scenario())


def test_the_result_of_an_earlier_test_is_shown(row: EndpointTestRow) -> None:
    row.set_service("one", FAILED)
    assert row.text.text() == "Failed in the last test"
    assert row.button.text() == "Test again"


def test_a_change_starts_a_test_and_the_next_change_cancels_it(
    row: EndpointTestRow, service: Service
) -> None:
    async def scenario() -> None:
        service.http_server = asyncio.Event()
        row.schedule()
        await until(lambda: service.asked == ["test"])
        row.schedule()
        assert not row.is_busy
        assert row.report.findings() == ()
        await until(lambda: service.asked == ["test", "test"])
        service.http_server.set()
        await until(lambda: row.text.text() == "Works · tools")
        row.clear()
        assert row.text.text() == "Not tested yet"

    play(scenario())


def test_an_incomplete_service_is_not_tested(
    row: EndpointTestRow, service: Service, complete: Complete
) -> None:
    async def scenario() -> None:
        complete.value = False
        row.schedule()
        await until(lambda: not row.delay.isActive())
        assert service.asked == []
        complete.value = None  # the key isn't known yet
        row.schedule()
        await settle()
        assert service.asked == []
        complete.value = True
        await until(lambda: service.asked == ["test"])
        await until(lambda: not row.is_busy)

    play(scenario())


def test_a_proposal_that_changes_something_can_be_taken_and_undone(
    row: EndpointTestRow, service: Service
) -> None:
    service.proposal = EndpointTestProposal("text", "Calls break.", "", "b", {"tools": False})
    taken: list[int] = []
    row.proposal_taken.connect(lambda: taken.append(1))

    async def scenario() -> None:
        row.run()
        await settle()
        row.proposal.take.click()
        assert (service.taken, taken) == ([service.proposal], [1])
        assert "native tools" in row.undo.text.text()
        row.undo.button.click()
        assert service.taken == []
        service.needed = False
        row.run()
        await settle()
        assert row.proposal.isHidden()

    play(scenario())


def test_failures_have_a_text_and_advice(row: EndpointTestRow, service: Service) -> None:
    async def scenario() -> None:
        service.findings = []
        service.fails = Unauthorized("bad key")
        row.button.click()
        await settle()
        assert "bad key" in row.text.text()
        assert "Enter a valid key in Settings › Models › Services." in row.text.text()
        service.fails = None
        service.proposal = EndpointTestProposal("text", "x")
        row.button.click()
        await settle()
        service.fails = Unauthorized("bad key")
        row.proposal.take.click()
        assert "bad key" in row.error_label.text()

    play(scenario())


def test_a_stopped_test_leaves_nothing_running(row: EndpointTestRow, service: Service) -> None:
    async def scenario() -> None:
        service.findings = []
        service.http_server = asyncio.Event()
        row.button.click()
        await settle()
        row.button.click()
        await settle()
        (stopped,) = row.report.findings()
        assert stopped.verdict is SKIPPED
        assert row.text.text() == "The test was stopped"

    play(scenario())


@pytest.mark.parametrize(
    ("findings", "verdict", "text"),
    [
        ([finding("connection", RUNNING)], RUNNING, "Testing: Connection…"),
        ([finding("connection", FAILED, "No."), finding("streaming", FAILED)], FAILED, "No."),
        ([finding("connection", FAILED), finding("streaming", GOOD)], GOOD, "Works"),
        ([finding("streaming", FAILED), finding("whole", GOOD)], GOOD, "Works"),
        ([finding("connection", GOOD), finding("vectors", GOOD)], GOOD, "Works · vectors"),
        (
            [finding("streaming", GOOD), finding("tools", FAILED), finding("forms", GOOD)],
            FAULT,
            "Works · tools in text mode",
        ),
        (
            [finding("streaming", GOOD), finding("tools", FAILED), finding("forms", FAULT)],
            FAULT,
            "Works · without tools",
        ),
    ],
)
def test_the_result_of_all_steps(
    findings: list[EndpointTestFinding], verdict: EndpointTestVerdict, text: str
) -> None:
    assert result_verdict(findings) is verdict
    assert result_text(findings) == text
