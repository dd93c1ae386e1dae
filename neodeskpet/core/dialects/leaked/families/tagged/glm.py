"""`<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`, with newlines (GLM 4.5)
or without (4.7), and `f<arg_key>…`, which a gateway leaves of it.

GLM-4.5's chat template; vLLM `glm4_moe_tool_parser.py` and `glm47_moe_tool_parser.py`, SGLang
`glm4_moe_detector.py`.
"""

from neodeskpet.core.dialects.leaked.markup import arg_pairs
from neodeskpet.core.dialects.leaked.source import (
    NAME,
    SENTENCE,
    Family,
    Reading,
    Source,
)


def _read(source: Source) -> Reading[None]:
    yield from source.expect("<tool_call>")
    yield from source.space()
    yield from arg_pairs(source)


def _read_stripped(source: Source) -> Reading[None]:
    yield from arg_pairs(source, open_end=True)


FAMILY = Family("glm", ("<tool_call>",), _read)
STRIPPED = Family(
    "glm stripped",
    (f"{NAME}<arg_key>", f"{NAME}\n<arg_key>"),
    _read_stripped,
    within=SENTENCE,
)
