"""The sources of an answer, as chips below it; each opens its document at the place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.json_text import read_json
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import (
    Citation,
    FixedHeightItem,
    HitRegion,
    ItemAction,
    PaintContext,
    Scene,
)
from neodeskpet.ui.chat.items.look import ItemStyle
from neodeskpet.ui.chat.items.wording import printable, single_line

CITED_KEY = "cited "
"""The action that opens one: this and the passage's id."""
SEARCH_TOOL = "knowledge.search"
MAX_CHIPS = 6
_CHIP_PAD, _CHIP_GAP, _CHIP_EDGE = 9, 6, 3


class CitationsItem(FixedHeightItem):
    """As many chips as fit into a line."""

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
        draw.draw_text(painter, box, self._lead, look.small, look.color("muted"))
        for part in self.hit_regions(scene):
            rect = part.rect.translated(box.topLeft()).adjusted(0.5, 0.5, -0.5, -0.5)
            lit = scene.is_hovered(self, part.key)
            fill = look.color("pressed" if lit else "surface")
            draw.draw_frame(painter, rect, fill, look.color("line"), rect.height() / 2)
            room = rect.adjusted(_CHIP_PAD, 0, -_CHIP_PAD, 0)
            shown = look.small_metrics.elidedText(
                part.name, Qt.TextElideMode.ElideMiddle, int(room.width())
            )
            draw.draw_text(painter, room, shown, look.small, look.color("accent"))
            if scene.is_focused(self, part.key):
                draw.draw_focus_ring(painter, rect, look, rect.height() / 2)

    @property
    def accessible_text(self) -> str:
        return tr("Sources: {names}", names=", ".join(one.label for one in self._cited))


def passages_of(call: ToolUse) -> list[Citation]:
    """The passages that the tool brought."""
    if call.name != SEARCH_TOOL or call.status is not ToolStatus.SUCCESS:
        return []
    try:
        told = read_json(call.output)
    except (ValueError, RecursionError):
        return []
    rows = told.get("passages") if isinstance(told, dict) else None
    return [
        Citation(str(row["id"]), str(row["source"]))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and "id" in row and "source" in row
    ]


def cited_in(told: Sequence[Citation], text: str) -> list[Citation]:
    """Of what an answer was told: what it names, each place once."""
    by_label = {one.label: one for one in reversed(told)}
    ordered = [one for one in told if by_label[one.label] is one]
    return [one for one in ordered if _is_named(text, one.label)][:MAX_CHIPS]


def _is_named(text: str, label: str) -> bool:
    """The model may cite the whole label, or the file alone."""
    file = label.split(" › ")[0].rpartition(", ")[0] or label.split(" › ")[0]
    return label in text or file in text
