"""The rows for the persona of the figure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.ui.settings.figure.persona_editor import PersonaEditor
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play
from tests.unit.ui.settings.model_doubles import OnePersona


@pytest.fixture
def port() -> OnePersona:
    return OnePersona()


@pytest.fixture
def editor(qtbot: QtBot, port: OnePersona) -> Iterator[PersonaEditor]:
    sheet = QWidget()
    qtbot.addWidget(sheet)
    made = PersonaEditor(port, LIGHT, "Companion")
    box = QVBoxLayout(sheet)
    for row in made.rows:
        box.addWidget(row)
    made.retranslate()
    sheet.show()
    yield made
    play(made.aclose())


def test_it_is_saved_and_can_be_undone(editor: PersonaEditor, port: OnePersona) -> None:
    assert (editor.name.value(), editor.text.value()) == ("Neo", "You are Neo.")
    assert not editor.restore_default.isVisible()

    async def scenario() -> None:
        editor.name.setText("Mimi")
        editor.name.editingFinished.emit()
        editor.text.setPlainText("Calm.")
        editor.text.flush()
        await editor.flush()
        assert editor.restore_default.isVisible()

    play(scenario())
    assert (port.now.persona.name, port.now.persona.text) == ("Mimi", "Calm.")

    async def back() -> None:
        editor.restore_default.click()
        await editor.flush()

    play(back())
    assert editor.name.value() == "Neo"


def test_without_a_name_the_old_one_stays(editor: PersonaEditor, port: OnePersona) -> None:
    editor.name.setText("  ")
    editor.name.editingFinished.emit()
    assert editor.name.value() == "Neo"


def test_a_failed_save_is_reported(editor: PersonaEditor, port: OnePersona) -> None:
    port.fails = SettingsError("no room", file="/p")

    async def scenario() -> None:
        editor.greeting.setText("Hello")
        editor.greeting.editingFinished.emit()
        await editor.flush()

    play(scenario())
    assert "no room" in editor.rows[1].error_label.text()
    port.fails = None
