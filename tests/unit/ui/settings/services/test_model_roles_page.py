"""Who does what: a combo for each purpose, a chain for each tier, all of it live."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.model_catalog import TIERS, Catalog
from neodeskpet.llm.local.local_embedder import ADDRESS, LOCAL_EMBEDDING_MODEL
from neodeskpet.ui.settings.services.model_roles_page import ModelRolesPage
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.doubles import Services, live_settings, two_services


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
    assert tuple(page.purposes) == ("chat", "vision", "title", "embedding")  # what acts
    assert tuple(page.chains) == TIERS
    assert page.purposes["title"].value() == "b"
    assert page.chains["complex"].chosen() == "a"
    assert all(combo.accessibleName() for combo in page.purposes.values())


def test_a_purpose_is_live_and_says_who_is_asked(page: ModelRolesPage, services: Services) -> None:
    combo = page.purposes["chat"]
    row = combo.parentWidget()
    offered = [combo.itemData(number) for number in range(combo.count())]
    assert offered == ["", "simple", "medium", "complex", "a", "b", "c"]
    assert any("a → c" in one.note.text() for one in page.rows if one is row)
    combo.chosen.emit("c")
    assert services.catalog.purposes.chat == "c"
    combo.chosen.emit("gone")
    assert any("“gone”" in one.error_label.text() for one in page.rows)
    assert combo.value() == "c"


def test_chains_are_live(page: ModelRolesPage, services: Services) -> None:
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


def test_without_a_model_says_what_to_do(
    page: ModelRolesPage, services: Services, qtbot: QtBot
) -> None:
    services.edit(lambda _: Catalog())
    assert not page.empty.isHidden()
    assert all(combo.parentWidget().isHidden() for combo in page.purposes.values())
    assert page.search("conversation") == 0


def test_is_searchable(page: ModelRolesPage) -> None:
    assert page.search("fallback") == len(page.purposes) + len(TIERS)
    assert page.search("titles") == 1
    assert page.search("opacity") == 0
    assert page.search("") == len(page.purposes) + len(TIERS)


def test_meaning_is_a_model_or_none_and_no_chain(page: ModelRolesPage) -> None:
    combo = page.purposes["embedding"]
    values = [combo.itemData(at) for at in range(combo.count())]
    assert values[0] == ""
    assert combo.itemText(0) == "None: words alone"
    assert not {"simple", "medium", "complex"} & set(values)
    assert len(values) > 1


def test_meaning_can_be_had_on_this_computer(
    qtbot: QtBot, services: Services, tmp_path: Path
) -> None:
    for installed in (False, True):
        page = ModelRolesPage(
            live_settings(tmp_path), services, LIGHT, lambda there=installed: there
        )
        qtbot.addWidget(page)
        page.retranslate()
        combo = page.purposes["embedding"]
        combo.chosen.emit(LOCAL_EMBEDDING_MODEL)
        assert combo.currentText() == f"This computer: {LOCAL_EMBEDDING_MODEL}"
        assert services.catalog.purposes.embedding == LOCAL_EMBEDDING_MODEL
        (endpoint,) = [one for one in services.catalog.endpoints if one.base_url == ADDRESS]
        assert endpoint.name == "This computer"
        note = page._purpose_rows["embedding"].note.text()
        assert ("extras add meaning" in note) is not installed
        talk = page.purposes["chat"]
        assert LOCAL_EMBEDDING_MODEL not in [talk.itemData(at) for at in range(talk.count())]
