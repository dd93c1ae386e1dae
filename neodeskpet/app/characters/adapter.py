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
        return self._engine.cast.shelf.all()

    def broken(self) -> Mapping[str, str]:
        return self._engine.cast.shelf.broken

    def here(self) -> str:
        found = self._engine.cast.of(self._conversation())
        return found.id if found is not None else ""

    def apart(self, character: str) -> bool:
        return self._engine.cast.apart(character)

    def default(self) -> str:
        found = self._engine.cast.default
        return found.id if found is not None else ""

    async def set_default(self, character: str) -> None:
        await self._engine.cast.set_default(character)

    async def cast_new(self, conversation: str) -> None:
        """This conversation was opened: one in which nothing was said gets the character that new
        ones get, who greets.
        """
        if (
            not await self._engine.store.heads(conversation)
            and conversation == self._conversation()
        ):
            found = await self._engine.cast.cast_new(conversation)
            if found is not None:
                await self._engine.chat.greet(greetings_of(found.card), found.untrusted)

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        ends = (self._engine.cast.observe(observer), self._engine.cast.shelf.observe(observer))

        def end() -> None:
            for one in ends:
                one()

        return end

    async def figures(self) -> Sequence[tuple[str, str]]:
        return [(tile.path, tile.title) for tile in await self._figures.tiles() if not tile.wrong]

    async def bring(self, file: Path) -> str:
        made = await asyncio.to_thread(self._engine.cast.shelf.bring, file)
        await self._load()
        return made

    async def read_world(self, file: Path) -> Lorebook:
        try:
            book, _ = await asyncio.to_thread(read_world_file, file)
        except OSError as error:
            raise ImportFailed(str(error), file=file.name) from error
        return book

    async def add(self) -> str:
        card = Card(tr("New character"), description=tr("{{char}} is …"))
        made = await asyncio.to_thread(self._engine.cast.shelf.add, card)
        await self._load()
        return made

    async def keep(self, character: str, changed: Character) -> None:
        if self._engine.cast.shelf.of(character) is not None:
            await asyncio.to_thread(self._engine.cast.shelf.keep, replace(changed, id=character))
            await self._load()

    async def remove(self, character: str) -> None:
        await asyncio.to_thread(self._engine.cast.shelf.remove, character)
        await self._load()

    async def export(self, character: str, file: Path) -> None:
        found = self._engine.cast.shelf.of(character)
        if found is not None:
            await asyncio.to_thread(self._engine.cast.shelf.export, found, file)

    async def set_apart(self, character: str, apart: bool) -> None:
        await self._engine.cast.set_apart(character, apart)

    async def choose(self, character: str) -> None:
        conversation = self._conversation()
        if conversation:
            await self._engine.cast.choose(conversation, character)
            found = self._engine.cast.shelf.of(character)
            greetings = greetings_of(found.card) if found is not None else ()
            origins = found.untrusted if found is not None else ()
            await self._engine.chat.greet(greetings, origins)

    async def begin(self, character: str) -> None:
        await self._engine.chat.open_new()
        await self.choose(character)
        self._present()

    def _conversation(self) -> str:
        info = self._engine.chat.conversation
        return info.id if info is not None else ""

    async def _load(self) -> None:
        shelf = self._engine.cast.shelf
        await asyncio.to_thread(partial(shelf.load))
        shelf.tell()
        self._engine.cast.tell()
