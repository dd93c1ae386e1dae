"""An offered model: downloaded, stopped, resumed, chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.local.local_errors import NoSpace
from neodeskpet.llm.local.model_download import DownloadableModel, DownloadProgress
from neodeskpet.ui.settings.local_model_download import ModelDownloadRow, format_gigabytes
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, settle

OFFER = DownloadableModel("Tiny 1B", "x/tiny.gguf", 2_000_000_000, "", "MIT")


class Source:
    """Downloads up to the given size."""

    def __init__(self) -> None:
        self.bytes = 0
        self.fails: NoSpace | None = None
        self.go = asyncio.Event()

    async def downloaded_bytes(self, offer: DownloadableModel) -> int:
        return self.bytes

    async def fetch(
        self, offer: DownloadableModel, told: Callable[[DownloadProgress], None]
    ) -> str:
        if self.fails is not None:
            raise self.fails
        self.bytes = 500_000_000
        told(DownloadProgress(self.bytes, offer.size, 3_000_000))
        await self.go.wait()
        told(DownloadProgress(offer.size, offer.size, checking=True))
        await asyncio.sleep(0)
        self.bytes = offer.size
        return "/models/tiny.gguf"


@pytest.fixture
def taken() -> list[str]:
    return []


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def row(qtbot: QtBot, source: Source, taken: list[str]) -> ModelDownloadRow:
    made = ModelDownloadRow(source, OFFER, LIGHT, taken.append, stack="models")
    qtbot.addWidget(made)
    made.set_usable(True)
    made.retranslate()
    return made


def test_nothing_is_downloaded_before_it_can_be_run(row: ModelDownloadRow) -> None:
    row.set_usable(False)
    assert not row.press.isEnabled()
    row.set_usable(True)
    assert row.press.isEnabled()


def test_it_describes_the_model_and_downloads_it(
    row: ModelDownloadRow, source: Source, taken: list[str]
) -> None:
    async def scene() -> None:
        row.refresh()
        await settle()
        assert row.about.text() == "2.00 GB · MIT"
        assert row.press.text() == "Download"
        assert row.search("tiny 1b")
        row.press.click()
        await settle()
        assert row.press.text() == "Cancel"
        assert row.note.text() == "0.50 of 2.00 GB, 3.0 MB a second"
        assert (row.bar.value(), row.bar.maximum()) == (250, 1000)
        source.go.set()
        await settle()
        assert taken == ["/models/tiny.gguf"]
        assert row.press.text() == "Choose"
        assert row.note.text() == "It is on this computer."
        assert row.bar.isHidden()

    play(scene())


def test_a_cancelled_download_can_be_resumed(
    row: ModelDownloadRow, source: Source, taken: list[str]
) -> None:
    async def scene() -> None:
        row.press.click()
        await settle()
        row.press.click()
        await settle()
        assert not row.running
        assert row.press.text() == "Go on"
        assert row.note.text() == "25 % are here already."
        source.go.set()
        row.press.click()
        await settle()
        assert taken == ["/models/tiny.gguf"]

    play(scene())


def test_it_ends_with_the_window(row: ModelDownloadRow) -> None:
    async def scene() -> None:
        await row.aclose()  # nothing runs: nothing happens
        row.press.click()
        await settle()
        await row.aclose()
        assert not row.running

    play(scene())


def test_an_error_is_shown_until_the_next_attempt(row: ModelDownloadRow, source: Source) -> None:
    async def scene() -> None:
        source.fails = NoSpace(count="1.5", folder="/data")
        row.press.click()
        await settle()
        assert row.error_label.text().startswith(
            "The disk with /data needs 1.5 GB more free space."
        )
        source.fails = None
        source.go.set()
        row.press.click()
        await settle()
        assert row.error_label.text() == ""

    play(scene())


def test_sizes() -> None:
    sizes = [format_gigabytes(count) for count in (98_362_432, 2_497_280_256, 30_000_000_000)]
    assert sizes == ["0.10", "2.50", "30"]
