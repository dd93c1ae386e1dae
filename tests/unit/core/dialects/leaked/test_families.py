"""Every form of leaked call: what is read as a call, what stays text, and the same result at every
split.
"""

from __future__ import annotations

import pytest

from tests.unit.core.dialects.leaked.leaking import CATS, CLOCK, JSON, JSON_TWO, PARIS, Heard, read
from tests.unit.core.dialects.splitting import cut_everywhere

CALLS: list[tuple[str, str, list[tuple[str, object]]]] = [
    ("hermes", f"<tool_call>\n{JSON}\n</tool_call>", [PARIS]),
    ("hermes without its end", f"<tool_call>{JSON}", [PARIS]),
    ("hermes with half its end", f"<tool_call>{JSON}</tool", [PARIS]),
    ("hermes, a list", f"<tool_call>[{JSON_TWO}]</tool_call>", [PARIS, CATS]),
    ("hermes, two objects", f"<tool_call>{JSON};{JSON}</tool_call>", [PARIS, PARIS]),
    (
        "one of several is unknown",
        f'<tool_calls>[{{"name": "fly", "arguments": {{}}}}, {JSON}]</tool_calls>',
        [PARIS],
    ),
    (
        "hunyuan, one is unknown",
        "<tool_calls><tool_call>fly</tool_call><tool_call>clock_now</tool_call></tool_calls>",
        [CLOCK],
    ),
    ("hermes, null", '<tool_call>{"name": "clock_now", "arguments": null}</tool_call>', [CLOCK]),
    ("hermes, empty", '<tool_call>{"name": "clock_now", "arguments": ""}</tool_call>', [CLOCK]),
    (
        "hermes, encoded twice, raw newline",
        '<tool_call>{"name": "search", "arguments": "{\\"query\\": \\"a\\"}"}</tool_call>'
        '<tool_call>{"name": "search", "arguments": {"query": "a\nb"}}</tool_call>',
        [("search", {"query": "a"}), ("search", {"query": "a\nb"})],
    ),
    (
        "qwen3_coder",
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
        [("get_weather", {"city": "Paris", "days": 3})],
    ),
    (
        "qwen3_coder with slips",
        "<function=get_weather>\n<parameter=city>\nParis\n<parameter=days>3</function>",
        [("get_weather", {"city": "Paris", "days": 3})],
    ),
    ("function with JSON", '<function=get_weather>{"city": "Paris"}</function>', [PARIS]),
    ("function by name", '<function name="get_weather">\n{"city": "Paris"}\n</function>', [PARIS]),
    (
        "seed_oss",
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris\n</parameter>\n"
        "</function>\n<function=clock_now>\n</function>\n</seed:tool_call>",
        [("get_weather", {"city": "Paris\n"}), CLOCK],
    ),
    (
        "glm 4.5",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
        [PARIS],
    ),
    ("glm 4.7", "<tool_call>clock_now</tool_call>", [CLOCK]),
    (
        "glm stripped",
        "get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
        [PARIS],
    ),
    ("hunyuan", f"<tool_calls>[{JSON_TWO}]</tool_calls>", [PARIS, CATS]),
    ("minimax m1", f"<tool_calls>\n{JSON}\n{JSON}\n</tool_calls>", [PARIS, PARIS]),
    (
        "hunyuan pairs",
        "<tool_calls><tool_call>search<tool_sep><arg_key>query</arg_key>"
        "<arg_value>cats</arg_value></tool_call><tool_call>clock_now</tool_call></tool_calls>",
        [CATS, CLOCK],
    ),
    (
        "invoke",
        '<function_calls>\n<invoke name="search">\n<parameter name="query">cats</parameter>\n'
        '</invoke>\n<invoke name="clock_now">\n</invoke>\n</function_calls>',
        [CATS, CLOCK],
    ),
    ("invoke, bare", '<invoke name="clock_now"></invoke>', [CLOCK]),
    (
        "olmo3",
        "<function_calls>\nget_weather(city='Paris')\nclock_now()\n</function_calls>",
        [PARIS, CLOCK],
    ),
    (
        "deepseek v3",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        '{"city": "Paris"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>'
        "clock_now\n{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        [PARIS, CLOCK],
    ),
    ("deepseek v3 stripped", 'functionget_weather\n```json\n{"city": "Paris"}\n```', [PARIS]),
    (
        "deepseek v3.1",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}'
        "<｜tool▁call▁end｜><｜tool▁call▁begin｜>clock_now<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        [PARIS, CLOCK],
    ),
    (
        "deepseek v3.2",
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
        '</｜DSML｜invoke>\n<｜DSML｜invoke name="clock_now">\n</｜DSML｜invoke>\n'
        "</｜DSML｜function_calls>",
        [("get_weather", {"city": "Paris", "days": 3}), CLOCK],
    ),
    (
        "deepseek v3.2, bare, no JSON",
        "<｜DSML｜invoke name='get_weather'><｜DSML｜parameter name='city' string=\"false\">"
        "a b</｜DSML｜parameter></｜DSML｜invoke>",
        [("get_weather", {"city": "a b"})],
    ),
    (
        "step3",
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>get_weather\n"
        '<steptml:invoke name="get_weather"><steptml:parameter name="city">Paris'
        "</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
        [PARIS],
    ),
    ("step3 stripped", 'function<steptml:invoke name="clock_now"></steptml:invoke>', [CLOCK]),
    (
        "kimi k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0 "
        '<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|>'
        "<|tool_call_begin|>clock_now:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
        "<|tool_calls_section_end|>",
        [PARIS, CLOCK],
    ),
    ("kimi k2 stripped", 'functions.get_weather:0{"city": "Paris"}', [PARIS]),
    ("mistral, old", f"[TOOL_CALLS] [{JSON_TWO}]", [PARIS, CATS]),
    ("mistral, object", f"[TOOL_CALLS]{JSON}", [PARIS]),
    (
        "mistral, new",
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]clock_now[CALL_ID]1[ARGS]{}',
        [PARIS, CLOCK],
    ),
    ("mistral without ARGS", '[TOOL_CALLS]get_weather{"city": "Paris"}', [PARIS]),
    ("llama", f"<|python_tag|>{JSON}", [PARIS]),
    ("llama, own tools", "<|python_tag|>search.call(query='cats')", [CATS]),
    ("llama 4", "<|python_start|>[clock_now()]<|python_end|>", [CLOCK]),
    ("lfm2", "<|tool_call_start|>[get_weather(city='Paris')]<|tool_call_end|>", [PARIS]),
    ("lfm2, JSON", f"<|tool_call_start|>[{JSON}]<|tool_call_end|>", [PARIS]),
    (
        "apertus",
        '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}, {"clock_now": {}}]<|tools_suffix|>',
        [PARIS, CLOCK],
    ),
    ("granite", f"<|tool_call|>[{JSON}]", [PARIS]),
    ("granite 20b", f"<function_call> {JSON}\n<function_call> {JSON}", [PARIS, PARIS]),
    ("phi4", f"functools[{JSON_TWO}]", [PARIS, CATS]),
    ("internlm", f"<|action_start|> <|plugin|>\n{JSON}<|action_end|>", [PARIS]),
    (
        "command r7b",
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": '
        '{"query": "cats"}}]<|END_ACTION|>',
        [CATS],
    ),
    (
        "command r+",
        'Action: ```json\n[{"tool_name": "search", "parameters": {"query": "cats"}}]\n```',
        [CATS],
    ),
    ("functionary", '>>>get_weather\n{"city": "Paris"}', [PARIS]),
    (
        "functiongemma",
        "<start_function_call>call:edit{old:<escape>a, b<escape>,tags:[<escape>x<escape>,y],"
        "options:{deep:true,n:1}}<end_function_call>",
        [("edit", {"old": "a, b", "tags": ["x", "y"], "options": {"deep": True, "n": 1}})],
    ),
    ("gemma 4", '<|tool_call>call:search{"query":<|"|>cats<|"|>}<tool_call|>', [CATS]),
    (
        "gemma 4, two",
        "<|tool_call>call:clock_now{},call:edit{tags:[],options:{}}<tool_call|>",
        [CLOCK, ("edit", {"tags": [], "options": {}})],
    ),
    (
        "gemma stripped",
        "call:get_weather{city:Paris,days:3}",
        [("get_weather", {"city": "Paris", "days": 3})],
    ),
    (
        "harmony",
        "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"city": "Paris"}<|call|>',
        [PARIS],
    ),
    (
        "harmony, the tool first",
        "<|start|>assistant to=functions.clock_now<|channel|>commentary<|message|>{}",
        [CLOCK],
    ),
    (
        "harmony stripped",
        'assistantcommentary to=functions.get_weather json{"city": "Paris"}',
        [PARIS],
    ),
    (
        "tool_code",
        "```tool_code\nprint(default_api.get_weather(city='Paris'))\nclock_now()\n```",
        [PARIS, CLOCK],
    ),
    ("tool_code, bare", "tool_code\nprint(search(query='cats'))\nclock_now()\n", [CATS, CLOCK]),
    ("fenced JSON", f"```json\n{JSON}\n```", [PARIS]),
    ("fenced, two objects", f"```\n{JSON}\n{JSON}\n```\n", [PARIS, PARIS]),
    ("fenced tags", f"```xml\n<tool_call>\n{JSON}\n</tool_call>\n```", [PARIS]),
    ("bare JSON", JSON, [PARIS]),
    ("bare list", f"[{JSON_TWO}]", [PARIS, CATS]),
    ("bare, several", f"{JSON}; {JSON}", [PARIS, PARIS]),
    (
        "tool_calls",
        '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "search", '
        '"arguments": "{\\"query\\": \\"cats\\"}"}}]}',
        [CATS],
    ),
    (
        "tool_uses",
        '{"tool_uses": [{"recipient_name": "functions.clock_now", "parameters": {}}]}',
        [CLOCK],
    ),
    ("function_call", '{"function_call": {"name": "clock_now", "arguments": {}}}', [CLOCK]),
    ("pythonic", "[get_weather(city='Paris'), clock_now()]", [PARIS, CLOCK]),
    (
        "functiongemma without a comma",
        "<start_function_call>call:get_weather{city:<escape>Paris<escape>days:<escape>3<escape>}"
        "<end_function_call>",
        [("get_weather", {"city": "Paris", "days": 3})],
    ),
    (
        "pythonic, dotted",
        '[live2d.motion(group="Tap", index=1)]',
        [("live2d.motion", {"group": "Tap", "index": 1})],
    ),
    (
        "react",
        'Action: get_weather\nAction Input: {"city": "Paris"}\nObservation:',
        [PARIS],
    ),
    ("react, plain input", "**Action:** search\nAction Input: cats", [CATS]),
    (
        "our own, one sign",
        "<[TOOL_REQUEST]>\ntool_name:「始」get_weather「末」\n"
        'input_json:「始」{"city": "Paris"}「末」\n'
        "<[END_TOOL_REQUEST]>",
        [PARIS],
    ),
    (
        "our own, no sign",
        "[TOOL_REQUEST]\ntool_name: get_weather\ncity: Paris,\n[END_TOOL_REQUEST]",
        [PARIS],
    ),
    (
        "our own, other signs",
        "《《《[TOOL_REQUEST]》》》\ntool_name：「始」search「末」\nquery:「始ESCAPE」cats「末ESCAPE」\n"
        "《《《[END_TOOL_REQUEST]》》》",
        [CATS],
    ),
    (
        "our own, well-formed, where tools are native; a made-up result",
        "<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock_now「末」\n<<<[END_TOOL_REQUEST]>>>\n"
        "<<<[TOOL_RESULT]>>>\nresult:「始」nine「末」\n<<<[END_TOOL_RESULT]>>>",
        [CLOCK],
    ),
    (
        "written null",
        "<function=note><parameter=text>null</parameter></function>"
        "<function=search><parameter=query>null</parameter></function>",
        [("note", {"text": None}), ("search", {"query": "null"})],
    ),
    ("claude 2", "<invoke>\n<tool_name>clock_now</tool_name>\n</invoke>", [CLOCK]),
    (
        "claude 2, two",
        "<function_calls><invoke><tool_name>clock_now</tool_name></invoke>\n<invoke><tool_name>search"
        "</tool_name><parameters><query>cats</query></parameters></invoke></function_calls>",
        [CLOCK, CATS],
    ),
    ("functionary, words first", ">>>all\n>>>clock_now\n{}", [CLOCK]),
    (
        "functionary 2, words first",
        "<|from|>assistant\n<|recipient|>all\n<|content|><|recipient|>clock_now\n<|content|>{}",
        [CLOCK],
    ),
    ("qwen_agent", "✿FUNCTION✿: clock_now\n✿ARGS✿：{}\n✿RESULT✿✿RETURN✿:", [CLOCK]),
    (
        "glm stripped of its tags",
        "clock_now\n<arg_key>a</arg_key><arg_value>1</arg_value>\n",
        [
            ("clock_now", {"a": "1"}),
        ],
    ),
    ("name and JSON", 'get_weather\n{"city": "Paris"}\n', [PARIS]),
    ("names and JSON, glued", 'clock_now{}get_weather{"city": "Paris"}', [CLOCK, PARIS]),
    ("end tokens after it", f"{JSON}<|eot_id|></s>\n", [PARIS]),
]


