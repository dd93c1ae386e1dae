"""Forms of the models of 2026, and forms that were missed before: whole and at every split."""

from __future__ import annotations

import pytest

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)
from tests.unit.core.dialects.leaked.leaking import CATS, CLOCK, PARIS, Heard, hear, read, tool
from tests.unit.core.dialects.splitting import cut_everywhere

TOOLS = (
    ToolSpec(
        "get_weather",
        "",
        {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "metric": {"type": "boolean"},
            },
            "required": ["city"],
        },
    ),
    tool("search", query="string"),
    tool("clock_now"),
    tool("edit", old="string", tags="array", options="object"),
)

NS = "]<]minimax[>["
OPEN, CLOSE, SEP = "<|open|>", "<|close|>", "<|sep|>"


def k3(name: str, *arguments: str) -> str:
    inside = "".join(arguments)
    return f'{OPEN}call tool="{name}" index="1"{SEP}{inside}{CLOSE}call{SEP}'


def arg(key: str, value: str, kind: str = "string") -> str:
    return f'{OPEN}argument key="{key}" type="{kind}"{SEP}{value}{CLOSE}argument{SEP}'


def k3_tools(*calls: str) -> str:
    return f"{OPEN}tools{SEP}{''.join(calls)}{CLOSE}tools{SEP}"


def m3(*calls: str) -> str:
    return f"{NS}<tool_call>\n{''.join(calls)}{NS}</tool_call>"


def invoke(name: str, *values: str) -> str:
    return f'{NS}<invoke name="{name}">{"".join(values)}{NS}</invoke>\n'


def value(key: str, text: str) -> str:
    return f"{NS}<{key}>{text}{NS}</{key}>"


def dsml(mark: str, wrapper: str) -> str:
    return (
        f'<{mark}{wrapper}>\n<{mark}invoke name="get_weather">\n'
        f'<{mark}parameter name="city" string="true">Paris</{mark}parameter>\n'
        f"</{mark}invoke>\n</{mark}{wrapper}>"
    )


