"""Titles: after its first answer a model names a conversation, quietly.

The first words that were said are the title until then. A name that the person gave is never
touched, a fault is only logged, and whoever goes on talking isn't made to wait for it.
"""

from __future__ import annotations

import re

from neodeskpet.conversation.chat import Chat, first_words
from neodeskpet.conversation.errands.after_answers import AfterAnswers
from neodeskpet.conversation.errands.errand import Errand, Errands
from neodeskpet.conversation.ports import Store
from neodeskpet.core.blocks import MessageState, Role
from neodeskpet.core.records import ConversationInfo

LONGEST = 40
PATIENCE = 60.0
_READ = 2_000  # characters of each side that the model is shown
_ANSWER = 400  # characters of its answer that are looked at
SYSTEM = (
    "You name conversations. Answer with a title of two to six words (in Chinese at most twelve "
    "characters) in the language of the person's words: no quotes, no full stop, nothing else."
)
_LABEL = re.compile(r"(?:title|标题|題目|题目)\s*[:：]\s*", re.IGNORECASE)
_EDGES = " \t\"'`*#_.。:：“”‘’「」『』《》【】[]()（）"


class Titles:
    """Has errands name conversations after their first answers."""

    def __init__(self, chat: Chat, store: Store, errands: Errands) -> None:
        self._chat = chat
        self._store = store
        self._errands = errands
        self._after = AfterAnswers(chat, "title", self._name)

    def stop(self) -> None:
        """Name nothing any more until the next answer."""
        self._after.stop()

    async def _name(self, info: ConversationInfo) -> None:
        messages = await self._store.history(info.id, 3)
        if [message.role for message in messages] != [Role.USER, Role.ASSISTANT]:
            return  # it has been talked in for longer
        question, answer = (message.text for message in messages)
        if not question.strip() or info.title != first_words(question):
            return  # the person gave it a name
        outcome = await self._errands.run(title_errand(question, answer))
        ended = (MessageState.DONE, MessageState.CANCELLED)  # the latter where it said too much
        title = read_title(outcome.text) if outcome and outcome.state in ended else ""
        if title:
            await self._chat.retitle(info, title)


def title_errand(question: str, answer: str) -> Errand:
    """What is asked of the model."""
    talk = f"<person>{question[:_READ]}</person>\n<companion>{answer[:_READ]}</companion>"
    words = f"{talk}\nWhich title fits this conversation?"
    return Errand(
        "title",
        words,
        purpose="title",
        system=SYSTEM,
        rounds=1,
        patience=PATIENCE,
        longest=_ANSWER,
    )


def read_title(said: str) -> str:
    """The title in what a model answered, on one line; "" if there is none that fits."""
    lines = (line.strip(_EDGES) for line in said.splitlines())
    line = next((line for line in lines if line), "")
    line = " ".join(_LABEL.sub("", line, count=1).strip(_EDGES).split())
    return line if len(line) <= LONGEST else ""
