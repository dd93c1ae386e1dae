"""The prompt for learning facts, and parsing of its answer. Learning itself is tested by the
stories.
"""

from __future__ import annotations

import asyncio
from datetime import datetime

from neodeskpet.conversation.background_prompts import BackgroundPrompt, RunOutcome
from neodeskpet.conversation.fact_learning import (
    FACTS_SYSTEM,
    FactLearner,
    facts_prompt,
    parse_answer,
)
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.storage.conversation_store import SqliteStore


class Answers:
    """A chat without answers of its own, and background prompts whose model returns the first
    sentence.
    """

    def subscribe(self, listener: object, *events: type) -> None:
        """No event comes."""

    async def run(self, errand: BackgroundPrompt) -> RunOutcome:
        return RunOutcome(MessageState.DONE, 1, (), "1: Lives in Ulm")


def test_only_the_sentences_are_sent() -> None:
    errand = facts_prompt(["I live in Ulm", "我叫林涛"])
    assert errand.text == "1. I live in Ulm\n2. 我叫林涛" and errand.system == FACTS_SYSTEM
    assert (errand.purpose, errand.rounds, errand.tools) == ("summary", 1, frozenset())


def test_only_lines_with_a_number_are_read() -> None:
    answer = "Sure!\n1: Lives in Ulm \n 2. 名字叫林涛\n3）x\n9: no\n0: no\nnone"
    assert parse_answer(answer, 3) == {1: "Lives in Ulm", 2: "名字叫林涛"}
    assert parse_answer("none", 3) == {}


def test_a_fact_of_a_message_that_others_may_have_written_is_untrusted() -> None:
    async def live(origin: tuple[DataSource, ...]) -> tuple[DataSource, ...]:
        store, book, double = await SqliteStore.open(None), await MemoryStore.open(None), Answers()
        made = await store.create_conversation("t")
        words = (Text(0, 0, "I live in Ulm", untrusted=origin),)
        await store.add_message(made.id, Message("m", Role.USER, words, MessageState.DONE, 1.0))
        learner = FactLearner(
            double,
            store,
            book.facts,
            double,  # type: ignore[arg-type]
            wanted=lambda _: True,
            now=datetime.now,
        )
        await learner._learn(made)
        (fact,) = await book.facts.list_facts()
        await book.aclose()
        await store.aclose()
        return fact.untrusted

    sync = (DataSource(SourceKind.SYNC),)
    assert asyncio.run(live(sync)) == sync and asyncio.run(live(())) == ()
