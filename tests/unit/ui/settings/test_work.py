from __future__ import annotations

import asyncio

from neodeskpet.ui.settings.work import Work


def test_begins_stops_and_ends() -> None:
    told: list[bool] = []
    gate = asyncio.Event()

    async def wait() -> None:
        await gate.wait()

    async def scenario() -> None:
        work = Work(lambda: told.append(work.running("wait")))
        work.toggle("wait", wait)
        work.toggle("wait", wait)
        assert told == [True, False]
        work.toggle("wait", wait)
        await asyncio.sleep(0)
        gate.set()
        for _ in range(4):
            await asyncio.sleep(0)
        assert told == [True, False, True, False]
        gate.clear()
        work.toggle("wait", wait)
        work.cancel()
        for _ in range(4):
            await asyncio.sleep(0)
        assert told[4:] == [True], "what is cancelled for good tells nobody"

    asyncio.run(scenario())
