"""The table of the chat's commands, which its keys, its menu and the palette read, and the switches
of its menu.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.conversation.conversation_choices import RecallChoices
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.commands import Command
from neodeskpet.ui.task_runner import TaskRunner

COMMAND_GROUP = N_("Chat")
EXPORT_PREFIX, EXPORT_ALL_PREFIX = "export_", "all_as_"
"""What the ids of exports begin with; the kind of file stands behind it."""
SUBMENUS = {EXPORT_PREFIX: N_("Export"), EXPORT_ALL_PREFIX: N_("Export all conversations")}
"""Menus in the menu ⋯, by what the ids of their commands begin with."""

COMMANDS = (
    Command("new", N_("New conversation"), keys=("Ctrl+N",), icon="plus"),
    Command("conversations", N_("Conversations"), icon="sidebar"),
    Command("sidebar", N_("Show or hide the conversations"), keys=("Ctrl+B",), icon="sidebar"),
    Command("rename", N_("Rename…"), icon="edit"),
    Command("find", N_("Find in this conversation…"), keys=("Ctrl+F",), icon="search"),
    Command("next", N_("Next place that was found"), keys=("F3",), hidden_in_palette=True),
    Command("previous", N_("Place before that"), keys=("Shift+F3",), hidden_in_palette=True),
    Command("find_all", N_("Find in all conversations…"), keys=("Ctrl+Shift+F",), icon="search"),
    Command("question", N_("Go to the question"), keys=("Ctrl+J",)),
    Command("date", N_("Go to a date…"), icon="calendar"),
    Command("model", N_("Choose the model…"), icon="service"),
    Command("export_markdown", N_("Export as Markdown…"), icon="download"),
    Command("export_page", N_("Export as web page…"), icon="download"),
    Command("export_paper", N_("Export as PDF…"), icon="download"),
    Command("export_json", N_("Export as JSON…"), icon="download"),
    Command("all_as_markdown", N_("Export all as Markdown…"), icon="download"),
    Command("all_as_page", N_("Export all as web pages…"), icon="download"),
    Command("all_as_paper", N_("Export all as PDF…"), icon="download"),
    Command("all_as_json", N_("Export all as JSON…"), icon="download"),
    Command("print", N_("Print…"), keys=("Ctrl+P",), icon="notebook"),
    Command("import", N_("Import conversations…"), icon="open"),
    Command("settings", N_("Settings…"), keys=("Ctrl+,",), icon="settings", hidden_in_palette=True),
    Command("close", N_("Close the window"), keys=("Ctrl+W",), hidden_in_palette=True),
    # What its parts take themselves
    Command("send", N_("Send"), keys=("Return",)),
    Command("line", N_("New line"), keys=("Shift+Return",)),
    Command("recall", N_("What you wrote before"), keys=("Up",)),
    Command("stop", N_("Stop the reply"), keys=("Esc",)),
    Command("copy", N_("Copy what is marked"), keys=("Ctrl+C",)),
    Command("copy_markdown", N_("Copy it as Markdown"), keys=("Ctrl+Shift+C",)),
    Command("archive", N_("In the list: archive"), keys=("Ctrl+E",)),
    Command("delete", N_("In the list: delete"), keys=("Del",)),
)

_MENU = (
    ("new", "conversations", "rename"),
    ("find", "find_all", "date"),
    (
        "export_markdown",
        "export_page",
        "export_paper",
        "export_json",
        "all_as_markdown",
        "all_as_page",
        "all_as_paper",
        "all_as_json",
        "print",
        "import",
    ),
    ("settings",),
)
_BY_ID = {command.id: command for command in COMMANDS}

MENU: tuple[tuple[Command, ...], ...] = tuple(
    tuple(_BY_ID[name] for name in group) for group in _MENU
)
"""Those of the menu ⋯, with a line between the groups."""


MEMORY_LABEL = N_("Remember earlier conversations here")


class ConversationSwitch(QObject):
    """A `ChatListener`; `action` stands in the menu, as `words` (English) say. `tell` is told what
    couldn't be kept."""

    def __init__(
        self,
        chat: Chat,
        choices: RecallChoices,
        tell: Callable[[KnownError], None],
        words: str = MEMORY_LABEL,
    ) -> None:
        super().__init__()
        self._words = words
        self._chat = chat
        self._choices = choices
        self._work = TaskRunner("memory switch", failed=tell)
        self.action = QAction(self)
        self.action.setCheckable(True)
        self.action.triggered.connect(self._switch)
        self.retranslate()
        chat.subscribe(self, ConversationChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show what holds in the open conversation."""
        info = self._chat.conversation
        self.action.setChecked(info is None or self._choices.is_on(info.id))

    def retranslate(self) -> None:
        self.action.setText(tr(self._words))
        self.refresh()

    def _switch(self, on: bool) -> None:
        info = self._chat.conversation
        if info is None:
            self.refresh()
            return
        conversation = info.id

        async def keep() -> None:
            await self._choices.switch(conversation, on)

        self._work.start("switch", keep)
