"""The list of services: cards, their order, removing with undo, a broken file, adding one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.catalog_editing import add_endpoint, make_endpoint
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.ui.settings.services.service_list import AddServiceRow, ServiceList
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, until
from tests.unit.ui.settings.doubles import Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path, two_services())


@pytest.fixture
def shown(qtbot: QtBot, services: Services) -> ServiceList:
    made = ServiceList(services, LIGHT)
    qtbot.addWidget(made)
    made.resize(500, 700)
    made.show()
    return made


def order(services: Services) -> list[str]:
    return [one.name for one in services.catalog.endpoints]


def test_each_service_has_a_card_and_one_is_open_at_a_time(shown: ServiceList) -> None:
    assert list(shown.cards) == ["one", "two"]
    assert shown.editor is None
    shown.cards["one"].head.click()
    assert shown.editor is not None
    assert shown.editor.name == "one"
    shown.cards["two"].head.click()
    assert shown.editor.name == "two"
    assert not shown.cards["one"].head.isChecked()
    shown.set_narrow(True)
    shown.set_theme(DARK)
    shown.retranslate()
    shown.cards["two"].head.click()
    assert shown.editor is None
    shown.cancel()


def test_they_are_moved_switched_and_renamed(shown: ServiceList, services: Services) -> None:
    shown.open("two")
    assert shown.editor is not None
    shown.editor.up.click()
    assert order(services) == ["two", "one"]
    assert shown.editor.name == "two"
    shown.cards["one"].moved.emit(-1)
    assert order(services) == ["one", "two"]
    shown.cards["two"].switch.click()
    assert services.catalog.endpoints[1].on is False
    shown.editor.more.click()
    shown.editor.entries["name"].setText("uno")
    shown.editor.entries["name"].editingFinished.emit()
    assert list(shown.cards) == ["one", "uno"]
    assert shown.editor.name == "uno"
    shown.cards["uno"].head.click()
    assert shown.editor is None


def test_removing_can_be_undone(shown: ServiceList, services: Services) -> None:
    before = services.catalog
    shown.open("one")
    assert shown.editor is not None
    shown.editor.remove.click()
    assert order(services) == ["two"]
    assert shown.editor is None
    assert shown.undo.text.text() == "one and its models are removed."
    shown.undo.button.click()
    assert services.catalog == before
    assert list(shown.cards) == ["two", "one"] or list(shown.cards) == ["one", "two"]
    for name in ("one", "two"):
        shown.open(name)
        assert shown.editor is not None
        shown.editor.remove.click()
    assert "No service yet" in shown.note.text()
    assert not shown.note.isHidden()


def test_a_broken_file_is_named_and_never_overwritten(
    shown: ServiceList, services: Services
) -> None:
    path = services.file.path
    path.write_text('{\n "endpoints": 3\n}', encoding="utf-8")
    services.refresh()
    assert "line 2, endpoints" in shown.fault.text.text()
    assert list(shown.cards) == ["one", "two"], "the last valid one is used"
    shown.cards["one"].switch.click()
    assert "was not overwritten" in shown.undo.text.text()
    assert path.read_text(encoding="utf-8") == '{\n "endpoints": 3\n}'
    shown.fault.start_over.click()
    assert shown.fault.isHidden()
    (copy,) = path.parent.glob("llm-config.broken-*")
    assert str(copy) in shown.undo.text.text()
    assert order(services) == ["one", "two"]

    path.write_text("{", encoding="utf-8")
    shown.fault.again.click()
    assert not shown.fault.isHidden()


def test_a_service_of_the_environment_comes_first(shown: ServiceList, services: Services) -> None:
    services.outside = True
    services.tell()
    assert "set from outside" in shown.note.text()


def test_it_is_found_by_its_content(shown: ServiceList) -> None:
    for words in ("two.example", "headers", "proxy", "priority"):
        assert shown.search(words), words
    assert not shown.search("opacity")


class TestAdding:
    @pytest.fixture
    def add(self, qtbot: QtBot, services: Services) -> AddServiceRow:
        made = AddServiceRow(services, LIGHT)
        qtbot.addWidget(made)
        made.retranslate()
        return made

    def test_a_preset_needs_no_address(self, add: AddServiceRow, services: Services) -> None:
        told: list[str] = []
        add.added.connect(told.append)
        actions = {action.text(): action for action in add.menu.actions()}
        actions["Anthropic"].trigger()
        assert add.address.isHidden()
        actions["Anthropic"].trigger()
        assert order(services) == ["one", "two", "Anthropic", "Anthropic 2"]
        assert told == ["Anthropic", "Anthropic 2"]
        assert services.catalog.endpoints[2].protocol == "anthropic"
        add.set_theme(DARK)

    def test_another_one_is_named_by_its_host(self, add: AddServiceRow, services: Services) -> None:
        add.choose("custom")
        assert not add.address.isHidden()
        add.confirm.click()
        assert "base_url" in add.error_label.text()
        add.address.setText("no good")
        add.confirm.click()
        assert "valid address" in add.error_label.text()
        add.address.setText("https://gateway.example:8/v1/")
        add.confirm.click()
        assert add.error_label.text() == ""
        assert add.address.isHidden()
        assert order(services)[-1] == "gateway.example:8"

    def test_the_first_edit_keeps_the_simple_service(self, qtbot: QtBot, tmp_path: Path) -> None:
        services = Services(tmp_path / "new")
        simple = two_services()
        services.simple = Catalog(endpoints=simple.endpoints[:1], models=simple.models[:1])
        add = AddServiceRow(services, LIGHT)
        qtbot.addWidget(add)
        add.retranslate()
        assert not services.kept
        add.choose("openai")
        assert order(services) == ["one", "OpenAI"]


def test_a_new_service_is_opened_for_its_key(shown: ServiceList, services: Services) -> None:
    made = make_endpoint(name="OpenAI", protocol="openai", base_url="https://api.openai.com/v1")
    services.edit(lambda catalog: add_endpoint(catalog, made))

    async def scenario() -> None:
        shown.open_new("OpenAI")
        editor = shown.editor
        assert editor is not None
        await until(lambda: shown.focusWidget() is editor.key.entry)
        shown.cancel()

    play(scenario())


def test_a_new_service_without_a_key_takes_the_focus_to_its_model(
    shown: ServiceList, services: Services
) -> None:
    made = make_endpoint(name="llama", protocol="openai", base_url="http://127.0.0.1:8080/v1")
    services.edit(lambda catalog: add_endpoint(catalog, made))

    async def scenario() -> None:
        shown.open_new("llama")
        editor = shown.editor
        assert editor is not None
        await until(lambda: shown.focusWidget() is editor.model)
        shown.cancel()

    play(scenario())


def test_the_only_service_is_opened_once(qtbot: QtBot, tmp_path: Path) -> None:
    services = Services(tmp_path)
    two = two_services()
    services.simple = Catalog(endpoints=two.endpoints[:1], models=two.models[:1])
    made = ServiceList(services, LIGHT)
    qtbot.addWidget(made)
    made.open_only_one()
    assert made.editor is not None
    made.open("")
    made.open_only_one()
    assert made.editor is None
