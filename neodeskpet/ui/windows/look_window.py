"""The look of the companion and the album: the colours of fur and scarf, the worn parts and how one
gets them, the days together, and moments with pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QColorDialog,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.figure.files.tint import OwnColours
from neodeskpet.language import format_error, tr
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import announce, mark_as_choices
from neodeskpet.ui.widgets.choice_tile import ChoiceTile, FlowGrid
from neodeskpet.ui.widgets.controls import SegmentedControl, controls_sheet
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel, WrappingButton, set_tooltip
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Look and album")
MIN_SIZE = (360, 420)
_SIZE = (560, 680)
_PREVIEW = (200, 240)
_CARD = (300, 240)
_SWATCH = (34, 34)
_COLUMNS, _SWATCH_GAP = 6, 4
_LOOK, _ALBUM = "look", "album"
COLOURS: Sequence[tuple[str, str]] = (
    ("#4fcac4", N_("Teal")),
    ("#5aa9e6", N_("Sky blue")),
    ("#5557bf", N_("Indigo")),
    ("#a06cd5", N_("Violet")),
    ("#fa9fbd", N_("Pink")),
    ("#d9525e", N_("Red")),
    ("#f58a36", N_("Orange")),
    ("#f2c14e", N_("Gold")),
    ("#9cc25c", N_("Green")),
    ("#228a97", N_("Dark teal")),
    ("#c3cfdd", N_("Silver")),
)
"""The offered colours and their names; any other can be chosen, too."""


@dataclass(frozen=True, slots=True)
class PartOnShelf:
    """A worn part: `how` tells how it comes. `by_user`: the user chose it."""

    id: str
    title: str
    how: str
    worn: bool
    by_user: bool = False


@dataclass(frozen=True, slots=True)
class ShownMoment:
    id: str
    caption: str
    day: str


@dataclass(frozen=True, slots=True)
class AlbumPage:
    """`together` tells how many days they were together."""

    together: str
    moments: Sequence[ShownMoment]


class LookPort(Protocol):
    """Coroutines raise KnownError."""

    async def colours(self) -> OwnColours | None:
        """Return the colours of the figure; None if it can't have others."""
        ...

    async def colours_tail(self) -> bool:
        """Return whether the tail gets the colour of the hair; otherwise it keeps its own."""
        ...

    async def preview(self, colours: OwnColours) -> QImage:
        """Return the figure in these colours; null if it can't be drawn."""
        ...

    async def set_colours(self, colours: OwnColours | None) -> None:
        """Give the figure these colours; None: its original ones."""
        ...

    def parts(self) -> Sequence[PartOnShelf]: ...

    async def next_part(self) -> str:
        """Return which part comes next by itself, and when; "" if that isn't known."""
        ...

    def wear(self, part: str) -> None:
        """Let it wear this part; "itself": what suits the day."""
        ...

    async def album(self) -> AlbumPage: ...

    async def picture(self, moment: str) -> QImage:
        """Return the figure as it was in this moment; null if it can't be drawn."""
        ...


class Swatch(ChoiceTile):
    """A round area of one colour."""

    def __init__(self, theme: Theme, colour: str) -> None:
        super().__init__(theme, _SWATCH)
        self.colour = colour

    def nextCheckState(self) -> None:
        # The group calls this to uncheck the former one; the checked one can't be unchecked.
        self.setChecked(not self.isChecked())

    def set_colour(self, colour: str) -> None:
        self.colour = colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, area = self._theme, QRectF(self.rect()).adjusted(4, 4, -4, -4)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(t.control_line), 1))
            painter.setBrush(QColor(self.colour) if self.colour else QColor(t.surface))
            painter.drawEllipse(area)
            if not self.colour:
                painter.setPen(QColor(t.text))
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "…")
            if self.isChecked() or self._hovered or self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                strong = self.isChecked() or self.hasFocus()
                painter.setPen(QPen(QColor(t.accent if strong else t.line), t.focus_width))
                painter.drawEllipse(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))
            if self.hasFocus() and self.isChecked():
                painter.setPen(QPen(QColor(t.text), 1))
                painter.drawEllipse(area.adjusted(2, 2, -2, -2))


