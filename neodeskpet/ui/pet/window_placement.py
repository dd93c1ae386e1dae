"""Places the window of a figure: as large as the figure, on the screens, and not over the app's own
windows.

The point between the feet is kept: a figure that grows, shrinks or is replaced stands at the same
point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal
from PySide6.QtGui import QGuiApplication, QPaintDeviceWindow, QScreen

from neodeskpet.figure.behaviour.free_place import (
    FigurePlace,
    OwnWindow,
    PlaceKind,
    find_place,
    legs_over,
)
from neodeskpet.figure.behaviour.ground import DesktopArea
from neodeskpet.figure.behaviour.screen_edges import (
    HEAD_SHARE_SHOWN,
    SPEAKING_SHARE_SHOWN,
    PeekPosition,
    peek_corner,
)
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.ui.desktop.work_area import work_area, work_areas
from neodeskpet.ui.pet.screen_geometry import nearest_screen, offset_onto_screen, to_area, to_rect

FIGURE_HEIGHT = 340
"""Height of the figure at scale 1, in device-independent pixels."""
MIN_SCALE, MAX_SCALE = 0.4, 2.5
_MOST_OF_SCREEN = 0.9
"""The largest share of a screen's height and width that the figure takes."""
_MARGIN = 24
_FACE_MOVES = 0.08
"""The share of the figure's height by which the head moves before its bubble follows."""


@dataclass(frozen=True, slots=True)
class FigureShape:
    """Positions in the window as shares (0 to 1) of it. `aspect` is its width : height. The figure
    is drawn `size` times as large as others, and shifted by `offset` (shares of its own width and
    height, right and down).
    """

    figure: PixelBox
    head: PixelBox
    mouth: tuple[float, float]
    aspect: float
    size: float = 1.0
    offset: tuple[float, float] = (0.0, 0.0)


_NO_FIGURE = FigureShape(
    PixelBox(0.0, 0.0, 1.0, 1.0), PixelBox(0.0, 0.0, 1.0, 0.5), (0.5, 0.4), 0.8
)
_PLACEHOLDER_HEIGHT = 200


