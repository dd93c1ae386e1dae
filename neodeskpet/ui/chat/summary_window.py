"""The window of a conversation's summary: read, edit, regenerate, delete."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from neodeskpet.conversation.prompt import ConversationSummary
from neodeskpet.conversation.titles_and_summaries import MAX_SUMMARY, SummaryWriter
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Summary of this conversation")
MIN_SIZE = (320, 320)


class SummaryWindow(QWidget):
    """Shows the summary of one conversation."""

    def __init__(self, theme: Theme, summaries: SummaryWriter) -> None:
        super().__init__()
        self._writer = summaries
        self._summaries = summaries.summaries
        self._conversation = ""
        self._known: ConversationSummary | None = None
        self._work = TaskRunner("summary", failed=self._fail, changed=self._settle)
        self._frame = SideWindowLayout(self, "summary", TITLE, MIN_SIZE)
        self.about = muted_label()
        self.field = QPlainTextEdit()
        self.undo = UndoBar(theme)
        self.save, self.regenerate, self.delete = QPushButton(), QPushButton(), QPushButton()
        self.save.setProperty("primary", True)
        self.field.textChanged.connect(self._settle)
        self.save.clicked.connect(lambda: self._work.start_once("save", self._save))
        self.regenerate.clicked.connect(
            lambda: self._work.start_once("regenerate", self._regenerate)
        )
        self.delete.clicked.connect(self._ask_to_delete)
        self._unobserve = self._summaries.subscribe(self._changed)
        self._lay_out()
        RefreshOnShow(self)
        self.set_theme(theme)
        self.retranslate()
        self.resize(520, 480)

    def show_summary_of(self, conversation: str) -> None:
        """Bring the window to the front with the summary of this conversation. Unsaved changes are
        kept.
        """
        if conversation != self._conversation or not self._edited:
            self._conversation = conversation
            self.undo.clear()
            self._work.replace("read", self._read)
        self.present()

    def present(self) -> None:
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks and subscription."""
        self._unobserve()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.undo.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.field.setAccessibleName(tr(TITLE))
        self.save.setText(tr("Save"))
        self.regenerate.setText(tr("Regenerate"))
        self.delete.setText(tr("Delete"))
        self.undo.retranslate()
        self._settle()

    def _lay_out(self) -> None:
        self._frame.add(self.about)
        self._frame.add(self.field, 1)
        self._frame.add(self.undo)
        self._frame.row(self.delete, self.regenerate, None, self.save)

    # State

    @property
    def _edited(self) -> bool:
        before = self._known.text if self._known is not None else ""
        return self.field.toPlainText() != before

    async def _read(self) -> None:
        self._put(await self._summaries.get(self._conversation))

    def _put(self, summary: ConversationSummary | None) -> None:
        self._known = summary
        self.field.setPlainText(summary.text if summary is not None else "")
        self._settle()

    def _changed(self, conversation: str) -> None:
        """Reload a summary that was changed elsewhere, unless the user is editing it."""
        if conversation == self._conversation and not (self._edited or self._work.busy()):
            self._work.replace("read", self._read)

    def _settle(self) -> None:
        """Update the explanation and the enabled buttons."""
        there, busy = self._known is not None, self._work.busy("regenerate")
        over = len(self.field.toPlainText().strip()) - MAX_SUMMARY
        self.field.setReadOnly(busy or not there)
        self.save.setEnabled(there and not busy and self._edited and over <= 0)
        self.regenerate.setEnabled(there and not busy)
        self.delete.setEnabled(there and not busy)
        if busy:
            words = tr("The summary is being regenerated from the messages…")
        elif over > 0:
            words = tr_count(
                N_("{count} character too many: the summary is sent with each message."),
                N_("{count} characters too many: the summary is sent with each message."),
                over,
            )
        elif there:
            words = tr(
                "This text replaces the older messages when they no longer all fit into "
                "the request. You can correct it; your next message uses your version."
            )
        else:
            words = tr(
                "There is no summary yet. One is written after a reply when the "
                "conversation gets too long to be sent as a whole."
            )
        self.about.setText(words)

    # Actions of the user

    async def _save(self) -> None:
        known, text = self._known, self.field.toPlainText().strip()
        if known is None:
            return
        if not text:
            await self._delete()
            return
        changed = ConversationSummary(known.until, text)
        done = await self._summaries.update(
            self._conversation, changed, before=known, tells_of=[known.until]
        )
        if done:
            self._put(changed)
            self.undo.show_text(tr("Saved."))
        else:
            await self._outrun()

    async def _regenerate(self) -> None:
        known = self._known
        fresh = await self._writer.rewrite(self._conversation)
        now = await self._summaries.get(self._conversation)
        self._put(now)
        if fresh is None or now != fresh or known is None:
            self.undo.show_text(tr("The summary could not be regenerated."))
            return
        back = partial(self._bring_back, known, now)
        self.undo.show_undo(
            tr("The summary was regenerated."), lambda: self._work.start_once("back", back)
        )

    async def _bring_back(self, known: ConversationSummary, now: ConversationSummary) -> None:
        """Restore the earlier summary. If a message that it covers was deleted meanwhile, nothing
        is restored.
        """
        await self._summaries.update(self._conversation, known, before=now, tells_of=[known.until])
        await self._read()

    def _ask_to_delete(self) -> None:
        self.undo.show_undo(
            tr(
                "Delete the summary? After a reply a new one is written if the "
                "conversation is still too long."
            ),
            lambda: self._work.start_once("delete", self._delete),
            tr("Delete"),
        )

    async def _delete(self) -> None:
        if await self._summaries.update(self._conversation, None, before=self._known):
            self._put(None)
            self.undo.clear()
        else:
            await self._outrun()

    async def _outrun(self) -> None:
        """Handle a summary that was changed or deleted elsewhere."""
        now = await self._summaries.get(self._conversation)
        if now is None:
            self._put(None)
            self.undo.show_text(
                tr("A message that the summary covers was deleted, and the summary with it.")
            )
            return
        self._known = now
        self._settle()
        self.undo.show_undo(
            tr("The summary was extended meanwhile. Save again to replace it with your version."),
            lambda: self._put(now),
            tr("Show the new version"),
        )

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))
