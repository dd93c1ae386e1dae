"""The speech bubble: shows a reply sentence by sentence, page by page, and notices.

A frameless translucent window beside the companion, drawn like in a comic: surface colour, ink
outline, a tail to the mouth, and at a corner the number of messages that wait. It takes the
keyboard focus only on a command (`take_keyboard`). A page turns on a click, or by itself after it
was spoken or there was time to read it (`core/speech_bubble.py`); the last one fades. It waits
while the pointer or the keyboard focus is on it. Questions and notices are announced to screen
readers; a reply is announced by the chat.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from math import ceil, inf

from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QCursor,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPaintEvent,
    QPixmap,
    QRegion,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from neodeskpet.core.markdown.plain_sentences import BlockLabels, SentenceSplitter
from neodeskpet.core.speech_bubble import (
    BubbleKeyboard,
    BubbleMessage,
    BubbleQueue,
    BubbleRank,
    Voice,
    no_callback,
)
from neodeskpet.core.speech_pages import PillKind, SpeechPages, pill
from neodeskpet.language import tr
from neodeskpet.ui.commands import format_keys
from neodeskpet.ui.desktop.desktop_windows import FLOATING_FLAGS, skip_taskbar_once_shown
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.pet.bubble_controls import BubbleControls
from neodeskpet.ui.pet.bubble_painting import (
    TAIL,
    bubble_path,
    count_area,
    count_name,
    count_text,
    ink_pen,
    line_width,
    page_mark,
    paint_count,
    paint_line,
    pill_areas,
)
from neodeskpet.ui.pet.screen_geometry import (
    BubblePosition,
    TailSide,
    bubble_position,
    corner_position,
)
from neodeskpet.ui.rendering.line_breaking import break_lines
from neodeskpet.ui.theme import LIGHT, Theme, font_for_text, ui_font
from neodeskpet.ui.widgets.accessible import announce, set_accessible_role

_SIDE_PADDING = 16
_EDGE_GAP = 8
"""Pixels that it keeps from the edges of the screen's usable area."""
_POINTED_MS = 500
"""Interval in ms for checking whether the pointer is still on it."""
_POINTER_RESTS_SECONDS = 30.0
"""Seconds without movement after which a pointer on it no longer holds its page: the user may be
away.
"""
_SMALLEST = 56
_SIGN = 18
_SIGN_ROOM = 26
ANSWER_KEYS = "Ctrl+Shift+A"
"""The keys of the command that moves the focus to the bubble; announcements name them."""
_NO_KEYBOARD = BubbleKeyboard()
_AT_ONCE = 8_000
"""Maximum characters processed in one go. Models don't send more at once; longer texts belong to
the chat.
"""


