"""The app's side of `sound_child`: one process for all open devices. It starts with the first one
and ends with the last one.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from neodeskpet.core.voice.ports import AudioDeviceRefused, NoAudioDevice
from neodeskpet.language import tr
from neodeskpet.platform.child_process import (
    child_command,
    child_environment,
    read_frame,
    write_frame,
)
from neodeskpet.voice.sound_child import CLOSE, FAILED, HEAD, OPEN, OPENED

_OPEN_SECONDS = 20.0
_END_SECONDS = 3.0
_SOUND_SERVERS = ("PULSE_", "PIPEWIRE_", "ALSA_", "JACK_")
"""Prefixes of the variables that say where the sound server is."""

_ENDED, _NO_ANSWER = "The process of the devices ended.", "The device gave no answer."

Take = Callable[[bytes], object]


class OpenDevice:
    """A device of the process. `send` and `close` may be called by any thread; they don't wait."""

    def __init__(self, process: _SoundProcess, number: int) -> None:
        self._process = process
        self._number = number

    def send(self, what: bytes, rest: bytes = b"") -> None:
        self._process.send(HEAD.pack(what, self._number) + rest)

    def close(self) -> None:
        """Idempotent."""
        _release(self._process, self._number)


def open_device(*, is_output: bool, name: str, rate: int, take: Take) -> OpenDevice:
    """Open a device and wait for it; `name` "" is the system's default. `take` gets what the
    device reports, in a thread. Raises NoAudioDevice, AudioDeviceRefused.
    """
    global _current
    with _lock:
        if _current is None or not _current.is_running:
            _current = _SoundProcess()
        process, number = _current, next(_numbers)
        answer = process.expect(number, take)
    wanted = {"is_output": is_output, "name": name, "rate": rate}
    process.send(HEAD.pack(OPEN, number) + json.dumps(wanted).encode())
    failure = answer.wait()
    if failure is None:
        return OpenDevice(process, number)
    _release(process, number)
    shown = name or tr("the system's default")
    if failure["code"] == NoAudioDevice.code:
        raise NoAudioDevice(device=shown)
    raise AudioDeviceRefused(failure["reason"], device=shown)


def _release(process: _SoundProcess, number: int) -> None:
    global _current
    with _lock:
        if process.forget(number) and process is _current:
            _current = None


class _Answer:
    """The answer to OPEN."""

    def __init__(self) -> None:
        self._came: SimpleQueue[dict[str, str] | None] = SimpleQueue()

    def give(self, failure: dict[str, str] | None) -> None:
        self._came.put(failure)

    def wait(self) -> dict[str, str] | None:
        """Return the failure, None if the device is open."""
        try:
            return self._came.get(timeout=_OPEN_SECONDS)
        except Empty:
            return {"code": AudioDeviceRefused.code, "reason": _NO_ANSWER}


class _SoundProcess:
    def __init__(self) -> None:
        environment = {
            name: value for name, value in os.environ.items() if name.startswith(_SOUND_SERVERS)
        }
        self._process = subprocess.Popen(
            child_command("sound"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment() | environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._taking: dict[int, Take] = {}
        self._opening: dict[int, _Answer] = {}
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self.is_running = True
        for work in (self._read, self._write):
            threading.Thread(target=work, name="sound process", daemon=True).start()

    def send(self, frame: bytes) -> None:
        self._waiting.put(frame)

    def expect(self, number: int, take: Take) -> _Answer:
        self._taking[number] = take
        answer = self._opening[number] = _Answer()
        return answer

    def forget(self, number: int) -> bool:
        """Close a device. Without further ones the process ends; return whether it does."""
        if self._taking.pop(number, None) is None:
            return False
        self.send(HEAD.pack(CLOSE, number))
        if self._taking:
            return False
        self._waiting.put(None)
        return True

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while (frame := read_frame(self._process.stdout)) is not None:
                self._take(frame)
        finally:
            with _lock:
                self.is_running = False
                for answer in self._opening.values():
                    answer.give({"code": AudioDeviceRefused.code, "reason": _ENDED})
            self._waiting.put(None)
            self._process.stdout.close()

    def _take(self, frame: bytes) -> None:
        what, number = HEAD.unpack_from(frame)
        rest = frame[HEAD.size :]
        if what in (OPENED, FAILED):
            self._opening.pop(number).give(json.loads(rest) if what == FAILED else None)
        elif take := self._taking.get(number):
            take(rest)

    def _write(self) -> None:
        process = self._process
        assert process.stdin is not None
        try:
            while (frame := self._waiting.get()) is not None:
                write_frame(process.stdin, frame)
            process.stdin.close()
        except OSError:
            pass  # it has ended
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_numbers = itertools.count()
_lock = threading.Lock()
_current: _SoundProcess | None = None
