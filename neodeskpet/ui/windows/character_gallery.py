"""The gallery of characters: those that come with the app and the user's own, one click to change
the companion's face and words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.text_language import CHINESE, ENGLISH
from neodeskpet.language import format_error, tr
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.icons import icon, pixmap
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_choice
from neodeskpet.ui.widgets.choice_tile import ChoiceTile
from neodeskpet.ui.widgets.controls import SegmentedControl, controls_sheet, local_files
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.tab_order import ReadingOrderWindow
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import WIDE_COLUMN_WIDTH, bring_to_front

TITLE = N_("Characters")
MIN_SIZE = (360, 380)
_ABOUT_HEIGHT = 490
"""The height below which the explanation is hidden, at the default text size."""
_TILE = (179, 194)
_FACE_HEIGHT = 118
_GAP = 12
_LARGE_FACE, _BUTTON = 220, 28
_READY, _OWN = "ready", "own"


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """`line` describes the character in a few words. `own`: the user's card, which can be edited
    and shared. `language`: that of its words, "" if it has none. `ready`: it came with the app.
    """

    id: str
    name: str
    line: str
    current: bool = False
    own: bool = False
    language: str = ""
    ready: bool = True


@dataclass(frozen=True, slots=True)
class CharacterPreview:
    """What a character says first, the licence of its figure and who made it; "" for unknown."""

    greeting: str
    licence: str = ""
    creator: str = ""


@dataclass(frozen=True, slots=True)
class ShareResult:
    """`figure`: the file contains the figure. `withheld`: it was left out because of its
    licence.
    """

    figure: bool
    withheld: bool


class GalleryPort(Protocol):
    """Coroutines raise KnownError."""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after a change; returns a function that ends that."""
        ...

    async def entries(self) -> Sequence[GalleryEntry]: ...

    async def face(self, entry: str) -> QImage:
        """Return the face of the entry; null if there is none."""
        ...

    async def preview(self, entry: str) -> CharacterPreview: ...

    async def create(self) -> str:
        """Create an empty character and show where its words are written. Returns the id of the
        entry.
        """
        ...

    async def choose(self, entry: str) -> None:
        """Let this character speak in the open conversation and in new ones, with its figure."""
        ...

    async def import_file(self, file: Path) -> str:
        """Import a card, a shared character or a figure. Returns the id of the entry."""
        ...

    async def share(self, entry: str, file: Path) -> ShareResult:
        """Write the character to one file."""
        ...

    def edit(self, entry: str) -> None:
        """Show the editor of the character."""
        ...

    def invite(self) -> None:
        """Show the window of further companions."""
        ...


_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


