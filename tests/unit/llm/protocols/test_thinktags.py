from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.llm.protocols.thinktags import ThinkTags


def split(*pieces: str) -> tuple[str, str]:
    """(text, thinking)"""
    tags = ThinkTags()
    out = [pair for piece in pieces for pair in tags.feed(piece)] + tags.end()
    assert all(text for _, text in out)
    return (
        "".join(text for thinking, text in out if not thinking),
        "".join(text for thinking, text in out if thinking),
    )


def test_thinking_is_told_from_text_at_every_split() -> None:
    text = "<think>a < b\n</think>\n\nDone, 5 < 6 <thin <think>more</think>!"
    whole = ("\n\nDone, 5 < 6 <thin !", "a < b\nmore")
    for i in range(len(text)):
        for j in range(i, len(text)):
            assert split(text[:i], text[i:j], text[j:]) == whole


def test_unclosed_thinking_stays_thinking() -> None:
    assert split("a<think>b</thin") == ("a", "b</thin")


def test_tags_in_code_are_text() -> None:
    for text in ("`<think>` is a tag", "```\n<think>\n```", "```xml\n<think>x</think>\n```"):
        assert split(text) == (text, "")
        assert split(*text) == (text, "")
    assert split("```\nx\n```\n<think>y</think>") == ("```\nx\n```\n", "y")


def test_only_what_may_become_a_tag_is_held_back() -> None:
    tags = ThinkTags()
    assert tags.feed("hello <") == [(False, "hello ")]
    assert tags.feed("b>") == [(False, "<b>")]
    assert tags.feed("x<think>y</") == [(False, "x"), (True, "y")]
    assert tags.feed("b>") == [(True, "</b>")]


PIECES = st.lists(
    st.sampled_from(["<think>", "</think>", "<", "th", "ink>", "`", "```", "\n", "你", "/"]),
    max_size=20,
)


@settings(deadline=None)
@given(PIECES)
def test_any_split_gives_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert split(text) == split(*pieces) == split(*text)
