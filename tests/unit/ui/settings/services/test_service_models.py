"""Which models of a service are used: ticked in the list of what it offers, or written."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unreachable
from neodeskpet.ui.settings.services.service_models import ServiceModels
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Service, Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path, two_services())


@pytest.fixture
def models(qtbot: QtBot, services: Services) -> ServiceModels:
    made = ServiceModels(services, "one", LIGHT)
    qtbot.addWidget(made)
    made.retranslate()
    made.refresh()
    services.subscribe(made.refresh)
    return made


def used(services: Services) -> list[str]:
    return [one.id for one in services.catalog.models if one.endpoint == "one"]


def test_shows_the_models_and_what_is_known(models: ServiceModels, services: Services) -> None:
    assert list(models.lines) == ["a", "b"]
    assert models.lines["a"].about.full_text() == "tools"
    models.written.setText(" gpt-4o ")
    models.add.click()
    assert used(services) == ["a", "b", "gpt-4o"]
    assert models.lines["gpt-4o"].about.full_text() == "128,000 tokens · tools · pictures"
    models.lines["a"].remove.click()
    models.lines["b"].remove.click()
    assert used(services) == ["gpt-4o"]
    assert services.catalog.tiers.complex == ("c",)
    assert models.none.isHidden()
    models.lines["gpt-4o"].remove.click()
    assert not models.none.isHidden()
    models.set_theme(DARK)


def test_what_can_t_be_a_model_is_said(models: ServiceModels, services: Services) -> None:
    models.written.setText("simple")
    models.add.click()
    assert "name of a tier" in models.wrong.text()
    assert used(services) == ["a", "b"]
    models.written.setText("other")
    models.add.click()
    assert models.wrong.isHidden()


def test_ticks_in_the_list_are_live_and_searchable(
    models: ServiceModels, services: Services
) -> None:
    service = services.ports.setdefault("one", Service())
    service.names = ["x-large", "b", "x-small"]

    async def scenario() -> None:
        models.choose.click()
        await settle()
        items = [models.list.item(row) for row in range(3)]
        shown = [item.text().partition("\n") for item in items]
        assert [name for name, _, _ in shown] == ["b", "x-large", "x-small"]
        assert all(known == "tools" for _, _, known in shown)
        assert items[0].checkState() is Qt.CheckState.Checked
        items[2].setCheckState(Qt.CheckState.Checked)
        assert used(services) == ["a", "b", "x-small"]
        items[0].setCheckState(Qt.CheckState.Unchecked)
        assert used(services) == ["a", "x-small"]
        models.search.setText("LARGE")
        assert [item.isHidden() for item in items] == [True, False, True]
        models.lines["x-small"].remove.click()
        assert items[2].checkState() is Qt.CheckState.Unchecked
        models.choose.click()
        assert models.picker.isHidden()
        models.choose.click()
        await settle()
        assert service.asked == ["models"], "what was asked is remembered"
        models.set_service("two")
        assert models.picker.isHidden()

    play(scenario())


def test_a_service_that_lists_nothing_says_why(models: ServiceModels, services: Services) -> None:
    service = services.ports.setdefault("one", Service())
    service.fails = Unreachable("connection refused")

    async def scenario() -> None:
        models.choose.click()
        await settle()
        assert "connection refused" in models.note.text()
        assert models.list.isHidden()
        models.cancel()

    play(scenario())


def test_details_open_under_the_line_and_follow_a_new_name(
    models: ServiceModels, services: Services
) -> None:
    line = models.lines["a"]
    line.details.click()
    assert line.facts is not None
    assert line.details.text() == "Close"
    models.set_narrow(True)
    models.set_theme(DARK)
    models.retranslate()
    line.facts.name.setText("alpha")
    line.facts.name.editingFinished.emit()
    assert list(models.lines) == ["alpha", "b"]
    assert line.title.full_text() == "alpha (a)"
    assert services.catalog.tiers.complex == ("alpha", "c")
    line.remove.click()
    assert used(services) == ["b"]
    models.lines["b"].details.click()
    models.lines["b"].details.click()
    assert models.lines["b"].facts is None
