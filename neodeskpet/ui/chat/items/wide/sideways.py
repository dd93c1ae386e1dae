"""What goes beyond its place at the right: it is scrolled to, by a bar below it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import Brush, Does, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset, TextItem

_BAR = 6
_BAR_ROOM = 14


class Band:
    """What the parts of one thing have in common: how wide all of it is (0 where it fits), and how
    far it is scrolled.
    """

    def __init__(self) -> None:
        self.total = 0
        self.offset = 0.0


class WideItem(TextItem):
    """Text of which a part is seen. The last part of a thing has the bar."""

    band: Band

    @property
    def scroll_name(self) -> str:
        """What pressing the bar does."""
        raise NotImplementedError

    @property
    def bears_bar(self) -> bool:
        return True

    def own_inset(self, look: Look) -> Inset:
        """What lies around the text, the bar aside."""
        return super().inset(look)

    def inset(self, look: Look) -> Inset:
        inset = self.own_inset(look)
        room = _BAR_ROOM if self.band.total and self.bears_bar else 0
        return Inset(inset.left, inset.top, inset.right, inset.bottom + room)

    def origin(self, look: Look) -> QPointF:
        return super().origin(look) - QPointF(self.band.offset, 0)

    def room(self, look: Look, width: int) -> int:
        """How much of it is seen."""
        inset = self.own_inset(look)
        return max(16, width - inset.left - inset.right)

    def beyond(self, look: Look) -> int:
        """How many pixels of it don't fit."""
        return max(0, self.band.total - self.room(look, self.width))

    def scroll_to(self, offset: float, look: Look) -> bool:
        """Show it from `offset` px on; False if it can't go there."""
        before = self.band.offset
        self.band.offset = min(max(0.0, offset), float(self.beyond(look)))
        return self.band.offset != before

    def scroll_by(self, pixels: float, look: Look) -> bool:
        return self.scroll_to(self.band.offset + pixels, look)

    def track(self, look: Look) -> QRectF:
        """Where the bar moves; empty where all is seen."""
        if not self.bears_bar or not self.beyond(look):
            return QRectF()
        left = self.own_inset(look).left
        return QRectF(left, self.height - _BAR - 2, self.room(look, self.width), _BAR)

    def thumb(self, look: Look) -> QRectF:
        """The bar itself."""
        track = self.track(look)
        if track.isEmpty():
            return track
        scale = track.width() / self.band.total
        left = track.left() + self.band.offset * scale
        return QRectF(left, track.top(), track.width() * scale, track.height())

    def parts(self, scene: Scene) -> list[Part]:
        track = self.track(scene.look)
        if track.isEmpty():
            return super().parts(scene)
        rect = track.adjusted(0, -4, 0, 2)
        return [*super().parts(scene), Part("scroll", rect, self.scroll_name, Does.SCROLL)]

    def text_clip(self, scene: Scene, brush: Brush) -> QRectF:
        """Where its text may be painted."""
        clip = super().text_clip(scene, brush)
        if not self.band.total:
            return clip
        left = brush.box.left() + self.own_inset(scene.look).left
        seen = QRectF(left, brush.box.top(), self.room(scene.look, self.width), brush.box.height())
        return clip.intersected(seen)

    def paint_above(self, scene: Scene, brush: Brush) -> None:
        super().paint_above(scene, brush)
        look = scene.look
        track = self.track(look)
        if track.isEmpty():
            return
        down = brush.box.topLeft()
        radius = _BAR / 2
        draw.frame(brush.painter, track.translated(down), look.color("pressed"), None, radius)
        hovered = scene.is_hovered(self, "scroll")
        color = look.color("muted" if hovered else "control_line")
        draw.frame(brush.painter, self.thumb(look).translated(down), color, None, radius)
        if scene.is_focused(self, "scroll"):
            draw.focus_ring(brush.painter, track.translated(down).adjusted(-2, -2, 2, 2), look, 5)
