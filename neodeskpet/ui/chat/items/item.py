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
from neodeskpet.ui.chat.consent.port import ConsentPort, Unconnected
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.documents import Documents
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.find.marks import Marks
from neodeskpet.ui.formulas.drawer import Formulas
from neodeskpet.ui.highlight.highlighter import Highlighter

LEVEL = 22


class Does(StrEnum):
    """What pressing a part does."""

    TOGGLE = "toggle"
    SHOW_ALL = "show_all"
    COPY = "copy"
    SHOW = "show"
    APPROVE = "approve"
    EDIT = "edit"
    ASK_REASON = "ask_reason"
    FORGET_REASON = "forget_reason"
    DENY = "deny"
    ACTION = "action"
    RETRY = "retry"
    SCROLL = "scroll"
    UNDO = "undo"
    LEAVE = "leave"
    VERSION = "version"
    REWRITE = "rewrite"
    MENU = "menu"
    WRAP = "wrap"
    FOLD = "fold"
    SAVE = "save"


@dataclass(frozen=True, slots=True)
class Part:
    """A place that can be pressed. `key` is unique in its item; `value` is what goes with `does`:
    the text to copy, the section to show, or the action. `answer` is the one that APPROVE and DENY
    give. A sign has no words beside it: its name is its tip.
    """

    key: str
    rect: QRectF
    name: str
    does: Does
    value: str = ""
    opened: bool | None = None
    is_sign: bool = False
    answer: ConsentAnswer = ConsentAnswer.DENY


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage of a document that an answer was told, and what it is called."""

    passage: str
    label: str


@dataclass(slots=True)
class Pointed:
    """A part of an item, as the mouse or the keyboard points at it. `key` "" is the item alone."""

    item: Item
    key: str = ""


@dataclass(slots=True)
class Scene:
    """What items share while they are measured and painted. `versions` of a message are which one
    it is, and of how many. `summarised` is the last message that a summary stands for; `cited` are
    the sources that messages were told of, by their ids. `name` is who answers here.
    """

    look: Look
    documents: Documents
    highlighter: Highlighter
    clock: Callable[[], float]
    picture: Callable[[str], QPixmap | None]
    main_argument: Callable[[str], str]
    tool_title: Callable[[str], str]
    ask_paint: Callable[[], None]
    is_newest: Callable[[str], bool] = lambda _message_id: True
    versions: Callable[[str], tuple[int, int]] = lambda _message_id: (1, 1)
    is_gesture: Callable[[str], bool] = lambda _name: False
    summarised: str = ""
    cited: Mapping[str, Sequence[Cited]] = field(default_factory=dict)
    name: str = ""
    part_name: Callable[[str, str], str] = lambda own, _language: own
    reduced: bool = False
    pulse: float = 0.0
    hover: Pointed | None = None
    focus: Pointed | None = None
    hovered_message: str = ""
    focused_message: str = ""
    copied: str = ""
    can_undo: Callable[[ToolUse], bool] = lambda _call: False
    can_leave: Callable[[ToolUse], bool] = lambda _call: False
    consent: ConsentPort = field(default_factory=Unconnected)
    formulas: Formulas = field(default_factory=Formulas)
    marks: Marks = field(default_factory=Marks)

    def is_hovered(self, item: Item, key: str) -> bool:
        return self.hover is not None and self.hover.item is item and self.hover.key == key

    def is_focused(self, item: Item, key: str) -> bool:
        return self.focus is not None and self.focus.item is item and self.focus.key == key


@dataclass(frozen=True, slots=True)
class Brush:
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
    same = 0
    """So many pixels from its top look as they did before it changed last."""
    near = False
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

    def paint(self, scene: Scene, brush: Brush) -> None:
        raise NotImplementedError

    def parts(self, _scene: Scene) -> list[Part]:
        """Parts that can be pressed, in reading order. Valid after `measure`."""
        return []

    def part_at(self, scene: Scene, point: QPointF) -> Part | None:
        return next((part for part in self.parts(scene) if part.rect.contains(point)), None)

    @property
    def moving(self) -> bool:
        """Whether it has to be painted again as time passes."""
        return False

    @property
    def spoken(self) -> str:
        """What a screen reader says of it."""
        return ""

    def outdate(self) -> None:
        """The height must be measured anew, and all of it painted."""
        self.width = self.same = 0
        self.near = False

    @property
    def work(self) -> int:
        """A guess of what `measure` costs, in microseconds."""
        return 300

    @property
    def fresh(self) -> int:
        """Where, from the top of its row (its gap included), it is to be painted anew."""
        return self.gap + self.same if self.same else 0


class FixedItem(Item):
    """An item whose height depends on the theme alone."""

    def fixed_height(self, look: Look) -> int:
        raise NotImplementedError

    def estimate(self, scene: Scene, width: int) -> int:
        return self.fixed_height(scene.look)

    def measure(self, scene: Scene, width: int) -> int:
        self.width = width
        self.height = self.fixed_height(scene.look)
        return self.height


class RuleItem(FixedItem):
    """A thematic break."""

    def fixed_height(self, look: Look) -> int:
        return 9

    def paint(self, scene: Scene, brush: Brush) -> None:
        y = brush.box.top() + 4
        line = QRectF(brush.box.left(), y, brush.box.width(), 1)
        brush.painter.fillRect(line, scene.look.color("line"))


class StatusItem(FixedItem):
    """A quiet line that says what goes on: a retry, a look at a picture, or that the reply is
    awaited (no words then, only the caret). `sign` is "retry", "picture"
    or "loading".
    """

    def __init__(self, words: str = "", *, sign: str = "retry") -> None:
        self.words = words
        self.sign = sign

    def fixed_height(self, look: Look) -> int:
        return look.theme.line_px

    def paint(self, scene: Scene, brush: Brush) -> None:
        if self.words:
            look = scene.look
            spot = QPointF(brush.box.left() + 7, brush.box.center().y())
            if self.sign == "picture":
                draw.picture_sign(brush.painter, spot, look)
            else:
                colour = look.color("asks" if self.sign == "retry" else "muted")
                draw.retry_sign(brush.painter, spot, colour)
            rect = brush.box.adjusted(22, 0, 0, 0)
            words = look.small_metrics.elidedText(
                self.words, Qt.TextElideMode.ElideRight, rect.width()
            )
            draw.text(brush.painter, rect, words, look.small, look.color("muted"))
        else:
            paint_caret(scene, brush.painter, brush.box.left(), brush.box.top())

    @property
    def moving(self) -> bool:
        return not self.words

    @property
    def spoken(self) -> str:
        return self.words


class UnshownItem(FixedItem):
    """Stands for an item that can't be shown, at its place."""

    def __init__(self, item: Item) -> None:
        self.gap, self.indent = item.gap, item.indent
        self.width, self.height = item.width, item.height

    def fixed_height(self, look: Look) -> int:
        return look.theme.line_px

    def paint(self, scene: Scene, brush: Brush) -> None:
        look = scene.look
        draw.frame(brush.painter, brush.box, look.color("pressed"), None, look.theme.control_radius)
        rect = brush.box.adjusted(8, 0, -8, 0)
        words = look.small_metrics.elidedText(
            self.spoken, Qt.TextElideMode.ElideRight, rect.width()
        )
        draw.text(brush.painter, rect, words, look.small, look.color("muted"))

    @property
    def spoken(self) -> str:
        return tr("This part can't be shown.")


class LabelItem(FixedItem):
    """A small heading over what follows, with a sign of its own."""

    def __init__(self, words: str, token: str = "muted") -> None:
        self.words = words
        self.token = token

    def fixed_height(self, look: Look) -> int:
        return look.small_line

    def paint(self, scene: Scene, brush: Brush) -> None:
        look = scene.look
        draw.text(brush.painter, brush.box, self.words, look.small_bold, look.color(self.token))

    @property
    def spoken(self) -> str:
        return self.words


def paint_caret(scene: Scene, painter: QPainter, x: float, y: float) -> None:
    """The soft block at the end of text that streams; `y` is the top of its line."""
    look = scene.look
    top = y + (look.theme.line_px - look.caret_height) / 2
    ratio = painter.device().devicePixelRatioF()
    painter.setOpacity(0.75 if scene.reduced else 0.4 + 0.45 * (1 - scene.pulse))
    spot = QPointF(round(x * ratio) / ratio, round(top * ratio) / ratio)
    painter.drawPixmap(spot, look.caret(ratio))  # each piece of a reply moves it
    painter.setOpacity(1.0)
