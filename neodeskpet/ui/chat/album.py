"""The pictures of the conversation that is shown: small in their messages, large when opened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication, QImage

from neodeskpet.core.blocks import Image, Message
from neodeskpet.core.picture import Picture
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.core.wire import PictureDescribed
from neodeskpet.llm.picture_queue import run_in_picture_queue
from neodeskpet.ui.chat.picture_window import PictureWindow
from neodeskpet.ui.chat.thumbnails import LoadPicture, ThumbnailCache, decode_thumbnail
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.work import TaskRunner


class MessagePictures(QObject):
    """A `bridge.Surface`; `work` is the window's. `quoted(Picture)`: the person replies to this
    picture; `gone()`: one that was asked for isn't there any more.
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
        """Show under the pictures what is in them."""
        for _, event in batch:
            if isinstance(event, PictureDescribed):
                self._view.show_picture(event.digest, event.description)

    def clear(self) -> None:
        """Another conversation is shown."""
        self._thumbnails.clear()

    def add_message(self, message: Message) -> None:
        """This message is shown from now on, and its pictures are stored."""
        for block in message.blocks:
            if isinstance(block, Image):
                self._thumbnails.mark_available(block.digest)

    # What the person does

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
