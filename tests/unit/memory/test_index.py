"""Search for words in messages, in both languages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.text_search import SearchPattern, SearchQuery
from neodeskpet.memory import message_search
from neodeskpet.memory.message_search import prepare_search
from neodeskpet.storage.visible_messages import VisibleMessage


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare_search(connection, None)
    yield connection
    connection.close()


def said(name: str, text: str, time: float = 1e9, role: Role = Role.USER) -> VisibleMessage:
    message = Message(name, role, (Text(0, 0, text),), MessageState.DONE, time)
    return VisibleMessage(message, "c", time)


def found(db: sqlite3.Connection, words: str, **more: int) -> list[str]:
    hits = message_search.search_messages(
        db, SearchQuery.of(words), limit=more.get("limit", 50), before=more.get("before")
    )
    return [hit.message for hit in hits]


def test_words_are_found_as_they_are_typed(db: sqlite3.Connection) -> None:
    answer = said("b", "The **moun**tain is high. 山很高。", 2e9, Role.ASSISTANT)
    message_search.index_messages(db, [said("a", "A mountain lake 我喜欢猫咪"), answer])
    assert found(db, "mou") == found(db, "MOUNTAIN") == ["b", "a"]
    assert found(db, "mountain lak") == ["a"]
    assert found(db, "猫") == found(db, "喜欢猫") == ["a"] and found(db, "猫喜") == []
    assert found(db, "山 high") == ["b"]
    assert found(db, "ountain") == [] and found(db, "") == [] and found(db, "(") == []


def test_symbols_are_searched_in_the_texts(db: sqlite3.Connection) -> None:
    message_search.index_messages(
        db, [said("a", "I write C++"), said("b", "C is old"), said("c", "Hurray 🎉")]
    )
    assert found(db, "c++") == ["a"] and found(db, "🎉") == ["c"]
    assert found(db, "c") == ["b", "a"]


def test_the_latest_come_first_and_then_earlier_ones(db: sqlite3.Connection) -> None:
    message_search.index_messages(db, [said(str(at), "kettle", 1e9 + at % 3) for at in range(30)])
    first = message_search.search_messages(db, SearchQuery.of("kettle"), limit=20, before=None)
    rest = message_search.search_messages(
        db, SearchQuery.of("kettle"), limit=20, before=first[-1].number
    )
    assert [hit.number for hit in first] == sorted((hit.number for hit in first), reverse=True)
    assert len({hit.message for hit in (*first, *rest)}) == 30
    assert [hit.time for hit in (*first, *rest)] == [
        *([1e9 + 2] * 10),
        *([1e9 + 1] * 10),
        *([1e9] * 10),
    ]


def test_many_with_the_same_time(db: sqlite3.Connection) -> None:
    message_search.index_messages(db, [said(str(at), "kettle", 0.0) for at in range(300)])
    assert len(found(db, "kettle", limit=999)) == 300


def test_a_new_entry_replaces_the_old_one(db: sqlite3.Connection) -> None:
    message_search.index_messages(db, [said("a", "kettle")])
    message_search.index_messages(db, [said("a", "teapot \ud83d")])
    assert found(db, "kettle") == [] and found(db, "teapot") == ["a"]
    assert message_search.remove_messages(db, ["a", "b"]) == 1
    assert found(db, "teapot") == []


def test_the_number_of_matches_in_a_conversation(db: sqlite3.Connection) -> None:
    message_search.index_messages(db, [said("a", "cat cat"), said("b", "dog"), said("d", "concat")])
    assert message_search.count_matches(db, "c", SearchPattern(["cat"])) == {"a": 2, "d": 1}
    assert message_search.count_matches(db, "other", SearchPattern(["cat"])) == {}
