"""One block: its fields in every spelling, and the same call at every split."""

import json

import pytest

from neodeskpet.core.dialects.request_block import CALL_INDEX, BlockEnd, RequestBlock
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent
from tests.unit.core.dialects.reading import Call, gather
from tests.unit.core.dialects.splitting import cut_everywhere

END = "<<<[END_TOOL_REQUEST]>>"


def feed(block: RequestBlock, text: str) -> tuple[list[WireEvent], BlockEnd | None]:
    events: list[WireEvent] = []
    steps = block.feed(text)
    while True:
        try:
            events.append(next(steps))
        except StopIteration as stop:
            return events, stop.value


def run(pieces: list[str]) -> tuple[list[str | Call], BlockEnd | None]:
    block = RequestBlock(CALL_INDEX)
    events: list[WireEvent] = []
    for number, piece in enumerate(pieces):
        made, end = feed(block, piece)
        events += made
        if end is not None:
            rest = "".join([end.rest, *pieces[number + 1 :]])
            return gather(events), BlockEnd(rest, end.cut)
    return gather([*events, *block.abandon()]), None


def same_everywhere(text: str) -> tuple[Call, BlockEnd | None]:
    """Return the call in `text`, which is the same at every split."""
    results = [run(pieces) for pieces in cut_everywhere(text)]
    assert all(result == results[0] for result in results)
    items, end = results[0]
    (call,) = items
    assert isinstance(call, Call)
    return call, end


MOTION = Call("live2d.motion", '{"group":"TapBody","index":0}', ready=True)

