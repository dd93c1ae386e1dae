"""The editor of one service: key, model and test; every field is saved at once, errors are below
it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.llm.catalog.catalog_editing import add_endpoint, make_endpoint
from neodeskpet.llm.catalog.model_catalog import Endpoint
from neodeskpet.ui.settings.services.service_editor import ServiceEditor
from neodeskpet.ui.settings.services.service_presets import name_for
from neodeskpet.ui.settings.settings_ports import EndpointTestFinding, EndpointTestVerdict
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Service, Services, two_services


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
    """Return the text about it."""
    entry = editor.entries[field]
    entry.setText(text)
    QTest.keyClick(entry, Qt.Key.Key_Return)
    return editor.rows[field].error_label.text()


def endpoint(services: Services, name: str = "one") -> Endpoint:
    found = services.catalog.endpoint(name)
    assert found is not None
    return found


def test_it_shows_the_present_values(editor: ServiceEditor) -> None:
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
    assert editor.model.value() == "a"
    assert editor.rows["model"].note.text() == "tools"


def test_the_tool_calls_of_the_service_are_chosen_and_explained(
    editor: ServiceEditor, services: Services
) -> None:
    mode, text_format = editor.rows["tool_calls"], editor.rows["text_format"]
    assert editor.tool_mode.value() == "auto"
    assert text_format.isHidden()
    editor.tool_mode.chosen.emit("text")
    assert services.modes == {"one": "text"}
    assert mode.note.text() == "Writes tool calls as text. Works with every model."
    assert not text_format.isHidden(), "the format matters in text mode only"
    editor.text_format.chosen.emit("tool_call")
    assert services.dialect == "tool_call"
    services.refuses = SettingsError("no room", file="settings.json")
    editor.tool_mode.chosen.emit("native")
    editor.text_format.chosen.emit("tool_tag")
    assert "no room" in mode.error_label.text()
    assert "no room" in text_format.error_label.text()
    assert editor.tool_mode.value() == "text"
    services.refuses = None
    editor.tool_mode.chosen.emit("none")
    assert mode.error_label.text() == ""
    assert text_format.isHidden()


def test_changes_are_saved_at_once(editor: ServiceEditor, services: Services) -> None:
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
        ("base_url", "not an address", "An address looks like"),
        ("base_url", "ftp://api.example.com", "An address looks like"),
        ("tokens_per_minute", "many", "whole number"),
        ("tokens_per_minute", "-1", "greater than 0"),
        ("proxy", "127.0.0.1", "must be an address"),
        ("name", "two", "“two”"),
        ("name", "", "at least 1 character"),
    ],
)
def test_an_invalid_value_is_reported_and_stays_to_be_corrected(
    editor: ServiceEditor, services: Services, field: str, text: str, said: str
) -> None:
    before = services.catalog
    assert said in write(editor, field, text)
    services.tell()
    assert editor.entries[field].value() == text
    assert services.catalog == before
    assert editor.name == "one"


def test_a_new_name_is_reported_and_used_everywhere(
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


def test_a_name_that_follows_from_the_address_changes_with_it(qtbot: QtBot, tmp_path: Path) -> None:
    services = Services(tmp_path)
    for address in ("http://box.lan/v1", "https://openrouter.ai/api/v1"):
        made = make_endpoint(name=name_for("openai", address), protocol="openai", base_url=address)
        services.edit(lambda catalog, made=made: add_endpoint(catalog, made))
    editor = ServiceEditor(services, "box.lan", LIGHT)
    qtbot.addWidget(editor)
    assert write(editor, "base_url", "http://other.lan:8/v1") == ""
    assert editor.name == "other.lan:8"
    assert write(editor, "base_url", "https://openrouter.ai/api/v1") == ""
    assert editor.name == "OpenRouter 2"


class TestConnecting:
    """What starts a test, and what must be complete before it."""

    @pytest.fixture
    def preset(self, services: Services) -> Service:
        made = make_endpoint(
            name="DeepSeek", protocol="openai", base_url="https://api.deepseek.com/v1"
        )
        services.edit(lambda catalog: add_endpoint(catalog, made))
        return services.endpoint("DeepSeek")

    @pytest.fixture
    def new(self, qtbot: QtBot, services: Services, preset: Service) -> ServiceEditor:
        made = ServiceEditor(services, "DeepSeek", LIGHT)
        made.trial.delay.setInterval(0)
        qtbot.addWidget(made)
        services.subscribe(made.refresh)
        return made

    def test_a_pasted_key_is_stored_tested_and_given_a_model(
        self, new: ServiceEditor, services: Services, preset: Service
    ) -> None:
        preset.names = ["text-embedding-3", "deepseek-chat"]
        preset.findings = [EndpointTestFinding("streaming", "Streaming", EndpointTestVerdict.GOOD)]
        connected: list[int] = []
        new.connected.connect(lambda: connected.append(1))

        async def scenario() -> None:
            new.show()
            assert new.rows["base_url"].isHidden(), "the preset has the address"
            new.start_if_complete()
            await until(lambda: new.key.has_key is False)
            await until(lambda: not new.trial.delay.isActive())
            assert preset.asked == [], "without a key nothing is tested"
            QApplication.clipboard().setText("sk-pasted-0123")
            new.key.entry.setFocus()
            QTest.keyClick(new.key.entry, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: connected == [1])
            assert preset.key_value == "sk-pasted-0123"
            assert preset.asked == ["store key", "models", "test"]
            assert new.model.value() == "deepseek-chat"
            assert new.trial.text.text() == "Works"

        play(scenario())

    def test_a_key_that_is_being_typed_starts_nothing(
        self, new: ServiceEditor, preset: Service
    ) -> None:
        async def scenario() -> None:
            new.show()
            await until(lambda: new.key.has_key is False)
            new.trial.report.add(EndpointTestFinding("a", "A", EndpointTestVerdict.FAILED))
            QTest.keyClicks(new.key.entry, "sk-012")
            assert new.trial.report.findings() == (), "typing discards the old result"
            new.trial.schedule()
            await until(lambda: not new.trial.delay.isActive())
            assert preset.asked == []
            QTest.keyClick(new.key.entry, Qt.Key.Key_Return)
            await until(lambda: "test" in preset.asked)
            await until(lambda: not new.trial.is_busy)

        play(scenario())

    def test_another_model_and_another_address_are_tested(
        self, editor: ServiceEditor, services: Services
    ) -> None:
        service = services.endpoint("one")
        editor.trial.delay.setInterval(0)

        async def scenario() -> None:
            editor.show()
            editor.model.chosen.emit("b")
            assert [one.id for one in services.catalog.models[:2]] == ["b", "a"]
            await until(lambda: "test" in service.asked)
            assert services.models_asked[-1] == "b"
            await until(lambda: not editor.trial.is_busy)
            service.asked.clear()
            write(editor, "base_url", "http://127.0.0.1:10/v1")
            await until(lambda: "test" in service.asked)
            await until(lambda: not editor.trial.is_busy)
            service.asked.clear()
            editor.protocol.chosen.emit("anthropic")
            await until(lambda: "test" in service.asked)
            editor.cancel()

        play(scenario())

    def test_the_list_shows_all_models_that_the_service_reports(
        self, editor: ServiceEditor, services: Services
    ) -> None:
        services.endpoint("one").names = [f"m{number}" for number in range(40)]

        async def scenario() -> None:
            editor.model.click()
            await settle()
            picker = editor.model.picker
            assert picker is not None
            assert len(picker.row_texts()) == 42
            picker.search.setText("m39")
            QTest.keyClick(picker.search, Qt.Key.Key_Return)
            assert services.catalog.models[0].id == "m39"
            assert services.catalog.models[1].id == "a"
            editor.cancel()

        play(scenario())


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


def test_rarely_used_settings_are_folded(editor: ServiceEditor) -> None:
    assert editor.more.text() == "More settings"
    assert editor.rows["proxy"].parentWidget().isHidden()
    editor.more.click()
    assert not editor.rows["proxy"].parentWidget().isHidden()
    assert editor.more.text() == "Fewer settings"
    editor.set_narrow(True)
    editor.set_theme(DARK)
    editor.cancel()
