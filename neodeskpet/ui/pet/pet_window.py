"""The companion's window: transparent, frameless, as large as the figure.

A top-level QOpenGLWindow (a widget would cost another composition). Clicks outside the figure pass
through: the alpha below the pointer is read regularly, and the window only accepts input where
something is drawn.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessibleInterface,
    QBitmap,
    QCursor,
    QExposeEvent,
    QGuiApplication,
    QHideEvent,
    QImage,
    QMouseEvent,
    QMoveEvent,
    QPainter,
    QPixmap,
    QRegion,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtOpenGL import QOpenGLWindow

from neodeskpet.core.errors import KnownError, LibraryMissing
from neodeskpet.figure.actor_interface import FigureActor
from neodeskpet.figure.animation_script import ParameterRange, parse_script
from neodeskpet.figure.behaviour.free_place import OwnWindow
from neodeskpet.figure.behaviour.gaze import gaze_direction
from neodeskpet.figure.behaviour.handling import (
    Handling,
    HandlingEvent,
    Motion,
    StrokeEvent,
    Stroking,
)
from neodeskpet.figure.behaviour.idling import Liveliness, UserActivity, motion_stems
from neodeskpet.figure.behaviour.reactions import Reactions
from neodeskpet.figure.behaviour.seasons import DayContext
from neodeskpet.figure.behaviour.sleep import WakeReaction
from neodeskpet.figure.behaviour.tricks import Trick, perform_trick
from neodeskpet.figure.behaviour.wearing import wearable_parts, without_props
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_reader import ModelDescription, file_error
from neodeskpet.figure.live2d.gl_functions import is_software
from neodeskpet.figure.live2d.library import (
    CubismModel,
    cubism_library,
    draws_in_software,
    has_cubism_core,
    new_model,
    start_gl,
    without_stdout,
)
from neodeskpet.figure.live2d.model_upkeep import ModelAge
from neodeskpet.figure.poses import Pose, RestPose, name_words
from neodeskpet.figure.stage import notes_of
from neodeskpet.ui.desktop.desktop_windows import FLOATING_FLAGS, skip_taskbar
from neodeskpet.ui.pet.click_through import ClickThrough
from neodeskpet.ui.pet.drag_tracker import DragTracker
from neodeskpet.ui.pet.frame_clock import FrameClock
from neodeskpet.ui.pet.gl_surface import (
    FramebufferReader,
    Supersampler,
    default_format,
    device_size,
    opengl_error,
    surface_error,
)
from neodeskpet.ui.pet.live2d_figure import Live2DFigure
from neodeskpet.ui.pet.loading_indicator import paint_drop_target, paint_loading_indicator
from neodeskpet.ui.pet.screen_geometry import to_rect
from neodeskpet.ui.pet.window_placement import FIGURE_HEIGHT, WindowPlacement
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from neodeskpet.ui.pet.picture_figure import PictureFigure
    from neodeskpet.ui.pet.shared_gl_renderer import SharedGlFigure, SharedGlRenderer

    Body: TypeAlias = Live2DFigure | PictureFigure | SharedGlFigure

_log = logging.getLogger(__name__)

_NEAR = 500
"""Distance in pixels within which the pointer is followed smoothly."""
_CUT_SECONDS = 0.1
_ASK_SECONDS = 2.0
"""Seconds between checks whether the user is present."""
_LOADING_MARK_DELAY = 0.4
"""Seconds of loading before the indicator is shown: a known figure appears earlier, and the
indicator would delay it.
"""
_LONGEST_CELEBRATION = 5.0
"""Seconds after which no celebration can be visible; its module is loaded only for one."""
_FACE_SECONDS = 0.4
"""Seconds between two checks where its face is."""
_LEAN = 0.35
"""The share of the speed of a stroke with which the figure leans."""
_STEP = 1.08
"""Factor of the figure's size per wheel step."""


