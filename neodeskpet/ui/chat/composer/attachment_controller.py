"""Adds pictures and files to the composer: from a file, the clipboard, a drop, the screen, or a
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

from neodeskpet.conversation.picture_download import fetch_picture
from neodeskpet.core.attachments import AttachedContent, FileText, Picture
from neodeskpet.core.errors import KnownError, PictureRefused
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.documents.document import (
    LEAST_DOCUMENT_TOKENS,
    MESSAGE_DOCUMENT_TOKENS,
    DocumentRefused,
    read_document,
    shorten,
)
from neodeskpet.documents.web.addresses import picture_addresses
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.language import format_error, language, tr
from neodeskpet.storage.image_resize import run_in_picture_queue
from neodeskpet.ui.chat.composer.attachment_strip import TILE_SIZE, Attachment
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dropped_content import DroppedContent, PictureSource, read_content
from neodeskpet.ui.chat.composer.message_field import LONG_PASTE, MAX_DRAFT, clean_text
from neodeskpet.ui.chat.composer.screen_region_picker import ScreenRegionPicker
from neodeskpet.ui.chat.thumbnail_cache import decode_thumbnail
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.task_runner import TaskRunner

_CHARACTERS = 8
"""Upper limit of characters per token: only this much of a long text is examined."""


class AttachmentController(QObject):
    """Slow work runs in threads; the composer shows a tile for each picture at once. `fetcher`
    downloads pictures whose addresses are in a message. Signal: `knowledge_add_requested(Path)`
    when the user adds a file to the knowledge base.
    """

    knowledge_add_requested = Signal(Path)

    def __init__(
        self,
        composer: Composer,
        work: TaskRunner,
        fetcher: Fetcher | None = None,
        folders: DialogFolders | None = None,
    ) -> None:
        super().__init__(composer)
        self._work = work
        self._folders = folders or DialogFolders(self)
        self._fetcher = fetcher or Fetcher()
        self._fetched: set[str] = set()  # addresses in the message being written
        self._composer = composer
        self._strip = composer.attachments
        self._files: dict[int, Path] = {}
        """The files in the strip, by slot."""
        self._strip.encoding_chosen.connect(self._decode)
        self._picker = ScreenRegionPicker(composer)
        self._picker.captured.connect(
            lambda image: self.attach_pictures([PictureSource(image=image)])
        )
        self._picker.unavailable.connect(self._strip.show_message)
        composer.content_dropped.connect(self.attach_from)
        composer.long_text_pasted.connect(self.attach_text)
        composer.sending.connect(self._fetch_named)
        composer.submitted.connect(lambda _text: self._fetched.clear())
        composer.attach_requested.connect(self.open_menu)
        composer.set_attachable(True)

    def attach_from(self, source: QMimeData) -> None:
        """Attach pasted or dropped content: pictures and readable files."""
        found = read_content(source)
        if found.is_empty:
            self._strip.show_message(tr("It contains no readable picture."))
        else:
            self.attach_content(found)

    def attach_content(self, found: DroppedContent, question: str = "") -> None:
        """Add the content to the message being written; with a `question`, send it as soon as all
        of it is ready.
        """
        self.attach_pictures(found.pictures)
        if len(found.text) > LONG_PASTE:
            self.attach_text(found.text)
        elif found.text.strip():
            self._insert(found.text.strip())
        self.attach_files(found.files)
        if found.pictures or found.text.strip() or self._strip.count:
            self._ask(question)

    def attach_text(self, text: str) -> None:
        """Attach a text that is too long for the field; its tile can still insert it there."""
        place = self._strip.reserve_slot(tr("Pasted text"), write=partial(self._write_out, text))
        if place is not None:
            self._work.start("files", partial(self._shorten, place, text))

    async def _shorten(self, place: int, text: str) -> None:
        left = max(LEAST_DOCUMENT_TOKENS, MESSAGE_DOCUMENT_TOKENS - self._strip.tokens)
        self.show_file(place, await asyncio.to_thread(_cut_pasted_text, text, left))

    def _write_out(self, text: str) -> bool:
        """Insert the text into the field if it has room; return whether it has."""
        if len(text) + len(self._composer.draft()) > MAX_DRAFT:
            most = f"{MAX_DRAFT:,}"
            self._strip.show_message(
                tr("A message can have at most {count} characters.", count=most)
            )
            return False
        self._composer.insert(text)
        return True

    def attach_files(self, files: Sequence[Path]) -> None:
        """Attach the readable ones of these files."""
        places = [(place, file) for file in files if (place := self._reserve(file)) is not None]
        if places:
            self._work.start("files", partial(self._read, places))

    def _reserve(self, file: Path) -> int | None:
        keep = partial(self.knowledge_add_requested.emit, file)
        place = self._strip.reserve_slot(file.name or str(file), keep)
        if place is not None:
            self._files[place] = file
        return place

    def _decode(self, place: int, encoding: str) -> None:
        """Read the file in this slot again in another encoding."""
        file = self._files.get(place)
        if file is not None:
            self._work.start("files", partial(self._read, [(place, file)], encoding))

    async def _read(self, places: Sequence[tuple[int, Path]], encoding: str = "") -> None:
        """Read files one after the other; each gets an equal share of the remaining budget."""
        for number, (place, file) in enumerate(places):
            read_it = partial(read_document, file, language=language(), encoding=encoding)
            try:
                read = await asyncio.to_thread(read_it)
            except DocumentRefused as error:
                # The tile already shows the name.
                self._strip.set_refused(
                    place, format_error(error), tr(error.params.get("reason", ""))
                )
                continue
            left = MESSAGE_DOCUMENT_TOKENS - self._strip.tokens_without(place)
            if left < LEAST_DOCUMENT_TOKENS and estimate_tokens(read.text) > left:
                why = tr("The other files leave no room for it.")
                self._strip.set_refused(place, why)
                continue
            self.show_file(
                place, shorten(read, max(LEAST_DOCUMENT_TOKENS, left // (len(places) - number)))
            )

    def show_file(self, place: int, read: FileText) -> None:
        """Show a file that was read, in its reserved slot."""
        self._strip.set_attachment(place, Attachment(read, QImage()))

    def _ask(self, question: str) -> None:
        if question:
            self._insert(question)
            self._composer.submit()

    def _insert(self, text: str) -> None:
        """Insert text on lines of its own."""
        before = self._composer.draft()
        gap = "" if not before or before.endswith("\n") else "\n"
        self._composer.field.moveCursor(QTextCursor.MoveOperation.End)
        self._composer.insert(f"{gap}{text}")

    def attach_pictures(self, offers: Sequence[PictureSource]) -> None:
        for offer in offers:
            if not self._attach(offer.load_fitted):
                return

    def restore(self, attachments: Sequence[AttachedContent]) -> None:
        """Attach the attachments of a draft or of an earlier message again."""
        for one in attachments:
            if isinstance(one, FileText):
                place = self._strip.reserve_slot(one.name)
                if place is not None:
                    self.show_file(place, one)
            else:
                self._attach(partial(_identity, one))

    def attach_quoted(self, picture: Picture) -> None:
        """Attach a picture of an earlier message that the user replies to."""
        quoted = replace(picture, quoted=True)
        known = {one.content.digest for one in self._strip.items() if one.is_quoted}
        if quoted.digest not in known:
            self._attach(lambda: quoted)
        self._composer.field.setFocus()

    def open_menu(self) -> QMenu:
        """Open the menu of things to attach; it deletes itself when it closes."""
        menu = QMenu(self._composer)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Picture from a file…"), self.choose_files)
        menu.addAction(tr("Text, PDF or Word file…"), self.choose_documents)
        menu.addAction(tr("Picture of the screen…"), self._picker.pick)
        spot = self._composer.attach_menu_position()
        spot.setY(spot.y() - menu.sizeHint().height())
        menu.popup(spot)
        return menu

    def choose_files(self) -> QFileDialog:
        dialog = QFileDialog(
            self._composer.window(),
            tr("Attach pictures"),
            str(self._folders.start_folder(FolderKind.PICTURES)),
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        pictures = tr("Pictures")
        dialog.setNameFilter(f"{pictures} (*.png *.jpg *.jpeg *.webp *.gif *.bmp)")
        dialog.filesSelected.connect(self._take_files)
        dialog.open()
        return dialog

    def choose_documents(self) -> QFileDialog:
        place = str(self._folders.start_folder(FolderKind.DOCUMENTS))
        dialog = QFileDialog(self._composer.window(), tr("Attach files"), place)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._take_documents)
        dialog.open()
        return dialog

    def _take_documents(self, paths: Sequence[str]) -> None:
        if paths:
            self._folders.remember(FolderKind.DOCUMENTS, Path(paths[0]))
        self.attach_files([Path(path) for path in paths])

    def _take_files(self, paths: Sequence[str]) -> None:
        if paths:
            self._folders.remember(FolderKind.PICTURES, Path(paths[0]))
        self.attach_pictures([PictureSource(path=Path(path)) for path in paths])

    def _fetch_named(self, text: str) -> None:
        """Attach each picture whose address is in the text that is about to be sent. A failed
        download is reported once and not tried again for the same message.
        """
        for address in picture_addresses(text):
            if address not in self._fetched:
                self._fetched.add(address)
                place = self._strip.reserve_slot()
                if place is not None:
                    self._work.start("picture", partial(self._bring, place, address))

    async def _bring(self, place: int, address: str) -> None:
        try:
            make = await fetch_picture(address, self._fetcher)
        except KnownError as error:
            self._strip.set_failed(place, format_error(error))
        else:
            await self._make_ready(place, make)

    def _attach(self, make: Callable[[], Picture]) -> bool:
        """Prepare a picture; return False if there is no room left."""
        place = self._strip.reserve_slot()
        if place is not None:
            self._work.start("picture", partial(self._make_ready, place, make))
        return place is not None

    async def show_picture(self, place: int, picture: Picture) -> None:
        """Show a picture in its reserved slot."""
        await self._make_ready(place, lambda: picture)

    def show_failure(self, place: int, why: str) -> None:
        self._strip.set_failed(place, why)

    async def _make_ready(self, place: int, make: Callable[[], Picture]) -> None:
        def work() -> Attachment:
            picture = make()
            return Attachment(picture, decode_thumbnail(picture.data, TILE_SIZE * 3))

        try:
            attachment = await run_in_picture_queue(work)
        except PictureRefused as error:
            self._strip.set_failed(place, format_error(error))
        else:
            self._strip.set_attachment(place, attachment)


def _identity(picture: Picture) -> Picture:
    return picture


def _cut_pasted_text(text: str, tokens: int) -> FileText:
    """Return the first `tokens` of a pasted text."""
    size = len(text.encode("utf-8", "replace"))
    start = FileText(tr("Pasted text"), clean_text(text[: tokens * _CHARACTERS]), size)
    cut = len(text) > tokens * _CHARACTERS
    kept = shorten(start, tokens)
    return replace(kept, cut=kept.cut or cut)
