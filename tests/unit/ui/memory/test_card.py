"""A card of what is remembered: what it shows, and what its buttons tell."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.memory.card import MemoryCard, about_words, forget_tip, spot_words
from neodeskpet.ui.memory.port import Kind, Remembered, Spot
from neodeskpet.ui.theme import theme_for

NOW = datetime(2026, 1, 4, 9)
SPOT = Spot("m", "c", "Tea")
FACT = Remembered("f", Kind.FACT, "Lives in Ulm", NOW, (SPOT,))


def card(qtbot: QtBot, one: Remembered) -> MemoryCard:
    made = MemoryCard(one, theme_for("light"))
    qtbot.addWidget(made)
    made.show()
    return made


def test_words_of_others_are_text(qtbot: QtBot) -> None:
    shown = card(qtbot, Remembered("i", Kind.TOOL, "<b>x</b>" * 200, NOW, source="web<i>"))
    assert shown.text.text().startswith("<b>x</b>") and shown.text.text().endswith("…")
    assert "web<i>" in shown.about.text() and shown.relevance.text() == "" and not shown.spots


def test_the_buttons_tell_what_is_wanted(qtbot: QtBot) -> None:
    shown = card(qtbot, FACT)
    told: list[object] = []
    for signal in (shown.wanted, shown.corrected, shown.pin_wanted):
        signal.connect(told.append)
    shown.dropped.connect(lambda: told.append("forget"))
    shown.spots[0].click()
    shown.pin.click()
    shown.forget.click()
    shown.correct.click()
    assert shown.writing and not shown.forget.isEnabled()
    shown.save.click()  # nothing was changed
    assert not shown.writing and told == [SPOT, True, "forget"]
    shown.write()
    shown.field.setPlainText(" Lives in Rome ")
    shown.save.click()
    assert told[-1] == "Lives in Rome"


def test_a_contradiction_is_asked_about(qtbot: QtBot) -> None:
    rival = Remembered("o", Kind.FACT, "Lives in Rome", NOW)
    shown = card(qtbot, Remembered("f", Kind.FACT, "Lives in Ulm", NOW, rival=rival))
    told: list[object] = []
    shown.decided.connect(told.append)
    shown.both.connect(lambda: told.append("both"))
    for button in (shown.newer, shown.older, shown.hold):
        assert button.isVisible()
        button.click()
    assert told == [True, False, "both"] and "Lives in Rome" in shown.conflict.text()
    assert not card(qtbot, FACT).newer.isVisible()


@pytest.mark.parametrize("kind", list(Kind))
def test_each_kind_says_what_it_is_and_what_goes(kind: Kind, qtbot: QtBot) -> None:
    one = Remembered("i", kind, "x", NOW, source="notes.md", pinned=True, corrected=True)
    assert "pinned" in about_words(one) and "by you" in about_words(one) and forget_tip(one)
    assert "computer" not in about_words(one)
    assert "from another computer" in about_words(replace(one, elsewhere=True))
    assert card(qtbot, one).correct.isVisible() is (kind is not Kind.DOCUMENT)


def test_a_conversation_without_a_name_can_be_gone_to() -> None:
    assert "Tea" in spot_words(SPOT) and "message" in spot_words(Spot("m", "c", ""))
