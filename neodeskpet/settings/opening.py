"""The settings when the app or a command begins, and at once what depends on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.errors import KnownError
from neodeskpet.file_thread import FileThread
from neodeskpet.language import set_language
from neodeskpet.settings.logfile import open_log
from neodeskpet.settings.private_home import restrict_access
from neodeskpet.settings.store import FILE_NAME, SettingKey, SettingsStore


@dataclass(frozen=True, slots=True)
class OpenedSettings:
    """`writer` writes them; whoever closes the rest closes it too."""

    store: SettingsStore
    writer: FileThread


def open_settings(
    home: Path,
    overrides: Mapping[SettingKey, object],
    on_fault: Callable[[KnownError], None] | None = None,
) -> OpenedSettings:
    """The data folder `home` is closed to others, its settings are read; the log and the language
    follow them. Needs a running loop.
    """
    restrict_access(home)
    writer = FileThread(asyncio.get_running_loop().call_soon_threadsafe)
    file = home / FILE_NAME
    store = SettingsStore(file, overrides=overrides, on_fault=on_fault, writer=writer)
    open_log(home, detailed=store.settings.data.detailed_log)
    set_language(store.settings.appearance.language)
    return OpenedSettings(store, writer)
