"""The first-run guide: finds local servers, connects, or stays with the offline helper."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import Unreachable
from neodeskpet.ui.first_run_guide import FirstRunGuide
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestVerdict,
    LocalModelServer,
)
from neodeskpet.ui.theme import DARK, LIGHT, apply_theme
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Service, Services

OLLAMA = LocalModelServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b",))
EMPTY = LocalModelServer("LM Studio", "http://127.0.0.1:1234/v1")


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def guide(qtbot: QtBot, services: Services, service: Service) -> FirstRunGuide:
    made = FirstRunGuide(services, service.local_servers, LIGHT)
    made.set_name("Mimi")
    qtbot.addWidget(made)
    made.resize(560, 800)
    made.show()
    return made


def words(guide: FirstRunGuide) -> list[str]:
    return [label.text() for label in guide.findChildren(QLabel) if not label.isHidden()]


def named(guide: FirstRunGuide, name: str) -> QPushButton:
    return next(b for b in guide.findChildren(QPushButton) if b.accessibleName() == name)


def test_it_greets_and_says_what_it_can_do(guide: FirstRunGuide) -> None:
    said = " ".join(words(guide))
    assert "Hello, I'm Mimi!" in said
    assert "connect a model service" in said


def test_it_shows_the_servers_it_finds(guide: FirstRunGuide, service: Service) -> None:
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
    guide: FirstRunGuide, service: Service, services: Services
) -> None:
    service.servers = [OLLAMA]
    finished: list[int] = []
    guide.finished.connect(lambda: finished.append(1))

    async def scenario() -> None:
        guide.start()
        await settle()
        named(guide, "Use Ollama").click()
        editor = guide.services.editor
        assert editor is not None
        services.endpoint("Ollama").findings = [
            EndpointTestFinding("streaming", "Streaming", EndpointTestVerdict.GOOD)
        ]
        editor.trial.run()
        await until(lambda: guide.stay.property("primary") is True)
        (endpoint,) = services.catalog.endpoints
        (model,) = services.catalog.models
        assert (endpoint.base_url, model.id) == (OLLAMA.base_url, "qwen3:8b")
        assert finished == []
        guide.stay.click()
        assert finished == [1]
        guide.services.cancel()

    play(scenario())


def test_a_server_without_a_model_gets_one_from_the_test(
    guide: FirstRunGuide, service: Service, services: Services
) -> None:
    service.servers = [EMPTY]

    async def scenario() -> None:
        guide.start()
        await settle()
        named(guide, "Use LM Studio").click()
        assert services.catalog.models == ()
        assert guide.services.editor is not None
        guide.services.editor.trial.run()
        await until(lambda: services.catalog.models != ())
        await until(lambda: "test" in services.endpoint("LM Studio").asked)
        guide.services.cancel()

    play(scenario())


def test_it_says_when_nothing_runs_here_and_searches_again(
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


def test_a_failed_search_is_no_error(guide: FirstRunGuide, service: Service) -> None:
    service.fails = Unreachable("no loopback")

    async def scenario() -> None:
        guide.start()
        await settle()
        assert any("No model server runs here" in text for text in words(guide))

    play(scenario())


def test_it_searches_once_at_a_time(guide: FirstRunGuide, service: Service) -> None:
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
    guide: FirstRunGuide, services: Services
) -> None:
    told: list[str] = []
    guide.finished.connect(lambda: told.append("finished"))
    guide.settings_requested.connect(lambda: told.append("settings"))
    guide.stay.click()
    guide.more.click()
    assert told == ["finished", "settings"]
    assert services.catalog.endpoints == ()


def test_a_new_service_is_scrolled_into_view(guide: FirstRunGuide) -> None:
    async def scenario() -> None:
        guide.resize(560, 600)
        guide.add.choose("openai")
        editor = guide.services.editor
        assert editor is not None
        await until(lambda: guide.focusWidget() is editor.key.entry)
        await until(lambda: 0 < end_of(editor.trial) <= guide.viewport().height())
        guide.services.cancel()

    def end_of(part: QWidget) -> int:
        return part.mapTo(guide, part.rect().bottomLeft()).y()

    play(scenario())


def test_fits_into_320(guide: FirstRunGuide) -> None:
    async def scenario() -> None:
        guide.resize(320, 600)
        guide.add.choose("openai")
        await settle()
        assert guide.widget().minimumSizeHint().width() <= 320
        assert guide.horizontalScrollBar().maximum() == 0
        guide.services.cancel()

    play(scenario())


def test_portrait_theme_and_language(guide: FirstRunGuide) -> None:
    face = QPixmap(300, 300)
    face.fill("teal")
    guide.set_portrait(face)
    light = guide.grab().toImage()
    guide.set_theme(DARK)
    guide.retranslate()
    assert guide.grab().toImage() != light


def test_large_text_is_not_cut(qapp: QApplication, guide: FirstRunGuide) -> None:
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
