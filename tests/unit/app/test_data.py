"""The person's data on a real engine."""

from __future__ import annotations

from pathlib import Path

from neodeskpet.app.data import DataAdapter
from neodeskpet.engine import Engine
from neodeskpet.llm.scripted import ScriptedModel, say
from tests.unit.app.engines import with_engine


def test_all_conversations_can_be_deleted(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        await engine.chat.open()
        engine.chat.send("hello")
        await engine.chat.wait()
        desk = DataAdapter(engine)
        assert desk.folder == tmp_path
        assert await desk.delete_conversations() == 1
        info = engine.chat.conversation
        assert info is not None
        assert await engine.store.history(info.id) == []

    with_engine(tmp_path, work, model=ScriptedModel([say("hi")]))
