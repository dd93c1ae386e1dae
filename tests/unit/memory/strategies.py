"""Hypothesis strategies: blocks, and sequences of turns as a model and tools could make them."""

from __future__ import annotations

from hypothesis import strategies as st

from neodeskpet.core.blocks import Block, Image, Notice, Text, Thinking, ToolStatus, ToolUse, Usage
from neodeskpet.core.errors import Action, ToolFault
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import (
    ResultImage,
    ShownDiff,
    ShownImage,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
)

# Surrogates too: a gateway may cut a reply in the middle of an emoji. And NUL.
words = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    ["", "你好", "\0", "\ud83d"]
)
times = st.floats(0, 4e9) | st.integers(0, 2_000_000_000).map(float)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(words, json_values, max_size=3)
usages = st.builds(Usage, *[st.integers(0, 10**9)] * 4)


_lines = st.lists(words, max_size=3).map(tuple)
shown = st.one_of(
    st.builds(ShownText, words),
    st.builds(ShownList, _lines, words),
    st.builds(ShownTable, _lines, st.lists(_lines, max_size=2).map(tuple)),
    st.builds(ShownDiff, words, words),
    st.builds(ShownImage, words, words),
    st.builds(ShownTerminal, words, words, st.none() | st.integers(0, 255)),
)


named = st.dictionaries(words, words, max_size=2)
reasons = st.builds(Reason, words, named, words)
faults = st.builds(ToolFault, words, named, st.lists(reasons, max_size=2).map(tuple), words)


def blocks(index: int) -> st.SearchStrategy[Block]:
    at, rounds = st.just(index), st.integers(0, 20)
    maybe = st.none() | times
    return st.one_of(
        st.builds(Text, at, rounds, words, st.booleans()),
        st.builds(Thinking, at, rounds, words, words, maybe, maybe),
        st.builds(
            ToolUse,
            at,
            rounds,
            call_id=words,
            name=words,
            raw_arguments=words,
            arguments=st.none() | json_objects,
            status=st.sampled_from(ToolStatus),
            output=words,
            error=words,
            fault=st.none() | faults,
            started=maybe,
            ended=maybe,
            progress=st.none() | st.floats(0, 1),
            progress_text=words,
            opaque=words,
            data=json_values,
            shown=st.none() | shown,
            images=st.lists(st.builds(ResultImage, words, words, words), max_size=2).map(tuple),
            continue_=st.booleans(),
        ),
        st.builds(Image, at, rounds, words, words, words, words),
        st.builds(
            Notice,
            at,
            rounds,
            words,
            st.dictionaries(words, words, max_size=3),
            words,
            st.lists(st.sampled_from(Action), max_size=3).map(tuple),
            st.booleans(),
        ),
    )


def block_runs() -> st.SearchStrategy[tuple[Block, ...]]:
    """Zero to four blocks whose indexes are their places."""
    return st.integers(0, 4).flatmap(
        lambda count: st.tuples(*(blocks(index) for index in range(count)))
    )
