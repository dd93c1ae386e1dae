"""The view's state of a tool call: its state, items, what the user opened, and the space of a form
that the call shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRectF

from neodeskpet.core.blocks import Block, ToolStatus, ToolUse
from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.markdown.pieces import Continuation
from neodeskpet.core.markdown.preparation import text_chunks
from neodeskpet.core.tool_result import Shown, ShownImage, ShownTable, shown_as_text
from neodeskpet.language import tr
from neodeskpet.language.approval_reason import approval_reason
from neodeskpet.language.approval_text import answer_labels, question_fact, question_subject
from neodeskpet.ui.chat.argument_form import ArgumentForm
from neodeskpet.ui.chat.items.block_models import BlockModel
from neodeskpet.ui.chat.items.code_items import MonospaceItem
from neodeskpet.ui.chat.items.item import Item, PaintContext, Scene
from neodeskpet.ui.chat.items.tool_card_items import (
    CARD_INSET,
    ApprovalButtons,
    CardActions,
    CardEnd,
    CardHead,
    CardLabel,
    CardLinks,
    paint_card_slice,
)
from neodeskpet.ui.chat.items.tool_result_items import (
    QuotedTextItem,
    ReasonItem,
    ResultTableItem,
    SentDataItem,
    TerminalItem,
    ToolPictureItem,
    item_class_for,
    label_for,
    pictures_of,
)
from neodeskpet.ui.formatting import (
    format_arguments,
    model_error_text,
    printable,
    raw_result,
)


class CardFormItem(Item):
    """Reserves the space of `form`, a widget that the view places above it."""

    in_card = True

    def __init__(self, index: int, form: ArgumentForm) -> None:
        self.key = f"question {index}"
        self.form = form

    def estimate(self, scene: Scene, width: int) -> int:
        return self.measure(scene, width)

    def measure(self, scene: Scene, width: int) -> int:
        self.width = width
        self._room = self.form.fit_width(width - CARD_INSET - scene.style.theme.padding)
        self.height = self._room + 10
        return self.height

    def form_rect(self, scene: Scene) -> QRectF:
        """Return the rectangle of the form. Valid after `measure`."""
        return QRectF(
            CARD_INSET, 2, self.width - CARD_INSET - scene.style.theme.padding, self._room
        )

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)

    @property
    def accessible_text(self) -> str:
        return self.form.heading.text()


CLIP_LINES = 12
_THING_LINES = 6
"""Lines of what a question is about that are shown before "show all"."""
CLIP_CHARS = 1_200
_SECTIONS = ("arguments", "output", "raw")
_BEGINNING = 20_000
"""Only this many characters of a long text are prepared for display until all of it is
requested.
"""
_PART_LINES = 60
_PART_CHARS = 3_000


class CardSection:
    """A labelled text in an open card: its beginning, or all of it in parts."""

    def __init__(self, name: str, index: int, lines: int = CLIP_LINES) -> None:
        self.name = name
        self._lines = lines
        self.shows_all = False
        self.links = CardLinks(f"{name} {index}", section=name, text="")
        self._label: CardLabel | None = None
        self._items: list[Item] = []
        self._made: tuple[object, ...] | None = None

    def items(
        self,
        label: str,
        text: str,
        *,
        ruled: bool,
        failed: bool = False,
        tail: bool = False,
        form: Callable[..., MonospaceItem] = MonospaceItem,
        whole: Callable[[], str] | None = None,
    ) -> list[Item]:
        """Return the items. `tail` shows the end instead of the beginning (for a text that is being
        written); `form` is the class of the text items. `whole` returns the full text to copy.
        """
        wanted = (label, text, ruled, failed, tail or self.shows_all, form)
        if wanted != self._made:
            self._made = wanted
            self._items = self._make(label, text, ruled=ruled, failed=failed, tail=tail, form=form)
        self.links.whole = whole or (lambda: text)
        return self._items

    def plain_items(self, text: str, form: Callable[..., MonospaceItem]) -> list[Item]:
        """Return the items without a label; with links only if a part of the text is left out."""
        made = self.items("", text, ruled=False, form=form)[1:]
        return made if self.links.clipped or self.links.shows_all else made[:-1]

    def table(self, label: str, table: ShownTable) -> list[Item]:
        wanted = (label, table, self.shows_all)
        if wanted != self._made:
            self._made = wanted
            self.links.whole = partial(shown_as_text, table)
            rows = len(table.rows) if self.shows_all else CLIP_LINES
            self.links.clipped = rows < len(table.rows)
            self.links.shows_all = self.shows_all
            self._items = [CardLabel(label, ruled=False), ResultTableItem(table, rows), self.links]
        return self._items

    def _make(
        self,
        label: str,
        text: str,
        *,
        ruled: bool,
        failed: bool,
        tail: bool,
        form: Callable[..., MonospaceItem],
    ) -> list[Item]:
        head = text if self.shows_all else clip_head(text, self._lines)
        shown = clip_tail(text) if tail else head
        self.links.clipped = shown != text and not tail
        self.links.shows_all = self.shows_all
        chunks = text_chunks(shown, _PART_LINES, _PART_CHARS)
        return [
            CardLabel(label, ruled=ruled, token="failed" if failed else "muted"),
            *(form(part, joint, failed=failed) for part, joint in chunks),
            self.links,
        ]


def clip_head(text: str, most: int = CLIP_LINES) -> str:
    """Return at most `most` lines and a limited number of characters."""
    lines = text.split("\n", most)
    short = "\n".join(lines[:most])
    if len(short) > CLIP_CHARS:
        short = short[:CLIP_CHARS]
    return short + " …" if len(short) < len(text) else text


def clip_tail(text: str) -> str:
    end = text[-CLIP_CHARS:]
    lines = end.split("\n")[-CLIP_LINES:]
    short = "\n".join(lines)
    return "… " + short if len(short) < len(text) else short


def _subject_item(call: ToolUse) -> Callable[..., MonospaceItem]:
    """Return the class of the items for what a call that asks would touch."""
    if call.flow is not None:
        return partial(SentDataItem, question=call.flow)
    return TerminalItem if question_subject(call).startswith("$ ") else QuotedTextItem


class ToolCardModel(BlockModel):
    """A tool call. `opened` by the user survives every change of its state."""

    def __init__(self, call: ToolUse) -> None:
        self.call = call
        self.opened = False
        self.head = CardHead(call)
        self.buttons = ApprovalButtons(call.index)
        self.sections = {name: CardSection(name, call.index) for name in _SECTIONS}
        self.sections["thing"] = CardSection("thing", call.index, _THING_LINES)
        self.undo = CardActions(call.index)
        self.pictures: list[ToolPictureItem] = pictures_of(call)
        self.undoable = self.changes = False
        self.question: CardFormItem | None = None
        self._end = CardEnd()
        self._grown: list[str] = []
        self._knows_grants = False
        self._thing = _subject_item(call)
        self._why: ReasonItem | None = None

    def set_block(self, block: Block) -> None:
        assert isinstance(block, ToolUse)
        if block.status is not ToolStatus.ASKING:
            self.buttons.denying = False
            self.buttons.form = 0
        if block.status is not ToolStatus.RUNNING:
            self.question = None
        self._knows_grants = False
        self._grown = []
        if (block.status, block.question) != (self.call.status, self.call.question):
            self.head.invalidate()  # a question needs more lines
        if block.flow != self.call.flow or block.question != self.call.question:
            self._thing = _subject_item(block)
            self.sections["thing"].shows_all = block.flow is not None  # all that would be sent
        if block.images != self.call.images:
            self.pictures = pictures_of(block)
        self.call = self.head.call = block

    def append(self, text: str) -> None:
        self._grown.append(text)

    def toggle(self) -> None:
        self.opened = not self.opened

    @property
    def is_busy(self) -> bool:
        return not self.call.status.ended

    @property
    def can_be_grouped(self) -> bool:
        """Whether it can be grouped with its neighbours: it succeeded and changed nothing, the user
        didn't open it, and it has no button and no picture.
        """
        seen = self.opened or self.undoable or self.pictures or self.changes
        return self.call.status is ToolStatus.SUCCESS and not seen

    def sync(self, scene: Scene) -> list[Item]:
        if self._grown:
            grown = self.call.raw_arguments + "".join(self._grown)
            self._grown = []
            self.call = self.head.call = replace(self.call, raw_arguments=grown)
        self.head.sync(scene)
        self.head.opened = self.opened
        self.undoable = self.undo.undoable = scene.can_undo(self.call)
        self.changes = scene.is_change(self.call.name)
        ended = self.call.status.ended and self.opened
        self.undo.repeatable = ended and scene.can_repeat(self.call)
        if self.call.status is ToolStatus.ASKING and not self._knows_grants:
            self._knows_grants = True
            self.buttons.grants = scene.approval.grants(self.call)
            self.buttons.can_refuse = scene.approval.can_refuse(self.call)
            self.buttons.can_edit = bool(
                self.call.arguments or scene.approval.schema(self.call).get("properties")
            )
            self.buttons.invalidate()
        if self.call.status is ToolStatus.ASKING:
            labels = answer_labels(self.call)
            if labels != self.buttons.labels:  # also after a change of the language
                self.buttons.labels = labels
                self.buttons.invalidate()
        return [self.head, self.buttons, self.undo]

    def items(self) -> list[Item]:
        body: list[Item] = []
        call = self.call
        if call.status is ToolStatus.ASKING:
            body += self._question(call)
        if self.opened:
            writing = call.status is ToolStatus.WRITING
            section = self.sections["arguments"]
            text = format_arguments(call, beginning=not section.shows_all)
            label = tr("Arguments")
            if self.head.title != call.name:
                label += f" · {call.name}"  # the name for the model
            if call.leaked:
                label += " · " + tr("read from the text")
            whole = partial(format_arguments, call)
            body += section.items(label, text, ruled=True, tail=writing, whole=whole)
            if call.status is not ToolStatus.ASKING:
                body += self._outcome(call)
        if call.status is ToolStatus.ASKING:
            body.append(self.buttons)
        if self.question is not None:
            body.append(self.question)
        body += self.pictures
        acts = self.undo.undoable or self.undo.repeatable
        if self.opened and acts and self.question is None:
            body.append(self.undo)
        self.head.has_body = bool(body)
        return [self.head, *body, self._end] if body else [self.head]

    def _question(self, call: ToolUse) -> list[Item]:
        """Return the items of the question: why it asks, what the call touches and would change,
        and whether it can be undone.
        """
        items: list[Item] = [] if call.flow is None else [self._reason(call.flow)]
        thing, fact = question_subject(call), question_fact(call)
        if thing:
            items += self.sections["thing"].plain_items(thing, self._thing)
        items += self._outcome(call)
        if fact:
            final = call.question is not None and call.question.undoable is False
            items.append(CardLabel(fact, ruled=False, token="asks" if final else "muted"))
        return items

    def _reason(self, question: FlowQuestion) -> ReasonItem:
        words = approval_reason(question)
        if self._why is None or self._why.source != words:
            self._why = ReasonItem(words, Continuation.NONE)
        return self._why

    def _outcome(self, call: ToolUse) -> list[Item]:
        """Return the items of the result, or of the expected result while it asks."""
        result = raw_result(call, self.head.title)
        if isinstance(call.shown, ShownImage) and self.pictures:
            return []  # the picture is shown anyway
        if call.shown is not None and call.status is ToolStatus.SUCCESS:
            return self._shown(call.shown)
        if call.shown is not None and call.status is ToolStatus.ASKING:
            return self._shown(call.shown, tr("What would change"))
        if not result:
            return []
        failed = call.status is ToolStatus.ERROR
        label = tr("Error") if failed else tr("Output")
        if call.status is ToolStatus.DENIED:
            label = tr("Reason")
        lines = result.count("\n") + 1
        if lines > CLIP_LINES:
            label += " · " + tr("{count} lines", count=f"{lines:,}")
        return self._result(label, result, failed=failed)

    def _result(self, label: str, result: str, *, failed: bool) -> list[Item]:
        """Return the items of the result for the model, or of the error; an error also shows the
        text for the model if it contains more than its translation.
        """
        section = self.sections["output"]
        shown = printable(result if section.shows_all else result[:_BEGINNING])
        raw = model_error_text(self.call)
        whole: Callable[[], str] = partial(printable, result)
        if raw.startswith(shown):
            shown = raw
            raw, whole = "", partial(model_error_text, self.call)
        items = section.items(label, shown, ruled=False, failed=failed, whole=whole)
        if not raw:
            return items
        return [*items, *self.sections["raw"].items(tr("What the model reads"), raw, ruled=False)]

    def _shown(self, shown: Shown, named: str = "") -> list[Item]:
        """Return the items of what the tool shows to the user, in place of its text for
        the model.
        """
        section = self.sections["output"]
        label = named or label_for(shown) or tr("Output")
        if isinstance(shown, ShownTable):
            if len(shown.rows) > CLIP_LINES:
                label += " · " + tr("{count} lines", count=f"{len(shown.rows):,}")
            return section.table(label, shown)
        words = shown_as_text(shown)
        text = printable(words if section.shows_all else words[:_BEGINNING])
        whole = partial(printable, words)
        return section.items(label, text, ruled=False, form=item_class_for(shown), whole=whole)
