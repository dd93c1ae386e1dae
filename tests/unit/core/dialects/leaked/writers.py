"""Writes calls as models do, in every form: `WRITERS[form](calls)`.

The forms are those of the chat templates, and what gateways leave of them. Forms without quotes
around their values can't hold every text (see `test_written.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

Called = tuple[str, Mapping[str, object]]
Writer = Callable[[Sequence[Called]], str]


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raw(value: object) -> str:
    """The value as tags hold it: a text is unchanged."""
    return value if isinstance(value, str) else _json(value)


def _object(call: Called, arguments: str = "arguments", *, indent: int | None = None) -> str:
    return _json({"name": call[0], arguments: call[1]}, indent)


def _list(calls: Sequence[Called], name: str = "name", arguments: str = "arguments") -> str:
    return _json([{name: one, arguments: given} for one, given in calls])


def _python(call: Called, value: Callable[[object], str] = repr) -> str:
    return f"{call[0]}({', '.join(f'{key}={value(one)}' for key, one in call[1].items())})"


def _quoted(value: object) -> str:
    """The value in Python's syntax, with texts in double quotes."""
    return _json(value) if isinstance(value, str) else repr(value)


def _gemma(value: object, quote: str) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_gemma(one, quote)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_gemma(one, quote) for one in value) + "]"
    return f"{quote}{value}{quote}" if isinstance(value, str) else _json(value)


_HOLE = re.compile(r"%(NAME|ARGS|OBJECT|CALL|N)")


def _each(pattern: str, between: str = "\n") -> Writer:
    """Fill `pattern` for each call: %NAME, its JSON as %ARGS, both as %OBJECT, in Python as %CALL,
    and its number as %N.
    """

    def one(at: int, call: Called) -> str:
        holes = {"NAME": call[0], "ARGS": _json(call[1]), "OBJECT": _object(call)}
        holes |= {"CALL": _python(call), "N": str(at)}
        return _HOLE.sub(lambda hole: holes[hole[1]], pattern)

    return lambda calls: between.join(one(at, call) for at, call in enumerate(calls))


def _around(begin: str, each: Writer, end: str) -> Writer:
    return lambda calls: begin + each(calls) + end


def _pairs(begin: str, pair: str, end: str, between: str = "\n") -> Writer:
    """Write the calls as tags: %NAME in `begin`, KEY and VALUE in `pair`."""

    def write(calls: Sequence[Called]) -> str:
        return between.join(
            begin.replace("%NAME", name)
            + "".join(
                pair.replace("KEY", key).replace("VALUE", _raw(value))
                for key, value in given.items()
            )
            + end
            for name, given in calls
        )

    return write


def _dsml(mark: str, wrapper: str = "function_calls") -> Writer:
    def write(calls: Sequence[Called]) -> str:
        lines = [f"<{mark}{wrapper}>"]
        for name, given in calls:
            lines.append(f'<{mark}invoke name="{name}">')
            for key, value in given.items():
                text = str(isinstance(value, str)).lower()
                lines.append(
                    f'<{mark}parameter name="{key}" string="{text}">{_raw(value)}</{mark}parameter>'
                )
            lines.append(f"</{mark}invoke>")
        return "\n".join([*lines, f"</{mark}{wrapper}>"])

    return write


_QWEN = ("<function=%NAME>\n", "<parameter=KEY>\nVALUE\n</parameter>\n", "</function>")
_SEED = ("<function=%NAME>\n", "<parameter=KEY>VALUE</parameter>\n", "</function>")
_INVOKE = ('<invoke name="%NAME">\n', '<parameter name="KEY">VALUE</parameter>\n', "</invoke>")
_GLM = ("<tool_call>%NAME\n", "<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n")
_STEP = (
    '<steptml:invoke name="%NAME">',
    '<steptml:parameter name="KEY">VALUE</steptml:parameter>',
    "</steptml:invoke>",
)
_MARK = '<|"|>'
_V3 = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>%NAME\n```json\n%ARGS\n```<｜tool▁call▁end｜>"
_V31 = "<｜tool▁call▁begin｜>%NAME<｜tool▁sep｜>%ARGS<｜tool▁call▁end｜>"
_KIMI = "<|tool_call_begin|>functions.%NAME:%N<|tool_call_argument_begin|>%ARGS<|tool_call_end|>"
_CHANNEL = "<|channel|>commentary to=functions.%NAME <|constrain|>json<|message|>%ARGS<|call|>"

