"""`<｜tool▁call▁begin｜>function<｜tool▁sep｜>f` with the arguments in a JSON fence: DeepSeek V3
and R1, the distilled ones with slips in the first marks; and what is left when a gateway strips
the marks.

DeepSeek-V3's chat template; vLLM `deepseekv3_tool_parser.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    APART,
    NAME,
    Family,
    NoCallError,
    Reading,
    Source,
)

_BARS = ("｜", "|")
_BLANKS = ("▁", "_", " ", "\\_")


def marks(words: str) -> tuple[str, ...]:
    """`<｜words▁with▁blanks｜>` and how the distilled ones and gateways write it."""
    return tuple(f"<{bar}{words.replace(' ', one)}{bar}>" for bar in _BARS for one in _BLANKS)


BEGIN = (*marks("tool calls begin"), *marks("tool calls"))
CALL = marks("tool call begin")
CALL_END = marks("tool call end")
END = marks("tool calls end")
SEP = marks("tool sep")


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*BEGIN)
    while True:
        yield from source.space()
        begun = yield from source.starts(*CALL)
        yield from source.expect("function")
        yield from source.expect(*SEP)
        yield from _call(source)
        if not (yield from source.closing(*CALL_END)) and not begun:
            raise NoCallError
        yield from source.space()
        here = source.at
        if not (yield from source.starts(*CALL)):
            break
        source.at = here
    yield from source.closing(*END)


def _call(source: Source) -> Reading[None]:
    """The name, and the arguments in a fence or bare."""
    heard, _ = yield from source.until("\n")
    heard = heard.strip()
    source.begin(heard)
    yield from source.space()
    fenced = yield from source.starts("```json", "```")
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))
    if fenced:
        yield from source.closing("```")


def _read_stripped(source: Source) -> Reading[None]:
    yield from source.expect("function")
    heard = yield from source.expect(*source.offer.heard)
    yield from source.space()
    source.begin(heard)
    if not (yield from source.starts("```json")):
        raise NoCallError
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))
    yield from source.closing("```")


FAMILY = Family("deepseek_v3", (*BEGIN, *CALL), _read)
STRIPPED = Family(
    "deepseek_v3 stripped", (f"function{NAME}",), _read_stripped, weak=True, within=APART
)
