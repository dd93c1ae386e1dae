"""A conversation with many branches compared with a straight one of as many messages, in the same
run: how long it takes to open, and to show another version near the end.

`*_ms` are milliseconds; they measure, they don't judge.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QApplication

from neodeskpet.core.blocks import Message, MessageHead, MessageState, Role, ShownPath, Text
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT
from tests.bench.view import SIZE, sample_text

_ROUNDS = 9


def measure(messages: int = 5_000, branches: int = 500) -> dict[str, float]:
    """All figures. `branches` answers have another version with one more message below it."""
    assert QApplication.instance() is not None
    return asyncio.run(_measure(messages, branches))


async def _measure(messages: int, branches: int) -> dict[str, float]:
    store = await SqliteStore.open(None)
    straight = await _fill(store, messages, 0)
    branched = await _fill(store, messages, branches)
    short = await _fill(store, messages // 10, branches // 10)
    out = {
        "open_straight_ms": await _open(store, straight),
        "open_branched_ms": await _open(store, branched),
        "switch_short_ms": await _switch(store, short),
        "switch_long_ms": await _switch(store, branched),
    }
    await store.aclose()
    out["open_ratio"] = out["open_branched_ms"] / out["open_straight_ms"]
    out["switch_ratio"] = out["switch_long_ms"] / out["switch_short_ms"]
    return out


async def _fill(store: SqliteStore, messages: int, branches: int) -> str:
    """A conversation with that many messages in all; the last branch is near its end."""
    here = (await store.create_conversation()).id
    path = messages - 2 * branches
    every = path // branches if branches else path + 1
    text = sample_text(400)

    def said(number: int, which: str) -> Message:
        role = Role.ASSISTANT if number % 2 else Role.USER
        block = Text(0, 0, text[: 40 + number % 360])
        return Message(f"{here} {number} {which}", role, (block,), MessageState.DONE, 1.0)

    for number in range(path):
        await store.add_message(here, said(number, "a"))
        if number % every == every - 1:
            own = f"{here} {number} a"
            await store.add_version(here, said(number, "b"), beside=own)
            await store.add_message(here, said(number + 1, "below b"))
            await store.show_message(here, own)
    return here


async def _open(store: SqliteStore, conversation: str) -> float:
    """From the request for its messages until its end is painted."""
    view = _view()

    async def once() -> None:
        heads = await store.heads(conversation)
        view.open_conversation(heads)
        await _load(store, view, heads)

    took = await _median(once)
    _close(view)
    return took


async def _switch(store: SqliteStore, conversation: str) -> float:
    """To the last other version and back, until it is painted; half of that."""
    view = _view()
    heads = await store.heads(conversation)
    view.open_conversation(heads)
    await _load(store, view, heads)
    last = [head for head in heads if head.versions > 1][-1].id

    async def show(path: ShownPath) -> None:
        first = await store.messages([head.id for head in path.heads[:8]])
        view.show_path(path, first)
        view.viewport().repaint()

    async def once() -> None:
        path = await store.step_version(conversation, last, 1)
        await show(path)
        await show(await store.step_version(conversation, path.heads[0].id, -1))

    took = await _median(once)
    _close(view)
    return took / 2


async def _load(store: SqliteStore, view: ChatView, heads: list[MessageHead]) -> None:
    view.add_loaded_messages(await store.messages([head.id for head in heads[-12:]]))
    QApplication.processEvents()
    view.viewport().repaint()


async def _median(once: Callable[[], Awaitable[None]]) -> float:
    times = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        await once()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1000


def _view() -> ChatView:
    view = ChatView(LIGHT)
    view.resize(*SIZE)
    view.show()
    QApplication.processEvents()
    return view


def _close(view: ChatView) -> None:
    view.close()
    view.deleteLater()
    QApplication.processEvents()