CALLS: dict[str, tuple[str, Heard]] = {
    "kimi k3": (
        f"Sure.{k3_tools(k3('get_weather', arg('city', 'Paris')))}",
        Heard("Sure.", calls=[PARIS]),
    ),
    "kimi k3, several": (
        k3_tools(k3("get_weather", arg("city", "Paris")), k3("clock_now"))
        + f"{CLOSE}message{SEP}<|end_of_msg|>",
        Heard(calls=[PARIS, CLOCK]),
    ),
    "kimi k3, types": (
        k3_tools(
            k3(
                "get_weather",
                arg("city", " A & B "),
                arg("days", "2", "number"),
                arg("metric", "true", "boolean"),
            )
        ),
        Heard(calls=[("get_weather", {"city": " A & B ", "days": 2, "metric": True})]),
    ),
    "kimi k3, a string in quotation marks": (
        k3_tools(k3("search", arg("query", '"cats"'))),
        Heard(calls=[("search", {"query": '"cats"'})]),
    ),
    "kimi k3, one block of JSON": (
        k3_tools(
            k3("get_weather", f'{OPEN}json type="object"{SEP}{{"city": "Paris"}}{CLOSE}json{SEP}')
        ),
        Heard(calls=[PARIS]),
    ),
    "kimi k3, channels": (
        f"{OPEN}think{SEP}hm{CLOSE}think{SEP}{OPEN}response{SEP}On it.{CLOSE}response{SEP}"
        + k3_tools(k3("clock_now")),
        Heard("On it.", "hm", calls=[CLOCK]),
    ),
    "kimi k3, a plain answer": (
        f"{OPEN}response{SEP}Hello{CLOSE}response{SEP}{CLOSE}message{SEP}<|end_of_msg|>",
        Heard("Hello"),
    ),
    "kimi k3, cut off": (
        f'{OPEN}tools{SEP}{OPEN}call tool="get_weather" index="1"{SEP}{OPEN}argument key="city"',
        Heard(broken=["get_weather"]),
    ),
    "minimax m3": (
        f"Now.{m3(invoke('get_weather', value('city', 'Paris')))}",
        Heard("Now.", calls=[PARIS]),
    ),
    "minimax m3, several": (
        m3(invoke("get_weather", value("city", "Paris")), invoke("search", value("query", "cats"))),
        Heard(calls=[PARIS, CATS]),
    ),
    "minimax m3, types, a list and an object": (
        m3(
            invoke(
                "edit",
                value("old", "<b>x</b>"),
                value("tags", value("item", "a") + value("item", "b")),
                value("options", value("unit", "C")),
            )
        ),
        Heard(calls=[("edit", {"old": "<b>x</b>", "tags": ["a", "b"], "options": {"unit": "C"}})]),
    ),
    "minimax m3, without a wrapper": (
        invoke("get_weather", value("city", "Paris")).strip(),
        Heard(calls=[PARIS]),
    ),
    "minimax m3, marks that are missing": (
        f'{NS}<tool_call>\n<invoke name="get_weather">{NS}<city>Paris</city></invoke></tool_call>',
        Heard(calls=[PARIS]),
    ),
    "minimax m3, a mark alone": (f"Done.{NS}", Heard("Done.")),
    "minimax m3, cut off": (
        f'{NS}<tool_call>{NS}<invoke name="get_weather">{NS}<city>Pa',
        Heard(broken=["get_weather"]),
    ),
    **{
        f"dsml {mark!r} {wrapper}": (dsml(mark, wrapper), Heard(calls=[PARIS]))
        for mark in ("｜｜DSML｜｜ ", "｜｜DSML｜｜", "||DSML||", "｜DSML｜", "|DSML| ")
        for wrapper in ("calls", "tool_calls", "function_calls")
    },
    "harmony with blanks": (
        "<|start|> assistant<|channel|> commentary to=functions.get_w"
        'eather <|constrain|> json <|message|> {"city": "Paris"}'
        " <|call|>",
        Heard(calls=[PARIS]),
    ),
    "fenced XML": (
        "```xml\n<tool_call>\n<function=get_weather>\n<parameter=city"
        ">Paris</parameter>\n</function>\n</tool_call>\n```",
        Heard(calls=[PARIS]),
    ),
    "fenced invoke": (
        '```xml\n<function_calls><invoke name="get_weather"><paramete'
        'r name="city">Paris</parameter></invoke>'
        "</function_calls>\n```",
        Heard(calls=[PARIS]),
    ),
    "a single parameter called arguments": (
        '<invoke name="get_weather"><parameter name="arguments">{"cit'
        'y": "Paris"}</parameter></invoke>',
        Heard(calls=[PARIS]),
    ),
    "a single parameter called arguments, in JSON": (
        '<tool_call>{"name": "get_weather", "arguments": {"arguments"'
        ': {"city": "Paris"}}}</tool_call>',
        Heard(calls=[PARIS]),
    ),
    "quoted numbers": (
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Pari"
        "s</arg_value><arg_key>days</arg_key>"
        '<arg_value>"3"</arg_value></tool_call>',
        Heard(calls=[("get_weather", {"city": "Paris", "days": 3})]),
    ),
    "bare JSON with words around it": (
        'Let me look it up. {"name": "get_weather", "arguments": {"ci'
        'ty": "Paris"}} I will tell you then.',
        Heard("Let me look it up.  I will tell you then.", calls=[PARIS]),
    ),
    "bare JSON with words around it, in Chinese": (
        '我来查一下。\n{"name": "get_weather", '
        '"arguments": {"city": "Paris"}}\n稍等，结果马上就来。',
        Heard("我来查一下。\n\n稍等，结果马上就来。", calls=[PARIS]),
    ),
    "JSON in tags within a fence": (
        '```xml\n<tools>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tools>\n```',
        Heard(calls=[PARIS]),
    ),
    "minimax m3 with a stray end tag": (
        m3(invoke("get_weather", f"{NS}</days>", value("city", "Paris"))),
        Heard(calls=[PARIS]),
    ),
    "arguments that are no object": (
        '<tool_call>\n{"name": "search", "arguments": {"arguments": "{broken"}}\n</tool_call>',
        Heard(calls=[("search", {"arguments": "{broken"})]),
    ),
    "a fence with words around it": (
        'I\'ll check.\n```json\n{"name": "get_weather", "arguments": '
        '{"city": "Paris"}}\n```\nOne moment.',
        Heard("I'll check.\n\nOne moment.", calls=[PARIS]),
    ),
}

JSON = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
FENCED = f"```json\n{JSON}\n```"

