"""The included entries of a world book, and how its keys and macros are read."""

from __future__ import annotations

import pytest

from neodeskpet.characters.cards.character_card import Lorebook, LoreEntry, read_tree
from neodeskpet.characters.cards.world_book import (
    included_entries,
    is_key_mentioned,
    runs_as_plain_text,
)
from neodeskpet.characters.persona import fill_macros


def told(
    *entries: LoreEntry, messages: tuple[str, ...] = ("a fish",), budget: int = 999
) -> list[str]:
    found = included_entries(Lorebook(entries), messages, budget)
    return [one.content for one in (*found.before, *found.after, *found.end)]


FISH = LoreEntry(("fish",), "About fish.")


def test_an_entry_is_included_once_its_key_was_said() -> None:
    assert told(FISH) == ["About fish."]
    assert told(FISH, messages=("a dog",)) == []
    assert told(LoreEntry((), "Always.", constant=True), messages=()) == ["Always."]
    assert told(LoreEntry(("fish",), "Off.", enabled=False)) == []
    assert told(LoreEntry(("fish",), "  ")) == []
    assert told(LoreEntry(("", "FISH"), "Any case.")) == ["Any case."]
    assert told(LoreEntry(("FISH",), "This case.", case=True)) == []
    assert told(LoreEntry(("fis",), "Whole.", whole=True)) == []
    assert told(LoreEntry(("鱼",), "中文", whole=True), messages=("有鱼吗",)) == ["中文"]


@pytest.mark.parametrize(
    ("logic", "text", "found"),
    [
        ("any", "fish and rice", True),
        ("any", "fish", False),
        ("all", "fish and rice", False),
        ("all", "fish, rice, soup", True),
        ("not any", "fish", True),
        ("not any", "fish and soup", False),
        ("not all", "fish and soup", True),
        ("not all", "fish, rice, soup", False),
    ],
)
def test_secondary_keys_decide_too(logic: str, text: str, found: bool) -> None:
    keys = ("rice", "soup")
    entry = LoreEntry(("fish",), "x", keys, selective=True, logic=logic)
    assert bool(told(entry, messages=(text,))) is found
    assert told(LoreEntry(("fish",), "x", keys), messages=("fish",)) == ["x"]


def test_only_the_last_messages_are_read() -> None:
    messages = ("fish", "1", "2", "3", "4")
    assert told(FISH, messages=messages) == []
    assert told(FISH, messages=messages[:4]) == ["About fish."]
    assert told(LoreEntry(("fish",), "Deep.", depth=5), messages=messages) == ["Deep."]
    assert told(LoreEntry(("fish",), "None.", depth=0)) == []


def test_they_keep_their_order_and_the_least_important_are_dropped_first() -> None:
    low = LoreEntry(("fish",), "low" * 40, order=1, priority=1)
    high = LoreEntry(("fish",), "high" * 30, order=2, priority=9, at="before")
    always = LoreEntry((), "always" * 20, constant=True, order=0, at="end")
    found = included_entries(Lorebook((low, high, always)), ("fish",), 70)
    assert (found.before, found.after, found.end, found.left_out) == ((high,), (), (always,), 1)
    assert found.count == 2
    assert told(low, high) == [high.content, low.content], "by their places"
    assert included_entries(Lorebook((low, high), budget=10), ("fish",), 999).left_out == 2


def test_included_entries_may_include_others_to_a_limited_depth() -> None:
    chain = tuple(LoreEntry((f"k{n}",), f"c{n} k{n + 1}") for n in range(9))
    book = Lorebook(chain, recursive=True)
    assert included_entries(book, ("k0",), 999).count == 4
    assert included_entries(Lorebook(chain), ("k0",), 999).count == 1
    deaf = LoreEntry(("k1",), "deaf", woken=False)
    mute = LoreEntry(("k0",), "mute k5", wakes=False)
    assert included_entries(Lorebook((deaf, mute), recursive=True), ("k0",), 999).count == 1


