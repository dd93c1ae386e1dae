"""The character's sounds: the committed files are what the source builds, soft and clean."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest
from companion.sounds import RATE, SOUNDS, build

from neodeskpet.platform.installation import assets_dir

FOLDER = assets_dir() / "sounds" / "character"
MOST_BYTES = 400_000


def samples_of(name: str) -> np.ndarray:
    with wave.open(str(FOLDER / f"{name}.wav"), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32_768.0


def test_a_build_gives_the_committed_bytes(tmp_path: Path) -> None:
    build(tmp_path / "first")
    build(tmp_path / "second")
    built = sorted(file.name for file in (tmp_path / "first").iterdir())
    assert built == sorted(file.name for file in FOLDER.iterdir())
    for name in built:
        first = (tmp_path / "first" / name).read_bytes()
        assert first == (tmp_path / "second" / name).read_bytes()
        assert first == (FOLDER / name).read_bytes(), name


def test_there_are_sixteen_small_files() -> None:
    assert len(SOUNDS) == 16
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= MOST_BYTES


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_is_short_soft_and_clean(name: str) -> None:
    sound = samples_of(name)
    assert 0.1 <= len(sound) / RATE <= 1.2
    assert np.abs(sound).max() <= 0.52, "far from clipping"
    assert abs(sound.mean()) < 0.001, "no offset"
    window = round(0.06 * RATE)
    loudest = np.sqrt(np.convolve(sound**2, np.ones(window) / window, "same").max())
    assert -21.0 <= 20 * np.log10(loudest) <= -17.0
    for end in (sound[:30], sound[::-1][:30]):
        # Where a device starts and ends, its sample is 0: a jump from there would be a click.
        assert abs(end[0]) < 0.0005
        assert np.abs(np.diff(end)).max() < 0.02


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_is_no_test_tone(name: str) -> None:
    """Its loudness or its spectrum moves: its parts are not alike."""
    sound = samples_of(name)
    parts = [one for one in np.array_split(sound, 16) if np.abs(one).max() > 0.01]
    loud = np.array([np.sqrt(np.mean(one**2)) for one in parts])
    spectra = [np.abs(np.fft.rfft(one, 2048)) for one in parts]
    middles = [float((one * np.arange(len(one))).sum() / one.sum()) for one in spectra]
    assert loud.max() > 1.5 * loud.min()
    assert max(middles) > 1.05 * min(middles)
