"""Connecting a service: presets, models, the test, what goes wrong on the way."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unauthorized, Unreachable
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.services.service_form import ServiceForm
from neodeskpet.ui.settings.services.service_presets import CUSTOM, OFFLINE
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
    LocalModelServer,
)
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Service, live_settings, section

Step = Callable[[], Coroutine[Any, Any, None]]


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def holder(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def form(holder: QWidget, store: SettingsStore, service: Service) -> ServiceForm:
    made = ServiceForm(section("service"), store, service, LIGHT, holder)
    store.subscribe(lambda where, what, _: made.setting_changed(where, what))
    return made


def choose(form: ServiceForm, preset: str) -> None:
    form.preset.set_value(preset)
    form.preset.chosen.emit(preset)


def press(button: QPushButton) -> None:
    button.click()


def write(form: ServiceForm, address: str) -> None:
    form.address.setText(address)
    QTest.keyClick(form.address, Qt.Key.Key_Return)


class TestPresets:
    def test_offers_what_there_is_a_protocol_for(self, form: ServiceForm) -> None:
        offered = [form.preset.itemData(row) for row in range(form.preset.count())]
        protocols = {
            value
            for info in section("service").settings
            if info.name == "protocol"
            for value, _ in info.choices
        }
        assert "openai" in offered
        assert ("anthropic" in offered) == ("anthropic" in protocols)

    def test_at_first_the_offline_helper_answers(self, form: ServiceForm) -> None:
        assert form.preset.value() == OFFLINE
        for name in ("base_url", "key", "model"):
            assert form.rows[name].isHidden()
        assert "without a network" in form.rows["preset"].note.text()

    def test_choosing_one_sets_protocol_and_address(
        self, form: ServiceForm, store: SettingsStore
    ) -> None:
        choose(form, "deepseek")
        assert store.settings.service.protocol == "openai"
        assert store.settings.service.base_url == "https://api.deepseek.com/v1"
        assert form.address.value() == "https://api.deepseek.com/v1"
        assert not form.rows["key"].isHidden()

    def test_going_back_to_the_helper_keeps_the_address(
        self, form: ServiceForm, store: SettingsStore
    ) -> None:
        choose(form, "deepseek")
        choose(form, OFFLINE)
        assert store.settings.service.protocol == "offline"
        assert store.settings.service.base_url == "https://api.deepseek.com/v1"

    def test_custom_stays_custom_though_the_address_is_known(self, form: ServiceForm) -> None:
        choose(form, "deepseek")
        choose(form, CUSTOM)
        assert form.preset.value() == CUSTOM
        assert form.address.value() == "https://api.deepseek.com/v1"

    def test_a_custom_one_begins_with_its_address(self, form: ServiceForm) -> None:
        async def scenario() -> None:
            choose(form, CUSTOM)
            shown = [name for name, row in form.rows.items() if not row.isHidden()]
            assert shown == ["preset", "base_url"]
            assert form.trial.button.isHidden()
            write(form, "http://127.0.0.1:7861/v1")
            assert not form.rows["key"].isHidden()
            assert not form.trial.button.isHidden()

        play(scenario())

    def test_the_arrow_keys_go_through_them(self, holder: QWidget, form: ServiceForm) -> None:
        async def scenario() -> None:
            holder.show()
            form.preset.setFocus()
            rows = []
            for _ in range(4):
                QTest.keyClick(form.preset, Qt.Key.Key_Up)
                assert holder.focusWidget() is form.preset
                rows.append(form.preset.currentIndex())
            assert rows == sorted(set(rows), reverse=True)

        play(scenario())

    def test_a_local_one_says_that_it_needs_no_key(self, form: ServiceForm) -> None:
        choose(form, "ollama")
        assert "needs no key" in form.rows["preset"].note.text()

    def test_writing_an_address_chooses_its_preset(self, form: ServiceForm) -> None:
        choose(form, "deepseek")
        write(form, "https://openrouter.ai/api/v1")
        assert form.preset.value() == "openrouter"


class TestAddress:
    def test_a_wrong_one_is_said_and_not_kept(
        self, form: ServiceForm, store: SettingsStore
    ) -> None:
        choose(form, "deepseek")
        write(form, "ftp://api.example.com")
        assert "looks like" in form.rows["base_url"].error_label.text()
        assert store.settings.service.base_url == "https://api.deepseek.com/v1"

    def test_it_stays_while_something_else_changes(
        self, form: ServiceForm, store: SettingsStore
    ) -> None:
        choose(form, "deepseek")
        write(form, "https://")
        store.change("service", "model", "m")
        assert form.address.text() == "https://"

    def test_needs_no_scheme(self, form: ServiceForm, store: SettingsStore) -> None:
        choose(form, CUSTOM)
        write(form, "api.example.com/v1")
        assert form.rows["base_url"].error_label.isHidden()
        assert store.settings.service.base_url == "api.example.com/v1"

    def test_a_right_one_ends_the_complaint(self, form: ServiceForm, store: SettingsStore) -> None:
        choose(form, CUSTOM)
        write(form, "no address at all")
        write(form, "http://127.0.0.1:7861/v1")
        assert form.rows["base_url"].error_label.isHidden()
        assert store.settings.service.base_url == "http://127.0.0.1:7861/v1"


class TestModels:
    def test_are_asked_for_and_offered(self, form: ServiceForm) -> None:
        async def scenario() -> None:
            choose(form, "ollama")
            press(form.refresh)
            await settle()
            assert [form.model.itemData(row) for row in range(2)] == ["small", "large"]
            assert form.rows["model"].note.text() == "2 models on offer."

        play(scenario())

    def test_picking_one_is_live(self, form: ServiceForm, store: SettingsStore) -> None:
        choose(form, "ollama")
        form.model.chosen.emit("large")
        assert store.settings.service.model == "large"

    def test_a_failure_is_said_under_the_row(self, form: ServiceForm, service: Service) -> None:
        service.fails = Unreachable("connection refused")

        async def scenario() -> None:
            choose(form, "ollama")
            press(form.refresh)
            await settle()
            assert "connection refused" in form.rows["model"].error_label.text()
            assert form.refresh.text() == "Refresh"

        play(scenario())

    def test_asking_can_be_stopped(self, form: ServiceForm, service: Service) -> None:
        async def scenario() -> None:
            service.http_server = asyncio.Event()
            choose(form, "ollama")
            press(form.refresh)
            await settle()
            assert form.refresh.text() == "Stop"
            press(form.refresh)
            await settle()
            assert form.refresh.text() == "Refresh"
            assert form.model.count() == 0

        play(scenario())


class TestTest:
    def test_shows_what_is_found_and_proposes(
        self, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        service.findings = [
            EndpointTestFinding("connection", "Connection", EndpointTestVerdict.GOOD, "12 ms"),
            EndpointTestFinding("tools", "Native tools", EndpointTestVerdict.FAULT, "no index"),
        ]
        service.proposal = EndpointTestProposal("text", "Native calls break here.", "tool_request")
        told: list[int] = []
        form.proposal_taken.connect(lambda: told.append(1))

        async def scenario() -> None:
            choose(form, "ollama")
            store.change("service", "model", "small")
            press(form.trial.button)
            await settle()
            assert list(form.trial.report.findings()) == service.findings
            assert not form.trial.proposal.isHidden()
            press(form.trial.proposal.take)
            assert service.taken == [service.proposal]
            assert told == [1]
            assert form.trial.undo.text.text() == "Mode Text is set."
            press(form.trial.undo.button)
            assert service.taken == []
            assert form.trial.undo.isHidden()

        play(scenario())

    def test_without_a_model_takes_the_first_on_offer(
        self, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        async def scenario() -> None:
            choose(form, "ollama")
            press(form.trial.button)
            await settle()
            assert store.settings.service.model == "small"
            assert service.asked == ["models", "test"]

        play(scenario())

    def test_a_failure_stands_in_the_table(
        self, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        store.change("service", "model", "small")
        service.fails = Unauthorized("bad key")

        async def scenario() -> None:
            choose(form, "openai")
            press(form.trial.button)
            await settle()
            (finding,) = form.trial.report.findings()
            assert finding.verdict is EndpointTestVerdict.FAILED
            assert "bad key" in finding.text
            assert finding.detail == "Enter a valid key in Settings › Models › Services."

        play(scenario())

    def test_a_key_that_was_only_pasted_is_kept_first(
        self, holder: QWidget, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        store.change("service", "model", "small")

        async def scenario() -> None:
            choose(form, "openai")
            holder.show()
            await settle()
            form.key.entry.setText("sk-pasted")
            press(form.trial.button)
            await settle()
            assert service.asked == ["store key", "test"]
            assert service.key_value == "sk-pasted"

        play(scenario())

    def test_another_model_forgets_what_was_found(
        self, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        store.change("service", "model", "small")
        service.findings = [
            EndpointTestFinding("connection", "Connection", EndpointTestVerdict.GOOD)
        ]

        async def scenario() -> None:
            choose(form, "openai")
            press(form.trial.button)
            await settle()
            assert form.trial.report.findings()
            form.model.typed.emit("large")
            assert form.trial.report.findings() == ()

        play(scenario())

    def test_can_be_stopped_and_leaves_nothing_running(
        self, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        store.change("service", "model", "small")

        async def scenario() -> None:
            service.http_server = asyncio.Event()
            choose(form, "openai")
            press(form.trial.button)
            await settle()
            assert form.trial.button.text() == "Stop"
            press(form.trial.button)
            await settle()
            assert form.trial.button.text() == "Test"
            (finding,) = form.trial.report.findings()
            assert finding.verdict is EndpointTestVerdict.SKIPPED

        play(scenario())

    def test_another_preset_forgets_what_was_found(
        self, form: ServiceForm, service: Service, store: SettingsStore
    ) -> None:
        store.change("service", "model", "small")
        service.findings = [
            EndpointTestFinding("connection", "Connection", EndpointTestVerdict.GOOD)
        ]
        service.proposal = EndpointTestProposal("auto", "x")

        async def scenario() -> None:
            choose(form, "openai")
            press(form.trial.button)
            await settle()
            choose(form, "deepseek")
            assert form.trial.report.findings() == ()
            assert form.trial.proposal.isHidden()

        play(scenario())


def test_a_server_found_here_is_taken_and_tested(
    form: ServiceForm, service: Service, store: SettingsStore
) -> None:
    async def scenario() -> None:
        form.connect_to(LocalModelServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b", "x")))
        await settle()
        assert store.settings.service.protocol == "openai"
        assert store.settings.service.model == "qwen3:8b"
        assert form.preset.value() == "ollama"
        assert service.asked == ["test"]

    play(scenario())


def test_says_which_values_came_from_outside(
    holder: QWidget, tmp_path: Path, service: Service
) -> None:
    store = live_settings(tmp_path, NEODESKPET_BASE_URL="http://127.0.0.1:1/v1")
    form = ServiceForm(section("service"), store, service, LIGHT, holder)
    assert form.address.value() == "http://127.0.0.1:1/v1"
    assert "from outside" in form.rows["base_url"].note.text()
    assert form.rows["model"].note.text() == ""


def test_nothing_appears_on_the_screen_by_itself(form: ServiceForm) -> None:
    choose(form, "openai")
    form.set_theme(DARK)
    form.retranslate()
    assert [w for w in QApplication.topLevelWidgets() if w.isVisible()] == []


def test_a_new_key_clears_the_result_of_the_test(
    form: ServiceForm, service: Service, holder: QWidget
) -> None:
    async def main() -> None:
        form.trial.report.add(
            EndpointTestFinding(
                "connection", "Connection", EndpointTestVerdict.FAILED, "Wrong key."
            )
        )
        await settle()
        form.key.entry.setText("sk-another-key-that-is-right")
        press(form.key.first)
        await settle()
        assert form.trial.report.findings() == ()

    choose(form, "openai")
    holder.show()
    play(main())
