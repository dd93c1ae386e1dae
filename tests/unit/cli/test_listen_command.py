"""`neodeskpet listen FILE` against a service on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from neodeskpet.cli.listen_command import run
from neodeskpet.voice.sound_files import write_wav
from tests.support.transcription_server import TranscriptionServer


@pytest.fixture
def server() -> Iterator[TranscriptionServer]:
    made = TranscriptionServer()
    yield made
    made.close()


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "hello.wav"
    write_wav(path, b"\1\0" * 44_100, 44_100)
    return path


def listen(tmp_path: Path, *words: str) -> int:
    return run([*words, "--data-dir", str(tmp_path / "data")])


def test_the_text_is_printed(
    tmp_path: Path, sound: Path, server: TranscriptionServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listen(tmp_path, str(sound), "--base-url", server.url) == 0
    assert capsys.readouterr().out == "Hello there.\n"


def test_the_message_of_a_failing_service_is_printed(
    tmp_path: Path, sound: Path, server: TranscriptionServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status, server.body = 400, '{"error": {"message": "The model is not loaded."}}'
    assert listen(tmp_path, str(sound), "--base-url", server.url) == 1
    said = capsys.readouterr()
    assert "The model is not loaded." in said.err
    assert said.out == ""


def test_without_a_service_it_says_what_to_do(
    tmp_path: Path, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listen(tmp_path, str(sound)) == 1
    assert "--base-url" in capsys.readouterr().err


def test_without_the_offline_voice_it_says_how_to_install_it(
    tmp_path: Path,
    sound: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path))
    assert listen(tmp_path, str(sound), "--local") == 1
    assert "extras add local-voice" in capsys.readouterr().err


def test_a_file_that_is_no_sound(
    tmp_path: Path, server: TranscriptionServer, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.wav"
    text.write_text("no sound")
    for path in (text, tmp_path / "missing.wav"):
        assert listen(tmp_path, str(path), "--base-url", server.url) == 1
        assert path.name in capsys.readouterr().err
    assert server.paths == []


def test_an_unknown_microphone_is_an_error(
    tmp_path: Path, server: TranscriptionServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listen(tmp_path, "--device", "None such", "--base-url", server.url) == 1
    assert "There is no such audio device: None such." in capsys.readouterr().err


def test_wrong_usage() -> None:
    assert run(["--unknown"]) == 2
