"""The computer's microphones and speakers, through miniaudio.

They are opened in a process of their own (`sound_child`), so that the work of the app can't delay
their sound. miniaudio converts sample rates and channels. Without a chosen device it uses the
system's default one.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from neodeskpet.core.voice.playback_queue import PlaybackQueue
from neodeskpet.core.voice.ports import (
    FRAME_BYTES,
    LISTEN_RATE,
    AudioDeviceLost,
    AudioDeviceNotListed,
    AudioDeviceRefused,
    NoAudioDevice,
    Played,
)
from neodeskpet.voice.sound_child import (
    GENERATION,
    NULL_BACKEND,
    NUMBER,
    PLAY,
    REPORT,
    STOP,
    VOLUME,
)
from neodeskpet.voice.sound_process import OpenDevice, open_device

_LOST_SECONDS = 2.0
"""A device that didn't call back for so long was disconnected."""
_MOST_WAITING = 500
"""Frames that wait for a slow reader; older ones are dropped."""


@dataclass(frozen=True, slots=True)
class SoundDevices:
    """The names of the devices that are connected. `backend` is "" where sound isn't available."""

    backend: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]


def list_sound_devices() -> SoundDevices:
    """May take some 100 ms."""
    import miniaudio

    try:
        devices = miniaudio.Devices()
        if devices.backend == NULL_BACKEND:
            return SoundDevices("", (), ())
        return SoundDevices(
            devices.backend,
            tuple(str(one["name"]) for one in devices.get_playbacks()),
            tuple(str(one["name"]) for one in devices.get_captures()),
        )
    except miniaudio.MiniaudioError:
        return SoundDevices("", (), ())


def require_device(name: str, *, is_output: bool) -> None:
    """Raises NoAudioDevice if no speaker or microphone of this name is connected. "" is the
    system's default one. May take some 100 ms.
    """
    if not name:
        return
    devices = list_sound_devices()
    connected = devices.outputs if is_output else devices.inputs
    if not connected:
        raise NoAudioDevice(device=name)
    if name not in connected:
        raise AudioDeviceNotListed(device=name, connected=", ".join(connected))


class Microphone:
    """A `core.voice.ports.AudioInput`. `device` is a name of `list_sound_devices`, "" the system's
    default.
    """

    def __init__(self, device: str = "") -> None:
        self._device = device

    async def frames(self) -> AsyncGenerator[bytes, None]:
        waiting: deque[bytes] = deque(maxlen=_MOST_WAITING)
        async with aclosing(self.hear(lambda frame, _at: waiting.append(frame))) as heard:
            async for _ in heard:
                while waiting:
                    yield waiting.popleft()

    async def hear(self, take: Callable[[bytes, float], object]) -> AsyncGenerator[None, None]:
        """Implement `core.voice.ports.ThreadedInput`."""
        loop = asyncio.get_running_loop()
        came = asyncio.Event()
        failures: list[Exception] = []
        pending = bytearray()

        def receive(report: bytes) -> None:
            """In the device's thread."""
            (at,) = NUMBER.unpack_from(report)
            pending.extend(report[NUMBER.size :])
            try:
                while len(pending) >= FRAME_BYTES:
                    frame = bytes(pending[:FRAME_BYTES])
                    del pending[:FRAME_BYTES]
                    take(frame, at - len(pending) / (2 * LISTEN_RATE))
            except Exception as error:  # noqa: BLE001 - it is raised below, on the event loop
                failures.append(error)
            # The loop may have been closed meanwhile.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(came.set)

        device = await asyncio.to_thread(
            open_device, is_output=False, name=self._device, rate=LISTEN_RATE, take=receive
        )
        try:
            while True:
                try:
                    await asyncio.wait_for(came.wait(), _LOST_SECONDS)
                except TimeoutError:
                    raise AudioDeviceLost from None
                came.clear()
                if failures:
                    raise failures[0]
                yield
        finally:
            device.close()


class Speaker:
    """A `core.voice.ports.AudioOutput`. It opens the device at the first sound. A device that was
    disconnected is opened again, else the system's default one.
    """

    def __init__(
        self,
        device: str = "",
        rate: int = 24_000,
        *,
        on_played: Played = lambda _pcm, _at: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_played` is called in the device's thread: what is played is the reference of echo
        cancellation.
        """
        self._name = device
        self._rate = rate
        self._on_played = on_played
        self._clock = clock
        self._queue = PlaybackQueue()
        """What the device has not reported as played. It has a copy."""
        self._lock = threading.Lock()
        self._device: OpenDevice | None = None
        self._volume = 1.0
        self._heard_at = 0.0

    @property
    def rate(self) -> int:
        return self._rate

    @property
    def position(self) -> float:
        return self._queue.played / self._rate

    @property
    def is_idle(self) -> bool:
        """Whether all sound was played."""
        return self._queue.is_empty

    def play(self, generation: int, pcm: bytes) -> None:
        self._ensure_open()
        with self._lock:
            if self._queue.add(generation, pcm):
                self._send(PLAY, GENERATION.pack(generation) + pcm)

    def stop(self) -> int:
        with self._lock:
            generation = self._queue.stop()
            self._send(STOP, GENERATION.pack(generation))
            return generation

    def set_volume(self, volume: float) -> None:
        with self._lock:
            self._volume = min(1.0, max(0.0, volume))
            self._send(VOLUME, NUMBER.pack(self._volume))

    def _send(self, what: bytes, rest: bytes) -> None:
        if self._device is not None:
            self._device.send(what, rest)

    def close(self) -> None:
        """Give the device back. The next sound opens it again."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def _ensure_open(self) -> None:
        if self._device is not None and self._clock() - self._heard_at < _LOST_SECONDS:
            return
        was_open = self._device is not None
        self.close()
        try:
            self._open(self._name)
        except (NoAudioDevice, AudioDeviceRefused):
            if not (was_open and self._name):
                raise
            self._open("")
        self._heard_at = self._clock()

    def _open(self, name: str) -> None:
        """Open a device. After a disconnection, the new one plays the sound that is left."""
        device = open_device(is_output=True, name=name, rate=self._rate, take=self._report)
        with self._lock:
            self._device = device
            self._send(VOLUME, NUMBER.pack(self._volume))
            left = GENERATION.pack(self._queue.generation) + self._queue.waiting
            self._send(PLAY, left)

    def _report(self, report: bytes) -> None:
        """In the device's thread."""
        self._heard_at = self._clock()
        generation, count, at = REPORT.unpack_from(report)
        with self._lock:
            if generation == self._queue.generation:
                self._queue.take(count)
        self._on_played(report[REPORT.size :], at)
