"""Where a window stands: as large as its figure, on its feet, never off the screens.

The point between the feet is what is kept: the figure may grow, shrink or be another one, and
stands where it stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal
from PySide6.QtGui import QGuiApplication, QPaintDeviceWindow, QScreen

from neodeskpet.figure.behaviour.screen_edges import PeekPosition, peek_corner
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.ui.pet.screen_geometry import offset_onto_screen, offset_to_clear, to_area

FIGURE_HEIGHT = 340
"""Height of the figure at scale 1, in device-independent pixels."""
MIN_SCALE, MAX_SCALE = 0.4, 2.5
_MARGIN = 24


@dataclass(frozen=True, slots=True)
class FigureShape:
    """Where things are in the window, in shares (0..1) of it. `aspect` is its width : height. The
    figure is drawn `size` times as large as others, and stands beside its place by `offset` (shares
    of its own width and height, right and down).
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
    """Places and sizes the window it is given."""

    placed = Signal(str, QPoint)
    """The person moved it: the screen's name, and the global point between its feet."""

    def __init__(self, window: QPaintDeviceWindow) -> None:
        super().__init__(window)
        self._window = window
        self._shape = _NO_FIGURE
        self._scale = 1.0
        self._feet: QPoint | None = None
        self._lift = 0
        self._lowered = 0
        self._astray = False
        self._aside: PeekPosition | None = None
        self._beyond = 0
        self._covered = QRect()
        self._watch_screens()

    @property
    def scale(self) -> float:
        return self._scale

    def set_scale(self, scale: float) -> None:
        """1 is a figure of FIGURE_HEIGHT; its feet stay where they are."""
        self._scale = min(MAX_SCALE, max(MIN_SCALE, scale))
        self.resize_to_figure()

    @property
    def feet(self) -> QPoint:
        """The global point between its feet, where it belongs."""
        return QPoint(self._feet) if self._feet is not None else self._feet_now()

    @property
    def is_displaced(self) -> bool:
        """Whether it stands beside the place where it belongs: that is covered, or off screen."""
        return self._astray

    def move_feet_to(self, feet: QPoint, lift: int = 0) -> None:
        """Stand with the feet at this global point, or as near as the screens allow; `lift` pixels
        above it.
        """
        self._feet = QPoint(feet)
        self._lift = lift
        self.resize_to_figure()

    def set_lowered(self, pixels: int) -> None:
        """Be so much below where it belongs: it sits there."""
        if pixels != self._lowered:
            self._lowered = pixels
            self.resize_to_figure()

    @property
    def retreat_side(self) -> PeekPosition | None:
        """From where it looks out, if it was sent aside."""
        return self._aside

    @property
    def overhang(self) -> int:
        """How many pixels further to the right (negative: to the left) the hand would have carried
        it than the screens allow.
        """
        return self._beyond

    def set_retreat(self, to: PeekPosition | None, feet: QPoint | None = None) -> None:
        """Look out from there, or stand again; it belongs to `feet` as before, or from now on. The
        window moves with the next `fit`, or by its owner, to `corner`.
        """
        self._aside = to
        if feet is not None:
            self._feet = QPoint(feet)

    def set_avoided_area(self, covered: QRect) -> None:
        """Another window covers this: step aside while it does, if there is room."""
        self._covered = QRect(covered)
        self.resize_to_figure()

    def figure_rect(self) -> QRect:
        """The figure on the desktop."""
        return _scaled_rect(self._shape.figure, self._window.position(), self._window.size())

    def head_rect(self) -> QRect:
        """The head on the desktop."""
        return _scaled_rect(self._shape.head, self._window.position(), self._window.size())

    def mouth_point(self) -> QPoint:
        """The mouth on the desktop: where a bubble's tail points."""
        x, y = self._shape.mouth
        return self._window.position() + QPoint(
            round(x * self._window.width()), round(y * self._window.height())
        )

    def set_shape(self, shape: FigureShape) -> None:
        """Another figure stands there."""
        self._shape = shape
        self.resize_to_figure()

    def resize_to_figure(self) -> None:
        """Size the window for the figure, and stand it on its feet, on a screen."""
        share = self._shape.figure
        if self._shape is _NO_FIGURE:
            height = float(_PLACEHOLDER_HEIGHT)
        else:
            height = FIGURE_HEIGHT * self._scale * self._shape.size / share.height
        size = QSize(round(height * self._shape.aspect), round(height))
        self._window.resize(size)
        if self._feet is not None:
            self._window.setPosition(self.window_corner())
            self._window.update()

    def window_corner(self) -> QPoint:
        """Where the window's left upper corner belongs."""
        screens, size, share = _screens(), self._window.size(), self._shape.figure
        peeks = self._peek(screens)
        self._astray = False
        if peeks is not None:
            return peeks
        right, down = self._shape.offset
        corner = self.feet - QPoint(
            round((share.middle[0] - right * share.width) * size.width()),
            round((share.bottom - down * share.height) * size.height())
            + self._lift
            - self._lowered,
        )
        figure = _scaled_rect(share, corner, size)
        kept = offset_onto_screen(figure, screens)
        aside = offset_to_clear(figure.translated(kept), self._covered, screens)
        self._astray = bool(kept.x() or aside.x())
        return corner + kept + aside

    def _peek(self, screens: Sequence[QRect]) -> QPoint | None:
        """Where the corner belongs while it looks out from an edge."""
        if self._aside is None:
            return None
        size = self._window.size()
        figure, head = (
            _scaled_rect(one, QPoint(), size) for one in (self._shape.figure, self._shape.head)
        )
        ends = head.left() - figure.left(), head.right() + 1 - figure.left()
        places = [to_area(screen) for screen in screens]
        found = peek_corner(places, self._aside, ends, figure.height())
        return QPoint(*found) - figure.topLeft() if found is not None else None

    def choose_position(self) -> None:
        """Where it belongs, first in the lower right corner."""
        if self._feet is None:
            area = QGuiApplication.primaryScreen().availableGeometry()
            inwards = QPoint(_MARGIN + FIGURE_HEIGHT // 2, _MARGIN)
            self._feet = area.bottomRight() - inwards
        self.resize_to_figure()

    def drag_to(self, corner: QPoint) -> None:
        """Move the window's corner there, as far as the figure stays on a screen."""
        figure = self.figure_rect().translated(corner - self._window.position())
        kept = offset_onto_screen(figure, _screens())
        self._beyond = -kept.x()
        self._window.setPosition(corner + kept)

    def end_drag(self) -> None:
        """It was carried here by hand; tell it."""
        self._feet = self._feet_now()
        self.save_position()
        self.resize_to_figure()

    def save_position(self) -> None:
        """This is its place from now on; tell it."""
        feet = self.feet
        screen = QGuiApplication.screenAt(feet) or self._window.screen()
        self.placed.emit(screen.name(), feet)

    def _feet_now(self) -> QPoint:
        rect = self.figure_rect()
        right, down = self._shape.offset
        beside = QPoint(round(right * rect.width()), round(down * rect.height()) + self._lowered)
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


def _screens() -> list[QRect]:
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def _scaled_rect(share: PixelBox, corner: QPoint, size: QSize) -> QRect:
    """A part of a window (shares) on the desktop."""
    left, top = round(share.left * size.width()), round(share.top * size.height())
    right, bottom = round(share.right * size.width()), round(share.bottom * size.height())
    return QRect(corner + QPoint(left, top), QSize(right - left, bottom - top))
