"""The computer's microphones and speakers, through miniaudio.

miniaudio calls back in threads of its own. It converts sample rates and channels. Without a chosen
device it uses the system's default one.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from neodeskpet.core.voice.playback_queue import PlaybackQueue
from neodeskpet.core.voice.ports import (
    FRAME_BYTES,
    LISTEN_RATE,
    AudioDeviceLost,
    AudioDeviceRefused,
    NoAudioDevice,
)
from neodeskpet.language import tr

_PERIOD_MS = 10
_PERIODS = 2
"""Two periods are at most 20 ms of sound that `stop` can't cancel."""
_LOST_SECONDS = 2.0
"""A device that didn't call back for so long was disconnected."""
_MOST_WAITING = 500
"""Frames that wait for a slow reader; older ones are dropped."""
_NULL_BACKEND = "Null"
"""miniaudio's backend of last resort: it plays nothing and records silence."""
_APP_NAME = "NeoDeskPet"


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
        if devices.backend == _NULL_BACKEND:
            return SoundDevices("", (), ())
        return SoundDevices(
            devices.backend,
            tuple(str(one["name"]) for one in devices.get_playbacks()),
            tuple(str(one["name"]) for one in devices.get_captures()),
        )
    except miniaudio.MiniaudioError:
        return SoundDevices("", (), ())


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

        def receive(data: bytes) -> None:
            """In the device's thread."""
            at = time.monotonic()
            pending.extend(data)
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

        device = await asyncio.to_thread(_open_capture, self._device, receive)
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
            await asyncio.shield(asyncio.to_thread(device.close))


class Speaker:
    """A `core.voice.ports.AudioOutput`. It opens the device at the first sound. A device that was
    disconnected is opened again, else the system's default one.
    """

    def __init__(
        self,
        device: str = "",
        rate: int = 24_000,
        *,
        on_played: Callable[[bytes], None] = lambda _pcm: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_played` gets the samples that go to the device, in the device's thread: they are the
        reference of echo cancellation.
        """
        self._name = device
        self._rate = rate
        self._on_played = on_played
        self._clock = clock
        self._queue = PlaybackQueue()
        self._lock = threading.Lock()
        self._device: _OpenDevice | None = None
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
            self._queue.add(generation, pcm)

    def stop(self) -> int:
        with self._lock:
            return self._queue.stop()

    def set_volume(self, volume: float) -> None:
        with self._lock:
            self._queue.volume = min(1.0, max(0.0, volume))

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
            self._device = self._open(self._name)
        except (NoAudioDevice, AudioDeviceRefused):
            if not (was_open and self._name):
                raise
            self._device = self._open("")
        self._heard_at = self._clock()

    def _open(self, name: str) -> _OpenDevice:
        return _open_playback(name, self._rate, self._take)

    def _take(self, count: int) -> bytes:
        self._heard_at = self._clock()
        with self._lock:
            pcm = self._queue.take(count)
        self._on_played(pcm)
        return pcm


class _OpenDevice:
    """A device that is closed before Python ends: its thread would wait for the interpreter, and
    Python for the thread.
    """

    def __init__(self, device: Any) -> None:
        self._device = device
        atexit.register(self.close)

    def close(self) -> None:
        atexit.unregister(self.close)
        self._device.close()


def _open_playback(name: str, rate: int, take: Callable[[int], bytes]) -> _OpenDevice:
    import miniaudio

    def samples() -> Generator[bytes, int, None]:
        count = yield b""
        while True:
            count = yield take(count)

    return _open(
        miniaudio.PlaybackDevice,
        name,
        samples(),
        output_format=miniaudio.SampleFormat.SIGNED16,
        sample_rate=rate,
    )


def _open_capture(name: str, on_frame: Callable[[bytes], None]) -> _OpenDevice:
    import miniaudio

    def samples() -> Generator[None, bytes, None]:
        while True:
            on_frame(bytes((yield)))

    return _open(
        miniaudio.CaptureDevice,
        name,
        samples(),
        input_format=miniaudio.SampleFormat.SIGNED16,
        sample_rate=LISTEN_RATE,
    )


def _open(kind: Any, name: str, samples: Generator[Any, Any, None], **options: Any) -> _OpenDevice:
    """Open and start a device. Raises NoAudioDevice, AudioDeviceRefused."""
    import miniaudio

    is_output = kind is miniaudio.PlaybackDevice
    shown = name or tr("the system's default")
    device = None
    try:
        found = list_sound_devices()
        if not (found.outputs if is_output else found.inputs):
            raise NoAudioDevice(device=shown)
        known = miniaudio.Devices()
        listed = known.get_playbacks() if is_output else known.get_captures()
        device_id = next((one["id"] for one in listed if one["name"] == name), None)
        if name and device_id is None:
            raise NoAudioDevice(device=shown)
        device = kind(
            nchannels=1,
            buffersize_msec=_PERIOD_MS,
            callback_periods=_PERIODS,
            device_id=device_id,
            app_name=_APP_NAME,
            **options,
        )
        next(samples)
        device.start(samples)
    except miniaudio.MiniaudioError as error:
        if device is not None:
            device.close()
        raise AudioDeviceRefused(str(error), device=shown) from None
    return _OpenDevice(device)