class SpeechBubble(QWidget):
    """`start_reply`, `add_text`, `end_reply` follow a reply; `show_notice` shows a complete notice
    (first; the reply continues after it). A question of `ask` is shown before all that until it is
    withdrawn. `place_beside` keeps the bubble beside the companion.
    """

    answered = Signal(str, str)
    """A question's key and the choice; "" for a click on the text."""

    activated = Signal()
    """The last page was clicked: the user wants to answer."""
    expression_requested = Signal(str)
    """A line with this expression begins."""
    finished = Signal()
    """Everything was shown, and the bubble has closed."""

    def __init__(
        self,
        theme: Theme = LIGHT,
        *,
        voice: Voice | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`voice` speaks what is shown and determines its pace (`speech_started`,
        `speech_finished`).
        """
        super().__init__(None, FLOATING_FLAGS)
        set_accessible_role(self, QAccessible.Role.Notification)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_MacAlwaysShowToolWindow)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._name = ""
        self._words = QWidget(self)
        set_accessible_role(self._words, QAccessible.Role.StaticText)
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._count = QWidget(self)
        set_accessible_role(self._count, QAccessible.Role.StaticText)
        self._count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._count.hide()
        self._announced: tuple[BubbleMessage, int] | None = None
        self._has_keyboard = False
        self._focus_before: QWidget | None = None
        self._theme = theme
        self._controls = BubbleControls(self, theme, self._row_width)
        self._controls.link.clicked.connect(self._open_in_chat)
        self._sentences = _new_sentences()
        self._painted: SpeechPages | None = None
        self._clock = clock
        self._lines = BubbleQueue(self.expression_requested.emit, voice)
        self._asked: tuple[BubbleMessage, int] | None = None  # the page with the shown buttons
        self._spot = BubblePosition(QRect(0, 0, 1, 1), TailSide.NONE, 0)
        self._figure = QRect()
        self._head = QRect()
        self._mouth = QPoint()
        self._screen = QRect(0, 0, 800, 600)
        self._beside = False
        self._covered: tuple[QRect, ...] = ()
        self._kept: tuple[QRect, ...] = ()
        self._is_chat_shown = False
        self._is_reply_seen = False
        self._cut_out = False
        self._wanted = True
        self._shown_share = 0.0
        self._last_look: QPixmap | None = None
        self._pointer = QPoint()
        self._pointer_at = QPoint()
        self._pointer_moved_at = clock()
        self._reading = QTimer(self)
        self._reading.setSingleShot(True)
        self._reading.timeout.connect(self._read)
        self._fade = QVariantAnimation(self)
        self._fade.setDuration(theme.motion_ms)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.valueChanged.connect(self._set_share)
        self._fade.finished.connect(self._faded)
        self.set_name("")

    # Content

    def start_reply(self) -> None:
        """Start a reply; the rest of the last one is dropped."""
        self._sentences = _new_sentences()
        self._lines.start_reply(self._new_speech(), self._clock())
        self._update()

    def add_text(self, delta: str) -> None:
        """Add a delta of the reply, in Markdown."""
        if self._lines.reply is None:
            self.start_reply()
        reply = self._lines.reply
        if reply is None or reply.speech.full:
            return
        self._add(self._sentences.feed(delta[:_AT_ONCE]))
        if len(delta) > _AT_ONCE:
            reply.speech.close()
            self._update()

    def end_line(self, face: str) -> None:
        """End a line: the text added since the last one is shown by itself with this expression, ""
        for none.
        """
        if not self._wanted:
            if face:
                # Nothing is shown, so there is nothing to wait for.
                self.expression_requested.emit(face)
            return
        if self._lines.reply is None:
            self.start_reply()
        self._add(self._sentences.end())
        self._lines.end_line(face, self._clock())
        self._update()

    def end_reply(self) -> None:
        """End the reply."""
        if self._lines.reply is None:
            return
        self._add(self._sentences.end())
        self._lines.end_reply(self._clock())
        self._update()

    def speech_started(self) -> None:
        """Note that the voice is heard."""
        self._lines.voice_started()

    def speech_finished(self) -> None:
        """Note that the voice has spoken all its text."""
        self._lines.voice_finished(self._clock())
        self._plan()

    def show_notice(
        self,
        text: str,
        *,
        sign: str = "",
        plain: bool = False,
        gone: Callable[[], None] = no_callback,
        key: str = "",
        choices: Sequence[tuple[str, str]] = (),
        seconds: float = inf,
        rank: BubbleRank = BubbleRank.NOTICE,
    ) -> None:
        """Show a complete text when it is its turn by its `rank`. `sign` and `plain` as in `ask`;
        `gone` is called after it was read or closed, or if it can't be shown. With a `key` and
        `choices` it can be answered while it is shown, and withdrawn by `withdraw`. It is dropped
        if it has to wait longer than `seconds`.
        """
        now = self._clock()
        speech = self._complete_speech(text, sign, plain)
        message = BubbleMessage(speech, gone, key, tuple(choices), latest=now + seconds, rank=rank)
        self._lines.say(message, now)
        self._update()

    def _complete_speech(self, text: str, sign: str, plain: bool) -> SpeechPages:
        """Return a complete speech."""
        speech = self._new_speech(sign)
        sentences = _new_sentences()
        said = [] if plain else sentences.feed(text[:_AT_ONCE]) + sentences.end()
        for sentence in [text[:_AT_ONCE]] if plain else said:
            speech.add(sentence)
        speech.ended = True
        return speech

    def fits(self, text: str, *, sign: str = "", pages: int = 1) -> bool:
        """Whether all of `text` fits unchanged on so many pages of a question."""
        speech = self._new_speech(sign)
        speech.add(text[:_AT_ONCE])
        return not speech.full and speech.pages <= pages and len(text) <= _AT_ONCE

    def ask(
        self,
        key: str,
        text: str,
        choices: Sequence[tuple[str, str]] = (),
        *,
        sign: str = "",
        plain: bool = False,
        whole: bool = False,
        keyboard: BubbleKeyboard = _NO_KEYBOARD,
        rank: BubbleRank = BubbleRank.QUESTION,
    ) -> None:
        """Ask, with a button for each of `choices` (id, text), until `withdraw(key)`. The newest of
        several questions of a `rank` is shown, but no other one in place of one that the user
        points at. `sign` is an icon before the text; `plain` text is shown as it
        is, otherwise it is Markdown. With `whole` the buttons appear on the last page, so that the
        whole question is seen before an answer. Questions are shown even if bubbles are disabled.
        """
        speech = self._complete_speech(text, sign, plain)
        question = BubbleMessage(
            speech,
            key=key,
            choices=tuple(choices),
            choices_on_last_page=whole,
            asks=True,
            keyboard=keyboard,
            rank=rank,
        )
        now = self._clock()
        self._lines.set_held(self._has_keyboard or self._pointed_at(), now)
        self._lines.ask(question, now)
        self._update()

    def withdraw(self, key: str) -> None:
        """Remove a question that was answered here or elsewhere. Idempotent."""
        self._lines.withdraw(key, self._clock())
        self._update()

    @property
    def has_question(self) -> bool:
        """Whether a question is open."""
        return self._lines.is_asking

    @property
    def choices(self) -> list[str]:
        """The texts of the current buttons."""
        return [button.text() for button in self._controls.buttons]

    def clear(self) -> None:
        """Remove all texts at once. Questions stay."""
        self._lines.clear(self._clock())
        self._update()

    @property
    def page_text(self) -> str:
        """The text of the current page; "" if nothing is shown."""
        speech = self._speech
        return speech.text if speech else ""

    @property
    def is_speaking(self) -> bool:
        """Whether there is text left to read."""
        return self._speech is not None

    # Position

    def place_beside(
        self, figure: QRect, mouth: QPoint, screen: QRect, head: QRect | None = None
    ) -> None:
        """Place it beside the companion (global coordinates, `screen` is the available area), never
        over its `head`.
        """
        self._figure, self._mouth, self._screen = QRect(figure), QPoint(mouth), QRect(screen)
        self._head = QRect(head) if head is not None else QRect()
        self._beside = True
        self._stand()

    def place_in_corner(self, screen: QRect) -> None:
        """Place it in the corner, without a tail, while the companion is hidden."""
        self._screen = QRect(screen)
        self._beside = False
        self._stand()

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is clipped to the bubble, for desktops without compositing."""
        self._cut_out = on
        if not on:
            self.clearMask()
        self._stand()

    def set_avoided_areas(self, covered: Iterable[QRect], kept: Iterable[QRect] = ()) -> None:
        """Avoid these areas of the app's windows while there is other room, and the `kept` ones,
        where the user writes or answers, in any case.
        """
        areas = (tuple(covered), tuple(kept))
        if areas != (self._covered, self._kept):
            self._covered, self._kept = areas
            self._update()

    def set_seen_in_chat(self, *, reply: bool, questions: Iterable[str], chat_shown: bool) -> None:
        """Set whether the user sees the reply in the chat, and the keys of the questions that are
        seen there: they aren't shown here. `chat_shown`: the chat announces its questions.
        """
        self._is_reply_seen, self._is_chat_shown = reply, chat_shown
        self._lines.set_elsewhere(questions, self._clock())
        self._update()

    @property
    def shows_question(self) -> bool:
        """Whether a question is shown now, not only in the chat."""
        present = self._lines.current
        is_question = present is not None and present.asks and present.rank is not BubbleRank.NOTICE
        return self.isVisible() and is_question

    @property
    def is_used(self) -> bool:
        """Whether the user is about to answer: what waits for an answer is shown, and the pointer
        or the keyboard focus is on it.
        """
        present = self._lines.current
        waits = self.isVisible() and present is not None and present.asks
        return waits and (self._has_keyboard or self._pointed_at())

    def set_enabled(self, wanted: bool) -> None:
        """Set whether bubbles are enabled."""
        self._wanted = wanted
        self._update()

    def set_name(self, name: str) -> None:
        """Set the speaker's name for screen readers and window lists."""
        self._name = name
        words = tr("{name} says", name=name) if name else tr("Speech bubble")
        self.setAccessibleName(words)
        self.setWindowTitle(words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._controls.set_theme(theme)
        self._stand()
        self.update()

    # Reading

    @property
    def _speech(self) -> SpeechPages | None:
        present = self._lines.current
        return present.speech if present is not None else None

    def _new_speech(self, sign: str = "") -> SpeechPages:
        theme = self._theme
        width = theme.bubble_width - 2 * _SIDE_PADDING - (_SIGN_ROOM if sign else 0)
        tail = tr("… The rest is in the chat.")
        font = ui_font(theme)

        def breaks(text: str) -> list[str]:
            return break_lines(text, font=font_for_text(text, font), width=width)

        return SpeechPages(breaks, theme.bubble_lines, tail, sign=sign)

    def _add(self, sentences: list[str]) -> None:
        if sentences:
            self._lines.add(sentences, self._clock())
            self._update()

    def _update(self) -> None:
        """Update the bubble after a change of its content: show, resize, turn the page or close."""
        shown = self._wanted or self._lines.is_asking
        self._lines.set_shown(shown, self._clock())
        self._plan()
        present = self._lines.current
        if present is None or not shown or (present is self._lines.reply and self._is_reply_seen):
            self._fade_away()
            return
        self._last_look = None
        self._show_buttons()
        self._controls.link.setVisible(self._offers_chat(present))
        self._stand()
        self._appear(True)
        self._name_count()
        self.setAccessibleDescription(present.speech.text)
        self._words.setAccessibleName(present.speech.text)
        self._announce(present)
        self.update()

    def _offers_chat(self, present: BubbleMessage) -> bool:
        """Whether the page has a link to the chat: the last one of a reply."""
        is_reply = present is self._lines.reply
        return is_reply and present.speech.ended and present.speech.last_page

    def _name_count(self) -> None:
        name = count_name(self._lines.waiting)
        self._count.setAccessibleName(name)
        self._count.setVisible(bool(name))

    def _announce(self, present: BubbleMessage) -> None:
        """Let a screen reader read a new page of a question or a notice; a question interrupts what
        is being read, and is followed by its answers and the key that leads to them.
        """
        page = (present, present.speech.page)
        if present is self._lines.reply or page == self._announced:
            return
        self._announced = page
        if present.keyboard.in_chat and self._is_chat_shown:
            return
        text = present.speech.text
        answers = ", ".join(label for _, label in present.buttons)
        if answers:
            keys = tr("{keys} goes to the answers.", keys=format_keys(ANSWER_KEYS))
            text = "\n".join((text, answers, keys))
        urgent = present.asks and present.rank is not BubbleRank.NOTICE
        if announce(self, text, urgent=urgent):
            # For screen readers that ignore announcements: they read a notification that appears.
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.ObjectShow))

    def _plan(self) -> None:
        """Schedule the end of the current page."""
        due = self._lines.due
        if self._lines.held:
            self._reading.start(_POINTED_MS)
        elif due is None:
            self._reading.stop()
        else:
            self._reading.start(max(0, round((due - self._clock()) * 1000)))

    def _read(self) -> None:
        """Turn the page after its time, or close the bubble at the end; wait while it is pointed
        at.
        """
        now = self._clock()
        self._lines.set_held(self._has_keyboard or self._pointed_at(), now)
        self._lines.tick(now)
        self._update()

    def _pointed_at(self) -> bool:
        """Whether the pointer was moved onto it lately, and didn't just rest where the bubble
        appeared.
        """
        pointer, now = QCursor.pos(), self._clock()
        if pointer != self._pointer_at:
            self._pointer_at, self._pointer_moved_at = pointer, now
        if now - self._pointer_moved_at > _POINTER_RESTS_SECONDS:
            return False
        is_over = self.underMouse() and self.rect().contains(self.mapFromGlobal(pointer))
        return self.isVisible() and is_over and pointer != self._pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        present = self._lines.current
        if present is None:
            return
        if event.button() == Qt.MouseButton.LeftButton:
            if present is self._lines.reply and self._pill_at(event.position()):
                self._open_in_chat()
            else:
                self._activate()
        elif not present.asks:
            self.dismiss()

    def _activate(self) -> None:
        """Turn the page. On the last one the user wants to answer: close a notice."""
        present = self._lines.current
        if present is None or self.next_page():
            return
        if not present.asks:
            self.dismiss()
        if present.key:
            self.answered.emit(present.key, "")
        else:
            self.activated.emit()

    def _open_in_chat(self) -> None:
        """Close the reply and show it in the chat."""
        self.dismiss()
        self.activated.emit()

    def _pill_at(self, point: QPointF) -> bool:
        """Whether there is a pill: what it stands for is in the chat."""
        speech = self._speech
        if speech is None:
            return False
        metrics = QFontMetricsF(self._text_font(speech))
        rows = zip(speech.lines, self._rows(speech), strict=True)
        return any(
            area.contains(point) for line, row in rows for area in pill_areas(metrics, line, row)
        )

    # Keyboard

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        skip_taskbar_once_shown(self)

    def take_keyboard(self) -> bool:
        """Move the keyboard focus to the bubble: to the harmless answer of a question, else to the
        text. Return False if nothing is shown.
        """
        handle = self.windowHandle()
        if self._speech is None or not self.isVisible() or handle is None:
            return False
        if not self._has_keyboard:
            self._focus_before = QApplication.focusWidget()
        self._has_keyboard = True
        handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, False)
        self.raise_()
        self.activateWindow()
        self._focus_first()
        self._read()
        return True

    def next_page(self) -> bool:
        """Turn the page; return False on the last one."""
        turned = self._lines.next_page(self._clock())
        if turned:
            self._update()
        return turned

    def dismiss(self) -> bool:
        """Close the current message, or answer a question with its harmless answer if it may be
        dismissed. Return False if it can't be.
        """
        present = self._lines.current
        if present is None or not self.isVisible():
            return False
        if not present.asks:
            self._lines.dismiss(self._clock())
            self._update()
            return True
        choice = present.keyboard.dismiss_choice
        if choice:
            self.answered.emit(present.key, choice)
        return bool(choice)

    def leave_keyboard(self) -> None:
        """Give the keyboard focus back to the window that had it."""
        before, self._focus_before = self._focus_before, None
        if not self._has_keyboard:
            return
        self._end_keyboard()
        if before is not None and isValid(before) and before.isVisible():
            before.window().activateWindow()
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _end_keyboard(self) -> None:
        self._has_keyboard = False
        handle = self.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, True)

    def _focus_first(self) -> None:
        present = self._lines.current
        wanted = present.keyboard.first_choice if present is not None else ""
        choices = [choice for choice, _ in present.buttons] if present is not None else []
        buttons = self._controls.buttons
        if buttons:
            number = choices.index(wanted) if wanted in choices else 0
            buttons[number].setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes a notice or leaves a question, Enter presses the button with the focus, a
        digit presses the button of this number, and Right or Page down turns the page.
        """
        key, number = event.key(), event.key() - Qt.Key.Key_1.value
        buttons, focused = self._controls.buttons, self._controls.focused
        if key == Qt.Key.Key_Escape:
            if self.has_question or not self.dismiss():
                self.leave_keyboard()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if focused is not None:
                focused.click()
            else:
                self._activate()
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_Space):
            self.next_page()
        elif 0 <= number < len(buttons):
            buttons[number].click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        left = event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow()
        if left and self._has_keyboard:
            self._focus_before = None
            self._end_keyboard()
            self._read()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    # Buttons of a question

    def _row_width(self) -> int:
        """Return the room in pixels for buttons side by side."""
        return self._theme.bubble_width - 2 * _SIDE_PADDING

    def _show_buttons(self) -> None:
        present = self._lines.current
        asked = present if present is not None and present.choices else None
        page = (asked, asked.speech.page) if asked is not None else None
        if page == self._asked:
            return
        before, self._asked = self._asked, page
        key = asked.key if asked else ""
        self._controls.set_answers(
            asked.buttons if asked else (), lambda choice: self.answered.emit(key, choice)
        )
        if self._has_keyboard and self._controls.buttons:
            self._focus_first()
        elif before is not None and asked is None:  # it was answered
            self.leave_keyboard()

    def _place_parts(self) -> None:
        self._words.setGeometry(self._body().toRect())
        self._count.setGeometry(self._count_area().toRect())
        bottom = TAIL + self._spot.body.height() - self._theme.padding
        self._controls.place(TAIL + _SIDE_PADDING, bottom)

    # Showing

    def _fade_away(self) -> None:
        """Let the bubble fade as it looks now: its words and buttons are seen until the end."""
        if self._controls.any_shown and self._shown_share > 0.0 and self._last_look is None:
            self._last_look = self.grab()
        self._controls.link.hide()
        self._show_buttons()
        self._appear(False)

    def _appear(self, on: bool) -> None:
        goal = 1.0 if on else 0.0
        if on and not self.isVisible():
            self._pointer = QCursor.pos()
            self.show()
        if self._shown_share == goal:
            self._fade.stop()
            self._faded()
            return
        if self._fade.state() is QVariantAnimation.State.Running and self._fade.endValue() == goal:
            return
        self._fade.stop()
        self._fade.setStartValue(self._shown_share)
        self._fade.setEndValue(goal)
        self._fade.start()

    def _set_share(self, share: float) -> None:
        self._shown_share = float(share)
        self.update()

    def _faded(self) -> None:
        if self._shown_share == 0.0 and self.isVisible():
            self.leave_keyboard()
            self.hide()
            self._painted = self._last_look = None
            self.finished.emit()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LanguageChange:
            self.set_name(self._name)
            self._controls.style_link()
        return super().event(event)

    def _body_size(self, speech: SpeechPages) -> QSize:
        theme = self._theme
        font = self._text_font(speech)
        metrics, exact = QFontMetrics(font), QFontMetricsF(font)
        widest = ceil(max((line_width(exact, line) for line in speech.lines), default=0.0))
        widest += _SIGN_ROOM if speech.sign else 0
        width = min(theme.bubble_width, max(_SMALLEST, widest + 2 * _SIDE_PADDING + 1))
        height = len(speech.lines) * theme.line_px + 2 * theme.padding
        present = self._lines.current
        link = present is not None and present.speech is speech and self._offers_chat(present)
        if speech.pages > 1 or link:
            mark = metrics.horizontalAdvance(page_mark(speech)) if speech.pages > 1 else 0
            foot = mark + (self._controls.link_width + _SIDE_PADDING if link else 0)
            width = max(width, foot + 2 * _SIDE_PADDING)
            height += theme.line_px
        if self._controls.buttons:
            width = max(width, self._controls.width + 2 * _SIDE_PADDING)
        return QSize(width, height + self._controls.height)

    def _stand(self) -> None:
        speech = self._speech
        if speech is None:
            return
        size = self._body_size(speech)
        before = self._spot
        room = self._screen.adjusted(_EDGE_GAP, _EDGE_GAP, -_EDGE_GAP, -_EDGE_GAP)
        if self._beside:
            self._spot = bubble_position(
                size,
                self._figure,
                self._mouth,
                room,
                gap=TAIL - 4,
                covered=self._covered,
                kept=self._kept,
                head=self._head,
            )
        else:
            self._spot = corner_position(
                size, room, margin=_EDGE_GAP, covered=self._covered, kept=self._kept
            )
        self.setGeometry(self._spot.body.adjusted(-TAIL, -TAIL, TAIL, TAIL))
        self._place_parts()
        if self._spot != before:
            self.update()  # the tail has moved
        if self._cut_out:
            self._cut()

    def _cut(self) -> None:
        path = bubble_path(self._body(), self._spot, self._theme.message_radius)
        edge = QPainterPathStroker(ink_pen(self._theme.ink, self._theme.ink_width))
        whole = path.united(edge.createStroke(path))
        if self._lines.waiting:
            area = self._count_area()
            count = QPainterPath()
            count.addRoundedRect(area, area.height() / 2, area.height() / 2)
            whole = whole.united(count)
        polygon = whole.toFillPolygon().toPolygon()
        self.setMask(QRegion(polygon, Qt.FillRule.WindingFill))

    def paintEvent(self, event: QPaintEvent) -> None:
        # While it fades, the last text is still shown.
        speech = self._painted = self._speech or self._painted
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setOpacity(self._shown_share)
            if self._last_look is not None:
                painter.drawPixmap(0, 0, self._last_look)
                return
            self._paint_shape(painter)
            if speech is not None:
                self._paint_text(painter, speech)
            if self._lines.waiting:
                paint_count(
                    painter, self._theme, self._count_area(), count_text(self._lines.waiting)
                )

    def _paint_shape(self, painter: QPainter) -> None:
        theme = self._theme
        path = bubble_path(self._body(), self._spot, theme.message_radius)
        if theme.dark:
            # Dark ink alone isn't visible on a dark desktop.
            painter.strokePath(path, ink_pen(theme.control_line, theme.ink_width + 2))
        painter.setPen(ink_pen(theme.ink, theme.ink_width))
        painter.setBrush(QColor(theme.surface))
        painter.drawPath(path)

    def _body(self) -> QRectF:
        body = self._spot.body
        inset = self._theme.ink_width / 2
        whole = QRectF(TAIL, TAIL, body.width(), body.height())
        return whole.adjusted(inset, inset, -inset, -inset)

    def _count_area(self) -> QRectF:
        return count_area(self._body(), self._theme, count_text(self._lines.waiting))

    def _text_font(self, speech: SpeechPages) -> QFont:
        return font_for_text(speech.text, ui_font(self._theme))

    def _rows(self, speech: SpeechPages) -> list[QRectF]:
        """Return the boxes of the lines of the current page."""
        theme, body = self._theme, self._body()
        left = body.left() + _SIDE_PADDING - 1 + (_SIGN_ROOM if speech.sign else 0)
        first = QRectF(left, body.top() + theme.padding - 1, body.width(), theme.line_px)
        return [first.translated(0, at * theme.line_px) for at in range(len(speech.lines))]

    def _paint_text(self, painter: QPainter, speech: SpeechPages) -> None:
        theme = self._theme
        body = self._body()
        painter.setFont(self._text_font(speech))
        if speech.sign:
            sign = pixmap(speech.sign, QColor(theme.accent), _SIGN, self.devicePixelRatioF())
            down = (theme.line_px - _SIGN) / 2
            left, top = body.left() + _SIDE_PADDING - 1, body.top() + theme.padding - 1 + down
            painter.drawPixmap(QPointF(left, top), sign)
        for line, row in zip(speech.lines, self._rows(speech), strict=True):
            paint_line(painter, theme, line, row)
        if speech.pages > 1:
            painter.setFont(ui_font(theme, theme.small_px))
            painter.setPen(QColor(theme.muted))
            top = body.top() + theme.padding - 1 + len(speech.lines) * theme.line_px
            row = QRectF(body.left(), top, body.width() - _SIDE_PADDING + 1, theme.line_px)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(row, right, page_mark(speech))


def _new_sentences() -> SentenceSplitter:
    """Return the sentences of a reply. Pills stand for what isn't shown of it."""
    formula = pill(PillKind.FORMULA, tr("Formula"))
    return SentenceSplitter(tr("(link)"), formula, BlockLabels(_code_pill, _table_pill, formula))


def _code_pill(language: str, lines: int) -> str:
    name = language or tr("Code")
    if lines == 1:
        return pill(PillKind.CODE, tr("{language}, 1 line", language=name))
    return pill(PillKind.CODE, tr("{language}, {count} lines", language=name, count=str(lines)))


def _table_pill(rows: int, columns: int) -> str:
    label = tr("Table {rows} × {columns}", rows=str(rows), columns=str(columns))
    return pill(PillKind.TABLE, label)
