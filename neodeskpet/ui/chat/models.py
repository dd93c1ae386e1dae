"""What the view keeps of each block: its items, and what the person opened in it.

A model takes the block's growth (`append`) and its new states (`put`), and makes its items anew as
little as possible: an item that stays the same object keeps its document and its height.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from neodeskpet.core.blocks import Block, Image, Notice, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.language import tr
from neodeskpet.ui.chat.card import CardButtons, CardEnd, CardHead, CardLabel, CardLinks
from neodeskpet.ui.chat.code import CodeBlock, CodeItem, MonoItem
from neodeskpet.ui.chat.items import Item, LabelItem, RuleItem, Scene
from neodeskpet.ui.chat.markup import chunks_of
from neodeskpet.ui.chat.notice import NoticeItem
from neodeskpet.ui.chat.person import ImageItem, PersonItem
from neodeskpet.ui.chat.prose import MarkdownItem, TextItem
from neodeskpet.ui.chat.splitter import Joint, Kind, Piece, Splitter
from neodeskpet.ui.chat.thinking import ThinkingHead, ThinkingTail
from neodeskpet.ui.chat.wording import arguments_text, result_text

CLIP_LINES = 12
CLIP_CHARS = 1_200
_PART_LINES = 60
_PART_CHARS = 3_000


class BlockModel(ABC):
    """Base. `sync` is called once per flush, after any number of `append` and `put`."""

    @abstractmethod
    def put(self, block: Block) -> None:
        """The block as it is now, whole."""

    def append(self, text: str) -> None:
        """The block grows."""
        raise TypeError(f"{type(self).__name__} doesn't grow")

    @abstractmethod
    def sync(self, scene: Scene) -> list[Item]:
        """Bring the items up to date; those whose content changed."""

    @abstractmethod
    def items(self) -> list[Item]:
        """Its items now; [] when there is nothing to draw."""

    @property
    def busy(self) -> bool:
        """Whether it shows by itself that something goes on."""
        return False

    def toggle(self) -> None:
        """The person opens or closes it."""
        raise TypeError(f"{type(self).__name__} can't be opened")

    @property
    def markdown(self) -> str:
        """Its whole text as Markdown; "" when it has none that belongs to the message."""
        return ""


class Flow:
    """Items of a Markdown text that grows. `ruled` names the colour of a rule at the left."""

    def __init__(self, *, muted: bool = False, ruled: str = "") -> None:
        self.items: list[Item] = []
        self._splitter = Splitter()
        self._muted = muted
        self._ruled = ruled
        self.kept = 0
        self._settled = 0
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        joined = "".join(self._parts)
        self._parts = [joined]
        return joined

    @property
    def length(self) -> int:
        return self._length

    def feed(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        self._splitter.feed(text)

    def finish(self) -> None:
        self._splitter.finish()

    def sync(self, scene: Scene) -> list[Item]:
        """Items follow the pieces; only the pieces that weren't settled last time are looked at.
        The first `kept` items are the same as before.
        """
        start = self.kept = self._settled
        shown = self._splitter.shown(start)
        changed: list[Item] = []
        for number, piece in enumerate(shown, start):
            have = self.items[number] if number < len(self.items) else None
            if isinstance(have, MarkdownItem | CodeItem) and have.accepts(piece):
                if have.update(piece, scene):
                    changed.append(have)
            elif not (isinstance(have, RuleItem) and piece.kind is Kind.RULE):
                self._cut(number)
                self.items.append(self._make(piece, changed))
        self._cut(start + len(shown))
        self._settled = self._splitter.settled
        return changed

    def _cut(self, length: int) -> None:
        for item in self.items[length:]:
            if isinstance(item, CodeItem):
                item.block.chunks.remove(item)
                if item.block.chunks:
                    item.block.chunks[-1].outdate()
        del self.items[length:]

    def _make(self, piece: Piece, changed: list[Item]) -> Item:
        before = self.items[-1] if self.items else None
        if piece.kind is Kind.RULE:
            return RuleItem()
        if piece.kind is Kind.CODE:
            block = CodeBlock(piece.language)
            if isinstance(before, CodeItem) and piece.joint is not Joint.NONE:
                block = before.block
                before.outdate()  # its lower edge is gone
                changed.append(before)
            item = CodeItem(piece, block)
            block.chunks.append(item)
            return item
        made = MarkdownItem(piece, muted=self._muted, ruled=self._ruled)
        if piece.head and isinstance(before, MarkdownItem):
            made.shape = before.shape
        return made


class TextModel(BlockModel):
    """Markdown of the assistant; words of refusal are marked."""

    def __init__(self, block: Text) -> None:
        self._refusal = block.refusal
        self._label = LabelItem(tr("The model declines"), "asks") if block.refusal else None
        self._flow = self._new_flow()
        self.ended = False
        self.put(block)

    def _new_flow(self) -> Flow:
        return Flow(ruled="asks" if self._refusal else "")

    def put(self, block: Block) -> None:
        assert isinstance(block, Text)
        if len(block.text) == self._flow.length and block.text == self._flow.text:
            return
        if not block.text.startswith(self._flow.text):
            self._flow = self._new_flow()
        self._flow.feed(block.text[self._flow.length :])

    def append(self, text: str) -> None:
        self._flow.feed(text)

    def finish(self) -> None:
        """It won't grow any more."""
        self.ended = True
        self._flow.finish()

    def sync(self, scene: Scene) -> list[Item]:
        return self._flow.sync(scene)

    def items(self) -> list[Item]:
        if self._label is not None and self._flow.items:
            return [self._label, *self._flow.items]
        return list(self._flow.items)

    def newest(self) -> tuple[int, list[Item]]:
        """The items that the last `sync` could have changed, and the number of the first."""
        kept = self._flow.kept
        if not kept:
            return 0, self.items()
        return kept + (self._label is not None), self._flow.items[kept:]

    @property
    def last(self) -> TextItem | None:
        last = self._flow.items[-1] if self._flow.items else None
        return last if isinstance(last, TextItem) else None

    @property
    def busy(self) -> bool:
        return not self.ended and bool(self._flow.items)

    @property
    def markdown(self) -> str:
        return self._flow.text


