"""Brings pictures and files to the composer: from a file, the clipboard, a drop, the screen, a
message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QImage, QTextCursor
from PySide6.QtWidgets import QFileDialog, QMenu

from neodeskpet.conversation.pictures import fetch_picture
from neodeskpet.core.errors import KnownError, PictureRefused
from neodeskpet.core.picture import DOCUMENT, Picture
from neodeskpet.documents.document import BUDGET, LEAST, DocumentRefused, ReadText, unpacked
from neodeskpet.documents.reader import read_document
from neodeskpet.language import explain, language, tr
from neodeskpet.llm.picture_queue import in_turn
from neodeskpet.ui.chat.compose.attachments import SIDE, Attachment
from neodeskpet.ui.chat.compose.composer import Composer
from neodeskpet.ui.chat.compose.field import LONG_PASTE, LONGEST_DRAFT, clean
from neodeskpet.ui.chat.compose.offers import Contents, Offer, contents_of
from neodeskpet.ui.chat.compose.region import RegionPicker
from neodeskpet.ui.chat.thumbnails import decode
from neodeskpet.ui.folders import Folders, Kind
from neodeskpet.ui.work import Work
from neodeskpet.web.addresses import picture_addresses
from neodeskpet.web.fetcher import Fetcher

_CHARACTERS = 8
"""More than a token has: of a long text so much is looked at."""


class Attacher(QObject):
    """Everything slow happens on a thread; the composer shows a place for each picture at once.
    `fetcher` brings pictures that a message names by their address. `knowledge_wanted(Path)`: the
    person adds a file to the knowledge base.
    """

    knowledge_wanted = Signal(Path)

    def __init__(
        self,
        composer: Composer,
        work: Work,
        fetcher: Fetcher | None = None,
        folders: Folders | None = None,
    ) -> None:
        super().__init__(composer)
        self._work = work
        self._folders = folders or Folders(self)
        self._fetcher = fetcher or Fetcher()
        self._fetched: set[str] = set()  # of the message that is being written
        self._composer = composer
        self._strip = composer.attachments
        self._files: dict[int, Path] = {}
        """The files in the strip, by their places."""
        self._strip.decoding.connect(self._decode)
        self._picker = RegionPicker(composer)
        self._picker.taken.connect(lambda image: self.offer([Offer(image=image)]))
        self._picker.refused.connect(self._strip.tell)
        composer.offered.connect(self.take)
        composer.text_offered.connect(self.attach_text)
        composer.sending.connect(self._fetch_named)
        composer.submitted.connect(lambda _text: self._fetched.clear())
        composer.attach_requested.connect(self.open_menu)
        composer.set_attachable(True)

    def take(self, source: QMimeData) -> None:
        """Attach what was pasted or dropped: pictures, and what can be read of other files."""
        found = contents_of(source)
        if found.empty:
            self._strip.tell(tr("There is no picture in it that can be read."))
        else:
            self.bring(found)

    def bring(self, found: Contents, question: str = "") -> None:
        """Put it into the message that is being written; with a `question` send it, once all of it
        is ready.
        """
        self.offer(found.offers)
        if len(found.text) > LONG_PASTE:
            self.attach_text(found.text)
        elif found.text.strip():
            self._insert(found.text.strip())
        self.read(found.files)
        if found.offers or found.text.strip() or self._strip.count:
            self._ask(question)

    def attach_text(self, text: str) -> None:
        """Attach a text that is too long for the field; its tile can still write it there."""
        place = self._strip.reserve(tr("Pasted text"), write=partial(self._write_out, text))
        if place is not None:
            self._work.start("files", partial(self._shorten, place, text))

    async def _shorten(self, place: int, text: str) -> None:
        left = max(LEAST, BUDGET - self._strip.tokens)
        self.put(place, await asyncio.to_thread(_pasted, text, left))

    def _write_out(self, text: str) -> bool:
        """Whether there is room for it in the field."""
        if len(text) + len(self._composer.draft()) > LONGEST_DRAFT:
            most = f"{LONGEST_DRAFT:,}"
            self._strip.tell(tr("A message takes up to {count} characters of text.", count=most))
            return False
        self._composer.insert(text)
        return True

    def read(self, files: Sequence[Path]) -> None:
        """Attach what can be read of these files."""
        places = [(place, file) for file in files if (place := self._reserve(file)) is not None]
        if places:
            self._work.start("files", partial(self._read, places))

    def _reserve(self, file: Path) -> int | None:
        keep = partial(self.knowledge_wanted.emit, file)
        place = self._strip.reserve(file.name or str(file), keep)
        if place is not None:
            self._files[place] = file
        return place

    def _decode(self, place: int, encoding: str) -> None:
        """Read the file in this place once more, in another encoding."""
        file = self._files.get(place)
        if file is not None:
            self._work.start("files", partial(self._read, [(place, file)], encoding))

    async def _read(self, places: Sequence[tuple[int, Path]], encoding: str = "") -> None:
        """One after the other: each has an equal part of what the others left of the budget."""
        for number, (place, file) in enumerate(places):
            read_it = partial(read_document, file, language=language(), encoding=encoding)
            try:
                read = await asyncio.to_thread(read_it)
            except DocumentRefused as error:
                # The tile bears the name already.
                self._strip.fail(place, explain(error), tr(error.params.get("reason", "")))
                continue
            left = BUDGET - self._strip.tokens_beside(place)
            if left < LEAST and read.tokens > left:
                why = tr("There is no room for it beside the other files.")
                self._strip.fail(place, why)
                continue
            self.put(place, read.within(max(LEAST, left // (len(places) - number))))

    def put(self, place: int, read: ReadText) -> None:
        """Show a file that was read in the place that was kept for it."""
        self._strip.fill(place, Attachment(read.packed(), QImage(), read))

    def _ask(self, question: str) -> None:
        if question:
            self._insert(question)
            self._composer.submit()

    def _insert(self, text: str) -> None:
        """In lines of its own."""
        before = self._composer.draft()
        gap = "" if not before or before.endswith("\n") else "\n"
        self._composer.field.moveCursor(QTextCursor.MoveOperation.End)
        self._composer.insert(f"{gap}{text}")

    def offer(self, offers: Sequence[Offer]) -> None:
        for offer in offers:
            if not self._attach(offer.fit):
                return

    def bring_back(self, pictures: Sequence[Picture]) -> None:
        """Pictures that were attached when the app ended, or died."""
        for picture in pictures:
            if picture.media_type == DOCUMENT:
                self.bring_document(picture)
            else:
                self._attach(partial(_same, picture))

    def bring_document(self, attached: Picture) -> None:
        """What was read of a file before."""
        place = self._strip.reserve(attached.name)
        if place is not None:
            self.put(place, unpacked(attached))

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
        menu.addAction(tr("Text, PDF or Word file…"), self.choose_documents)
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

    def choose_documents(self) -> QFileDialog:
        place = str(self._folders.of(Kind.DOCUMENTS))
        dialog = QFileDialog(self._composer.window(), tr("Attach files"), place)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._take_documents)
        dialog.open()
        return dialog

    def _take_documents(self, paths: Sequence[str]) -> None:
        if paths:
            self._folders.keep(Kind.DOCUMENTS, Path(paths[0]))
        self.read([Path(path) for path in paths])

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
                    self._work.start("picture", partial(self._bring, place, address))

    async def _bring(self, place: int, address: str) -> None:
        try:
            make = await fetch_picture(address, self._fetcher)
        except KnownError as error:
            self._strip.give_up(place, explain(error))
        else:
            await self._make_ready(place, make)

    def _attach(self, make: Callable[[], Picture]) -> bool:
        """Make a picture ready; False when there is no more room."""
        place = self._strip.reserve()
        if place is not None:
            self._work.start("picture", partial(self._make_ready, place, make))
        return place is not None

    async def fill(self, place: int, picture: Picture) -> None:
        """Show a picture that is ready in the place that was kept for it."""
        await self._make_ready(place, lambda: picture)

    def give_up(self, place: int, why: str) -> None:
        self._strip.give_up(place, why)

    async def _make_ready(self, place: int, make: Callable[[], Picture]) -> None:
        def work() -> Attachment:
            picture = make()
            return Attachment(picture, decode(picture.data, SIDE * 3))

        try:
            attachment = await in_turn(work)
        except PictureRefused as error:
            self._strip.give_up(place, explain(error))
        else:
            self._strip.fill(place, attachment)


def _same(picture: Picture) -> Picture:
    return picture


def _pasted(text: str, tokens: int) -> ReadText:
    """What is sent of a pasted text: its first `tokens`."""
    size = len(text.encode("utf-8", "replace"))
    start = ReadText(tr("Pasted text"), clean(text[: tokens * _CHARACTERS]), size)
    cut = len(text) > tokens * _CHARACTERS
    kept = start.within(tokens)
    return replace(kept, cut=kept.cut or cut)
