"""The page's port onto the characters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from neodeskpet.app.figures import FigureAdapter
from neodeskpet.conversation.character.told import greetings_of
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.personas.cards.card import Card, Lorebook
from neodeskpet.personas.cards.reader import read_world_file
from neodeskpet.personas.shelf import Character, ImportFailed


class CharacterAdapter:
    """A `ui.settings.characters.port.CharactersPort` on the engine. `present` brings the chat to
    the front.
    """

    def __init__(self, engine: Engine, figures: FigureAdapter, present: Callable[[], None]) -> None:
        self._engine = engine
        self._figures = figures
        self._present = present

    def characters(self) -> Sequence[Character]:
        return self._engine.character_assignments.shelf.list_all()

    def unreadable_files(self) -> Mapping[str, str]:
        return self._engine.character_assignments.shelf.broken

    def current_character(self) -> str:
        found = self._engine.character_assignments.character_of(self._conversation())
        return found.id if found is not None else ""

    def has_own_memory(self, character: str) -> bool:
        return self._engine.character_assignments.has_own_memory(character)

    def default_character(self) -> str:
        found = self._engine.character_assignments.default
        return found.id if found is not None else ""

    async def set_default_character(self, character: str) -> None:
        await self._engine.character_assignments.set_default(character)

    async def cast_new(self, conversation: str) -> None:
        """This conversation was opened: one in which nothing was said gets the character that new
        ones get, who greets.
        """
        if (
            not await self._engine.store.heads(conversation)
            and conversation == self._conversation()
        ):
            found = await self._engine.character_assignments.assign_new(conversation)
            if found is not None:
                await self._engine.chat.greet(greetings_of(found.card), found.untrusted)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        ends = (
            self._engine.character_assignments.subscribe(observer),
            self._engine.character_assignments.shelf.subscribe(observer),
        )

        def end() -> None:
            for one in ends:
                one()

        return end

    async def figures(self) -> Sequence[tuple[str, str]]:
        return [(tile.path, tile.title) for tile in await self._figures.tiles() if not tile.wrong]

    async def import_card(self, file: Path) -> str:
        made = await asyncio.to_thread(self._engine.character_assignments.shelf.import_card, file)
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
        made = await asyncio.to_thread(self._engine.character_assignments.shelf.add, card)
        await self._load()
        return made

    async def update(self, character: str, changed: Character) -> None:
        if self._engine.character_assignments.shelf.get(character) is not None:
            await asyncio.to_thread(
                self._engine.character_assignments.shelf.update, replace(changed, id=character)
            )
            await self._load()

    async def remove(self, character: str) -> None:
        await asyncio.to_thread(self._engine.character_assignments.shelf.delete, character)
        await self._load()

    async def export(self, character: str, file: Path) -> None:
        found = self._engine.character_assignments.shelf.get(character)
        if found is not None:
            await asyncio.to_thread(self._engine.character_assignments.shelf.export, found, file)

    async def set_own_memory(self, character: str, apart: bool) -> None:
        await self._engine.character_assignments.set_own_memory(character, apart)

    async def choose(self, character: str) -> None:
        conversation = self._conversation()
        if conversation:
            await self._engine.character_assignments.choose(conversation, character)
            found = self._engine.character_assignments.shelf.get(character)
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
        shelf = self._engine.character_assignments.shelf
        await asyncio.to_thread(partial(shelf.load))
        shelf.notify()
        self._engine.character_assignments.notify()
