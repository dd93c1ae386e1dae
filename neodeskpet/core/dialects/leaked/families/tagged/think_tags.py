"""Thinking between tags that no decoder took out: nothing in it is a call.

Chat templates of DeepSeek R1, Qwen 3, Magistral (`[THINK]`), Kimi (`◁think▷`) and Seed-OSS; vLLM's
reasoning parsers.
"""

from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source, Thought

_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}


def _read(source: Source) -> Reading[None]:
    if source.line().strip():
        raise NoCallError  # a tag within a line is spoken of
    tag = yield from source.expect(*_TAGS)
    source.items.append(Thought((_TAGS[tag],)))


FAMILY = Family("think_tags", tuple(_TAGS), _read)
