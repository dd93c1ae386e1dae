"""The rows of all models: those that are set up, and those that services reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.core.errors import NotFound
from neodeskpet.ui.settings.services.service_model_list import (
    ServiceModelList,
    known_abilities,
    rows_of_all_services,
    service_of_model,
)
from tests.support.scenario import play, until
from tests.unit.ui.settings.doubles import Service, Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    made = Services(tmp_path, two_services())
    made.ports["two"] = Service()
    made.ports["two"].names = ["c", "d", "d"]
    return made


def test_models_that_are_set_up_come_first(services: Services) -> None:
    offered = ServiceModelList(services, "two")
    assert [(row.name, row.is_current) for row in offered.rows("c")] == [("c", True), ("d", False)]
    offered.set_service("one")
    assert [row.name for row in offered.rows()] == ["a", "b"]
    assert offered.note == ""
    assert known_abilities(services.catalog, "gone", "a") == ""


def test_a_service_without_a_list_asks_for_the_name(services: Services) -> None:
    services.ports["two"].fails = NotFound("Not Found")
    offered = ServiceModelList(services, "two")

    async def scenario() -> None:
        offered.ask()
        await until(lambda: offered.note.startswith("This address offers no list of models."))
        assert "Write the name of a model" in offered.note

    play(scenario())


def test_a_path_is_shown_as_the_name_of_the_file(services: Services) -> None:
    services.ports["two"].names = ["/models/tiny.gguf"]

    async def scenario() -> None:
        offered = ServiceModelList(services, "two")
        await offered.fetch()
        assert [(row.name, row.title) for row in offered.rows()][-1] == (
            "/models/tiny.gguf",
            "tiny.gguf",
        )

    play(scenario())


def test_all_services_are_listed_once_per_name(services: Services) -> None:
    rows = rows_of_all_services(services, leave_out=("b",))
    assert [(row.name, row.source) for row in rows] == [("a", "one"), ("c", "two"), ("d", "two")]


def test_a_typed_name_goes_to_a_service(services: Services) -> None:
    assert service_of_model(services, "d") == "two"
    assert service_of_model(services, "unheard") == "one"
