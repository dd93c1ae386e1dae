"""What is known about a model, and the user's corrections."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.catalog_editing import add_model, change_model
from neodeskpet.llm.catalog.model_catalog import ModelEntry, Prices
from neodeskpet.ui.settings.services.model_details import ModelDetails
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.doubles import Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    made = Services(tmp_path, two_services())
    made.edit(lambda catalog: add_model(catalog, "two", "claude-sonnet-4-5"))
    return made


@pytest.fixture
def facts(qtbot: QtBot, services: Services) -> ModelDetails:
    made = ModelDetails(services, "two", "claude-sonnet-4-5", LIGHT)
    qtbot.addWidget(made)
    services.subscribe(made.refresh)
    return made


def entry(services: Services, called: str = "claude-sonnet-4-5") -> ModelEntry:
    return next(one for one in services.catalog.models if one.display_name == called)


def write(field: QLineEdit, text: str) -> None:
    field.setText(text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_properties_known_by_the_name_are_shown(facts: ModelDetails) -> None:
    assert facts.abilities["vision"].currentText() == "As known by its name: yes"
    assert facts.sizes["context"].placeholderText() == "200000"
    assert facts.sizes["context"].value() == ""
    assert facts.name.value() == "claude-sonnet-4-5"
    controls = (*facts.abilities.values(), *facts.sizes.values(), *facts.prices.values())
    assert all(control.accessibleName() for control in (facts.name, facts.effort, *controls))


def test_abilities_and_sizes_are_saved_at_once(facts: ModelDetails, services: Services) -> None:
    facts.abilities["vision"].chosen.emit("no")
    facts.abilities["parallel"].chosen.emit("yes")
    write(facts.sizes["context"], "1,000 000")
    found = entry(services)
    assert (found.vision, found.parallel, found.context) == (False, True, 1_000_000)
    facts.abilities["vision"].chosen.emit("")
    write(facts.sizes["context"], "")
    assert (entry(services).vision, entry(services).context) == (None, None)
    write(facts.sizes["max_output"], "a lot")
    assert "whole number" in facts.rows["max_output"].error_label.text()
    write(facts.sizes["max_output"], "0")
    assert "greater than 0" in facts.rows["max_output"].error_label.text()
    services.tell()
    assert facts.sizes["max_output"].text() == "0", "it can be corrected"
    assert entry(services).max_output is None


def test_the_budget_of_thinking_is_below_the_longest_reply(
    facts: ModelDetails, services: Services
) -> None:
    facts.effort.chosen.emit("high")
    assert entry(services).effort == "high"
    assert "24,576 tokens, at most half of the longest reply of 64,000" in note(facts)
    write(facts.sizes["max_output"], "4000")
    assert "2,000 tokens, at most half of the longest reply of 4,000" in note(facts)
    facts.abilities["thinking"].chosen.emit("no")
    assert not facts.effort.isEnabled()
    assert "doesn't think" in note(facts)
    facts.abilities["thinking"].chosen.emit("")
    facts.effort.chosen.emit("")
    assert (entry(services).effort, note(facts)) == (None, "")


def note(facts: ModelDetails) -> str:
    return facts.rows["effort"].note.text()


@pytest.mark.parametrize(
    ("model", "said"),
    [("deepseek-reasoner", "always thinks"), ("o3-mini", "half"), ("gpt-oss", "asked for")],
)
def test_each_model_has_its_own_form_of_thinking(
    qtbot: QtBot, services: Services, model: str, said: str
) -> None:
    services.edit(lambda catalog: add_model(catalog, "one", model))
    services.edit(lambda catalog: change_model(catalog, "one", model, effort="low"))
    made = ModelDetails(services, "one", model, LIGHT)
    qtbot.addWidget(made)
    assert said in note(made)


def test_prices_are_set_together(facts: ModelDetails, services: Services) -> None:
    write(facts.prices["input"], "3")
    assert "input and output are needed" in facts.rows["prices"].error_label.text()
    write(facts.prices["output"], "15,5")
    write(facts.prices["currency"], "EUR")
    assert entry(services).prices == Prices(input=3, output=15.5, currency="EUR")
    write(facts.prices["cached"], "0.3")
    assert entry(services).prices == Prices(input=3, output=15.5, cached=0.3, currency="EUR")
    assert facts.prices["output"].value() == "15.5"
    write(facts.prices["output"], "-1")
    assert "greater than or equal to 0" in facts.rows["prices"].error_label.text()
    for field in facts.prices.values():
        write(field, "")
    assert entry(services).prices is None


def test_another_name_is_reported_before_it_is_used(
    facts: ModelDetails, services: Services
) -> None:
    told: list[tuple[str, str]] = []
    facts.renamed.connect(lambda *names: told.append(names))
    write(facts.name, "大")
    assert entry(services, "大").id == "claude-sonnet-4-5"
    write(facts.name, "c")
    assert "twice" in facts.rows["name"].error_label.text()
    write(facts.name, "")
    assert entry(services).name == ""
    assert told == [
        ("claude-sonnet-4-5", "大"),
        ("大", "c"),
        ("c", "大"),
        ("大", "claude-sonnet-4-5"),
    ]
    facts.set_narrow(True)
    facts.set_theme(DARK)
