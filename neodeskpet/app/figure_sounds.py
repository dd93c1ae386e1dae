"""Plays the character's short sounds with its acts, by the voice's volume and device."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from neodeskpet.app.speech import CompanionSpeech, open_speaker
from neodeskpet.core.errors import KnownError
from neodeskpet.figure.behaviour.act_sounds import ActSound, SoundChooser
from neodeskpet.figure.behaviour.idling import Liveliness
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.installation import assets_dir
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.task_runner import TaskRunner

if TYPE_CHECKING:
    from neodeskpet.app.speech import ClosableOutput

_log = logging.getLogger(__name__)

_SOUNDS_DIR = assets_dir() / "sounds" / "character"
_CHECK_SECONDS = 0.05
"""Time between two checks whether a sound that plays has to end."""
_RETRY_SECONDS = 60.0
"""Time after a failure of the device until it is tried again."""
_IDLE_SECONDS = 10.0
"""Time after a sound until the device is closed."""


class FigureSounds:
    """`is_hushed` returns whether nothing may be heard of the acts now. `read_shared` returns
    whether the screen is shared; it is called in a thread. The first sound loads the code of sound
    devices.
    """

    def __init__(
        self,
        settings: SettingsStore,
        speech: CompanionSpeech,
        *,
        is_hushed: Callable[[], bool],
        read_shared: Callable[[], bool],
        liveliness: Callable[[], Liveliness],
        clock: Callable[[], float] = time.monotonic,
        idle: float = _IDLE_SECONDS,
    ) -> None:
        """`idle`: seconds after a sound until the device is closed."""
        self._settings = settings
        self._speech = speech
        self._is_hushed = is_hushed
        self._read_shared = read_shared
        self._liveliness = liveliness
        self._clock = clock
        self._idle = idle
        self._output: ClosableOutput | None = None
        self._device = ""
        """The name of the device that `_output` uses."""
        self.make_output = open_speaker
        self._chooser = SoundChooser()
        self._work = TaskRunner("sounds", failed=self._fail)
        self._failed_at = -math.inf

    async def aclose(self) -> None:
        await self._work.aclose()
        await self._close()

    async def wait_until_silent(self) -> None:
        """Wait until no sound is played and the device is closed."""
        await self._work.wait_until_idle()

    def act(self, words: Sequence[str]) -> None:
        """The figure starts an act whose name has these words."""
        if not self._settings.settings.companion.character_sounds or self._is_hushed():
            return
        now = self._clock()
        if now - self._failed_at < _RETRY_SECONDS:
            return
        chosen = self._chooser.choose(words, now, self._liveliness())
        if chosen is not None:
            self._work.cancel_task("close")
            self._work.start_once("play", partial(self._sound, chosen))

    def _fail(self, error: KnownError) -> None:
        """Stay silent: the picture shows everything, and the voice reports its own failures."""
        self._failed_at = self._clock()
        _log.info("The sounds can't be played: %s", error)

    async def _sound(self, chosen: ActSound) -> None:
        """Raises KnownError."""
        try:
            await self._play(chosen)
        finally:
            self._work.replace("close", self._close_later)

    async def _play(self, chosen: ActSound) -> None:
        """Raises KnownError."""
        from neodeskpet.voice.sound_files import read_sound_file

        shared, _ = await asyncio.gather(
            asyncio.to_thread(self._read_shared), asyncio.sleep(chosen.after)
        )
        if shared or self._is_hushed():
            return
        output = await self._current_output()
        file = _SOUNDS_DIR / f"{chosen.sound}.wav"
        pcm = await asyncio.to_thread(read_sound_file, file, output.rate)
        output.set_volume(self._speech.volume)
        await _to_end(partial(output.play, output.stop(), pcm))
        await self._watch(len(pcm) / 2 / output.rate)
        output.stop()

    async def _current_output(self) -> ClosableOutput:
        """Return the output for the device that is chosen now."""
        device = self._settings.settings.voice.output_device
        if self._output is None or device != self._device:
            await self._close()
            self._device = device
            self._output = self.make_output(device, lambda _pcm, _at: None)
        return self._output

    async def _watch(self, seconds: float) -> None:
        """Wait for the end of a sound, or for a reason to end it earlier."""
        for _ in range(math.ceil(seconds / _CHECK_SECONDS)):
            if self._is_hushed():
                break
            await asyncio.sleep(_CHECK_SECONDS)

    async def _close_later(self) -> None:
        await asyncio.sleep(self._idle)
        await self._close()

    async def _close(self) -> None:
        output, self._output = self._output, None
        if output is not None:
            await _to_end(output.close)


async def _to_end(work: Callable[[], None]) -> None:
    """Run `work` in a thread, also to its end if this task is cancelled: a device that is being
    opened has to be closed afterwards. Raises KnownError.
    """

    def attempt() -> KnownError | None:
        try:
            work()
        except KnownError as error:
            return error
        return None

    running = spawn_task(asyncio.to_thread(attempt), name="sound device")
    try:
        failure = await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait((running,))
        raise
    if failure is not None:
        raise failure
