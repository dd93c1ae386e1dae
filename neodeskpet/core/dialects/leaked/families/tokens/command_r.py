"""`<|START_ACTION|>[{"tool_name": …, "parameters": {…}}]<|END_ACTION|>`, and the marks around
thinking and answer: Command R7B and A. Command R+ writes `Action:` and a JSON fence; so do models
that LangChain asks for one.

Cohere's chat templates; vLLM `cohere_command_tool_parser.py`, SGLang
`cohere_command4_detector.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked.families.plain import bare_json
from neodeskpet.core.dialects.leaked.objects import marked
from neodeskpet.core.dialects.leaked.source import Family, Nothing, Reading, Source, Thought

_BEGIN, _END = "<|START_ACTION|>", "<|END_ACTION|>"
_THINKING = "<|START_THINKING|>"
_MARKS = ("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>")


def _read(source: Source) -> Reading[None]:
    yield from marked(source, (_BEGIN,), (_END,))


def _read_marks(source: Source) -> Reading[None]:
    found = yield from source.expect(_THINKING, *_MARKS)
    source.items.append(Thought(("<|END_THINKING|>",)) if found == _THINKING else Nothing())


def _read_fence(source: Source) -> Reading[None]:
    yield from source.expect("Action:")
    yield from source.space()
    yield from source.expect("```json", "```")
    yield from source.space()
    yield from bare_json.read(source)
    yield from source.space()
    yield from source.closing("```")


FAMILY = Family("command_r", (_BEGIN,), _read)
MARKS = Family("command_r marks", (_THINKING, *_MARKS), _read_marks)
FENCE = Family("command_r fence", ("Action:",), _read_fence, weak=True)
