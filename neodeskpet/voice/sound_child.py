"""The process that plays and records.

A speaker wants its next sound within 10 ms. In the process of the app, the thread that gives it
waits for the other threads of Python: each second some piece of work takes longer, the speaker has
nothing to play, and echo cancellation loses the echo. Here no other work is done. What was played
and what was recorded comes to the app in the order in which it occurred, however late the app
reads it.

Each frame begins with HEAD: what it is, and the number of the device. The app sends OPEN (JSON:
`is_output`, `name`, `rate`), CLOSE, PLAY (GENERATION, sound), STOP (GENERATION), VOLUME (NUMBER).
The answer to OPEN is OPENED or FAILED (with JSON: `code`, `reason`). Then come PLAYED (REPORT, the
sound that was played) or RECORDED (NUMBER, the time, and sound).
"""

from __future__ import annotations

import gc
import json
import os
import struct
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from types import ModuleType
from typing import Any

from neodeskpet.core.voice.playback_queue import PlaybackQueue
from neodeskpet.core.voice.ports import AudioDeviceRefused, NoAudioDevice, VoiceError
from neodeskpet.platform.child_process import read_frame, write_frame

HEAD = struct.Struct(">cH")
GENERATION, NUMBER, REPORT = struct.Struct(">I"), struct.Struct(">d"), struct.Struct(">IId")
"""REPORT: the generation, how many of the samples are its (the rest is silence), and the time."""
OPEN, CLOSE, PLAY, STOP, VOLUME = b"o", b"c", b"p", b"s", b"v"
OPENED, FAILED, PLAYED, RECORDED = b"O", b"F", b"P", b"R"

_PERIOD_MS = 10
_OUTPUT_PERIODS = 2
"""Two periods are at most 20 ms of sound that `stop` can't cancel."""
_INPUT_PERIODS = 20
"""Recorded sound waits in the device for so long; the periods come one by one all the same."""
_SWITCH_SECONDS = 0.0005
"""Time for which one thread keeps another from running."""
_END_SECONDS = 1.0
"""Time in which the devices must close at the end."""
_APP_NAME = "NeoDeskPet"
NULL_BACKEND = "Null"
"""miniaudio's backend of last resort: it plays nothing and records silence."""

Send = Callable[[bytes], object]


class _Player:
    """The sound of an output, and its reports."""

    def __init__(self, number: int, send: Send) -> None:
        self._number = number
        self._send = send
        self._queue = PlaybackQueue()
        self._lock = threading.Lock()

    def command(self, what: bytes, rest: bytes) -> None:
        with self._lock:
            if what == VOLUME:
                (self._queue.volume,) = NUMBER.unpack(rest)
                return
            (generation,) = GENERATION.unpack_from(rest)
            self._queue.add(generation, rest[GENERATION.size :])

    def samples(self) -> Generator[bytes, int, None]:
        count = yield b""
        while True:
            at = time.monotonic()
            with self._lock:
                queue = self._queue
                before = queue.played
                pcm = queue.take(count)
                report = REPORT.pack(queue.generation, queue.played - before, at)
            self._send(HEAD.pack(PLAYED, self._number) + report + pcm)
            count = yield pcm


def _recorded(number: int, send: Send) -> Generator[None, bytes, None]:
    head = HEAD.pack(RECORDED, number)
    while True:
        pcm = bytes((yield))
        send(head + NUMBER.pack(time.monotonic()) + pcm)


@dataclass(frozen=True, slots=True)
class _Device:
    device: Any
    player: _Player | None


class _Devices:
    """The open devices by number. Opening and closing take time, so each has a thread."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._open: dict[int, _Device] = {}

    def obey(self, frame: bytes) -> None:
        what, number = HEAD.unpack_from(frame)
        rest = frame[HEAD.size :]
        if what == OPEN:
            threading.Thread(target=self._start, args=(number, json.loads(rest))).start()
            return
        found = self._open.get(number)
        if found is None:
            return
        if what == CLOSE:
            del self._open[number]
            threading.Thread(target=found.device.close).start()
        elif found.player is not None:
            found.player.command(what, rest)

    def close(self) -> None:
        for one in self._open.values():
            one.device.close()

    def _start(self, number: int, wanted: dict[str, Any]) -> None:
        player = _Player(number, self._send) if wanted["is_output"] else None
        samples = player.samples() if player is not None else _recorded(number, self._send)
        try:
            device = open_device(wanted["name"], wanted["rate"], samples, player is not None)
        except VoiceError as error:
            answer = json.dumps({"code": error.code, "reason": error.detail}).encode()
            self._send(HEAD.pack(FAILED, number) + answer)
            return
        self._open[number] = _Device(device, player)
        self._send(HEAD.pack(OPENED, number))


def open_device(
    name: str, rate: int, samples: Generator[Any, Any, None], is_output: bool, kind: Any = None
) -> Any:
    """Open and start a device; `name` "" is the system's default. `kind`: its class. Raises
    NoAudioDevice, AudioDeviceRefused.
    """
    import miniaudio

    try:
        known = miniaudio.Devices()
        listed = known.get_playbacks() if is_output else known.get_captures()
    except miniaudio.MiniaudioError as error:  # a sound system without devices
        raise NoAudioDevice(str(error), device=name) from None
    device = None
    try:
        device_id = next((one["id"] for one in listed if one["name"] == name), None)
        if known.backend == NULL_BACKEND or not listed or (name and device_id is None):
            raise NoAudioDevice(device=name)
        usual = miniaudio.PlaybackDevice if is_output else miniaudio.CaptureDevice
        sample_format = "output_format" if is_output else "input_format"
        device = (kind or usual)(
            nchannels=1,
            sample_rate=rate,
            buffersize_msec=_PERIOD_MS,
            callback_periods=_OUTPUT_PERIODS if is_output else _INPUT_PERIODS,
            device_id=device_id,
            app_name=_APP_NAME,
            **{sample_format: miniaudio.SampleFormat.SIGNED16},
        )
        next(samples)
        device.start(samples)
    except miniaudio.MiniaudioError as error:
        if device is not None:
            device.close()
        raise AudioDeviceRefused(str(error), device=name) from None
    return device


def main(_arguments: Sequence[str]) -> int:
    """Obey standard input until it ends. Returns the exit code."""
    # miniaudio could read radio stations with it, and loads 10 MB for that.
    sys.modules.setdefault("urllib.request", ModuleType("urllib.request"))
    gc.disable()
    sys.setswitchinterval(_SWITCH_SECONDS)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries goes to standard error
    waiting: SimpleQueue[bytes] = SimpleQueue()

    def write() -> None:
        try:
            while True:
                write_frame(out, waiting.get())
        except OSError:
            os._exit(0)  # the app has ended

    threading.Thread(target=write, daemon=True).start()
    devices = _Devices(waiting.put)
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        devices.obey(frame)
    end = threading.Timer(_END_SECONDS, os._exit, (0,))
    end.daemon = True
    end.start()
    devices.close()
    # A thread of a device may still wait for the interpreter.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
