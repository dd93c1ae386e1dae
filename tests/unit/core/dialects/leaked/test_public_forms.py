"""Calls as the parsers and chat templates of public inference servers write them, with values of
our own.

They were written from the named sources, without looking at the reader. Three forms that the reader
reads differently from their source are left out: HyperCLOVA X SEED Think writes GLM's form with
texts as JSON, where GLM means the quotation marks; its 14B model writes `-> tool/function_call`
before a list, which stays in the text; `f(a=1)` on a line of its own (Granite) is also written by
people in explanations.
"""

from __future__ import annotations

import pytest

from neodeskpet.core.toolspec import ToolSpec
from tests.unit.core.dialects.leaked.leaking import read, tool
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
                "exact": {"type": "boolean"},
                "tags": {"type": "array"},
            },
            "required": ["city"],
        },
    ),
    tool("search", query="string", limit="integer"),
    tool("clock_now"),
)
OSLO = ("get_weather", {"city": "Oslo"})
LYON = ("get_weather", {"city": "Lyon", "days": 3})
FISH = ("search", {"query": "fish"})
CLOCK: tuple[str, object] = ("clock_now", {})
OSLO_JSON = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
FISH_JSON = '{"name": "search", "arguments": {"query": "fish"}}'
PLAMO = "<|plamo:begin_tool_{}:plamo|>", "<|plamo:end_tool_{}:plamo|>"


def plamo(name: str, arguments: str) -> str:
    inside = "".join(
        PLAMO[0].format(part) + text + PLAMO[1].format(part)
        for part, text in (
            ("name", name),
            ("arguments", f"<|plamo:constrain|>json<|plamo:msg|>{arguments}"),
        )
    )
    return PLAMO[0].format("request") + inside + PLAMO[1].format("request")


def gcml(*calls: str) -> str:
    return f"<｜GCML｜tool_calls>\n{''.join(calls)}</｜GCML｜tool_calls>"