class CharacterTile(ChoiceTile):
    """The card of one character. Checked: it is the companion now. `arrow_pressed(key)`: another
    card should get the focus.
    """

    arrow_pressed = Signal(Qt.Key)

    def __init__(self, theme: Theme, entry: GalleryEntry) -> None:
        super().__init__(theme, _TILE)
        mark_as_choice(self)
        self._face = QPixmap()
        self.preview = QToolButton(self)
        self.preview.setProperty("quiet", True)
        self.preview.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.preview.setCursor(Qt.CursorShape.ArrowCursor)
        self.show_entry(entry)
        self.set_theme(theme)

    def show_entry(self, entry: GalleryEntry) -> None:
        self.entry = entry
        self.setText(entry.name)
        self.setAccessibleName(entry.name)
        self.setAccessibleDescription(entry.line)
        self.setChecked(entry.current)
        words = tr("Look at {name}", name=entry.name)
        self.preview.setAccessibleName(words)
        set_tooltip(self.preview, words)
        self.update()

    @property
    def face(self) -> QPixmap:
        """Its face; null until it is loaded."""
        return self._face

    def set_face(self, face: QPixmap) -> None:
        self._face = face
        self.update()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        side, button = scale_to_font(16, theme), scale_to_font(_BUTTON, theme)
        self.preview.setIcon(icon("info", QColor(theme.muted), side))
        self.preview.setIconSize(QSize(side, side))
        self.preview.setStyleSheet("QToolButton { padding: 0; }")
        self.preview.setGeometry(self.width() - button - 4, 4, button, button)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ARROWS:
            self.arrow_pressed.emit(Qt.Key(event.key()))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        marked = self.isChecked() or self.hasFocus()
        width = t.focus_width if marked else 1
        half = width / 2
        box = QRectF(self.rect()).adjusted(half, half, -half, -half)
        high = scale_to_font(_FACE_HEIGHT, t)
        with QPainter(self) as painter:
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            shape = QPainterPath()
            shape.addRoundedRect(box, t.card_radius, t.card_radius)
            painter.fillPath(shape, QColor(t.hover if self._hovered else t.surface))
            with QPainterStateGuard(painter):
                painter.setClipPath(shape)
                area = QRect(0, 0, self.width(), high)
                painter.fillRect(area, QColor(t.person if self.isChecked() else t.hover))
                self._paint_face(painter, area)
            painter.setPen(QPen(QColor(t.accent if marked else t.line), width))
            painter.drawPath(shape)
            self._paint_words(painter, QRect(12, high + 6, self.width() - 24, self.height()))
            self.paint_focus(painter, t.card_radius)

    def _paint_face(self, painter: QPainter, area: QRect) -> None:
        t = self._theme
        if self._face.isNull():
            painter.setFont(ui_font(t, scale_to_font(44, t), bold=True))
            painter.setPen(QColor(t.accent))
            initial = self.entry.name[:1]
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, initial)
            return
        side = area.height() - scale_to_font(8, t)
        size = self._face.size().scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio)
        at = QRect((area.width() - size.width()) // 2, area.bottom() + 1 - size.height(), 0, 0)
        painter.drawPixmap(QRect(at.topLeft(), size), self._face)

    def _paint_words(self, painter: QPainter, room: QRect) -> None:
        t = self._theme
        painter.setFont(ui_font(t, bold=True))
        painter.setPen(QColor(t.text))
        metrics = painter.fontMetrics()
        name = f"{self.entry.name} ✓" if self.isChecked() else self.entry.name
        elide = Qt.TextElideMode.ElideRight
        line = QRect(room.left(), room.top(), room.width(), metrics.height() + 2)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, left, metrics.elidedText(name, elide, line.width()))
        painter.setFont(ui_font(t, t.small_px))
        painter.setPen(QColor(t.muted))
        below = QRect(
            room.left(), line.bottom() + 2, room.width(), self.height() - line.bottom() - 6
        )
        wrap = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        painter.drawText(below, int(wrap), self.entry.line)


class NewCharacterTile(CharacterTile):
    """The last card: a press creates a character."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, GalleryEntry("", "", ""))
        self.preview.hide()

    def retranslate(self) -> None:
        self.show_entry(
            GalleryEntry(
                "", tr("New character…"), tr("Write one, or drop a card or a figure here.")
            )
        )

    def _paint_face(self, painter: QPainter, area: QRect) -> None:
        side = scale_to_font(28, self._theme)
        sign = pixmap("plus", QColor(self._theme.accent), side, self.devicePixelRatioF())
        painter.drawPixmap(area.center() - QPoint(side // 2, side // 2), sign)


class CharacterPage(QWidget):
    """One character before it is taken: a larger face, how it talks, its greeting, the licence.
    Signals: `taken(id)`, `left()`.
    """

    taken = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._entry: GalleryEntry | None = None
        self.face = PlainLabel()
        self.face.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.name, self.line = PlainLabel(), PlainLabel()
        self.name.setProperty("heading", True)
        self.greeting, self.licence = PlainLabel(), PlainLabel()
        self.greeting.setObjectName("greeting")
        for label in (self.line, self.greeting, self.licence):
            label.setWordWrap(True)
        for label in (self.line, self.licence):
            label.setProperty("muted", True)
        self.take, self.back = QPushButton(), QPushButton()
        self.take.setProperty("primary", True)
        self.take.clicked.connect(self._take)
        self.back.clicked.connect(self.left)
        buttons = QHBoxLayout()
        buttons.addWidget(self.take)
        buttons.addWidget(self.back)
        buttons.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        for part in (self.face, self.name, self.line, self.greeting, self.licence):
            box.addWidget(part)
        box.addLayout(buttons)
        box.addStretch(1)
        self.set_theme(theme)

    def show_character(self, entry: GalleryEntry, preview: CharacterPreview, face: QPixmap) -> None:
        self._entry = entry
        if face.isNull():
            self.face.setText(entry.name[:1])
        else:
            self.face.setPixmap(self._large_face(face))
        self.name.setText(entry.name)
        self.line.setText(entry.line)
        self.greeting.setText(preview.greeting)
        self.greeting.setVisible(bool(preview.greeting))
        licence = preview.licence or tr("not stated")
        about = [tr("Licence of the figure: {licence}", licence=licence)]
        if preview.creator:
            about.append(tr("Made by {name}", name=preview.creator))
        self.licence.setText(" · ".join(about))
        self.take.setText(tr("Talk with {name}", name=entry.name))
        self.take.setEnabled(not entry.current)
        self.back.setText(tr("Back"))
        (self.back if entry.current else self.take).setFocus()

    def _large_face(self, face: QPixmap) -> QPixmap:
        """Return the face in the size of the page; a small picture isn't enlarged."""
        ratio = self.devicePixelRatioF()
        side = min(round(scale_to_font(_LARGE_FACE, self._theme) * ratio), face.height())
        smooth = Qt.TransformationMode.SmoothTransformation
        scaled = face.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, smooth)
        scaled.setDevicePixelRatio(ratio)
        return scaled

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.face.setFont(ui_font(theme, scale_to_font(72, theme), bold=True))
        self.greeting.setStyleSheet(
            f"#greeting {{ color: {theme.text}; background: {theme.surface};"
            f" border: 1px solid {theme.line};"
            f" border-radius: {theme.card_radius}px; padding: 12px; }}"
        )

    def _take(self) -> None:
        if self._entry is not None:
            self.taken.emit(self._entry.id)


