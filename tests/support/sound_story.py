"""What `test_sound_devices.py` runs in a process of its own: one story, with its result as JSON."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from array import array
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path

import miniaudio

from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.voice.sound_child import open_device
from neodeskpet.voice.sound_devices import Microphone, Speaker, list_sound_devices
from tests.support.pulseaudio import MONITOR, SINK

STOPS = 5
_LOUD = 1000


class RefusedDevice:
    """A device of miniaudio that can't be opened."""

    def __init__(self, **_options: object) -> None:
        raise miniaudio.MiniaudioError("access denied")


class RefusedStart:
    """A device of miniaudio that can be opened but not started."""

    closed = 0

    def __init__(self, **_options: object) -> None:
        """It is open."""

    def start(self, _samples: object) -> None:
        raise miniaudio.MiniaudioError("device is busy")

    def close(self) -> None:
        RefusedStart.closed += 1


def tone(level: int, seconds: float, rate: int) -> bytes:
    """A square wave."""
    return array(
        "h", [level, level, level, -level, -level, -level] * int(rate * seconds / 6)
    ).tobytes()


async def stop_story() -> dict[str, int]:
    """Each loud generation is stopped once it is recorded; then sound of it is offered again, and
    silence must follow.
    """
    speaker = Speaker(SINK)
    generation, heard, old = 0, 0, 0
    quiet, waiting = 0, False
    async with aclosing(Microphone(MONITOR).frames()) as frames:
        async for frame in frames:
            loud = max(map(abs, array("h", frame))) > _LOUD
            if not waiting and heard < STOPS:
                speaker.play(generation, tone(12_000, 5.0, speaker.rate))
                waiting, quiet = True, 0
            elif waiting and loud and quiet == 0:
                heard += 1
                stopped = generation
                generation = speaker.stop()
                speaker.play(stopped, tone(12_000, 5.0, speaker.rate))
                quiet = 1
            elif quiet:
                quiet += 1
                if quiet > 80:  # sound that was on its way when it was stopped has arrived
                    old += loud
                if quiet > 120:
                    waiting, quiet = False, 0
                    if heard == STOPS:
                        break
    speaker.close()
    return {"stops": generation, "heard": heard, "old_after_new": old}


async def unknown_story() -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        Speaker("none of this name").play(0, bytes(2))
    except VoiceError as error:
        found["speaker"] = error.code
    try:
        async with aclosing(Microphone("none of this name").frames()) as frames:
            await anext(frames)
    except VoiceError as error:
        found["microphone"] = error.code
    return found


async def refused_story() -> dict[str, str]:
    """The system refuses a device that it lists: without permission, or another program uses it
    alone.
    """
    found: dict[str, str] = {}
    for name, kind in (("open", RefusedDevice), ("start", RefusedStart)):
        try:
            open_device("", 16_000, (None for _ in range(1)), True, kind)
        except VoiceError as error:
            found[name] = error.code
    found["closed"] = str(RefusedStart.closed)
    return found


async def killed_story() -> dict[str, float]:
    """The process of the devices ends in mid-sound. With the next sound the rest is played too."""
    speaker = Speaker(SINK)
    speaker.play(0, tone(12_000, 1.0, speaker.rate))
    await _until(lambda: speaker.position > 0.3)
    for pid in _children():
        os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(2.5)  # then the device counts as lost
    before = speaker.position
    speaker.play(0, tone(12_000, 0.5, speaker.rate))
    await _until(lambda: speaker.is_idle)
    speaker.close()
    await _until(lambda: not _children())
    return {"before": before, "after": speaker.position}


def _children() -> list[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 - neither the device nor a process has an event
        await asyncio.sleep(0.02)


async def lost_story() -> dict[str, str]:
    try:
        async with aclosing(Microphone(MONITOR).frames()) as frames:
            await anext(frames)
            print("recording", flush=True)
            async for _ in frames:
                pass
    except VoiceError as error:
        return {"microphone": error.code}
    return {}


def main(story: str) -> None:
    match story:
        case "list":
            print(json.dumps(asdict(list_sound_devices())))
        case "stop":
            print(json.dumps(asyncio.run(stop_story())))
        case "unknown":
            print(json.dumps(asyncio.run(unknown_story())))
        case "refused":
            print(json.dumps(asyncio.run(refused_story())))
        case "killed":
            print(json.dumps(asyncio.run(killed_story())))
        case "lost":
            print(json.dumps(asyncio.run(lost_story())))


if __name__ == "__main__":
    main(sys.argv[1])