CALLS: dict[str, tuple[str, str, list[tuple[str, object]]]] = {
    # vLLM, MiniCPM 5
    "minicpm5": (
        '<function name="get_weather"><param name="city">Lyon</param>'
        '<param name="days">3</param></function>',
        "",
        [LYON],
    ),
    "minicpm5, two with words between": (
        'On it.\n<function name="search"><param name="query">fish</param></function>\nThen\n'
        '<function name="get_weather"><param name="city">Oslo</param></function>\n',
        "On it. Then",
        [FISH, OSLO],
    ),
    "minicpm5, character data": (
        '<function name="get_weather"><param name="city"><![CDATA[Oslo]]></param></function>',
        "",
        [OSLO],
    ),
    # vLLM, GigaChat 3, 3.1 and 3.5
    "gigachat3": (
        f"Wait.<|message_sep|>\n\nfunction call<|role_sep|>\n{OSLO_JSON}</s>",
        "Wait.",
        [OSLO],
    ),
    "gigachat3.1": (f"Wait.<|function_call|>{FISH_JSON}</s>", "Wait.", [FISH]),
    "gigachat3.5": (
        "Hm."
        + gcml(
            '<｜GCML｜invoke name="get_weather">\n'
            '<｜GCML｜parameter name="city" string="true">Lyon</｜GCML｜parameter>\n'
            '<｜GCML｜parameter name="days" string="false">3</｜GCML｜parameter>\n'
            "</｜GCML｜invoke>\n"
        ),
        "Hm.",
        [LYON],
    ),
    # SGLang, dots
    "dots": (
        '<dots_function_call>\n<invoke name="search">\n<parameter name="query">fish</parameter>\n'
        "</invoke>\n</dots_function_call>",
        "",
        [FISH],
    ),
    "dots, JSON": (f"<dots_function_call>{OSLO_JSON}</dots_function_call>", "", [OSLO]),
    # vLLM, PLaMo 3
    "plamo3": (
        "Sure."
        + PLAMO[0].format("requests")
        + plamo("search", '{"query": "fish"}')
        + plamo("clock_now", "{}")
        + PLAMO[1].format("requests")
        + "<|plamo:tag|>",
        "Sure.",
        [FISH, CLOCK],
    ),
    # vLLM, RWKV
    "rwkv": (
        f"**Tool Call:**\n```json\n{OSLO_JSON}\n```",
        "",
        [OSLO],
    ),
    "rwkv, a Python dictionary": (
        "I look.\n<tool_call>\n{'arguments': {'query': 'fish'}, 'name': 'search', "
        "'type': 'tool_call'}\n",
        "I look.",
        [FISH],
    ),
    # vLLM, Pangu
    "pangu": (
        f"Right now. <|tool_call_start|>[{OSLO_JSON}, {FISH_JSON}]<|tool_call_end|>\nThanks!",
        "Right now. Thanks!",
        [OSLO, FISH],
    ),
    # vLLM, Poolside; SGLang, Ling 3
    "poolside": (
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Lyon</arg_value>"
        "<arg_key>days</arg_key><arg_value> 3 </arg_value></tool_call>",
        "",
        [LYON],
    ),
    "poolside, no arguments": ("<tool_call>  clock_now  </tool_call>", "", [CLOCK]),
    # SGLang, GLM 5.3 Flash
    "glm 5.3": ('<tool_call>get_weather>{"city": "Oslo"}', "", [OSLO]),
    # vLLM, Solar Open 2
    "solar open 2": (
        "Fine.<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Lyon"
        "<|tool_arg:end|>\n<|tool_arg:start|>days<|tool_arg:value|>3<|tool_arg:end|>\n"
        "<|tool_call:end|>\n<|tool_call:start|>clock_now\n<|tool_call:end|>",
        "Fine.",
        [LYON, CLOCK],
    ),
    "solar open 2, thinking, an end that is missing": (
        "<|think:start|>I need it<|think:end|>So.<|tool_call:start|>search\n"
        "<|tool_arg:start|>query<|tool_arg:value|>fish<|tool_call:end|>",
        "So.",
        [FISH],
    ),
    # SGLang, Inkling
    "inkling": (
        'Hm.<|message_model|>search<|content_invoke_tool_json|>{"name":"search","args":'
        '{"query":"fish"}}<|end_message|>',
        "Hm.",
        [FISH],
    ),
    # SGLang, MiMo; vLLM, IQuest Coder
    "mimo": (
        "<tool_call>\n<function=search>\n<parameter=query>fish</parameter>\n</function>\n"
        "</tool_call>",
        "",
        [FISH],
    ),
    "iquest coder": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nLyon\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n"
        "<function=clock_now>\n</function>\n</tool_call>",
        "",
        [LYON, CLOCK],
    ),
    # vLLM, K2 Horizon
    "k2 horizon": (
        "Before <ifm|tool_calls><ifm|tool_call>search<ifm|arg_key>query</ifm|arg_key>"
        "<ifm|arg_value>fish</ifm|arg_value></ifm|tool_call>\n<ifm|tool_call>clock_now"
        "</ifm|tool_call></ifm|tool_calls> after.",
        "Before after.",
        [FISH, CLOCK],
    ),
    "k2 horizon, types": (
        "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key>"
        "<ifm|arg_type>string</ifm|arg_type><ifm|arg_value>Oslo</ifm|arg_value>"
        "</ifm|tool_call></ifm|tool_calls>",
        "",
        [OSLO],
    ),
    "k2 horizon, JSON": (
        f"<ifm|tool_calls><ifm|tool_call>{FISH_JSON}</ifm|tool_call></ifm|tool_calls>",
        "",
        [FISH],
    ),
    # vLLM, Hunyuan 4
    "hunyuan 4": (
        "sure!<tool_calls:opensource><tool_call:opensource>get_weather"
        "<arg_key:opensource>city</arg_key:opensource>"
        "<arg_value:opensource>Oslo</arg_value:opensource></tool_call:opensource>"
        "</tool_calls:opensource>",
        "sure!",
        [OSLO],
    ),
    # SGLang and vLLM, further models; a second set, written after the reader could read the first
    # SGLang IQuest Q1, vLLM IQuest Coder V2
    "iquest q1": (
        "Hm.<iquest_tool_call>get_weather<arg_key>city</arg_key>"
        "<arg_value>Oslo</arg_value></iquest_tool_call>",
        "Hm.",
        [OSLO],
    ),
    "iquest coder v2": (
        "<iquestcoder_tool_call>get_weather\n<arg_key>city</arg_key>\n"
        "<arg_value>Lyon</arg_value>\n<arg_key>days</arg_key>\n"
        "<arg_value>3</arg_value>\n</iquestcoder_tool_call>",
        "",
        [LYON],
    ),
    # Muse Glimmer
    "muse glimmer": (
        "<|start|>assistant to=self<|message|>I need it.<|eom|>"
        "<|start|>assistant to=get_weather<|message|>"
        '<atem:function_calls>\n<atem:invoke name="get_weather">\n'
        '<atem:parameter name="city">Oslo</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls><|eot|>",
        "",
        [OSLO],
    ),
    "muse glimmer, the block alone": (
        'Sure.\n<atem:function_calls>\n<atem:invoke name="search">\n'
        '<atem:parameter name="query">fish</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls>",
        "Sure.",
        [FISH],
    ),
    # MiniCPM 4
    "minicpm4": (
        '<function name="search"><param name="query">fish</param>'
        '</function>\n<function name="clock_now"></function>',
        "",
        [FISH, CLOCK],
    ),
    # vLLM CWM
    "trinity": (f"<tool_call>\n{OSLO_JSON}\n</tool_call>", "", [OSLO]),
    "openpangu v2": (
        f"Thought: I need it.<|tool_call_start|>[{OSLO_JSON}]<|tool_call_end|>",
        "Thought: I need it.",
        [OSLO],
    ),
    "apertus": (
        "Let me see. <|tools_prefix|>"
        '[{"get_weather": {"city": "Oslo"}}, {"clock_now": {}}]<|tools_suffix|>',
        "Let me see.",
        [OSLO, CLOCK],
    ),
    "apertus, no suffix": ('<|tools_prefix|>[{"search": {"query": "fish"}}]', "", [FISH]),
    "step 3.5": (
        "I look.<tool_call>\n<function=get_weather>\n<parameter=city>\n"
        "Lyon\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
        "</function>\n</tool_call>",
        "I look.",
        [LYON],
    ),
    "step 3.5, no tags": (
        "<function=search>\n<parameter=query>\nfish\n</parameter>\n</function>",
        "",
        [FISH],
    ),
    "step audio 2": ('<tool_call>function\nsearch\n{"query": "fish"}</tool_call>', "", [FISH]),
    "spark3": (
        "<tool_call>search<arg_key>query</arg_key><arg_value>fish</arg_value></tool_call> then",
        "then",
        [FISH],
    ),
    "nemotron nano v2": (
        f"Let me see.<TOOLCALL>[{OSLO_JSON}, {FISH_JSON}]</TOOLCALL>",
        "Let me see.",
        [OSLO, FISH],
    ),
    "nemotron nano v2, text": (
        '<TOOLCALL>[{"name": "search", "arguments": "{\\"query\\": \\"fish\\"}"}]</TOOLCALL>',
        "",
        [FISH],
    ),
    "berrylm": (
        "<tool_call>\n<function=search>\n<parameter=query>\nfish\n"
        "</parameter>\n</function>\n</tool_call>",
        "",
        [FISH],
    ),
    "k2 v3, thinking": (
        "<ifm|think>I need it</ifm|think>\n<ifm|tool_calls>"
        "<ifm|tool_call>clock_now</ifm|tool_call></ifm|tool_calls>",
        "",
        [CLOCK],
    ),
    "minimax m2": (
        'Reading.\n<minimax:tool_call><invoke name="search">'
        '<parameter name="query">fish</parameter></invoke>'
        "</minimax:tool_call>",
        "Reading.",
        [FISH],
    ),
    "deepseek v4.1": (
        "Fine.\n\n<｜｜DSML｜｜tool_calls>\n"
        '<｜｜DSML｜｜invoke name="get_weather">\n'
        '<｜｜DSML｜｜parameter name="city" string="true">'
        "Lyon</｜｜DSML｜｜parameter>\n"
        '<｜｜DSML｜｜parameter name="days" string="false">'
        "3</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>\n"
        "</｜｜DSML｜｜tool_calls>",
        "Fine.",
        [LYON],
    ),
    "granite 4": (
        f"<tool_call>\n{FISH_JSON}\n</tool_call>\n<tool_call>\n{OSLO_JSON}\n</tool_call>",
        "",
        [FISH, OSLO],
    ),
    "longcat": (f"<longcat_tool_call>\n{OSLO_JSON}\n</longcat_tool_call>", "", [OSLO]),
    "ernie": (f"</think>\n\n<tool_call>\n{OSLO_JSON}\n</tool_call>", "</think>", [OSLO]),
    "hunyuan a13b": (f"<tool_calls>[{OSLO_JSON}]</tool_calls>", "", [OSLO]),
    "jamba": (f"Sure. <tool_calls>[\n    {FISH_JSON}\n]</tool_calls>", "Sure.", [FISH]),
    "intern s1": (
        "Ok.<|action_start|><|plugin|>\n"
        '{"name": "search", "parameters": {"query": "fish"}}<|action_end|>',
        "Ok.",
        [FISH],
    ),
    "llama 4": ('[get_weather(city="Lyon", days=3), clock_now()]', "", [LYON, CLOCK]),
    "phi 4": (f"functools[{OSLO_JSON}]", "", [OSLO]),
    "mistral": (
        '[TOOL_CALLS]search[ARGS]{"query": "fish"}[TOOL_CALLS]clock_now[ARGS]{}',
        "",
        [FISH, CLOCK],
    ),
    "functiongemma": (
        "<start_function_call>call:get_weather{city:<escape>"
        "Oslo<escape>}<end_function_call><start_function_response>",
        "",
        [OSLO],
    ),
    "gemma 4": ('<|tool_call>call:get_weather{city:<|"|>Lyon<|"|>,days:3}<tool_call|>', "", [LYON]),
    "kimi k2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>"
        "functions.search:0<|tool_call_argument_begin|>"
        '{"query": "fish"}<|tool_call_end|><|tool_calls_section_end|>',
        "",
        [FISH],
    ),
    "gpt-oss": (
        "<|channel|>analysis<|message|>Need it.<|end|><|start|>"
        "assistant<|channel|>"
        "commentary to=functions.search <|constrain|>json<|message|>"
        '{"query": "fish"}<|call|>',
        "",
        [FISH],
    ),
    "xlam": (f"```json\n[{OSLO_JSON}]\n```", "", [OSLO]),
    "olmo 3": (
        '<function_calls>\nget_weather(city="Oslo")\nclock_now()\n</function_calls>',
        "",
        [OSLO, CLOCK],
    ),
    "command a": (
        "<|START_ACTION|>[\n"
        '    {"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "fish"}}\n'
        "]<|END_ACTION|>",
        "",
        [FISH],
    ),
    "seed oss": (
        "<seed:tool_call>\n<function=search>\n<parameter=query>"
        "fish</parameter>\n</function>\n</seed:tool_call>",
        "",
        [FISH],
    ),
}

