"""Calls in every form that models write are read correctly at every split.

The calls are random (with a seed per form): names, one or several, arguments of every type. The
same text is no call in an example, or if the tools aren't offered.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest

from neodeskpet.core.toolspec import ToolSpec
from tests.unit.core.dialects.leaked.leaking import TOOLS, read
from tests.unit.core.dialects.leaked.writers import WRITERS, Called

NAMES = (
    "get_weather",
    "search",
    "f",
    "getOpenIncidents",
    "mcp__docs__search-documents",
    "live2d.motion",
    "search_web",
    "final_answer",
    "python",
)
KEYS = ("city", "query", "name", "options", "type", "arguments", "old_string", "x")
TEXTS = (
    "Paris",
    "",
    'He said "hi" to \'em',
    "one\ntwo",
    "北京，朝阳区",
    "🎉",
    "123",
    "true",
    "null",
    "C:\\Users\\x",
    "a {b} [c] (d)",
    "  padded  ",
    "```js\nx\n```",
    "3 < 4 > 2",
    "2024-01-16",
    '{"a": 1}',
    "https://x.y/z?q=1&r=2",
    "f(x), e=mc^2",
    "<b>bold</b>",
)
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
KINDS |= {dict: "object", type(None): "null"}
REPLIES = 12


def value(chance: random.Random, depth: int = 0) -> object:
    match chance.randrange(8 if depth < 2 else 6):
        case 0:
            return chance.choice((0, 1, -5, 10**12))
        case 1:
            return chance.choice((0.5, -1.25, 15.5))
        case 2:
            return chance.choice((True, False, None))
        case 6:
            return [value(chance, depth + 1) for _ in range(chance.randrange(3))]
        case 7:
            keys = chance.sample(KEYS, chance.randrange(3))
            return {key: value(chance, depth + 1) for key in keys}
        case _:
            return chance.choice(TEXTS)


def schema(given: Mapping[str, object]) -> dict[str, object]:
    kinds = {key: KINDS[type(one)] for key, one in given.items()}
    types = {key: ["string", "null"] if kind == "null" else kind for key, kind in kinds.items()}
    return {"type": "object", "properties": {key: {"type": one} for key, one in types.items()}}


def replies(form: str) -> Iterator[tuple[list[Called], list[ToolSpec], str]]:
    chance = random.Random(form)
    for _ in range(REPLIES):
        calls: list[Called] = []
        for name in chance.sample(NAMES, chance.choice((1, 1, 2, 3))):
            keys = chance.sample(KEYS, chance.randrange(4))
            calls.append((name, {key: value(chance) for key in keys}))
        tools = [ToolSpec(name, "", schema(given)) for name, given in calls]
        yield calls, [*tools, ToolSpec("other", "", {})], WRITERS[form](calls)


@pytest.mark.parametrize("form", WRITERS)
def test_each_written_call_is_read(form: str) -> None:
    for calls, tools, reply in replies(form):
        heard = read([reply], tools)
        assert heard.calls == calls, reply
        assert heard.broken == []
        assert heard.text.strip() == ""
        assert read(list(reply), tools) == heard
        for before in ("好的，我来查。\n", "I'll see to that.\n\n"):
            after = read([before, reply[:7], reply[7:]], tools)
            assert (after.calls, after.text.strip()) == (calls, before.strip())


@pytest.mark.parametrize("form", WRITERS)
def test_the_same_text_in_an_example_stays_text(form: str) -> None:
    for _, tools, reply in replies(form):
        for text in (f"So:\n\n~~~~\n{reply}\n~~~~\nis how it looks.", f"~~~~xml\n{reply}"):
            heard = read([text], tools)
            assert (heard.text, heard.calls, heard.broken) == (text, [], [])
        stranger = read([reply], TOOLS[2:3])
        assert (stranger.calls, stranger.broken) == ([], [])


WITHIN = (
    "deepseek_v3 stripped",
    "deepseek_v31 stripped",
    "kimi_k2 stripped",
    "harmony stripped",
    "hermes",
    "mistral, new",
    "mistral, one mark",
    "functiongemma",
    "glm 4.7",
    "step3 stripped",
    "invoke",
    "phi4",
    "llama 4",
    "pythonic",
    "xlam",
    "harmony",
    "qwen_agent",
    "granite",
)


@pytest.mark.parametrize("form", WITHIN)
def test_a_call_may_follow_a_sentence(form: str) -> None:
    for calls, tools, reply in replies(form):
        for before in ("Let me see. ", "好的，我来查。"):
            heard = read([before + reply], tools)
            assert heard.calls == calls, reply
            assert read([*before, *reply], tools) == heard
