"""Sound files as devices, with a virtual clock."""

from __future__ import annotations

import asyncio
from array import array
from pathlib import Path

import pytest

from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE, AudioFileUnreadable
from neodeskpet.voice.sound_files import (
    RecordedInput,
    RecordingOutput,
    VirtualClock,
    read_sound_file,
    write_wav,
)


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 44_100, 48_000, 96_000])
def test_any_rate_is_read_at_the_rate_of_listening(tmp_path: Path, rate: int) -> None:
    write_wav(tmp_path / "one.wav", array("h", [500] * rate).tobytes(), rate)
    samples = array("h", read_sound_file(tmp_path / "one.wav"))
    assert abs(len(samples) - LISTEN_RATE) <= 16
    assert abs(samples[len(samples) // 2] - 500) <= 10


def test_unreadable_files_are_known_errors(tmp_path: Path) -> None:
    (tmp_path / "x.wav").write_bytes(b"RIFFxxxx")
    for name in ("x.wav", "none.wav"):
        with pytest.raises(AudioFileUnreadable):
            read_sound_file(tmp_path / name)


def test_a_recording_comes_in_whole_frames_and_moves_the_clock() -> None:
    clock = VirtualClock()

    async def go() -> list[bytes]:
        return [frame async for frame in RecordedInput(b"\1\0" * 400, clock).frames()]

    frames = asyncio.run(go())
    assert [len(frame) for frame in frames] == [FRAME_BYTES] * 3
    assert b"".join(frames).rstrip(b"\0") == (b"\1\0" * 400).rstrip(b"\0")
    assert clock.now == pytest.approx(0.03)


def test_the_output_plays_while_the_clock_runs_and_stops_at_once() -> None:
    clock = VirtualClock()
    output = RecordingOutput(clock)
    tone = array("h", [100] * LISTEN_RATE).tobytes()
    output.play(0, tone)
    clock.advance(0.25)
    assert output.position == pytest.approx(0.25)
    output.set_volume(0.5)
    clock.advance(0.25)
    assert array("h", output.take())[-1] == 50
    generation = output.stop()
    output.play(generation - 1, tone)
    clock.advance(0.5)
    assert set(output.take()) == {0}
    assert output.position == 0.0
    output.play(generation, tone)
    clock.advance(0.1)
    assert set(array("h", output.take())) == {50}
    assert output.rate == LISTEN_RATE
    assert len(output.recorded) == round(1.1 * LISTEN_RATE) * 2
