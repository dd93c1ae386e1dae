"""The card of the services: a card each, a button that adds one, and settings for all of them."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Services, live_settings, section, two_services


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path)


def page(qtbot: QtBot, store: SettingsPort, services: Services) -> ServicesPage:
    made = ServicesPage(section("service"), store, services, LIGHT)
    qtbot.addWidget(made)
    store.subscribe(lambda where, what, _: made.setting_changed(where, what))
    made.retranslate()
    made.set_theme(DARK)
    return made


def test_the_rest_of_its_section_is_folded(
    qtbot: QtBot, store: SettingsStore, services: Services
) -> None:
    made = page(qtbot, store, services)
    edited = {"protocol", "base_url", "model"}
    assert set(made.fields) == {one.name for one in section("service").settings} - edited
    assert all(row.isHidden() for row in made.fields.values())
    made.unfold()
    assert not made.fields["stall_timeout"].isHidden()


class Refusing:
    def __init__(self, store: SettingsStore) -> None:
        self.value, self.overridden = store.value, store.overridden
        self.reset, self.subscribe = store.reset, store.subscribe

    def change(self, section: str, name: str, value: object) -> None:
        raise SettingsError("no room", file="settings.json")


def test_a_change_that_fails_is_reported(
    qtbot: QtBot, store: SettingsStore, services: Services
) -> None:
    made = page(qtbot, Refusing(store), services)
    made.fields["stall_timeout"].control.edited.emit(20.0)
    assert "no room" in made.fields["stall_timeout"].error_label.text()


def test_one_service_has_the_same_card_as_several(
    qtbot: QtBot, store: SettingsStore, services: Services
) -> None:
    made = page(qtbot, store, services)
    assert made.services.note.text() == "No service yet. Neo works offline."
    assert not made.add.isHidden()
    two = two_services()
    services.simple = Catalog(endpoints=two.endpoints[:1], models=two.models[:1])
    services.tell()

    async def scenario() -> None:
        made.show()
        await settle()
        assert list(made.services.cards) == ["one"]
        editor = made.services.editor
        assert editor is not None
        assert editor.model.value() == "a"
        undo = services.edit(lambda _: two)
        assert made.services.editor is editor
        assert list(made.services.cards) == ["one", "two"]
        assert made.search("two.example") >= 1
        assert not made.services.isHidden()
        assert made.search("opacity") == 0
        assert made.search("prices") == 0
        made.search("")
        made.set_narrow(True)
        undo()
        assert list(made.services.cards) == ["one"]
        await made.aclose()

    play(scenario())
