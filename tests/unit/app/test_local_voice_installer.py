"""The offline voice is installed with progress; failures are known errors."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from neodeskpet.app.extras_installer import ExtraCommandFailed, OnBytes
from neodeskpet.app.local_voice_installer import (
    LocalVoiceInstaller,
    NoSpaceForVoice,
    VoiceInstallFailed,
)
from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.platform.installation import extras_dir
from neodeskpet.voice.local_voice import DOWNLOAD_BYTES, EXTRA, KOKORO, WHISPER
from tests.unit.voice.test_local_voice import fill


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path))


async def add(name: str, on_bytes: OnBytes) -> None:
    assert name == EXTRA
    on_bytes(DOWNLOAD_BYTES // 2)
    on_bytes(DOWNLOAD_BYTES * 2)
    for model in (KOKORO, WHISPER):
        fill(extras_dir() / EXTRA, model)


async def fail(_name: str, _on_bytes: OnBytes) -> None:
    raise ExtraCommandFailed("no such host")


def test_it_is_installed_with_progress_and_removed() -> None:
    ended = []

    async def end_engines() -> None:
        ended.append(True)

    async def go() -> None:
        installer = LocalVoiceInstaller(add, end_engines=end_engines)
        assert not installer.installed
        shares: list[float] = []
        await installer.install(shares.append)
        assert shares == [0.0, 0.5, 1.0, 1.0]
        assert installer.installed
        await installer.remove()
        assert not installer.installed
        assert len(ended) == 2
        with pytest.raises(VoiceError):
            await installer.remove()

    asyncio.run(go())


def test_a_failure_is_reported() -> None:
    with pytest.raises(VoiceInstallFailed) as caught:
        asyncio.run(LocalVoiceInstaller(fail).install(lambda _share: None))
    assert caught.value.detail == "no such host"


def test_a_full_disk_is_reported_before_the_download() -> None:
    with pytest.raises(NoSpaceForVoice) as caught:
        asyncio.run(LocalVoiceInstaller(fail, free_bytes=lambda: 0).install(lambda _share: None))
    assert int(caught.value.params["count"]) > 900
