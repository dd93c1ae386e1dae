"""The pictures of the conversation that is shown: small in their messages, large when opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication, QImage

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.blocks import Image, Message
from neodeskpet.core.picture import Picture
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.core.wire import PictureDescribed
from neodeskpet.ui.chat.items.blocks import ImageModel
from neodeskpet.ui.chat.picture_queue import in_turn
from neodeskpet.ui.chat.picture_window import PictureWindow
from neodeskpet.ui.chat.thumbnails import Load, Thumbnails, decode
from neodeskpet.ui.chat.view.view import ChatView


class Album(QObject):
    """A `bridge.Surface`. `quoted(Picture)`: the person replies to this picture; `gone()`: one that
    was asked for isn't there any more.
    """

    quoted = Signal(object)
    gone = Signal()

    def __init__(self, view: ChatView, load: Load) -> None:
        super().__init__(view)
        self._view = view
        self._load = load
        self._thumbnails = Thumbnails(load, self)
        self._thumbnails.arrived.connect(self._arrived)
        view.set_picture_of(self._thumbnails.get)
        view.picture_requested.connect(self._show)
        view.quote_requested.connect(lambda image: spawn(self._quote(image), name="quote"))
        view.picture_copy_requested.connect(lambda image: spawn(self._copy(image), name="copy"))

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Show under the pictures what is in them."""
        for _, event in batch:
            if isinstance(event, PictureDescribed):
                self._describe(event.digest, event.description)

    def expect(self, message: Message) -> None:
        """This message is shown from now on, and its pictures are stored."""
        for block in message.blocks:
            if isinstance(block, Image):
                self._thumbnails.expect(block.digest)

    def _describe(self, digest: str, description: str) -> None:
        for number, model in self._models(digest):
            model.put(replace(model.item.image, description=description))
            self._refresh(number, model)

    def _arrived(self, digest: str) -> None:
        for number, model in self._models(digest):
            model.item.outdate()
            self._refresh(number, model)

    def _models(self, digest: str) -> list[tuple[int, ImageModel]]:
        """Where the picture is shown: number of the message, and its model."""
        return [
            (number, model)
            for number, entry in enumerate(self._view.column.entries)
            if entry is not None
            for model in entry.models
            if isinstance(model, ImageModel) and model.item.image.digest == digest
        ]

    def _refresh(self, number: int, model: ImageModel) -> None:
        entry = self._view.column.entries[number]
        if entry is None:
            return
        entry.touch(model.item.image.index)
        self._view.refresh(number)

    # What the person does

    def _show(self, image: Image) -> None:
        spawn(self._open(image), name="picture")

    async def _open(self, image: Image) -> None:
        shown = await self._read(image)
        if not shown.isNull():
            theme, owner = self._view.look.theme, self._view.window()
            words = image.description
            PictureWindow(shown, theme, owner, name=image.name, words=words).show()

    async def _copy(self, image: Image) -> None:
        shown = await self._read(image)
        if not shown.isNull():
            QGuiApplication.clipboard().setImage(shown)

    async def _read(self, image: Image) -> QImage:
        data = await self._load(image.digest)
        found = await in_turn(partial(decode, data)) if data else QImage()
        if found.isNull():
            self.gone.emit()
        return found

    async def _quote(self, image: Image) -> None:
        data = await self._load(image.digest)
        if data:
            self.quoted.emit(Picture(image.digest, data, image.media_type, image.name))
        else:
            self.gone.emit()
