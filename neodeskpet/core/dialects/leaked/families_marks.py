"""The forms of leaked calls with JSON between tags or special tokens, and of leaked thinking, one
declaration for each model family.
"""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.dialects.leaked.declaration import (
    Declaration,
    WithinLine,
    json_behind,
    json_in_tags,
)

# Thinking that no decoder separated: it contains no calls. Chat templates of DeepSeek R1, Qwen 3,
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


# `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen 2.5 and 3, ERNIE 4.5, Granite
# 4, LongCat, Nemotron, xLAM; `<functioncall>` of Glaive. NousResearch's chat templates; vLLM
# `hermes_tool_parser.py`, `ernie45_tool_parser.py`, SGLang `qwen25_detector.py`.
_HERMES_TAGS = (
    "tool_call",
    "longcat_tool_call",
    "TOOLCALL",
    "functioncall",
    "dots_function_call",
)
HERMES = replace(json_in_tags("hermes", *_HERMES_TAGS), fenced=True)
# `<tool_calls>[{"name": …}]</tool_calls>`: Hunyuan A13B, Jamba, MiniMax M1. vLLM
# `hunyuan_a13b_tool_parser.py`, `jamba_tool_parser.py`, `minimax_tool_parser.py`.
HUNYUAN = replace(json_in_tags("hunyuan", "tool_calls"), fenced=True)
# `<|tools_prefix|>[{"f": {"a": 1}}]<|tools_suffix|>`: Apertus. vLLM `apertus_tool_parser.py`.
APERTUS = json_behind("apertus", ("<|tools_prefix|>",), ("<|tools_suffix|>",))
# `<|tool_call|>[{"name": …}]` of Granite 3 and Phi-4-mini, `<function_call> {…}` of Granite 20B.
# vLLM `granite_tool_parser.py`, `granite_20b_fc_tool_parser.py`.
GRANITE = json_behind(
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
    json_behind("command_r", ("<|START_ACTION|>",), ("<|END_ACTION|>",)),
    thinking=("<|START_THINKING|>", "<|END_THINKING|>"),
    hidden=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
)

# `<|message_sep|>function call<|role_sep|>{…}` of GigaChat 3, `<|function_call|>{…}` of 3.1. vLLM
# `gigachat3_tool_parser.py`.
GIGACHAT = json_behind(
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

# A name and JSON between marks

# `<｜tool▁call▁begin｜>function<｜tool▁sep｜>f` with the arguments in a JSON fence: DeepSeek V3
# and R1, the distilled ones with slips in the first marks;
# `<｜tool▁call▁begin｜>f<｜tool▁sep｜>{…}`: V3.1 and V3.2-Exp; also without the marks, if a gateway
# strips them. vLLM `deepseekv3_tool_parser.py`, `deepseekv31_tool_parser.py`, llama.cpp
# `common/chat.cpp`.


def _deepseek(words: str) -> tuple[str, ...]:
    """Return `<｜words▁with▁blanks｜>` and its spellings by distilled models and gateways."""
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
# `functions.f:0{…}`, its rest behind a gateway. Moonshot's `tool_call_guidance.md`; vLLM
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
# without `[CALL_ID]…` of the newer, also `f[ARGS]{…}` alone: Mistral; xLAM writes the first. Text
# before a list is ignored. vLLM `mistral_tool_parser.py`, llama.cpp (Magistral).
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
