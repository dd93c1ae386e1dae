"""The view's state of each block: its items, and what the user opened in it.

A model takes the block's growth (`append`) and its new states (`set_block`), and recreates as few
items as possible: an item that stays the same object keeps its document and its height.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from PySide6.QtCore import QRectF, Qt

from neodeskpet.core.blocks import Block, Document, Image, Notice, Text, Thinking
from neodeskpet.core.markdown.preparation import text_chunks
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.items.item import FixedHeightItem, Item, LabelItem, PaintContext, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.markdown_flow import MarkdownFlow
from neodeskpet.ui.chat.items.notice_item import NoticeItem
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.items.thinking_items import ThinkingHead, ThinkingTail
from neodeskpet.ui.chat.items.user_message import MAX_WIDTH_SHARE, UserTextItem
from neodeskpet.ui.formatting import format_file_info

_PART_LINES = 60
_PART_CHARS = 1_500


class BlockModel(ABC):
    """Base class. `sync` is called once per flush, after any number of `append` and `set_block`."""

    @abstractmethod
    def set_block(self, block: Block) -> None:
        """Set the current state of the block."""

    def append(self, text: str) -> None:
        """Append text to the block."""
        raise TypeError(f"{type(self).__name__} doesn't grow")

    @abstractmethod
    def sync(self, scene: Scene) -> list[Item]:
        """Update the items; return those whose content changed."""

    @abstractmethod
    def items(self) -> list[Item]:
        """Return the current items; [] if there is nothing to draw."""

    @property
    def is_busy(self) -> bool:
        """Whether its items show an activity themselves."""
        return False

    def toggle(self) -> None:
        """Open or close it."""
        raise TypeError(f"{type(self).__name__} can't be opened")

    @property
    def markdown(self) -> str:
        """Return the whole text as Markdown; "" if the block has no text of the message."""
        return ""

    def beginning(self, _length: int) -> str:
        """Return the first characters of `markdown`; the cost doesn't grow with the text."""
        return ""


class TextModel(BlockModel):
    """Markdown of the assistant; a refusal has a label."""

    def __init__(self, block: Text) -> None:
        self._refusal = block.refusal
        self._label = LabelItem("", "asks") if block.refusal else None
        self._flow = self._new_flow()
        self.ended = False
        self.set_block(block)

    def _new_flow(self) -> MarkdownFlow:
        return MarkdownFlow(ruled="asks" if self._refusal else "")

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Text)
        if len(block.text) == self._flow.length and block.text == self._flow.text:
            return
        if not block.text.startswith(self._flow.text):
            self._flow = self._new_flow()
        self.append(block.text[self._flow.length :])

    def append(self, text: str) -> None:
        if self.ended:  # it continues after all: a construct closed at its end may still be open
            self.ended = False
            text = self._flow.text + text
            self._flow = self._new_flow()
        self._flow.append(text)

    def finish(self) -> None:
        """Mark the text as complete."""
        self.ended = True
        self._flow.finish()

    def sync(self, scene: Scene) -> list[Item]:
        return self._flow.sync(scene)

    def items(self) -> list[Item]:
        if self._label is not None and self._flow.items:
            self._label.text = tr("The model declines")
            return [self._label, *self._flow.items]
        return list(self._flow.items)

    def changed_items(self) -> tuple[int, list[Item]]:
        """Return the items that the last `sync` could have changed, and the number of the first."""
        kept = self._flow.unchanged_count
        if not kept:
            return 0, self.items()
        return kept + (self._label is not None), self._flow.items[kept:]

    @property
    def last_text_item(self) -> TextItem | None:
        last = self._flow.items[-1] if self._flow.items else None
        return last if isinstance(last, TextItem) else None

    @property
    def is_busy(self) -> bool:
        return not self.ended and bool(self._flow.items)

    @property
    def markdown(self) -> str:
        return self._flow.text

    def beginning(self, length: int) -> str:
        return self._flow.beginning(length)


