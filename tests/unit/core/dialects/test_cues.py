"""Cues are removed from the text at any split, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST, CueReader
from neodeskpet.core.dialects.reply_filters import partial_cue
from neodeskpet.core.wire import (
    CueKind,
    CueReached,
    ModelNamed,
    PictureDescribed,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols.gemini_reply import GeminiDecoder
from neodeskpet.llm.protocols.stream.sse import SseEvent
from tests.unit.core.dialects.splitting import cut_everywhere, pieces_of

Item = str | tuple[str, str]
END = ResponseFinished(StopReason.END)


def gather(events: Iterable[WireEvent]) -> list[Item]:
    """Collect texts (neighbours joined) and cues in their order."""
    items: list[Item] = []
    for event in events:
        match event:
            case TextDelta(text=text):
                assert text
                if items and isinstance(items[-1], str):
                    items[-1] += text
                else:
                    items.append(text)
            case CueReached(kind=kind, name=name):
                items.append((kind.value, name))
            case _:
                raise AssertionError(f"unexpected {event!r}")
    return items


def read(*pieces: str) -> list[Item]:
    reader = CueReader(NATIVE.reader())
    events = [made for piece in pieces for made in reader.read(TextDelta(0, piece))]
    *rest, last = reader.read(END)
    assert last == END
    return gather([*events, *rest])


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Hi!", ["Hi!"]),
        ("[表情:smile]你好", [("expression", "smile"), "你好"]),
        ("好的。[动作：Wave]再见", ["好的。", ("motion", "Wave"), "再见"]),
        ("a [Expression: shy] b", ["a ", ("expression", "shy"), "b"]),
        ("a [motion:Nod]\nb", ["a ", ("motion", "Nod"), "\nb"]),
        ("[表情:a][动作:b]x", [("expression", "a"), ("motion", "b"), "x"]),
        ("[表情:a] [动作:b] x", [("expression", "a"), ("motion", "b"), "x"]),
        ("see [this](x) [motion", ["see [this](x) [motion"]),
        ("[motions:x] [表情]", ["[motions:x] [表情]"]),
        ("[motion:two\nlines]", ["[motion:two\nlines]"]),
        ("[motion:]", ["[motion:]"]),
        ("[motion:" + "x" * 65 + "]", ["[motion:" + "x" * 65 + "]"]),
        ("[[motion:x]]", ["[", ("motion", "x"), "]"]),
        ("```\n[motion:x]\n```\n[motion:y]", ["```\n[motion:x]\n```\n", ("motion", "y")]),
    ],
)
def test_cues_are_read(text: str, items: list[Item]) -> None:
    for pieces in cut_everywhere(text):
        assert read(*pieces) == items, pieces


@pytest.mark.parametrize(
    "text", ["[", "[mo", "[表", "[motion:", "[motion :", "[表情：sm", "x[EXPR"]
)
def test_a_possible_cue_is_held_back(text: str) -> None:
    assert partial_cue(text) == len(text) - text.index("[")


@pytest.mark.parametrize("text", ["", "a", "[x", "[motion]", "[motion:a\n", "[motion  "])
def test_other_text_is_shown_at_once(text: str) -> None:
    assert partial_cue(text) == 0


def test_other_events_do_not_overtake_text() -> None:
    reader = CueReader(NATIVE.reader())
    call = ToolCallStarted(1, "", "x")
    assert list(reader.read(TextDelta(0, "a [mot"))) == [TextDelta(0, "a ")]
    assert list(reader.read(call)) == [TextDelta(0, "[mot"), call]
    thought = ThinkingDelta(2, "[motion:x]")
    assert list(reader.read(thought)) == [thought]


def test_parts_of_a_reply_are_not_joined() -> None:
    reader = CueReader(NATIVE.reader())
    assert list(reader.read(TextDelta(0, "[mot"))) == []
    assert list(reader.read(TextDelta(1, "ion:x]"))) == [
        TextDelta(0, "[mot"),
        TextDelta(1, "ion:x]"),
    ]


def test_cues_are_read_in_text_mode_too() -> None:
    reader = CueReader(TOOL_REQUEST.reader())
    events = [made for letter in "<ok> [表情:joy]" for made in reader.read(TextDelta(0, letter))]
    events += reader.read(END)
    assert gather(events[:-1]) == ["<ok> ", ("expression", "joy")]
    assert CueReached(CueKind.EXPRESSION, "joy") in events


TEXTS = st.lists(
    st.sampled_from(["[", "]", "motion", "表情", ":", "：", " ", "\n", "```", "x", "[motion:a]"]),
    max_size=14,
).map("".join)


@given(TEXTS, st.data())
def test_the_split_makes_no_difference(text: str, data: st.DataObject) -> None:
    assert read(*pieces_of(text, data)) == read(text)


@pytest.mark.parametrize(
    "between",
    [
        UsageReported(5, 1),
        ModelNamed("small"),
        ToolArgsDelta(3, "{}"),
        ToolCallReady(3),
        PictureDescribed("d", "a cat"),
    ],
)
def test_an_event_that_ends_no_text_ends_no_cue(between: WireEvent) -> None:
    for head, tail in (("[表", "情:微笑]你好"), ("[表情:", "微笑]你好"), ("[表情:微笑", "]你好")):
        reader = CueReader(NATIVE.reader())
        events = [*reader.read(TextDelta(0, head)), *reader.read(between)]
        events += [*reader.read(TextDelta(0, tail)), *reader.read(END)]
        assert events.pop(0) == between
        assert gather(events[:-1]) == [("expression", "微笑"), "你好"]


def test_a_cue_of_gemini_whose_chunks_each_report_the_usage() -> None:
    def chunk(text: str, **more: object) -> SseEvent:
        candidate = {"content": {"parts": [{"text": text}], "role": "model"}, **more}
        usage = {"promptTokenCount": 5, "candidatesTokenCount": 1}
        return SseEvent("", json.dumps({"candidates": [candidate], "usageMetadata": usage}))

    decoder, reader = GeminiDecoder(), CueReader(NATIVE.reader())
    chunks = [chunk("[表"), chunk("情:微"), chunk("笑]你"), chunk("好", finishReason="STOP")]
    wire = [*(event for one in chunks for event in decoder.feed(one)), *decoder.end()]
    events = [made for event in wire for made in reader.read(event)]
    shown = [event for event in events if isinstance(event, TextDelta | CueReached)]
    assert gather(shown) == [("expression", "微笑"), "你好"]
