"""The knowledge base in the windows: its own, the one that reads, the chips below answers, and the
entry of the chat's menu.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from neodeskpet.app.knowledge.adapter import KnowledgeAdapter
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.ui.chat.cited.joint import CitationsController
from neodeskpet.ui.chat.memory_switch import ConversationSwitch
from neodeskpet.ui.chat.presenter import ChatPresenter
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.folders import DialogFolders
from neodeskpet.ui.knowledge.reader import DocumentWindow
from neodeskpet.ui.knowledge.window import COMMANDS, KnowledgeWindow
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.windows.register import WindowEntry, WindowRegistry
from neodeskpet.ui.work import TaskRunner

KNOWLEDGE_SWITCH_TEXT = N_("Use the knowledge base here")


class KnowledgeController:
    """`entries` are the windows that it makes; `switch` stands in the chat's menu."""

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
        self._port = KnowledgeAdapter(engine)
        self._folders = folders
        self._windows = windows
        self._theme = theme
        self._tell = tell
        self._work = TaskRunner("knowledge joint", failed=tell)
        self.switch = ConversationSwitch(
            engine.chat, engine.knowledge_choices, tell, KNOWLEDGE_SWITCH_TEXT
        )
        self._cited = CitationsController(engine.chat, engine.knowledge, engine.store, view)
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
        """The same, by the passage alone: it begins with its file's id."""
        self.read(passage.partition(".")[0], passage)

    def add(self, path: Path) -> None:
        """Add a file that lies at the message that is being written."""

        async def begin() -> None:
            await self._port.add_path(path)

        self._work.start("add", begin)

    async def close(self) -> None:
        await self._cited.aclose()
        await self._work.aclose()