class SwatchRow(FlowGrid):
    """The colours to choose from, in lines of at most six; the last one opens a dialog for any
    colour.
    """

    def __init__(self, theme: Theme, changed: Callable[[str], None]) -> None:
        super().__init__(_SWATCH_GAP)
        self._changed = changed
        self._name = ""
        self._shown = ""
        self.group = QButtonGroup(self)
        self.swatches = [Swatch(theme, colour) for colour, _name in COLOURS]
        self.other = Swatch(theme, "")
        for swatch in (*self.swatches, self.other):
            self.group.addButton(swatch)
        mark_as_choices(self.group)
        self.set_widgets([*self.swatches, self.other])
        for swatch in self.swatches:
            swatch.clicked.connect(partial(self._choose, swatch))
        self.other.clicked.connect(self._ask)

    def value(self) -> str:
        chosen = self.group.checkedButton()
        return chosen.colour if isinstance(chosen, Swatch) else ""

    def set_value(self, colour: str) -> None:
        """Show a colour; one that isn't offered is shown as the last one."""
        self._shown = colour
        found = next((one for one in self.swatches if one.colour == colour), None)
        if found is None:
            self.other.set_colour(colour)
        (found or self.other).setChecked(True)

    def set_name(self, name: str) -> None:
        self._name = name
        self.setAccessibleName(name)
        titles = [tr(title) for _colour, title in COLOURS]
        for swatch, title in zip(
            (*self.swatches, self.other), (*titles, tr("Other colour…")), strict=True
        ):
            swatch.setAccessibleName(tr("{name}: {text}", name=name, text=title))
            set_tooltip(swatch, title)

    def set_theme(self, theme: Theme) -> None:
        for swatch in (*self.swatches, self.other):
            swatch.set_theme(theme)
        wide = scale_to_font(_SWATCH[0], theme)
        self.setMaximumWidth(_COLUMNS * (wide + _SWATCH_GAP) - _SWATCH_GAP)

    def _choose(self, swatch: Swatch) -> None:
        self._shown = swatch.colour
        self._changed(swatch.colour)

    def _ask(self) -> None:
        dialog = QColorDialog(QColor(self._shown), self)
        dialog.setOption(QColorDialog.ColorDialogOption.DontUseNativeDialog)
        dialog.setWindowTitle(self._name)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.colorSelected.connect(self._take)
        # The click has chosen the last swatch already.
        dialog.rejected.connect(lambda: self.set_value(self._shown))
        dialog.open()

    def _take(self, colour: QColor) -> None:
        self.set_value(colour.name())
        self._changed(colour.name())


