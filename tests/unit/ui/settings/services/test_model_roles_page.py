"""Which model is used for what: a field for each purpose, a chain for each tier."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.model_catalog import PURPOSES, TIERS, Catalog
from neodeskpet.llm.local.local_embedder import ADDRESS, LOCAL_EMBEDDING_MODEL
from neodeskpet.ui.settings.services.model_roles_page import ModelRolesPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.doubles import Service, Services, live_settings, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path, two_services())


@pytest.fixture
def page(qtbot: QtBot, services: Services, tmp_path: Path) -> ModelRolesPage:
    made = ModelRolesPage(live_settings(tmp_path), services, LIGHT)
    qtbot.addWidget(made)
    made.retranslate()
    made.set_theme(DARK)
    made.show()
    return made


def test_every_purpose_and_tier_is_there(page: ModelRolesPage, services: Services) -> None:
    assert sorted(page.purposes) == sorted(PURPOSES)
    assert tuple(page.chains) == TIERS
    assert page.purposes["title"].value() == "b"
    assert page.chains["complex"].chosen() == "a"
    assert all(combo.accessibleName() for combo in page.purposes.values())


def test_a_purpose_is_saved_at_once_and_lists_all_models(
    page: ModelRolesPage, services: Services
) -> None:
    services.ports["two"] = Service()
    services.ports["two"].names = ["c", "new"]
    services.tell()
    field = page.purposes["chat"]
    assert [row.name for row in field.rows()] == [
        *("", "simple", "medium", "complex"),
        *("a", "b", "c", "new"),
    ]
    assert field.rows()[0].title == "Default (a)"
    field.chosen.emit("complex")
    assert any("a → c" in row.note.text() for row in page.rows)
    field.chosen.emit("c")
    assert services.catalog.purposes.chat == "c"


def test_a_model_that_is_not_set_up_is_added(page: ModelRolesPage, services: Services) -> None:
    services.ports["two"] = Service()
    services.ports["two"].names = ["new"]
    services.tell()
    page.purposes["summary"].chosen.emit("new")
    page.purposes["title"].chosen.emit("typed")
    added = [(one.endpoint, one.id) for one in services.catalog.models[-2:]]
    assert sorted(added) == [("two", "c"), ("two", "new")]
    assert ("one", "typed") in {(one.endpoint, one.id) for one in services.catalog.models}
    purposes = services.catalog.purposes
    assert (purposes.summary, purposes.title) == ("new", "typed")
    page.purposes["title"].chosen.emit("")
    assert services.catalog.purposes.title == ""


def test_titles_can_be_switched_off_where_their_model_is_chosen(
    page: ModelRolesPage, services: Services
) -> None:
    settings = page.port
    settings.subscribe(lambda section, name, _value: page.setting_changed(section, name))
    field = page.purposes["title"]
    assert [row.title for row in field.rows()][:2] == ["Default (a)", "Off"]
    field.chosen.emit("(off)")
    assert settings.value("service", "titles") is False
    assert field.value() == "(off)"
    assert services.catalog.purposes.title == "b", "the model is kept"
    field.chosen.emit("c")
    assert settings.value("service", "titles") is True
    assert (field.value(), services.catalog.purposes.title) == ("c", "c")
    assert all(row.title != "Off" for row in page.purposes["summary"].rows())
    assert page.search("name conversations") == 1


def row_of(control: QWidget) -> SettingsRow:
    part = control.parentWidget()
    while part is not None and not isinstance(part, SettingsRow):
        part = part.parentWidget()
    assert isinstance(part, SettingsRow)
    return part


def test_all_but_the_chat_model_are_folded(page: ModelRolesPage) -> None:
    assert not row_of(page.purposes["chat"]).isHidden()
    assert row_of(page.purposes["title"]).isHidden()
    page.unfold()
    assert not row_of(page.purposes["title"]).isHidden()
    assert not row_of(page.chains["simple"]).isHidden()


def test_a_reported_model_is_set_up_when_it_joins_a_chain(
    page: ModelRolesPage, services: Services
) -> None:
    page.chains["simple"].add.chosen.emit("not-yet-set-up")
    assert "not-yet-set-up" in [one.id for one in services.catalog.models]
    assert services.catalog.tiers.simple == ("not-yet-set-up",)


def test_chains_are_saved_at_once(page: ModelRolesPage, services: Services) -> None:
    chain = page.chains["complex"]
    chain.add.chosen.emit("b")
    chain.list.setCurrentRow(0)
    chain.down.click()
    assert services.catalog.tiers.complex == ("c", "a", "b")
    assert chain.chosen() == "a"
    chain.out.click()
    assert services.catalog.tiers.complex == ("c", "b")
    page.chains["simple"].add.chosen.emit("b")
    assert services.catalog.tiers.simple == ("b",)


def test_without_a_model_it_says_what_to_do(
    page: ModelRolesPage, services: Services, qtbot: QtBot
) -> None:
    services.edit(lambda _: Catalog())
    assert not page.empty.isHidden()
    assert all(row_of(combo).isHidden() for combo in page.purposes.values())
    assert page.search("conversation") == 0


def test_it_can_be_searched(page: ModelRolesPage) -> None:
    assert page.search("fallback") == len(page.purposes) + len(TIERS)
    assert page.search("names conversations") == 1
    assert page.search("opacity") == 0
    assert page.search("") == len(page.purposes) + len(TIERS)


def test_embeddings_need_one_model_and_no_chain(page: ModelRolesPage) -> None:
    rows = page.purposes["embedding"].rows()
    assert (rows[0].name, rows[0].title) == ("", "None (keyword search only)")
    assert not set(TIERS) & {row.name for row in rows}
    assert len(rows) > 1


def test_embeddings_can_be_made_on_this_computer(
    qtbot: QtBot, services: Services, tmp_path: Path
) -> None:
    for installed in (False, True):
        page = ModelRolesPage(
            live_settings(tmp_path), services, LIGHT, lambda there=installed: there
        )
        qtbot.addWidget(page)
        page.retranslate()
        field = page.purposes["embedding"]
        field.chosen.emit(LOCAL_EMBEDDING_MODEL)
        assert field.accessibleName().endswith(f"This computer: {LOCAL_EMBEDDING_MODEL}")
        assert services.catalog.purposes.embedding == LOCAL_EMBEDDING_MODEL
        (endpoint,) = [one for one in services.catalog.endpoints if one.base_url == ADDRESS]
        assert endpoint.name == "This computer"
        note = page._purpose_rows["embedding"].note.text()
        assert ("extras add meaning" in note) is not installed
        chat = page.purposes["chat"]
        assert LOCAL_EMBEDDING_MODEL not in [row.name for row in chat.rows()]
