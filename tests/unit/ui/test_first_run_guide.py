"""The first-run guide: finds local servers, connects, or stays with the offline helper."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unreachable
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.first_run_guide import FirstRunGuide
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
    LocalModelServer,
)
from neodeskpet.ui.theme import DARK, LIGHT, apply_theme
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Service, live_settings, section

OLLAMA = LocalModelServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b",))
EMPTY = LocalModelServer("LM Studio", "http://127.0.0.1:1234/v1")


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def guide(qtbot: QtBot, store: SettingsStore, service: Service) -> FirstRunGuide:
    made = FirstRunGuide(section("service"), store, service, service.local_servers, LIGHT)
    made.set_name("Mimi")
    qtbot.addWidget(made)
    made.resize(560, 800)
    made.show()
    return made


def words(guide: FirstRunGuide) -> list[str]:
    return [label.text() for label in guide.findChildren(QLabel) if not label.isHidden()]


def named(guide: FirstRunGuide, name: str) -> QPushButton:
    return next(b for b in guide.findChildren(QPushButton) if b.accessibleName() == name)


def test_greets_and_says_what_it_can_do(guide: FirstRunGuide) -> None:
    said = " ".join(words(guide))
    assert "Hello, I'm Mimi!" in said
    assert "connect a model service" in said


def test_shows_the_servers_it_finds(guide: FirstRunGuide, service: Service) -> None:
    service.servers = [OLLAMA, EMPTY]

    async def scenario() -> None:
        guide.start()
        assert "Looking for model servers…" in words(guide)
        await settle()
        said = words(guide)
        assert {"Ollama", "qwen3:8b", "LM Studio", "no model loaded"} <= set(said)
        assert "Looking for model servers…" not in said

    play(scenario())


def test_a_found_server_is_connected_with_one_press(
    guide: FirstRunGuide, service: Service, store: SettingsStore
) -> None:
    service.servers = [OLLAMA]
    service.proposal = EndpointTestProposal("auto", "All works.")
    finished: list[int] = []
    guide.finished.connect(lambda: finished.append(1))

    async def scenario() -> None:
        guide.start()
        await settle()
        named(guide, "Use Ollama").click()
        await settle()
        assert store.settings.service.base_url == OLLAMA.base_url
        assert store.settings.service.model == "qwen3:8b"
        assert finished == []
        guide.form.trial.proposal.take.click()
        assert finished == [1]

    play(scenario())


def test_says_when_nothing_runs_here_and_looks_again(
    guide: FirstRunGuide, service: Service
) -> None:
    async def scenario() -> None:
        guide.start()
        await settle()
        assert any("No model server runs here" in text for text in words(guide))
        service.servers = [OLLAMA]
        guide.again.click()
        await settle()
        assert "Ollama" in words(guide)

    play(scenario())


def test_a_failure_to_look_is_no_drama(guide: FirstRunGuide, service: Service) -> None:
    service.fails = Unreachable("no loopback")

    async def scenario() -> None:
        guide.start()
        await settle()
        assert any("No model server runs here" in text for text in words(guide))

    play(scenario())


def test_looks_once_at_a_time(guide: FirstRunGuide, service: Service) -> None:
    async def scenario() -> None:
        service.http_server = asyncio.Event()
        guide.start()
        guide.start()
        await settle()
        assert service.asked == ["local servers"]
        service.http_server.set()
        await settle()

    play(scenario())


def test_staying_with_the_helper_and_more_settings(
    guide: FirstRunGuide, store: SettingsStore
) -> None:
    told: list[str] = []
    guide.finished.connect(lambda: told.append("finished"))
    guide.settings_requested.connect(lambda: told.append("settings"))
    guide.stay.click()
    guide.more.click()
    assert told == ["finished", "settings"]
    assert store.settings.service.protocol == "offline"


def test_what_a_test_finds_comes_into_sight(guide: FirstRunGuide, service: Service) -> None:
    service.findings = [
        EndpointTestFinding(name, name.title(), EndpointTestVerdict.GOOD)
        for name in ("connection", "streaming", "tools")
    ]

    async def scenario() -> None:
        guide.resize(560, 420)
        guide.form.preset.chosen.emit("openai")
        await settle()
        guide.form.trial.button.click()
        report = guide.form.trial.report
        await until(lambda: len(report.findings()) == len(service.findings))
        await until(lambda: 0 < end_of(report) <= guide.viewport().height())

    def end_of(part: QWidget) -> int:
        return part.mapTo(guide, part.rect().bottomLeft()).y()

    play(scenario())


def test_fits_into_320(guide: FirstRunGuide) -> None:
    async def scenario() -> None:
        guide.resize(320, 600)
        guide.form.preset.chosen.emit("openai")
        await settle()
        assert guide.widget().minimumSizeHint().width() <= 320
        assert guide.horizontalScrollBar().maximum() == 0

    play(scenario())


def test_portrait_theme_and_language(guide: FirstRunGuide) -> None:
    face = QPixmap(300, 300)
    face.fill("teal")
    guide.set_portrait(face)
    light = guide.grab().toImage()
    guide.set_theme(DARK)
    guide.retranslate()
    assert guide.grab().toImage() != light


def test_large_text_is_cut_nowhere(qapp: QApplication, guide: FirstRunGuide) -> None:
    large = LIGHT.sized(27)
    apply_theme(qapp, large)
    try:
        guide.set_theme(large)
        for width in (360, 520, 700):
            guide.resize(width, 800)
            QApplication.sendPostedEvents()
            page = guide.widget()
            assert page.minimumSizeHint().width() <= page.width() == guide.viewport().width()
    finally:
        apply_theme(qapp, LIGHT)
