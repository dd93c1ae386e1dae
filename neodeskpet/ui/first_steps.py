"""The logic of the first steps: their order, the service of a key, and the choice of its model."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum


class Step(IntEnum):
    """The steps in order. The key step shares the third dot."""

    LANGUAGE = 0
    NAME = 1
    SERVICE = 2
    KEY = 3
    TRY = 4


DOTS = 4
_DOT = {Step.LANGUAGE: 0, Step.NAME: 1, Step.SERVICE: 2, Step.KEY: 2, Step.TRY: 3}

_SHORTEST_KEY = 16
_PREFIXES = (
    ("sk-ant-", ("anthropic",)),
    ("sk-or-", ("openrouter",)),
    ("sk-proj-", ("openai",)),
    ("AIza", ("gemini",)),
    ("AQ.", ("gemini",)),
    ("sk-", ("openai", "deepseek", "moonshot", "qwen")),
)
"""Prefixes of the services' keys, the longest first. Some share a prefix: the user chooses."""
_ALL = ("openai", "zhipu", "siliconflow", "deepseek")
_PREFERRED = (
    "gpt-5-mini",
    "gpt-4o-mini",
    "claude-sonnet",
    "gemini-2.5-flash",
    "gemini-flash",
    "deepseek-chat",
    "qwen-plus",
    "kimi-k2",
    "moonshot-v1",
    "glm-4",
)
"""Parts of the names of models that are good for everyday chat and not the most expensive."""
_NO_CHAT = (
    "embed",
    "tts",
    "whisper",
    "image",
    "dall",
    "audio",
    "moderation",
    "rerank",
    "realtime",
    "transcribe",
    "sora",
    "ocr",
    "guard",
    "search",
)


def next_step(step: Step, *, with_key: bool = False) -> Step | None:
    """Return the next step, None at the end. The key is only asked for if the user has one."""
    match step:
        case Step.LANGUAGE:
            return Step.NAME
        case Step.NAME:
            return Step.SERVICE
        case Step.SERVICE:
            return Step.KEY if with_key else Step.TRY
        case Step.KEY:
            return Step.TRY
        case Step.TRY:
            return None


def dot_of(step: Step) -> int:
    """Return the number of the highlighted dot."""
    return _DOT[step]


def services_of_key(key: str) -> tuple[str, ...]:
    """Return the ids of the presets that a pasted key may belong to; none while it can't
    be a key.
    """
    key = key.strip()
    if len(key) < _SHORTEST_KEY or any(letter.isspace() for letter in key):
        return ()
    return next((ids for prefix, ids in _PREFIXES if key.startswith(prefix)), _ALL)


def choose_model(models: Sequence[str]) -> str:
    """Return the model to start with; "" if a service offers none for chat."""
    talkers = [name for name in models if not any(word in name.casefold() for word in _NO_CHAT)]
    for part in _PREFERRED:
        found = [name for name in talkers if part in name.casefold()]
        if found:
            return min(found, key=len)
    return talkers[0] if talkers else ""
