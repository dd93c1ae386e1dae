"""The log of actions in windows, and its limit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from neodeskpet.notebook.notebook import Notebook
from neodeskpet.tools.apps.window_log import KEPT_ENTRIES, Actor, LogEntry, WindowLog

ADDED = LogEntry(0, 0.0, Actor.COMPANION, "notes", "add", True, "milk")


def test_entries_are_numbered_and_survive_a_restart(tmp_path: Path) -> None:
    async def run() -> None:
        for start in (0, 2):
            notebook = await Notebook.open(tmp_path / "notebook.db")
            record = WindowLog(notebook, clock=lambda: 5.0)
            first = await record.add(ADDED)
            failed = replace(ADDED, actor=Actor.PERSON, success=False, summary="x" * 900)
            second = await record.add(failed)
            assert first == replace(ADDED, number=start + 1, at=5.0)
            newest, before = (await record.list_entries())[:2]
            assert (newest.number, newest.actor, newest.success) == (
                start + 2,
                Actor.PERSON,
                False,
            )
            assert len(newest.summary) == 500
            assert before == first
            assert (first.line, second.line) == (
                f"[{start + 1}] notes.add -> ok",
                f"[{start + 2}] notes.add -> error",
            )
            await notebook.aclose()

    asyncio.run(run())


def test_only_the_latest_are_kept() -> None:
    async def run() -> None:
        notebook = await Notebook.open(None)
        record = WindowLog(notebook)
        for _ in range(KEPT_ENTRIES + 3):
            await record.add(ADDED)
        acts = await record.list_entries(1_000)
        assert (len(acts), acts[-1].number) == (KEPT_ENTRIES, 4)
        await notebook.aclose()

    asyncio.run(run())


def test_an_undoable_action_is_known_until_it_was_undone() -> None:
    async def run() -> None:
        notebook = await Notebook.open(None)
        record = WindowLog(notebook)
        undo = {"tool": "note.delete", "id": 7}
        act = await record.add(replace(ADDED, undo=undo))
        assert (await record.list_entries())[0].undo == undo
        await record.mark_undone(act.number)
        assert (await record.list_entries())[0].undo is None
        await notebook.change(lambda db: db.execute("UPDATE acts SET undo = '{'"))
        assert (await record.list_entries())[0].undo is None
        await notebook.aclose()

    asyncio.run(run())