class ThinkingModel(BlockModel):
    """Thinking, closed by default. Shows the last lines while it runs, and Markdown when opened."""

    def __init__(self, block: Thinking, *, live: bool) -> None:
        self.head = ThinkingHead(block, live=live)
        self._tail = ThinkingTail()
        self._parts = [block.text]
        self._flow: MarkdownFlow | None = None
        self._follow()

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Thinking)
        self.head.block = block
        self._parts = [block.text]
        if block.ended is not None:
            self.head.live = False
        self._follow()

    def append(self, text: str) -> None:
        self._parts.append(text)
        if self._flow is not None:
            self._flow.append(text)

    def finish(self) -> None:
        """End the thinking together with the turn."""
        self.head.live = False

    def _follow(self) -> None:
        if self._flow is None:
            return
        text = self.text
        if not text.startswith(self._flow.text):
            self._flow = MarkdownFlow(muted=True, ruled="line")
        self._flow.append(text[self._flow.length :])
        if not self.head.live:
            self._flow.finish()

    @property
    def text(self) -> str:
        joined = "".join(self._parts)
        self._parts = [joined]
        return joined

    def toggle(self) -> None:
        self.head.opened = not self.head.opened
        if self.head.opened and self._flow is None:
            self._flow = MarkdownFlow(muted=True, ruled="line")
            self._follow()

    def sync(self, scene: Scene) -> list[Item]:
        changed: list[Item] = [self.head]
        if self.head.live and not self.head.opened:
            recent = "".join(self._parts[-64:])
            self._tail.set_text(recent if len(recent) > 900 else self.text)
            changed.append(self._tail)
        if self._flow is not None and self.head.opened:
            changed += self._flow.sync(scene)
        return changed

    def items(self) -> list[Item]:
        if not any(part.strip() for part in self._parts):
            return []
        if self.head.opened and self._flow is not None:
            return [self.head, *self._flow.items]
        return [self.head, self._tail] if self.head.live else [self.head]

    @property
    def is_busy(self) -> bool:
        return self.head.live and bool(self.items())


class NoticeModel(BlockModel):
    def __init__(self, block: Notice) -> None:
        self.item = NoticeItem(block)
        self._stale = False

    def toggle(self) -> None:
        self.item.opened = not self.item.opened
        self.item.invalidate()
        self._stale = True

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Notice)
        self.item.update(block)
        self._stale = True

    def sync(self, scene: Scene) -> list[Item]:
        self.item.sync(scene)
        if self._stale:
            scene.documents.drop(self.item)
            self._stale = False
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]


class ImageModel(BlockModel):
    def __init__(self, block: Image) -> None:
        self.item = ImageItem(block)

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Image)
        self.item.image = block
        self.item.invalidate()

    def toggle(self) -> None:
        self.item.opened = not self.item.opened
        self.item.invalidate()

    def sync(self, scene: Scene) -> list[Item]:
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]


class UserTextModel(BlockModel):
    """Text of the user."""

    def __init__(self, block: Text, message_id: str) -> None:
        self._message_id = message_id
        self._text = ""
        self._items: list[UserTextItem] = []
        self.set_block(block)

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Text)
        self._text = block.text
        chunks = text_chunks(block.text.strip("\n"), _PART_LINES, _PART_CHARS)
        self._items = [UserTextItem(part, joint, self._message_id) for part, joint in chunks]
        for item in self._items:
            item.is_first = item is self._items[0]
            item.is_last = item is self._items[-1]

    def sync(self, scene: Scene) -> list[Item]:
        return []

    def items(self) -> list[Item]:
        return list(self._items) if self._text.strip() else []

    @property
    def last_text_item(self) -> UserTextItem:
        return self._items[-1]

    @property
    def markdown(self) -> str:
        return self._text

    def beginning(self, length: int) -> str:
        return self._text[:length]


_SIDE, _EDGE = 12, 6


class FileItem(FixedHeightItem):
    def __init__(self, block: Document) -> None:
        self.block = block

    @property
    def status_text(self) -> str:
        b = self.block
        return format_file_info(b.size, b.pages, b.pages_read, cut=b.cut, omitted=b.omitted)

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.line_px + look.small_line + 2 * _EDGE

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter = scene.style, brush.painter
        name = self.block.name or tr("File")
        wide = max(
            look.metrics.horizontalAdvance(name),
            look.small_metrics.horizontalAdvance(self.status_text),
        )
        wide = min(math.ceil(wide) + 2 * _SIDE + 4, int(brush.box.width() * MAX_WIDTH_SHARE))
        box = QRectF(brush.box.right() - wide, brush.box.top(), wide, brush.box.height())
        paint_primitives.draw_frame(
            painter, box, look.color("person"), look.color("line"), look.theme.card_radius
        )
        inner = box.adjusted(_SIDE, _EDGE, -_SIDE, -_EDGE)
        middle, room = Qt.TextElideMode.ElideMiddle, inner.width()
        upper = QRectF(inner.left(), inner.top(), room, look.theme.line_px)
        shown = look.metrics.elidedText(name, middle, room)
        paint_primitives.draw_text(painter, upper, shown, look.font, look.color("text"))
        lower = QRectF(inner.left(), upper.bottom(), room, look.small_line)
        said = look.small_metrics.elidedText(self.status_text, Qt.TextElideMode.ElideRight, room)
        token = "asks" if self.block.cut or self.block.omitted else "muted"
        paint_primitives.draw_text(painter, lower, said, look.small, look.color(token))

    @property
    def accessible_text(self) -> str:
        return tr("File {name}, {words}", name=self.block.name, words=self.status_text)


class FileModel(BlockModel):
    def __init__(self, block: Document) -> None:
        self.item = FileItem(block)

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Document)
        self.item.block = block
        self.item.invalidate()

    def sync(self, scene: Scene) -> list[Item]:
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]
