"""The table of the chat's commands. Its keys, its menu and the command palette read it."""

from __future__ import annotations

from neodeskpet.core.i18n import N_
from neodeskpet.ui.commands import Command

COMMAND_GROUP = N_("Chat")
EXPORT_PREFIX, EXPORT_ALL_PREFIX = "export_", "all_as_"
"""Prefixes of the ids of export commands; the file format follows."""
SUBMENUS = {EXPORT_PREFIX: N_("Export"), EXPORT_ALL_PREFIX: N_("Export all conversations")}
"""Submenus of the menu ⋯, by the prefix of their commands' ids."""

QUESTION_KEYS = "Ctrl+J"
"""The keys that move the focus to a question in the chat; announcements name them."""

COMMANDS = (
    Command("new", N_("New conversation"), keys=("Ctrl+N",), icon="plus"),
    Command("conversations", N_("Conversations"), icon="sidebar"),
    Command(
        "sidebar", N_("Show or hide the list of conversations"), keys=("Ctrl+B",), icon="sidebar"
    ),
    Command("rename", N_("Rename…"), icon="edit"),
    Command("find", N_("Find in this conversation…"), keys=("Ctrl+F",), icon="search"),
    Command("next", N_("Next match"), keys=("F3",), hidden_in_palette=True),
    Command("previous", N_("Previous match"), keys=("Shift+F3",), hidden_in_palette=True),
    Command("find_all", N_("Find in all conversations…"), keys=("Ctrl+Shift+F",), icon="search"),
    Command("question", N_("Go to the question"), keys=(QUESTION_KEYS,)),
    Command("allow", N_("Say yes to the question"), keys=("Ctrl+Return",)),
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
    # Handled by the parts of the window themselves
    Command("send", N_("Send"), keys=("Return",)),
    Command("line", N_("New line"), keys=("Shift+Return",)),
    Command("recall", N_("Previous input"), keys=("Up",)),
    Command("stop", N_("Stop the reply"), keys=("Esc",)),
    Command("copy", N_("Copy selection"), keys=("Ctrl+C",)),
    Command("copy_markdown", N_("Copy selection as Markdown"), keys=("Ctrl+Shift+C",)),
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
"""The commands of the menu ⋯, in groups with a separator between them."""


MEMORY_LABEL = N_("Remember earlier conversations here")
