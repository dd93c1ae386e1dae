"""Connects the knowledge base with its windows: its own window, the document reader, the citations
below replies, and the switch in the chat's menu.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from neodeskpet.app.engine import Engine
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.knowledge_types import IndexingProgress, KnowledgeHit
from neodeskpet.ui.chat.chat_presenter import ChatPresenter
from neodeskpet.ui.chat.conversation_follower import CitationsController, ConversationSwitch
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.windows.document_window import DocumentWindow
from neodeskpet.ui.windows.knowledge_window import COMMANDS, KnowledgeWindow
from neodeskpet.ui.windows.window_registry import WindowEntry, WindowRegistry

_MAX_RESULTS = 30


class KnowledgeAdapter:
    """A `KnowledgePort`."""

    def __init__(self, store: KnowledgeStore, indexer: KnowledgeIndexer) -> None:
        self._store, self._indexer = store, indexer
        self.sources = self._store.list_sources
        self.unreadable_files = self._store.list_refused
        self.incomplete_files = self._store.list_incomplete
        self.encoding_of = self._store.encoding_of
        self.set_encoding = self._indexer.set_encoding
        self.document_text = self._store.read_document
        self.add_path = self._indexer.add_path
        self.add_page = self._indexer.add_page
        self.remove = self._indexer.remove
        self.refresh = self._indexer.refresh
        self.pause = self._indexer.set_paused

    @property
    def progress(self) -> IndexingProgress:
        return self._indexer.progress

    async def search(self, text: str) -> list[KnowledgeHit]:
        return await self._store.search(text, _MAX_RESULTS)

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        ends = (self._store.subscribe(observer), self._indexer.subscribe(observer))

        def end() -> None:
            for one in ends:
                one()

        return end


KNOWLEDGE_SWITCH_TEXT = N_("Use the knowledge base here")


class KnowledgeController:
    """Connects the knowledge base with its windows. `entries` are the windows that it creates;
    `switch` is the entry in the chat's menu.
    """

    def __init__(
        self,
        engine: Engine,
        view: ChatView,
        presenter: ChatPresenter,
        folders: DialogFolders,
        windows: WindowRegistry,
        theme: Callable[[], Theme],
        tell: Callable[[KnownError], None],
    ) -> None:
        self._port = KnowledgeAdapter(
            engine.memory.knowledge.store, engine.memory.knowledge.indexer
        )
        self._folders = folders
        self._windows = windows
        self._theme = theme
        self._tell = tell
        self._work = TaskRunner("knowledge joint", failed=tell)
        self.switch = ConversationSwitch(
            engine.chat, engine.memory.knowledge.choices, tell, KNOWLEDGE_SWITCH_TEXT
        )
        self._cited = CitationsController(
            engine.chat, engine.memory.knowledge.store, engine.storage.store, view
        )
        presenter.source_requested.connect(self.show_passage)
        presenter.attachment_controller.knowledge_add_requested.connect(self.add)
        self.entries = (
            WindowEntry(
                "knowledge",
                self._make_window,
                title=N_("Knowledge base…"),
                icon="data",
                commands=COMMANDS,
            ),
            WindowEntry("document", lambda: DocumentWindow(theme(), self._port)),
        )

    def _make_window(self) -> KnowledgeWindow:
        window = KnowledgeWindow(self._theme(), self._port, self._folders)
        window.document_requested.connect(self.read)
        return window

    @property
    def window(self) -> KnowledgeWindow:
        return cast(KnowledgeWindow, self._windows["knowledge"])

    @property
    def reader(self) -> DocumentWindow:
        return cast(DocumentWindow, self._windows["document"])

    def read(self, file: str, passage: str) -> None:
        """Show a document at this passage."""
        self.reader.show_passage(file, passage)

    def show_passage(self, passage: str) -> None:
        """Show a document at this passage; the passage's id starts with the id of its file."""
        self.read(passage.partition(".")[0], passage)

    def add(self, path: Path) -> None:
        """Add a file that is attached to the draft."""

        async def begin() -> None:
            await self._port.add_path(path)

        self._work.start("add", begin)

    async def close(self) -> None:
        await self._cited.aclose()
        await self._work.aclose()
