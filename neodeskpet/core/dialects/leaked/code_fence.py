"""Reads calls in a code fence, written by models that were not trained to call tools.

llama.cpp `common/chat.cpp` (Hermes 2 Pro), vLLM `xlam_tool_parser.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from neodeskpet.core.dialects.leaked.declaration import Declaration
from neodeskpet.core.dialects.leaked.interpreter import families_of
from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source

_INFO = re.compile(r"[A-Za-z_]{0,16}[ \t]{0,8}")
_INFOS = frozenset({"json", "tool_call", "tool_calls", "tool", "xml", "function_call"})


@dataclass(frozen=True, slots=True, eq=False)
class _Fence:
    """Calls in a code fence: bare ones, and tagged ones if the fence names its content."""

    bare: Family
    tagged: tuple[Family, ...]

    def read(self, source: Source) -> Reading[None]:
        if source.line().strip():
            raise NoCallError
        yield from source.expect("```")
        info = (yield from source.matching(_INFO)).strip()
        if info and info not in _INFOS:
            raise NoCallError
        yield from source.expect("\n", "\r\n")
        yield from source.space()
        while not (yield from source.starts("```")):
            if not (info and (yield from self._tagged(source))):
                yield from self.bare.read(source)
            yield from source.space()

    def _tagged(self, source: Source) -> Reading[bool]:
        """Read a tagged call, if there is one here; return whether there is."""
        begun, count = source.at, len(source.items)
        for family in self.tagged:
            try:
                if (yield from source.starts(*family.openings)):
                    source.at = begun
                    yield from family.read(source)
            except NoCallError:
                pass
            if len(source.items) > count:
                return True
            source.at = begun
        return False


def fence_of(declarations: Iterable[Declaration]) -> Family:
    """Return a family that reads `declarations` inside a code fence."""
    inside = [one for each in declarations if each.fenced for one in families_of(each)]
    bare = next(one for one in inside if "{" in one.openings)
    tagged = tuple(one for one in inside if one is not bare)
    return Family("fenced_json", ("```",), _Fence(bare, tagged).read, weak=True)