TEXTS = (
    'The parser of MiniCPM reads `<function name="search"><param name="query">` and the rest.',
    '<function name="unknown"><param name="x">1</param></function>',
    "Run this by hand:\n```bash\nsearch --query fish\n```",
    "```python\nget_weather(city='Oslo')\n```",
    "get_weather(city='Oslo') returns the weather of a place.",
    "For example, it writes:\nsearch(query='fish')",
    "Call clock_now() to see what time it is.",
    "def search(query='fish'):\n    return query",
    "search(query) finds things.",
    "In your script write:\nclock_now()",
    "In logs you find `<|function_call|>` before the JSON.",
    "**Tool Call:** is how RWKV begins.",
    "A function call is made like this.",
    "<ifm|tool_calls>junk</ifm|tool_calls>",
    '<tool_call>unknown>{"city": "Oslo"}',
)


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_read(name: str) -> None:
    text, shown, calls = CALLS[name]
    whole = read([text], TOOLS)
    assert (whole.calls, whole.broken) == (calls, [])
    assert plain(whole.text) == shown
    for pieces in cut_everywhere(text):
        assert read(pieces, TOOLS) == whole, pieces


@pytest.mark.parametrize("text", TEXTS)
def test_other_text_stays_text(text: str) -> None:
    for pieces in cut_everywhere(text):
        heard = read(pieces, TOOLS)
        assert (heard.text, heard.calls, heard.broken) == (text, [], []), pieces
