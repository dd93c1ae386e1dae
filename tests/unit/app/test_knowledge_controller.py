"""Windows are notified by the knowledge base and its indexer until they unsubscribe."""

from __future__ import annotations

import asyncio
from pathlib import Path

from neodeskpet.app.knowledge_controller import KnowledgeAdapter
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore


def test_it_reports_sources_and_progress(tmp_path: Path) -> None:
    async def scene() -> None:
        book = await KnowledgeStore.open(None)
        keeper = KnowledgeIndexer(book, Fetcher())
        port = KnowledgeAdapter(book, keeper)
        told: list[bool] = []
        end = port.subscribe(lambda: told.append(port.progress.paused))
        await port.pause(True)
        assert told == [True]
        key = await port.add_path(tmp_path)
        assert len(told) == 2
        end()
        assert await port.remove(key)
        assert len(told) == 2
        assert await port.search("anything") == []
        await asyncio.to_thread(keeper.close)
        await book.aclose()

    asyncio.run(scene())