class ThinkingModel(BlockModel):
    """Closed by default; live lines while it runs. Opened, it is Markdown like any other."""

    def __init__(self, block: Thinking, *, live: bool) -> None:
        self.head = ThinkingHead(block, live=live)
        self._tail = ThinkingTail()
        self._parts = [block.text]
        self._flow: Flow | None = None
        self._follow()

    def put(self, block: Block) -> None:
        assert isinstance(block, Thinking)
        self.head.block = block
        self._parts = [block.text]
        if block.ended is not None:
            self.head.live = False
        self._follow()

    def append(self, text: str) -> None:
        self._parts.append(text)
        if self._flow is not None:
            self._flow.feed(text)

    def end(self) -> None:
        """The turn is over, whatever the block says."""
        self.head.live = False

    def _follow(self) -> None:
        if self._flow is None:
            return
        text = self.text
        if not text.startswith(self._flow.text):
            self._flow = Flow(muted=True, ruled="line")
        self._flow.feed(text[self._flow.length :])
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
            self._flow = Flow(muted=True, ruled="line")
            self._follow()

    def sync(self, scene: Scene) -> list[Item]:
        changed: list[Item] = [self.head]
        if self.head.live and not self.head.opened:
            recent = "".join(self._parts[-64:])
            self._tail.put(recent if len(recent) > 900 else self.text)
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
    def busy(self) -> bool:
        return self.head.live and bool(self.items())


class Section:
    """A labelled text in an open card: its beginning, or all of it in parts."""

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.shows_all = False
        self.text = ""
        self.links = CardLinks(f"{name} {index}", section=name, text="")
        self._label: CardLabel | None = None
        self._items: list[Item] = []
        self._made: tuple[str, str, bool, bool, bool] | None = None

    def items(
        self, label: str, text: str, *, ruled: bool, failed: bool = False, tail: bool = False
    ) -> list[Item]:
        """`tail` shows the end instead of the beginning (a text that is being written)."""
        wanted = (label, text, ruled, failed, tail or self.shows_all)
        if wanted != self._made:
            self._made = wanted
            self._items = self._make(label, text, ruled=ruled, failed=failed, tail=tail)
        return self._items

    def _make(self, label: str, text: str, *, ruled: bool, failed: bool, tail: bool) -> list[Item]:
        self.text = self.links.text = text
        shown = clip_tail(text) if tail else text if self.shows_all else clip(text)
        self.links.clipped = shown != text and not tail
        self.links.shows_all = self.shows_all
        chunks = chunks_of(shown, _PART_LINES, _PART_CHARS)
        return [
            CardLabel(label, ruled=ruled, token="failed" if failed else "muted"),
            *(MonoItem(part, joint, failed=failed) for part, joint in chunks),
            self.links,
        ]


