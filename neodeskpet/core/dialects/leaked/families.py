"""The forms of calls that leak: declarations, grouped by what they look like. A new form is one
more declaration; `docs/call-forms.md` says what its fields and places mean.

The order counts where two begin alike: the first that can read the text does.
"""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.dialects.leaked import harmony, minimax_m3, own_blocks
from neodeskpet.core.dialects.leaked.code_fence import fence_of
from neodeskpet.core.dialects.leaked.declaration import Declaration, WithinLine
from neodeskpet.core.dialects.leaked.interpreter import families_of
from neodeskpet.core.dialects.leaked.source import Family


def _tags(*words: str) -> tuple[str, ...]:
    return tuple(f"<{word}>" for word in words)


def _ends(*words: str) -> tuple[str, ...]:
    return tuple(f"</{word}>" for word in words)


# Thinking that no decoder took out: nothing in it is a call. Chat templates of DeepSeek R1, Qwen 3,
# Magistral (`[THINK]`), Kimi (`◁think▷`) and Seed-OSS; vLLM's reasoning parsers.

THINKING = tuple(
    Declaration(name="think_tags", thinking=pair, line_start=True)
    for pair in (
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<thought>", "</thought>"),
        ("<reasoning>", "</reasoning>"),
        ("<seed:think>", "</seed:think>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        *((f"<ifm|{one}>", f"</ifm|{one}>") for one in ("think", "think_fast", "think_faster")),
    )
)

# JSON in tags or special tokens


def _json(name: str, begin: tuple[str, ...], end: tuple[str, ...] = ()) -> Declaration:
    """JSON that names its tools, behind one of `begin`."""
    return Declaration(name=name, begin=begin, needs_begin=True, call=("{calls}",), end=end)


def _json_in_tags(name: str, *words: str) -> Declaration:
    return _json(name, _tags(*words), _ends(*words))


# `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen 2.5 and 3, ERNIE 4.5, Granite
# 4, LongCat, Nemotron, xLAM; `<functioncall>` of Glaive. NousResearch's chat templates; vLLM
# `hermes_tool_parser.py`, `ernie45_tool_parser.py`, SGLang `qwen25_detector.py`.
_HERMES_TAGS = (
    *("tool_call", "longcat_tool_call", "TOOLCALL", "functioncall"),
    "dots_function_call",
)
HERMES = replace(_json_in_tags("hermes", *_HERMES_TAGS), fenced=True)
# `<tool_calls>[{"name": …}]</tool_calls>`: Hunyuan A13B, Jamba, MiniMax M1. vLLM
# `hunyuan_a13b_tool_parser.py`, `jamba_tool_parser.py`, `minimax_tool_parser.py`.
HUNYUAN = replace(_json_in_tags("hunyuan", "tool_calls"), fenced=True)
# `<|tools_prefix|>[{"f": {"a": 1}}]<|tools_suffix|>`: Apertus. vLLM `apertus_tool_parser.py`.
APERTUS = _json("apertus", ("<|tools_prefix|>",), ("<|tools_suffix|>",))
# `<|tool_call|>[{"name": …}]` of Granite 3 and Phi-4-mini, `<function_call> {…}` of Granite 20B.
# vLLM `granite_tool_parser.py`, `granite_20b_fc_tool_parser.py`.
GRANITE = _json(
    "granite",
    ("<|tool_call|>", "<function_call>"),
    ("<|/tool_call|>", "</function_call>", "</|tool_call|>"),
)
# `functools[{"name": …, "arguments": {…}}]`: Phi-4-mini and FireFunction v2. vLLM
# `phi4mini_tool_parser.py`, llama.cpp `common/chat.cpp`.
PHI4 = Declaration(name="phi4", marks={"blank": (" ",)}, call=("functools{blank?}{calls}",))
# `<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>`: InternLM 2 and 3,
# Intern-S1. vLLM `internlm2_tool_parser.py`, SGLang `internlm_detector.py`.
INTERNLM = Declaration(
    name="internlm",
    begin=("<|action_start|>",),
    call=("<|plugin|>{calls}",),
    end=("<|action_end|>",),
)
# `<|START_ACTION|>[{"tool_name": …, "parameters": {…}}]<|END_ACTION|>`, and the marks around
# thinking and answer: Command R7B and A. vLLM `cohere_command_tool_parser.py`, llama.cpp
# `common/chat.cpp`.
COMMAND_R = replace(
    _json("command_r", ("<|START_ACTION|>",), ("<|END_ACTION|>",)),
    thinking=("<|START_THINKING|>", "<|END_THINKING|>"),
    hidden=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
)

# `<|message_sep|>function call<|role_sep|>{…}` of GigaChat 3, `<|function_call|>{…}` of 3.1. vLLM
# `gigachat3_tool_parser.py`.
GIGACHAT = _json(
    "gigachat",
    ("<|message_sep|>{space}function call<|role_sep|>", "<|function_call|>"),
    ("<|message_sep|>", "</s>"),
)
# `<|message_model|>f<|content_invoke_tool_json|>{"name": …, "args": {…}}`: Inkling. SGLang
# `inkling_detector.py`.
INKLING = Declaration(
    name="inkling",
    begin=("<|message_model|>{word}",),
    call=("<|content_invoke_tool_json|>{calls}",),
    end=("<|end_message|>",),
)

# Arguments in tags of their own

_PARAMETER_END = ("\n</parameter>", "</parameter>")

# `<tool_call><function=f><parameter=a>1</parameter></function></tool_call>`: Qwen3-Coder, Nemotron
# 3, Step 3.5, MiMo; MiniCPM 5 writes `<param name="a">`. Without the outer tags, which gateways
# strip; with one JSON object, as Llama and Functionary 3.1 write it. A line end beside a value is
# no part of it. vLLM `qwen3coder_tool_parser.py`, SGLang `qwen3_coder_detector.py`.
QWEN3_CODER = Declaration(
    name="qwen3_coder",
    marks={
        "open": (">\n", ">"),
        "close": _PARAMETER_END,
        "begin": ("><![CDATA[", ">"),
        "end": ("]]></param>", "</param>"),
        "function_end": ("</function>", "</tool_call>"),
        "quote": ('"', "'"),
    },
    begin=("<tool_call>",),
    call=("<function={name}{open?}", "<function name={quote}{name}{quote}{space}>"),
    argument=(
        "<parameter={key}{open}{value}{close?}",
        "<parameter name={quote}{key}{quote}{type}{open}{value}{close?}",
        "<param name={quote}{key}{quote}{begin}{value}{end}",
    ),
    body="{json}",
    call_end="{function_end}",
    end=("</tool_call>",),
    fenced=True,
)
# `<seed:tool_call>` around the same: Seed-OSS. The last line end of a value is only no part of it
# where there is a first. vLLM `seed_oss_tool_parser.py`.
SEED_OSS = Declaration(
    name="seed_oss",
    marks={"close": _PARAMETER_END},
    begin=("<seed:tool_call>",),
    needs_begin=True,
    call=("<function={name}>",),
    argument=("<parameter={key}>\n{value}{close}", "<parameter={key}>{value}</parameter>"),
    body="{json}",
    call_end="</function>",
    end=("</seed:tool_call>",),
    fenced=True,
)
# `<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`, with line ends (GLM 4.5)
# or without (4.7); in tags of their own: IQuest; `f<arg_key>…`, which a gateway leaves of it. vLLM
# `glm4_moe_tool_parser.py`, `glm47_moe_tool_parser.py`, `iquest_coder_v2_tool_parser.py`.
_GLM_PAIR = "<arg_key>{key}</arg_key>{space}<arg_value>{value}</arg_value>"
_GLM_TAGS = ("tool_call", "iquest_tool_call", "iquestcoder_tool_call")
GLM = Declaration(
    name="glm",
    marks={"begin": _tags(*_GLM_TAGS), "end": _ends(*_GLM_TAGS)},
    call=("{begin}{space}{name}",),
    argument=(_GLM_PAIR,),
    call_end="{end}",
    fenced=True,
)
# `<tool_call>f>{…}`: GLM 5.3; `<tool_call>function\nf\n{…}`: Step Audio 2. SGLang
# `glm53_flash_detector.py`, vLLM `step_audio_2_tool_parser.py`.
GLM_JSON = Declaration(
    name="glm JSON",
    marks={"function": ("function\n",), "bracket": (">",)},
    call=("<tool_call>{space}{function?}{name}{bracket?}{space}{json}",),
    call_end="</tool_call>",
)
GLM_STRIPPED = Declaration(
    name="glm stripped",
    marks={"line": ("\n",), "close": ("</tool_call>",)},
    call=("{tool}{line?}" + _GLM_PAIR,),
    argument=(_GLM_PAIR,),
    call_end="{close?}",
    within_line=WithinLine.AFTER_SENTENCE,
)
# `<tool_calls><tool_call>f<tool_sep><arg_key>…`: newer Hunyuan, with a suffix in the open models.
# SGLang `hunyuan_detector.py`.
HUNYUAN_PAIRS = tuple(
    Declaration(
        name="hunyuan pairs",
        marks={"separator": (f"<tool_sep{suffix}>",)},
        begin=(f"<tool_calls{suffix}>",),
        needs_begin=True,
        call=(f"<tool_call{suffix}>{{space}}{{name}}{{separator?}}",),
        argument=(
            f"<arg_key{suffix}>{{key}}</arg_key{suffix}>{{space}}"
            f"<arg_value{suffix}>{{value}}</arg_value{suffix}>",
        ),
        call_end=f"</tool_call{suffix}>",
        end=(f"</tool_calls{suffix}>",),
        fenced=not suffix,
    )
    for suffix in ("", ":opensource")
)


def _invoke(prefix: str) -> Declaration:
    """`<invoke name="f"><parameter name="a">1</parameter></invoke>`, with `prefix` before words."""
    return Declaration(
        name="invoke_tags",
        marks={"quote": ('"', "'")},
        call=(f"<{prefix}invoke name={{quote}}{{name}}{{quote}}{{space}}>",),
        argument=(
            f"<{prefix}parameter name={{quote}}{{key}}{{quote}}{{type}}>"
            f"{{value}}</{prefix}parameter>",
        ),
        call_end=f"</{prefix}invoke>",
    )


# `<ifm|tool_call>f<ifm|arg_key>a</ifm|arg_key><ifm|arg_value>1</ifm|arg_value></ifm|tool_call>`:
# K2 Horizon. vLLM `k2_horizon_tool_parser.py`.
K2_HORIZON = Declaration(
    name="k2 horizon",
    begin=("<ifm|tool_calls>",),
    call=("<ifm|tool_call>{calls}", "<ifm|tool_call>{space}{name}"),
    argument=(
        "<ifm|arg_key>{key}</ifm|arg_key>{space}<ifm|arg_value>{value}</ifm|arg_value>",
        "<ifm|arg_key>{key}</ifm|arg_key>{space}<ifm|arg_type>{type}</ifm|arg_type>{space}"
        "<ifm|arg_value>{value}</ifm|arg_value>",
    ),
    call_end="</ifm|tool_call>",
    end=("</ifm|tool_calls>",),
)
# `<|tool_call:start|>f\n<|tool_arg:start|>a<|tool_arg:value|>1<|tool_arg:end|>`: Solar Open 2.
# vLLM `solar_open2_tool_parser.py`.
SOLAR_OPEN_2 = Declaration(
    name="solar open 2",
    marks={"close": ("<|tool_arg:end|>",)},
    call=("<|tool_call:start|>{name}",),
    argument=("<|tool_arg:start|>{key}<|tool_arg:value|>{value}{close?}",),
    call_end="<|tool_call:end|>",
    thinking=("<|think:start|>", "<|think:end|>"),
)


# `<invoke name="f">` in any wrapper or none: Claude's own XML, MiniMax M2, DeepSeek V3.2 with its
# marks stripped. Anthropic's documentation; vLLM `minimax_m2_tool_parser.py`.
_PREFIX = "antml:"
_WRAPPERS = (
    *("minimax:tool_call", f"{_PREFIX}function_calls", "function_calls", "tool_calls"),
    "dots_function_call",
)
INVOKE = tuple(
    replace(_invoke(prefix), begin=_tags(*_WRAPPERS), end=_ends(*_WRAPPERS), fenced=True)
    for prefix in ("", _PREFIX)
)
# `<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">…`: DeepSeek V3.2 and V4; with
# double bars and a blank: V4.1; with GCML: GigaChat 3.5. vLLM `deepseekv32_tool_parser.py`, SGLang
# `deepseekv32_detector.py`.
_BARS = ("｜｜", "||", "｜", "|")
_DSML = (*(f"{bars}DSML{bars}{blank}" for bars in _BARS for blank in ("", " ")), "｜GCML｜")
DEEPSEEK_V32 = replace(
    _invoke("{dsml}"),
    name="deepseek_v32",
    marks={
        "quote": ('"', "'"),
        "dsml": _DSML,
        "wrapper": ("function_calls", "tool_calls", "calls"),
    },
    begin=("<{dsml}{wrapper}>",),
    end=("</{dsml}{wrapper}>",),
)
# `<steptml:invoke name="f">` among `<｜tool_call_begin｜>function<｜tool_sep｜>`, of which a
# gateway leaves the word "function": Step-3. vLLM `step3_tool_parser.py`, SGLang
# `step3_detector.py`.
STEP3 = replace(
    _invoke("steptml:"),
    name="step3",
    marks={
        "quote": ('"', "'"),
        "mark": ("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>", "<｜tool_sep｜>"),
        "function": ("function",),
        "close": ("<｜tool_call_end｜>",),
    },
    begin=("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>"),
    noise=("{mark}{word}", "function"),
    call=("{function?}<steptml:invoke name={quote}{name}{quote}{space}>",),
    call_end="</steptml:invoke>{space}{close?}",
    end=("<｜tool_calls_end｜>",),
    within_line=WithinLine.APART,
)
# `<|start|>assistant to=f<|message|><atem:function_calls><atem:invoke name="f">…`, and messages to
# itself and to the person: Muse Glimmer. SGLang `muse_glimmer_detector.py`.
_MESSAGE = "<|start|>assistant to="
MUSE_GLIMMER = replace(
    _invoke("atem:"),
    name="muse glimmer",
    marks={"quote": ('"', "'"), "end": ("<|eot|>", "<|eom|>")},
    begin=(f"{_MESSAGE}{{word}}<|message|>{{space}}<atem:function_calls>", "<atem:function_calls>"),
    end=("</atem:function_calls>{space}{end?}",),
    thinking=(f"{_MESSAGE}self<|message|>", "<|eom|>"),
    hidden=(f"{_MESSAGE}user<|message|>", "<|eot|>"),
)
# `<tool_use><name>f</name><arguments>{…}</arguments></tool_use>` and the same with other words:
# clients that ask for tools in the prompt, Claude 2 and what was trained on it (there each argument
# has a tag of its own). Anthropic's old guide to tools in XML; the prompts of Cherry Studio.
_NAMED_CALLS = ("invoke", "tool_use", "tool_call", "function_call")
_NAMED_NAMES = ("tool_name", "name", "tool", "function")
_NAMED_ARGUMENTS = ("parameters", "arguments", "params", "args", "input")
NAMED_TAGS = Declaration(
    name="named_tags",
    marks={
        "call": _tags(*_NAMED_CALLS),
        "call_end": _ends(*_NAMED_CALLS),
        "name_begin": _tags(*_NAMED_NAMES),
        "name_end": _ends(*_NAMED_NAMES),
        "arguments": _tags(*_NAMED_ARGUMENTS),
        "arguments_end": _ends(*_NAMED_ARGUMENTS),
    },
    begin=_tags("function_calls", "tool_calls", "tool_uses"),
    call=("{call}{space}{name_begin}{space}{name}{space}{name_end}{space}{arguments?}",),
    argument=("<{key}>{value}</{key}>",),
    body="{json}",
    call_end="{arguments_end?}{space}{call_end}",
    end=_ends("function_calls", "tool_calls", "tool_uses"),
    fenced=True,
)


# XTML channels: `<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>` with
# `<|open|>argument key="a" type="number"<|sep|>1<|close|>argument<|sep|>` or one block of JSON, and
# channels around thinking and answer: Kimi K3. Moonshot's `encoding_k3.py`; TensorRT-LLM and SGLang
# `kimi_k3` parsers. Values of the type string stand as they are, others are JSON; only attributes
# are written with entities.


def _opened(channel: str) -> str:
    return f"<|open|>{channel}<|sep|>"


def _closed(channel: str) -> str:
    return f"<|close|>{channel}<|sep|>"


KIMI_K3 = Declaration(
    name="kimi_k3",
    begin=(_opened("tools"),),
    end=(_closed("tools"),),
    call=('<|open|>call tool="{name}"{any}<|sep|>',),
    call_end=_closed("call"),
    argument=('<|open|>argument key="{key}"{type}<|sep|>{value}<|close|>argument<|sep|>',),
    body="<|open|>json{any}<|sep|>{json}<|close|>json<|sep|>",
    thinking=(_opened("think"), _closed("think")),
    hidden=(
        *(_opened("response"), _closed("response"), _opened("message"), _closed("message")),
        *(_closed("tools"), _closed("think"), "<|end_of_msg|>"),
    ),
    escaped=True,
)

# A name and JSON between marks

# `<｜tool▁call▁begin｜>function<｜tool▁sep｜>f` with the arguments in a JSON fence: DeepSeek V3
# and R1, the distilled ones with slips in the first marks;
# `<｜tool▁call▁begin｜>f<｜tool▁sep｜>{…}`: V3.1 and V3.2-Exp; and what is left when a gateway
# strips the marks. vLLM `deepseekv3_tool_parser.py`, `deepseekv31_tool_parser.py`, llama.cpp
# `common/chat.cpp`.


def _deepseek(words: str) -> tuple[str, ...]:
    """`<｜words▁with▁blanks｜>` and how the distilled ones and gateways write it."""
    bars, blanks = ("｜", "|"), ("▁", "_", " ", "\\_")
    return tuple(f"<{bar}{words.replace(' ', one)}{bar}>" for bar in bars for one in blanks)


_DEEPSEEK_MARKS = {
    "begin": (*_deepseek("tool calls begin"), *_deepseek("tool calls")),
    "call": _deepseek("tool call begin"),
    "call_end": _deepseek("tool call end"),
    "separator": _deepseek("tool sep"),
    "end": _deepseek("tool calls end"),
    "fence": ("```json", "```"),
    "fence_end": ("```",),
}
_FENCED = "function{separator}{name}\n{space}{fence?}{space}{json}{space}{fence_end?}"
DEEPSEEK_V3 = Declaration(
    name="deepseek_v3",
    marks=_DEEPSEEK_MARKS,
    begin=("{begin}",),
    call=("{call}{space}" + _FENCED, _FENCED + "{space}{call_end}"),
    call_end="{call_end}",
    end=("{end}",),
)
DEEPSEEK_V31 = Declaration(
    name="deepseek_v31",
    marks=_DEEPSEEK_MARKS,
    begin=("{begin}",),
    call=("{call}{space}{name}{space}{separator}{json}",),
    call_end="{call_end}",
    end=("{end}",),
)
DEEPSEEK_V3_STRIPPED = Declaration(
    name="deepseek_v3 stripped",
    call=("function{tool}{space}```json{json}",),
    call_end="```",
    within_line=WithinLine.APART,
    weak=True,
)
# `<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`: Kimi K2, and
# `functions.f:0{…}`, which a gateway leaves of it. Moonshot's `tool_call_guidance.md`; vLLM
# `kimi_k2_tool_parser.py`, SGLang `kimik2_detector.py`.
KIMI_K2 = Declaration(
    name="kimi_k2",
    begin=("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
    call=("<|tool_call_begin|>{space}{name}{space}<|tool_call_argument_begin|>{json}",),
    call_end="<|tool_call_end|>",
    end=("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
)
KIMI_K2_STRIPPED = Declaration(
    name="kimi_k2 stripped",
    call=("functions.{tool}:{number}{space}{json}",),
    within_line=WithinLine.APART,
)
# `[TOOL_CALLS] [{"name": …, "arguments": {…}}]` of the older ones, `[TOOL_CALLS]f[ARGS]{…}` with or
# without `[CALL_ID]…` of the newer, also `f[ARGS]{…}` alone: Mistral; xLAM writes the first. What
# stands before a list means nothing. vLLM `mistral_tool_parser.py`, llama.cpp (Magistral).
MISTRAL = Declaration(
    name="mistral",
    marks={"args": ("[ARGS]",)},
    call=(
        "[TOOL_CALLS]{calls}",
        "[TOOL_CALLS]{space}{name}[CALL_ID]{any}[ARGS]{json}",
        "[TOOL_CALLS]{space}{name}{args?}{space}{json}",
        "[TOOL_CALLS]{space}{any}{calls}",
    ),
)
MISTRAL_STRIPPED = Declaration(
    name="mistral stripped",
    call=("{tool}[ARGS]{json}",),
    within_line=WithinLine.AFTER_SENTENCE,
)
# Names and JSON between `<|plamo:begin_…:plamo|>` and `<|plamo:end_…:plamo|>`: PLaMo 3. vLLM
# `plamo3_tool_parser.py`.
PLAMO_3 = Declaration(
    name="plamo 3",
    begin=("<|plamo:begin_tool_requests:plamo|>",),
    call=(
        "<|plamo:begin_tool_request:plamo|>{space}<|plamo:begin_tool_name:plamo|>{name}"
        "<|plamo:end_tool_name:plamo|>{space}<|plamo:begin_tool_arguments:plamo|>{space}"
        "<|plamo:constrain|>json<|plamo:msg|>{json}<|plamo:end_tool_arguments:plamo|>",
    ),
    call_end="<|plamo:end_tool_request:plamo|>",
    end=("<|plamo:end_tool_requests:plamo|>",),
    thinking=("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    hidden=("<|plamo:tag|>",),
)
# `>>>f` with JSON on the next line, and `>>>all` before words: Functionary 3.2;
# `<|recipient|>f\n<|content|>{…}`: 2. MeetKai's chat templates.
FUNCTIONARY = Declaration(name="functionary", call=(">>>{tool}{space}{json}",))
FUNCTIONARY_ALL = Declaration(name="functionary all", hidden=(">>>all\n",), line_start=True)
FUNCTIONARY_2 = Declaration(
    name="functionary 2",
    marks={"from": ("<|from|>assistant",)},
    hidden=("{from?}{space}<|recipient|>all{space}<|content|>",),
    call=("{from?}{space}<|recipient|>{name}{space}<|content|>{json}",),
    call_end="<|stop|>",
)
# `✿FUNCTION✿: f` and `✿ARGS✿: {…}`: Qwen's models, by the prompt of Qwen-Agent
# (`qwen_fncall_prompt.py`).
QWEN_AGENT = Declaration(
    name="qwen_agent",
    marks={"colon": (":", "：")},
    call=("✿FUNCTION✿{space}{colon?}{name}{space}✿ARGS✿{space}{colon?}{space}{json}",),
    call_end="✿RESULT✿",
    hidden=("✿RETURN✿{colon?}",),
)

# Calls as Python writes them

# `<function_calls>` around calls, one a line: Olmo 3. vLLM `olmo3_tool_parser.py`.
OLMO3 = Declaration(
    name="olmo3",
    begin=("<function_calls>",),
    needs_begin=True,
    call=("{python}",),
    end=("</function_calls>",),
)
# `<|python_tag|>` before JSON, before `f.call(a=1)` or before a list of calls, which may stand
# between `<|python_start|>` and `<|python_end|>` too: Llama 3.1 to 4. Meta's prompt formats; vLLM
# `llama_tool_parser.py`, `llama4_pythonic_tool_parser.py`.
LLAMA = Declaration(
    name="llama",
    begin=("<|python_tag|>", "<|python_start|>"),
    needs_begin=True,
    call=("{calls}", "{python}"),
    end=("<|python_end|>",),
)
# `<|tool_call_start|>[f(a=1)]<|tool_call_end|>`: LFM2, which may write JSON there too. vLLM
# `lfm2_tool_parser.py`, SGLang `lfm2_detector.py`.
LFM2 = Declaration(
    name="lfm2",
    begin=("<|tool_call_start|>",),
    needs_begin=True,
    call=("{calls}", "{python}"),
    end=("<|tool_call_end|>",),
)
# A fence or a tag named `tool_code`, or a bare line of that name: Gemma 3 and Gemini. Google's
# guide to function calling with Gemma.
TOOL_CODE = tuple(
    Declaration(
        name="tool_code",
        begin=(begin,),
        needs_begin=True,
        call=("{python}",),
        end=end,
        line_start=True,
        weak=True,
    )
    for begin, end in (
        ("```tool_code", ("```",)),
        ("<tool_code>", ("</tool_code>",)),
        ("tool_code\n", ()),
    )
)
# `[f(a=1), g(b='x')]`, bare: Llama 3.2 and 4, ToolACE, and what others' marks are stripped to. vLLM
# `pythonic_tool_parser.py`.
BARE_PYTHON = Declaration(name="pythonic", call=("{python}",), weak=True)


# Objects without quotation marks

# `<start_function_call>call:f{a:<escape>text<escape>}<end_function_call>`: FunctionGemma;
# `<|tool_call>call:f{a:<|"|>text<|"|>}<tool_call|>`: Gemma 4; `call:f{a:text}`, which a gateway
# leaves of both. vLLM `functiongemma_tool_parser.py`, `gemma4_tool_parser.py`.
GEMMA = Declaration(
    name="gemma",
    marks={
        "end": ("<end_function_call>", "<tool_call|>"),
        "result": ("<start_function_response>", "<|tool_response>"),
    },
    begin=("<start_function_call>", "<|tool_call>"),
    needs_begin=True,
    noise=(",", ";"),
    call=("call:{name}{object}",),
    end=("{end}{space}{result?}",),
)
GEMMA_STRIPPED = Declaration(
    name="gemma stripped",
    call=("call:{tool}{object}",),
    within_line=WithinLine.APART,
    weak=True,
)

# What any model may write

# `{"name": …, "arguments": {…}}`, `{"tool_calls": […]}` and lists of them, bare: Llama 3, xLAM, and
# what the marks of many others are stripped to. vLLM `llama_tool_parser.py`, `xlam_tool_parser.py`.
BARE_JSON = Declaration(name="bare_json", call=("{calls}",), weak=True, fenced=True)
_JSON_TAGS = ("tools", "tool", "function", "response", "json", "JSON")
TAGGED_JSON = replace(_json_in_tags("tagged_json", *_JSON_TAGS), line_start=True, weak=True)
# The same in tags that are only read in a code fence.
_FENCED_TAGS = (
    *("tool_call", "function_call", "tool_calls", "function_calls", "tools", "tool", "function"),
)
FENCED_TAGS = replace(_json_in_tags("fenced tags", *_FENCED_TAGS), weak=True, fenced=True)
# `Action:` and a JSON fence: Command R+, and models that LangChain asks for one; `**Tool Call:**`:
# RWKV. vLLM `rwkv_tool_parser.py`.
COMMAND_R_FENCE = Declaration(
    name="command_r fence",
    marks={"head": ("Action:", "**Tool Call:**"), "fence": ("```json", "```")},
    call=("{head}{space}{fence}{calls}",),
    call_end="```",
    weak=True,
)
# `Action: f` and `Action Input: {…}`, in a reply that may begin with `Thought:`: ReAct. Yao et al.
# 2022; LangChain's and Qwen's prompts for it.
REACT = Declaration(
    name="react",
    marks={
        "action": ("Action:", "Action：", "**Action:**"),
        "input_mark": ("Action Input:", "Action Input：", "**Action Input:**"),
        "result": ("Observation:", "Observation："),
    },
    call=("{action}{name}\n{space}{input_mark}{space}{input}",),
    call_end="{result?}",
    line_start=True,
    weak=True,
)
# `f{…}` and a line `f` with JSON after it: Functionary 3.2 without its `>>>`, and what the marks of
# Mistral and DeepSeek V3.1 are stripped to; `f:0{…}`, of Kimi K2's. Within a line only at once.
BARE_NAME = tuple(
    Declaration(
        name="bare_name", marks={"colon": (":",)}, call=(call,), within_line=within, weak=True
    )
    for call, within in (
        ("{tool}{colon?}{number}{json}", WithinLine.AFTER_SENTENCE),
        ("{tool}{colon?}{number}{space}{json}", WithinLine.NEVER),
    )
)

_MARKED = (
    *(
        HERMES,
        QWEN3_CODER,
        GLM,
        GLM_JSON,
        GLM_STRIPPED,
        HUNYUAN,
        *HUNYUAN_PAIRS,
        *INVOKE,
        NAMED_TAGS,
        OLMO3,
    ),
    *(DEEPSEEK_V3, DEEPSEEK_V31, DEEPSEEK_V32, STEP3, KIMI_K2, KIMI_K2_STRIPPED, KIMI_K3),
    *(MISTRAL, MISTRAL_STRIPPED, LLAMA, LFM2, APERTUS, GRANITE, PHI4, INTERNLM, COMMAND_R),
    *(MUSE_GLIMMER, GIGACHAT, INKLING, K2_HORIZON, SOLAR_OPEN_2, PLAMO_3),
    *(SEED_OSS, FUNCTIONARY, FUNCTIONARY_ALL, FUNCTIONARY_2, GEMMA),
)
_PLAIN = (
    *(TAGGED_JSON, QWEN_AGENT, BARE_JSON, BARE_PYTHON, REACT),
    *(DEEPSEEK_V3_STRIPPED, GEMMA_STRIPPED, *BARE_NAME),
)


def _families(*declarations: Declaration) -> tuple[Family, ...]:
    return tuple(family for one in declarations for family in families_of(one))


FAMILIES: tuple[Family, ...] = (
    *_families(*THINKING),
    own_blocks.FAMILY,
    *_families(*_MARKED),
    minimax_m3.FAMILY,
    *harmony.FAMILIES,
    *_families(*TOOL_CODE, COMMAND_R_FENCE),
    fence_of((*_MARKED, FENCED_TAGS, BARE_JSON)),
    *_families(*_PLAIN),
)
