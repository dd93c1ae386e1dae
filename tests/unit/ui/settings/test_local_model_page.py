"""The page of the local model: the file, its state, its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.local.local_errors import BadModelFile, ExtraFailed, OutOfMemory
from neodeskpet.llm.local.local_host import ServerPhase, ServerStatus
from neodeskpet.llm.local.model_download import DownloadableModel, DownloadProgress
from neodeskpet.llm.local.model_file import ModelFile
from neodeskpet.platform.installation import extra_command
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.settings.local_model_page import LocalModelPage
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import live_settings, section

OFFER = DownloadableModel("Tiny 1B", "x/tiny.gguf", 1000, "", "MIT")


class Local:
    """A port whose model starts and stops on demand."""

    def __init__(self) -> None:
        self.installed = True
        self.used = False
        self.now = ServerStatus()
        self.fails: Exception | None = None
        self.bad: BadModelFile | None = None
        self.observers: list[Callable[[], None]] = []

    def condition(self) -> ServerStatus:
        return self.now

    async def memory(self) -> int | None:
        return 1_500_000_000 if self.now.phase is not ServerPhase.STOPPED else None

    async def read_file(self) -> ModelFile:
        if self.bad is not None:
            raise self.bad
        return ModelFile(Path("/m/tiny.gguf"), 1_000_000_000, "tiny", "Tiny", 4096, 100_000, False)

    async def start(self) -> None:
        if self.fails is not None:
            raise self.fails
        self.become(ServerStatus(ServerPhase.READY, 7))

    async def install(self) -> None:
        if self.fails is not None:
            raise self.fails
        self.installed = True

    async def stop(self) -> None:
        self.become(ServerStatus())

    def use(self) -> None:
        self.used = True

    def downloadable_models(self) -> Sequence[DownloadableModel]:
        return [OFFER]

    async def downloaded_bytes(self, offer: DownloadableModel) -> int:
        return 0

    async def fetch(
        self, offer: DownloadableModel, told: Callable[[DownloadProgress], None]
    ) -> str:
        return "/m/downloaded.gguf"

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: None

    def become(self, condition: ServerStatus) -> None:
        self.now = condition
        for observer in self.observers:
            observer()


@pytest.fixture
def local() -> Local:
    return Local()


@pytest.fixture
def settings(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


@pytest.fixture
def page(qtbot: QtBot, local: Local, settings: SettingsStore) -> LocalModelPage:
    made = LocalModelPage(section("local"), settings, local, LIGHT, DialogFolders())
    settings.subscribe(lambda where, name, _: made.setting_changed(where, name))
    qtbot.addWidget(made)
    made.retranslate()
    return made


async def choose(page: LocalModelPage, path: str = "/m/tiny.gguf") -> None:
    page.file.setText(path)
    page.file.editingFinished.emit()
    await settle()


def test_a_file_is_described_started_and_used(
    page: LocalModelPage, local: Local, settings: SettingsStore
) -> None:
    async def scene() -> None:
        assert not page.run.isEnabled()
        await choose(page)
        assert settings.settings.local.file == "/m/tiny.gguf"
        note = page.file_row.note.text()
        assert note.startswith("Tiny, 1.00 GB; takes about 1.56 GB of memory.")
        assert "talk oddly" in note
        assert page.state.text() == "Not running"
        page.run.click()
        await settle()
        assert page.state.text() == "Ready · 1.50 GB of memory"
        page.use.click()
        assert local.used
        assert page.use.isHidden()
        assert "uses it" in page.state_row.note.text()
        page.run.click()
        await settle()
        assert page.state.text().startswith("Not running")

    play(scene())


def test_an_error_of_a_file_is_shown_below_it(page: LocalModelPage, local: Local) -> None:
    async def scene() -> None:
        local.bad = BadModelFile("It is incomplete.", file="tiny.gguf")
        await choose(page)
        assert "It is incomplete." in page.file_row.error_label.text()
        assert not page.run.isEnabled()
        local.bad = None
        await choose(page, "/m/other.gguf")
        assert page.file_row.error_label.text() == ""
        assert page.run.isEnabled()

    play(scene())


def test_a_failed_start_has_its_reason(page: LocalModelPage, local: Local) -> None:
    async def scene() -> None:
        await choose(page)
        local.fails = OutOfMemory(file="tiny")
        page.run.click()
        await settle()
        assert "isn't enough for tiny" in page.state_row.error_label.text()
        local.fails = None
        local.become(ServerStatus(error=OutOfMemory(file="tiny")))
        assert "isn't enough for tiny" in page.state_row.error_label.text()
        local.become(ServerStatus(ServerPhase.LOADING, 7))
        assert page.state_row.error_label.text() == ""
        assert page.state.text().startswith("Loading…")

    play(scene())


def test_without_the_extra_it_says_which_command_to_type(
    page: LocalModelPage, local: Local
) -> None:
    async def scene() -> None:
        local.installed = False
        await choose(page)
        assert extra_command("local") in page.state_row.error_label.text()
        assert not page.run.isEnabled()
        assert not page.install.isHidden() and page.install.isEnabled()

    play(scene())


def test_the_extra_is_installed_by_a_button(page: LocalModelPage, local: Local) -> None:
    async def scene() -> None:
        local.installed = False
        await choose(page)
        local.fails = ExtraFailed()
        page.install.click()
        await settle()
        assert "couldn't be installed" in page.state_row.error_label.text()
        assert page.install.isEnabled()
        local.fails = None
        page.install.click()
        assert not page.install.isEnabled(), "one installation at a time"
        await settle()
        assert page.install.isHidden()
        assert page.state_row.error_label.text() == ""
        assert page.run.isEnabled()
        assert page.offers[0].press.isEnabled()

    play(scene())


def test_a_downloaded_model_is_chosen(page: LocalModelPage, settings: SettingsStore) -> None:
    async def scene() -> None:
        page.offers[0].press.click()
        await settle()
        assert settings.settings.local.file == "/m/downloaded.gguf"
        assert page.file.value() == "/m/downloaded.gguf"

    play(scene())


def test_a_search_finds_it(page: LocalModelPage) -> None:
    assert page.search("gguf") >= 2
    assert page.search("tiny") == 1
    assert page.search("镜像") == 1