def clip(text: str) -> str:
    """At most twelve lines of it, and not too much."""
    lines = text.split("\n", CLIP_LINES)
    short = "\n".join(lines[:CLIP_LINES])
    if len(short) > CLIP_CHARS:
        short = short[:CLIP_CHARS]
    return short + " …" if len(short) < len(text) else text


def clip_tail(text: str) -> str:
    end = text[-CLIP_CHARS:]
    lines = end.split("\n")[-CLIP_LINES:]
    short = "\n".join(lines)
    return "… " + short if len(short) < len(text) else short


class CardModel(BlockModel):
    """A tool call. The person's `opened` outlives every change of its state."""

    def __init__(self, call: ToolUse) -> None:
        self.call = call
        self.opened: bool | None = None
        self.head = CardHead(call)
        self.buttons = CardButtons(call.index)
        self.sections = {name: Section(name, call.index) for name in ("arguments", "output")}
        self._end = CardEnd()
        self._grown: list[str] = []

    def put(self, block: Block) -> None:
        assert isinstance(block, ToolUse)
        if block.status is not ToolStatus.ASKING:
            self.buttons.denying = False
        self._grown = []
        self.call = self.head.call = block

    def append(self, text: str) -> None:
        self._grown.append(text)

    def toggle(self) -> None:
        self.opened = not self.is_open

    @property
    def is_open(self) -> bool:
        """What the person chose; else open while it asks, unless the head says it all."""
        if self.opened is not None:
            return self.opened
        if self.call.status is not ToolStatus.ASKING:
            return False
        return len(self.call.arguments or {}) > 1 or len(self.call.raw_arguments) > 60

    @property
    def busy(self) -> bool:
        return not self.call.status.ended

    @property
    def groups(self) -> bool:
        """Whether it may be put away with its neighbours: it went well and nobody opened it."""
        return self.call.status is ToolStatus.SUCCESS and not self.opened

    def sync(self, scene: Scene) -> list[Item]:
        if self._grown:
            grown = self.call.raw_arguments + "".join(self._grown)
            self._grown = []
            self.call = self.head.call = replace(self.call, raw_arguments=grown)
        self.head.opened = self.is_open
        return [self.head, self.buttons]

    def items(self) -> list[Item]:
        body: list[Item] = []
        call = self.call
        if self.is_open:
            writing = call.status is ToolStatus.WRITING
            text = arguments_text(call)
            label = tr("Arguments")
            body += self.sections["arguments"].items(label, text, ruled=True, tail=writing)
            result = result_text(call)
            if result:
                failed = call.status in (ToolStatus.ERROR, ToolStatus.DENIED)
                label = tr("Error") if failed else tr("Output")
                lines = result.count("\n") + 1
                if lines > CLIP_LINES:
                    label += " · " + tr("{count} lines", count=f"{lines:,}")
                body += self.sections["output"].items(label, result, ruled=False, failed=failed)
        if call.status is ToolStatus.ASKING:
            body.append(self.buttons)
        self.head.has_body = bool(body)
        return [self.head, *body, self._end] if body else [self.head]


class NoticeModel(BlockModel):
    def __init__(self, block: Notice) -> None:
        self.item = NoticeItem(block)
        self._stale = False

    def put(self, block: Block) -> None:
        assert isinstance(block, Notice)
        self.item.update(block)
        self._stale = True

    def sync(self, scene: Scene) -> list[Item]:
        if self._stale:
            scene.documents.drop(self.item)
            self._stale = False
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]


class ImageModel(BlockModel):
    def __init__(self, block: Image) -> None:
        self.item = ImageItem(block)

    def put(self, block: Block) -> None:
        assert isinstance(block, Image)
        self.item.image = block

    def sync(self, scene: Scene) -> list[Item]:
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]


class PersonModel(BlockModel):
    """What the person wrote."""

    def __init__(self, block: Text, message_id: str) -> None:
        self._message_id = message_id
        self._text = ""
        self._items: list[PersonItem] = []
        self.put(block)

    def put(self, block: Block) -> None:
        assert isinstance(block, Text)
        self._text = block.text
        chunks = chunks_of(block.text.strip("\n"), _PART_LINES, 1_500)
        self._items = [PersonItem(part, joint, self._message_id) for part, joint in chunks]
        for item in self._items:
            item.is_first = item is self._items[0]
            item.is_last = item is self._items[-1]

    def sync(self, scene: Scene) -> list[Item]:
        return []

    def items(self) -> list[Item]:
        return list(self._items) if self._text.strip() else []

    @property
    def last(self) -> PersonItem:
        return self._items[-1]

    @property
    def markdown(self) -> str:
        return self._text
