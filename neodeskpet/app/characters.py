"""The adapter between the settings page and the characters, and the menu that chooses the character
of the open conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QPixmap
from PySide6.QtWidgets import QMenu

from neodeskpet.app.engine import Engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.characters.cards.character_card import USUAL_VOICE, Card, CharacterVoice, Lorebook
from neodeskpet.characters.cards.reader import read_world_file
from neodeskpet.characters.character_library import Character, ImportFailed
from neodeskpet.conversation.character_context import greetings_of
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.language import tr
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.widgets.labels import button_text


class CharacterAdapter:
    """A `ui.settings.characters_port.CharactersPort` on the engine. `present` brings the chat
    window to the front.
    """

    def __init__(self, engine: Engine, figures: FigureAdapter, present: Callable[[], None]) -> None:
        self._engine = engine
        self._figures = figures
        self._present = present

    def characters(self) -> Sequence[Character]:
        return self._engine.storage.characters.library.list_all()

    def unreadable_files(self) -> Mapping[str, str]:
        return self._engine.storage.characters.library.broken

    def current_character(self) -> str:
        found = self._engine.storage.characters.character_of(self._conversation())
        return found.id if found is not None else ""

    def has_own_memory(self, character: str) -> bool:
        return self._engine.storage.characters.has_own_memory(character)

    def default_character(self) -> str:
        found = self._engine.storage.characters.default
        return found.id if found is not None else ""

    async def set_default_character(self, character: str) -> None:
        await self._engine.storage.characters.set_default(character)

    async def assign_new(self, conversation: str) -> None:
        """Give the character of new conversations to an opened conversation without messages, with
        its greeting.
        """
        if (
            not await self._engine.storage.store.heads(conversation)
            and conversation == self._conversation()
        ):
            found = await self._engine.storage.characters.assign_new(conversation)
            if found is not None:
                await self._engine.chat.greet(greetings_of(found.card), found.untrusted)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        ends = (
            self._engine.storage.characters.subscribe(observer),
            self._engine.storage.characters.library.subscribe(observer),
        )

        def end() -> None:
            for one in ends:
                one()

        return end

    async def figures(self) -> Sequence[tuple[str, str]]:
        return [(tile.path, tile.title) for tile in await self._figures.tiles() if not tile.problem]

    async def import_card(self, file: Path) -> str:
        made = await asyncio.to_thread(self._engine.storage.characters.library.import_card, file)
        await self._load()
        return made

    async def read_world(self, file: Path) -> Lorebook:
        try:
            book, _ = await asyncio.to_thread(read_world_file, file)
        except OSError as error:
            raise ImportFailed(str(error), file=file.name) from error
        return book

    async def create(self) -> str:
        card = Card(tr("New character"), description=tr("{{char}} is …"))
        made = await asyncio.to_thread(self._engine.storage.characters.library.add, card)
        await self._load()
        return made

    async def update(self, character: str, changed: Character) -> None:
        if self._engine.storage.characters.library.get(character) is not None:
            await asyncio.to_thread(
                self._engine.storage.characters.library.update,
                replace(changed, id=character),
            )
            await self._load()

    async def remove(self, character: str) -> None:
        await asyncio.to_thread(self._engine.storage.characters.library.delete, character)
        await self._load()

    async def export(self, character: str, file: Path) -> None:
        found = self._engine.storage.characters.library.get(character)
        if found is not None:
            await asyncio.to_thread(self._engine.storage.characters.library.export, found, file)

    async def set_own_memory(self, character: str, apart: bool) -> None:
        await self._engine.storage.characters.set_own_memory(character, apart)

    async def choose(self, character: str) -> None:
        conversation = self._conversation()
        if conversation:
            await self._engine.storage.characters.choose(conversation, character)
            found = self._engine.storage.characters.library.get(character)
            greetings = greetings_of(found.card) if found is not None else ()
            origins = found.untrusted if found is not None else ()
            await self._engine.chat.greet(greetings, origins)

    async def start_conversation(self, character: str) -> None:
        await self._engine.chat.open_new()
        await self.choose(character)
        self._present()

    def _conversation(self) -> str:
        info = self._engine.chat.conversation
        return info.id if info is not None else ""

    async def _load(self) -> None:
        library = self._engine.storage.characters.library
        await asyncio.to_thread(partial(library.load))
        library.notify()
        self._engine.storage.characters.notify()


_FIGURE_BEFORE_KEY = "figure.before"
_MODEL_SETTING = ("companion", "model")


class CharacterController(QObject):
    """A `ChatListener`. `action` is the entry in the chat's menu. `show` is called whenever the
    speaking character changes, `open_page` shows the characters in the settings, `tell` reports
    what could not be stored.
    """

    def __init__(
        self,
        engine: Engine,
        port: CharacterAdapter,
        *,
        show: Callable[[], None],
        open_page: Callable[[], None],
        tell: Callable[[KnownError], None],
    ) -> None:
        super().__init__()
        self._engine = engine
        self._port = port
        self._show = show
        self._open_page = open_page
        self._before: str | None = None
        self._changing = False
        self._shown: Path | None = None
        self._picture = QPixmap()
        self._work = TaskRunner("characters", failed=tell)
        self.menu = QMenu()
        self.action = self.menu.menuAction()
        self._group = QActionGroup(self.menu)
        self.menu.aboutToShow.connect(self._fill)
        self._ends = (
            engine.storage.characters.subscribe(self._follow),
            engine.settings.subscribe(self._on_setting_changed),
        )
        engine.chat.subscribe(self, ConversationChanged)
        self.retranslate()

    async def load_previous_figure(self) -> None:
        """Load which figure was used before a character's figure was shown. Raises StoreError."""
        self._before = await self._engine.storage.store.get_state(_FIGURE_BEFORE_KEY)

    def stop(self) -> None:
        """Stop following changes."""
        for end in self._ends:
            end()

    def on_chat_event(self, event: ChatEvent) -> None:
        self._follow()
        self._cast_new()

    def _cast_new(self) -> None:
        info = self._engine.chat.conversation
        if info is not None and self._engine.storage.characters.default is not None:
            self._work.start("new", partial(self._port.assign_new, info.id))

    @property
    def character(self) -> Character | None:
        """The character of the open conversation; None for the figure's own persona."""
        info = self._engine.chat.conversation
        return self._engine.storage.characters.character_of(info.id) if info is not None else None

    def voice_style(self) -> CharacterVoice:
        """Return how the character of the open conversation speaks."""
        return self.character.voice if self.character is not None else USUAL_VOICE

    def portrait(self) -> QPixmap:
        """Return the portrait of the speaking character if it has one and no figure of its own;
        else a null picture.
        """
        found = self.character
        file = found.picture if found is not None and found.figure is None else None
        if file != self._shown:
            self._shown = file
            from neodeskpet.ui.settings.characters_page import (
                portrait_head,  # after the first paint
            )

            self._picture = QPixmap.fromImage(portrait_head(file))
        return self._picture

    def retranslate(self) -> None:
        self.menu.setTitle(tr("Character in this conversation"))

    def _fill(self) -> None:
        self.menu.clear()
        here = self._port.current_character()
        info = self._engine.chat.conversation
        own = self._engine.storage.characters.persona(info.id if info is not None else "").name
        found = [(one.id, one.card.name) for one in self._port.characters()]
        for name, title in (("", tr("{name}, the figure itself", name=own)), *found):
            action = QAction(button_text(title), self.menu)
            action.setCheckable(True)
            action.setChecked(name == here)
            action.triggered.connect(partial(self._choose, name))
            self._group.addAction(action)
            self.menu.addAction(action)
        self.menu.addSeparator()
        self.menu.addAction(tr("Characters…")).triggered.connect(lambda: self._open_page())

    def _choose(self, name: str, _checked: bool = False) -> None:
        self._work.start("choose", partial(self._port.choose, name))

    # The figure of the character

    def _follow(self) -> None:
        self._show()
        found, now = self.character, str(self._engine.settings.value(*_MODEL_SETTING))
        wanted = found.figure if found is not None else None
        if wanted is None:
            before, self._before = self._before, None
            if before is not None:
                self._keep(None)
                self._put(before, now)
        elif not wanted or Path(wanted).expanduser().exists():
            if self._before is None and wanted != now:
                self._before = now
                self._keep(now)
            self._put(wanted, now)

    def _put(self, figure: str, now: str) -> None:
        if figure != now:
            self._changing = True
            try:
                self._engine.settings.change(*_MODEL_SETTING, figure)
            finally:
                self._changing = False

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        if (section, name) == _MODEL_SETTING and not self._changing and self._before is not None:
            self._before = None  # the user has chosen another figure since
            self._keep(None)

    def _keep(self, figure: str | None) -> None:
        self._work.start(
            "keep", partial(self._engine.storage.store.set_state, _FIGURE_BEFORE_KEY, figure)
        )
