"""The forms of leaked calls with a tag for each argument, one declaration for each model family."""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.dialects.leaked.declaration import (
    Declaration,
    WithinLine,
    end_tags,
    start_tags,
)

# A tag for each argument

_PARAMETER_END = ("\n</parameter>", "</parameter>")

# `<tool_call><function=f><parameter=a>1</parameter></function></tool_call>`: Qwen3-Coder, Nemotron
# 3, Step 3.5, MiMo; MiniCPM 5 writes `<param name="a">`. Without the outer tags, which gateways
# strip; with one JSON object, as Llama and Functionary 3.1 write it. A line break beside a value is
# not part of it. vLLM `qwen3coder_tool_parser.py`, SGLang `qwen3_coder_detector.py`.
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
    marks={"begin": start_tags(*_GLM_TAGS), "end": end_tags(*_GLM_TAGS)},
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
    """Declare `<invoke name="f"><parameter name="a">1</parameter></invoke>`, with `prefix` before
    the words.
    """
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
    "minimax:tool_call",
    f"{_PREFIX}function_calls",
    "function_calls",
    "tool_calls",
    "dots_function_call",
)
INVOKE = tuple(
    replace(_invoke(prefix), begin=start_tags(*_WRAPPERS), end=end_tags(*_WRAPPERS), fenced=True)
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
# itself and to the user: Muse Glimmer. SGLang `muse_glimmer_detector.py`.
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
        "call": start_tags(*_NAMED_CALLS),
        "call_end": end_tags(*_NAMED_CALLS),
        "name_begin": start_tags(*_NAMED_NAMES),
        "name_end": end_tags(*_NAMED_NAMES),
        "arguments": start_tags(*_NAMED_ARGUMENTS),
        "arguments_end": end_tags(*_NAMED_ARGUMENTS),
    },
    begin=start_tags("function_calls", "tool_calls", "tool_uses"),
    call=("{call}{space}{name_begin}{space}{name}{space}{name_end}{space}{arguments?}",),
    argument=("<{key}>{value}</{key}>",),
    body="{json}",
    call_end="{arguments_end?}{space}{call_end}",
    end=end_tags("function_calls", "tool_calls", "tool_uses"),
    fenced=True,
)


# XTML channels: `<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>` with
# `<|open|>argument key="a" type="number"<|sep|>1<|close|>argument<|sep|>` or one block of JSON, and
# channels around thinking and answer: Kimi K3. Moonshot's `encoding_k3.py`; TensorRT-LLM and SGLang
# `kimi_k3` parsers. Values of the type string are literal, others are JSON; only attributes
# contain entities.


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
        _opened("response"),
        _closed("response"),
        _opened("message"),
        _closed("message"),
        _closed("tools"),
        _closed("think"),
        "<|end_of_msg|>",
    ),
    escaped=True,
)
