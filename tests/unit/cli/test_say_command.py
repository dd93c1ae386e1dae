"""`neodeskpet say` against a service on loopback."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from neodeskpet.cli.say_command import run
from tests.support.speech_server import SpeechServer


@pytest.fixture
def server() -> Iterator[SpeechServer]:
    made = SpeechServer()
    yield made
    made.close()


def say(tmp_path: Path, *words: str) -> int:
    return run([*words, "--data-dir", str(tmp_path / "data")])


def test_the_sound_is_written(tmp_path: Path, server: SpeechServer) -> None:
    out = tmp_path / "hello.wav"
    assert say(tmp_path, "Hello 😀", "--out", str(out), "--base-url", server.url) == 0
    with wave.open(str(out)) as file:
        assert (file.getframerate(), file.getnframes()) == (24_000, 3)
    assert server.requests[0][2]["input"] == "Hello"


def test_the_message_of_a_failing_service_is_printed(
    tmp_path: Path, server: SpeechServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status, server.pieces = 400, [b'{"error": {"message": "No such voice: bob"}}']
    out = tmp_path / "hello.wav"
    assert say(tmp_path, "Hello", "--out", str(out), "--base-url", server.url) == 1
    assert "No such voice: bob" in capsys.readouterr().err
    assert not out.exists()


def test_without_a_service_it_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say(tmp_path, "Hello") == 1
    assert "--base-url" in capsys.readouterr().err


def test_tones_need_no_service(tmp_path: Path) -> None:
    out = tmp_path / "hello.wav"
    assert say(tmp_path, "Hello there", "--chirp", "--out", str(out)) == 0
    assert out.stat().st_size > 10_000


def test_without_the_offline_voice_it_says_how_to_install_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path))
    assert say(tmp_path, "Hello there", "--local") == 1
    assert "extras add local-voice" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("😀", "--chirp"), ("Hi", "--chirp", "--out", "/no/such/a.wav")])
def test_impossible_requests_are_errors(
    tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert say(tmp_path, *words) == 1
    message = capsys.readouterr().err
    assert message
    assert "Try again" not in message


def test_an_unknown_speaker_is_an_error_even_with_tones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say(tmp_path, "x", "--chirp", "--device", "No such speaker") == 1
    assert "There is no such audio device: No such speaker." in capsys.readouterr().err


def test_a_text_without_tones_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "nothing.wav"
    assert say(tmp_path, "?!", "--chirp", "--out", str(out)) == 1
    assert "Nothing in this text can be spoken." in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("word", ["x", "Hmm", "привет", "é", "你"])
def test_each_word_has_a_tone(tmp_path: Path, word: str) -> None:
    out = tmp_path / "word.wav"
    assert say(tmp_path, word, "--chirp", "--out", str(out)) == 0
    assert out.stat().st_size > 4_000


def test_wrong_usage(tmp_path: Path) -> None:
    assert run([]) == 2
