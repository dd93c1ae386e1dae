"""`{"name": …, "arguments": {…}}`, `{"tool_calls": […]}` and lists of them, bare: Llama 3, xLAM,
and what the marks of many others are stripped to.

Meta's chat templates; vLLM `llama_tool_parser.py` and `xlam_tool_parser.py`, SGLang
`llama32_detector.py`, llama.cpp `common/chat.cpp` (generic).
"""

from neodeskpet.core.dialects.leaked.objects import expect_call, listed, take
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source


def read(source: Source) -> Reading[None]:
    """One object or one list."""
    if (yield from source.peek()) == "[":
        yield from listed(source, weak=True)
        return
    yield from expect_call(source)
    take(source, (yield from source.json()), weak=True)


FAMILY = Family("bare_json", ("{", "["), read, weak=True)