class WindowPlacement(QObject):
    """Places and sizes a window."""

    placed = Signal(str, QPoint)
    """The user moved it: the screen's name, and the global point between its feet."""
    place_changed = Signal()
    """The kind of `place` changed."""

    def __init__(self, window: QPaintDeviceWindow) -> None:
        super().__init__(window)
        self._window = window
        self._shape = _NO_FIGURE
        self._face: PixelBox | None = None
        self._scale = 1.0
        self._feet: QPoint | None = None
        self._lift = 0
        self._lowered = 0
        self._hangs = 0
        self._astray = False
        self._aside: PeekPosition | None = None
        self._leans_out = False
        self._beyond = 0
        self._windows: tuple[OwnWindow, ...] = ()
        self._avoids = True
        self._dropped = False
        self._place = FigurePlace(PlaceKind.HOME, DesktopArea(0, 0, 0, 0))
        self._watch_screens()

    @property
    def scale(self) -> float:
        return self._scale

    def set_scale(self, scale: float) -> None:
        """Set the scale; 1 is a figure of FIGURE_HEIGHT. Its feet stay in place."""
        self._scale = min(MAX_SCALE, max(MIN_SCALE, scale))
        self.resize_to_figure()

    @property
    def shown_scale(self) -> float:
        """The scale at its own place: less than `scale` where the screen is too small for it."""
        shape = self._shape
        tall = FIGURE_HEIGHT * shape.size
        wide = tall * shape.figure.width / shape.figure.height * shape.aspect
        at = QRect(self.feet, QSize(1, 1)) if self._feet is not None else self._window.geometry()
        screens = work_areas()
        if not screens:
            return self._scale
        screen = nearest_screen(at, screens).size() * _MOST_OF_SCREEN
        return min(self._scale, screen.height() / tall, screen.width() / wide)

    @property
    def feet(self) -> QPoint:
        """The global point between its feet at its own place."""
        return QPoint(self._feet) if self._feet is not None else self._feet_now()

    @property
    def is_displaced(self) -> bool:
        """Whether it isn't at its own place, because that is covered or off the screen."""
        return self._astray

    @property
    def place(self) -> FigurePlace:
        """Its place with regard to the app's own windows."""
        return self._place

    def move_feet_to(self, feet: QPoint, lift: int = 0) -> None:
        """Place the feet at this global point, or as near as the screens allow; `lift` pixels above
        it.
        """
        self._feet = QPoint(feet)
        self._lift = lift
        self._dropped = False
        self.resize_to_figure()

    def set_lowered(self, pixels: int) -> None:
        """Lower it by this many pixels, while it sits."""
        if pixels != self._lowered:
            self._lowered = pixels
            self.resize_to_figure()

    @property
    def retreat_side(self) -> PeekPosition | None:
        """The position from which it peeks, if it was sent to an edge."""
        return self._aside

    @property
    def overhang(self) -> int:
        """How many pixels further to the right (negative: left) it was dragged than the screens
        allow.
        """
        return self._beyond

    def set_retreat(self, to: PeekPosition | None, feet: QPoint | None = None) -> None:
        """Peek from this position, or stand again; its own place is `feet` as before, or from now
        on. The window moves with the next `resize_to_figure`, or its owner moves it to
        `window_corner`.
        """
        self._aside = to
        if feet is not None:
            self._feet = QPoint(feet)

    def set_leaning_out(self, on: bool) -> None:
        """Set whether the whole face is seen while it peeks. The window moves as after
        `set_retreat`.
        """
        self._leans_out = on

    def set_own_windows(self, windows: Sequence[OwnWindow], *, glide: bool = False) -> None:
        """Avoid these windows of the app. With `glide` it gets its new size but not its new
        position: the caller moves it to `window_corner`.
        """
        self._windows = tuple(windows)
        self.resize_to_figure(stay=glide)

    def set_avoiding(self, on: bool) -> None:
        """Set whether it avoids the app's windows; it doesn't while falling."""
        self._avoids = on
        self.resize_to_figure()

    def has_window_beside(self) -> bool:
        """Whether a window of the app covers what is drawn beside the figure, within its window."""
        if not self._windows:
            return False
        drawn, figure = self._window.geometry(), self.figure_rect()
        sides = (
            QRect(drawn.left(), figure.top(), figure.left() - drawn.left(), figure.height()),
            QRect(
                figure.right() + 1, figure.top(), drawn.right() - figure.right(), figure.height()
            ),
        )
        areas = [to_rect(one.area) for one in self._windows]
        return any(side.intersects(area) for side in sides for area in areas)

    def figure_rect(self) -> QRect:
        """The rectangle of the figure on the desktop."""
        return _scaled_rect(self._shape.figure, self._window.position(), self._window.size())

    def head_rect(self) -> QRect:
        """The rectangle of the head on the desktop."""
        return _scaled_rect(self._shape.head, self._window.position(), self._window.size())

    def face_rect(self) -> QRect:
        """The rectangle of the head where it was seen last: that of a lying figure is low."""
        face = self._face or self._shape.head
        return _scaled_rect(face, self._window.position(), self._window.size())

    def set_face(self, face: PixelBox) -> bool:
        """Set where the head is now, in shares of the window. Return whether it has moved far
        enough for a bubble to follow.
        """
        before = self._face or self._shape.head
        moved = max(abs(face.middle[0] - before.middle[0]), abs(face.middle[1] - before.middle[1]))
        if moved < _FACE_MOVES * self._shape.figure.height:
            return False
        self._face = face
        return True

    def mouth_point(self) -> QPoint:
        """The point of the mouth on the desktop, where a bubble's tail points."""
        x, y = self._shape.mouth
        if self._face is not None:
            head = self._shape.head
            x += self._face.middle[0] - head.middle[0]
            y += self._face.middle[1] - head.middle[1]
        return self._window.position() + QPoint(
            round(x * self._window.width()), round(y * self._window.height())
        )

    def set_shape(self, shape: FigureShape) -> None:
        """Set the shape of another figure."""
        self._shape = shape
        self._face = None
        self.resize_to_figure()

    def resize_to_figure(self, *, stay: bool = False) -> None:
        """Resize the window to the figure and place it on its feet, on a screen. With `stay` the
        feet keep their current position.
        """
        before = self._place.kind
        feet = _feet_of(self.figure_rect())
        if self._feet is not None:
            self._place = self._find_place()
        self._window.resize(self._window_size(self._place.scale))
        if self._feet is not None:
            corner = self.window_corner()
            figure = _scaled_rect(self._shape.figure, corner, self._window.size())
            self._window.setPosition(corner + (feet - _feet_of(figure)) if stay else corner)
            self._window.update()
        if self._place.kind is not before:
            self.place_changed.emit()

    def _window_size(self, scale: float) -> QSize:
        if self._shape is _NO_FIGURE:
            height = _PLACEHOLDER_HEIGHT * scale
        else:
            tall = FIGURE_HEIGHT * self.shown_scale * self._shape.size * scale
            height = tall / self._shape.figure.height
        return QSize(round(height * self._shape.aspect), round(height))

    def _find_place(self) -> FigurePlace:
        """Return its place among the windows: a part of its home, or elsewhere."""
        screens, size = work_areas(), self._window_size(1.0)
        corner = self._peek(screens, size)
        aside = corner is not None
        figure = _scaled_rect(
            self._shape.figure, corner if corner is not None else self._home(size), size
        )
        if not aside:
            figure.translate(offset_onto_screen(figure, screens))
        home = to_area(figure)
        if not self._avoids:
            return FigurePlace(PlaceKind.HOME, home)
        head = round(self._shape.head.width * size.width())
        preferred = PlaceKind.TITLE_BAR if self._dropped else PlaceKind.EDGE if aside else None
        places = [to_area(screen) for screen in screens]
        return find_place(home, head, places, self._windows, preferred=preferred)

    def window_corner(self) -> QPoint:
        """Return the position for the window's upper left corner."""
        screens, size, share = work_areas(), self._window.size(), self._shape.figure
        self._astray = self._place.kind is not PlaceKind.HOME
        self._hangs = 0
        if self._place.kind in (PlaceKind.BESIDE, PlaceKind.TITLE_BAR, PlaceKind.EDGE):
            within = _scaled_rect(share, QPoint(), size)
            return _feet_of(to_rect(self._place.area)) - _feet_of(within)
        peeks = self._peek(screens, size)
        if peeks is not None:
            return peeks
        corner = self._home(size)
        figure = _scaled_rect(share, corner, size)
        kept = offset_onto_screen(figure, screens)
        standing = to_area(figure.translated(kept))
        self._hangs = legs_over(standing, self._lowered, self._windows)
        lowered = QPoint(0, self._hangs)
        figure.translate(lowered)
        kept = offset_onto_screen(figure, screens)
        self._astray = self._astray or bool(kept.x())
        return corner + lowered + kept

    def _home(self, size: QSize) -> QPoint:
        """Return the corner of a window of this size with the figure at its own place."""
        share = self._shape.figure
        right, down = self._shape.offset
        return self.feet - QPoint(
            round((share.middle[0] - right * share.width) * size.width()),
            round((share.bottom - down * share.height) * size.height()) + self._lift,
        )

    def _peek(self, screens: Sequence[QRect], size: QSize) -> QPoint | None:
        """Return the corner while it peeks from an edge."""
        if self._aside is None:
            return None
        figure, head = (
            _scaled_rect(one, QPoint(), size) for one in (self._shape.figure, self._shape.head)
        )
        ends = head.left() - figure.left(), head.right() + 1 - figure.left()
        places = [to_area(screen) for screen in screens]
        shown = SPEAKING_SHARE_SHOWN if self._leans_out else HEAD_SHARE_SHOWN
        found = peek_corner(places, self._aside, ends, figure.height(), shown)
        return QPoint(*found) - figure.topLeft() if found is not None else None

    def choose_position(self) -> None:
        """Choose its own place, at first in the lower right corner."""
        if self._feet is None:
            area = work_area(QGuiApplication.primaryScreen())
            inwards = QPoint(_MARGIN + FIGURE_HEIGHT // 2, _MARGIN)
            self._feet = area.bottomRight() - inwards
        self.resize_to_figure()

    def drag_to(self, corner: QPoint) -> None:
        """Move the window's corner there, as far as the figure stays on a screen."""
        figure = self.figure_rect().translated(corner - self._window.position())
        kept = offset_onto_screen(figure, work_areas())
        self._beyond = -kept.x()
        self._window.setPosition(corner + kept)

    def end_drag(self) -> None:
        """Set its own place where the user dropped it."""
        self._feet = self._feet_now()
        self._dropped = True
        self.save_position()
        self.resize_to_figure()

    def save_position(self) -> None:
        """Save its own place by emitting `placed`."""
        feet = self.feet
        screen = QGuiApplication.screenAt(feet) or self._window.screen()
        self.placed.emit(screen.name(), feet)

    def _feet_now(self) -> QPoint:
        rect = self.figure_rect()
        right, down = self._shape.offset
        beside = QPoint(round(right * rect.width()), round(down * rect.height()) + self._hangs)
        return QPoint(rect.center().x(), rect.bottom() + 1) - beside

    def _watch_screens(self) -> None:
        application = QGuiApplication.instance()
        if not isinstance(application, QGuiApplication):
            raise TypeError("a window needs a QGuiApplication")
        application.screenAdded.connect(self._watch_screen)
        application.screenRemoved.connect(self.resize_to_figure)
        for screen in QGuiApplication.screens():
            self._watch_screen(screen)

    def _watch_screen(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self.resize_to_figure)
        self.resize_to_figure()


def _feet_of(figure: QRect) -> QPoint:
    return QPoint(figure.center().x(), figure.bottom() + 1)


def _scaled_rect(share: PixelBox, corner: QPoint, size: QSize) -> QRect:
    """Return a part of a window (shares) on the desktop."""
    left, top = round(share.left * size.width()), round(share.top * size.height())
    right, bottom = round(share.right * size.width()), round(share.bottom * size.height())
    return QRect(corner + QPoint(left, top), QSize(right - left, bottom - top))