@pytest.mark.parametrize(
    ("reply", "calls"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS]
)
def test_each_form_is_read(reply: str, calls: list[tuple[str, object]]) -> None:
    for pieces in cut_everywhere(reply):
        heard = read(pieces)
        assert heard.calls == calls, pieces
        assert heard.text.strip() == ""
        assert heard.broken == []
    said = read([f"Let me see.\n{reply}"])
    assert said.calls == calls
    assert said.text.strip() == "Let me see."


CUT: list[tuple[str, str, list[tuple[str, object]], list[str]]] = [
    ("hermes", '<tool_call>{"name": "search", "arguments": {"query": "ca', [], ["search"]),
    ("second of two", f'[TOOL_CALLS] [{JSON}, {{"name": "search", "argum', [PARIS], ["search"]),
    ("second is unknown", f'[TOOL_CALLS] [{JSON}, {{"name": "fly", "argum', [PARIS], []),
    ("qwen3_coder", "<function=get_weather>\n<parameter=city>Par", [], ["get_weather"]),
    ("glm", "<tool_call>get_weather\n<arg_key>city</arg_key>", [], ["get_weather"]),
    ("invoke", '<invoke name="search">\n<parameter name="query">cats', [], ["search"]),
    ("pythonic", "[get_weather(city='Par", [], ["get_weather"]),
    ("pythonic, an escape", "[search(query='a\\u12", [], ["search"]),
    ("fence", '```json\n{"name": "search", "arguments": {"query": "ca', [], ["search"]),
    ("name and JSON", 'get_weather{"city": "Par\\', [], ["get_weather"]),
    (
        "not even JSON",
        '<tool_call>{"name": "search", "arguments": {"a": NaN}}</tool_call>',
        [],
        ["search"],
    ),
    (
        "no JSON value",
        '<tool_call>{"name": "search", "arguments": NaN}</tool_call>',
        [],
        ["search"],
    ),
    ("no arguments", '<tool_call>{"name": "clock_now"}</tool_call>', [], ["clock_now"]),
    ("our own", "[TOOL_REQUEST]\ntool_name:「始」search「末」\nquery:「始」ca", [], ["search"]),
    ("our own, no name yet", "<[TOOL_REQUEST]>\ntool_na", [], []),
    (
        "our own, of a tool that isn't there",
        "[TOOL_REQUEST]\ntool_name: fly\n[END_TOOL_REQUEST]",
        [],
        [],
    ),
    ("a made-up result", "[TOOL_RESULT]\nresult:「始」nine", [], []),
    ("a mark alone", "<|tool_calls_section_begin|><|tool_call_begin|>functions.sea", [], []),
    ("brackets that don't match", f"<tool_call>{JSON[:-1]}</tool_call>", [], ["get_weather"]),
    (
        "no JSON in its brackets",
        '<tool_call>{"name": "search", "arguments": {cats}}</tool_call>',
        [],
        ["search"],
    ),
    (
        "arguments that are no object",
        '<tool_call>{"name": "search", "arguments": "cats"}</tool_call>',
        [],
        ["search"],
    ),
]


