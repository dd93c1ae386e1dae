"""The base class of items and the plain items. A message is painted as items, one below the other.

An item can measure itself for a width, paint itself into a box, and list its clickable parts. It
contains no widget, and its document (if it has one) may be recreated at any time. Coordinates are
relative to the item's top left corner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QTextDocument

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.text_search import SearchPattern, utf16_spans
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import DocumentCache
from neodeskpet.ui.rendering.code_highlighter import Highlighter
from neodeskpet.ui.rendering.formula_cache import FormulaCache

INDENT_WIDTH = 22


class ApprovalInfo(Protocol):
    """Information about a call that asks for permission."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        """Return the possible meanings of "always", the narrowest first."""
        ...

    def can_refuse(self, call: ToolUse) -> bool:
        """Return whether "never" can turn the tool off."""
        ...

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        """Return the JSON Schema of the arguments; empty if unknown."""
        ...

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        """Return why the tool would refuse these arguments; "" if it accepts them."""
        ...


class NoApprovalInfo:
    """The `ApprovalInfo` of a view without an engine."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        return (Grant(call.name),)

    def can_refuse(self, call: ToolUse) -> bool:
        return False

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        return {}

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        return ""


_MAX_KEPT = 256


@dataclass(slots=True)
class MatchMarks:
    """`current` is the text of the current match and its number. Positions count UTF-16 units over
    the whole text, so formats within a word don't matter.
    """

    needle: SearchPattern = field(default_factory=lambda: SearchPattern(()))
    current: tuple[object, int] | None = None
    _known: dict[object, tuple[tuple[int, int], list[tuple[int, int]]]] = field(
        default_factory=dict
    )

    def set_needle(self, needle: SearchPattern) -> None:
        self.needle = needle
        self.current = None
        self._known.clear()

    def match_positions(self, owner: object, document: QTextDocument) -> list[tuple[int, int]]:
        """Return the spans of the matches in the document of `owner`."""
        if not self.needle:
            return []
        state = document.revision(), document.characterCount()
        known = self._known.get(owner)
        if known is not None and known[0] == state:
            return known[1]
        text = document.toRawText()
        found = utf16_spans(text, self.needle.spans(text))
        if len(self._known) > _MAX_KEPT:
            self._known.clear()
        self._known[owner] = (state, found)
        return found

    def marked_spans(self, owner: object, document: QTextDocument) -> list[tuple[int, int, bool]]:
        """Return the spans of the matches, and whether each is the current one."""
        found = self.match_positions(owner, document)
        here = self.current[1] if self.current is not None and self.current[0] is owner else -1
        return [(start, end, at == here) for at, (start, end) in enumerate(found)]


