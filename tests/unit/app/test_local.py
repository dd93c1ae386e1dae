"""The page of the local model, with a real engine."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import sys
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.local_models import LocalModelAdapter
from neodeskpet.app.service_settings import CatalogAdapter
from neodeskpet.core.errors import KnownError
from neodeskpet.llm.catalog.model_catalog import catalog_of_service
from neodeskpet.llm.local.local_errors import BadModelFile, ExtraFailed
from neodeskpet.llm.local.local_host import ServerPhase
from neodeskpet.llm.local.model_download import DownloadableModel, DownloadProgress
from neodeskpet.platform.installation import EXTRAS, extras_dir
from tests.support.fileserver import file_server
from tests.support.gguf import gguf, write_gguf

Work = Callable[[Engine, LocalModelAdapter], Awaitable[None]]


def on_engine(
    home: Path, work: Work, offers: tuple[DownloadableModel, ...] = (), hub: str = ""
) -> None:
    async def scene() -> None:
        engine = await open_engine(home)
        try:
            await work(engine, LocalModelAdapter(engine, CatalogAdapter(engine), offers, hub=hub))
        finally:
            await engine.aclose()

    asyncio.run(scene())


def test_the_chosen_file_is_inspected(tmp_path: Path) -> None:
    async def work(engine: Engine, desk: LocalModelAdapter) -> None:
        assert desk.condition().phase is ServerPhase.STOPPED
        engine.settings.change("local", "file", str(write_gguf(tmp_path)))
        assert (await desk.read_file()).name == "Tiny 小"
        assert await desk.memory() is None
        (tmp_path / "bad.gguf").write_bytes(b"<html>")
        engine.settings.change("local", "file", str(tmp_path / "bad.gguf"))
        with pytest.raises(BadModelFile):
            await desk.read_file()

    on_engine(tmp_path / "home", work)


def test_a_failed_start_is_shown_as_the_state(tmp_path: Path) -> None:
    async def work(engine: Engine, desk: LocalModelAdapter) -> None:
        heard: list[ServerPhase] = []
        desk.subscribe(lambda: heard.append(desk.condition().phase))
        engine.settings.change("local", "file", str(tmp_path / "none.gguf"))
        with pytest.raises(KnownError) as caught:
            await desk.start()
        assert desk.condition().error is caught.value
        assert heard == [ServerPhase.STOPPED]
        await desk.stop()

    on_engine(tmp_path / "home", work)


def test_a_used_local_model_replaces_the_service(tmp_path: Path) -> None:
    async def work(engine: Engine, desk: LocalModelAdapter) -> None:
        file = write_gguf(tmp_path, "Tiny 小.gguf")
        engine.settings.change("local", "file", str(file))
        assert not desk.used
        desk.use()
        assert desk.used
        service = engine.settings.settings.service
        assert (service.protocol, service.model) == ("openai", "Tiny 小")
        assert service.base_url == f"local:{file}"
        assert engine.models.turn_factory.model().label == "Tiny 小"
        engine.settings.change("local", "file", "another.gguf")
        assert not desk.used

    on_engine(tmp_path / "home", work)


def test_with_a_catalogue_it_becomes_the_chat_model(tmp_path: Path) -> None:
    async def work(engine: Engine, desk: LocalModelAdapter) -> None:
        engine.models.catalog_file.save(catalog_of_service("openai", "http://127.0.0.1:9", "m"))
        engine.settings.change("local", "file", str(write_gguf(tmp_path)))
        desk.use()
        desk.use()  # A second time changes nothing.
        assert desk.used
        catalog = engine.models.turn_factory.catalog()
        assert [one.name for one in catalog.endpoints] == ["service", "This computer"]
        assert [one.id for one in catalog.models] == ["m", "tiny"]
        assert engine.settings.settings.service.base_url == ""

    on_engine(tmp_path / "home", work)


def test_a_download_is_stored_in_the_data_folder(tmp_path: Path) -> None:
    data = gguf()
    with file_server(data) as server:
        offer = DownloadableModel(
            "Tiny", "file", len(data), hashlib.sha256(data).hexdigest(), "MIT"
        )
        told: list[DownloadProgress] = []

        async def work(engine: Engine, desk: LocalModelAdapter) -> None:
            assert list(desk.downloadable_models()) == [offer]
            assert await desk.downloaded_bytes(offer) == 0
            file = Path(await desk.fetch(offer, told.append))
            assert file == engine.storage.home / "language-models" / "file"
            assert await asyncio.to_thread(file.read_bytes) == data
            assert await desk.downloaded_bytes(offer) == len(data)

        on_engine(tmp_path / "home", work, (offer,), server.url.removesuffix("/file"))
    assert told[-1].checking


def wheel(folder: Path, pin: str, module: str) -> None:
    """A minimal wheel of this name and version with one empty module."""
    name, version = pin.split("==")
    facts = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as made:
        made.writestr(f"{module}.py", "")
        made.writestr(
            f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        made.writestr(
            f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{facts}/RECORD", "")


def test_the_extra_is_installed_into_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, index = tmp_path / "home", tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("NEODESKPET_HOME", str(home))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setattr(sys, "path", list(sys.path))

    async def work(engine: Engine, desk: LocalModelAdapter) -> None:
        with pytest.raises(ExtraFailed) as caught:
            await desk.install()
        assert "xllamacpp" in caught.value.detail
        assert not (extras_dir() / "local").exists()
        wheel(index, EXTRAS["local"][0], "just_installed")
        await desk.install()
        assert importlib.util.find_spec("just_installed") is not None

    on_engine(home, work)
