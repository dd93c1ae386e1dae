"""The knowledge base, as its windows use it."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.engine import Engine
from neodeskpet.memory.knowledge.library import Hit, Progress

_FOUND = 30


class KnowledgeAdapter:
    """A `KnowledgePort`."""

    def __init__(self, engine: Engine) -> None:
        self._book, self._keeper = engine.knowledge, engine.librarian
        self.sources = self._book.sources
        self.refused = self._book.refused
        self.incomplete = self._book.incomplete
        self.encoding_of = self._book.encoding_of
        self.set_encoding = self._keeper.set_encoding
        self.reading = self._book.reading
        self.add_path = self._keeper.add_path
        self.add_page = self._keeper.add_page
        self.remove = self._keeper.remove
        self.refresh = self._keeper.refresh
        self.pause = self._keeper.pause

    @property
    def progress(self) -> Progress:
        return self._keeper.progress

    async def search(self, text: str) -> list[Hit]:
        return await self._book.search(text, _FOUND)

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        ends = (self._book.observe(observer), self._keeper.observe(observer))

        def end() -> None:
            for one in ends:
                one()

        return end
