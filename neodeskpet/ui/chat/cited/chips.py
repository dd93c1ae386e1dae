"""The sources of an answer, as chips below it; each opens its document at the place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.json_text import read_json
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import Brush, Cited, Does, FixedItem, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.wording import one_line, printable

CITED = "cited "
"""The action that opens one: this and the passage's id."""
TOOL = "knowledge.search"
MOST = 6
_PAD, _GAP, _EDGE = 9, 6, 3


class CitedItem(FixedItem):
    """As many chips as fit into a line."""

    key = "cited"

    def __init__(self) -> None:
        self._cited: tuple[Cited, ...] = ()
        self._lead = ""

    def put(self, cited: Sequence[Cited]) -> None:
        if self._cited != tuple(cited):
            self._cited = tuple(cited)
            self.outdate()

    def fixed_height(self, look: Look) -> int:
        return look.small_line + 2 * _EDGE + 2

    def measure(self, scene: Scene, width: int) -> int:
        self._lead = tr("Sources:")
        return super().measure(scene, width)

    def parts(self, scene: Scene) -> list[Part]:
        metrics = scene.look.small_metrics
        left = metrics.horizontalAdvance(self._lead) + 8.0
        found: list[Part] = []
        for one in self._cited:
            name = one_line(printable(one.label), 60)
            wide = min(metrics.horizontalAdvance(name) + 2.0 * _PAD + 2, self.width - left)
            if wide < 60 and found:
                break
            rect = QRectF(left, 0, max(wide, 40.0), self.height)
            found.append(Part(CITED + one.passage, rect, name, Does.ACTION, CITED + one.passage))
            left += wide + _GAP
        return found

    def paint(self, scene: Scene, brush: Brush) -> None:
        look, painter, box = scene.look, brush.painter, brush.box
        draw.text(painter, box, self._lead, look.small, look.color("muted"))
        for part in self.parts(scene):
            rect = part.rect.translated(box.topLeft()).adjusted(0.5, 0.5, -0.5, -0.5)
            lit = scene.is_hovered(self, part.key)
            fill = look.color("pressed" if lit else "surface")
            draw.frame(painter, rect, fill, look.color("line"), rect.height() / 2)
            room = rect.adjusted(_PAD, 0, -_PAD, 0)
            shown = look.small_metrics.elidedText(
                part.name, Qt.TextElideMode.ElideMiddle, int(room.width())
            )
            draw.text(painter, room, shown, look.small, look.color("accent"))
            if scene.is_focused(self, part.key):
                draw.focus_ring(painter, rect, look, rect.height() / 2)

    @property
    def spoken(self) -> str:
        return tr("Sources: {names}", names=", ".join(one.label for one in self._cited))


def found_by(call: ToolUse) -> list[Cited]:
    """The passages that the tool brought."""
    if call.name != TOOL or call.status is not ToolStatus.SUCCESS:
        return []
    try:
        told = read_json(call.output)
    except (ValueError, RecursionError):
        return []
    rows = told.get("passages") if isinstance(told, dict) else None
    return [
        Cited(str(row["id"]), str(row["source"]))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and "id" in row and "source" in row
    ]


def chosen(told: Sequence[Cited], text: str) -> list[Cited]:
    """Of what an answer was told: what it names, each place once."""
    by_label = {one.label: one for one in reversed(told)}
    ordered = [one for one in told if by_label[one.label] is one]
    return [one for one in ordered if _names(text, one.label)][:MOST]


def _names(text: str, label: str) -> bool:
    """The model may cite the whole label, or the file alone."""
    file = label.split(" › ")[0].rpartition(", ")[0] or label.split(" › ")[0]
    return label in text or file in text
