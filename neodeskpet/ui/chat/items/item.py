"""What the view is made of: items, one below the other. Here their common base, and the plain ones.

An item knows how to measure itself for a width, to paint itself into a box, and which of its parts
can be pressed. It holds no widget, and its document (if it has one) may be made anew at any time.
Coordinates are the item's own: its top left corner is (0, 0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import ToolUse
from neodeskpet.language import tr
from neodeskpet.ui.chat.approval import ApprovalInfo, NoApprovalInfo
from neodeskpet.ui.chat.find.match_marks import MatchMarks
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import DocumentCache
from neodeskpet.ui.rendering.code_highlighter import Highlighter
from neodeskpet.ui.rendering.formula_cache import FormulaCache

INDENT_WIDTH = 22


class ItemAction(StrEnum):
    """What pressing a part does."""

    TOGGLE = "toggle"
    SHOW_ALL = "show_all"
    COPY = "copy"
    SHOW = "show"
    APPROVE = "approve"
    EDIT = "edit"
    ASK_REASON = "ask_reason"
    CANCEL_REASON = "forget_reason"
    DENY = "deny"
    ACTION = "action"
    RETRY = "retry"
    SCROLL = "scroll"
    UNDO = "undo"
    DETACH = "leave"
    RUN_AGAIN = "run_again"
    VERSION = "version"
    EDIT_MESSAGE = "rewrite"
    MENU = "menu"
    WRAP = "wrap"
    FOLD = "fold"
    SAVE = "save"


@dataclass(frozen=True, slots=True)
class HitRegion:
    """A place that can be pressed. `key` is unique in its item; `value` is what goes with `does`:
    the text to copy, the section to show, or the action. `answer` is the one that APPROVE and DENY
    give. A sign has no words beside it: its name is its tip.
    """

    key: str
    rect: QRectF
    name: str
    action: ItemAction
    value: str = ""
    opened: bool | None = None
    is_icon: bool = False
    answer: ConsentAnswer = ConsentAnswer.DENY


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage of a document that an answer was told, and what it is called."""

    passage: str
    label: str


@dataclass(slots=True)
class PointedRegion:
    """A part of an item, as the mouse or the keyboard points at it. `key` "" is the item alone."""

    item: Item
    key: str = ""


@dataclass(slots=True)
class Scene:
    """What items share while they are measured and painted. `versions` of a message are which one
    it is, and of how many. `summarised_until` is the last message that a summary stands for;
    `cited` are the sources that messages were told of, by their ids. `name` is who answers here.
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
    summarised_until: str = ""
    citations: Mapping[str, Sequence[Citation]] = field(default_factory=dict)
    name: str = ""
    expression_name: Callable[[str, str], str] = lambda own, _language: own
    reduced: bool = False
    pulse: float = 0.0
    hover: PointedRegion | None = None
    focus: PointedRegion | None = None
    hovered_message: str = ""
    focused_message: str = ""
    copied: str = ""
    can_undo: Callable[[ToolUse], bool] = lambda _call: False
    can_detach: Callable[[ToolUse], bool] = lambda _call: False
    can_repeat: Callable[[ToolUse], bool] = lambda _call: False
    approval: ApprovalInfo = field(default_factory=NoApprovalInfo)
    formulas: FormulaCache = field(default_factory=FormulaCache)
    marks: MatchMarks = field(default_factory=MatchMarks)

    def is_hovered(self, item: Item, key: str) -> bool:
        return self.hover is not None and self.hover.item is item and self.hover.key == key

    def is_focused(self, item: Item, key: str) -> bool:
        return self.focus is not None and self.focus.item is item and self.focus.key == key


@dataclass(frozen=True, slots=True)
class PaintContext:
    """Where and how to paint: the item's box in the viewport, what of it is asked for, and the
    selected characters (start, end) of a text.
    """

    painter: QPainter
    box: QRectF
    clip: QRectF
    selected: tuple[int, int] | None = None


class Item:
    """Base of all items. `gap` px lie above it; `width` is what `height` was measured for (0 when
    the height is an estimate).
    """

    gap = 0
    height = 0
    width = 0
    unchanged_height = 0
    """So many pixels from its top look as they did before it changed last."""
    is_nearly_measured = False
    """Whether it is nearly as high as it was, though it isn't measured."""
    indent = 0
    key = ""
    in_card = False

    def estimate(self, scene: Scene, width: int) -> int:
        """A guess of the height, without laying anything out."""
        raise NotImplementedError

    def measure(self, scene: Scene, width: int) -> int:
        """The exact height at `width`; kept in `height` and `width`."""
        raise NotImplementedError

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        raise NotImplementedError

    def hit_regions(self, _scene: Scene) -> list[HitRegion]:
        """Parts that can be pressed, in reading order. Valid after `measure`."""
        return []

    def region_at(self, scene: Scene, point: QPointF) -> HitRegion | None:
        return next((part for part in self.hit_regions(scene) if part.rect.contains(point)), None)

    @property
    def is_animated(self) -> bool:
        """Whether it has to be painted again as time passes."""
        return False

    @property
    def accessible_text(self) -> str:
        """What a screen reader says of it."""
        return ""

    def invalidate(self) -> None:
        """The height must be measured anew, and all of it painted."""
        self.width = self.unchanged_height = 0
        self.is_nearly_measured = False

    @property
    def measure_cost(self) -> int:
        """A guess of what `measure` costs, in microseconds."""
        return 300

    @property
    def repaint_from(self) -> int:
        """Where, from the top of its row (its gap included), it is to be painted anew."""
        return self.gap + self.unchanged_height if self.unchanged_height else 0


class FixedHeightItem(Item):
    """An item whose height depends on the theme alone."""

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
    """A quiet line that says what goes on: a retry, a look at a picture, or that the reply is
    awaited (no words then, only the caret). `sign` is "retry", "picture"
    or "loading".
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
    """Stands for an item that can't be shown, at its place."""

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
    """A small heading over what follows, with a sign of its own."""

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
    """The soft block at the end of text that streams; `y` is the top of its line."""
    look = scene.style
    top = y + (look.theme.line_px - look.caret_height) / 2
    ratio = painter.device().devicePixelRatioF()
    painter.setOpacity(0.75 if scene.reduced else 0.4 + 0.45 * (1 - scene.pulse))
    spot = QPointF(round(x * ratio) / ratio, round(top * ratio) / ratio)
    painter.drawPixmap(spot, look.caret(ratio))  # each piece of a reply moves it
    painter.setOpacity(1.0)
