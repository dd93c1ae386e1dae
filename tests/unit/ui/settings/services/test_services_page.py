"""The service's page: the form, mode and dialect, and the rest of the section."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_ports import EndpointTestFinding, EndpointTestVerdict
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.doubles import Services, live_settings, section, two_services

DIALECTS = (("tool_request", "TOOL_REQUEST"), ("tag", "Tags"))


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path, NEODESKPET_BASE_URL="http://127.0.0.1:7861/v1")


def page(
    qtbot: QtBot, store: SettingsStore, dialects: tuple[tuple[str, str], ...] = DIALECTS
) -> ServicesPage:
    services = Services(store.path.parent)
    made = ServicesPage(section("service"), store, services, LIGHT, dialects=dialects)
    qtbot.addWidget(made)
    store.subscribe(lambda where, what, _: made.setting_changed(where, what))
    made.retranslate()
    made.set_theme(DARK)
    return made


def test_mode_is_live_and_explained(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store)
    assert made.mode.value() == "auto"
    QTest.mouseClick(made.mode.button("text"), Qt.MouseButton.LeftButton)
    assert store.settings.mode.mode == "text"
    notes = [row.note.text() for row in made.rows]
    assert "Writes tool calls as text. Works with every model." in notes


def test_a_mode_chosen_elsewhere_is_shown(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store)
    store.change("mode", "mode", "native")
    assert made.mode.value() == "native"


def test_one_dialect_is_no_choice(qtbot: QtBot, store: SettingsStore) -> None:
    assert page(qtbot, store, DIALECTS[:1]).dialect.parentWidget().isHidden()
    assert not page(qtbot, store).dialect.parentWidget().isHidden()


def test_an_impossible_dialect_is_said(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, (*DIALECTS, ("morse", "Morse")))
    made.dialect.chosen.emit("morse")
    assert any("value" in row.error_label.text() for row in made.rows)
    assert store.settings.mode.dialect != "morse"


def test_has_the_rest_of_its_section(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store)
    assert set(made.fields) == {i.name for i in section("service").settings} - {
        "protocol",
        "base_url",
        "model",
    }


def test_search_hides_the_table(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store)
    made.form.trial.report.add(EndpointTestFinding("a", "Connection", EndpointTestVerdict.GOOD))
    assert made.search("OpenRouter") >= 1
    assert made.form.trial.report.isHidden()
    made.search("")
    assert not made.form.trial.report.isHidden()


def test_search_doesnt_show_what_has_no_use(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store)
    store.change("service", "protocol", "offline")
    made.search("password")
    assert made.form.rows["key"].isHidden()


class Refusing:
    def __init__(self, store: SettingsStore) -> None:
        self.value, self.overridden = store.value, store.overridden
        self.reset, self.subscribe = store.reset, store.subscribe

    def change(self, section: str, name: str, value: object) -> None:
        raise SettingsError("no room", file="settings.json")


def test_what_cant_be_is_said(qtbot: QtBot, store: SettingsStore) -> None:
    services = Services(store.path.parent)
    made = ServicesPage(section("service"), Refusing(store), services, LIGHT)
    qtbot.addWidget(made)
    made.mode.chosen.emit("text")
    assert any("no room" in row.error_label.text() for row in made.rows)
    made.form.model.chosen.emit("m")
    assert "no room" in made.form.rows["model"].error_label.text()


def test_one_service_has_the_form_and_several_have_cards(qtbot: QtBot, tmp_path: Path) -> None:
    store = live_settings(tmp_path)
    services = Services(tmp_path)
    made = ServicesPage(section("service"), store, services, LIGHT)
    qtbot.addWidget(made)
    made.retranslate()
    store.subscribe(lambda where, what, _: made.setting_changed(where, what))
    assert made.services.isHidden()
    assert made.add.isHidden(), "the form is the way to the first one"
    assert not made.form.rows["preset"].isHidden()

    services.simple = two_services()
    made.retranslate()
    assert made.search("prices") == 1
    made.search("")
    made.more.click()
    assert services.kept
    assert made.services.editor is not None
    assert made.more.parentWidget().isHidden()
    made.services.undo.button.click()
    assert not services.kept
    assert not made.more.parentWidget().isHidden()
    services.outside = True
    services.tell()
    assert made.more.parentWidget().isHidden()
    assert made.add.isHidden()
    services.outside = False

    undo = services.edit(lambda _: two_services())
    assert not made.services.isHidden()
    assert not made.add.isHidden()
    for name in ("preset", "base_url", "key", "model"):
        assert made.form.rows[name].isHidden()
    assert made.form.trial.button.isHidden()
    assert made.box.indexOf(made.add) == made.box.indexOf(made.services) + 1
    assert made.search("two.example") >= 1
    assert not made.services.isHidden()
    assert made.search("timeout") >= 1
    assert made.services.isHidden()
    made.search("")
    made.set_narrow(True)
    made.set_theme(DARK)
    undo()
    assert made.services.isHidden()
    assert not made.form.rows["preset"].isHidden()
