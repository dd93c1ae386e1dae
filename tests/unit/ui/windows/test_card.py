"""A card of a remembered item: its content, and the signals of its buttons."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import theme_for
from neodeskpet.ui.windows.memory_cards import MemoryCard, about_text, forget_tooltip, source_text
from neodeskpet.ui.windows.memory_port import MemoryItem, MemoryKind, MemorySource

NOW = datetime(2026, 1, 4, 9)
SPOT = MemorySource("m", "c", "Tea")
FACT = MemoryItem("f", MemoryKind.FACT, "Lives in Ulm", NOW, (SPOT,))


def card(qtbot: QtBot, one: MemoryItem) -> MemoryCard:
    made = MemoryCard(one, theme_for("light"))
    qtbot.addWidget(made)
    made.show()
    return made


def test_foreign_text_is_plain_text(qtbot: QtBot) -> None:
    shown = card(qtbot, MemoryItem("i", MemoryKind.TOOL, "<b>x</b>" * 200, NOW, source="web<i>"))
    assert shown.text.text().startswith("<b>x</b>") and shown.text.text().endswith("…")
    assert "web<i>" in shown.about.text() and not shown.source_buttons


def test_the_buttons_report_the_wanted_action(qtbot: QtBot) -> None:
    shown = card(qtbot, FACT)
    told: list[object] = []
    for signal in (shown.source_requested, shown.corrected, shown.pin_requested):
        signal.connect(told.append)
    shown.forget_requested.connect(lambda: told.append("forget"))
    shown.source_buttons[0].click()
    shown.pin.click()
    shown.forget.click()
    shown.correct.click()
    assert shown.is_editing and not shown.forget.isEnabled()
    shown.save.click()  # nothing was changed
    assert not shown.is_editing and told == [SPOT, True, "forget"]
    shown.start_editing()
    shown.field.setPlainText(" Lives in Rome ")
    shown.save.click()
    assert told[-1] == "Lives in Rome"


def test_a_contradiction_is_asked_about(qtbot: QtBot) -> None:
    rival = MemoryItem("o", MemoryKind.FACT, "Lives in Rome", NOW)
    shown = card(qtbot, MemoryItem("f", MemoryKind.FACT, "Lives in Ulm", NOW, contradicted=rival))
    told: list[object] = []
    shown.decided.connect(told.append)
    shown.keep_both_requested.connect(lambda: told.append("both"))
    for button in (shown.newer_button, shown.older_button, shown.keep_both_button):
        assert button.isVisible()
        button.click()
    assert told == [True, False, "both"] and "Lives in Rome" in shown.conflict.text()
    assert not card(qtbot, FACT).newer_button.isVisible()


@pytest.mark.parametrize("kind", list(MemoryKind))
def test_each_kind_is_described_with_what_a_deletion_removes(
    kind: MemoryKind, qtbot: QtBot
) -> None:
    one = MemoryItem("i", kind, "x", NOW, source="notes.md", pinned=True, corrected=True)
    assert "pinned" in about_text(one) and "by you" in about_text(one) and forget_tooltip(one)
    assert "computer" not in about_text(one)
    assert "from another computer" in about_text(replace(one, is_unverified_remote=True))
    assert card(qtbot, one).correct.isVisible() is (kind is not MemoryKind.DOCUMENT)


def test_a_conversation_without_a_name_can_be_opened() -> None:
    assert "Tea" in source_text(SPOT) and "message" in source_text(MemorySource("m", "c", ""))
