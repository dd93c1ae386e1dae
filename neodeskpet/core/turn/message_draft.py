"""The assistant message while it is written: blocks, and text that grows by appending.

Growing text is a list of pieces that is joined when the block is read, so every delta costs the
same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from neodeskpet.core.blocks import Block, ToolUse


class MessageDraft:
    """Blocks by index; the kind of a block never changes."""

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._blocks: list[Block] = list(blocks)
        self._pieces: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, index: int) -> Block:
        """Return the current block with its pieces joined."""
        block = self._blocks[index]
        pieces = self._pieces.get(index)
        if not pieces:
            return block
        if not block.grows:
            raise TypeError(f"{type(block).__name__} doesn't grow")
        grown = getattr(block, block.grows) + "".join(pieces)
        self._pieces[index] = []
        self._blocks[index] = replace(block, **{block.grows: grown})
        return self._blocks[index]

    def tool(self, index: int) -> ToolUse:
        block = self[index]
        if not isinstance(block, ToolUse):
            raise TypeError(f"block {index} is {type(block).__name__}, not a tool call")
        return block

    def add(self, block: Block) -> None:
        if block.index != len(self._blocks):
            raise ValueError(f"block {block.index} can't be number {len(self._blocks)}")
        self._blocks.append(block)

    def append(self, index: int, piece: str) -> None:
        self._pieces.setdefault(index, []).append(piece)

    def replace(self, block: Block) -> None:
        self._pieces.pop(block.index, None)
        self._blocks[block.index] = block

    def truncate(self, length: int) -> None:
        del self._blocks[length:]
        self._pieces = {i: p for i, p in self._pieces.items() if i < length}

    def blocks(self) -> tuple[Block, ...]:
        return tuple(self[index] for index in range(len(self._blocks)))

    def last(self) -> Block | None:
        """Return the last block for its kind and index (cheap: its text may not be joined)."""
        return self._blocks[-1] if self._blocks else None
