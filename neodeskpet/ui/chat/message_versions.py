"""Handles the versions of messages: regenerate, edit, branch, delete and undo."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from neodeskpet.conversation.chat import Chat
from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import Deletion, Document, Image
from neodeskpet.language import tr
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.composer.attachment_controller import AttachmentController
from neodeskpet.ui.chat.composer.message_editor import MessageEditor
from neodeskpet.ui.chat.thumbnail_cache import LoadPicture
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.task_runner import TaskRunner


class MessageVersionController(QObject):
    """Signal: `edit_confirmed(message id, text, attachments)` when the user confirms an edit.
    `load` returns a stored picture.
    """

    edit_confirmed = Signal(str, str, list)

    def __init__(
        self, chat: Chat, view: ChatView, window: ChatWindow, work: TaskRunner, load: LoadPicture
    ) -> None:
        super().__init__(view)
        self._chat = chat
        self._view = view
        self._window = window
        self._work = work
        self._load = load
        view.retry_requested.connect(lambda m: work.start("retry", partial(chat.regenerate, m)))
        view.version_requested.connect(
            lambda m, by: work.start("version", partial(chat.step_version, m, by))
        )
        view.branch_requested.connect(
            lambda m: work.start("branch", partial(chat.create_branch, m))
        )
        view.delete_requested.connect(
            lambda m, below: work.start("delete message", partial(self._delete, m, below=below))
        )
        view.editing_started.connect(self._fill_editor)
        view.message_edited.connect(self._confirm_edit)
        window.composer.submitted.connect(window.undo.clear)

    def reset(self) -> None:
        """Drop the offered undo: another conversation is shown."""
        self._window.undo.clear()

    async def _delete(self, message_id: str, *, below: bool) -> None:
        deletion = await self._chat.delete_message(message_id, below=below)
        count = len(deletion.nodes)
        words = tr("{count} messages were deleted.", count=str(count))
        self._window.undo.show_undo(
            tr("The message was deleted.") if count == 1 else words,
            partial(self._undo, deletion),
        )

    def _undo(self, deletion: Deletion) -> None:
        self._work.start("restore", partial(self._chat.restore_messages, deletion))

    # Edit in place

    def _fill_editor(self, editor: MessageEditor, images: Sequence[Image | Document]) -> None:
        """Put the attachments of the message into its editor, where more can be added."""
        attacher = AttachmentController(editor.composer, self._work, folders=self._window.folders)
        for image in images:
            if isinstance(image, Document):
                attacher.restore([image.file_text()])
                continue
            place = editor.composer.attachments.reserve_slot()
            if place is not None:
                self._work.start("picture", partial(self._add_picture, attacher, place, image))

    async def _add_picture(self, attacher: AttachmentController, place: int, image: Image) -> None:
        data = await self._load(image.digest)
        if data is None:
            attacher.show_failure(place, tr("The picture no longer exists."))
            return
        picture = Picture(image.digest, data, image.media_type, image.name, quoted=image.quoted)
        await attacher.show_picture(place, picture)

    def _confirm_edit(self, message_id: str, text: str) -> None:
        editor = self._view.message_editing.editor
        if editor is not None:
            attached = editor.composer.attachments.take_all()
            self._window.undo.clear()
            self.edit_confirmed.emit(message_id, text, attached)