class LookPage(QWidget):
    """The colours with a picture of them, and the worn parts. The picture is above the colours if
    there is no room beside them.
    """

    def __init__(
        self, theme: Theme, port: LookPort, work: TaskRunner, name: Callable[[], str]
    ) -> None:
        super().__init__()
        self._theme = theme
        self._port = port
        self._work = work
        self._name = name
        self._next = ""
        self._colours_tail = True
        self._set: OwnColours | None = None
        self._shown: OwnColours | None = None
        self.preview = PlainLabel()
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # A picture needs no more room in larger text.
        self.preview.setFixedSize(*_PREVIEW)
        self.colours_title, self.accent_title, self.scarf_title = (PlainLabel() for _ in range(3))
        for title in (self.colours_title, self.accent_title, self.scarf_title):
            title.setWordWrap(True)
        self.accent = SwatchRow(theme, lambda colour: self._choose(accent=colour))
        self.scarf = SwatchRow(theme, lambda colour: self._choose(scarf=colour))
        self.use, self.original = WrappingButton(), WrappingButton()
        self.use.setProperty("primary", True)
        self.use.clicked.connect(self._use)
        self.original.clicked.connect(self._restore)
        self.state = muted_label()
        self.colours_box = QWidget()
        self.parts_title = PlainLabel()
        self.parts_title.setWordWrap(True)
        self.parts = EntryList(theme)
        self.parts.opened.connect(self._wear)
        self.parts.chosen.connect(self._show_buttons)
        self.next = muted_label()
        self.wear, self.itself = WrappingButton(), WrappingButton()
        self.wear.clicked.connect(lambda: self._wear(self.parts.current_id()))
        self.itself.clicked.connect(lambda: self._wear("itself"))
        self._lay_out()

    def _lay_out(self) -> None:
        self._buttons = _button_row(self.use, self.original)
        choices = QVBoxLayout()
        for part in (self.accent_title, self.accent, self.scarf_title, self.scarf, self.state):
            choices.addWidget(part)
        choices.addLayout(self._buttons)
        choices.addStretch(1)
        self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._across.addWidget(self.preview, 0, Qt.AlignmentFlag.AlignHCenter)
        self._across.addLayout(choices, 1)
        inner = QVBoxLayout(self.colours_box)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.colours_title)
        inner.addLayout(self._across)
        self._ways = _button_row(self.wear, self.itself)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.colours_box)
        box.addWidget(self.parts_title)
        box.addWidget(self.next)
        box.addWidget(self.parts, 1)
        box.addLayout(self._ways)

    def minimumSizeHint(self) -> QSize:
        """Return the least size, with the picture above the colours."""
        rows = (self._buttons.minimumSize().width(), self._ways.minimumSize().width())
        least = max(self.preview.width(), *rows)
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        needed = self.preview.width() + self._across.spacing() + self.accent.maximumWidth()
        ways = QBoxLayout.Direction
        self._across.setDirection(ways.LeftToRight if self.width() >= needed else ways.TopToBottom)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for title in (self.colours_title, self.parts_title):
            title.setFont(ui_font(theme, bold=True))
        for part in (self.accent, self.scarf, self.parts):
            part.set_theme(theme)
        self._arrange()

    def retranslate(self) -> None:
        self.colours_title.setText(tr("Colours"))
        self._name_accent()
        self.scarf_title.setText(tr("Scarf"))
        self.scarf.set_name(tr("Scarf"))
        self.use.setText(tr("Use these colours"))
        self.original.setText(tr("Original colours"))
        self.parts_title.setText(tr("What it wears"))
        self.parts.setAccessibleName(tr("What it wears"))
        self.wear.setText(tr("Wear"))
        self.itself.setText(tr("What suits the day"))
        self.show_parts()

    def _name_accent(self) -> None:
        name = tr("Hair, ear tips and eyes")
        if self._colours_tail:
            name = tr("Hair, ear tips and tail")
        self.accent_title.setText(name)
        self.accent.set_name(name)

    async def read(self) -> None:
        """Read colours and parts."""
        self._next = await self._port.next_part()
        self.show_parts()
        colours = await self._port.colours()
        self.colours_box.setVisible(colours is not None)
        if colours is None or colours == self._set:
            return
        self._set = colours
        self._colours_tail = await self._port.colours_tail()
        self._name_accent()
        # A task of its own: another reading cancels this one, and finds the same colours.
        self._work.replace("preview", partial(self._show, colours))

    def show_parts(self) -> None:
        parts = self._port.parts()
        entries = [
            ListEntry(one.id, one.title, one.how, tr("worn now") if one.worn else "")
            for one in parts
        ]
        self.parts.show_entries(entries)
        self.parts_title.setVisible(bool(parts))
        for part in (self.parts, self.wear, self.itself):
            part.setVisible(bool(parts))
        self.next.setText(self._next if parts else "")
        self.next.setVisible(bool(self.next.text()))
        self._show_buttons()

    def _show_buttons(self) -> None:
        self.wear.setEnabled(bool(self.parts.current_id()))

    def _wear(self, part: str) -> None:
        if part:
            self._port.wear(part)
            self.show_parts()

    def _choose(self, accent: str = "", scarf: str = "") -> None:
        """Show other colours; they are used when the user says so."""
        if self._shown is not None:
            shown = self._shown
            wanted = OwnColours(accent or shown.accent, scarf or shown.scarf)
            self._shown = wanted
            self.state.setText("")
            self._work.replace("preview", partial(self._show, wanted))

    async def _show(self, colours: OwnColours) -> None:
        self._shown = colours
        self.accent.set_value(colours.accent)
        self.scarf.set_value(colours.scarf)
        self.use.setEnabled(colours != self._set)
        picture = await self._port.preview(colours)
        shown = _fitted(picture, self.preview.size().toSizeF(), self.devicePixelRatioF())
        self.preview.setPixmap(QPixmap.fromImage(shown))
        self.preview.setAccessibleName(tr("{name} in these colours", name=self._name()))

    def _use(self) -> None:
        self._work.start_once("colours", partial(self._give, self._shown))

    def _restore(self) -> None:
        self._work.start_once("colours", partial(self._give, None))

    async def _give(self, colours: OwnColours | None) -> None:
        self._set_busy(True)
        try:
            await self._port.set_colours(colours)
        finally:
            self._set_busy(False)
        self._set = None
        await self.read()
        self.state.setText(tr("{name} has these colours now.", name=self._name()))
        announce(self, self.state.text())

    def _set_busy(self, busy: bool) -> None:
        for part in (self.use, self.original, self.accent, self.scarf):
            part.setEnabled(not busy)
        self.state.setText(tr("The figure is being coloured…") if busy else "")


