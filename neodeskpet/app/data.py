"""The settings window's port onto the person's data: where it lies, and its deletion."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.extras import is_bundle, is_package
from neodeskpet.paths import assets_dir
from neodeskpet.settings.logfile import log_path
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.ui.settings.ports import UninstallInfo


@dataclass(frozen=True, slots=True)
class DataAdapter:
    """A `ui.settings.ports.DataPort` on the engine."""

    engine: Engine

    @property
    def folder(self) -> Path:
        return self.engine.home

    @property
    def log(self) -> Path:
        return log_path(self.engine.home)

    @property
    def removal(self) -> UninstallInfo:
        return removal_instructions()

    async def delete_conversations(self) -> int:
        """Delete all of them, with the memory, and begin a new one; how many there were."""
        chat, store = self.engine.chat, self.engine.store
        chat.stop()
        await chat.wait_idle()
        known = await store.conversations()
        for info in known:
            await store.delete_conversation(info.id)
        await self.engine.memory_indexer.catch_up_changes()
        await self.engine.memory.clear()
        await chat.open()
        return len(known)

    async def key_place(self) -> SecretPlace:
        return await self.engine.secrets.where_async(environment=False)


def removal_instructions() -> UninstallInfo:
    """As this copy came here."""
    if not is_bundle():
        checkout = assets_dir().parent
        if (checkout / "pyproject.toml").is_file():
            return UninstallInfo(N_("Delete the folder {path}."), path=str(checkout))
        command = shlex.join([sys.executable, "-m", "pip", "uninstall", "neodeskpet"])
        return UninstallInfo(N_("Typed into a terminal, this takes the program away."), command)
    if sys.platform == "win32":
        return UninstallInfo(N_("Take it away in the settings of Windows, under Apps."))
    if sys.platform == "darwin":
        return UninstallInfo(N_("Move NeoDeskPet from Applications to the bin."))
    if is_package():
        return UninstallInfo(
            N_("Typed into a terminal, this takes the program away; so does the software centre."),
            "sudo apt remove neodeskpet",
        )
    folder = Path(sys.executable).resolve().parent
    return UninstallInfo(
        N_("Typed into a terminal, this takes it out of the menu. Then delete the folder {path}."),
        shlex.join([str(folder / "enter-menu.sh"), "--remove"]),
        str(folder),
    )
