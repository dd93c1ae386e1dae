"""The settings window's port onto the person's data: where it lies, and its deletion."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from neodeskpet.engine import Engine
from neodeskpet.settings.logfile import log_path


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

    async def delete_conversations(self) -> int:
        """Delete all of them, with the memory, and begin a new one; how many there were."""
        chat, store = self.engine.chat, self.engine.store
        chat.stop()
        await chat.wait()
        known = await store.conversations()
        for info in known:
            await store.delete_conversation(info.id)
        await self.engine.keeper.settle()
        await self.engine.memory.clear()
        await chat.open()
        return len(known)
