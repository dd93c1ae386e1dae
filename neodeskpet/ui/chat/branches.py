"""Versions of messages: what the person does to them goes to the chat, and back if they want."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from neodeskpet.conversation.chat import Chat
from neodeskpet.core.blocks import Document, Image
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import Deletion
from neodeskpet.documents.document import of_block
from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.attacher import Attacher
from neodeskpet.ui.chat.compose.editor import MessageEditor
from neodeskpet.ui.chat.thumbnails import Load
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.chat.window import ChatWindow
from neodeskpet.ui.work import Work


class Branches(QObject):
    """`edited(message id, text, attachments)`: the person says something else in its place. `load`
    gives a stored picture.
    """

    edited = Signal(str, str, list)

    def __init__(
        self, chat: Chat, view: ChatView, window: ChatWindow, work: Work, load: Load
    ) -> None:
        super().__init__(view)
        self._chat = chat
        self._view = view
        self._window = window
        self._work = work
        self._load = load
        view.retry_requested.connect(lambda m: work.start("retry", partial(chat.retry, m)))
        view.version_requested.connect(
            lambda m, by: work.start("version", partial(chat.step, m, by))
        )
        view.branch_requested.connect(lambda m: work.start("branch", partial(chat.branch_off, m)))
        view.delete_requested.connect(
            lambda m, below: work.start("delete message", partial(self._delete, m, below=below))
        )
        view.rewriting_began.connect(self._bring)
        view.rewritten.connect(self._take)
        window.composer.submitted.connect(window.undo.clear)

    def leave(self) -> None:
        """Another conversation is shown: what was deleted in the other stays so."""
        self._window.undo.clear()

    async def _delete(self, message_id: str, *, below: bool) -> None:
        deletion = await self._chat.delete(message_id, below=below)
        count = len(deletion.nodes)
        words = tr("{count} messages were deleted.", count=str(count))
        self._window.undo.offer(
            tr("The message was deleted.") if count == 1 else words,
            partial(self._undo, deletion),
        )

    def _undo(self, deletion: Deletion) -> None:
        self._work.start("restore", partial(self._chat.restore, deletion))

    # Edit in place

    def _bring(self, editor: MessageEditor, images: Sequence[Image | Document]) -> None:
        """What was attached stands in the field, and more can be put there."""
        attacher = Attacher(editor.composer, self._work, folders=self._window.folders)
        for image in images:
            if isinstance(image, Document):
                attacher.bring_document(of_block(image).packed())
                continue
            place = editor.composer.attachments.reserve()
            if place is not None:
                self._work.start("picture", partial(self._fetch, attacher, place, image))

    async def _fetch(self, attacher: Attacher, place: int, image: Image) -> None:
        data = await self._load(image.digest)
        if data is None:
            attacher.give_up(place, tr("The picture is gone."))
            return
        picture = Picture(image.digest, data, image.media_type, image.name, quoted=image.quoted)
        await attacher.fill(place, picture)

    def _take(self, message_id: str, text: str) -> None:
        editor = self._view.rewriting.editor
        if editor is not None:
            attached = editor.composer.attachments.take()
            self._window.undo.clear()
            self.edited.emit(message_id, text, attached)
