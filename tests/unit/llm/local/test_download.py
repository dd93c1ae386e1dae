"""Downloads from a real server: complete, cut, resumed, wrong, without room, cancelled."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.local_errors import DownloadError, NoSpace, WrongChecksum
from neodeskpet.llm.local.model_download import DownloadableModel, Downloader, DownloadProgress
from neodeskpet.platform.async_tasks import spawn_task
from tests.support.fileserver import FileServer, file_server

DATA = bytes(range(256)) * 12_000  # 3 MB
OFFER = DownloadableModel("Tiny", "x/tiny.gguf", len(DATA), hashlib.sha256(DATA).hexdigest(), "MIT")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server(DATA) as running:
        yield running


class Fetched:
    """The result of a download."""

    def __init__(
        self,
        folder: Path,
        url: str,
        offer: DownloadableModel = OFFER,
        *,
        free: int = 1 << 40,
        stop: Callable[[DownloadProgress], bool] = lambda _: False,
    ) -> None:
        self.render: list[DownloadProgress] = []
        self.error: DownloadError | None = None
        self.stopped = False
        self.file = folder / offer.file
        self.part = folder / f"{offer.file}.part"

        async def scene() -> None:
            client = HttpClient()
            downloader = Downloader(folder, client.open_file, free=lambda _: free)

            def hear(progress: DownloadProgress) -> None:
                self.render.append(progress)
                if stop(progress):
                    task.cancel()

            task = spawn_task(downloader.fetch(offer, url, hear), name="download")
            try:
                assert await task == downloader.target(offer)
            except DownloadError as error:
                self.error = error
            except asyncio.CancelledError:
                self.stopped = True
            self.kept = downloader.kept(offer)
            await client.aclose()

        asyncio.run(scene())


def test_a_complete_file_with_its_progress(tmp_path: Path, server: FileServer) -> None:
    fetched = Fetched(tmp_path / "new", server.url)
    assert fetched.file.read_bytes() == DATA
    assert not fetched.part.exists()
    done = [one.done for one in fetched.render]
    assert done == sorted(done)
    assert done[0] == 0
    assert fetched.render[-1] == DownloadProgress(len(DATA), len(DATA), checking=True)
    assert any(one.rate > 0 for one in fetched.render)


def test_an_existing_file_is_not_downloaded_again(tmp_path: Path, server: FileServer) -> None:
    Fetched(tmp_path, server.url)
    Fetched(tmp_path, server.url)
    assert len(server.asked) == 1


def test_a_finished_file_that_was_changed_is_downloaded_again(
    tmp_path: Path, server: FileServer
) -> None:
    (tmp_path / OFFER.file).write_bytes(bytes(len(DATA)))
    fetched = Fetched(tmp_path, server.url)
    assert fetched.error is None
    assert fetched.render[0].checking
    assert fetched.file.read_bytes() == DATA


def test_a_cut_connection_is_resumed(tmp_path: Path, server: FileServer) -> None:
    server.cuts = [1_500_000, 500_000]
    fetched = Fetched(tmp_path, server.url)
    assert fetched.error is None
    assert fetched.file.read_bytes() == DATA
    assert server.asked[0] == ""
    assert server.asked[1:] == ["bytes=1500000-", "bytes=2000000-"]


def test_an_earlier_partial_file_is_resumed(tmp_path: Path, server: FileServer) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(DATA[:1000])
    assert Fetched(tmp_path, server.url).file.read_bytes() == DATA
    assert server.asked == ["bytes=1000-"]


def test_without_ranges_it_starts_again(tmp_path: Path, server: FileServer) -> None:
    server.ranges = False
    (tmp_path / "tiny.gguf.part").write_bytes(b"x" * 1000)
    assert Fetched(tmp_path, server.url).file.read_bytes() == DATA


def test_a_partial_file_that_is_too_long_is_deleted(tmp_path: Path, server: FileServer) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(DATA + b"x")
    assert Fetched(tmp_path, server.url).file.read_bytes() == DATA
    assert server.asked == [""]


def test_a_connection_that_always_breaks_ends_and_keeps_the_partial_file(
    tmp_path: Path, server: FileServer
) -> None:
    server.cuts = [1000] + [0] * 9
    fetched = Fetched(tmp_path, server.url)
    assert type(fetched.error) is DownloadError
    assert fetched.kept == 1000
    assert len(server.asked) == 6


@pytest.mark.parametrize("known", [True, False])
def test_a_file_with_a_wrong_checksum_is_deleted(
    tmp_path: Path, server: FileServer, known: bool
) -> None:
    server.digest = "0" * 64
    offer = replace(OFFER, sha256="1" * 64 if known else "")
    fetched = Fetched(tmp_path, server.url, offer)
    assert isinstance(fetched.error, WrongChecksum)
    assert list(tmp_path.iterdir()) == []


def test_without_a_known_checksum_that_of_the_server_is_used(
    tmp_path: Path, server: FileServer
) -> None:
    server.digest = OFFER.sha256
    assert Fetched(tmp_path, server.url, replace(OFFER, sha256="")).file.exists()


def test_another_size_is_another_file(tmp_path: Path, server: FileServer) -> None:
    fetched = Fetched(tmp_path, server.url, replace(OFFER, size=len(DATA) + 5))
    assert isinstance(fetched.error, WrongChecksum)


def test_a_refusal_is_reported(tmp_path: Path, server: FileServer) -> None:
    server.status = 404
    fetched = Fetched(tmp_path, server.url)
    assert type(fetched.error) is DownloadError
    assert len(server.asked) == 1


def test_no_server(tmp_path: Path) -> None:
    fetched = Fetched(tmp_path, "http://127.0.0.1:9/x")
    assert type(fetched.error) is DownloadError


def test_without_disk_space_nothing_starts(tmp_path: Path, server: FileServer) -> None:
    fetched = Fetched(tmp_path, server.url, free=1_000_000)
    assert isinstance(fetched.error, NoSpace)
    assert fetched.error.params["count"] == "0.2"
    assert server.asked == []


def test_a_cancelled_download_keeps_its_partial_file(tmp_path: Path, server: FileServer) -> None:
    fetched = Fetched(tmp_path, server.url, stop=lambda progress: progress.done > 0)
    assert fetched.stopped
    assert 0 < fetched.kept < len(DATA)
    assert DATA.startswith(fetched.part.read_bytes())
    assert Fetched(tmp_path, server.url).file.read_bytes() == DATA
