"""To-dos outlive a restart, a damaged file and what they were deleted by."""

from __future__ import annotations

import asyncio
from pathlib import Path

from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.tables import KEPT_SECONDS
from neodeskpet.todos.book import TodoBook


def test_they_are_kept_ticked_changed_and_taken_away(tmp_path: Path) -> None:
    now = 1_000.0

    async def run() -> None:
        nonlocal now
        notebook = await Notebook.open(tmp_path / "notebook.db")
        book = TodoBook(notebook, lambda: now)
        heard: list[None] = []
        end = book.observe(lambda: heard.append(None))
        for text in ("milk", "bread", "\ud800oats"):
            await book.add(text)
        now += 1
        await book.tick(1, done=True)
        await book.edit(2, "rye bread")
        assert len(heard) == 5
        assert await book.tick(9, done=True) is None
        assert await book.edit(9, "x") is None
        assert await book.delete(9) is None
        assert await book.restore([1]) == []
        assert len(heard) == 5
        end()
        await notebook.close()

        notebook = await Notebook.open(tmp_path / "notebook.db")
        book = TodoBook(notebook, lambda: now)
        assert [(one.id, one.done) for one in await book.todos()] == [
            (2, None),
            (3, None),
            (1, 1_001.0),
        ]
        assert [one.text for one in await book.clear_done()] == ["milk"]
        assert await book.clear_done() == []
        gone = await book.delete(2)
        assert gone is not None
        assert gone.text == "rye bread"
        assert [one.id for one in await book.restore([1, 2])] == [1, 2]
        await book.delete(2)
        now += KEPT_SECONDS + 1
        await book.tick(1, done=False)
        assert await book.restore([2]) == []
        assert [one.id for one in await book.todos()] == [1, 3]
        found = await book.find(1)
        assert found is not None
        assert found.done is None
        await notebook.close()

    asyncio.run(run())
