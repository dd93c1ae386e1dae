"""The models that services reported: stored by address, offered if they are not set up."""

from __future__ import annotations

import asyncio

from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, ModelEntry
from neodeskpet.llm.catalog.reported_models import ReportedModels, with_reported_models


class State:
    def __init__(self, kept: str | None = None) -> None:
        self.kept = kept

    async def get_state(self, key: str) -> str | None:
        return self.kept

    async def set_state(self, key: str, value: str | None) -> None:
        self.kept = value


def test_they_are_stored_by_address() -> None:
    async def scene() -> None:
        state = State()
        await ReportedModels(state).update("http://one", ["a", "b"])
        again = ReportedModels(state)
        assert again.get("http://one") == ()
        await again.load()
        assert again.get("http://one") == ("a", "b")
        assert again.get("http://two") == ()

    asyncio.run(scene())


def test_an_unreadable_list_is_ignored() -> None:
    async def scene() -> None:
        for text in ("{", "[]", '{"http://one": 1}'):
            found = ReportedModels(State(text))
            await found.load()
            assert found.get("http://one") == ()

    asyncio.run(scene())


def test_models_that_are_set_up_and_services_that_are_off_add_nothing() -> None:
    one = Endpoint(name="one", protocol="openai", base_url="http://one")
    off = Endpoint(name="off", protocol="openai", base_url="http://off", on=False)
    mine = ModelEntry(endpoint="one", id="a", name="mine")
    catalog = Catalog(endpoints=(one, off), models=(mine,))
    found = with_reported_models(catalog, lambda address: ("a", "mine", "b", "b", "c"))
    assert [(entry.endpoint, entry.id) for entry in found.models] == [("one", "b"), ("one", "c")]