class ItemAction(StrEnum):
    """What a click on a part does."""

    TOGGLE = "toggle"
    SHOW_ALL = "show_all"
    COPY = "copy"
    SHOW = "show"
    APPROVE = "approve"
    EDIT = "edit"
    CHOICES = "choices"
    ASK_REASON = "ask_reason"
    CANCEL_REASON = "forget_reason"
    DENY = "deny"
    ACTION = "action"
    RETRY = "retry"
    SCROLL = "scroll"
    UNDO = "undo"
    DETACH = "leave"
    STOP = "stop"
    RUN_AGAIN = "run_again"
    VERSION = "version"
    EDIT_MESSAGE = "rewrite"
    MENU = "menu"
    WRAP = "wrap"
    FOLD = "fold"
    SAVE = "save"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class HitRegion:
    """A clickable part. `key` is unique in its item; `value` belongs to `action`: the text to copy,
    the section to show, or the action. `answer` is the answer of APPROVE and DENY. An icon has no
    text; its name is its tooltip. `choices` are the entries of the menu that CHOICES opens; their
    rectangles are empty.
    """

    key: str
    rect: QRectF
    name: str
    action: ItemAction
    value: str = ""
    opened: bool | None = None
    is_icon: bool = False
    answer: ConsentAnswer = ConsentAnswer.DENY
    choices: tuple[HitRegion, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage of a document that was given to the model for a reply, with its label."""

    passage: str
    label: str


@dataclass(slots=True)
class PointedRegion:
    """The part of an item below the mouse or with the keyboard focus. `key` "" stands for the item
    itself.
    """

    item: Item
    key: str = ""


@dataclass(slots=True)
class Scene:
    """State that items share for measuring and painting. `versions` returns the number of a
    message's version and how many there are. `summarised_until` is the last message that a summary
    covers; `citations` are the sources of messages, by message id. `name` is the character's name.
    `focus_visible`: the view has the keyboard focus, so the focused part has a frame.
    """

    style: ItemStyle
    documents: DocumentCache
    highlighter: Highlighter
    clock: Callable[[], float]
    picture: Callable[[str], QPixmap | None]
    main_argument: Callable[[str], str]
    tool_title: Callable[[str], str]
    ask_paint: Callable[[], None]
    is_newest: Callable[[str], bool] = lambda _message_id: True
    versions: Callable[[str], tuple[int, int]] = lambda _message_id: (1, 1)
    is_gesture: Callable[[str], bool] = lambda _name: False
    is_change: Callable[[str], bool] = lambda _name: False
    summarised_until: str = ""
    citations: Mapping[str, Sequence[Citation]] = field(default_factory=dict)
    name: str = ""
    expression_name: Callable[[str, str], str] = lambda own, _language: own
    reduced: bool = False
    pulse: float = 0.0
    hover: PointedRegion | None = None
    focus: PointedRegion | None = None
    focus_visible: bool = True
    hovered_message: str = ""
    focused_message: str = ""
    copied: str = ""
    can_undo: Callable[[ToolUse], bool] = lambda _call: False
    can_detach: Callable[[ToolUse], bool] = lambda _call: False
    can_stop: Callable[[ToolUse], bool] = lambda _call: False
    can_repeat: Callable[[ToolUse], bool] = lambda _call: False
    approval: ApprovalInfo = field(default_factory=NoApprovalInfo)
    formulas: FormulaCache = field(default_factory=FormulaCache)
    marks: MatchMarks = field(default_factory=MatchMarks)

    def is_hovered(self, item: Item, key: str) -> bool:
        return self.hover is not None and self.hover.item is item and self.hover.key == key

    def is_focused(self, item: Item, key: str) -> bool:
        focus = self.focus if self.focus_visible else None
        return focus is not None and focus.item is item and focus.key == key


@dataclass(frozen=True, slots=True)
class PaintContext:
    """Where and how to paint: the item's box in the viewport, the area to paint, and the selected
    characters (start, end) of a text.
    """

    painter: QPainter
    box: QRectF
    clip: QRectF
    selected: tuple[int, int] | None = None


class Item:
    """Base of all items. `gap` is the distance in px to the item above; `width` is the width that
    `height` was measured for (0 if the height is an estimate).
    """

    gap = 0
    height = 0
    width = 0
    unchanged_height = 0
    """Pixels from the top that the last change didn't affect."""
    is_nearly_measured = False
    """Whether the height is nearly right although it isn't measured."""
    indent = 0
    key = ""
    in_card = False

    def estimate(self, scene: Scene, width: int) -> int:
        """Return an estimated height without laying anything out."""
        raise NotImplementedError

    def measure(self, scene: Scene, width: int) -> int:
        """Return the exact height for `width`, and store both."""
        raise NotImplementedError

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        raise NotImplementedError

    def hit_regions(self, _scene: Scene) -> list[HitRegion]:
        """Return the clickable parts, in reading order. Valid after `measure`."""
        return []

    def focus_regions(self, scene: Scene) -> list[HitRegion]:
        """Return the parts that the keyboard and screen readers reach, in reading order: also links
        in the text, which the mouse finds by its position.
        """
        return self.hit_regions(scene)

    def region_at(self, scene: Scene, point: QPointF) -> HitRegion | None:
        return next((part for part in self.hit_regions(scene) if part.rect.contains(point)), None)

    @property
    def is_animated(self) -> bool:
        """Whether it must be repainted as time passes."""
        return False

    @property
    def accessible_text(self) -> str:
        """Return the text for screen readers."""
        return ""

    def invalidate(self) -> None:
        """Mark the height as unknown and the whole item as changed."""
        self.width = self.unchanged_height = 0
        self.is_nearly_measured = False

    @property
    def measure_cost(self) -> int:
        """Return an estimated cost of `measure`, in microseconds."""
        return 300

    @property
    def repaint_from(self) -> int:
        """Return the offset from the top of its row (including the gap) from which it must be
        repainted.
        """
        return self.gap + self.unchanged_height if self.unchanged_height else 0


class FixedHeightItem(Item):
    """An item whose height only depends on the theme."""

    def fixed_height(self, look: ItemStyle) -> int:
        raise NotImplementedError

    def estimate(self, scene: Scene, width: int) -> int:
        return self.fixed_height(scene.style)

    def measure(self, scene: Scene, width: int) -> int:
        self.width = width
        self.height = self.fixed_height(scene.style)
        return self.height


class RuleItem(FixedHeightItem):
    """A thematic break."""

    def fixed_height(self, look: ItemStyle) -> int:
        return 9

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        y = brush.box.top() + 4
        line = QRectF(brush.box.left(), y, brush.box.width(), 1)
        brush.painter.fillRect(line, scene.style.color("line"))


class StatusItem(FixedHeightItem):
    """A muted line about an activity: a retry, a look at a picture, or a reply that is awaited
    (without words, only the caret). `sign` is "retry", "picture" or "loading".
    """

    def __init__(self, words: str = "", *, sign: str = "retry") -> None:
        self.text = words
        self.icon_name = sign

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.line_px

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        if self.text:
            look = scene.style
            spot = QPointF(brush.box.left() + 7, brush.box.center().y())
            if self.icon_name == "picture":
                paint_primitives.draw_picture_icon(brush.painter, spot, look)
            else:
                colour = look.color("asks" if self.icon_name == "retry" else "muted")
                paint_primitives.draw_retry_icon(brush.painter, spot, colour)
            rect = brush.box.adjusted(22, 0, 0, 0)
            words = look.small_metrics.elidedText(
                self.text, Qt.TextElideMode.ElideRight, rect.width()
            )
            paint_primitives.draw_text(brush.painter, rect, words, look.small, look.color("muted"))
        else:
            paint_caret(scene, brush.painter, brush.box.left(), brush.box.top())

    @property
    def is_animated(self) -> bool:
        return not self.text

    @property
    def accessible_text(self) -> str:
        return self.text


class BrokenItem(FixedHeightItem):
    """Replaces an item that failed to paint."""

    def __init__(self, item: Item) -> None:
        self.gap, self.indent = item.gap, item.indent
        self.width, self.height = item.width, item.height

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.line_px

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look = scene.style
        paint_primitives.draw_frame(
            brush.painter, brush.box, look.color("pressed"), None, look.theme.control_radius
        )
        rect = brush.box.adjusted(8, 0, -8, 0)
        words = look.small_metrics.elidedText(
            self.accessible_text, Qt.TextElideMode.ElideRight, rect.width()
        )
        paint_primitives.draw_text(brush.painter, rect, words, look.small, look.color("muted"))

    @property
    def accessible_text(self) -> str:
        return tr("This part can't be shown.")


class LabelItem(FixedHeightItem):
    """A small heading with an icon above the following items."""

    def __init__(self, words: str, token: str = "muted") -> None:
        self.text = words
        self.token = token

    def fixed_height(self, look: ItemStyle) -> int:
        return look.small_line

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look = scene.style
        paint_primitives.draw_text(
            brush.painter, brush.box, self.text, look.small_bold, look.color(self.token)
        )

    @property
    def accessible_text(self) -> str:
        return self.text


def paint_caret(scene: Scene, painter: QPainter, x: float, y: float) -> None:
    """Paint the caret after streaming text; `y` is the top of its line."""
    look = scene.style
    top = y + (look.theme.line_px - look.caret_height) / 2
    ratio = painter.device().devicePixelRatioF()
    painter.setOpacity(0.75 if scene.reduced else 0.4 + 0.45 * (1 - scene.pulse))
    spot = QPointF(round(x * ratio) / ratio, round(top * ratio) / ratio)
    painter.drawPixmap(spot, look.caret(ratio))  # it moves with each delta of a reply
    painter.setOpacity(1.0)
