from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.model_catalog import Endpoint, ModelEntry
from neodeskpet.llm.chain.model_selection import ModelChoice, complete_choice
from neodeskpet.ui.settings.services.model_details import ModelLine, abilities_text
from neodeskpet.ui.theme import DARK, LIGHT

PLACE = Endpoint(name="one", protocol="openai", base_url="http://one")


def choice(model: str, **fields: object) -> ModelChoice:
    entry = ModelEntry.model_validate({"endpoint": "one", "id": model, **fields})
    return complete_choice(PLACE, entry)


@pytest.mark.parametrize(
    ("model", "fields", "words"),
    [
        ("gpt-5", {}, "400,000 tokens · tools · pictures · thinking"),
        ("gpt-5", {"vision": False, "context": 1000}, "1,000 tokens · tools · thinking"),
        ("text-embedding-3-small", {}, "vectors"),
        ("strange", {"tools": False}, "nothing is known of it"),
    ],
)
def test_abilities_in_words(model: str, fields: dict[str, object], words: str) -> None:
    assert abilities_text(choice(model, **fields)) == words


def test_it_describes_the_model(qtbot: QtBot) -> None:
    line = ModelLine(LIGHT)
    qtbot.addWidget(line)
    line.retranslate()
    assert line.model_name == ""
    line.show_model(choice("gpt-5", name="best"))
    line.set_theme(DARK)
    assert line.model_name == "best"
    assert line.title.full_text() == "best (gpt-5)"
    assert line.remove.accessibleName() == "Remove best"
    assert line.tab_order() == [line.details, line.remove]