@pytest.mark.parametrize(
    ("reply", "calls", "broken"), [case[1:] for case in CUT], ids=[case[0] for case in CUT]
)
def test_a_call_that_was_cut_off_is_hidden_and_never_run(
    reply: str, calls: list[tuple[str, object]], broken: list[str]
) -> None:
    for pieces in cut_everywhere(f"So:\n{reply}"):
        assert read(pieces) == Heard("So:\n", "", calls, broken), pieces


TEXT = [
    # Tools that aren't offered.
    '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
    "<function=fly><parameter=to>Mars</parameter></function>",
    "<tool_call>fly</tool_call>",
    '<invoke name="fly"></invoke>',
    "[TOOL_CALLS]fly[ARGS]{}",
    "[fly(to='Mars')]",
    '>>>fly\n{"to": "Mars"}',
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>fly<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
    # Code and examples.
    f"```\n<tool_call>{JSON}</tool_call>\n```",
    f"~~~~python\nget_weather\n[TOOL_CALLS][{JSON}]\n~~~\n~~~~",
    f"Write `<tool_call>{JSON}</tool_call>` to call it.",
    f"So: {JSON}\nwould call it.",
    f"```json\n{JSON}\n```\nwould call it.",
    f"```json\n{JSON}\n```\n```\nhm",
    "[get_weather(city='Paris')] would call it.",
    "Use get_weather {like this}.",
    "Use get_weather, or search: both do.",
    "```python\nget_weather(city='Paris')\n```",
    "print ```json is a fence",
    # Text that only looks similar.
    '{"name": "search", "description": "Finds.", "parameters": {"type": "object"}}',
    '{"name": "search", "parameters": {"type": "object", "properties": {"query": {}}}}',
    '{"name": "search"}',
    '{"name": "search", "arguments": "cats"}',
    '{"name": "Alice", "arguments": {}}',
    '{"name" "search"}',
    '{name: "search"}',
    '{"name": 5, "arguments": {}}',
    '{"city": "Paris"}',
    '{"name": "search", "arguments": {}, "input": {}}',
    '{"tool_calls": []}',
    '{"tool_calls": [{"name": "search"}]}',
    '[{"name": "search", "arguments": {}} {"name": "search"}]',
    '[1, 2, {"name": "search"}]',
    '["name", "search"]',
    "[search(1)](https://example.com)",
    "[search(query=cats)]",
    "[search(query='cats' 'dogs')]",
    "[search(query='cats\n')]",
    "[search(query)]",
    "[5(a=1)]",
    "[search(query='a 'b' 'c), edit(old='d 'e')]",
    "[search(query=cats\n, clock_now()]",
    "[search(query=cats) so\nit is, clock_now()]",
    "<｜tool▁calls▁begin｜>function<｜tool▁sep｜>clock_now\n```json\n{}\n```<｜tool▁calls▁end｜>",
    "[search(query={'a' 1})]",
    "[search(query=[1 2])]",
    "[search(query=--5)]",
    "[x] done, [ ] open, a[i] and {k: v}",
    "functools[1]",
    "[TOOL_CALLS] and nothing",
    "[TOOL_CALLS][ARGS]{}",
    "[TOOL_CALLS][1]",
    "<tool_call> is a tag",
    "<tool_calls>\nnone\n</tool_calls>",
    '<invoke name="search\nmore">',
    "<invoke name=search>",
    "<｜tool_calls_begin｜> and nothing",
    "<|tools_prefix|>[1]<|tools_suffix|>",
    '<|tools_prefix|>[{"fly": {}}]<|tools_suffix|>',
    "<|tools_prefix|>{}<|tools_suffix|>",
    "functionclock_now is a name",
    ">>>clock_now is a name",
    "tool_code\nis a word",
    "tool_code\nclock_now()\nis a call.",
    "a tool_code\nclock_now()",
    "Action: search\nfor cats",
    "Action: get_weather\nAction Input: Paris",
    "Action: fly\nAction Input: {}",
    "An Action: search\nAction Input: cats",
    "<|channel|>of water",
    "<|channel|>final or not<|message|>hm",
    "tool_code\nclock_now",
    '<tool_call>{"name": "fly", "arguments": {"n": NaN}}</tool_call>',
    "<tool_call>[5]</tool_call>",
    '<tool_call>{"search": 5}</tool_call>',
    "<tool_call>{'search': 5}</tool_call>",
    "<tool_call>{'name': search}</tool_call>",
    '<tool_call>{"fly": {}}</tool_call>',
    "<|channel|>nonsense here<|message|>hm",
    "<|channel|>commentary to=functions.fly<|message|>{}",
    "say to=functions.fly json{}",
    "kimi functions.search:1 is an id",
    "<thinking of you",
    "a <think>thought</think> in a line",
    "```\n`<",
    f"{JSON} and",
    "The mark [TOOL_REQUEST] begins a block.",
    f"{JSON}\nand so on",
    "<",
    "[TOOL",
    "{",
    "Action: fly\nAction Input: cats",
    "Use search{like: this}",
    "You could write search{} here.",
    "It ended. search {} is a name",
    "<invoke><tool_name>fly</tool_name></invoke>",
    "<tool_use><name>search\n\nno</name></tool_use>",
    "so <tools>\nnone</tools>",
    "so >>>all\nof it",
    "analysisResult is a variable",
    "analysis of the weather",
    "commentaryOf is a name",
    "Well.\nanalysisThe end",
    "I know an assistantfinal from a finalist",
    "assistantcommentary to=functions.fly json{}",
]


