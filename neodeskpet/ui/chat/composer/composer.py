"""The input area: a growing text field, a queue above it, and one round button.

Enter sends and Shift+Enter breaks the line, but not while an input method composes. A listener of
`submitted` queues what is sent during a turn; the strip only shows the queue.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QIcon,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.markdown.preparation import quote_markdown
from neodeskpet.language import join_sentences, tr
from neodeskpet.ui.chat.composer.attachment_strip import AttachmentStrip
from neodeskpet.ui.chat.composer.dictation import DictatedText, DictationButton
from neodeskpet.ui.chat.composer.message_field import MessageField, clean_text
from neodeskpet.ui.chat.composer.sent_messages import QueueStrip
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, font_for_text, set_style_sheet, ui_font
from neodeskpet.ui.widgets.labels import set_tooltip

MAX_WIDTH = 760
_UNBOUNDED = (1 << 24) - 1
"""Qt's maximum size of a widget."""
ROUND_BUTTON_SIZE = 36


class _InputFrame(QWidget):
    """The frame around the text field. It is painted: a style sheet would restyle all children at
    each change of focus.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lit = False
        self._frameless = False

    def remove_frame(self) -> None:
        """Draw no frame: the surrounding widget draws one."""
        self._frameless = True
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_focused(self, lit: bool) -> None:
        self._lit = lit
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._frameless:
            return
        t = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(t.accent if self._lit else t.control_line))
            painter.setBrush(QColor(t.surface))
            radius = t.message_radius - 0.5
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius
            )


class Composer(QFrame):
    """The bar at the bottom of the chat.

    Signals: `submitted(text)`, with attachments in `attachments`; `sending(text)` just before, so
    that listeners can attach what the text names (sending waits for it); `stop_requested()`;
    `unqueue_requested(row)`; `queue_release_requested()` for messages held since Stop;
    `draft_changed(text)`; `attach_requested()` (the + button, shown by `set_attachable`);
    `content_dropped(QMimeData)` for pasted or dropped pictures; `long_text_pasted(str)`.
    """

    submitted = Signal(str)
    sending = Signal(str)
    stop_requested = Signal()
    unqueue_requested = Signal(int)
    queue_release_requested = Signal()
    draft_changed = Signal(str)
    attach_requested = Signal()
    content_dropped = Signal(QMimeData)
    long_text_pasted = Signal(str)
    dictation_requested = Signal(QWidget)
    """The microphone button was pressed in this composer."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, inside: bool = False
    ) -> None:
        """`inside`: it is embedded in another widget, without a border or margins."""
        super().__init__(parent)
        self._theme = theme
        self._inside = inside
        self._running = False
        self._other_conversation = ""
        self._draft = ""
        self._font_due = False
        self._icons = _icons(theme)
        self._box = _InputFrame(theme, self)
        self._attach = QToolButton(self._box)
        self._attach.hide()
        self.field = MessageField(self._box)
        self._queue = QueueStrip(theme, self)
        self._queue.removed.connect(self.unqueue_requested)
        self._queue.release_requested.connect(self.queue_release_requested)
        self.attachments = AttachmentStrip(theme, self)
        self._hasty = False  # Enter was pressed while a picture was still being prepared
        self._later = QToolButton(self._box)
        self.dictation = DictationButton(theme, self._box)
        self._dictated = DictatedText(self.field)
        self._round = QToolButton(self._box)
        self._lay_out()
        self._connect()
        self.setFocusProxy(self.field)
        self.set_theme(theme)
        self.retranslate()

    def embed(self, beside: QWidget) -> None:
        """Embed the composer in a frame of another widget, with this widget after the text."""
        self._box.remove_frame()
        beside.setParent(self._box)
        line = self._box.layout()
        if isinstance(line, QHBoxLayout):
            line.setContentsMargins(8, 2, 2, 2)
            line.insertWidget(line.indexOf(self._later), beside, 0, Qt.AlignmentFlag.AlignVCenter)

    def set_running(self, running: bool) -> None:
        """Set whether a turn is running: the button stops it then, and sent messages are queued."""
        self._running = running
        self._show_state()

    def set_answering_computer(self, name: str) -> None:
        """Set the name of the other computer that is answering in this conversation, "" for none:
        sent messages are queued then.
        """
        self._other_conversation = name
        self._show_placeholder()

    def set_queue(self, texts: Sequence[str], *, held: bool = False) -> None:
        """Show the messages queued until the end of the turn, oldest first; `held`: until the user
        releases them.
        """
        self._queue.show_texts(texts, held=held)

    def set_draft(self, text: str) -> None:
        """Restore an unsent text. Doesn't emit `draft_changed`."""
        self._draft = clean_text(text)
        self.field.set_text(self._draft)

    def draft(self) -> str:
        return self.field.text()

    def has_content(self) -> bool:
        """Whether a message has been started: text, uncommitted text of an input method, or
        attachments.
        """
        begun = self.field.is_composing or bool(self.field.text().strip())
        return begun or self.attachments.count > 0

    def set_history(self, texts: Sequence[str]) -> None:
        """Set the inputs that ↑ recalls, oldest first."""
        self.field.history.replace(texts)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Paste the X11 selection on a middle click in the margin, as in the field itself."""
        if event.button() is Qt.MouseButton.MiddleButton:
            self.field.paste_selection()
        else:
            super().mouseReleaseEvent(event)

    def insert(self, text: str) -> None:
        """Insert `text` at the cursor (a quotation, a dropped path) and take the focus."""
        self.field.insert(clean_text(text))
        self.field.setFocus()

    def show_dictated(self, text: str, *, is_final: bool) -> None:
        """Write recognized text at the cursor. Text that isn't final is replaced by the next."""
        if self.field.isReadOnly():
            return
        self._dictated.show(clean_text(text))
        if is_final:
            self._dictated.end()
            self.field.setFocus()

    def quote(self, markdown: str) -> None:
        """Insert a passage of the conversation as a quotation on lines of its own."""
        cursor = self.field.textCursor()
        before = "" if cursor.atBlockStart() else "\n\n"
        self.insert(f"{before}{quote_markdown(markdown)}\n\n")
        self.field.ensureCursorVisible()

    def set_attachable(self, attachable: bool) -> None:
        """Show the + button."""
        self._attach.setVisible(attachable)
        self.field.attachable = attachable

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._icons = _icons(theme)
        self.field.setFont(font_for_text(self.field.text(), ui_font(theme)))
        self._box.set_theme(theme)
        self._queue.set_theme(theme)
        self.attachments.set_theme(theme)
        self.dictation.set_theme(theme)
        self._update_style()
        self._show_state()

    def retranslate(self) -> None:
        self.field.setAccessibleName(tr("Message"))
        self._attach.setAccessibleName(tr("Attach a picture or a file"))
        set_tooltip(self._attach, tr("Attach a picture or a file"))
        self._later.setAccessibleName(tr("Send after this reply"))
        set_tooltip(self._later, tr("Send after this reply"))
        self.dictation.retranslate()
        self._queue.retranslate()
        self.attachments.retranslate()
        self._show_placeholder()
        self._show_state()

    def submit(self) -> None:
        """Send text and attachments, if there are any; wait for a picture that is still being
        prepared.
        """
        if self.field.is_composing:
            QGuiApplication.inputMethod().commit()
        text = self.field.text().strip()
        if self.field.isReadOnly():
            return
        if not (text or self.attachments.count):
            if self.attachments.has_refused:
                self._say_unsent()
            return
        self.sending.emit(text)
        self._hasty = self.attachments.has_pending
        if self._hasty:
            return
        if text:
            self.field.history.add(text)
        self.field.clear()
        self.submitted.emit(text)

    def _lay_out(self) -> None:
        self._round.setFixedSize(ROUND_BUTTON_SIZE, ROUND_BUTTON_SIZE)
        for button in (self._attach, self.dictation, self._later):
            button.setFixedSize(ROUND_BUTTON_SIZE, ROUND_BUTTON_SIZE)
            button.setProperty("quiet", True)
        inside = QHBoxLayout(self._box)
        inside.setContentsMargins(13, 7, 9, 7)
        inside.setSpacing(4)
        bottom = Qt.AlignmentFlag.AlignBottom
        inside.addWidget(self._attach, 0, bottom)
        inside.addWidget(self.field, 1, Qt.AlignmentFlag.AlignVCenter)
        inside.addWidget(self.dictation, 0, bottom)
        inside.addWidget(self._later, 0, bottom)
        inside.addWidget(self._round, 0, bottom)
        column = QWidget()
        column.setMaximumWidth(MAX_WIDTH)
        inside_column = QVBoxLayout(column)
        inside_column.setContentsMargins(0, 0, 0, 0)
        inside_column.setSpacing(8)
        inside_column.addWidget(self._queue)
        inside_column.addWidget(self.attachments)
        inside_column.addWidget(self._box)
        outside = QHBoxLayout(self)
        self._column, self._outside = column, outside
        outside.setContentsMargins(*((0, 0, 0, 0) if self._inside else (12, 8, 12, 12)))
        outside.addStretch(0)
        outside.addWidget(column, 1)
        outside.addStretch(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _connect(self) -> None:
        self.field.entered.connect(self.submit)
        self.field.escaped.connect(self._stop)
        self.field.textChanged.connect(self._written)
        self.field.focused.connect(self._box.set_focused)
        self.field.content_dropped.connect(self.content_dropped)
        self.field.long_text_pasted.connect(self.long_text_pasted)
        self.attachments.changed.connect(self._attached)
        self._attach.clicked.connect(self.attach_requested)
        self._later.clicked.connect(self.submit)
        self.dictation.started.connect(lambda: self.dictation_requested.emit(self))
        self._round.clicked.connect(self._press)

    def box_rect(self) -> QRect:
        """Return the rectangle of the frame."""
        return QRect(self._box.mapTo(self, QPoint(0, 0)), self._box.size())

    def set_edges(self, left: int, right: int) -> None:
        """Set the margins left and right, to align it with the messages above."""
        self._column.setMaximumWidth(_UNBOUNDED)
        self._outside.setContentsMargins(left, 8, right, 12)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_placeholder()

    def _press(self) -> None:
        if self._running:
            self.stop_requested.emit()
        else:
            self.submit()
        self.field.setFocus()

    def _attached(self) -> None:
        self._show_state()
        if not self._hasty or self.attachments.has_pending:
            return
        self._hasty = False
        if self.attachments.message_text:
            self._say_unsent()
        elif self.attachments.count:
            self.submit()

    def _say_unsent(self) -> None:
        """Add to the message about a refused attachment that nothing was sent yet."""
        rest = self.field.text().strip() or self.attachments.count
        words = tr("Not sent yet: Enter sends the rest.") if rest else tr("Nothing was sent.")
        text = self.attachments.message_text
        if not text.endswith(words):
            self.attachments.show_message(join_sentences(text, words))

    def attach_menu_position(self) -> QPoint:
        """Return the screen position for a menu of the + button: its lower edge."""
        return self._attach.mapToGlobal(QPoint(0, -4))

    def _stop(self) -> None:
        if self._running:
            self.stop_requested.emit()

    def _written(self) -> None:
        self._show_state()
        text = self.field.text()
        if text != self._draft:
            self._draft = text
            self._font_due = True
            self.draft_changed.emit(text)
        if self._font_due and not self.field.shrinks:  # else the whole text would be laid out again
            self._font_due = False
            font = font_for_text(text, ui_font(self._theme))
            if font.featureTags() != self.field.font().featureTags():
                self.field.setFont(font)

    def _show_placeholder(self) -> None:
        metrics = self.field.fontMetrics()
        room = self.field.viewport().width() - 2 * round(self.field.document().documentMargin())
        words = tr("Say something… (Enter to send, Shift+Enter for a new line)")
        for shorter in (tr("Say something…"), tr("Say…")):
            if metrics.horizontalAdvance(words) > room:
                words = shorter
        if self._other_conversation:
            words = tr("An answer is being written on {name}…", name=self._other_conversation)
        # Qt would break a longer text into lines, of which only the first is seen.
        elided = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
        self.field.setPlaceholderText(elided if room > 0 else words)

    def _show_state(self) -> None:
        """Update the buttons: stop while a turn runs, else send (disabled if there is nothing to
        send).
        """
        something = bool(self.field.text().strip()) or self.attachments.count > 0
        written = something and not self.field.isReadOnly()
        self._round.setIcon(self._icons["stop" if self._running else "send"])
        name = tr("Stop") if self._running else tr("Send")
        self._round.setAccessibleName(name)
        set_tooltip(self._round, tr("Stop (Esc)") if self._running else tr("Send (Enter)"))
        self._round.setEnabled(self._running or written)
        self._later.setVisible(self._running and written)

    def _update_style(self) -> None:
        t = self._theme
        line = "none" if self._inside else f"1px solid {t.line}"
        ground = "transparent" if self._inside else t.window
        set_style_sheet(
            self,
            f"Composer {{ background: {ground}; border: none; border-top: {line}; }}"
            "MessageField { background: transparent; border: none; padding: 0;"
            f" placeholder-text-color: {t.muted}; }}",
        )
        inner = ROUND_BUTTON_SIZE - 4
        set_style_sheet(
            self._round,
            f"QToolButton {{ background: {t.accent}; border: 2px solid {t.accent}; padding: 0;"
            f" border-radius: {ROUND_BUTTON_SIZE // 2}px; min-height: {inner}px;"
            f" max-height: {inner}px; min-width: {inner}px; max-width: {inner}px; }}"
            f"QToolButton:hover {{ background: {t.accent_hover}; border-color: {t.accent_hover}; }}"
            f"QToolButton:focus {{ border-color: {t.text}; }}"
            f"QToolButton:disabled {{ background: {t.hover}; border-color: {t.hover}; }}",
        )
        muted = QColor(t.muted)
        self._attach.setIcon(icon("plus", muted))
        self._later.setIcon(icon("send", QColor(t.accent)))
        for button in (self._attach, self._later):
            height = ROUND_BUTTON_SIZE - 2
            set_style_sheet(
                button,
                f"QToolButton {{ padding: 0; border-radius: {ROUND_BUTTON_SIZE // 2}px;"
                f" min-height: {height}px; max-height: {height}px; }}",
            )
        for button in (self._attach, self.dictation, self._later, self._round):
            button.setIconSize(QSize(20, 20))


def _icons(theme: Theme) -> dict[str, QIcon]:
    """Return the icons of the round button, drawn once: they are set at every keystroke."""
    lit, faded = QColor(theme.on_accent), QColor(theme.muted)
    return {name: icon(name, lit, disabled=faded) for name in ("send", "stop")}