NONE = (
    f"For example, a call looks like this:\n\n{FENCED}",
    f"Example:\n{JSON}",
    f"The model would then write:\n{FENCED}\nand the client runs it.",
    f"The assistant emitted {JSON} and waited.",
    f"{FENCED}\nThis is only an example, I did not run it.",
    f"你可以这样写：\n{FENCED}\n然后发送。",
    f"调用格式如下：\n{FENCED}",
    f"比如：{JSON}",
    f"The log says ({JSON}).",
    f"call = {JSON}\nrun(call)",
    '{"name": "get_weather", "arguments": {}}',
    '```json\n{"name": "get_weather", "arguments": {"days": 2}}\n```',
    '```json\n{"name": "nobody", "arguments": {"city": "Paris"}}\n```',
    f"Here is what the API returned earlier:\n{FENCED}\nIt was sunny.",
    "Kimi K3 writes `<|open|>tools<|sep|>` before its calls.",
    "```\n]<]minimax[>[<tool_call>\n```",
    f"If you want to call it yourself, send {JSON} as the body.",
)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_read(name: str) -> None:
    text, heard = CALLS[name]
    for pieces in cut_everywhere(text):
        assert read(pieces, TOOLS) == heard, pieces


@pytest.mark.parametrize("text", NONE)
def test_examples_stay_text(text: str) -> None:
    for pieces in cut_everywhere(text):
        assert read(pieces, TOOLS) == Heard(text), pieces


BROKEN = (
    m3("nothing of a call"),
    m3(invoke("get_weather", f"{NS}<city>Paris")),
    # One level deeper than what is read; each letter more is one more cut of the whole.
    m3(invoke("get_weather", value("city", f"{NS}<a>" * 34 + f"{NS}</a>" * 34))),
)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_call_is_not_run(text: str) -> None:
    for pieces in cut_everywhere(text):
        assert read(pieces, TOOLS).calls == [], pieces


K2 = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
    '<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
)


def thought(pieces: list[str], opaque: str = "") -> Heard:
    reader = LeakReader(NATIVE.reader(), TOOLS)
    events = [made for piece in pieces for made in reader.read(ThinkingDelta(0, piece))]
    events += reader.read(ThinkingDelta(0, "", opaque)) if opaque else ()
    return hear([*events, *list(reader.read(ResponseFinished(StopReason.END)))[:-1]])


def test_a_call_in_special_tokens_within_thinking_is_a_call() -> None:
    for text in (
        K2,
        k3_tools(k3("get_weather", arg("city", "Paris"))),
        m3(invoke("get_weather", value("city", "Paris"))),
    ):
        for pieces in cut_everywhere(f"I look. {text}"):
            assert thought(pieces) == Heard(thinking="I look. ", calls=[PARIS]), pieces


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        FENCED,
        f"<tool_call>{JSON}</tool_call>",
        '<invoke name="get_weather"><parameter name="city">Paris</parameter></invoke>',
        "[get_weather(city='Paris')]",
        f"`{K2}`",
        f"```\n{K2}\n```",
    ],
)
def test_other_calls_within_thinking_are_text(text: str) -> None:
    for pieces in cut_everywhere(text):
        assert thought(pieces) == Heard(thinking=text), pieces


def test_a_call_in_thinking_that_is_parsed_too_runs_once() -> None:
    reader = LeakReader(NATIVE.reader(), TOOLS)
    events = [*reader.read(ThinkingDelta(0, K2, "sealed"))]
    for event in (
        ToolCallStarted(1, "a", "get_weather"),
        ToolArgsDelta(1, '{"city": "Paris"}'),
        ToolCallReady(1),
        ResponseFinished(StopReason.END),
    ):
        events += reader.read(event)
    assert sum(isinstance(event, ToolCallStarted) for event in events) == 1
    assert ThinkingDelta(0, "", "sealed") in events


def test_text_after_thinking_comes_after_the_text_that_was_held() -> None:
    reader = LeakReader(NATIVE.reader(), TOOLS)
    events = [*reader.read(ThinkingDelta(0, "hm <|tool_call")), *reader.read(TextDelta(1, "Yes."))]
    assert events == [
        ThinkingDelta(0, "hm "),
        ThinkingDelta(0, "<|tool_call"),
        TextDelta(1, "Yes."),
    ]
