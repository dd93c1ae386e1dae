"""Decorations around the items: portraits, placeholders of messages, the empty state."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPainterStateGuard, QPixmap

from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.widgets.portrait import ScaledPixmapCache, paint_initial

NARROW_WIDTH = 420


@dataclass(frozen=True, slots=True)
class ColumnFrame:
    """The position of the text column in a viewport `room` px wide: `left` edge, `width`, and the
    size of the portraits left of it. At most 72 characters wide, and centred together with the
    portraits.
    """

    left: int
    width: int
    portrait: int
    gutter: int

    @classmethod
    def for_room(cls, room: int, look: ItemStyle) -> ColumnFrame:
        narrow = room < NARROW_WIDTH
        portrait = 24 if narrow else look.theme.portrait
        gutter = portrait + (8 if narrow else 12)
        pad = 12 if narrow else 20
        width = max(120, min(room - 2 * pad - gutter, look.column_width))
        left = max(pad, (room - gutter - width) // 2) + gutter
        return cls(left, width, portrait, gutter)


class Portraits:
    """The companion's current face, for the newest message, and its resting face for the others."""

    def __init__(self) -> None:
        self.current = QPixmap()
        self.resting = QPixmap()
        self.name = ""
        """Its first letter is shown until there is a face."""
        # For the newest message, for the others.
        self._small = {True: ScaledPixmapCache(), False: ScaledPixmapCache()}
        self._others: dict[int, ScaledPixmapCache] = {}

    def set_pictures(self, picture: QPixmap, resting: QPixmap | None) -> bool:
        """Set a new face; return whether the resting one changed with it."""
        self.current = picture
        before = self.resting.cacheKey()
        if resting is not None:
            self.resting = resting
        elif self.resting.isNull():
            self.resting = picture
        return self.resting.cacheKey() != before

    def paint(
        self,
        painter: QPainter,
        rect: QRectF,
        look: ItemStyle,
        *,
        newest: bool,
        other: QPixmap | None = None,
    ) -> None:
        """Paint a portrait; `other` is the face of another character, who wrote this message."""
        picture, shrunk = (self.current if newest else self.resting), self._small[newest]
        if other is not None:
            picture, shrunk = other, self._others.setdefault(other.cacheKey(), ScaledPixmapCache())
        with QPainterStateGuard(painter):
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            path = QPainterPath()
            path.addEllipse(rect)
            painter.fillPath(path, look.color("person"))
            if not picture.isNull():
                painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
                small = shrunk.scaled(picture, rect.width(), painter)
                painter.drawPixmap(rect, small, QRectF(small.rect()))
            else:
                paint_initial(painter, rect, self.name, look.theme)


def paint_placeholder(painter: QPainter, rect: QRectF, look: ItemStyle, *, person: bool) -> None:
    """Paint bars as a placeholder of a message that isn't loaded."""
    bar = float(look.theme.font_px)
    width = rect.width() * (0.5 if person else 0.8)
    left = rect.right() - width if person else rect.left()
    y = rect.top() + 6
    lines = max(1, min(8, int(rect.height() // (look.theme.line_px + 2)) - 1))
    for number in range(lines):
        share = 0.6 if number == lines - 1 else 1.0
        one = QRectF(left, y, width * share, bar)
        paint_primitives.draw_frame(painter, one, look.color("pressed"), None, bar / 2)
        y += look.theme.line_px + 2


def paint_empty(painter: QPainter, rect: QRectF, look: ItemStyle, portraits: Portraits) -> None:
    """Paint the empty state: a hint below the companion's face."""
    size = 96.0 if rect.height() > 260 else 56.0
    block = size + 20 + look.theme.heading_px * 1.6 + look.theme.line_px * 2
    top = rect.top() + max(12.0, (rect.height() - block) / 2.4)
    face = QRectF(rect.center().x() - size / 2, top, size, size)
    portraits.paint(painter, face, look, newest=True)
    heading = look.bold
    heading.setPixelSize(look.theme.heading_px)
    title = QRectF(rect.left() + 16, face.bottom() + 16, rect.width() - 32, 30)
    centre = Qt.AlignmentFlag.AlignHCenter
    paint_primitives.draw_text(
        painter, title, tr("What shall we do?"), heading, look.color("text"), centre
    )
    heading.setPixelSize(look.theme.font_px)
    below = QRectF(
        rect.left() + 24, title.bottom() + 4, rect.width() - 48, rect.bottom() - title.bottom() - 8
    )
    painter.setFont(look.font)
    painter.setPen(look.color("muted"))
    flags = centre | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(below, int(flags), empty_hint())


def empty_hint() -> str:
    return tr(
        "Write below. Ask something, set a reminder, keep a note, drop a picture – or just talk."
    )


def draw_message_focus(painter: QPainter, rect: QRectF, look: ItemStyle) -> None:
    """Draw the focus ring of a message."""
    paint_primitives.draw_focus_ring(painter, rect, look, look.theme.message_radius)


def paint_day(painter: QPainter, area: QRectF, look: ItemStyle, words: str) -> None:
    """Paint a day between two messages: its name with a line on both sides."""
    wide = look.small_metrics.horizontalAdvance(words) + 24
    line = look.color("line")
    side = max(0.0, (area.width() - wide) / 2)
    y = int(area.center().y())
    painter.fillRect(QRectF(area.left(), y, side, 1), line)
    painter.fillRect(QRectF(area.right() - side, y, side, 1), line)
    middle = Qt.AlignmentFlag.AlignHCenter
    paint_primitives.draw_text(painter, area, words, look.small, look.color("muted"), middle)
