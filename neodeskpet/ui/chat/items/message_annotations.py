"""Small items besides the text of messages: citations, the line where the summary ends, and
gestures of the figure.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.json_text import read_json
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import (
    Citation,
    FixedHeightItem,
    HitRegion,
    Item,
    ItemAction,
    PaintContext,
    Scene,
)
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.formatting import format_main_argument, printable, single_line

CITED_KEY = "cited "
"""The prefix of the action that opens a citation; the passage's id follows."""
SEARCH_TOOL = "knowledge.search"
MAX_CHIPS = 6
_CHIP_PAD, _CHIP_GAP, _CHIP_EDGE = 9, 6, 3


class CitationsItem(FixedHeightItem):
    """The sources of a reply: as many chips as fit into a line."""

    key = "cited"

    def __init__(self) -> None:
        self._cited: tuple[Citation, ...] = ()
        self._lead = ""

    def set_citations(self, cited: Sequence[Citation]) -> None:
        if self._cited != tuple(cited):
            self._cited = tuple(cited)
            self.invalidate()

    def fixed_height(self, look: ItemStyle) -> int:
        return look.small_line + 2 * _CHIP_EDGE + 2

    def measure(self, scene: Scene, width: int) -> int:
        self._lead = tr("Sources:")
        return super().measure(scene, width)

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        metrics = scene.style.small_metrics
        left = metrics.horizontalAdvance(self._lead) + 8.0
        found: list[HitRegion] = []
        for one in self._cited:
            name = single_line(printable(one.label), 60)
            wide = min(metrics.horizontalAdvance(name) + 2.0 * _CHIP_PAD + 2, self.width - left)
            if wide < 60 and found:
                break
            rect = QRectF(left, 0, max(wide, 40.0), self.height)
            found.append(
                HitRegion(
                    CITED_KEY + one.passage, rect, name, ItemAction.ACTION, CITED_KEY + one.passage
                )
            )
            left += wide + _CHIP_GAP
        return found

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter, box = scene.style, brush.painter, brush.box
        paint_primitives.draw_text(painter, box, self._lead, look.small, look.color("muted"))
        for part in self.hit_regions(scene):
            rect = part.rect.translated(box.topLeft()).adjusted(0.5, 0.5, -0.5, -0.5)
            lit = scene.is_hovered(self, part.key)
            fill = look.color("pressed" if lit else "surface")
            paint_primitives.draw_frame(painter, rect, fill, look.color("line"), rect.height() / 2)
            room = rect.adjusted(_CHIP_PAD, 0, -_CHIP_PAD, 0)
            shown = look.small_metrics.elidedText(
                part.name, Qt.TextElideMode.ElideMiddle, int(room.width())
            )
            paint_primitives.draw_text(painter, room, shown, look.small, look.color("accent"))
            if scene.is_focused(self, part.key):
                paint_primitives.draw_focus_ring(painter, rect, look, rect.height() / 2)

    @property
    def accessible_text(self) -> str:
        return tr("Sources: {names}", names=", ".join(one.label for one in self._cited))


def passages_of(call: ToolUse) -> list[Citation]:
    """Return the passages that the tool found."""
    if call.name != SEARCH_TOOL or call.status is not ToolStatus.SUCCESS:
        return []
    try:
        output = read_json(call.output)
    except (ValueError, RecursionError):
        return []
    rows = output.get("passages") if isinstance(output, dict) else None
    return [
        Citation(str(row["id"]), str(row["source"]))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and "id" in row and "source" in row
    ]


def cited_in(citations: Sequence[Citation], text: str) -> list[Citation]:
    """Return the passages that the text of a reply names, each once."""
    by_label = {one.label: one for one in reversed(citations)}
    ordered = [one for one in citations if by_label[one.label] is one]
    return [one for one in ordered if _is_named(text, one.label)][:MAX_CHIPS]


def _is_named(text: str, label: str) -> bool:
    """Whether the text names the passage: by its whole label or by its file."""
    file = label.split(" › ")[0].rpartition(", ")[0] or label.split(" › ")[0]
    return label in text or file in text


SUMMARY_KEY = "summary"
"""The action that opens the summary."""
_MARK_PAD = 10


