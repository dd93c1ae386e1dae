"""Where a reply goes on that was cut inside code.

What the model writes next belongs into that code: taken as a text of its own, its words would stand
outside, and the fence that was to close the code would open another. Some models open the code
anew instead; then what was cut is closed before it. Which of the two it is shows in the first line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.blocks import Block, Notice, Text, Thinking
from neodeskpet.core.markdown.splitter import open_fence

_LONGEST = 60
"""A line of this many characters names no language any more."""


@dataclass(frozen=True, slots=True)
class OpenFence:
    """`block` was cut inside code that `mark` encloses."""

    block: Text
    mark: str

    def continues_code(self, held: str, *, ended: bool = False) -> bool | None:
        """Whether `held`, all that came, goes on in the code; None while that can't be known."""
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
        """What is to stand after the block's text. A fence closes only on a line of its own."""
        closes = held.startswith(self.mark)
        return f"\n{held}" if closes and not self.block.text.endswith("\n") else held

    def closed(self) -> Text:
        """The block with its code closed."""
        gap = "" if self.block.text.endswith("\n") else "\n"
        return replace(self.block, text=f"{self.block.text}{gap}{self.mark}")


def open_fence_at_end(blocks: Sequence[Block]) -> OpenFence | None:
    """The seam that a reply of these blocks goes on at; None where its last words aren't code."""
    said = [block for block in blocks if not isinstance(block, Notice | Thinking)]
    last = said[-1] if said else None
    if not isinstance(last, Text) or last.refusal:
        return None
    mark = open_fence(last.text)
    return OpenFence(last, mark) if mark else None