WRITERS: dict[str, Writer] = {
    "hermes": _each("<tool_call>\n%OBJECT\n</tool_call>"),
    "hermes, glued": _each("<tool_call>%OBJECT</tool_call>", ""),
    "hermes without ends": _each("<tool_call>\n%OBJECT"),
    "hermes, a list": lambda calls: f"<tool_call>{_list(calls)}</tool_call>",
    "hermes, encoded twice": lambda calls: "\n".join(
        f"<tool_call>{_json({'name': name, 'arguments': _json(given)})}</tool_call>"
        for name, given in calls
    ),
    "longcat": _each("<longcat_tool_call>%OBJECT</longcat_tool_call>"),
    "nemotron": lambda calls: f"<TOOLCALL>{_list(calls)}</TOOLCALL>",
    "functioncall": _each("<functioncall> %OBJECT"),
    "qwen3_coder": _pairs("<tool_call>\n" + _QWEN[0], _QWEN[1], _QWEN[2] + "\n</tool_call>"),
    "qwen3_coder stripped": _pairs(*_QWEN),
    "function, JSON": _each("<function=%NAME>%ARGS</function>"),
    "function, named": _each('<function name="%NAME">\n%ARGS\n</function>'),
    "function, named parameters": _pairs('<function name="%NAME">\n', _INVOKE[1], "</function>"),
    "seed_oss": _around("<seed:tool_call>\n", _pairs(*_SEED), "\n</seed:tool_call>"),
    "deepseek_v3": _around("<｜tool▁calls▁begin｜>", _each(_V3), "<｜tool▁calls▁end｜>"),
    "deepseek_v3, other marks": lambda calls: (
        WRITERS["deepseek_v3"](calls).replace("｜", "|").replace("▁", "_")
    ),
    "deepseek_v3 stripped": _each("function%NAME\n```json\n%ARGS\n```"),
    "deepseek_v31": _around("<｜tool▁calls▁begin｜>", _each(_V31, ""), "<｜tool▁calls▁end｜>"),
    "deepseek_v31, bare": _each(_V31),
    "deepseek_v31 stripped": _each("%NAME%ARGS", ""),
    "deepseek_v32": _dsml("｜DSML｜"),
    "deepseek_v32, other marks": _dsml("|DSML|", "tool_calls"),
    "deepseek_v32 stripped": _dsml(""),
    "invoke": _around("<function_calls>\n", _pairs(*_INVOKE), "\n</function_calls>"),
    "invoke, bare": _pairs(*_INVOKE),
    "minimax_m2": _around("<minimax:tool_call>\n", _pairs(*_INVOKE), "\n</minimax:tool_call>"),
    "minimax_m1": _around("<tool_calls>\n", _each("%OBJECT"), "\n</tool_calls>"),
    "claude 2": _pairs(
        "<invoke>\n<tool_name>%NAME</tool_name>\n<parameters>\n",
        "<KEY>VALUE</KEY>\n",
        "</parameters>\n</invoke>",
    ),
    "tool_use": _each("<tool_use>\n<name>%NAME</name>\n<arguments>%ARGS</arguments>\n</tool_use>"),
    "kimi_k2": _around(
        "<|tool_calls_section_begin|>", _each(_KIMI, ""), "<|tool_calls_section_end|>"
    ),
    "kimi_k2, spaced": _each(_KIMI.replace("<", " <").replace(">", "> ").strip()),
    "kimi_k2 stripped": _each("functions.%NAME:%N%ARGS", ""),
    "kimi_k2 stripped, no prefix": _each("%NAME:%N %ARGS"),
    "glm 4.5": _pairs(*_GLM, "</tool_call>"),
    "glm 4.7": _pairs(
        "<tool_call>%NAME",
        "<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>",
        "</tool_call>",
        "",
    ),
    "mistral, old": lambda calls: f"[TOOL_CALLS] {_list(calls)}",
    "mistral, new": _each("[TOOL_CALLS]%NAME[ARGS]%ARGS", ""),
    "mistral, new, ids": _each("[TOOL_CALLS]%NAME[CALL_ID]00000000%N[ARGS]%ARGS", ""),
    "mistral without ARGS": _each("[TOOL_CALLS]%NAME%ARGS", ""),
    "mistral, one mark": _around("[TOOL_CALLS]", _each("%NAME[ARGS]%ARGS", ""), ""),
    "llama, JSON": lambda calls: "; ".join(_object(call, "parameters") for call in calls),
    "llama, typed": _each('{"type": "function", "name": "%NAME", "parameters": %ARGS}'),
    "llama, its mark": _each("<|python_tag|>%OBJECT"),
    "llama, own tools": lambda calls: "\n".join(
        f"<|python_tag|>{_python((f'{name}.call', given), _quoted)}" for name, given in calls
    ),
    "llama 4": _around("<|python_start|>[", _each("%CALL", ", "), "]<|python_end|>"),
    "pythonic": _around("[", _each("%CALL", ", "), "]"),
    "lfm2": _around("<|tool_call_start|>[", _each("%CALL", ", "), "]<|tool_call_end|>"),
    "lfm2, JSON": lambda calls: f"<|tool_call_start|>{_list(calls)}<|tool_call_end|>",
    "olmo3": _around("<function_calls>\n", _each("%CALL"), "\n</function_calls>"),
    "functionary": _each(">>>%NAME\n%ARGS", ""),
    "functionary 2": _each("<|from|>assistant\n<|recipient|>%NAME\n<|content|>%ARGS"),
    "functionary stripped": _each("%NAME\n%ARGS"),
    "harmony": _each(_CHANNEL, "<|start|>assistant"),
    "harmony, the tool first": _each(
        "<|start|>assistant to=functions.%NAME<|channel|>commentary json<|message|>%ARGS<|call|>",
        "",
    ),
    "harmony stripped": _each("assistantcommentary to=functions.%NAME json%ARGS", ""),
    "harmony stripped, the tool first": _each(
        "assistant to=functions.%NAMEcommentary json%ARGS", ""
    ),
    "granite": lambda calls: f"<|tool_call|>{_list(calls)}",
    "granite, no end": lambda calls: f"<tool_call>{_list(calls)}",
    "granite 20b": _each("<function_call> %OBJECT"),
    "phi4": lambda calls: f"functools{_list(calls)}",
    "internlm": _each("<|action_start|><|plugin|>\n%OBJECT<|action_end|>"),
    "internlm, half a mark": _each("<|plugin|>%OBJECT<|action_end|>"),
    "hunyuan": lambda calls: f"<tool_calls>{_list(calls)}</tool_calls>",
    "hunyuan, pairs": _around(
        "<tool_calls>\n",
        _pairs("<tool_call>%NAME<tool_sep>\n", _GLM[1], "</tool_call>"),
        "\n</tool_calls>",
    ),
    "step3": _around(
        "<｜tool_calls_begin｜>",
        _pairs(
            "<｜tool_call_begin｜>function<｜tool_sep｜>" + _STEP[0],
            _STEP[1],
            _STEP[2] + "<｜tool_call_end｜>",
            "<｜tool_sep｜>",
        ),
        "<｜tool_calls_end｜>",
    ),
    "step3 stripped": _pairs("function" + _STEP[0], *_STEP[1:], ""),
    "xlam": lambda calls: _list(calls),
    "tool_calls": lambda calls: _json(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": one, "arguments": _json(given)},
                }
                for one, given in calls
            ],
        }
    ),
    "fenced JSON": _each("```json\n%OBJECT\n```"),
    "fenced tags": _around("```xml\n", _each("<tool_call>\n%OBJECT\n</tool_call>"), "\n```"),
    "tagged JSON": _each("<tools>\n%OBJECT\n</tools>"),
    "functiongemma": lambda calls: "".join(
        f"<start_function_call>call:{name}{_gemma(given, '<escape>')}<end_function_call>"
        for name, given in calls
    ),
    "gemma 4": lambda calls: "".join(
        f"<|tool_call>call:{name}{_gemma(given, _MARK)}<tool_call|>" for name, given in calls
    ),
    "tool_code": _around("```tool_code\n", _each("print(default_api.%CALL)"), "\n```"),
    "tool_code, a tag": _around("<tool_code>\n", _each("print(%CALL)"), "\n</tool_code>"),
    "tool_code, bare": _around("tool_code\n", _each("print(default_api.%CALL)"), "\n"),
    "command_r": lambda calls: (
        f"<|START_ACTION|>{_list(calls, 'tool_name', 'parameters')}<|END_ACTION|>"
    ),
    "command_r+": lambda calls: f"Action: ```json\n{_list(calls, 'tool_name', 'parameters')}\n```",
    "apertus": lambda calls: (
        f"<|tools_prefix|>{_json([{name: given} for name, given in calls])}<|tools_suffix|>"
    ),
    "react": _each("Action: %NAME\nAction Input: %ARGS"),
    "react, fenced": _each('Action:\n```\n{"action": "%NAME", "action_input": %ARGS}\n```'),
    "qwen_agent": _each("✿FUNCTION✿: %NAME\n✿ARGS✿: %ARGS"),
    "our own": _each(
        "<<<[TOOL_REQUEST]>>>\ntool_name:「始」%NAME「末」\ninput_json:「始」%ARGS「末」\n"
        "<<<[END_TOOL_REQUEST]>>>"
    ),
}
