"""Remembered texts as the memory window requests them."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

from neodeskpet.app.engine import open_engine
from neodeskpet.app.memory_adapter import MemoryAdapter
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.memory.facts.fact import FactSource
from neodeskpet.memory.facts.fact_extraction import find_claim
from neodeskpet.ui.windows.memory_port import MemoryKind


def test_facts_and_texts_with_their_origin(tmp_path: Path) -> None:
    async def live() -> None:
        engine = await open_engine(tmp_path / "home")
        try:
            port = MemoryAdapter(engine, now=lambda: datetime(2026, 1, 4, 9))
            info = await engine.storage.store.create_conversation()
            words = (Text(0, 0, "I live in Ulm"),)
            said = Message("m", Role.USER, words, MessageState.DONE, 1.0, 1.0)
            await engine.storage.store.add_message(info.id, said)
            await engine.memory.indexer.catch_up_changes()
            for text in ("I live in Ulm", "I live in Rome"):
                source = FactSource("m", info.id)
                await engine.memory.store.facts.add(
                    text, find_claim(text), source, datetime(2026, 1, 4)
                )
            await port.add("I like tea")
            rome, *others = await port.facts("")
            assert rome.contradicted is not None and rome.contradicted.text == "I live in Ulm"
            assert [one.kind for one in others] == [MemoryKind.FACT, MemoryKind.FACT]
            assert rome.sources[0].message == "m" and rome.sources[0].conversation == info.id
            (tea,) = await port.facts("TEA")
            await port.pin(tea, True)
            await port.correct(tea, "I like green tea")
            assert (await port.facts("tea"))[0].pinned
            await port.resolve_conflict(rome, rome.contradicted)
            assert len(await port.facts("live")) == 1
            await engine.memory.store.facts.record_recalled("r", [rome.id])
            assert [one.text for one in await port.used_in_reply("r")] == ["I live in Rome"]
            assert list(await port.forget(rome)) == ["m"]  # the message still exists
            await port.forget_messages(["m"])
            assert await engine.storage.store.messages(["m"]) == [] == await port.used_in_reply("r")
        finally:
            await engine.aclose()

    asyncio.run(live())
