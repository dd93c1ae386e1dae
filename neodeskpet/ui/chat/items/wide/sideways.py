"""What goes beyond its place at the right: it is scrolled to, by a bar below it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import HitRegion, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.look import ItemStyle
from neodeskpet.ui.chat.items.prose import Insets, TextItem

_BAR = 6
_BAR_ROOM = 14


class ScrollState:
    """What the parts of one thing have in common: how wide all of it is (0 where it fits), and how
    far it is scrolled.
    """

    def __init__(self) -> None:
        self.total = 0
        self.offset = 0.0


class WideItem(TextItem):
    """Text of which a part is seen. The last part of a thing has the bar."""

    scroll_state: ScrollState

    @property
    def scroll_name(self) -> str:
        """What pressing the bar does."""
        raise NotImplementedError

    @property
    def has_scroll_bar(self) -> bool:
        return True

    def own_inset(self, look: ItemStyle) -> Insets:
        """What lies around the text, the bar aside."""
        return super().inset(look)

    def inset(self, look: ItemStyle) -> Insets:
        inset = self.own_inset(look)
        room = _BAR_ROOM if self.scroll_state.total and self.has_scroll_bar else 0
        return Insets(inset.left, inset.top, inset.right, inset.bottom + room)

    def origin(self, look: ItemStyle) -> QPointF:
        return super().origin(look) - QPointF(self.scroll_state.offset, 0)

    def visible_width(self, look: ItemStyle, width: int) -> int:
        """How much of it is seen."""
        inset = self.own_inset(look)
        return max(16, width - inset.left - inset.right)

    def overflow(self, look: ItemStyle) -> int:
        """How many pixels of it don't fit."""
        return max(0, self.scroll_state.total - self.visible_width(look, self.width))

    def scroll_to(self, offset: float, look: ItemStyle) -> bool:
        """Show it from `offset` px on; False if it can't go there."""
        before = self.scroll_state.offset
        self.scroll_state.offset = min(max(0.0, offset), float(self.overflow(look)))
        return self.scroll_state.offset != before

    def scroll_by(self, pixels: float, look: ItemStyle) -> bool:
        return self.scroll_to(self.scroll_state.offset + pixels, look)

    def scroll_track(self, look: ItemStyle) -> QRectF:
        """Where the bar moves; empty where all is seen."""
        if not self.has_scroll_bar or not self.overflow(look):
            return QRectF()
        left = self.own_inset(look).left
        return QRectF(left, self.height - _BAR - 2, self.visible_width(look, self.width), _BAR)

    def scroll_thumb(self, look: ItemStyle) -> QRectF:
        """The bar itself."""
        track = self.scroll_track(look)
        if track.isEmpty():
            return track
        scale = track.width() / self.scroll_state.total
        left = track.left() + self.scroll_state.offset * scale
        return QRectF(left, track.top(), track.width() * scale, track.height())

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        track = self.scroll_track(scene.style)
        if track.isEmpty():
            return super().hit_regions(scene)
        rect = track.adjusted(0, -4, 0, 2)
        return [
            *super().hit_regions(scene),
            HitRegion("scroll", rect, self.scroll_name, ItemAction.SCROLL),
        ]

    def text_clip(self, scene: Scene, brush: PaintContext) -> QRectF:
        """Where its text may be painted."""
        clip = super().text_clip(scene, brush)
        if not self.scroll_state.total:
            return clip
        left = brush.box.left() + self.own_inset(scene.style).left
        seen = QRectF(
            left, brush.box.top(), self.visible_width(scene.style, self.width), brush.box.height()
        )
        return clip.intersected(seen)

    def paint_above(self, scene: Scene, brush: PaintContext) -> None:
        super().paint_above(scene, brush)
        look = scene.style
        track = self.scroll_track(look)
        if track.isEmpty():
            return
        down = brush.box.topLeft()
        radius = _BAR / 2
        draw.draw_frame(brush.painter, track.translated(down), look.color("pressed"), None, radius)
        hovered = scene.is_hovered(self, "scroll")
        color = look.color("muted" if hovered else "control_line")
        draw.draw_frame(
            brush.painter, self.scroll_thumb(look).translated(down), color, None, radius
        )
        if scene.is_focused(self, "scroll"):
            draw.draw_focus_ring(
                brush.painter, track.translated(down).adjusted(-2, -2, 2, 2), look, 5
            )