class PetWindow(QOpenGLWindow):
    """A Stage. Create it after QApplication; `show()` it, and `load(path)` on a running loop.

    Its parts: `placement` (position and size), `frames` (when it is drawn).

    If the desktop has no OpenGL it is never shown and emits `failed`; everything else works: names
    of expressions and motions are still known.
    """

    chat_requested = Signal()
    menu_requested = Signal(QPoint)
    """Open the menu at this global point."""
    scaled = Signal(float)
    anchored = Signal()
    """It moved or changed size; windows beside it must follow."""
    advanced = Signal(float)
    """A frame is due; time in seconds of a monotonic clock."""
    command_given = Signal()
    """It received a command, which the next frame shows."""
    acted = Signal(object)
    """It starts an act, for any reason: the words of the act's name, as a tuple."""
    touched = Signal(str)
    stroked = Signal()
    """The user begins to stroke its head with the pointer."""
    picked_up = Signal()
    """The user starts to drag it."""
    released = Signal(QPointF)
    """The user released it with this velocity in px/s."""
    user_returned = Signal()
    """The user is back after a long absence."""
    ready = Signal(object)
    failed = Signal(object)
    expression_changed = Signal(str)

    def __init__(
        self,
        cache_dir: Path,
        *,
        theme: Theme = LIGHT,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        hour: Callable[[], int] = lambda: datetime.now().hour,
        age: ModelAge | None = None,
        core: bool | None = None,
        first: PetWindow | None = None,
    ) -> None:
        """`core`: whether the Live2D library is available, detected by default. `first`: the window
        of the main companion if this is a further one; its context draws this window's Live2D
        figures.
        """
        super().__init__()
        self.on_click: Callable[[], bool] = lambda: False
        """Called for a click on the figure; True: the click is used, nothing is touched."""
        self._clock = clock
        self._core = has_cubism_core() if core is None else core
        self._first = first
        self._shared_renderer: SharedGlRenderer | None = None
        self.placement = WindowPlacement(self)
        self.frames = FrameClock(self, clock)
        self.frames.due.connect(self._advance)
        self._through = ClickThrough(self)
        self._grip = DragTracker(QGuiApplication.styleHints().startDragDistance())
        self.setFormat(default_format())
        self.setTitle("NeoDeskPet")
        self.setFlags(self.flags() | FLOATING_FLAGS)
        # macOS hides tool windows while another application is active; Qt's property prevents it.
        self.setProperty("_q_macAlwaysShowToolWindow", True)
        self._cache_dir = cache_dir
        self._theme = theme
        self._random = random or Random()
        self._hour = hour
        self._age = age or ModelAge()
        self._reactions = Reactions(self._random, clock())
        self._fault: str | None = None
        self._pixels: FramebufferReader | None = None
        self._smoothing: Supersampler | None = None
        self._figure: Body | None = None
        self._described: ModelDescription | None = None
        self._checked: ModelDescription | None = None
        self._work = TaskRunner("companion", failed=self._refuse)
        self._pointer = QCursor.pos()
        self._waiting = False
        self._waiting_since = clock()
        self._target = False
        self._face = ""
        self._person: Callable[[], float | None] = lambda: None
        self._asked_at = clock()
        self._handling = Handling(clock())
        self._stroking = Stroking()
        self._gazes = True
        self._quiet = False
        self._day = DayContext()
        self._worn_part = ""
        self._liveliness = Liveliness.NORMAL
        self._stems: tuple[ModelDescription | None, Mapping[Motion, str]] = (None, {})
        """The names of the motions' files, and of which model they are."""
        self._rest = RestPose.STANDING
        self._cut_out = False
        self._cut_at = 0.0
        self._face_at = 0.0
        self._celebrated_at = -math.inf
        self._reduced_motion = False
        self._appeared: float | None = None

    def accessibleRoot(self) -> QAccessibleInterface:
        """Return what screen readers get; Qt asks only while one is running."""
        from neodeskpet.ui.pet.accessible_figure import FigureParts, figure_interface

        def open_menu() -> None:
            self.menu_requested.emit(self.placement.figure_rect().center())

        rect, open_chat = self.placement.figure_rect, self.chat_requested.emit
        return figure_interface(self, FigureParts(rect, open_chat, open_menu))

    # Stage

    def load(self, path: Path) -> None:
        """Check and load the model at `path`; `ready` or `failed` is emitted at the end. The last
        of several loads wins. Needs a running asyncio loop.
        """
        self._waiting = True
        self._waiting_since = self._clock()
        self.frames.wake(1.0)
        self._work.replace("load", partial(self._load, path))

    async def wait_until_loaded(self) -> None:
        await self._work.wait_until_idle()

    def express(self, name: str) -> None:
        if (actor := self._actor) is not None:
            self._stir()
            actor.express(name, self._clock())
            self._moved()
            if "excited" in name_words(name):
                self.celebrate()

    def celebrate(self) -> bool:
        """Celebrate great news with the whole picture, at most once an hour; not while it is quiet
        or motion is reduced. Return whether it does.
        """
        from neodeskpet.ui.pet.celebration import CELEBRATION_SECONDS, LEAST_GAP_SECONDS

        now = self._clock()
        calm = self._quiet or self._reduced_motion or self._figure is None
        if calm or now - self._celebrated_at < LEAST_GAP_SECONDS:
            return False
        self._celebrated_at = now
        self.acted.emit(("celebrate",))
        self.frames.wake(CELEBRATION_SECONDS)
        return True

    def play(self, group: str, index: int | None = None) -> None:
        if (actor := self._actor) is not None:
            self._stir()
            actor.play(group, index, self._clock())
            self._moved()

    def look_at(self, x: float, y: float) -> None:
        if (actor := self._actor) is not None:
            actor.look(*self._direction(x, y), self._clock())
            self._moved()

    def speak(self, level: float, vowel: str = "") -> None:
        if (actor := self._actor) is not None:
            actor.speak(level, self._clock(), vowel)
            self._moved()

    def pose(self, state: Pose) -> None:
        if (actor := self._actor) is not None:
            if state is not Pose.IDLE:
                self._stir()
            actor.pose(state, self._clock())
            self._moved()

    def expressions(self) -> list[str]:
        return list(self._described.expressions) if self._described else []

    def motions(self) -> dict[str, int]:
        return dict(self._described.motions) if self._described else {}

    def parameters(self) -> dict[str, ParameterRange]:
        return without_props(self._all_parameters())

    def _all_parameters(self) -> Mapping[str, ParameterRange]:
        if (actor := self._actor) is not None:
            return actor.parameters()
        return self._described.parameters if self._described else {}

    def notes(self, kind: str) -> Mapping[str, str]:
        return notes_of(self._described, kind)

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        moves = parse_script(script, self.parameters())
        if (actor := self._actor) is not None:
            self._stir()
            actor.animate(moves, self._clock())
            self._moved()
        return moves.seconds

    def wearables(self) -> list[str]:
        return list(wearable_parts(self._all_parameters()))

    @property
    def worn_part(self) -> str:
        """The part that it was last told to wear; "" for none."""
        return self._worn_part

    def wear(self, part: str) -> None:
        self._worn_part = part
        if (actor := self._actor) is not None:
            actor.wear(part, self._clock())
            self._moved()

    # Settings

    @property
    def cache_dir(self) -> Path:
        """The folder of the model checker's copies."""
        return self._cache_dir

    @property
    def description(self) -> ModelDescription | None:
        """The description of the shown model."""
        return self._described

    def set_idle_source(self, idle: Callable[[], float | None]) -> None:
        """Set the function that returns the seconds without any user input; None if unknown."""
        self._person = idle

    @property
    def is_held(self) -> bool:
        """Whether a mouse button is held on it."""
        return self._grip.is_pressed

    @property
    def is_loading(self) -> bool:
        """Whether a model is being loaded."""
        return self._waiting

    @property
    def appeared_at(self) -> float | None:
        """The time when a figure was first drawn (s, the window's clock), or None."""
        return self._appeared

    def set_fondness(self, fondness: float) -> None:
        """Set how much it likes to be petted, 0 to 1."""
        self._reactions.fondness = fondness

    @property
    def current_pose(self) -> Pose:
        """The current pose."""
        actor = self._actor
        return actor.current_pose if actor is not None else Pose.IDLE

    @property
    def is_idle(self) -> bool:
        """Whether it is visible, awake and without a task, so that it can act by itself."""
        actor = self._actor
        free = actor is not None and actor.current_pose is Pose.IDLE
        return free and not self._quiet and self.frames.is_visible

    @property
    def is_user_working(self) -> bool:
        """Whether the user has used keys or the pointer in the last 30 s."""
        return self._actor is not None and self._actor.activity is UserActivity.WORKING

    @property
    def is_user_away(self) -> bool:
        """Whether the user has used neither keys nor the pointer for 90 s."""
        return self._actor is not None and self._actor.activity is UserActivity.AWAY

    @property
    def is_lying(self) -> bool:
        """Whether it is lying, which must not be interrupted."""
        actor = self._actor
        return actor is not None and actor.is_lying

    def perform(self, feat: Trick, *, asked: bool = False) -> bool:
        """Perform a trick by itself if it `is_idle`, without resetting the sleep timer; with
        `asked` by the user always. Return whether it does.
        """
        actor = self._actor
        if actor is None or not (asked or self.is_idle):
            return False
        if asked:
            self._stir()
        perform_trick(actor, feat, self._clock(), asked=asked)
        if feat.motions:
            self.acted.emit(feat.motions)
        self._moved()
        return True

    def walk(self, pose: Pose) -> bool:
        """Show that it walks, or with `Pose.IDLE` that it stands, without resetting the sleep
        timer. Return whether its figure has its own steps.
        """
        actor = self._actor
        if actor is None:
            return False
        actor.pose(pose, self._clock())
        self._moved()
        return actor.has_motion_for(pose)

    @property
    def walking(self) -> bool:
        """Whether its figure shows a walk (see `FigureActor.walking`)."""
        actor = self._actor
        return actor is not None and actor.walking

    @property
    def pointer(self) -> QPoint:
        """The pointer position at the last frame."""
        return self._pointer

    @property
    def day(self) -> DayContext:
        return self._day

    def set_day(self, day: DayContext) -> None:
        """Set the day, which influences its own activities."""
        self._day = day
        if (actor := self._actor) is not None:
            actor.day = day

    @property
    def liveliness(self) -> Liveliness:
        return self._liveliness

    def set_liveliness(self, liveliness: Liveliness) -> None:
        """Set how much it does by itself."""
        self._liveliness = liveliness
        if (actor := self._actor) is not None:
            actor.liveliness = liveliness

    @property
    def current_rest(self) -> RestPose:
        """The current rest pose (see `FigureActor.rest`)."""
        actor = self._actor
        return actor.rest if actor is not None else RestPose.STANDING

    @property
    def rest(self) -> RestPose:
        """The rest pose while it has no task."""
        return self._rest

    def set_rest(self, rest: RestPose) -> None:
        """Set the rest pose while it has no task."""
        if rest is self._rest:
            return
        self._rest = rest
        if (actor := self._actor) is not None:
            actor.set_rest(rest, self._clock())
            self._moved()

    def set_gaze(self, on: bool) -> None:
        """Set whether it looks at the pointer."""
        self._gazes = on

    def set_quiet(self, on: bool) -> None:
        """Set whether it stays still until it is addressed or touched."""
        self._quiet = on
        if (actor := self._actor) is not None:
            actor.quiet = on

    def set_reduced_motion(self, on: bool) -> None:
        """Set whether to reduce motion: it neither breathes nor celebrates then."""
        self._reduced_motion = on
        if (actor := self._actor) is not None:
            actor.still = on

    def set_on_top(self, on: bool) -> None:
        """Set whether it stays above other windows."""
        self.setFlag(Qt.WindowType.WindowStaysOnTopHint, on)
        if self.isVisible():
            # Qt rewrites the window manager's hints.
            skip_taskbar(self)

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is clipped to the drawn pixels: without compositing, transparent
        areas would be black.
        """
        self._cut_out = on
        self._cut_at = 0.0
        if not on:
            self.setMask(QRegion())
        self.update()

    def set_drop_highlight(self, on: bool) -> None:
        """Set whether acceptable content is dragged over it, which shows a frame."""
        self._target = on
        self.frames.wake(0.6)
        self.update()

    def set_own_windows(self, windows: Sequence[OwnWindow], *, glide: bool = False) -> None:
        """Avoid these windows of the app, which also get the clicks (see
        `WindowPlacement.set_own_windows`).
        """
        self._through.set_avoided_areas(to_rect(one.area) for one in windows)
        self.placement.set_own_windows(windows, glide=glide)

    def update_face(self) -> bool:
        """Find its face again, a few times a second; return whether it has moved far."""
        now = self._clock()
        if self._figure is None or now - self._face_at < _FACE_SECONDS:
            return False
        self._face_at = now
        return self.placement.set_face(self._figure.find_face())

    def update_click_through(self) -> None:
        """Update whether it accepts a click, by the last drawn frame."""
        self._through.check_pointer()

    def set_click_through(self, on: bool) -> None:
        """Set whether clicks also pass through the figure itself."""
        self._through.set_always(on)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    # Pictures

    def snapshot(self, height: int | None = None) -> QImage:
        """Return a picture of the current figure with alpha; null before a model is loaded.
        `height` in pixels, by default the window's.
        """
        figure = self._figure
        if figure is None:
            return QImage()
        self.makeCurrent()
        image = figure.snapshot(height or round(self.height() * self.devicePixelRatio()))
        self.doneCurrent()
        return image

    def portrait(self, size: int) -> QPixmap:
        """Return the head in a square of `size` device-independent pixels; null before a model is
        loaded.
        """
        figure = self._figure
        if figure is None:
            return QPixmap()
        ratio = self.devicePixelRatio()
        self.makeCurrent()
        picture = QPixmap.fromImage(figure.portrait(round(size * ratio)))
        self.doneCurrent()
        picture.setDevicePixelRatio(ratio)
        return picture

    # Showing and loading

    def show(self) -> None:
        """Show the window; emit `failed` if there is no OpenGL."""
        if self._fault is None:
            self._fault = opengl_error()
        if self._fault:
            self._give_up(self._fault)
            return
        self.placement.choose_position()
        super().show()
        skip_taskbar(self)

    def release_model(self) -> None:
        """Release all resources. Call it before the application ends, or before another PetWindow
        is created: the library's shaders belong to one GL context at a time.
        """
        self._work.cancel_all()
        self.hide()
        if self._pixels is None:
            return
        if self._shared_renderer is not None:
            self._shared_renderer.close()
        self.makeCurrent()
        if self._figure is not None:
            self._figure.close()
            self._figure = None
        if self._leads:
            with without_stdout():
                cubism_library().glRelease()
        self._pixels = self._smoothing = self._shared_renderer = None
        self.doneCurrent()

    async def _load(self, path: Path) -> None:
        description = await check_model(path, self._cache_dir)
        figure = self._figure
        if figure is not None and description.root == figure.description.root:
            # The shown model, perhaps with other names and areas: nothing to load.
            self._described = description
            self._waiting = False
            figure.set_description(description, self._clock())
            self._settle_in(figure, description)
            return
        self._described = description
        self._checked = description
        if self._pixels is not None:
            await self._bring_on(description, self._pixels)

    def _refuse(self, error: KnownError) -> None:
        self._waiting = False
        self.failed.emit(error)

    async def _bring_on(self, description: ModelDescription, pixels: FramebufferReader) -> None:
        """Replace the figure."""
        self._checked = None
        figure = await self._build(description, pixels)
        self._waiting = False
        self._settle_in(figure, description)

    async def _build(self, description: ModelDescription, pixels: FramebufferReader) -> Body:
        """Create a figure in place of the present one; a frame is drawn before each slow part."""
        figure: Body
        if description.pictures is not None:
            from neodeskpet.ui.pet.picture_figure import PictureFigure, load_sheets

            sheets = await load_sheets(description)
            self.makeCurrent()
            figure = PictureFigure(description, sheets, self, self._random, self._clock())
        else:
            if not self._core:
                raise LibraryMissing(file=description.file.name)
            await self._let_a_frame_through()
            try:
                model = new_model(description.settings, str(description.root))
            except ImportError as error:
                raise file_error(description.file.name, str(error)) from None
            await self._let_a_frame_through()
            self.makeCurrent()
            figure = self._draw_up(model, description, pixels)
        figure.actor.quiet, figure.actor.day = self._quiet, self._day
        figure.actor.still = self._reduced_motion
        figure.actor.wear(self._worn_part, self._clock(), fades=False)
        figure.actor.liveliness = self._liveliness
        figure.actor.on_motion = self._report_act
        figure.actor.set_rest(self._rest, self._clock())
        if self._figure is not None:
            self._figure.close()
        self._figure = figure
        self._age.renew()
        self.doneCurrent()
        return figure

    def _draw_up(
        self, model: CubismModel, description: ModelDescription, pixels: FramebufferReader
    ) -> Live2DFigure | SharedGlFigure:
        """Create a Live2D figure in the context that the library knows."""
        tall = (
            FIGURE_HEIGHT * self.placement.shown_scale * description.size * self.devicePixelRatio()
        )

        def make(pixels: FramebufferReader) -> Live2DFigure:
            return Live2DFigure(model, description, pixels, self._random, self._clock(), tall)

        if self._first is None:
            return make(pixels)
        from neodeskpet.ui.pet.shared_gl_renderer import SharedGlFigure

        renderer = self._first.shared_renderer()
        try:
            if renderer is None:
                raise RuntimeError("the first companion isn't drawn")
            return SharedGlFigure(renderer, self, make)
        except RuntimeError as error:
            raise file_error(description.file.name, str(error)) from None

    def shared_renderer(self) -> SharedGlRenderer | None:
        """The renderer of further companions' figures, once this window is drawn; created on
        demand.
        """
        if self._shared_renderer is None and self._pixels is not None and self._leads:
            from neodeskpet.ui.pet.shared_gl_renderer import SharedGlRenderer

            self._shared_renderer = SharedGlRenderer(
                self, self._pixels, software=draws_in_software()
            )
        return self._shared_renderer

    async def _let_a_frame_through(self) -> None:
        """Let the current figure, if any, draw a frame."""
        if self._figure is not None:
            await asyncio.sleep(0.02)

    def _renew(self) -> None:
        """Reload the same model (see `ModelAge`)."""
        if self._figure is not None and self._pixels is not None and not self._waiting:
            self._age.renew()
            self._work.replace("load", partial(self._rebuild, self._figure, self._pixels))

    async def _rebuild(self, before: Body, pixels: FramebufferReader) -> None:
        figure = await self._build(before.description, pixels)
        figure.actor.pose(before.actor.current_pose, self._clock())
        self.frames.wake(2.0)

    def _settle_in(self, figure: Body, description: ModelDescription) -> None:
        self.placement.set_shape(figure.shape)
        self.frames.wake(2.0)
        self.update()  # now, not with the next frame
        self.ready.emit(description)

    # Frames

    def initializeGL(self) -> None:
        self._fault = surface_error(self.context().format())
        if self._fault:
            self._give_up(self._fault)
            QTimer.singleShot(0, self.hide)
            return
        self._pixels = FramebufferReader(self.context())
        if self._leads:
            start_gl()
        software = draws_in_software() if self._core else is_software(self._pixels.renderer)
        self.frames.set_calm(software)
        self._smoothing = Supersampler(self._pixels, software=software)
        if self._checked is not None:
            self._work.start("load", partial(self._bring_on, self._checked, self._pixels))

    def exposeEvent(self, event: QExposeEvent) -> None:
        super().exposeEvent(event)
        self._look()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Hidden and shown in one event loop iteration it may stay exposed without an event.
        QTimer.singleShot(0, self, self._look)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._see(False)

    def _look(self) -> None:
        self._see(self.isExposed() and self.isVisible())

    def _see(self, seen: bool) -> None:
        """Follow a change of the visibility."""
        if seen and not self.frames.is_visible:
            self._reactions.come_into_view(self._person(), self._clock(), self._hour())
            if not self._grip.is_pressed:
                # Window managers move a new window onto the screen; it has empty space below its
                # feet, and
                # may peek from an edge.
                self.placement.resize_to_figure()
        self.frames.set_visible(seen)
        self._through.set_visible(seen)
        if not seen and self._age.is_due(seen=False, asleep=False, moving=False):
            self._renew()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.anchored.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.anchored.emit()

    def _advance(self, now: float) -> None:
        self._pointer = QCursor.pos()
        self._through.set_pointer(self._pointer)
        self._act(now)
        self.advanced.emit(now)
        self.update()

    def _act(self, now: float) -> None:
        actor = self._actor
        if actor is None:
            if self._waiting:
                self.frames.wake(0.5)
            return
        if self._gazes:
            self._follow_pointer(actor, now)
        actor.is_crowded = self.placement.has_window_beside()
        self._notice_person(actor, now)
        self._reactions.tick(actor, now, self._hour())
        self.frames.set_resting(self._reactions.asleep and not actor.moves_asleep)
        self.frames.set_activity(actor.is_acting, actor.pace)
        if actor.moving(now) or self._waiting:
            self.frames.wake(0.3)
        moving = actor.moving(now)
        if self._age.is_due(seen=True, asleep=self._reactions.asleep, moving=moving):
            self._renew()
        face = actor.expression or ""
        if face != self._face:
            self._face = face
            self.expression_changed.emit(face)

    def _notice_person(self, actor: FigureActor, now: float) -> None:
        if now - self._asked_at < _ASK_SECONDS:
            return
        self._asked_at = now
        wake = self._reactions.update_presence(actor, self._person(), now, self._hour())
        if wake is not WakeReaction.NONE:
            self._moved()
        if wake is WakeReaction.WELCOME:
            self.user_returned.emit()

    def paintGL(self) -> None:
        now, seconds = self.frames.begin_frame()
        self._paint(now, seconds)
        self.frames.schedule_next()

    def _paint(self, now: float, seconds: float) -> None:
        if self._fault:
            return
        if self._pixels is not None:
            self._pixels.clear()
        if self._figure is not None:
            width, height = device_size(self)
            self._figure.set_size(width, height)
            draw = partial(self._figure.draw, now, seconds)
            if self._smoothing is not None and isinstance(self._figure, Live2DFigure):
                self._smoothing.paint(width, height, draw)
            else:
                draw()
            if self._appeared is None:
                self._appeared = self._clock()
            self._age.advance(seconds)
            if self._pixels is not None:
                self._through.frame_drawn(self._pixels)
        if self._waiting and now - self._waiting_since >= _LOADING_MARK_DELAY:
            self._paint_waiting(now)
        self._paint_celebration(now)
        if self._target:
            with QPainter(self) as painter:
                paint_drop_target(painter, self.size(), self._theme)
        if self._cut_out and self._pixels is not None and now - self._cut_at >= _CUT_SECONDS:
            self._cut_at = now
            self._cut(self._pixels)

    def _paint_celebration(self, now: float) -> None:
        passed = now - self._celebrated_at
        if passed > _LONGEST_CELEBRATION:
            return
        from neodeskpet.ui.pet.celebration import paint_celebration

        figure = QRectF(self.placement.figure_rect().translated(-self.position()))
        with QPainter(self) as painter:
            paint_celebration(painter, self.size(), figure, passed, self._theme)

    def _cut(self, pixels: FramebufferReader) -> None:
        """Clip the window to the drawn frame; the mask is only updated a few times a second because
        of its cost.
        """
        drawn = pixels.image(*device_size(self)).scaled(self.size()).createAlphaMask()
        # An empty region would remove the clip.
        self.setMask(QRegion(QBitmap.fromImage(drawn)) or QRegion(0, 0, 1, 1))

    def _paint_waiting(self, now: float) -> None:
        alone = self._figure is None
        with QPainter(self) as painter:
            middle = QPointF(self.width() / 2, self.height() * (0.6 if alone else 0.5))
            paint_loading_indicator(painter, middle, 22.0, self._theme, now, alone=alone)

    # Pointer

    def _follow_pointer(self, actor: FigureActor, now: float) -> None:
        pointer = self._pointer
        moved = actor.gaze.point(*self._direction(pointer.x(), pointer.y()), now)
        distance = (pointer - self.placement.head_rect().center()).manhattanLength()
        if moved and distance < _NEAR:
            self.frames.wake(0.6)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.globalPosition()
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip.press(point, self.position(), self._clock())
            self._through.set_held(True)
            self._handling = Handling(self._clock())
        elif event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(point.toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._grip.is_pressed:
            self._stroke(event.globalPosition())
        drag = self._grip.move(event.globalPosition(), self._clock())
        if drag is not None:
            corner, speed, begins = drag
            if begins:
                self.picked_up.emit()
            self.placement.drag_to(corner)
            self._carry(speed, begins=begins)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._grip.is_pressed:
            return
        self._through.set_held(False)
        handled = self._handling.end(self._clock())
        velocity = self._grip.velocity(self._clock())
        if not self._grip.release():
            self._drop()
            self.placement.end_drag()
            self.released.emit(velocity)
        elif handled is None and not self.on_click():
            self._touch(event.position())
        self._feel(handled)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.chat_requested.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scale with Ctrl and the wheel only: scrolling a window behind often hits the figure."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        steps = event.angleDelta().y() / 120
        if steps:
            self.placement.set_scale(self.placement.shown_scale * _STEP**steps)
            self.scaled.emit(self.placement.scale)

    def _touch(self, point: QPointF) -> None:
        figure = self._figure
        if figure is None:
            return
        ratio = self.devicePixelRatio()
        area = figure.touch_area_at(point.x() * ratio, point.y() * ratio)
        self._reactions.touch(figure.actor, area, self._clock(), self._hour())
        self._moved()
        self.touched.emit(area)

    def _carry(self, speed: float, *, begins: bool) -> None:
        if (actor := self._actor) is not None:
            if begins:
                self._reactions.lift(actor, self._clock(), self._hour())
            actor.drag(speed, self._clock())
            if self._handling.move(speed, self._clock()) is not None:
                self._reactions.shake(actor, self._clock())
            self._moved()

    def _stroke(self, point: QPointF) -> None:
        """Follow the pointer over the figure without a button."""
        over_head = self.placement.head_rect().contains(point.toPoint())
        shape = Qt.CursorShape.OpenHandCursor if over_head else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)
        now = self._clock()
        event = self._stroking.move(point.x(), point.y(), now, over_head=over_head)
        if (actor := self._actor) is None or not self._stroking.is_felt:
            return
        if event is not None and self._reactions.stroke(actor, event, now, self._hour()):
            self._moved()
            if event is StrokeEvent.BEGUN:
                self.stroked.emit()
        if self._reactions.enjoys_strokes(actor):
            # It leans in the direction of the hand, while a dragged figure hangs back.
            actor.drag(-_LEAN * self._stroking.speed, now)

    def _feel(self, handled: HandlingEvent | None) -> None:
        if handled is not None and (actor := self._actor) is not None:
            self._reactions.handle(actor, handled, self._clock(), self._hour())
            self._moved()

    def _drop(self) -> None:
        if (actor := self._actor) is not None:
            self._reactions.put_down(actor, self._clock())
            self._moved()

    # Helpers

    @property
    def _leads(self) -> bool:
        """Whether this window has the context that the library uses."""
        return self._core and self._first is None

    @property
    def _actor(self) -> FigureActor | None:
        return self._figure.actor if self._figure is not None else None

    def _report_act(self, motion: Motion) -> None:
        described = self._described
        if described is None:
            return
        if self._stems[0] is not described:
            self._stems = (described, motion_stems(described))
        stem = self._stems[1].get(motion, "")
        self.acted.emit((*name_words(stem), *name_words(motion[0])))

    def _stir(self) -> None:
        self._reactions.disturb(self._actor, self._clock(), self._hour())

    def _moved(self) -> None:
        """Show a command in the next frame, which is drawn now."""
        self.frames.wake(0.5)
        self.command_given.emit()

    def _direction(self, x: float, y: float) -> tuple[float, float]:
        face = self.placement.head_rect().center()
        return gaze_direction(face.x(), face.y(), x, y)

    def _give_up(self, reason: str) -> None:
        _log.warning("The companion can't be drawn: %s", reason)
        name = self._described.file.name if self._described else self.title()
        self.failed.emit(file_error(name, reason))
