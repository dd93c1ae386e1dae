"""Brings pictures to the composer: from a file, the clipboard, a drop, the screen, a message."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMenu

from neodeskpet.conversation.pictures import fetch_picture
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError, PictureRefused
from neodeskpet.core.picture import Picture
from neodeskpet.language import say, tr
from neodeskpet.ui.chat.compose.attachments import SIDE, Attachment
from neodeskpet.ui.chat.compose.composer import Composer
from neodeskpet.ui.chat.compose.offers import Offer, offers_in
from neodeskpet.ui.chat.compose.region import RegionPicker
from neodeskpet.ui.chat.picture_queue import in_turn
from neodeskpet.ui.chat.thumbnails import decode
from neodeskpet.ui.folders import Folders, Kind
from neodeskpet.web.addresses import picture_addresses
from neodeskpet.web.fetcher import Fetcher


class Attacher(QObject):
    """Everything slow happens on a thread; the composer shows a place for each picture at once.
    `fetcher` brings pictures that a message names by their address.
    """

    def __init__(
        self, composer: Composer, fetcher: Fetcher | None = None, folders: Folders | None = None
    ) -> None:
        super().__init__(composer)
        self._folders = folders or Folders(self)
        self._fetcher = fetcher or Fetcher()
        self._fetched: set[str] = set()  # of the message that is being written
        self._composer = composer
        self._strip = composer.attachments
        self._picker = RegionPicker(composer)
        self._picker.taken.connect(lambda image: self.offer([Offer(image=image)]))
        self._picker.refused.connect(self._strip.tell)
        composer.offered.connect(self.take)
        composer.sending.connect(self._fetch_named)
        composer.submitted.connect(lambda _text: self._fetched.clear())
        composer.attach_requested.connect(self.open_menu)
        composer.set_attachable(True)

    def take(self, source: QMimeData) -> None:
        """Attach what was pasted or dropped."""
        offers = offers_in(source)
        if offers:
            self.offer(offers)
        else:
            self._strip.tell(tr("There is no picture in it that can be read."))

    def offer(self, offers: Sequence[Offer]) -> None:
        for offer in offers:
            if not self._attach(offer.fit):
                return

    def quote(self, picture: Picture) -> None:
        """Attach a picture of an earlier message, which is replied to."""
        quoted = replace(picture, quoted=True)
        known = {one.picture.digest for one in self._strip.pictures() if one.picture.quoted}
        if quoted.digest not in known:
            self._attach(lambda: quoted)
        self._composer.field.setFocus()

    def open_menu(self) -> QMenu:
        """What can be attached; it deletes itself when it closes."""
        menu = QMenu(self._composer)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Picture from a file…"), self.choose_files)
        menu.addAction(tr("Picture of the screen…"), self._picker.pick)
        spot = self._composer.attach_spot()
        spot.setY(spot.y() - menu.sizeHint().height())
        menu.popup(spot)
        return menu

    def choose_files(self) -> QFileDialog:
        dialog = QFileDialog(
            self._composer.window(), tr("Attach pictures"), str(self._folders.of(Kind.PICTURES))
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        pictures = tr("Pictures")
        dialog.setNameFilter(f"{pictures} (*.png *.jpg *.jpeg *.webp *.gif *.bmp)")
        dialog.filesSelected.connect(self._take_files)
        dialog.open()
        return dialog

    def _take_files(self, paths: Sequence[str]) -> None:
        if paths:
            self._folders.keep(Kind.PICTURES, Path(paths[0]))
        self.offer([Offer(path=Path(path)) for path in paths])

    def _fetch_named(self, text: str) -> None:
        """Attach the pictures whose addresses stand in what is about to be sent, each once: one
        that can't be had is told, and stays an address when the message is sent again.
        """
        for address in picture_addresses(text):
            if address not in self._fetched:
                self._fetched.add(address)
                place = self._strip.reserve()
                if place is not None:
                    self._work(self._bring(place, address))

    async def _bring(self, place: int, address: str) -> None:
        try:
            make = await fetch_picture(address, self._fetcher)
        except KnownError as error:
            self._strip.give_up(place, " ".join(say(error)))
        else:
            await self._make_ready(place, make)

    def _attach(self, make: Callable[[], Picture]) -> bool:
        """Make a picture ready; False when there is no more room."""
        place = self._strip.reserve()
        if place is not None:
            self._work(self._make_ready(place, make))
        return place is not None

    async def _make_ready(self, place: int, make: Callable[[], Picture]) -> None:
        def work() -> Attachment:
            picture = make()
            return Attachment(picture, decode(picture.data, SIDE * 3))

        try:
            attachment = await in_turn(work)
        except PictureRefused as error:
            self._strip.give_up(place, " ".join(say(error)))
        else:
            self._strip.fill(place, attachment)

    def _work(self, work: Coroutine[Any, Any, None]) -> None:
        spawn(work, name="attach a picture")
