"""The models of a service that are set up: lines with details, and a list to add one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unreachable
from neodeskpet.ui.settings.services.service_model_list import ServiceModelList
from neodeskpet.ui.settings.services.service_models import ServiceModels
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Service, Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path, two_services())


@pytest.fixture
def models(qtbot: QtBot, services: Services) -> ServiceModels:
    made = ServiceModels(services, "one", ServiceModelList(services, "one"), LIGHT)
    qtbot.addWidget(made)
    made.retranslate()
    made.refresh()
    services.subscribe(made.refresh)
    return made


def used(services: Services) -> list[str]:
    return [one.id for one in services.catalog.models if one.endpoint == "one"]


def test_it_shows_the_models_and_their_properties(
    models: ServiceModels, services: Services
) -> None:
    assert list(models.lines) == ["a", "b"]
    assert models.lines["a"].about.full_text() == "tools"
    models.add.chosen.emit(" gpt-4o ")
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


def test_an_impossible_name_is_reported(models: ServiceModels, services: Services) -> None:
    models.add.chosen.emit("simple")
    assert "name of a tier" in models.wrong.text()
    assert used(services) == ["a", "b"]
    models.add.chosen.emit("other")
    assert models.wrong.isHidden()


def test_the_list_offers_all_other_models_of_the_service(
    models: ServiceModels, services: Services
) -> None:
    service = services.ports.setdefault("one", Service())
    service.names = ["x-large", "b", "x-small"]

    async def scenario() -> None:
        models.add.click()
        await settle()
        assert [row.name for row in models.add.rows()] == ["x-large", "x-small"]
        assert models.add.picker is not None
        assert models.add.picker.note.text() == "3 models."
        models.add.chosen.emit("x-small")
        assert [row.name for row in models.add.rows()] == ["x-large"]
        assert used(services) == ["a", "b", "x-small"]
        models.add.picker.hide()

    play(scenario())


def test_a_service_without_a_list_has_a_reason(models: ServiceModels, services: Services) -> None:
    service = services.ports.setdefault("one", Service())
    service.fails = Unreachable("connection refused")
    service.names = []

    async def scenario() -> None:
        models.add.click()
        await settle()
        picker = models.add.picker
        assert picker is not None
        await until(lambda: "connection refused" in picker.note.text())
        assert picker.row_texts() == []
        picker.search.setText("my-model")
        assert picker.row_texts() == ["Use “my-model”"]
        picker.hide()

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
    models.set_service("one")
    assert line.facts is None
    line.remove.click()
    assert used(services) == ["b"]
    models.lines["b"].details.click()
    models.lines["b"].details.click()
    assert models.lines["b"].facts is None