SPELLINGS = {
    "the specified form": (
        "\ntool_name:「始」live2d.motion「末」\n"
        'input_json:「始」{"group":"TapBody","index":0}「末」\n'
    ),
    "one line, commas": (
        'tool_name:「始」live2d.motion「末」, input_json:「始」{"group":"TapBody","index":0}「末」,'
    ),
    "full-width colons and commas": (
        "tool_name：「始」live2d.motion「末」，\n"
        'input_json：「始」{"group":"TapBody","index":0}「末」；\n'
    ),
    "spaces, line breaks, capitals": (
        "Tool_Name : 「始」 live2d.motion 「末」\r\n\r\n"
        'INPUT_JSON:\n「始」\n{"group":"TapBody","index":0}\n「末」\n'
    ),
    "the value on the next line": (
        "tool_name:\n「始」live2d.motion「末」\n"
        'input_json:\n  「始」{"group":"TapBody","index":0}「末」'
    ),
    "arguments before the name": (
        'input_json:「始」{"group":"TapBody","index":0}「末」 tool_name:「始」live2d.motion「末」'
    ),
    "bare lines": 'tool_name: live2d.motion\ninput_json: {"group":"TapBody","index":0}\n',
    "bare lines with full-width colons, commas, no last line break": (
        'tool_name：live2d.motion,\ninput_json： {"group":"TapBody","index":0} ，'
    ),
    "bare and marked": (
        'tool_name: live2d.motion\ninput_json:「始」{"group":"TapBody","index":0}「末」'
    ),
    "escaped though it need not be": (
        "tool_name:「始ESCAPE」live2d.motion「末ESCAPE」\n"
        'input_json:「始escape」{"group":"TapBody","index":0}「末escape」'
    ),
    "fenced arguments": (
        "tool_name:「始」live2d.motion「末」\n"
        'input_json:「始」```json\n{"group":"TapBody","index":0}\n```「末」'
    ),
    "words that are no fields": (
        "I will call:\n- this one\ntool_name:「始」live2d.motion「末」\nand now\n"
        'input_json:「始」{"group":"TapBody","index":0}「末」\nthat is all'
    ),
    "the first of equal fields counts": (
        "tool_name:「始」live2d.motion「末」 tool_name:「始」other「末」\n"
        'input_json:「始」{"group":"TapBody","index":0}「末」 input_json:「始」{"x":1}「末」'
    ),
    "a plain value closed by the escaped mark": (
        "tool_name:「始」live2d.motion「末ESCAPE」\n"
        'input_json:「始」{"group":"TapBody","index":0}「末」'
    ),
    "the value's end is forgotten": (
        'tool_name:「始」live2d.motion「末」\ninput_json:「始」{"group":"TapBody","index":0}\n'
    ),
    "other fields beside input_json": (
        "tool_name:「始」live2d.motion「末」 why:「始」because「末」\n"
        'input_json:「始」{"group":"TapBody","index":0}「末」'
    ),
    "an empty name first": (
        "tool_name:\ntool_name:「始」「末」 tool_name:「始」live2d.motion「末」\n"
        'input_json:「始」{"group":"TapBody","index":0}「末」'
    ),
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_spellings_of_the_fields(text: str) -> None:
    call, end = same_everywhere(text + END + "rest")
    assert call == MOTION
    assert end == BlockEnd("rest")


ARGUMENTS = {
    "none": ("", ""),
    "an empty value": ("input_json:「始」「末」", ""),
    "single fields": (
        "city:「始」北京「末」,\ndays:「始」 3 「末」\nnote: as you like,\n",
        {"city": "北京", "days": "3", "note": "as you like"},
    ),
    "a value of many lines": (
        "text:「始」\none\n\ntwo: 「three」\n「末」",
        {"text": "one\n\ntwo: 「three」"},
    ),
    "a value with marks and markers": (
        "text:「始ESCAPE」a「始」b「末」<<<[TOOL_REQUEST]>>><<<[END_TOOL_REQUEST]>>>「末ESCAPE」",
        {"text": "a「始」b「末」<<<[TOOL_REQUEST]>>><<<[END_TOOL_REQUEST]>>>"},
    ),
    "a value with almost a mark": (
        "text:「始」a「末 b」「 <<[x <<<[TOOL_ 「末ESC「末」",
        {"text": "a「末 b」「 <<[x <<<[TOOL_ 「末ESC"},
    ),
    "the first of equal fields": ("a:「始」1「末」a:「始」2「末」", {"a": "1"}),
    "dotted and dashed keys": ("a.b-c_1:「始」1「末」", {"a.b-c_1": "1"}),
    "keys keep their case": ("maxCount:「始」1「末」", {"maxCount": "1"}),
    "an empty bare field": ("a:\nb: 2\n", {"a": "", "b": "2"}),
    "a bare value with a colon": ("url: https://example.org/x\n", {"url": "https://example.org/x"}),
    "a lone mark": ("a: 「\nb: 「始ESCAPEX\n", {"a": "「", "b": "「始ESCAPEX"}),
}


@pytest.mark.parametrize(("text", "expected"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_forms_of_the_arguments(text: str, expected: str | dict[str, str]) -> None:
    call, end = same_everywhere(f"tool_name:「始」t「末」\n{text}{END}")
    assert end == BlockEnd("")
    assert call.ready
    assert (json.loads(call.json) if call.json else "") == expected


def test_unreadable_arguments_are_passed_on_unchanged() -> None:
    call, _ = same_everywhere(f"tool_name:「始」t「末」input_json:「始」{{a: 1}} oops「末」{END}")
    assert call == Call("t", "{a: 1} oops", ready=True)


def test_arguments_are_streamed() -> None:
    block = RequestBlock(7)
    assert feed(block, "tool_name:「始」t「末」")[0] == [ToolCallStarted(7, "", "t")]
    assert feed(block, 'input_json:「始」\n{"text"')[0] == [ToolArgsDelta(7, '{"text"')]
    assert feed(block, ': "a ')[0] == [ToolArgsDelta(7, ': "a')]
    assert feed(block, "b<")[0] == [ToolArgsDelta(7, " b")]
    assert feed(block, '"} ')[0] == [ToolArgsDelta(7, '<"}')]
    assert feed(block, "\n「末」")[0] == []
    assert feed(block, END) == ([ToolCallReady(7)], BlockEnd(""))


def test_the_call_is_reported_as_soon_as_its_name_is_known() -> None:
    block = RequestBlock(7)
    assert feed(block, "tool_name:「始」t「") == ([], None)
    assert feed(block, "末」") == ([ToolCallStarted(7, "", "t")], None)


def test_a_block_without_a_name_is_a_call_that_is_answered() -> None:
    call, end = same_everywhere(f'input_json:「始」{{"a":1}}「末」{END}')
    assert call == Call("tool_request", '{"a":1}', ready=True)
    assert end == BlockEnd("")
    call, _ = same_everywhere(END)
    assert call == Call("tool_request", "", ready=True)


@pytest.mark.parametrize(
    "marker", ["<<<[TOOL_REQUEST]>>", "<<<[TOOL_RESULT]>>", "<<[END_TOOL_RESULT]>>"]
)
@pytest.mark.parametrize("inside", ["", "\n", 'input_json:「始」{"a":', "note: x", "words "])
def test_another_marker_ends_the_block_and_the_call_is_never_ready(
    inside: str, marker: str
) -> None:
    call, end = same_everywhere(f"tool_name:「始」t「末」{inside}{marker}rest")
    assert (call.name, call.ready) == ("t", False)
    assert end == BlockEnd(marker + "rest", cut=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tool_na",
        "tool_name:「始」t",
        'tool_name:「始」t「末」\ninput_json:「始」{"a":1}「末」\n<<<[EN',
    ],
)
def test_a_block_without_an_end_is_a_call_that_is_never_ready(text: str) -> None:
    call, end = same_everywhere(text) if text else (run([""])[0][0], None)
    assert isinstance(call, Call)
    assert not call.ready
    assert end is None


def test_the_length_of_keys_and_gaps_is_limited() -> None:
    junk = "k" * 500 + ":「始」x「末」\n" + "a" + " " * 500 + ":「始」x「末」\n"
    call, _ = same_everywhere(f"tool_name:「始」t「末」\n{junk}b:「始」1「末」{END}")
    assert json.loads(call.json) == {"b": "1"}


def test_a_marker_with_too_many_signs_is_text() -> None:
    call, end = same_everywhere("tool_name: t\n" + "<" * 80 + END)
    assert (call, end) == (Call("t", "", ready=True), BlockEnd(""))
