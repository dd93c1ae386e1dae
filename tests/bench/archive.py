"""An archive of many messages: one conversation of 10,000, the latest, and others of 100.

The texts are invented; a quarter of them contain an everyday sentence with days or a question.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageNode, MessageState, Role, Text
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.bench.memory import sample_texts

_LATEST, _OTHERS = 10_000, 100
"""Messages of the latest conversation, and of each other one (the last of them has fewer)."""
_BEGIN, _STEP = 1.7e9, 400.0
"""When the first message was written, and the seconds until the next one."""
_EVERYDAY = (
    "Could you remind me tomorrow at three that the plumber comes?",
    "We flew to Lisbon last summer, and on July 14th it rained all day.",
    "What did the doctor say about my knee on Monday?",
    "I don't like the new office, it's too loud after lunch.",
    "我妈妈下周三过生日，送她什么好呢？",
    "昨天晚上跑了五公里，膝盖有点疼。",
    "Here are three ideas: 1. bake bread, 2. call your sister, 3. go to bed before eleven.",
    "去年国庆节我们在成都吃了火锅，你还记得那家店吗？",
)


def archive_texts(count: int) -> list[str]:
    """Invented texts; a quarter contain an everyday sentence."""
    texts = sample_texts(count)
    for at in range(0, count, 4):
        texts[at] += "\n" + _EVERYDAY[at // 4 % len(_EVERYDAY)]
    return texts


async def write_archive(home: Path, texts: Sequence[str], latest: int = _LATEST) -> None:
    """Store the texts; the latest conversation gets `latest` of them."""
    store = await SqliteStore.open(home / CONVERSATIONS_FILE)
    cut = max(len(texts) - latest, 0)
    edges = [*range(0, cut, _OTHERS), cut, len(texts)]
    for begin, end in pairwise(edges):
        if begin < end:
            messages = [_message(at, texts[at]) for at in range(begin, end)]
            parents = ("", *(one.id for one in messages))
            nodes = [
                MessageNode(one.id, parent) for one, parent in zip(messages, parents, strict=False)
            ]
            await store.import_conversation(
                ImportedConversation(f"Conversation {begin}", messages, nodes, ())
            )
    await store.aclose()


def _message(at: int, text: str) -> Message:
    role = (Role.USER, Role.ASSISTANT)[at % 2]
    # A random-looking id, as real ones are, but the same in each run.
    name = str(uuid.uuid5(uuid.NAMESPACE_OID, str(at)))
    return Message(name, role, (Text(0, 0, text),), MessageState.DONE, _BEGIN + at * _STEP)
