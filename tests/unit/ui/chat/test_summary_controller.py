"""The end mark of the summary in the view follows the summary of the open conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.conversation.titles_and_summaries import StoredSummaries
from neodeskpet.core.errors import KnownError
from neodeskpet.ui.chat.conversation_follower import SummaryController


class Everything:
    """The chat, the store, the messages and the view, as far as the controller uses them."""

    def __init__(self) -> None:
        self.conversation: Any = SimpleNamespace(id="c1")
        self.until = {"c1": "m7"}
        self.shown: list[str] = []
        self.broken = False
        self.observers: list[Callable[[Any], object]] = []
        self.joint = SummaryController(
            cast(Chat, self), cast(StoredSummaries, self), cast(Any, self), cast(Any, self)
        )

    def subscribe(self, listener: Any, *kinds: type) -> Callable[[], None]:
        if kinds:
            self.listener = listener
            return lambda: None
        self.observers.append(listener)
        return lambda: self.observers.remove(listener)

    async def get(self, conversation: str) -> Any:
        if self.broken:
            raise KnownError("it can't be read")
        until = self.until.get(conversation)
        return None if until is None else SimpleNamespace(until=until)

    def set_summary_end(self, until: str) -> None:
        self.shown.append(until)

    async def catch_up_changes(self) -> None:
        await self.joint._follower._work.wait_until_idle()


def changed() -> ChatEvent:
    return ConversationChanged(cast(Any, SimpleNamespace(id="c1")))


def test_it_follows_the_conversation_the_summary_and_the_messages() -> None:
    async def scenario() -> None:
        all_of_it = Everything()
        all_of_it.listener.on_chat_event(changed())
        await all_of_it.catch_up_changes()
        assert all_of_it.shown == ["m7"]
        all_of_it.until["c1"] = "m9"
        for tell, word in zip(list(all_of_it.observers), ("c1", ["m9"]), strict=True):
            tell(word)
            await all_of_it.catch_up_changes()
        assert all_of_it.shown == ["m7", "m9", "m9"]
        del all_of_it.until["c1"]
        all_of_it.listener.on_chat_event(changed())
        await all_of_it.catch_up_changes()
        all_of_it.conversation = None
        all_of_it.listener.on_chat_event(changed())
        await all_of_it.catch_up_changes()
        assert all_of_it.shown[3:] == ["", ""]
        await all_of_it.joint.aclose()
        assert not all_of_it.observers

    asyncio.run(scenario())


def test_an_unreadable_summary_keeps_the_mark() -> None:
    async def scenario() -> None:
        all_of_it = Everything()
        all_of_it.broken = True
        all_of_it.listener.on_chat_event(changed())
        await all_of_it.catch_up_changes()
        assert all_of_it.shown == []

    asyncio.run(scenario())
