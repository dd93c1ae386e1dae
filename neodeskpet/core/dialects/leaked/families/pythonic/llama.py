"""`<|python_tag|>` before JSON, before `f.call(a=1)` or before a list of Python calls, which may
stand between `<|python_start|>` and `<|python_end|>` too: Llama 3.1 to 4.

Meta's prompt formats and chat templates; vLLM `llama_tool_parser.py` and
`llama4_pythonic_tool_parser.py`, SGLang `llama32_detector.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked import literals, objects
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_TAG = "<|python_tag|>"
_START, _END = "<|python_start|>", "<|python_end|>"


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_TAG, _START)
    yield from source.space()
    first = yield from source.peek()
    if first == "{":
        yield from objects.objects(source)
    elif first == "[":
        yield from literals.listed(source)
    else:
        yield from literals.call(source)
    yield from source.closing(_END)


FAMILY = Family("llama", (_TAG, _START), _read)
