from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unauthorized
from neodeskpet.llm.catalog.catalog_editing import remove_model
from neodeskpet.ui.settings.services.endpoint_test import EndpointTestRow
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Service, Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    made = Services(tmp_path, two_services())
    made.ports["one"] = Service()
    made.ports["two"] = Service()
    return made


@pytest.fixture
def row(qtbot: QtBot, services: Services) -> EndpointTestRow:
    made = EndpointTestRow(services, "one", LIGHT, _ready)
    qtbot.addWidget(made)
    made.retranslate()
    made.refresh()
    services.subscribe(made.refresh)
    return made


async def _ready() -> None:
    """Nothing is to be done before a test."""


def test_tests_with_the_chosen_model_and_takes_the_proposal(
    row: EndpointTestRow, services: Services
) -> None:
    service = services.ports["one"]
    service.proposal = EndpointTestProposal("auto", "All works.", "", "b", {"tools": True})
    service.findings = [EndpointTestFinding("connection", "Connection", EndpointTestVerdict.GOOD)]

    async def scenario() -> None:
        row.model.set_value("b")
        row.test.button.click()
        assert row.test.button.accessibleName() == "Stop the test"
        await settle()
        assert row.test.button.accessibleName() == "Test one"
        assert services.models_asked[-1] == "b"
        assert row.test.report.findings() == tuple(service.findings)
        row.test.proposal.take.click()
        assert service.taken == [service.proposal]
        assert "native tools" in row.test.undo.text.text()
        row.test.undo.button.click()
        assert service.taken == []

    play(scenario())


def test_without_a_model_the_first_on_offer_that_talks_is_taken(
    row: EndpointTestRow, services: Services
) -> None:
    services.ports["two"].names = ["text-embedding-3", "claude-x"]
    services.edit(lambda catalog: remove_model(catalog, "two", "c"))
    row.set_service("two")
    row.refresh()

    async def scenario() -> None:
        row.test.button.click()
        await settle()
        assert [one.id for one in services.catalog.models if one.endpoint == "two"] == ["claude-x"]
        assert services.models_asked[-1] == "claude-x"

    play(scenario())


def test_failures_are_said_and_a_stopped_test_leaves_nothing_running(
    row: EndpointTestRow, services: Services
) -> None:
    service = services.ports["one"]

    async def scenario() -> None:
        service.http_server = asyncio.Event()
        row.test.button.click()
        await settle()
        row.test.button.click()
        await settle()
        (stopped,) = row.test.report.findings()
        assert stopped.verdict is EndpointTestVerdict.SKIPPED
        service.http_server.set()
        service.fails = Unauthorized("bad key")
        row.test.button.click()
        await settle()
        (failed,) = row.test.report.findings()
        assert (failed.verdict, "bad key" in failed.text) == (EndpointTestVerdict.FAILED, True)
        service.fails = None
        service.proposal = EndpointTestProposal("auto", "x")
        row.test.button.click()
        await settle()
        service.fails = Unauthorized("bad key")
        row.test.proposal.take.click()
        assert "bad key" in row.row.error_label.text()
        row.set_theme(DARK)
        row.test.cancel()

    play(scenario())
