"""Attachments of the next message: a strip of thumbnails and files above the field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from neodeskpet.core.attachments import MOST_ATTACHMENTS, AttachedContent, FileText, Picture
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.language import tr
from neodeskpet.ui.chat.composer.attachment_tiles import CORNER_SIZE as CORNER
from neodeskpet.ui.chat.composer.attachment_tiles import FileTile, RemoveButton
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip

TILE_SIZE = 60
_GAP = 8


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture with its thumbnail, or a file (whose thumbnail is empty)."""

    content: AttachedContent
    thumbnail: QImage

    @property
    def file(self) -> FileText | None:
        return self.content if isinstance(self.content, FileText) else None

    @property
    def is_quoted(self) -> bool:
        """Whether it is a picture of an earlier message that is being replied to."""
        return isinstance(self.content, Picture) and self.content.quoted


class AttachmentStrip(QWidget):
    """Hidden while it is empty.

    Signals: `changed()` after something was added or removed; `encoding_chosen(place, encoding)`
    when the user wants the text in this slot decoded in another encoding.
    """

    changed = Signal()
    encoding_chosen = Signal(int, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tiles: list[_Slot] = []
        self._numbers = count()  # never reused: reading a file may end after its tile was removed
        self._error = PlainLabel(parent=self)
        self._error.setWordWrap(True)
        self._error.hide()
        self._grid = _TileGrid()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._error)
        column.addWidget(self._grid)
        self.hide()

    @property
    def count(self) -> int:
        """Return the number of attachments, including those being prepared."""
        return sum(not tile.failed for tile in self._tiles)

    @property
    def has_refused(self) -> bool:
        """Whether there is a tile of a refused file."""
        return any(tile.failed for tile in self._tiles)

    @property
    def has_pending(self) -> bool:
        """Whether one is still being prepared."""
        return any(tile.attachment is None and not tile.failed for tile in self._tiles)

    def items(self) -> list[Attachment]:
        return [tile.attachment for tile in self._tiles if tile.attachment is not None]

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of the files that were read."""
        return self.tokens_without(-1)

    def tokens_without(self, place: int) -> int:
        """Return the estimated tokens of the files that were read, without the one in `place`."""
        others = (tile.attachment for tile in self._tiles if tile.number != place)
        return sum(
            estimate_tokens(one.file.text)
            for one in others
            if one is not None and one.file is not None
        )

    def reserve_slot(
        self,
        file: str = "",
        keep: Callable[[], object] | None = None,
        write: Callable[[], bool] | None = None,
    ) -> int | None:
        """Reserve a slot for a picture that is being prepared, or for the `file` of this name that
        is being read; return None if no room is left. `keep` adds the file to the knowledge
        base; `write` inserts it into the message instead and returns whether it did.
        """
        if self.count >= MOST_ATTACHMENTS:
            self.show_message(
                tr(
                    "A message can have at most {count} pictures and files.",
                    count=str(MOST_ATTACHMENTS),
                )
            )
            return None
        widget = self._file_tile(file, keep) if file else _PictureTile(self._theme)
        tile = _Slot(next(self._numbers), widget)
        tile.remove.clicked.connect(lambda: self._remove(tile, by_key=tile.remove.hasFocus()))
        if write is not None and isinstance(tile.widget, FileTile):
            tile.widget.show_write_button()
            tile.widget.write_text.clicked.connect(lambda: self._remove(tile) if write() else None)
        if isinstance(tile.widget, FileTile):
            tile.widget.encoding_chosen.connect(partial(self.encoding_chosen.emit, tile.number))
        tile.widget.setParent(self._grid)
        self._tiles.append(tile)
        tile.widget.show()
        self._error.hide()
        self._show()
        return tile.number

    def _file_tile(self, file: str, keep: Callable[[], object] | None) -> FileTile:
        tile = FileTile(self._theme, file, TILE_SIZE, keepable=keep is not None)
        if keep is not None:
            tile.add_to_knowledge.clicked.connect(lambda: keep())
        return tile

    def set_attachment(self, place: int, attachment: Attachment) -> None:
        """Show the attachment in its slot; ignore it if the slot was removed meanwhile."""
        for tile in self._tiles:
            if tile.number == place:
                tile.set_attachment(attachment)
                self._show()

    def set_refused(self, place: int, why: str, short: str = "") -> None:
        """Mark the file as refused: its tile shows the reason (`short`) until the message
        is sent.
        """
        for tile in [tile for tile in self._tiles if tile.number == place]:
            tile.set_refused(short or why)
            self.show_message(why)

    def set_failed(self, place: int, why: str) -> None:
        """Remove the tile of a picture that failed, and show why."""
        for tile in [tile for tile in self._tiles if tile.number == place]:
            self.show_message(why)
            self._remove(tile)

    @property
    def message_text(self) -> str:
        """Return the message shown in the strip."""
        return "" if self._error.isHidden() else self._error.text()

    def show_message(self, words: str) -> None:
        """Show a message in the strip until the next picture or message."""
        self._error.setText(words)
        self._error.setAccessibleName(words)
        self._error.show()
        self._show()

    def restore(self, attachments: Sequence[Attachment]) -> None:
        """Replace the content by these attachments."""
        for tile in list(self._tiles):
            self._drop(tile)
        self._error.hide()
        for attachment in attachments:
            place = self.reserve_slot("" if attachment.file is None else attachment.file.name)
            if place is not None:
                self.set_attachment(place, attachment)
        self._show()

    def take_all(self) -> list[Attachment]:
        """Return all attachments and clear the strip."""
        taken = self.items()
        self.restore(())
        return taken

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._error.setFont(ui_font(theme, theme.small_px))
        self._error.setStyleSheet(f"color: {theme.asks};")
        for tile in self._tiles:
            tile.set_theme(theme)

    def retranslate(self) -> None:
        for tile in self._tiles:
            tile.retranslate()

    def _remove(self, tile: _Slot, *, by_key: bool = False) -> None:
        at = self._tiles.index(tile)
        self._drop(tile)
        if by_key:
            if self._tiles:
                near = self._tiles[min(at, len(self._tiles) - 1)].remove
                near.setFocus(Qt.FocusReason.OtherFocusReason)
            else:
                self.focusNextChild()
        self._show()

    def _drop(self, tile: _Slot) -> None:
        """Delete the tile in the next event loop iteration: its button may have just been
        clicked.
        """
        self._tiles.remove(tile)
        tile.widget.hide()
        QTimer.singleShot(0, tile.widget, tile.widget.deleteLater)

    def _show(self) -> None:
        self._grid.arrange(self._tiles)
        self.setVisible(bool(self._tiles) or not self._error.isHidden())
        self.changed.emit()


class _Slot:
    """One slot of the strip: a picture or a file, ready, pending or `failed`."""

    def __init__(self, number: int, widget: _PictureTile | FileTile) -> None:
        self.number = number
        self.widget = widget
        self.attachment: Attachment | None = None
        self.failed = False

    @property
    def remove(self) -> QToolButton:
        return self.widget.remove

    def set_attachment(self, attachment: Attachment) -> None:
        self.attachment = attachment
        if isinstance(self.widget, _PictureTile):
            self.widget.show_attachment(attachment)
        elif attachment.file is not None:
            self.widget.show_result(attachment.file)

    def set_refused(self, why: str) -> None:
        self.failed = True
        if isinstance(self.widget, FileTile):
            self.widget.show_error(why)

    def set_theme(self, theme: Theme) -> None:
        self.widget.set_theme(theme)

    def retranslate(self) -> None:
        self.widget.retranslate()


class _TileGrid(QWidget):
    """Lays tiles out side by side, in several rows where needed."""

    def __init__(self) -> None:
        super().__init__()
        self._tiles: Sequence[_Slot] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def arrange(self, tiles: Sequence[_Slot]) -> None:
        self._tiles = tuple(tiles)
        across = down = 0
        for tile in self._tiles:
            wide = tile.widget.width()
            if across and across + wide > self.width():
                across, down = 0, down + TILE_SIZE + _GAP
            tile.widget.move(across, down)
            across += wide + _GAP
        self.setFixedHeight(down + TILE_SIZE if self._tiles else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange(self._tiles)


class _PictureTile(QFrame):
    """A thumbnail with a remove button; empty while the picture is being prepared."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.attachment: Attachment | None = None
        self._theme = theme
        self.setFixedSize(TILE_SIZE, TILE_SIZE)
        self.remove = RemoveButton(self)
        self.remove.move(TILE_SIZE - CORNER - 2, 2)
        self.set_theme(theme)
        self.retranslate()

    def show_attachment(self, attachment: Attachment) -> None:
        self.attachment = attachment
        self.retranslate()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.remove.set_theme(theme)
        self.update()

    def retranslate(self) -> None:
        name = self._name()
        self.setAccessibleName(name)
        set_tooltip(self, name)
        self.remove.set_target_name(name)

    def _name(self) -> str:
        if self.attachment is None:
            return tr("Preparing a picture…")
        name = self.attachment.content.name or tr("Picture")
        return tr("{name} (replied to)", name=name) if self.attachment.is_quoted else name

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        with QPainter(self) as painter:
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            path = QPainterPath()
            path.addRoundedRect(box, t.card_radius, t.card_radius)
            painter.fillPath(path, QColor(t.surface))
            if self.attachment is None:
                painter.setPen(QColor(t.muted))
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), "…")
            else:
                image = self.attachment.thumbnail
                side = min(image.width(), image.height())
                source = QRectF((image.width() - side) / 2, (image.height() - side) / 2, side, side)
                painter.setClipPath(path)
                painter.drawImage(box, image, source)
                painter.setClipping(False)
            painter.setPen(QColor(t.accent if self._is_quoted() else t.control_line))
            painter.drawPath(path)

    def _is_quoted(self) -> bool:
        return self.attachment is not None and self.attachment.is_quoted
