"""Facts about models, found by name (the defaults where a configuration says nothing), and the
parameters that set the thinking effort. The facts are published by the makers. The first matching
pattern applies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal


class ThinkingForm(StrEnum):
    """The parameter that controls thinking on an OpenAI-compatible endpoint. On the protocols of
    Anthropic and Gemini anything but NONE means that thinking can be controlled.
    """

    NONE = "none"
    EFFORT = "effort"
    """`reasoning_effort`"""
    SWITCH = "switch"
    """`enable_thinking` and `thinking_budget` (Qwen)"""
    TYPE = "type"
    """`thinking: {type: enabled}` (GLM, Doubao, DeepSeek, Kimi)"""
    ALWAYS = "always"
    """Always thinks; there is no parameter."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What is known of a model. `context` and `max_output` in tokens, None if unknown. An unknown
    model is assumed to call tools (if it can't, the service reports that) and not to see pictures
    (they are described to it).
    """

    tools: bool = True
    vision: bool = False
    thinking: ThinkingForm = ThinkingForm.NONE
    context: int | None = None
    max_output: int | None = None
    embedding: bool = False


_E, _S, _T, _A = (
    ThinkingForm.EFFORT,
    ThinkingForm.SWITCH,
    ThinkingForm.TYPE,
    ThinkingForm.ALWAYS,
)
_K = 1024
_VECTORS = KnownModel(tools=False, embedding=True)

_TABLE: tuple[tuple[str, KnownModel], ...] = (
    (r"embed|^bge-|^gte-|^(?:multilingual-)?e5-|^m3e|^voyage-\d|^jina-(?:clip|code)", _VECTORS),
    # OpenAI
    (r"^gpt-5[\w.]*-chat", KnownModel(True, True, context=128_000, max_output=16_384)),
    (r"^gpt-5", KnownModel(True, True, _E, 400_000, 128_000)),
    (r"^gpt-4\.1", KnownModel(True, True, context=1_047_576, max_output=32_768)),
    (r"^(?:gpt-4o|chatgpt-4o)", KnownModel(True, True, context=128_000, max_output=16_384)),
    (r"^gpt-4-turbo", KnownModel(True, True, context=128_000, max_output=4_096)),
    (r"^gpt-4", KnownModel(True, context=8_192, max_output=8_192)),
    (r"^gpt-3\.5", KnownModel(True, context=16_385, max_output=4_096)),
    (r"^gpt-oss", KnownModel(True, False, _E, 128 * _K)),
    (r"^o1-(?:mini|preview)", KnownModel(False, False, _A, 128_000, 65_536)),
    (r"^o3-mini", KnownModel(True, False, _E, 200_000, 100_000)),
    (r"^o[134](?:-|$)", KnownModel(True, True, _E, 200_000, 100_000)),
    # Anthropic
    (r"^claude-(?:opus-4-[01]|opus-4-2|opus-4$)", KnownModel(True, True, _E, 200_000, 32_000)),
    (r"^claude-(?:opus|sonnet|haiku)-[4-9]", KnownModel(True, True, _E, 200_000, 64_000)),
    (r"^claude-3[-.]7", KnownModel(True, True, _E, 200_000, 64_000)),
    (r"^claude-3[-.]5", KnownModel(True, True, context=200_000, max_output=8_192)),
    (r"^claude-3", KnownModel(True, True, context=200_000, max_output=4_096)),
    (r"^claude", KnownModel(True, True, context=200_000)),
    # Google
    (r"^gemini-(?:2\.5|[3-9])[\w.-]*image", KnownModel(False, True, context=32_768)),
    (r"^gemini-(?:2\.5|[3-9])", KnownModel(True, True, _E, 1_048_576, 65_536)),
    (r"^gemini-(?:2|1\.5)", KnownModel(True, True, context=1_048_576, max_output=8_192)),
    (r"^gemini", KnownModel(True, True)),
    (r"^gemma-?3n?(?::|-|$)", KnownModel(False, True, context=128 * _K)),
    (r"^gemma", KnownModel(False, context=8 * _K)),
    # DeepSeek
    (r"^deepseek-reasoner", KnownModel(True, False, _A, 128_000, 65_536)),
    (r"^deepseek-r1", KnownModel(False, False, _A, 128_000)),
    (r"^deepseek-(?:v3\.[1-9]|v[4-9])", KnownModel(True, False, _T, 128_000)),
    (r"^deepseek-(?:chat|v3)", KnownModel(True, context=128_000, max_output=8_192)),
    # Qwen
    (r"^(?:qwq|qvq)", KnownModel(True, False, _A, 128 * _K)),
    (r"^qwen[\w.-]*thinking", KnownModel(True, False, _A, 128 * _K)),
    (r"^qwen[\w.-]*-?vl", KnownModel(True, True, context=128 * _K)),
    (r"^qwen[\w.-]*omni", KnownModel(False, True, context=32 * _K)),
    (r"^qwen3-coder|^qwen3[\w.-]*instruct", KnownModel(True, context=256 * _K)),
    (r"^qwen3-max", KnownModel(True, context=256 * _K, max_output=65_536)),
    (r"^(?:qwen-?3|qwen-(?:plus|turbo|flash))", KnownModel(True, False, _S, 128 * _K)),
    (r"^qwen", KnownModel(True, context=32 * _K)),
    # Moonshot, Zhipu, ByteDance, MiniMax
    (r"^kimi-k2[\w.-]*thinking|^kimi-thinking", KnownModel(True, False, _A, 256 * _K)),
    (r"^kimi-k2\.[5-9]", KnownModel(True, True, _T, 256 * _K)),
    (r"^kimi-k2", KnownModel(True, context=128 * _K)),
    (r"^moonshot-v1-8k", KnownModel(True, context=8 * _K)),
    (r"^moonshot-v1-32k", KnownModel(True, context=32 * _K)),
    (r"^(?:kimi|moonshot)", KnownModel(True, context=128 * _K)),
    (r"^glm-(?:4\.[5-9]|[5-9])[\w.]*v", KnownModel(True, True, _T, 64 * _K)),
    (r"^glm-(?:4\.[5-9]|[5-9])", KnownModel(True, False, _T, 128 * _K)),
    (r"^glm-4v", KnownModel(False, True)),
    (r"^glm-4", KnownModel(True, context=128_000)),
    (r"^doubao[\w.-]*vision", KnownModel(True, True, _T, 128 * _K)),
    (r"^doubao-seed", KnownModel(True, True, _T, 256 * _K)),
    (r"^minimax-m", KnownModel(True, False, _A, 200_000)),
    # xAI, Mistral, Meta and local models
    (r"^grok-3-mini", KnownModel(True, False, _E, 131_072)),
    (r"^grok-2[\w.-]*vision", KnownModel(True, True, context=32_768)),
    (r"^grok-4[\w.-]*non-reasoning", KnownModel(True, True, context=2_000_000)),
    (r"^grok-4[\w.-]*fast", KnownModel(True, True, _A, 2_000_000)),
    (r"^grok-4", KnownModel(True, True, _A, 256_000)),
    (r"^grok", KnownModel(True, context=131_072)),
    (r"^magistral", KnownModel(True, False, _A, 128_000)),
    (
        r"^(?:pixtral|mistral-(?:small|medium)-(?:3|2[5-9]))",
        KnownModel(True, True, context=128_000),
    ),
    (r"^(?:mistral|ministral|mixtral|codestral|devstral)", KnownModel(True, context=32_000)),
    (r"^llama-?4", KnownModel(True, True, context=1_048_576)),
    (r"^llama-?3\.2[\w.:-]*(?:11b|90b|vision)", KnownModel(False, True, context=128 * _K)),
    (r"^llama-?3\.[1-3]", KnownModel(True, context=128 * _K)),
    (r"^llama-?3", KnownModel(False, context=8 * _K)),
    (r"^smollm", KnownModel(False, context=8 * _K)),
    (r"^phi-?4", KnownModel(True, context=16 * _K)),
    (r"llava|bakllava|moondream|minicpm-v|internvl|cogvlm", KnownModel(False, True)),
    (r"(?:-|_|:)(?:vl|vision|4v)(?:-|_|:|$)", KnownModel(True, True)),
)
_PATTERNS = tuple((re.compile(pattern), known) for pattern, known in _TABLE)
_UNKNOWN = KnownModel()


@lru_cache(maxsize=4096)  # a service may have hundreds of models, and lists ask for each repeatedly
def known_model(model_id: str) -> KnownModel:
    """Return what is known of a model, by its name at the service. Prefixes with makers and folders
    (`openai/…`, `models/…`) are ignored.
    """
    name = model_id.strip().casefold().rpartition("/")[2]
    return next((known for pattern, known in _PATTERNS if pattern.search(name)), _UNKNOWN)


def is_known(model_id: str) -> bool:
    """Return whether anything is known of a model of this name."""
    return known_model(model_id) is not _UNKNOWN


Effort = Literal["off", "on", "low", "medium", "high"]
"""`on` leaves the effort to the service."""

_BUDGETS = {"on": 10_000, "low": 2_048, "medium": 8_192, "high": 24_576}
_OWN_WORDS = ("anthropic", "gemini")
"""Protocols with a single form of their own, which their adapter writes."""


def thinking_budget(effort: Effort, max_output: int | None) -> int:
    """Return the tokens for thinking: always below `max_output` (half of it at most), 0 for
    none.
    """
    budget = _BUDGETS.get(effort, 0)
    return budget if max_output is None else max(0, min(budget, max_output // 2))


def render_effort(
    protocol: str, form: ThinkingForm, effort: Effort | None, max_output: int | None
) -> tuple[str, dict[str, object]]:
    """Return `ModelOptions.thinking`, and parameters for `ModelOptions.extra`.

    Nothing is sent if `effort` is None or the model has no such parameter, because services refuse
    unknown parameters.
    """
    if effort is None or form in (ThinkingForm.NONE, ThinkingForm.ALWAYS):
        return "", {}
    if protocol in _OWN_WORDS or form is ThinkingForm.EFFORT:
        return effort, {}
    on = effort != "off"
    if form is ThinkingForm.TYPE:
        return "", {"thinking": {"type": "enabled" if on else "disabled"}}
    budget = 0 if effort == "on" else thinking_budget(effort, max_output)
    return "", {"enable_thinking": on} | ({"thinking_budget": budget} if budget else {})
