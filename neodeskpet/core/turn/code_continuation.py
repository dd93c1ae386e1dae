"""Continues a reply that was cut inside code.

The next text of the model belongs inside that code. As a separate block it would be outside, and
the fence that should close the code would open another one. Some models open the code again
instead; then the cut code is closed first. The first line shows which case it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.blocks import Block, Notice, Text, Thinking
from neodeskpet.core.markdown.splitter import open_fence

_LONGEST = 60
"""A line with this many characters isn't the name of a language."""


@dataclass(frozen=True, slots=True)
class OpenFence:
    """`block` was cut inside code with the fence `mark`."""

    block: Text
    mark: str

    def continues_code(self, held: str, *, ended: bool = False) -> bool | None:
        """Return whether `held`, all received text, continues the code; None while it is
        unknown.
        """
        begun = held.lstrip()
        if not begun:
            return None
        run = len(begun) - len(begun.lstrip(self.mark[0]))
        line, newline, _ = begun.partition("\n")
        if run and not newline and not ended and len(line) < _LONGEST:
            return None
        named = line[run:].strip()
        return run < len(self.mark) or not named or self.mark[0] in named

    def join(self, held: str) -> str:
        """Return the text to append to the block. A fence closes only on a line of its own."""
        closes = held.startswith(self.mark)
        return f"\n{held}" if closes and not self.block.text.endswith("\n") else held

    def closed(self) -> Text:
        """Return the block with its code closed."""
        gap = "" if self.block.text.endswith("\n") else "\n"
        return replace(self.block, text=f"{self.block.text}{gap}{self.mark}")


def open_fence_at_end(blocks: Sequence[Block]) -> OpenFence | None:
    """Return the open code at the end of a reply with these blocks; None if there is none."""
    said = [block for block in blocks if not isinstance(block, Notice | Thinking)]
    last = said[-1] if said else None
    if not isinstance(last, Text) or last.refusal:
        return None
    mark = open_fence(last.text)
    return OpenFence(last, mark) if mark else None
