"""The pictures of the open conversation: thumbnails in their messages, full size in a window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import Image, Message
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.core.wire import PictureDescribed
from neodeskpet.language import tr
from neodeskpet.storage.image_resize import run_in_picture_queue
from neodeskpet.ui.chat.thumbnail_cache import LoadPicture, ThumbnailCache, decode_thumbnail
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme

_SHARE = 0.8
_MIN_SIZE = QSize(240, 180)


class PictureWindow(QWidget):
    """Shows `image` as large as possible, at most at its own size. Esc, Enter and Space close the
    window, which deletes itself then.
    """

    def __init__(
        self, image: QImage, theme: Theme, owner: QWidget, *, name: str = "", words: str = ""
    ) -> None:
        """`name` is the file name; `words` describe the picture for screen readers."""
        super().__init__(owner, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._image = image
        self._theme = theme
        self.setWindowTitle(name or tr("Picture"))
        self.setAccessibleName(name or tr("Picture"))
        self.setAccessibleDescription(words)
        self.setMinimumSize(_MIN_SIZE)
        room = owner.screen().availableGeometry()
        most = QSize(int(room.width() * _SHARE), int(room.height() * _SHARE))
        size = image.size()
        if size.width() > most.width() or size.height() > most.height():
            size = size.scaled(most, Qt.AspectRatioMode.KeepAspectRatio)
        self.resize(size.expandedTo(_MIN_SIZE))

    def picture_rect(self) -> QRectF:
        """Return the rectangle of the picture in the window."""
        size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        size = size.boundedTo(self._image.size())
        box = QRectF(0, 0, size.width(), size.height())
        box.moveCenter(QRectF(self.rect()).center())
        return box

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._theme.window))
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self.picture_rect(), self._image)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        closing = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in closing:
            self.close()
        else:
            super().keyPressEvent(event)


class MessagePictures(QObject):
    """A `TurnView` for the descriptions of pictures; `work` is the task runner of the window.

    Signals: `quote_requested(Picture)` when the user replies to a picture; `picture_missing()` when
    a picture no longer exists.
    """

    quote_requested = Signal(object)
    picture_missing = Signal()

    def __init__(self, view: ChatView, load: LoadPicture, work: TaskRunner) -> None:
        super().__init__(view)
        self._view = view
        self._load = load
        self._work = work
        self._thumbnails = ThumbnailCache(load, work, self)
        self._thumbnails.loaded.connect(view.show_picture)
        view.set_picture_source(self._thumbnails.get)
        view.picture_requested.connect(self._show)
        view.quote_requested.connect(lambda image: work.start("quote", partial(self._quote, image)))
        view.picture_copy_requested.connect(
            lambda image: work.start("copy", partial(self._copy, image))
        )

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Show the descriptions below the pictures."""
        for _, event in batch:
            if isinstance(event, PictureDescribed):
                self._view.show_picture(event.digest, event.description)

    def clear(self) -> None:
        """Forget the pictures of the previous conversation."""
        self._thumbnails.clear()

    def add_message(self, message: Message) -> None:
        """Mark the pictures of a new message as stored."""
        for block in message.blocks:
            if isinstance(block, Image):
                self._thumbnails.mark_available(block.digest)

    # Actions of the user

    def _show(self, image: Image) -> None:
        self._work.start("picture", partial(self._open, image))

    async def _open(self, image: Image) -> None:
        shown = await self._read(image)
        if not shown.isNull():
            theme, owner = self._view.item_style.theme, self._view.window()
            words = image.description
            PictureWindow(shown, theme, owner, name=image.name, words=words).show()

    async def _copy(self, image: Image) -> None:
        shown = await self._read(image)
        if not shown.isNull():
            QGuiApplication.clipboard().setImage(shown)

    async def _read(self, image: Image) -> QImage:
        data = await self._load(image.digest)
        found = await run_in_picture_queue(partial(decode_thumbnail, data)) if data else QImage()
        if found.isNull():
            self.picture_missing.emit()
        return found

    async def _quote(self, image: Image) -> None:
        data = await self._load(image.digest)
        if data:
            self.quote_requested.emit(Picture(image.digest, data, image.media_type, image.name))
        else:
            self.picture_missing.emit()
