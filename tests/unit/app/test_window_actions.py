"""Actions of the user in the windows that the companion shares."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from neodeskpet.notebook.note_tools import NoteUndo
from neodeskpet.toolkit.undo import WindowCallsUndo
from neodeskpet.tools.apps.window_log import Actor, LogEntry
from tests.unit.tools.apps.house import call, house


def test_an_undo_by_the_user_is_in_the_log() -> None:
    async def run() -> None:
        async with house() as home:
            await home.apps.host.open("notes")
            await home.notes.add("milk")
            await home.act(call("notes", "delete", id=1))
            (deleted,) = await home.apps.record.list_entries()
            undo = WindowCallsUndo({"note.delete": NoteUndo(home.notes)})
            assert await home.apps.undo(deleted, undo)
            assert not await home.apps.undo(deleted, undo)  # it exists
            assert not await home.apps.undo(replace(deleted, undo=None), undo)
            await home.apps.host.open("activity")
            acts: list[LogEntry] = await home.apps.record.list_entries()
            assert [(act.actor, act.window, act.action) for act in reversed(acts)] == [
                (Actor.COMPANION, "notes", "delete"),
                (Actor.PERSON, "notes", "undo"),
            ]
            assert "[2] notes.undo -&gt; ok (by the user)" in await home.render()

    asyncio.run(run())