def test_fields_and_decorators_of_a_card_are_understood() -> None:
    entries = [
        {"keys": ["a"], "content": "@@depth 3\n@@made_up x\nEnd.", "position": "before_char"},
        {"keys": ["b"], "content": "@@activate\nOn.", "extensions": {"position": 0}},
        {"keys": ["c"], "content": "@@dont_activate\nOff."},
        {"keys": ["d"], "content": "@@scan_depth 7\n@@position before_desc\n@@scan_depth x\nx"},
        {"keys": ["e"], "content": "@@additional_keys f, g\nx", "comment": "named"},
        {"keys": ["e"], "content": "@@exclude_keys f\nx", "case_sensitive": True},
        {"keys": ["h"], "extensions": {"position": 4, "selectiveLogic": 3, "scan_depth": 2}},
    ]
    card = read_tree({"data": {"name": "x", "character_book": {"entries": entries}}})
    assert card.book is not None
    end, on, off, deep, more, less, st_ = card.book.entries
    assert (end.at, end.content) == ("end", "End.")
    assert on.constant and not off.enabled
    assert (deep.depth, deep.at) == (7, "before")
    assert (more.secondary, more.selective, more.name) == (("f", "g"), True, "named")
    assert (less.logic, less.case) == ("not any", True)
    assert (st_.at, st_.logic, st_.depth) == ("end", "all", 2)


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        (r"/drag(on|ons?)\b/i", "two DRAGONS!", True),
        (r"/drag(?:on)s?/", "Dragons", False),
        (r"/drag(?:on)s?/i", "Dragons", True),
        (r"/[a-c]+\d{2,3}/", "abc12", True),
        (r"/a(?=b)/", "plain: /a(?=b)/ stands here", True),
        (r"/a(?=b)/", "ab", False),
        (r"/^(a+)+$/", "a" * 50_000 + "!", False),
        (r"/a*?b/", "aab", True),
        (r"/^once/", "once more", True),
        (r"/a\/b/", "a/b", True),
        ("colou?r", "color", False),
        ("colou?r", "it is colou?r", True),
        ("Mr. X", "Mrs X", False),
        ("/home/ada/", "in /home/ada/ it lies", True),
        ("/home/ada/", "home", False),
        ("/x/q", "x", False),
        ("fish", "a FISH", True),
    ],
)
def test_expressions_match_their_pattern_or_their_own_text(
    key: str, text: str, found: bool
) -> None:
    assert is_key_mentioned(key, text, regex=True, case=False, whole=False) is found


@pytest.mark.parametrize("key", ["(?=x)", r"(a)\1", "a**", "*a", "(", "a)", "[", "x" * 3_000])
def test_expressions_that_can_not_be_run_are_plain_text(key: str) -> None:
    assert runs_as_plain_text(f"/{key}/", regex=True)


def test_plain_keys_are_no_expressions() -> None:
    assert not runs_as_plain_text("a+", regex=False)
    assert not runs_as_plain_text("a+", regex=True) and not runs_as_plain_text("/a+/", regex=True)
    assert is_key_mentioned("a+b", "a+b", regex=False, case=True, whole=False)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{char}} and {{ User }}, <BOT> and <user>", "Mo and you, Mo and you"),
        ("{{// nothing}}{{comment: x}}{{hidden_key:x}}{{noop}}a", "a"),
        ("{{reverse:abc}}{{newline}}{{unknown}}", "cba\n{{unknown}}"),
        ("{{roll:d1}}{{roll:1}}{{roll:x}}", "11"),
        ("{{original}}", "before"),
        ("{{random:a}}{{pick::b}}", "ab"),
        ("{{{{char}}}}", "{{Mo}}"),
    ],
)
def test_macros_are_filled_once(text: str, filled: str) -> None:
    assert fill_macros(text, "Mo", "you", original="before") == filled


def test_random_macros_are_the_same_for_the_same_text() -> None:
    text = "{{random:a,b\\,c,d}} {{pick::x::y}} {{roll:d20}}"
    assert fill_macros(text, "", "") == fill_macros(text, "", "")
    assert fill_macros("{{user}}", "", "{{char}}") == "{{char}}", "inserted text isn't read again"
