"""The form of one service: every field is live, and what can't be is said under it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.model_catalog import Endpoint
from neodeskpet.ui.settings.services.service_editor import ServiceEditor
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.doubles import Services, two_services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path, two_services())


@pytest.fixture
def editor(qtbot: QtBot, services: Services) -> ServiceEditor:
    made = ServiceEditor(services, "one", LIGHT)
    qtbot.addWidget(made)
    services.subscribe(made.refresh)
    return made


def write(editor: ServiceEditor, field: str, text: str) -> str:
    """What is said about it."""
    entry = editor.entries[field]
    entry.setText(text)
    QTest.keyClick(entry, Qt.Key.Key_Return)
    return editor.rows[field].error_label.text()


def endpoint(services: Services, name: str = "one") -> Endpoint:
    found = services.catalog.endpoint(name)
    assert found is not None
    return found


def test_shows_what_is_in_force(editor: ServiceEditor) -> None:
    assert editor.entries["name"].value() == "one"
    assert editor.entries["base_url"].value() == "http://127.0.0.1:9/v1"
    assert editor.protocol.value() == "openai"
    assert editor.entries["priority"].value() == "100"
    assert editor.entries["tokens_per_minute"].value() == ""
    assert not editor.up.isEnabled()
    assert editor.down.isEnabled()
    for row in editor.rows.values():
        assert row.controls[0].accessibleName() or row in (
            editor.rows["models"],
            editor.rows["key"],
        )


def test_what_is_written_is_kept_at_once(editor: ServiceEditor, services: Services) -> None:
    assert write(editor, "base_url", " https://gateway.example ") == ""
    assert write(editor, "requests_per_minute", "20") == ""
    assert write(editor, "priority", "") == ""
    assert write(editor, "proxy", "http://127.0.0.1:8080") == ""
    editor.protocol.chosen.emit("gemini")
    found = endpoint(services)
    assert (found.base_url, found.requests_per_minute, found.priority, found.protocol) == (
        "https://gateway.example",
        20,
        100,
        "gemini",
    )
    assert write(editor, "requests_per_minute", "") == ""
    assert endpoint(services).requests_per_minute is None


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("base_url", "not an address", "valid address"),
        ("tokens_per_minute", "many", "whole number"),
        ("tokens_per_minute", "-1", "greater than 0"),
        ("proxy", "127.0.0.1", "must be an address"),
        ("name", "two", "“two”"),
        ("name", "", "at least 1 character"),
    ],
)
def test_what_can_t_be_is_said_and_stays_to_be_mended(
    editor: ServiceEditor, services: Services, field: str, text: str, said: str
) -> None:
    before = services.catalog
    assert said in write(editor, field, text)
    services.tell()
    assert editor.entries[field].value() == text
    assert services.catalog == before
    assert editor.name == "one"


def test_a_new_name_is_told_and_everything_goes_by_it(
    editor: ServiceEditor, services: Services
) -> None:
    told: list[str] = []
    editor.renamed.connect(told.append)
    assert write(editor, "name", "家里") == ""
    assert (told, editor.name) == (["家里"], "家里")
    assert "家里" in services.ports
    assert write(editor, "base_url", "http://127.0.0.1:8/v1") == ""
    assert endpoint(services, "家里").base_url == "http://127.0.0.1:8/v1"
    assert "家里" in editor.remove.accessibleName()


def test_headers_are_lines(editor: ServiceEditor, services: Services, qtbot: QtBot) -> None:
    def put(text: str) -> str:
        editor.headers.setPlainText(text)
        editor.headers.typed.emit(text)
        return editor.rows["headers"].error_label.text()

    assert put("X-Title: NeoDeskPet\n\n X-Two:a:b ") == ""
    assert endpoint(services).headers == {"X-Title": "NeoDeskPet", "X-Two": "a:b"}
    assert "Name: value" in put("X-Title")
    assert "key" in put("Authorization: Bearer abcdefgh")
    assert endpoint(services).headers == {"X-Title": "NeoDeskPet", "X-Two": "a:b"}


def test_what_few_people_need_is_behind_a_press(editor: ServiceEditor) -> None:
    assert editor.more.text() == "More settings"
    assert editor.rows["proxy"].parentWidget().isHidden()
    editor.more.click()
    assert not editor.rows["proxy"].parentWidget().isHidden()
    assert editor.more.text() == "Fewer settings"
    editor.set_narrow(True)
    editor.set_theme(DARK)
    editor.cancel()
