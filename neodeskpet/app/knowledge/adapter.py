"""The knowledge base, as its windows use it."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.engine import Engine
from neodeskpet.memory.knowledge.library import IndexingProgress, KnowledgeHit

_MAX_RESULTS = 30


class KnowledgeAdapter:
    """A `KnowledgePort`."""

    def __init__(self, engine: Engine) -> None:
        self._book, self._keeper = engine.knowledge, engine.knowledge_indexer
        self.sources = self._book.list_sources
        self.unreadable_files = self._book.list_refused
        self.incomplete_files = self._book.list_incomplete
        self.encoding_of = self._book.encoding_of
        self.set_encoding = self._keeper.set_encoding
        self.document_text = self._book.read_document
        self.add_path = self._keeper.add_path
        self.add_page = self._keeper.add_page
        self.remove = self._keeper.remove
        self.refresh = self._keeper.refresh
        self.pause = self._keeper.set_paused

    @property
    def progress(self) -> IndexingProgress:
        return self._keeper.progress

    async def search(self, text: str) -> list[KnowledgeHit]:
        return await self._book.search(text, _MAX_RESULTS)

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        ends = (self._book.subscribe(observer), self._keeper.subscribe(observer))

        def end() -> None:
            for one in ends:
                one()

        return end
