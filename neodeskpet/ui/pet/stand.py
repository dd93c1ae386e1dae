"""Where a window stands: as large as its figure, on its feet, never off the screens.

The point between the feet is what is kept: the figure may grow, shrink or be another one, and
stands where it stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal
from PySide6.QtGui import QGuiApplication, QPaintDeviceWindow, QScreen

from neodeskpet.live2d.framing import Box
from neodeskpet.live2d.place.peeking import Retreat, peek_at
from neodeskpet.ui.pet.placement import area_of, cleared, kept_on_screen

FIGURE_HEIGHT = 340
"""Height of the figure at scale 1, in device-independent pixels."""
SMALLEST, LARGEST = 0.4, 2.5
_MARGIN = 24


@dataclass(frozen=True, slots=True)
class Shape:
    """Where things are in the window, in shares (0..1) of it. `aspect` is its width : height. The
    figure is drawn `size` times as large as others, and stands beside its place by `offset` (shares
    of its own width and height, right and down).
    """

    figure: Box
    head: Box
    mouth: tuple[float, float]
    aspect: float
    size: float = 1.0
    offset: tuple[float, float] = (0.0, 0.0)


_NOBODY = Shape(Box(0.0, 0.0, 1.0, 1.0), Box(0.0, 0.0, 1.0, 0.5), (0.5, 0.4), 0.8)
_PLACEHOLDER_HEIGHT = 200


class Stand(QObject):
    """Places and sizes the window it is given."""

    placed = Signal(str, QPoint)
    """The person moved it: the screen's name, and the global point between its feet."""

    def __init__(self, window: QPaintDeviceWindow) -> None:
        super().__init__(window)
        self._window = window
        self._shape = _NOBODY
        self._scale = 1.0
        self._feet: QPoint | None = None
        self._lift = 0
        self._lowered = 0
        self._astray = False
        self._aside: Retreat | None = None
        self._beyond = 0
        self._covered = QRect()
        self._watch_screens()

    @property
    def scale(self) -> float:
        return self._scale

    def set_scale(self, scale: float) -> None:
        """1 is a figure of FIGURE_HEIGHT; its feet stay where they are."""
        self._scale = min(LARGEST, max(SMALLEST, scale))
        self.fit()

    @property
    def feet(self) -> QPoint:
        """The global point between its feet, where it belongs."""
        return QPoint(self._feet) if self._feet is not None else self._feet_now()

    @property
    def astray(self) -> bool:
        """Whether it stands beside the place where it belongs: that is covered, or off screen."""
        return self._astray

    def put_at(self, feet: QPoint, lift: int = 0) -> None:
        """Stand with the feet at this global point, or as near as the screens allow; `lift` pixels
        above it.
        """
        self._feet = QPoint(feet)
        self._lift = lift
        self.fit()

    def lower(self, pixels: int) -> None:
        """Be so much below where it belongs: it sits there."""
        if pixels != self._lowered:
            self._lowered = pixels
            self.fit()

    @property
    def aside(self) -> Retreat | None:
        """From where it looks out, if it was sent aside."""
        return self._aside

    @property
    def beyond(self) -> int:
        """How many pixels further to the right (negative: to the left) the hand would have carried
        it than the screens allow.
        """
        return self._beyond

    def retreat(self, to: Retreat | None, feet: QPoint | None = None) -> None:
        """Look out from there, or stand again; it belongs to `feet` as before, or from now on. The
        window moves with the next `fit`, or by its owner, to `corner`.
        """
        self._aside = to
        if feet is not None:
            self._feet = QPoint(feet)

    def set_covered(self, covered: QRect) -> None:
        """Another window covers this: step aside while it does, if there is room."""
        self._covered = QRect(covered)
        self.fit()

    def figure_rect(self) -> QRect:
        """The figure on the desktop."""
        return _part(self._shape.figure, self._window.position(), self._window.size())

    def head_rect(self) -> QRect:
        """The head on the desktop."""
        return _part(self._shape.head, self._window.position(), self._window.size())

    def mouth_point(self) -> QPoint:
        """The mouth on the desktop: where a bubble's tail points."""
        x, y = self._shape.mouth
        return self._window.position() + QPoint(
            round(x * self._window.width()), round(y * self._window.height())
        )

    def reshape(self, shape: Shape) -> None:
        """Another figure stands there."""
        self._shape = shape
        self.fit()

    def fit(self) -> None:
        """Size the window for the figure, and stand it on its feet, on a screen."""
        share = self._shape.figure
        if self._shape is _NOBODY:
            height = float(_PLACEHOLDER_HEIGHT)
        else:
            height = FIGURE_HEIGHT * self._scale * self._shape.size / share.height
        size = QSize(round(height * self._shape.aspect), round(height))
        self._window.resize(size)
        if self._feet is not None:
            self._window.setPosition(self.corner())
            self._window.update()

    def corner(self) -> QPoint:
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
        figure = _part(share, corner, size)
        kept = kept_on_screen(figure, screens)
        aside = cleared(figure.translated(kept), self._covered, screens)
        self._astray = bool(kept.x() or aside.x())
        return corner + kept + aside

    def _peek(self, screens: Sequence[QRect]) -> QPoint | None:
        """Where the corner belongs while it looks out from an edge."""
        if self._aside is None:
            return None
        size = self._window.size()
        figure, head = (
            _part(one, QPoint(), size) for one in (self._shape.figure, self._shape.head)
        )
        ends = head.left() - figure.left(), head.right() + 1 - figure.left()
        places = [area_of(screen) for screen in screens]
        found = peek_at(places, self._aside, ends, figure.height())
        return QPoint(*found) - figure.topLeft() if found is not None else None

    def find_place(self) -> None:
        """Where it belongs, first in the lower right corner."""
        if self._feet is None:
            area = QGuiApplication.primaryScreen().availableGeometry()
            inwards = QPoint(_MARGIN + FIGURE_HEIGHT // 2, _MARGIN)
            self._feet = area.bottomRight() - inwards
        self.fit()

    def carry_to(self, corner: QPoint) -> None:
        """Move the window's corner there, as far as the figure stays on a screen."""
        figure = self.figure_rect().translated(corner - self._window.position())
        kept = kept_on_screen(figure, _screens())
        self._beyond = -kept.x()
        self._window.setPosition(corner + kept)

    def put_down(self) -> None:
        """It was carried here by hand; tell it."""
        self._feet = self._feet_now()
        self.settle()
        self.fit()

    def settle(self) -> None:
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
        application.screenRemoved.connect(self.fit)
        for screen in QGuiApplication.screens():
            self._watch_screen(screen)

    def _watch_screen(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self.fit)
        self.fit()


def _screens() -> list[QRect]:
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def _part(share: Box, corner: QPoint, size: QSize) -> QRect:
    """A part of a window (shares) on the desktop."""
    left, top = round(share.left * size.width()), round(share.top * size.height())
    right, bottom = round(share.right * size.width()), round(share.bottom * size.height())
    return QRect(corner + QPoint(left, top), QSize(right - left, bottom - top))
