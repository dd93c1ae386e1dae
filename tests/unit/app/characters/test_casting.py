"""The figure that goes with a character comes with it and leaves with it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import cast

from pytestqt.qtbot import QtBot

from neodeskpet.app.characters.adapter import CharacterAdapter
from neodeskpet.app.characters.casting import Casting
from neodeskpet.app.figures import FigureAdapter
from neodeskpet.core.errors import KnownError
from neodeskpet.engine import Engine, open_engine
from neodeskpet.llm.scripted import ScriptedModel
from neodeskpet.personas.cards.card import Card


def figure(engine: Engine) -> str:
    return str(engine.settings.value("companion", "model"))


def test_the_figure_follows_the_character_and_the_person(qtbot: QtBot, tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    other.mkdir()
    third.mkdir()

    async def scene() -> None:
        engine = await open_engine(tmp_path / "home", model=ScriptedModel())
        port = CharacterAdapter(engine, cast(FigureAdapter, None), lambda: None)
        shown: list[int] = []
        told: list[KnownError] = []
        casting = Casting(
            *(engine, port), show=lambda: shown.append(1), open_page=lambda: None, tell=told.append
        )
        await casting.restore()
        mimi, mo = await port.add(), await port.add()
        for name, path in ((mimi, str(other)), (mo, str(tmp_path / "gone"))):
            found = engine.cast.shelf.of(name)
            assert found is not None
            await port.keep(name, replace(found, card=Card(name), figure=path))
        await port.keep("unknown", replace(found, figure="x"))
        first = await engine.chat.open()
        await port.choose(mimi)
        assert (figure(engine), port.here()) == (str(other), mimi)
        assert casting.picture().isNull()
        again = Casting(
            *(engine, port), show=lambda: None, open_page=lambda: None, tell=told.append
        )
        await casting._work.settled()
        await again.restore()
        again.stop()
        assert again._before == ""
        await port.choose(mo)
        assert figure(engine) == str(other), "what isn't there can't come"
        await port.choose("")
        assert figure(engine) == ""
        await port.choose(mimi)
        engine.settings.change("companion", "model", str(third))
        await port.choose("")
        assert figure(engine) == str(third), "the person's own choice stays"
        assert shown and not told
        casting.stop()
        await casting._work.settled()
        assert first.id
        await engine.close()

    asyncio.run(scene())
