"""Installs and removes the offline voice for the settings window."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable

from neodeskpet.app.extras_installer import ExtraCommandFailed, OnBytes, add_extra, remove_extra
from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.platform.installation import data_dir, extra_command
from neodeskpet.voice.local_voice import (
    DISK_BYTES,
    DOWNLOAD_BYTES,
    EXTRA,
    KOKORO,
    WHISPER,
    is_installed,
)

AddExtra = Callable[[str, OnBytes], Awaitable[None]]


class VoiceInstallFailed(VoiceError):
    code = "local_voice_install"
    what = N_("The offline voice couldn't be installed.")
    hint = N_("Check the connection, or run {command} in a terminal to see why.")
    show_detail = True


class NoSpaceForVoice(VoiceError):
    code = "local_voice_space"
    what = N_("The disk needs {count} MB more free space for the offline voice.")
    hint = N_("Free some space, then try again.")


class LocalVoiceInstaller:
    """Installs and removes the voice. `download_bytes` and `disk_bytes` are approximate sizes."""

    download_bytes = DOWNLOAD_BYTES
    disk_bytes = DISK_BYTES

    def __init__(
        self,
        add: AddExtra = add_extra,
        *,
        free_bytes: Callable[[], int] = lambda: shutil.disk_usage(data_dir()).free,
        end_engines: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`end_engines` ends the processes that use the files, before they are replaced."""
        self._add = add
        self._free_bytes = free_bytes
        self._end_engines = end_engines

    @property
    def installed(self) -> bool:
        return is_installed(KOKORO) and is_installed(WHISPER)

    async def install(self, on_progress: Callable[[float], object]) -> None:
        """Download and install everything; `on_progress` gets the downloaded share, from 0 to 1.
        Cancel the task to cancel it: nothing is left behind then. Raises VoiceError.
        """
        missing = DOWNLOAD_BYTES + DISK_BYTES - await asyncio.to_thread(self._free_bytes)
        if missing > 0:
            raise NoSpaceForVoice(count=str(missing // 1_000_000 + 1))
        if self._end_engines is not None:
            await self._end_engines()
        on_progress(0.0)
        try:
            await self._add(EXTRA, lambda count: on_progress(min(1.0, count / DOWNLOAD_BYTES)))
        except ExtraCommandFailed as failed:
            raise VoiceInstallFailed(str(failed), command=extra_command(EXTRA)) from failed
        on_progress(1.0)

    async def remove(self) -> None:
        """Delete the offline voice. Raises VoiceError."""
        if self._end_engines is not None:
            await self._end_engines()
        try:
            await remove_extra(EXTRA)
        except ExtraCommandFailed as failed:
            raise VoiceError(str(failed)) from failed
