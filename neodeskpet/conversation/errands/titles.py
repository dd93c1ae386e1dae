"""Titles: after its first answer a model names a conversation, quietly.

The first words that were said are the title until then. A name that the person gave is never
touched, a fault is only logged, and whoever goes on talking isn't made to wait for it.
"""

from __future__ import annotations

import re

from neodeskpet.conversation.chat import Chat, title_from
from neodeskpet.conversation.errands.after_answers import AfterReply
from neodeskpet.conversation.errands.errand import BackgroundPrompt, BackgroundPrompts
from neodeskpet.conversation.ports import Store
from neodeskpet.core.blocks import MessageState, Role
from neodeskpet.core.records import ConversationInfo

MAX_TITLE = 40
TITLE_TIMEOUT = 60.0
_MAX_READ_TITLE = 2_000  # characters of each side that the model is shown
_MAX_ANSWER = 400  # characters of its answer that are looked at
TITLE_SYSTEM = (
    "You name conversations. Answer with a title of two to six words (in Chinese at most twelve "
    "characters) in the language of the person's words: no quotes, no full stop, nothing else."
)
_TITLE_LABEL = re.compile(r"(?:title|标题|題目|题目)\s*[:：]\s*", re.IGNORECASE)
_EDGE_CHARS = " \t\"'`*#_.。:：“”‘’「」『』《》【】[]()（）"


class TitleWriter:
    """Has errands name conversations after their first answers."""

    def __init__(self, chat: Chat, store: Store, errands: BackgroundPrompts) -> None:
        self._chat = chat
        self._store = store
        self._errands = errands
        self._after = AfterReply(chat, "title", self._name)

    def stop(self) -> None:
        """Name nothing any more until the next answer."""
        self._after.stop()

    async def _name(self, info: ConversationInfo) -> None:
        messages = await self._store.history(info.id, 3)
        if [message.role for message in messages] != [Role.USER, Role.ASSISTANT]:
            return  # it has been talked in for longer
        question, answer = (message.text for message in messages)
        if not question.strip() or info.title != title_from(question):
            return  # the person gave it a name
        outcome = await self._errands.run(title_prompt(question, answer))
        ended = (MessageState.DONE, MessageState.CANCELLED)  # the latter where it said too much
        title = parse_title(outcome.text) if outcome and outcome.state in ended else ""
        if title:
            await self._chat.rename(info, title)


def title_prompt(question: str, answer: str) -> BackgroundPrompt:
    """What is asked of the model."""
    talk = f"<person>{question[:_MAX_READ_TITLE]}</person>\n<companion>{answer[:_MAX_READ_TITLE]}</companion>"
    words = f"{talk}\nWhich title fits this conversation?"
    return BackgroundPrompt(
        "title",
        words,
        purpose="title",
        system=TITLE_SYSTEM,
        rounds=1,
        timeout=TITLE_TIMEOUT,
        max_length=_MAX_ANSWER,
    )


def parse_title(said: str) -> str:
    """The title in what a model answered, on one line; "" if there is none that fits."""
    lines = (line.strip(_EDGE_CHARS) for line in said.splitlines())
    line = next((line for line in lines if line), "")
    line = " ".join(_TITLE_LABEL.sub("", line, count=1).strip(_EDGE_CHARS).split())
    return line if len(line) <= MAX_TITLE else ""