def _button_row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row


def _fitted(picture: QImage, room: QSizeF, ratio: float) -> QImage:
    """Return a picture as large as `room` allows, for a screen with this pixel ratio."""
    keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    shown = picture.scaled((room * ratio).toSize(), keep, smooth)
    shown.setDevicePixelRatio(ratio)
    return shown


class MomentPicture(QWidget):
    """A card with the figure of a moment, its caption and its day."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._figure = QImage()
        self._moment: ShownMoment | None = None
        self.setMinimumSize(*_CARD)

    @property
    def has_figure(self) -> bool:
        return not self._figure.isNull()

    def show_moment(self, moment: ShownMoment | None, figure: QImage) -> None:
        self._moment, self._figure = moment, figure
        self.setAccessibleName("" if moment is None else f"{moment.caption}, {moment.day}")
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._moment is None:
            return
        t, area = self._theme, QRectF(self.rect())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            shape = QPainterPath()
            shape.addRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), t.card_radius, t.card_radius)
            painter.fillPath(shape, QColor(t.person))
            painter.setPen(QColor(t.line))
            painter.drawPath(shape)
            line = painter.fontMetrics().height() + 4
            room = area.adjusted(12, 10, -12, -2 * line - 12)
            self._paint_figure(painter, room)
            middle = Qt.AlignmentFlag.AlignCenter
            painter.setFont(ui_font(t, bold=True))
            painter.setPen(QColor(t.text))
            words = QRectF(area.left() + 8, room.bottom() + 4, area.width() - 16, line)
            painter.drawText(words, middle, self._moment.caption)
            painter.setFont(ui_font(t, t.small_px))
            painter.setPen(QColor(t.muted))
            painter.drawText(words.translated(0, line), middle, self._moment.day)

    def _paint_figure(self, painter: QPainter, room: QRectF) -> None:
        if self._figure.isNull():
            return
        shown = _fitted(self._figure, room.size(), self.devicePixelRatioF())
        size = shown.deviceIndependentSize()
        left = room.center().x() - size.width() / 2
        painter.drawImage(QRectF(QPointF(left, room.bottom() - size.height()), size), shown)


class MomentsPage(QWidget):
    """The days together, the moments, and the picture of the selected one."""

    def __init__(self, theme: Theme, port: LookPort, work: TaskRunner) -> None:
        super().__init__()
        self._port = port
        self._work = work
        self._moments: dict[str, ShownMoment] = {}
        self.together = PlainLabel()
        self.together.setWordWrap(True)
        self.picture = MomentPicture(theme)
        self.list = EntryList(theme)
        self.list.chosen.connect(self._choose)
        self.empty = muted_label(centred=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.together)
        box.addWidget(self.picture)
        box.addWidget(self.list, 1)
        box.addWidget(self.empty, 1)

    def set_theme(self, theme: Theme) -> None:
        self.together.setFont(ui_font(theme, theme.heading_px, bold=True))
        for part in (self.picture, self.list):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self.list.setAccessibleName(tr("Moments"))
        self.empty.setText(tr("Moments appear here, such as the first talk and festivals."))

    async def read(self) -> None:
        page = await self._port.album()
        self.together.setText(page.together)
        self._moments = {one.id: one for one in page.moments}
        entries = [ListEntry(one.id, one.caption, "", one.day) for one in page.moments]
        self.list.show_entries(entries)
        for part in (self.list, self.picture):
            part.setVisible(bool(entries))
        self.empty.setVisible(not entries)
        if entries and not self.list.current_id():
            self.list.setCurrentRow(0)
        self._choose()

    def _choose(self) -> None:
        moment = self._moments.get(self.list.current_id())
        if moment is not None:
            self._work.replace("picture", partial(self._show, moment))

    async def _show(self, moment: ShownMoment) -> None:
        self.picture.show_moment(moment, QImage())
        self.picture.show_moment(moment, await self._port.picture(moment.id))


class LookWindow(QWidget):
    """The window with both pages. `name` is the companion's."""

    def __init__(self, theme: Theme, port: LookPort, name: Callable[[], str]) -> None:
        super().__init__()
        self._work = TaskRunner("look", failed=self._fail)
        self._frame = SideWindowLayout(self, "lookWindow", TITLE, MIN_SIZE)
        self.pages = SegmentedControl([(_LOOK, ""), (_ALBUM, "")])
        self.pages.chosen.connect(self.show_page)
        self.look = LookPage(theme, port, self._work, name)
        self.album = MomentsPage(theme, port, self._work)
        self.error_label = ErrorLabel()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.look)
        self.stack = QStackedWidget()
        self.stack.addWidget(scroll)
        self.stack.addWidget(self.album)
        for part in (self.pages, self.error_label):
            self._frame.add(part)
        self._frame.add(self.stack, 1)
        self.resize(*_SIZE)
        self.set_theme(theme)
        self.retranslate()
        self.show_page(_LOOK)
        RefreshOnShow(self, read=self._read)

    def present(self) -> None:
        bring_to_front(self)

    def show_page(self, page: str) -> None:
        """Show "look" or "album"."""
        self.pages.set_value(page)
        self.stack.setCurrentIndex((_LOOK, _ALBUM).index(page))

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(
            theme,
            controls_sheet(theme)
            + f"QScrollArea, QScrollArea > QWidget > QWidget {{ background: {theme.window}; }}",
        )
        for part in (self.look, self.album):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.pages.set_options([(_LOOK, tr("Look")), (_ALBUM, tr("Album"))])
        self.pages.set_name(tr(TITLE))
        for part in (self.look, self.album):
            part.retranslate()
        if self.isVisible():
            self._read()

    async def aclose(self) -> None:
        await self._work.aclose()

    def _read(self) -> None:
        self.error_label.set_error("")
        self._work.replace("look", self.look.read)
        self._work.replace("album", self.album.read)

    def _fail(self, error: KnownError) -> None:
        self.error_label.set_error(format_error(error))
