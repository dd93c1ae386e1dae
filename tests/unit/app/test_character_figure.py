"""The figure of a character appears with it and is replaced with it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import cast

from pytestqt.qtbot import QtBot

from neodeskpet.app.characters import CharacterAdapter, CharacterController
from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.characters.cards.character_card import Card
from neodeskpet.core.errors import KnownError
from neodeskpet.llm.scripted_model import ScriptedModel


def figure(engine: Engine) -> str:
    return str(engine.settings.value("companion", "model"))


def test_the_figure_follows_the_character_and_the_user(qtbot: QtBot, tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    other.mkdir()
    third.mkdir()

    async def scene() -> None:
        engine = await open_engine(tmp_path / "home", model=ScriptedModel())
        port = CharacterAdapter(engine, cast(FigureAdapter, None), lambda: None)
        shown: list[int] = []
        told: list[KnownError] = []
        casting = CharacterController(
            engine, port, show=lambda: shown.append(1), open_page=lambda: None, tell=told.append
        )
        await casting.load_previous_figure()
        mimi, mo = await port.create(), await port.create()
        for name, path in ((mimi, str(other)), (mo, str(tmp_path / "gone"))):
            found = engine.storage.characters.library.get(name)
            assert found is not None
            await port.update(name, replace(found, card=Card(name), figure=path))
        await port.update("unknown", replace(found, figure="x"))
        first = await engine.chat.open()
        await port.choose(mimi)
        assert (figure(engine), port.current_character()) == (str(other), mimi)
        assert casting.portrait().isNull()
        again = CharacterController(
            engine, port, show=lambda: None, open_page=lambda: None, tell=told.append
        )
        await casting._work.wait_until_idle()
        await again.load_previous_figure()
        again.stop()
        assert again._before == ""
        await port.choose(mo)
        assert figure(engine) == str(other), "a missing figure can't appear"
        await port.choose("")
        assert figure(engine) == ""
        await port.choose(mimi)
        engine.settings.change("companion", "model", str(third))
        await port.choose("")
        assert figure(engine) == str(third), "the user's own choice stays"
        assert shown and not told
        casting.stop()
        await casting._work.wait_until_idle()
        assert first.id
        await engine.aclose()

    asyncio.run(scene())
