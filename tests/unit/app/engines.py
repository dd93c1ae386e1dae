"""An engine for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.llm.scripted_model import ScriptedModel


def with_engine(
    home: Path,
    work: Callable[[Engine], Awaitable[None]],
    url: str = "",
    model: ScriptedModel | None = None,
) -> None:
    async def live() -> None:
        options = RunOptions(url or None, "m" if url else None)
        engine = await open_engine(home, options=options, model=model)
        try:
            await work(engine)
        finally:
            await engine.aclose()

    asyncio.run(live())
