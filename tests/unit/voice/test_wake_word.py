"""The wake word is found in the microphone's sound; only features of a recorded name are stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from neodeskpet.core.voice.ports import FRAME_BYTES, VoiceError
from neodeskpet.voice.wake_word import (
    RECORDED,
    NoWakeWord,
    RecordedWord,
    WakeWordJudge,
    WakeWordNotHeard,
    example_of,
    load_features,
    load_wake_word,
    read_examples,
    save_examples,
)
from tests.support.barge_in import own_speech
from tests.support.sounds import LoudnessJudge


def word(seed: int, steps: int) -> Any:
    """Embeddings that change slowly, as those of speech do."""
    chance = numpy.random.default_rng(seed)
    ends = chance.normal(0, 1, (4, 96))
    places = numpy.linspace(0, 3, steps)
    return numpy.array(
        [[numpy.interp(at, range(4), ends[:, i]) for i in range(96)] for at in places]
    )


def hears(finder: RecordedWord, *parts: Any) -> bool:
    found = [finder.found(one) for part in parts for one in part]
    return any(found)


def test_a_recorded_name_is_found_at_any_speed() -> None:
    examples = [word(1, steps) for steps in (8, 9, 10)]
    for steps in (7, 9, 13):
        assert hears(RecordedWord(examples), word(2, 20), word(1, steps))


def test_other_words_and_a_part_of_the_name_are_not_found() -> None:
    examples = [word(1, steps) for steps in (8, 9, 10)]
    assert not hears(RecordedWord(examples), *(word(seed, 10) for seed in range(2, 30)))
    assert not hears(RecordedWord(examples), word(2, 20), word(1, 10)[:4], word(3, 20))


class Finder:
    """Finds the words with these numbers."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = numbers
        self._count = 0

    def found(self, embedding: Any) -> bool:
        self._count += 1
        return self._count in self._numbers


def test_a_wake_word_counts_once() -> None:
    judge = WakeWordJudge(LoudnessJudge(), Finder(3, 4, 5, 240), lambda frame: [frame])
    woken = []
    for number in range(1, 260):
        assert judge.process(bytes(FRAME_BYTES)) == (bytes(FRAME_BYTES), [False])
        if judge.take_woken():
            woken.append(number)
    assert woken == [3, 240]


def test_what_is_played_reaches_echo_cancellation() -> None:
    inner = LoudnessJudge()
    WakeWordJudge(inner, Finder(), lambda frame: []).reference(bytes(320))
    assert inner.played == 320


def embeddings(frame: bytes) -> Sequence[Any]:
    return [numpy.full(96, 0.12345)]


def test_a_recording_keeps_the_features_of_its_speech(tmp_path: Path) -> None:
    frames = [bytes(FRAME_BYTES)] * 200
    example = example_of(frames, range(100, 160), embeddings)
    assert len(example) == 159 + 16 - 108 + 1
    assert example[0] == [0.123] * 96
    path = tmp_path / "wake_word.json"
    save_examples(path, [example])
    assert read_examples(path) == [example]
    assert isinstance(load_wake_word(RECORDED, path)[0], RecordedWord)


@pytest.mark.parametrize("speech", [(), range(100, 110), range(100, 400)])
def test_a_recording_without_a_name_is_refused(speech: Sequence[int]) -> None:
    with pytest.raises(WakeWordNotHeard):
        example_of([bytes(FRAME_BYTES)] * 500, speech, embeddings)


@pytest.mark.parametrize("text", ["", "[]", '{"examples": []}', '{"examples": [["a"]]}'])
def test_without_a_recorded_name_it_says_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wake_word.json"
    with pytest.raises(NoWakeWord):
        load_wake_word(RECORDED, path)
    path.write_text(text, "utf-8")
    with pytest.raises(NoWakeWord):
        load_wake_word(RECORDED, path)


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(VoiceError):
        save_examples(tmp_path / "missing" / "wake_word.json", [])


@pytest.mark.parametrize("word", ["okay_nabu", "hey_jarvis", "hey_mycroft", "alexa"])
def test_the_words_of_the_library_are_not_found_in_other_speech(word: str) -> None:
    """With the real library: features of two seconds of speech reach the model."""
    finder, features = load_wake_word(word, Path())
    speech = own_speech()
    found = [
        finder.found(one)
        for start in range(0, 64_000, FRAME_BYTES)
        for one in features(speech[start : start + FRAME_BYTES])
    ]
    assert len(found) >= 190
    assert not any(found)


def test_the_features_of_names_come_every_80_ms() -> None:
    """With the real library."""
    features = load_features()
    speech = own_speech()
    found = [
        one
        for start in range(0, 64_000, FRAME_BYTES)
        for one in features(speech[start : start + FRAME_BYTES])
    ]
    assert len(found) in (24, 25)
    assert all(one.shape == (96,) for one in found)