@pytest.mark.parametrize("reply", TEXT)
def test_text_stays_text(reply: str) -> None:
    for pieces in cut_everywhere(reply):
        assert read(pieces) == Heard(reply), pieces


LONG = [
    "[search(query=" + "[" * 40 + "]" * 40 + ")]",
    "{" * 70,
    '{"arguments": ' + "[" * 70,
    "call:edit{old:" + "{a:" * 40 + "1" + "}" * 40 + "}",
    "call:edit{tags:" + "[" * 40 + "]" * 40 + "}",
    "<|channel|>" * 60 + "x",
    "<|channel|>final" + "<|channel|>final" * 60 + "\nx",
    '<tool_call>{"name": "fly", "arguments": "' + "[" * 70 + "]" * 70 + '"}</tool_call>',
]


@pytest.mark.parametrize("reply", LONG)
def test_long_text_stays_text(reply: str) -> None:
    for pieces in ([reply], list(reply)):
        assert read(pieces) == Heard(reply)


def test_a_reliable_form_decides_about_an_unreliable_one_before_it() -> None:
    heard = read([f"{JSON}\n<tool_call>{JSON}</tool_call> Done."])
    assert heard == Heard(" Done.", "", [PARIS, PARIS], [])


def test_no_calls_are_read_from_thinking() -> None:
    reply = (
        f"[THINK]I could <tool_call>{JSON}</tool_call>[/THINK]<|START_RESPONSE|>No.<|END_RESPONSE|>"
    )
    for pieces in cut_everywhere(reply):
        thought = f"I could <tool_call>{JSON}</tool_call>"
        assert read(pieces) == Heard("No.", thought), pieces
    assert read([f"<|START_THINKING|>[{JSON}"]) == Heard("", f"[{JSON}")
