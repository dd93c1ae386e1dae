"""`Action: f` and `Action Input: {…}`, in a reply that may begin with `Thought:`: ReAct.

The ReAct paper (Yao et al. 2022) and LangChain's and Qwen's prompts for it.
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source

_HEAD = re.compile(r"[^\n{\[(]{0,128}")
_LINE = re.compile(r"[^\n]{0,4096}")
_OPENINGS = ("Action:", "Action：", "**Action:**")
_INPUT = ("Action Input:", "Action Input：", "**Action Input:**")


def _read(source: Source) -> Reading[None]:
    if source.line().strip():
        raise NoCallError
    yield from source.expect(*_OPENINGS)
    heard = (yield from source.matching(_HEAD)).strip(" *`")
    yield from source.expect("\n")
    yield from source.space()
    source.begin(heard)
    yield from source.expect(*_INPUT)
    yield from source.space()
    if (yield from source.peek()) == "{":
        source.call(heard, arguments_of((yield from source.json())))
    else:
        text = yield from source.matching(_LINE)
        source.call(heard, _only_argument(source, heard, text.strip().strip("\"'`")))
    yield from source.closing("Observation:", "Observation：")


def _only_argument(source: Source, heard: str, text: str) -> dict[str, object]:
    """A plain input is the one text that the tool takes. Raises NoCallError if it takes others."""
    properties = source.offer.schema(source.offer.find(heard) or "").get("properties")
    if not isinstance(properties, dict) or len(properties) != 1:
        raise NoCallError
    return dict.fromkeys(properties, text)


FAMILY = Family("react", _OPENINGS, _read, weak=True)
