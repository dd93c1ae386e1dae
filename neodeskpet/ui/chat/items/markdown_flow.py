"""Items of a growing Markdown text: one for each piece of the splitter."""

from __future__ import annotations

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.core.markdown.preparation import footnote_of
from neodeskpet.core.markdown.splitter import MarkdownSplitter
from neodeskpet.ui.chat.items.code_items import CodeBlock, CodeItem
from neodeskpet.ui.chat.items.item import Item, RuleItem, Scene
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.wide_items import FormulaItem, MarkdownTableItem


class MarkdownFlow:
    """Items of a growing Markdown text. `ruled` names the colour of a rule at the left."""

    def __init__(self, *, muted: bool = False, ruled: str = "") -> None:
        self.items: list[Item] = []
        self._splitter = MarkdownSplitter()
        self._muted = muted
        self._ruled = ruled
        self._notes: dict[str, str] = {}  # texts of the footnotes, by label
        self.unchanged_count = 0
        self._settled = 0
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        joined = "".join(self._parts)
        self._parts = [joined]
        return joined

    def beginning(self, length: int) -> str:
        """Return the first `length` characters; the cost doesn't grow with the text."""
        parts: list[str] = []
        for part in self._parts:
            if length <= 0:
                break
            parts.append(part[:length])
            length -= len(part)
        return "".join(parts)

    @property
    def length(self) -> int:
        return self._length

    def append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        self._splitter.feed(text)

    def finish(self) -> None:
        self._splitter.finish()

    def sync(self, scene: Scene) -> list[Item]:
        """Update the items; only the pieces that weren't final last time are examined. The first
        `unchanged_count` items are the same as before.
        """
        start = self.unchanged_count = self._settled
        shown = self._splitter.shown(start)
        changed: list[Item] = []
        for number, piece in enumerate(shown, start):
            if (note := footnote_of(piece)) is not None:
                self._notes[note[0]] = note[1]
            have = self.items[number] if number < len(self.items) else None
            if isinstance(have, MarkdownItem | CodeItem | FormulaItem) and have.accepts(piece):
                if have.update(piece, scene):
                    changed.append(have)
            elif not (isinstance(have, RuleItem) and piece.kind is PieceKind.RULE):
                self._cut(number)
                self.items.append(self._make(piece, changed, scene))
        self._cut(start + len(shown))
        self._settled = self._splitter.settled_count
        return changed

    def _cut(self, length: int) -> None:
        for item in self.items[length:]:
            if isinstance(item, CodeItem):
                item.block.chunks.remove(item)
                if item.block.chunks:
                    item.block.chunks[-1].invalidate()
            elif isinstance(item, MarkdownTableItem):
                item.shape.parts.remove(item)
                if item.shape.parts:
                    item.shape.parts[-1].invalidate()
        del self.items[length:]

    def _make(self, piece: Piece, changed: list[Item], scene: Scene) -> Item:
        before = self.items[-1] if self.items else None
        if piece.kind is PieceKind.RULE:
            return RuleItem()
        if piece.kind is PieceKind.CODE:
            block = CodeBlock(piece.language)
            if isinstance(before, CodeItem) and piece.continuation is not Continuation.NONE:
                block = before.block
                before.invalidate()  # it no longer has the lower edge
                changed.append(before)
            item = CodeItem(piece, block)
            block.chunks.append(item)
            return item
        if piece.kind is PieceKind.FORMULA:
            return FormulaItem(piece, scene.formulas, muted=self._muted)
        if piece.kind is not PieceKind.TABLE:
            words = MarkdownItem(piece, scene.formulas, muted=self._muted, ruled=self._ruled)
            words.notes = self._notes
            return words
        made = MarkdownTableItem(piece, scene.formulas, muted=self._muted, ruled=self._ruled)
        made.notes = self._notes
        if piece.head and isinstance(before, MarkdownTableItem):
            made.join_table(before.shape)
            before.invalidate()  # the scroll bar belongs to the last part
            changed.append(before)
        return made