class SummaryMark(FixedHeightItem):
    """A text between two lines, like the one for a new day."""

    key = SUMMARY_KEY

    def fixed_height(self, look: ItemStyle) -> int:
        return look.small_line + 8

    def measure(self, scene: Scene, width: int) -> int:
        look = scene.style
        self._words = tr("The messages above are summarized")
        room = width - 2 * _MARK_PAD
        self._shown = look.small_metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        self._wide = look.small_metrics.horizontalAdvance(self._shown) + 2 * _MARK_PAD
        return super().measure(scene, width)

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        side = max(0.0, (self.width - self._wide) / 2)
        rect = QRectF(side, 0, self._wide, self.height)
        return [HitRegion(SUMMARY_KEY, rect, self._words, ItemAction.ACTION, SUMMARY_KEY)]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter, box = scene.style, brush.painter, brush.box
        (part,) = self.hit_regions(scene)
        rect = part.rect.translated(box.topLeft())
        line, y = look.color("line"), int(rect.center().y())
        painter.fillRect(QRectF(box.left(), y, rect.left() - box.left(), 1), line)
        painter.fillRect(QRectF(rect.right(), y, box.right() - rect.right(), 1), line)
        hovered = scene.is_hovered(self, SUMMARY_KEY)
        if hovered:
            paint_primitives.draw_frame(painter, rect, look.color("pressed"), None, 6)
        color = look.color("text" if hovered else "muted")
        middle = Qt.AlignmentFlag.AlignHCenter
        paint_primitives.draw_text(painter, rect, self._shown, look.small, color, middle)
        if scene.is_focused(self, SUMMARY_KEY):
            paint_primitives.draw_focus_ring(painter, rect, look, 6)

    @property
    def accessible_text(self) -> str:
        return tr("The messages above are summarized")


_GESTURE_SIZE = 20
_GESTURE_PAD = 5
_GESTURE_STEP = 4
_MAX_NAME_CHARS = 24  # letters


def gesture_name(call: ToolUse, scene: Scene, language: str) -> str:
    """Return the name of the expression or motion; a script has none."""
    name = format_main_argument(call, scene, language) if call.arguments is not None else ""
    short = name and len(name) <= _MAX_NAME_CHARS and name[0] not in "[{"
    return name if short else tr("a gesture")


class GestureLine(Item):
    """Consecutive gestures in one line. A click on one opens its card below the line."""

    def __init__(self, index: int) -> None:
        self.key = f"gestures {index}"
        self._calls: list[tuple[ToolUse, bool]] = []
        self._spots: list[QRectF] = []
        self._names: list[str] = []
        self._language = ""

    def set_calls(self, calls: list[tuple[ToolUse, bool]], language: str) -> bool:
        """Set the calls, whether each is open, and the language of the names; return False if
        nothing changed.
        """
        if (calls, language) == (self._calls, self._language):
            return False
        self._calls, self._language = calls, language
        self.invalidate()
        return True

    def _height(self, look: ItemStyle) -> int:
        return look.small_line + 4

    def estimate(self, scene: Scene, width: int) -> int:
        return self._height(scene.style)

    def measure(self, scene: Scene, width: int) -> int:
        """Lay the marks out side by side, in several lines where needed."""
        look = scene.style
        tall = self._height(look)
        self._names, self._spots = [], []
        x, y = -float(_GESTURE_PAD), 0
        for call, _ in self._calls:
            room = width - _GESTURE_SIZE - 2 * _GESTURE_PAD
            name = gesture_name(call, scene, self._language)
            name = look.small_metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            wide = _GESTURE_SIZE + look.small_metrics.horizontalAdvance(name) + 2 * _GESTURE_PAD
            if x > 0 and x + wide > width:
                x, y = -float(_GESTURE_PAD), y + tall
            self._names.append(name)
            self._spots.append(QRectF(x, y, wide, tall))
            x += wide + _GESTURE_STEP
        self.width, self.height = width, y + tall
        return self.height

    def hit_regions(self, _scene: Scene) -> list[HitRegion]:
        return [
            HitRegion(
                f"mark {call.index}", spot, name, ItemAction.TOGGLE, f"card {call.index}", opened
            )
            for (call, opened), spot, name in zip(
                self._calls, self._spots, self._names, strict=False
            )
        ]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter = scene.style, brush.painter
        for part in self.hit_regions(scene):
            rect = part.rect.translated(brush.box.topLeft())
            hovered = scene.is_hovered(self, part.key)
            if hovered or part.opened:
                paint_primitives.draw_frame(painter, rect, look.color("pressed"), None, 6)
            color = look.color("text" if hovered else "muted")
            middle = QPointF(rect.left() + _GESTURE_PAD + 7, rect.center().y())
            paint_primitives.draw_smile_icon(painter, middle, color)
            words = rect.adjusted(_GESTURE_PAD + _GESTURE_SIZE, 0, 0, 0)
            paint_primitives.draw_text(painter, words, part.name, look.small, color)
            if scene.is_focused(self, part.key):
                paint_primitives.draw_focus_ring(painter, rect, look, 6)

    @property
    def accessible_text(self) -> str:
        return ", ".join(self._names)
