"""The tool_tag dialect: parsing of replies, and the text for the model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.dialects.reply_filters import CueReader
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.core.wire import (
    CueKind,
    CueReached,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    WireEvent,
)
from tests.unit.core.dialects.reading import Call, gather, shown
from tests.unit.core.dialects.splitting import cut_everywhere, pieces_of

TOOL_TAG = DIALECTS["tool_tag"]
ADD = ToolSpec(
    "note.add",
    "Add a note.",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "tag": {"type": "string"},
            "pages": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["text"],
    },
)


def read(*pieces: str) -> list[str | Call]:
    """Return texts, calls, and cues as `*name*`."""
    reader = TOOL_TAG.reader([ADD])
    events = [made for piece in pieces for made in reader.read(TextDelta(0, piece))]
    *rest, last = reader.read(ResponseFinished(StopReason.END))
    assert last == ResponseFinished(StopReason.END)
    return gather(_worded(event) for event in (*events, *rest) if event != _PLAIN)


_PLAIN = CueReached(CueKind.LINE, "")


def _worded(event: WireEvent) -> WireEvent:
    if not isinstance(event, CueReached):
        return event
    assert event.kind is CueKind.LINE
    return TextDelta(0, f"*{event.name}*")


def tool(arguments: str, name: str = "note.add") -> str:
    return f"<tool><name>{name}</name><arguments>{arguments}</arguments></tool>"


def called(**arguments: object) -> Call:
    return Call("note.add", json.dumps(arguments, ensure_ascii=False), ready=True)


REPLIES = {
    "<messages>\n<item>Hi</item>\n<item>there</item>\n</messages>": "Hi\n\nthere",
    "<item>Hi|你好|smile</item> <ITEM>there||wave</Item >": "Hi*smile*\n\nthere*wave*",
    "<item>Hi||smile</item>": "Hi*smile*",
    "<item>Hi|你好</item>": "Hi",
    r"<item>a \| b|x|y</item>": "a | b*y*",
    "no | tags": "no | tags",
    "before<item>in</item>after": "before\n\nin\n\nafter",
    "<item>never closed": "never closed",
    "<item>one<item>two": "one\n\ntwo",
    "<item>| a | b |\n|---|---|\n| 1 | 2 |</item><item>x||y</item>": (
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nx*y*"
    ),
    "<item>a|b\nc</item>": "a|b\nc",
    "<item>a|b": "a|b",
    "<item>a|" + "b" * 2_001 + "</item>": "a|" + "b" * 2_001,
    "<item>a|" + "b" * 2_000 + "</item>": "a",
    "<item>a|" + "b" * 3_000: "a|" + "b" * 3_000,
    "<item>x</tool>y</tools_results></item>": "x\n\ny",
    "<tools_results>made up</tools_results>x": "x",
    "<tools_results>made up": "",
    "<item>(´・ω・`)|x|shy</item><item>`</item>": "(´・ω・`)*shy*\n\n`",
}


@pytest.mark.parametrize(("text", "said"), REPLIES.items())
def test_lines_are_joined_in_their_order(text: str, said: str) -> None:
    for pieces in cut_everywhere(text) if len(text) < 500 else ([text], list(text)):
        assert "".join(str(item) for item in read(*pieces)) == said


ENDS = {
    "<messages><item>Hi</item><item>there||wave</item></messages>": "Hi()\n\nthere(wave)",
    "<item>one<item>two|x</item>three": "one()\n\ntwo()\n\nthree",
    "<item>a|b\nc</item>d": "a|b\nc()\n\nd",
    "<item>[表</item><item>b</item>": "[表()\n\nb()",
    "plain": "plain",
    "<item>cut off": "cut off",
}


@pytest.mark.parametrize(("text", "told"), ENDS.items())
def test_the_end_of_each_line_is_reported_once(text: str, told: str) -> None:
    for pieces in cut_everywhere(text):
        reader = CueReader(TOOL_TAG.reader([ADD]))
        heard = ""
        for event in (*(TextDelta(0, one) for one in pieces), ResponseFinished(StopReason.END)):
            for made in reader.read(event):
                match made:
                    case TextDelta(text=said):
                        heard += said
                    case CueReached(kind=CueKind.LINE, name=name):
                        heard += f"({name})"
                    case _:
                        assert isinstance(made, ResponseFinished)
        assert heard == told


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_tags_in_a_fence_stay_text(fence: str) -> None:
    code = f"{fence}html\n<item>a|b</item>\n{tool('{}')}\n{fence}"
    for around in (code, f"<item>{code}</item>"):
        for pieces in cut_everywhere(f"{around}\n<item>next||smile</item>"):
            assert "".join(map(str, read(*pieces))).split() == [*code.split(), "next*smile*"]


def test_no_calls_are_read_from_thinking() -> None:
    thought = ThinkingDelta(0, tool("{}"))
    assert list(TOOL_TAG.reader().read(thought)) == [thought]


ARGUMENTS = {
    '{"text": "milk"}': called(text="milk"),
    '\n{"text": "a </tool> b"}\n': Call("note.add", '{"text": "a </tool> b"}', ready=True),
    '["milk", "todo", [1, 2]]': called(text="milk", tag="todo", pages=[1, 2]),
    "milk, todo": called(text="milk", tag="todo"),
    '"milk, oats", \'it\\\'s\', "[1, 2]"': called(text="milk, oats", tag="it's", pages="[1, 2]"),
    'say "a, b" c, x': called(text='say "a, b" c', tag="x"),
    "don't, no 5\" nail": called(text="don't", tag='no 5" nail'),
    "milk,,3": called(text="milk", pages="3"),
    ",todo": called(text="", tag="todo"),
    "a,b,c,d": called(**{"text": "a", "tag": "b", "pages": "c", "4": "d"}),
    "": Call("note.add", "", ready=True),
    "[1": Call("note.add", "[1", ready=True),
}


@pytest.mark.parametrize(("given", "call"), ARGUMENTS.items())
def test_arguments_have_three_forms(given: str, call: Call) -> None:
    for pieces in cut_everywhere(f"So: {tool(given)} done"):
        assert read(*pieces) == ["So: ", call, "\n\ndone"]


def test_strings_of_an_unknown_tool_are_numbered() -> None:
    assert read(tool("a, b", "x.y")) == [Call("x.y", '{"1": "a", "2": "b"}', ready=True)]


FORMS = {
    "<tool><name>note.add</name></tool>x": [Call("note.add", "", ready=True), "x"],
    '<tool><arguments>{"text": "a"}</arguments><name>note.add</name></tool>': [
        Call("note.add", '{"text": "a"}', ready=True)
    ],
    '<TOOL >\n<Name> note.add </NAME>\n<arguments >{"text": "a"}\n</tool>': [
        Call("note.add", '{"text": "a"}', ready=True)
    ],
    "<tool></tool>x": [Call("tool", "", ready=True), "x"],
    "a<tool><name>note.add</name><arguments>{": ["a", Call("note.add")],
    "a<tool><na": ["a", Call("tool")],
    "a<tool><name>note.add</name><arguments> ": ["a", Call("note.add")],
    # The end mark is missing: the text after it is read, and the open call is reported.
    f"<tool><name>note.add</name><arguments>a</arguments>\n{tool('b')}": [
        Call("note.add"),
        called(text="b"),
    ],
    # The quotes are unbalanced: the first mark ends the call at the end of the reply.
    f"{tool('{bad: 5' + chr(34) + '}')} and <item>on</item>": [
        Call("note.add", '{bad: 5"}', ready=True),
        "and \n\non",
    ],
    # An invented result is hidden with everything after it.
    f"{tool('a')}<tools_results>…</tools_results><item>It is done</item>": [called(text="a")],
    f"<item>I note{tool('a')} it</item>": ["I note", called(text="a"), "\n\nit"],
}


@pytest.mark.parametrize(("text", "items"), FORMS.items())
def test_calls_are_read(text: str, items: list[str | Call]) -> None:
    for pieces in cut_everywhere(text):
        assert read(*pieces) == items


@pytest.mark.parametrize("text", ["1 < 2", "<", "a <to", "<b>x</b>", "<tools>", "a\\", "|"])
def test_text_that_only_looks_like_a_mark_stays_text(text: str) -> None:
    for pieces in cut_everywhere(text + " "):
        assert shown(read(*pieces)) == text + " "


def test_an_incomplete_mark_at_the_end_is_not_shown() -> None:
    assert read("Well <tool") == ["Well "]
    assert read("Well <") == ["Well <"]
    assert read("<item>a\\") == ["a\\"]


def test_an_incomplete_mark_is_held_when_the_model_pauses() -> None:
    reader = TOOL_TAG.reader()
    assert [*reader.read(TextDelta(0, "Well <ite")), *reader.pause()] == [TextDelta(0, "Well ")]
    assert [*reader.read(TextDelta(0, "r"))] == [TextDelta(0, "<iter")]


PARTS = (
    "<messages>",
    "</messages>",
    "<item>",
    "</item>",
    "<tool>",
    "</tool>",
    "<name>",
    "</name>",
    "<arguments>",
    "</arguments>",
    "<tools_results>",
    "</tools_results>",
    "<",
    ">",
    "/",
    "|",
    "\\|",
    "\\",
    '"',
    "'",
    "{",
    "}",
    "[",
    ",",
    "`",
    "```",
    "\n```\n",
    "~~~",
    "\n",
    " ",
    "words",
    "，",
    "<ite",
    "<tool",
    "note.add",
    '{"text": "a"}',
    tool("{}"),
    tool("a, b"),
    "x|y|z",
    "<item>a||b</item>",
    "<think>",
    "|" * 3,
)


@given(st.lists(st.sampled_from(PARTS), max_size=16).map("".join), st.data())
def test_the_split_makes_no_difference(text: str, data: st.DataObject) -> None:
    whole = read(text)
    assert read(*pieces_of(text, data)) == whole
    assert read(*text) == whole


@given(st.text(alphabet="ab<>/|\\\n ", max_size=30), st.text(alphabet="ab<>/\n ", max_size=30))
def test_no_mark_is_shown_and_no_words_are_lost(before: str, after: str) -> None:
    items = read(f"{before}{tool('a')}{after}\n")
    assert "".join(shown(items).split()) == "".join(f"{before}{after}".split())
    assert called(text="a") in items


# The text for the model


def test_tools_are_announced_with_the_form() -> None:
    told = TOOL_TAG.announce([ADD])
    assert "- note.add {text: string, tag?: string, pages?: [integer, …]}: Add a note." in told
    assert "<item>" in told
    assert TOOL_TAG.announce([]) == ""


def test_texts_calls_and_results_are_rendered_in_the_form_of_the_dialect() -> None:
    said = AssistantTurn(
        (
            ThinkingPart("hm"),
            TextPart("So | so:\n\n\n```\na|b\n\nc\n```\n"),
            CallPart("1", "note.add", {"text": "milk"}),
        )
    )
    results = ToolResults(
        (
            ResultPart("1", "note.add", "<1>", True, continue_=False),
            ResultPart("2", "x", "no", False, continue_=False),
        )
    )
    told = TOOL_TAG.render([said, results, UserTurn((TextPart("and?"),))])
    written = (
        "<messages>\n<item>So \\| so:</item>\n<item>```\na|b\n\nc\n```</item>\n"
        '<tool><name>note.add</name><arguments>{"text": "milk"}</arguments></tool>\n</messages>'
    )
    answered = (
        "<tools_results><continue>false</continue><results>"
        "<result><name>note.add</name><ok>true</ok><data>&lt;1&gt;</data></result>"
        "<result><name>x</name><ok>false</ok><data>no</data></result>"
        "</results></tools_results>"
    )
    assert told == [
        AssistantTurn((TextPart(written),)),
        UserTurn((TextPart(answered), TextPart("and?"))),
    ]
    assert read(written) == ["So | so:\n\n```\na|b\n\nc\n```", called(text="milk")]
    [more] = TOOL_TAG.render([ToolResults((ResultPart("1", "x", "y", True),))])
    assert isinstance(more, UserTurn)
    assert "<continue>true</continue>" in str(more.parts[0])
    [said] = TOOL_TAG.render([AssistantTurn((TextPart("Hi"),))])
    assert said == AssistantTurn((TextPart("<messages>\n<item>Hi</item>\n</messages>"),))
