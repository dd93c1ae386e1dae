"""Counted things in both languages."""

from collections.abc import Iterator

import pytest

from neodeskpet.language import (
    count_conversations,
    count_messages,
    set_language,
    tr_count,
    tr_in,
)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    set_language("en")
    yield
    set_language("en")


def test_one_and_many() -> None:
    assert [count_messages(n) for n in (0, 1, 1200)] == [
        "0 messages",
        "1 message",
        "1,200 messages",
    ]
    assert count_conversations(1) == "1 conversation"
    assert tr_count("{name}: {count} message", "{name}: {count} messages", 1, name="a") == (
        "a: 1 message"
    )
    set_language("zh_CN")
    assert (count_messages(1), count_conversations(2)) == ("1 条消息", "2 个对话")


def test_a_text_in_another_language_than_the_interface() -> None:
    assert [tr_in(name, "Cancel") for name in ("zh_CN", "en", "", "xx")] == [
        "取消",
        "Cancel",
        "Cancel",
        "Cancel",
    ]
    assert tr_in("zh_CN", "Hi, I'm {name}!", name="尼奥") == "你好，我是尼奥！"
    assert tr_in("zh_CN", "Hi, I'm {name}!", name="Neo") == "你好，我是 Neo！"
    set_language("zh_CN")
    assert [tr_in(name, "Cancel") for name in ("en", "")] == ["Cancel", "取消"]
    assert tr_in("en", "") == ""
