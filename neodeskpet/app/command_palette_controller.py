"""Fills the command palette and the page of keyboard shortcuts from windows, commands, settings,
models, figures, characters and conversations, and registers the global hot keys of the settings.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from neodeskpet.app.model_picker_controller import ModelPickerController
from neodeskpet.conversation.chat import Chat
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.settings.settings_model import SECTIONS, describe_sections, setting_info
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.chat import chat_commands
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.commands import (
    ANYWHERE,
    ApplicationShortcuts,
    Command,
    CommandRegistry,
    format_keys,
)
from neodeskpet.ui.companion_menu import CONDITIONAL_ENTRIES, CompanionMenu, MenuEntry
from neodeskpet.ui.desktop.hotkeys import PROBLEM_TEXTS, HotKeyProblem, HotKeys
from neodeskpet.ui.settings.characters_port import CharactersPort
from neodeskpet.ui.settings.figure.figure_ports import ModelChoice, ModelsPort
from neodeskpet.ui.settings.settings_search import search_text, setting_search_text
from neodeskpet.ui.settings.settings_window import SettingsWindow
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.windows.command_palette import CommandPalette, PaletteEntry
from neodeskpet.ui.windows.window_registry import WindowRegistry

if TYPE_CHECKING:
    from neodeskpet.ui.windows.shortcuts_window import ShortcutsWindow

HOT_KEYS_SECTION = "keys"


class HotKeyController:
    """Registers the global hot keys. `actions` maps setting names to actions; `tell_fault(setting,
    text)` shows an error under the setting. The desktop shows titles with the companion's name.
    """

    def __init__(
        self,
        settings: SettingsStore,
        port: HotKeys,
        actions: Mapping[str, Callable[[], object]],
        tell_fault: Callable[[str, str], None],
        companion_name: Callable[[], str],
    ) -> None:
        self._settings = settings
        self._companion_name = companion_name
        self._port = port
        self._actions = actions
        self._tell_fault = tell_fault
        port.pressed.connect(self._run_action)
        port.rejected.connect(self._on_refused)
        self._unobserve = settings.subscribe(self._on_setting_changed)

    def start(self) -> None:
        """Register the hot keys of the settings and follow changes."""
        values = {
            name: str(self._settings.value(HOT_KEYS_SECTION, name)) for name in _HOT_KEY_NAMES
        }
        called = self._companion_name()
        self._port.set_hot_keys(
            {
                name: (keys, tr(setting_info(HOT_KEYS_SECTION, name).title, name=called))
                for name, keys in values.items()
                if keys
            }
        )

    def close(self) -> None:
        self._unobserve()
        self._port.close()

    def _run_action(self, name: str) -> None:
        self._actions[name]()

    def _on_refused(self, name: str, refusal: str) -> None:
        self._tell_fault(name, tr(PROBLEM_TEXTS[HotKeyProblem(refusal)]))

    def _on_setting_changed(self, section: str, _name: str, _value: object) -> None:
        if section == HOT_KEYS_SECTION:
            for name in _HOT_KEY_NAMES:
                self._tell_fault(name, "")
            self.start()


_HOT_KEY_NAMES = tuple(SECTIONS[HOT_KEYS_SECTION].model_fields)


_RECENT_KEY = "palette.recent"
_MAX_RECENT = 30
_CONVERSATION_ICONS = {"": "chat", "archived": "archive", "pinned": "pinned"}


class PaletteStore(Protocol):
    """The functions of the store that the palette uses. Coroutines raise StoreError."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class CommandPaletteController(QObject):
    """Fills the command palette. `show_chat` brings the chat window to the front. `connect_windows`
    is called once all windows exist.
    """

    def __init__(
        self,
        theme: Callable[[], Theme],
        chat: Chat,
        store: PaletteStore,
        figures: ModelsPort,
        characters: CharactersPort,
        models: ModelPickerController,
        show_chat: Callable[[], None],
        failed: Callable[[KnownError], None],
    ) -> None:
        super().__init__()
        self.commands = CommandRegistry()
        self.palette = CommandPalette(theme())
        self._theme = theme
        self._chat = chat
        self._store = store
        self._figures = figures
        self._characters = characters
        self._models = models
        self._show_chat = show_chat
        self._settings: Callable[[], SettingsWindow] | None = None
        self._talks: Sequence[PaletteEntry] = ()
        self._tiles: Sequence[ModelChoice] = ()
        self._recent: list[str] = []
        self._work = TaskRunner("palette", failed=failed)
        self.palette.entry_used.connect(self._note)
        self.palette.fallback = self._search_in_settings

    @cached_property
    def shortcuts(self) -> ShortcutsWindow:
        """The window of keyboard shortcuts, created when it is first shown."""
        from neodeskpet.ui.windows.shortcuts_window import ShortcutsWindow

        return ShortcutsWindow(self._theme(), self.commands.shortcut_groups)

    def connect_windows(
        self,
        app: QApplication,
        windows: WindowRegistry,
        menu: CompanionMenu,
        chat: ChatWindow,
        settings: Callable[[], SettingsWindow],
        companion_name: Callable[[], str],
        everywhere: Sequence[Command] = (),
    ) -> None:
        """Add the commands of all windows and register their keys. Texts of settings contain the
        companion's name. The commands of `everywhere` work in each window.
        """
        self._settings = settings
        self._companion_name = companion_name
        own = (
            Command(
                "palette",
                N_("Search commands and settings"),
                self.toggle,
                ("Ctrl+K",),
                hidden_in_palette=True,
            ),
            Command(
                "shortcuts", N_("Keyboard shortcuts"), lambda: windows.present("shortcuts"),
                ("F1", "Ctrl+/"),
                icon="keyboard",
            ),
            *everywhere,
        )  # fmt: skip
        self.commands.register(ANYWHERE, own)
        always = [one for one in menu.entries if one.id not in CONDITIONAL_ENTRIES]
        self.commands.register(ANYWHERE, map(partial(_menu_command, menu), always), "menu")
        inside = (replace(one, run=self._in_chat(one.run)) for one in chat.commands)
        self.commands.register(chat_commands.COMMAND_GROUP, inside, "chat")
        for entry in windows:
            self.commands.register(entry.title.rstrip("…"), entry.commands, entry.key)
        self._keys = ApplicationShortcuts(app, own, [*windows.created_windows(), self.palette])
        windows.window_created.connect(self._keys.add_window)

    async def load_recent(self) -> None:
        """Load the recently chosen entries."""
        kept = await self._store.get_state(_RECENT_KEY)
        self._recent = [str(key) for key in json.loads(kept)] if kept else []
        await self._read()

    async def close(self) -> None:
        await self._work.aclose()
        self.palette.close()
        self.palette.deleteLater()

    def toggle(self) -> None:
        """Show the palette at once with the known entries; newer ones are added when they are
        loaded.
        """
        if self.palette.isVisible():
            self.palette.hide()
            return
        self.palette.present(list(self._choices()), self._recent)
        self._work.start_once("read", self._refresh)

    # Entries

    async def _refresh(self) -> None:
        await self._read()
        if self.palette.isVisible():
            self.palette.set_entries(list(self._choices()), self._recent)

    async def _read(self) -> None:
        infos = await self._store.conversations()
        self._talks = await asyncio.to_thread(lambda: [self._of_conversation(one) for one in infos])
        self._tiles = await self._figures.tiles()

    def _choices(self) -> Iterator[PaletteEntry]:
        yield from self._of_commands()
        yield from self._of_models()
        yield from self._of_figures()
        yield from self._of_characters()
        yield from self._of_settings()
        yield from self._talks

    def _of_commands(self) -> Iterator[PaletteEntry]:
        kind = tr("Command")
        for key, command in self.commands.palette_commands().items():
            title = command.name() if command.name is not None else tr(command.title)
            keys = format_keys(command.keys[0]) if command.keys else ""
            words = f"{search_text((command.title,))}\n{command.search_terms}"
            run = command.run
            assert run is not None
            yield PaletteEntry(f"command:{key}", title, kind, run, command.icon, keys, words)

    def _of_models(self) -> Iterator[PaletteEntry]:
        for row in self._models.rows():
            name = row.name
            title = tr("Model: {name}", name=row.title)
            run = partial(self._models.choose, name)
            yield PaletteEntry(
                f"model:{name}", title, row.source or tr("Model"), run, "service", "", name
            )

    def _of_figures(self) -> Iterator[PaletteEntry]:
        for tile in self._tiles:
            if not tile.problem:
                run = partial(self._take_figure, tile.path)
                title = tr("Figure: {name}", name=tile.title)
                yield PaletteEntry(f"figure:{tile.path}", title, tr("Figure"), run, "persona")

    def _of_characters(self) -> Iterator[PaletteEntry]:
        """Yield the characters for the open conversation; the entry without one is the figure
        itself.
        """
        kind, found = tr("Character"), self._characters.characters()
        for one in found:
            title = tr("Character: {name}", name=one.card.name)
            run = partial(self._take_character, one.id)
            yield PaletteEntry(f"character:{one.id}", title, kind, run, "persona")
        if found:
            title = tr("Character: the figure itself")
            run = partial(self._take_character, "")
            yield PaletteEntry("character:", title, kind, run, "companion")

    def _of_settings(self) -> Iterator[PaletteEntry]:
        settings, name = self._settings, self._companion_name()
        assert settings is not None
        from neodeskpet.app.settings_pages import list_sections  # after the first paint

        for about in list_sections():
            run = partial(_show_settings_section, settings, about.name)
            words = search_text((about.title, about.description))
            title = tr(about.title, name=name)
            yield PaletteEntry(
                f"page:{about.name}", title, tr("Settings"), run, about.icon, "", words
            )
        run = partial(_show_liveliness, settings)
        words = search_text((N_("Liveliness"), N_("Calm"), N_("Lively")))  # one row, four settings
        title = tr("Liveliness")
        yield PaletteEntry("liveliness", title, tr("Settings"), run, "companion", "", words)
        yield self._of_permissions(settings)
        for section in describe_sections():
            for info in section.settings:
                show = partial(_show_setting, settings, section.name, info.name)
                title, words = tr(info.title, name=name), setting_search_text(section, info)
                kind = f"{tr('Settings')} · {tr(section.title, name=name)}"
                yield PaletteEntry(
                    f"setting:{info.path}", title, kind, show, section.icon, "", words
                )

    def _of_permissions(self, settings: Callable[[], SettingsWindow]) -> PaletteEntry:
        """Return the line for the list of permissions, a setting that has a row for each."""
        from neodeskpet.ui.settings.tool_rows import permission_search_text

        title = tr(setting_info("mode", "always_allowed").title)
        show = partial(_show_setting, settings, "mode", "always_allowed")
        words = permission_search_text()
        kind = tr("Settings")
        return PaletteEntry("setting:mode.always_allowed", title, kind, show, "tools", "", words)

    def _of_conversation(self, info: ConversationInfo) -> PaletteEntry:
        state = "archived" if info.archived else "pinned" if info.pinned else ""
        title = info.title or tr("New conversation")
        run = partial(self.open_conversation, info.id)
        kind = info.folder or tr("Conversation")
        return PaletteEntry(f"conversation:{info.id}", title, kind, run, _CONVERSATION_ICONS[state])

    def _search_in_settings(self, text: str) -> PaletteEntry:
        """Return the line for a text without results: some rows of the settings combine several
        settings, or belong to none, so only the settings window finds them.
        """
        title = tr("Search the settings for “{words}”", words=text)
        run = partial(self._show_settings_search, text)
        return PaletteEntry("search settings", title, tr("Settings"), run, "settings")

    def _show_settings_search(self, text: str) -> None:
        assert self._settings is not None
        window = self._settings()
        window.present()
        window.search.setText(text)

    # Actions of the entries

    def _in_chat(self, run: Callable[[], object] | None) -> Callable[[], None] | None:
        """Return `run` so that it also brings the chat window to the front."""
        if run is None:
            return None

        def do() -> None:
            self._show_chat()
            run()

        return do

    def open_conversation(self, conversation_id: str) -> None:
        """Open a conversation and bring the chat window to the front."""
        self._show_chat()
        self._work.replace("open", partial(self._chat.open, conversation_id))

    def _take_character(self, character: str) -> None:
        self._show_chat()
        self._work.replace("character", partial(self._characters.choose, character))

    def _take_figure(self, path: str) -> None:
        self._work.replace("figure", partial(self._figures.choose, path))

    def _note(self, key: str) -> None:
        self._recent = [key, *(one for one in self._recent if one != key)][:_MAX_RECENT]
        self._work.start(
            "note", partial(self._store.set_state, _RECENT_KEY, json.dumps(self._recent))
        )


def _show_settings_section(settings: Callable[[], SettingsWindow], section: str) -> None:
    settings().present(section)


def _show_liveliness(settings: Callable[[], SettingsWindow]) -> None:
    from neodeskpet.ui.settings.proactive_page import ProactivePage  # after the first paint

    window = settings()
    window.present("initiative")
    page = window.pages["initiative"]
    if isinstance(page, ProactivePage):
        window.focus_row(page.liveliness, page.liveliness.choice)


def _show_setting(settings: Callable[[], SettingsWindow], section: str, name: str) -> None:
    settings().show_setting(section, name)


def _menu_command(menu: CompanionMenu, entry: MenuEntry) -> Command:
    """Return an entry of the companion's menu as a command."""
    action = menu.actions[entry.id]

    def name() -> str:
        return action.text().split("\t")[0]

    return Command(
        entry.id, entry.text_on or entry.text, action.trigger, icon=entry.icon, name=name
    )
