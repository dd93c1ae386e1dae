from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.llm.protocols.stream.think_tags import RETRACTED, ThinkTagReader


def split(*pieces: str) -> tuple[str, str]:
    """Return (text, thinking)."""
    tags = ThinkTagReader()
    text = thinking = ""
    for is_thinking, said in [p for piece in pieces for p in feed(tags, piece)] + tags.end():
        if (is_thinking, said) == RETRACTED:
            text, thinking = "", thinking + text
        elif is_thinking:
            thinking += said
        else:
            text += said
        assert said or is_thinking
    return text, thinking


def feed(tags: ThinkTagReader, piece: str) -> list[tuple[bool, str]]:
    """Feed it as decoders do."""
    return [(False, piece)] if tags.is_plain(piece) else tags.feed(piece)


def test_thinking_is_separated_from_text_at_every_split() -> None:
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


def test_only_a_possible_tag_is_held_back() -> None:
    tags = ThinkTagReader()
    assert tags.feed("hello <") == [(False, "hello ")]
    assert tags.feed("b>") == [(False, "<b>")]
    assert tags.feed("x<think>y</") == [(False, "x"), (True, "y")]
    assert tags.feed("b>") == [(True, "</b>")]


PIECES = st.lists(
    st.sampled_from(
        [
            "<think>",
            "</think>",
            "<",
            "th",
            "ink>",
            "`",
            "```",
            "\n",
            "你",
            "/",
            "ß",
            "İ",
            "[THINK]",
            "[/",
            "THINK]",
            "◁think▷",
            "◁",
            "<Reasoning a='b'",
            " ",
            ">",
            "</s>",
            "<|im_",
            "end|>",
            "</thought >",
        ]
    ),
    max_size=20,
)


@settings(deadline=None)
@given(PIECES)
def test_any_split_gives_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert split(text) == split(*pieces) == split(*text)


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("<thinking>", "</thinking>"),
        ("<thought>", "</thought>"),
        ("<THINK>", "</Think>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<seed:think>", "</seed:think>"),
        ("<reasoning>", "</reasoning>"),
        ('<think type="deep" a>', "</think>"),
        ("<thinking>", "</thinking>"),
    ],
)
def test_other_tags(opened: str, closed: str) -> None:
    text = f"{opened}hm < [x]{closed}\n\nYes."
    assert split(text) == split(*text) == ("\n\nYes.", "hm < [x]")


def test_a_closing_tag_without_its_opening() -> None:
    for text, told in {
        "Hm, well.\n</think>\n\nYes.": ("\n\nYes.", "Hm, well.\n"),
        "Hm.</think>\nYes.": ("\nYes.", "Hm."),
        "Hm.</think>": ("", "Hm."),
        "</think>\n\nYes.": ("\n\nYes.", ""),
        "<think>a</think>b\n</think>\nc": ("b\n</think>\nc", "a"),
        "Write </think> at its end.": ("Write </think> at its end.", ""),
        "```\n</think>\n```": ("```\n</think>\n```", ""),
    }.items():
        assert split(text) == split(*text) == told, text


def test_end_tokens_are_hidden() -> None:
    for token in ("<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>", "<|endoftext|>"):
        for text, told in {
            f"Yes.{token}": "Yes.",
            f"Yes.{token}\n": "Yes.\n",
            f"`{token}` ends it": f"`{token}` ends it",
            f"```\n{token}\n```": f"```\n{token}\n```",
        }.items():
            assert split(text) == split(*text) == (told, ""), text
    struck = "<s>old</s> new"
    assert split(struck) == split(*struck) == (struck, "")
