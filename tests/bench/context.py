"""The cost of building a request: 500 turns, twenty windows, 8,000 tokens."""

from __future__ import annotations

import asyncio
import time
from statistics import median

from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.core.token_budget import request_tokens
from neodeskpet.llm.scripted_model import ScriptedModel
from tests.support.longtalk import long_setup, talk, windows
from tests.unit.conversation.doubles import Tools

TOKENS = 8_000
_TIMES = 200


async def _measure() -> dict[str, float]:
    setup = long_setup(ScriptedModel(), Tools(), TOKENS, windows(20))
    history = talk(500)[:-1]
    reply = Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 0.0)
    times: list[float] = []
    for _ in range(_TIMES):
        began = time.process_time()
        request = await setup.request(history, reply, (), ())
        times.append(time.process_time() - began)
    tokens = request_tokens(request.system, request.messages)
    return {"build_ms": median(times) * 1000, "slowest_ms": max(times) * 1000, "tokens": tokens}


def measure() -> dict[str, float]:
    """Milliseconds of CPU for one request, and the tokens in it."""
    return asyncio.run(_measure())
