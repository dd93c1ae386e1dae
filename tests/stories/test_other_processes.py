"""Changes by another process are shown at once, and listed in the history of actions."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.desk import DeskStory
from tests.support.pasts import archive, chatgpt_talk

Play = Callable[..., None]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "neodeskpet", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_an_import_is_listed_and_found_at_once(desk_story: Play, tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "Green parrots", "Where do parrots nest?", "In hollow trees.")
    path = archive(tmp_path / "a.zip", [talk])

    async def story(person: DeskStory) -> None:
        engine = person.desk.engine
        person.type("note: the umbrella is in the hall")
        await person.idle()
        acts = [(one.window, one.action) for one in await engine.tools.apps.record.list_entries()]
        assert ("notes", "add") in acts
        home = str(engine.storage.home)
        done = await asyncio.to_thread(run, "import", str(path), "--data-dir", home)
        assert done.returncode == 0, done.stderr
        side = person.desk.chat.window.sidebar
        await person.until(lambda: "Green parrots" in listed(side), "it isn't listed")

        async def is_found() -> bool:
            return bool(
                await engine.memory.store.search("parrots nest", engine.memory.indexer.clock())
            )

        for _ in range(200):
            if await is_found():
                break
            await asyncio.sleep(0.05)
        assert await is_found()
        await delete_open_conversation(engine.storage.home)
        person.type("is anybody there?")
        await person.idle()
        assert "is anybody there?" in [one.text for one in await person.messages()]

    desk_story(story, mode=None)


def listed(side: object) -> list[str]:
    model = side.list.model()  # type: ignore[attr-defined]
    rows = range(model.rowCount())
    return [str(model.index(row, 0).data()) for row in rows]


async def delete_open_conversation(home: Path) -> None:
    """As a second process does it."""
    store = await SqliteStore.open(home / CONVERSATIONS_FILE, required=True)
    for info in await store.conversations():
        if "Green parrots" not in info.title:
            await store.delete_conversation(info.id)
    await store.aclose()
