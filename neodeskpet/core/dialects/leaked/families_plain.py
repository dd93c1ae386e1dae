"""The forms of leaked calls in Python syntax, as objects without quotation marks, and forms that
any model may write; one declaration for each.
"""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.dialects.leaked.declaration import (
    Declaration,
    WithinLine,
    json_in_tags,
)

# Calls in Python syntax

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

# Forms that any model may write

# `{"name": …, "arguments": {…}}`, `{"tool_calls": […]}` and lists of them, bare: Llama 3, xLAM, and
# what the marks of many others are stripped to. vLLM `llama_tool_parser.py`, `xlam_tool_parser.py`.
BARE_JSON = Declaration(name="bare_json", call=("{calls}",), weak=True, fenced=True)
_JSON_TAGS = ("tools", "tool", "function", "response", "json", "JSON")
TAGGED_JSON = replace(json_in_tags("tagged_json", *_JSON_TAGS), line_start=True, weak=True)
# The same in tags that are only read in a code fence.
_FENCED_TAGS = (
    "tool_call",
    "function_call",
    "tool_calls",
    "function_calls",
    "tools",
    "tool",
    "function",
)
FENCED_TAGS = replace(json_in_tags("fenced tags", *_FENCED_TAGS), weak=True, fenced=True)
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
