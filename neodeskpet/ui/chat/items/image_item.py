"""A picture of the user's message: small, at the right, with its description below."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPainterStateGuard, QPixmap

from neodeskpet.core.blocks import Image
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import HitRegion, Item, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.user_message import MAX_WIDTH_SHARE

MAX_SIDE = 200
_GAP = 4
_CHEVRON = 18
_WRAP = int(Qt.TextFlag.TextWrapAnywhere) | int(Qt.TextFlag.TextWordWrap)


class ImageItem(Item):
    """Shows a thumbnail if the view has it, else a chip with the file name. A click opens the full
    size. The description is one line below; a click on it shows all of it.
    """

    def __init__(self, image: Image) -> None:
        self.image = image
        self.opened = False
        self.key = f"image {image.index}"
        self._known: tuple[int, int] | None = (
            None  # its size, kept when the cache drops the picture
        )
        self._caption = QRectF()

    @property
    def name(self) -> str:
        return self.image.name or tr("Picture")

    def estimate(self, scene: Scene, width: int) -> int:
        return self._size(scene, width)[1] + (scene.style.small_line + _GAP) * bool(self._words())

    def measure(self, scene: Scene, width: int) -> int:
        self.width = width
        tall = self._size(scene, width)[1]
        self._caption = self._lay_caption(scene, width, tall)
        self.height = math.ceil(self._caption.bottom()) if self._words() else tall
        return self.height

    def _words(self) -> str:
        """Return the line below the picture."""
        said = [self.image.description] if self.image.description else []
        if self.image.quoted:
            replied = tr("Replied to")
            said.insert(0, f"↩ {replied}")
        return " · ".join(said)

    def _size(self, scene: Scene, width: int) -> tuple[int, int]:
        picture = scene.picture(self.image.digest)
        if picture is not None and not picture.isNull():
            size = picture.deviceIndependentSize()
            share = min(1.0, MAX_SIDE / size.width(), MAX_SIDE / size.height())
            wide, tall = round(size.width() * share), round(size.height() * share)
            self._known = max(24, wide), max(24, tall)
        if self._known is not None:
            return self._known
        wide = math.ceil(scene.style.metrics.horizontalAdvance(self.name)) + 48
        return min(wide, int(width * MAX_WIDTH_SHARE)), scene.style.theme.card_height

    def _lay_caption(self, scene: Scene, width: int, top: int) -> QRectF:
        """Return the rectangle of the caption, relative to the item; aligned with the
        right edge.
        """
        words = self._words()
        if not words:
            return QRectF()
        metrics, room = scene.style.small_metrics, width * MAX_WIDTH_SHARE - _CHEVRON
        if self.opened:
            box = metrics.boundingRect(QRectF(0, 0, room, 100_000), _WRAP, words)
            wide, tall = min(room, math.ceil(box.width()) + 2), math.ceil(box.height()) + 2
        else:
            wide, tall = min(room, math.ceil(metrics.horizontalAdvance(words)) + 2), 0
        tall = max(tall, scene.style.small_line)
        shift = _CHEVRON if self.image.description else 0
        return QRectF(width - wide - shift, top + _GAP, wide, tall)

    def picture_rect(self, scene: Scene) -> QRectF:
        """Return the rectangle of the picture, relative to the item."""
        wide, tall = self._size(scene, self.width)
        return QRectF(self.width - wide, 0, wide, tall)

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        name = tr("Show {name}", name=self.name)
        shown = HitRegion("show", self.picture_rect(scene), name, ItemAction.SHOW, self.key)
        if not self.image.description:
            return [shown]
        line = self._caption.adjusted(0, 0, _CHEVRON, 0)
        name = tr("Description of the picture")
        return [shown, HitRegion("words", line, name, ItemAction.TOGGLE, self.key, self.opened)]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        rect = self.picture_rect(scene).translated(brush.box.topLeft())
        picture = scene.picture(self.image.digest)
        if picture is None or picture.isNull():
            self._paint_chip(scene, brush.painter, rect)
        else:
            self._paint_picture(scene, brush.painter, rect, picture)
        if scene.is_focused(self, "show"):
            paint_primitives.draw_focus_ring(
                brush.painter, rect, scene.style, scene.style.theme.card_radius
            )
        if self._words():
            self._paint_caption(scene, brush)

    def _paint_chip(self, scene: Scene, painter: QPainter, rect: QRectF) -> None:
        look = scene.style
        paint_primitives.draw_frame(
            painter, rect, look.color("person"), None, look.theme.card_radius
        )
        if self._known is not None:
            paint_primitives.draw_picture_icon(painter, rect.center(), look)
            return
        paint_primitives.draw_picture_icon(
            painter, QPointF(rect.left() + 20, rect.center().y()), look
        )
        room = rect.adjusted(36, 0, -8, 0)
        words = look.metrics.elidedText(self.name, Qt.TextElideMode.ElideMiddle, room.width())
        paint_primitives.draw_text(painter, room, words, look.font, look.color("text"))

    def _paint_picture(
        self, scene: Scene, painter: QPainter, rect: QRectF, picture: QPixmap
    ) -> None:
        look = scene.style
        with QPainterStateGuard(painter):
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            path = QPainterPath()
            path.addRoundedRect(rect, look.theme.card_radius, look.theme.card_radius)
            with QPainterStateGuard(painter):
                painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
                painter.drawPixmap(rect, picture, QRectF(picture.rect()))
            painter.setPen(look.color("accent" if scene.is_hovered(self, "show") else "line"))
            painter.drawPath(path)

    def _paint_caption(self, scene: Scene, brush: PaintContext) -> None:
        look, painter = scene.style, brush.painter
        box = self._caption.translated(brush.box.topLeft())
        color = look.color("text" if scene.is_hovered(self, "words") else "muted")
        words = self._words()
        if self.opened:
            painter.setFont(look.small)
            painter.setPen(color)
            painter.drawText(box, _WRAP, words)
        else:
            elide = Qt.TextElideMode.ElideRight
            words = look.small_metrics.elidedText(words, elide, box.width())
            paint_primitives.draw_text(painter, box, words, look.small, color)
        if not self.image.description:
            return
        spot = QPointF(box.right() + 10, box.top() + look.small_line / 2)
        paint_primitives.draw_chevron(painter, spot, color, opened=self.opened)
        if scene.is_focused(self, "words"):
            ring = box.adjusted(-4, 0, _CHEVRON, 0)
            paint_primitives.draw_focus_ring(painter, ring, look, look.theme.control_radius)

    @property
    def accessible_text(self) -> str:
        said = (tr("Picture"), self.image.name, self.image.description)
        return " ".join(part for part in said if part)