class CharacterGallery(ReadingOrderWindow):
    """Cards and figures can be dropped anywhere on it."""

    def __init__(self, theme: Theme, port: GalleryPort) -> None:
        super().__init__()
        self._theme = theme
        self._port = port
        self._folders = DialogFolders(self)
        self._dialog: QFileDialog | None = None
        self._columns = 0
        self._work = TaskRunner("gallery", failed=self._fail)
        self._choosing = asyncio.Lock()
        self._frame = SideWindowLayout(self, "gallery", TITLE, MIN_SIZE, width=WIDE_COLUMN_WIDTH)
        self.about = muted_label()
        self.tiles: dict[str, CharacterTile] = {}
        self._opened = False  # the focus must still go to the current card
        self._looked_at = ""
        self._grid_page = QWidget()
        self._grid = QGridLayout(self._grid_page)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self.scroll_area = QScrollArea()
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setWidget(self._grid_page)
        self.new_tile = NewCharacterTile(theme)
        self.new_tile.clicked.connect(lambda: self._work.start("create", self._create))
        self.languages = SegmentedControl([("", ""), (ENGLISH, "English"), (CHINESE, "中文")])
        self.kinds = SegmentedControl([("", ""), (_READY, ""), (_OWN, "")])
        for filter_ in (self.languages, self.kinds):
            filter_.set_value("")
            filter_.chosen.connect(self._filter)
        self.page = CharacterPage(theme)
        self.page.taken.connect(self._take)
        self.page.left.connect(self.leave_page)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.scroll_area)
        self.pages.addWidget(self.page)
        self.import_button, self.share_button = QPushButton(), QPushButton()
        self.edit_button, self.invite_button = QPushButton(), QPushButton()
        self.import_button.clicked.connect(self.ask_for_file)
        self.share_button.clicked.connect(self.ask_where)
        self.edit_button.clicked.connect(lambda: port.edit(self._current_id()))
        self.invite_button.clicked.connect(port.invite)
        self.bar = UndoBar(theme)
        frame = self._frame
        frame.add(self.about)
        frame.row(self.languages, self.kinds, None)
        frame.add(self.pages, 1)
        frame.add(self.bar)
        frame.row(self.import_button, self.share_button, self.edit_button, None)
        frame.row(self.invite_button, None)
        self.setAcceptDrops(True)
        self._end = port.subscribe(self._read_soon)
        RefreshOnShow(self, read=self._read_soon, back=self.leave_page)
        self.set_theme(theme)
        self.retranslate()
        self.resize(4 * _TILE[0] + 3 * _GAP + 60, 640)

    def present(self) -> None:
        """Show the window in front, with the focus on the current card."""
        self._opened = True
        bring_to_front(self)
        self._focus_current()

    async def aclose(self) -> None:
        """Call before the window is deleted."""
        self._end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        inner = f"QScrollArea, QScrollArea > QWidget > QWidget {{ background: {theme.window}; }}"
        self._frame.set_theme(theme, controls_sheet(theme) + inner)
        self.bar.set_theme(theme)
        self.page.set_theme(theme)
        self.new_tile.set_theme(theme)
        for tile in self.tiles.values():
            tile.set_theme(theme)
        # A tile has a fixed width, and the page isn't scrolled sideways.
        wide = scale_to_font(_TILE[0], theme)
        self.scroll_area.setMinimumWidth(wide + self.scroll_area.verticalScrollBar().width())
        self._columns = 0
        self._arrange()

    def retranslate(self) -> None:
        self._frame.retranslate()
        self._frame.heading.setText(tr("Who shall keep you company?"))
        self.about.setText(
            tr(
                "A character has a face and a way to talk. Your conversations, notes and timers "
                "stay. Drop a card or a figure here to import it."
            )
        )
        self.import_button.setText(tr("Import…"))
        self.edit_button.setText(tr("Edit…"))
        self.invite_button.setText(tr("Invite another companion…"))
        self.languages.set_options([("", tr("All languages"))])
        self.languages.set_name(tr("Language"))
        self.kinds.set_options(
            [("", tr("All kinds")), (_READY, tr("Included")), (_OWN, tr("My own"))]
        )
        self.kinds.set_name(tr("Kind of character"))
        self.new_tile.retranslate()
        self.bar.retranslate()
        self._show_current()
        self._read_soon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        for file in local_files(event.mimeData()):
            self.import_file(file)

    # What is shown

    def _read_soon(self) -> None:
        if self.isVisible():
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        entries = await self._port.entries()
        wanted = [entry.id for entry in entries]
        for gone in [one for one in self.tiles if one not in wanted]:
            self.tiles.pop(gone).deleteLater()
        fresh = []
        for entry in entries:
            if entry.id in self.tiles:
                self.tiles[entry.id].show_entry(entry)
            else:
                tile = CharacterTile(self._theme, entry)
                tile.clicked.connect(partial(self.choose, entry.id))
                tile.preview.clicked.connect(partial(self.look_at, entry.id))
                self.tiles[entry.id] = tile
                tile.arrow_pressed.connect(partial(self._go_from, tile))
                fresh.append(tile)
        self.tiles = {one: self.tiles[one] for one in wanted}
        self._columns = 0
        self._arrange()
        self._show_current()
        self._focus_current()
        for tile in fresh:
            image = await self._port.face(tile.entry.id)
            if not image.isNull() and tile.entry.id in self.tiles:
                tile.set_face(QPixmap.fromImage(image))

    def _focus_current(self) -> None:
        """Focus the current card once after the window was opened, if it is listed by now."""
        tile = self.tiles.get(self._current_id())
        if self._opened and tile is not None and tile.isVisible():
            self._opened = False
            tile.setFocus(Qt.FocusReason.OtherFocusReason)
            self.scroll_area.ensureWidgetVisible(tile)

    def _go_from(self, tile: CharacterTile, key: Qt.Key) -> None:
        """Focus the card beside, above or below this one."""
        shown = [one for one in self.tiles.values() if self._is_wanted(one.entry)]
        steps = dict(zip(_ARROWS, (-1, 1, -self._columns, self._columns), strict=True))
        at = shown.index(tile) + steps[key]
        if 0 <= at < len(shown):
            shown[at].setFocus(Qt.FocusReason.TabFocusReason)
            self.scroll_area.ensureWidgetVisible(shown[at])

    def _arrange(self) -> None:
        self.about.setVisible(self.height() >= scale_to_font(_ABOUT_HEIGHT, self._theme))
        width = scale_to_font(_TILE[0], self._theme) + _GAP
        columns = max(1, (self.scroll_area.viewport().width() + _GAP) // width)
        if columns == self._columns:
            return
        self._columns = columns
        while self._grid.count():
            self._grid.takeAt(0)
        shown = [tile for tile in self.tiles.values() if self._is_wanted(tile.entry)]
        for tile in self.tiles.values():
            if tile not in shown:  # a hidden tile would lose the focus
                tile.hide()
        for number, tile in enumerate([*shown, self.new_tile]):
            self._grid.addWidget(tile, number // columns, number % columns)
            tile.show()
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 0)
        self._grid.setColumnStretch(columns, 1)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        self._grid.setRowStretch(self._grid.rowCount(), 1)

    def _is_wanted(self, entry: GalleryEntry) -> bool:
        wanted, kind = self.languages.value(), self.kinds.value()
        right_kind = not kind or (kind == _READY) is entry.ready
        return right_kind and (not wanted or entry.language in ("", wanted))

    def _filter(self, _value: str) -> None:
        self._columns = 0
        self._arrange()

    def _current(self) -> GalleryEntry | None:
        return next((one.entry for one in self.tiles.values() if one.entry.current), None)

    def _current_id(self) -> str:
        current = self._current()
        return current.id if current is not None else ""

    def _show_current(self) -> None:
        current = self._current()
        own = current is not None and current.own
        self.share_button.setEnabled(own)
        self.edit_button.setEnabled(current is not None)
        name = current.name if current is not None and own else ""
        self.share_button.setText(tr("Share {name}…", name=name) if name else tr("Share…"))

    # What the user does

    def choose(self, entry: str, _checked: bool = False) -> None:
        """Make this character the companion."""
        self.bar.clear()
        self._work.start("choose", partial(self._choose, entry))

    def look_at(self, entry: str, _checked: bool = False) -> None:
        """Show this character larger, with its greeting and licence."""
        self._work.replace("preview", partial(self._look_at, entry))

    async def _look_at(self, entry: str) -> None:
        preview = await self._port.preview(entry)
        tile = self.tiles.get(entry)
        if tile is not None:
            self.bar.clear()
            self.pages.setCurrentWidget(self.page)
            self._looked_at = entry
            self.page.show_character(tile.entry, preview, tile.face)
            self._show_parts()

    def leave_page(self) -> bool:
        """Show the grid again; return whether a character was shown."""
        shown = self.pages.currentWidget() is self.page
        if shown:
            self.pages.setCurrentWidget(self.scroll_area)
            self._show_parts()
            if self._looked_at in self.tiles:
                self.tiles[self._looked_at].preview.setFocus()
        return shown

    def _show_parts(self) -> None:
        """Hide what belongs to the grid while one character is shown."""
        grid = self.pages.currentWidget() is self.scroll_area
        buttons = (self.import_button, self.share_button, self.edit_button, self.invite_button)
        for part in (self.about, self.languages, self.kinds, *buttons):
            part.setVisible(grid)

    def _take(self, entry: str) -> None:
        self.leave_page()
        self.choose(entry)

    async def _create(self) -> None:
        await self._port.create()
        await self._read()

    async def _choose(self, entry: str) -> None:
        if entry in self.tiles:
            name = self.tiles[entry].entry.name
            self.bar.show_text(tr("{name} is on the way…", name=name))
        async with self._choosing:  # a second click waits, it isn't lost
            await self._port.choose(entry)
            self.bar.clear()
            await self._read()

    def import_file(self, file: Path) -> None:
        """Import a card, a shared character or a figure."""
        self._work.start(f"import {file}", partial(self._import, file))

    async def _import(self, file: Path) -> None:
        made = await self._port.import_file(file)
        await self._read()
        if made in self.tiles:
            self.tiles[made].setFocus()
            name = self.tiles[made].entry.name
            self.bar.show_text(tr("“{name}” was imported. Press its card to use it.", name=name))

    def share_to(self, file: Path) -> None:
        """Write the current character to this file."""
        self._folders.remember(FolderKind.DOCUMENTS, file)
        self._work.start("share", partial(self._share, self._current_id(), file))

    async def _share(self, entry: str, file: Path) -> None:
        result = await self._port.share(entry, file)
        said = tr("Saved as “{name}”.", name=file.name)
        if result.withheld:
            said += " " + tr(
                "The figure was left out: its licence doesn't say that it may be passed on."
            )
        self.bar.show_text(said)

    def ask_for_file(self) -> None:
        """Let the user choose a file to import."""
        start = str(self._folders.start_folder(FolderKind.FIGURES))
        dialog = QFileDialog(self, tr("Import a character or a figure"), start)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = "*.charx *.png *.json *.zip"
        dialog.setNameFilter(f"{tr('Characters and figures')} ({kinds})")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.import_file(Path(path)))
        dialog.open()
        self._dialog = dialog

    def ask_where(self) -> None:
        """Let the user choose where the current character is written."""
        current = self._current()
        name = current.name if current is not None else ""
        plain = "".join(one if one.isalnum() or one in "-_ " else "_" for one in name)
        start = self._folders.start_folder(FolderKind.DOCUMENTS) / f"{plain or 'character'}.charx"
        dialog = QFileDialog(self, tr("Share the character"), str(start))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{tr('Characters')} (*.charx)")
        dialog.setDefaultSuffix("charx")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.share_to(Path(path)))
        dialog.open()
        self._dialog = dialog

    def _fail(self, error: KnownError) -> None:
        self.bar.show_text(format_error(error))
        self._read_soon()
