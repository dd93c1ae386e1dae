"""Items of a tool card: a header of one line, and below it what the user opened.

A card is a run of adjoining items that share one frame, so that a long output only costs what is
visible of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.grant_scope import Grant
from neodeskpet.language import tr
from neodeskpet.language.approval_text import grant_label, question_title
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import (
    FixedHeightItem,
    HitRegion,
    Item,
    ItemAction,
    PaintContext,
    Scene,
)
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.formatting import (
    call_state_text,
    format_duration,
    format_main_argument,
    main_argument,
    result_text,
    short_error,
    single_line,
    status_text,
)
from neodeskpet.ui.rendering.line_breaking import break_lines
from neodeskpet.ui.theme import scale_to_font

CARD_INSET = 36
_ABOVE = 6
_NARROW = 300
_RIGHT_OF_QUESTION = 34
_ROOMY = 400
_LINK_WIDTH = 250
"""Width of a card, at the normal text size, from which a link is in its line."""
_LEAST_EMS = 4
"""Width of an elided argument, in text sizes, below which it isn't shown."""
_MEASURED = 200
"""Characters of an argument that are measured to find whether it fits."""
UNDO_LINK_SECONDS = 30.0
"""Seconds after the end of a call in which a closed card offers Undo in its line."""
DETACH_AFTER_SECONDS = 5.0
"""Seconds after which a running call can be moved to the background."""


def paint_card_slice(
    scene: Scene, brush: PaintContext, *, top: bool = False, bottom: bool = False
) -> None:
    look = scene.style
    paint_primitives.draw_frame(
        brush.painter,
        brush.box,
        look.color("surface"),
        look.color("line"),
        look.theme.card_radius,
        top=top,
        bottom=bottom,
    )


class CardHead(FixedHeightItem):
    """State icon, name, main argument (elided in the middle), state and time, chevron."""

    in_card = True

    def __init__(self, call: ToolUse) -> None:
        self.call = call
        self.title = call.name
        self.argument = main_argument(call, "")
        self.language = ""
        """The language of the message, used for names of expressions; "": the interface's
        language.
        """
        self.opened = False
        self.has_body = False
        self._title_lines: list[str] = []
        self.key = f"card {call.index}"

    def sync(self, scene: Scene) -> None:
        """Update title and argument to the current call and language."""
        self.title = scene.tool_title(self.call.name)
        self.argument = format_main_argument(self.call, scene, self.language)

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.card_height

    def measure(self, scene: Scene, width: int) -> int:
        super().measure(scene, width)
        if self.asks:  # a question is never elided: it takes the lines it needs
            look = scene.style
            words = question_title(self.call, scene.tool_title(self.call.name))
            room = max(1, width - CARD_INSET - _RIGHT_OF_QUESTION)
            self._title_lines = break_lines(words, look.bold, room)
            self.height += round((len(self._title_lines) - 1) * look.bold_metrics.lineSpacing())
        return self.height

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        rect = QRectF(0, 0, self.width, self.height)
        parts = [
            HitRegion(
                "toggle", rect, self.accessible_text, ItemAction.TOGGLE, self.key, self.opened
            )
        ]
        if self._leaves(scene):
            left = self._detach_link(scene, rect)
            parts.append(HitRegion("leave", left, _detach_text(), ItemAction.DETACH))
        link = self._link(scene, rect)
        if not link.isEmpty():
            text, action = self._link_action(scene)
            name = tr("Stop: {name}", name=self.title) if action is ItemAction.STOP else text
            parts.append(HitRegion("link", link, name, action))
        return parts

    def region_at(self, scene: Scene, point: QPointF) -> HitRegion | None:
        """Return the topmost part at a point: the link is above the header."""
        return next((p for p in reversed(self.hit_regions(scene)) if p.rect.contains(point)), None)

    def _leaves(self, scene: Scene) -> bool:
        """Whether the card offers to continue in the background."""
        running = self.call.status is ToolStatus.RUNNING and self.width >= _ROOMY
        seconds = self.seconds(scene.clock()) if running else None
        return (
            seconds is not None and seconds >= DETACH_AFTER_SECONDS and scene.can_detach(self.call)
        )

    def _undoes(self, scene: Scene) -> bool:
        """Whether the closed card offers Undo: for a while after the call ended."""
        ended = self.call.ended
        return (
            not self.opened
            and ended is not None
            and scene.clock() - ended < UNDO_LINK_SECONDS
            and scene.can_undo(self.call)
        )

    def _repeats(self, scene: Scene) -> bool:
        """Whether the closed card offers to run a call again that failed or was interrupted."""
        broken = self.call.status in (ToolStatus.ERROR, ToolStatus.INTERRUPTED)
        return broken and not self.opened and self.width >= _ROOMY and scene.can_repeat(self.call)

    def _link_action(self, scene: Scene) -> tuple[str, ItemAction]:
        """Return text and action of the link at the end of the line; "" if there is no link."""
        if self.width >= scale_to_font(_LINK_WIDTH, scene.style.theme):
            if self.call.status is ToolStatus.RUNNING and scene.can_stop(self.call):
                return tr("Stop"), ItemAction.STOP
            if self._undoes(scene):
                return tr("Undo"), ItemAction.UNDO
            if self._repeats(scene):
                return tr("Run again"), ItemAction.RUN_AGAIN
        return "", ItemAction.UNDO

    def _link(self, scene: Scene, box: QRectF) -> QRectF:
        """Return the rectangle of the link at the end; empty if there is none."""
        text, _action = self._link_action(scene)
        if not text:
            return QRectF()
        wide = scene.style.small_metrics.horizontalAdvance(text) + 16
        left = self.result_rect(scene, box).right() + 4
        return QRectF(left, box.top() + 4, wide, box.height() - 8)

    def _detach_link(self, scene: Scene, box: QRectF) -> QRectF:
        """Return the rectangle of the link that continues the call in the background, which is
        before the state.
        """
        wide = scene.style.small_metrics.horizontalAdvance(_detach_text()) + 16
        left = self.result_rect(scene, box).left() - wide
        return QRectF(left, box.top() + 4, wide, box.height() - 8)

    def result_rect(self, scene: Scene, box: QRectF) -> QRectF:
        """Return the rectangle of the result or the state."""
        metrics = scene.style.small_metrics
        text, _action = self._link_action(scene)
        link = metrics.horizontalAdvance(text) + 16 if text else 0
        room = box.width() - CARD_INSET - 34 - link
        most = room * 0.55
        if self.width < _ROOMY:  # the name is more important than the end of the result
            name = scene.style.bold_metrics.horizontalAdvance(self.title) + 10
            most = min(most, max(room * 0.35, room - name))
        wide = min(metrics.horizontalAdvance(self.status_text(scene.clock())) + 2, most)
        right = box.right() - 28 - link
        return QRectF(right - wide, box.top(), wide, box.height())

    def seconds(self, now: float) -> float | None:
        """Return the seconds that the call took, or has been running."""
        if self.call.started is None:
            return None
        ended = self.call.ended
        if ended is None and self.call.status is not ToolStatus.RUNNING:
            return None
        return (now if ended is None else ended) - self.call.started

    def status_text(self, now: float) -> str:
        """Return the result in a closed card, or "42 % · 3 s" while it runs; in an open card
        "done · 0.8 s", "running · 42 % · 3 s".
        """
        words = self._state()
        if self._goes_on():
            return words[0]
        if self.call.status is ToolStatus.ASKING:
            return ""
        if self.call.status is ToolStatus.RUNNING and self.width >= _NARROW:
            return self._running_text(words, now)
        if self.call.status is ToolStatus.SUCCESS and not self.opened and not self._is_undone():
            result = result_text(self.call)
            return f"{words[0]} · {result}" if self.call.task else result
        if self.call.status is ToolStatus.ERROR and not self.opened and self.width >= _NARROW:
            return short_error(self.call, self.title) or words[0]
        if self.call.repaired and self.width >= _NARROW:
            words.append(tr("arguments repaired"))
        if self._is_undone():
            words = [tr("undone")]
        if self.width < _NARROW:
            return words[0]
        seconds = self.seconds(now)
        if seconds is not None and self.opened:
            words.append(format_duration(seconds))
        return " · ".join(words)

    def _running_text(self, state: Sequence[str], now: float) -> str:
        """Return "42 % · 3 s"; the state as well in an open card, and where nothing is known."""
        words = [tr("arguments repaired")] if self.call.repaired else []
        if self.call.progress is not None:
            words.append(tr("{count} %", count=str(round(self.call.progress * 100))))
        seconds = self.seconds(now)
        if seconds is not None:
            words.append(format_duration(seconds))
        return " · ".join([*state, *words] if self.opened or not words else words)

    def _is_undone(self) -> bool:
        return isinstance(self.call.data, dict) and self.call.data.get("undone") is True

    def _state(self) -> list[str]:
        if self._goes_on():
            return [tr("in the background")]
        state = call_state_text(self.call)
        return [tr("in the background"), state] if self.call.task else [state]

    def _goes_on(self) -> bool:
        """Whether it started a background task, which has its own card."""
        data = self.call.data
        return isinstance(data, dict) and "task_id" in data and not self.call.task

    def argument_text(self, scene: Scene) -> str:
        call = self.call
        words = format_main_argument(call, scene, self.language)
        if call.status is ToolStatus.RUNNING and call.progress_text:
            return f"{single_line(call.progress_text, 80)}  {words}"
        return words

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, box, painter = scene.style, brush.box, brush.painter
        paint_card_slice(scene, brush, top=True, bottom=not self.has_body)
        if scene.is_hovered(self, "toggle"):
            inner = box.adjusted(1, 1, -1, -1 if not self.has_body else 0)
            radius = look.theme.card_radius - 1
            color = look.color("hover")
            paint_primitives.draw_frame(
                painter, inner, color, None, radius, bottom=not self.has_body
            )
        pulse = 0.0 if scene.reduced else scene.pulse
        line = box.center().y()
        if self.asks:  # next to the first line
            line = box.top() + look.theme.card_height / 2
        center = QPointF(box.left() + 19, line)
        paint_primitives.draw_status_icon(painter, center, self.call.status, look, pulse)
        self._paint_words(scene, brush)
        if self.call.status is ToolStatus.RUNNING and self.call.progress is not None:
            done = min(1.0, max(0.0, self.call.progress))
            bar = QRectF(box.left() + 12, box.bottom() - 4, (box.width() - 24) * done, 3)
            painter.fillRect(bar, look.color("accent"))
        if scene.is_focused(self, "toggle"):
            paint_primitives.draw_focus_ring(painter, box, look, look.theme.card_radius)

    def _paint_words(self, scene: Scene, brush: PaintContext) -> None:
        look, box, painter = scene.style, brush.box, brush.painter
        center = box.center().y()
        paint_primitives.draw_chevron(
            painter, QPointF(box.right() - 16, center), look.color("muted"), opened=self.opened
        )
        right = self.status_text(scene.clock())
        rect = self.result_rect(scene, box)
        status = self.call.status
        if status is ToolStatus.ERROR:
            color = paint_primitives.status_color(status, look)
        else:
            result = status is ToolStatus.SUCCESS and not self.opened
            color = look.color("text" if result else "muted")
        elide = Qt.TextElideMode.ElideRight
        shown = look.small_metrics.elidedText(right, elide, rect.width())
        paint_primitives.draw_text(
            painter, rect, shown, look.small, color, Qt.AlignmentFlag.AlignRight
        )
        link = self._link(scene, box)
        if not link.isEmpty():
            self._paint_link(scene, brush, link, self._link_action(scene)[0], "link")
        if self._leaves(scene):
            rect = self._detach_link(scene, box)
            self._paint_link(scene, brush, rect, _detach_text(), "leave")
        left = box.left() + CARD_INSET
        room = rect.left() - left - 10
        title = scene.tool_title(self.call.name) or "…"
        if self.asks:
            rect = box.adjusted(CARD_INSET, 0, -_RIGHT_OF_QUESTION, 0)
            ink = look.color("text")
            paint_primitives.draw_lines(painter, rect, self._title_lines, look.bold, ink)
            return
        name = look.bold_metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, room)
        paint_primitives.draw_text(
            painter,
            QRectF(left, box.top(), room, box.height()),
            name,
            look.bold,
            look.color("text"),
        )
        used = look.bold_metrics.horizontalAdvance(name) + 10
        self._paint_middle(scene, brush, QRectF(left + used, box.top(), room - used, box.height()))

    def _paint_link(
        self, scene: Scene, brush: PaintContext, rect: QRectF, text: str, key: str
    ) -> None:
        look = scene.style
        color = look.color("accent_hover" if scene.is_hovered(self, key) else "accent")
        inner = rect.adjusted(4, 0, -8, 0)
        paint_primitives.draw_text(brush.painter, inner, text, look.small, color)
        if scene.is_focused(self, key):
            paint_primitives.draw_focus_ring(brush.painter, rect, look, look.theme.control_radius)

    def _paint_middle(self, scene: Scene, brush: PaintContext, rect: QRectF) -> None:
        look = scene.style
        words = self.argument_text(scene)
        if words.strip() == self.status_text(scene.clock()).strip():
            return
        is_cut = look.metrics.horizontalAdvance(words[:_MEASURED]) > rect.width()
        least = _LEAST_EMS * look.theme.font_px if is_cut else 1
        if rect.width() < least or self.width < _ROOMY:
            return
        # The end of an argument that is being written is shown.
        writing = self.call.status is ToolStatus.WRITING
        elide = Qt.TextElideMode.ElideLeft if writing else Qt.TextElideMode.ElideMiddle
        words = look.metrics.elidedText(words, elide, rect.width())
        paint_primitives.draw_text(brush.painter, rect, words, look.font, look.color("muted"))

    @property
    def asks(self) -> bool:
        """Whether the line shows the permission question."""
        return self.call.status is ToolStatus.ASKING

    @property
    def is_animated(self) -> bool:
        return self.call.status is ToolStatus.RUNNING

    @property
    def accessible_text(self) -> str:
        call = self.call
        if self.asks:
            return question_title(call, self.title)
        result = call.status is ToolStatus.SUCCESS and not self._goes_on()
        state = self._state()
        if result:
            state = [*state[:-1], result_text(call)]
        argument = [] if self.argument in state else [self.argument]
        words = [self.title, *argument, *state]
        words += [tr("read from the text")] if call.leaked else []
        return ", ".join(words).strip(" ,")


def _detach_text() -> str:
    return tr("Continue in the background")


class GroupHead(FixedHeightItem):
    """Several finished calls in one line."""

    in_card = True

    def __init__(self, calls: list[ToolUse]) -> None:
        self.calls = calls
        self.titles = [call.name for call in calls]
        self.opened = False
        self.key = f"group {calls[0].index}"

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.card_height

    def title_text(self) -> str:
        return tr("{count} calls", count=str(len(self.calls)))

    def hit_regions(self, _scene: Scene) -> list[HitRegion]:
        rect = QRectF(0, 0, self.width, self.height)
        return [
            HitRegion(
                "toggle", rect, self.accessible_text, ItemAction.TOGGLE, self.key, self.opened
            )
        ]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, box, painter = scene.style, brush.box, brush.painter
        paint_card_slice(scene, brush, top=True, bottom=True)
        if scene.is_hovered(self, "toggle"):
            inner = box.adjusted(1, 1, -1, -1)
            paint_primitives.draw_frame(
                painter, inner, look.color("hover"), None, look.theme.card_radius - 1
            )
        center = box.center().y()
        paint_primitives.draw_status_icon(
            painter, QPointF(box.left() + 19, center), ToolStatus.SUCCESS, look
        )
        muted = look.color("muted")
        paint_primitives.draw_chevron(
            painter, QPointF(box.right() - 16, center), muted, opened=self.opened
        )
        spent = sum((c.ended or 0) - (c.started or 0) for c in self.calls if c.started and c.ended)
        right = format_duration(spent)
        wide = look.small_metrics.horizontalAdvance(right) + 2
        rect = QRectF(box.right() - 28 - wide, box.top(), wide, box.height())
        paint_primitives.draw_text(
            painter, rect, right, look.small, muted, Qt.AlignmentFlag.AlignRight
        )
        left = QRectF(
            box.left() + CARD_INSET, box.top(), rect.left() - box.left() - CARD_INSET - 10, 0
        )
        left.setHeight(box.height())
        paint_primitives.draw_text(painter, left, self.title_text(), look.bold, look.color("text"))
        used = look.bold_metrics.horizontalAdvance(self.title_text()) + 10
        left.adjust(used, 0, 0, 0)
        if left.width() > 24:
            names = self._results()
            names = look.metrics.elidedText(names, Qt.TextElideMode.ElideRight, left.width())
            paint_primitives.draw_text(painter, left, names, look.font, muted)
        if scene.is_focused(self, "toggle"):
            paint_primitives.draw_focus_ring(painter, box, look, look.theme.card_radius)

    def _results(self) -> str:
        """Return titles and results, such as "Calculate = 52.5 · Check the time 16:10"."""
        done = status_text(ToolStatus.SUCCESS)
        parts: dict[str, None] = {}
        for title, call in zip(self.titles, self.calls, strict=True):
            result = result_text(call)
            parts[title if result == done else f"{title} {result}"] = None
        return " · ".join(parts)

    @property
    def accessible_text(self) -> str:
        return f"{self.title_text()}: {self._results()}"


class CardLabel(FixedHeightItem):
    """A label such as "Arguments" or "Output" above its text. The first has the line below the
    header.
    """

    in_card = True

    def __init__(self, words: str, *, ruled: bool, token: str = "muted") -> None:
        self.text = words
        self.ruled = ruled
        self.token = token
        self._lines = [words]

    def fixed_height(self, look: ItemStyle) -> int:
        return look.small_line + (10 if self.ruled else 6)

    def measure(self, scene: Scene, width: int) -> int:
        super().measure(scene, width)
        look = scene.style
        room = max(1, width - 2 * look.theme.padding)
        self._lines = break_lines(self.text, look.small_bold, room) or [""]
        self.height += (len(self._lines) - 1) * look.small_line
        return self.height

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, box = scene.style, brush.box
        paint_card_slice(scene, brush)
        if self.ruled:
            line = QRectF(box.left() + 1, box.top(), box.width() - 2, 1)
            brush.painter.fillRect(line, look.color("line"))
        high = len(self._lines) * look.small_line
        rect = box.adjusted(look.theme.padding, box.height() - high, 0, 0)
        rect.setHeight(look.small_line)
        for words in self._lines:
            ink = look.color(self.token)
            paint_primitives.draw_text(brush.painter, rect, words.rstrip(), look.small_bold, ink)
            rect.translate(0, look.small_line)

    @property
    def accessible_text(self) -> str:
        return self.text


class CardLinks(FixedHeightItem):
    """The links "show all · copy" below a text."""

    in_card = True

    def __init__(self, key: str, *, section: str, text: str) -> None:
        self.key = key
        self.section = section
        self.whole: Callable[[], str] = lambda: text
        self.clipped = False
        self.shows_all = False

    @property
    def text(self) -> str:
        """The text to copy, created on demand."""
        return self.whole()

    def fixed_height(self, look: ItemStyle) -> int:
        return look.small_line + 2

    def _links(self, scene: Scene) -> list[tuple[str, str, ItemAction, str]]:
        out = []
        if self.clipped or self.shows_all:
            words = tr("show less") if self.shows_all else tr("show all")
            out.append(("all", words, ItemAction.SHOW_ALL, self.section))
        words = tr("copied") if scene.copied == self.key else tr("copy")
        out.append(("copy", words, ItemAction.COPY, self.section))
        return out

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        x = float(scene.style.theme.padding)
        out = []
        for key, words, does, value in self._links(scene):
            wide = scene.style.small_metrics.horizontalAdvance(words)
            out.append(HitRegion(key, QRectF(x - 4, 0, wide + 8, self.height), words, does, value))
            x += wide + scene.style.small_metrics.horizontalAdvance(" · ")
        return out

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)
        look = scene.style
        for number, part in enumerate(self.hit_regions(scene)):
            rect = part.rect.translated(brush.box.topLeft()).adjusted(4, 0, 0, 0)
            if number:
                dot = rect.translated(-look.small_metrics.horizontalAdvance(" · "), 0)
                dot.setWidth(40)
                paint_primitives.draw_text(
                    brush.painter, dot, " · ", look.small, look.color("muted")
                )
            hovered = scene.is_hovered(self, part.key)
            color = look.color("accent_hover" if hovered else "accent")
            paint_primitives.draw_text(brush.painter, rect, part.name, look.small, color)
            if hovered:
                y = rect.center().y() + look.small_metrics.descent() + 4
                brush.painter.fillRect(QRectF(rect.left(), y, rect.width() - 4, 1), color)
            if scene.is_focused(self, part.key):
                paint_primitives.draw_focus_ring(brush.painter, rect.adjusted(-4, 0, 0, 0), look, 4)


@dataclass(frozen=True, slots=True)
class _AnswerButton:
    """A button of a card with a permission question. With `choices` it opens a menu."""

    key: str
    text: str
    action: ItemAction
    answer: ConsentAnswer = ConsentAnswer.DENY
    value: str = ""
    choices: tuple[_AnswerButton, ...] = ()

    def region(self, rect: QRectF) -> HitRegion:
        choices = tuple(one.region(QRectF()) for one in self.choices)
        return HitRegion(
            self.key,
            rect,
            self.text,
            self.action,
            self.value,
            is_icon=self.key == "more",
            answer=self.answer,
            choices=choices,
        )


def _grant_choice(grant: Grant) -> _AnswerButton:
    answer = ConsentAnswer.for_grant(grant)
    return _AnswerButton(answer.value, grant_label(grant), ItemAction.APPROVE, answer)


class ApprovalButtons(Item):
    """The answers to a permission question: yes and no, and the menus "Always…" and "More answers"
    (edit the arguments, no with a reason, never, details). "No, with a reason…" opens a line for
    the reason, "Edit…" a form.

    The two answers share a row; the menus are at its right end, or in a row below.
    """

    in_card = True

    def __init__(self, index: int) -> None:
        self.key = f"approval {index}"
        self._card_key = f"card {index}"
        self.denying = False
        self.grants: Sequence[Grant] = ()
        self.form = 0  # height in px of the open form
        self.can_edit = False
        self.can_refuse = False
        self.labels = ("", "")
        """The labels of yes and no in the current language."""
        self._rects: tuple[QRectF, ...] = ()

    def _buttons(self) -> list[_AnswerButton]:
        if self.form:
            return []  # the form has its own buttons
        if self.denying:
            return [
                _AnswerButton("keep", self.labels[1], ItemAction.DENY),
                _AnswerButton("back", tr("Back"), ItemAction.CANCEL_REASON),
            ]
        return [
            _AnswerButton("once", self.labels[0], ItemAction.APPROVE, ConsentAnswer.ONCE),
            _AnswerButton("keep", self.labels[1], ItemAction.DENY),
            *self._menus(),
        ]

    def _menus(self) -> list[_AnswerButton]:
        grants = tuple(map(_grant_choice, self.grants))
        more = [
            _AnswerButton("deny", tr("No, with a reason…"), ItemAction.ASK_REASON),
            _AnswerButton("details", tr("Details (JSON)"), ItemAction.TOGGLE, value=self._card_key),
        ]
        if self.can_refuse:
            text = tr("No, never do this")
            more.insert(1, _AnswerButton("never", text, ItemAction.APPROVE, ConsentAnswer.NEVER))
        if self.can_edit:
            more.insert(0, _AnswerButton("edit", tr("Edit before it runs…"), ItemAction.EDIT))
        menus = [_AnswerButton("more", tr("More answers"), ItemAction.CHOICES, choices=tuple(more))]
        if grants:
            always = _AnswerButton("always_menu", tr("Always…"), ItemAction.CHOICES, choices=grants)
            menus.insert(0, always)
        return menus

    def estimate(self, scene: Scene, width: int) -> int:
        tall = scene.style.theme.button_height + _ABOVE
        return 2 * tall + 8 if self.denying else tall

    def measure(self, scene: Scene, width: int) -> int:
        room = width - 2 * scene.style.theme.padding
        buttons = self._buttons()
        self._rects = tuple(_answer_rects(buttons, room, scene.style)) if buttons else ()
        bottom = max((rect.bottom() for rect in self._rects), default=0.0)
        self.width = width
        self.height = round(bottom) + _ABOVE + 4 + self._field_room(scene.style)
        return self.height

    def _field_room(self, look: ItemStyle) -> int:
        if self.form:
            return self.form + 8
        return look.theme.button_height + 8 if self.denying else 0

    def form_width(self, scene: Scene) -> int:
        return self.width - 2 * scene.style.theme.padding

    def form_rect(self, scene: Scene) -> QRectF | None:
        """Return the rectangle of the line for the reason or of the form; None if neither
        is open.
        """
        if not (self.denying or self.form):
            return None
        look = scene.style
        left = look.theme.padding
        wide = self.width - 2 * left
        return QRectF(left, _ABOVE, wide, self.form or look.theme.button_height)

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        left, down = scene.style.theme.padding, _ABOVE + self._field_room(scene.style)
        return [
            one.region(rect.translated(left, down))
            for one, rect in zip(self._buttons(), self._rects, strict=False)
        ]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)
        for number, part in enumerate(self.hit_regions(scene)):
            rect = part.rect.translated(brush.box.topLeft())
            hovered = scene.is_hovered(self, part.key)
            focused = scene.is_focused(self, part.key)
            if part.choices:
                paint_primitives.draw_menu_button(
                    brush.painter,
                    rect,
                    "" if part.is_icon else part.name,
                    scene.style,
                    hovered=hovered,
                    focused=focused,
                )
                continue
            paint_primitives.draw_button(
                brush.painter,
                rect,
                part.name,
                scene.style,
                primary=number == 0,
                hovered=hovered,
                focused=focused,
            )

    @property
    def accessible_text(self) -> str:
        return tr("The companion asks for your permission")


_BUTTON_GAP = 8


def _answer_rects(buttons: Sequence[_AnswerButton], room: int, look: ItemStyle) -> Iterator[QRectF]:
    """Yield the rectangles of the two answers and of the menus. In a narrow card the answers share
    the first row and the menus are below; an answer that needs more than half of the row has a row
    of its own, and its label wraps.
    """
    tall = look.theme.button_height
    answers, menus = buttons[:2], buttons[2:]
    wanted = [paint_primitives.button_width(one.text, look) for one in answers]
    menu_widths = [
        paint_primitives.menu_button_width("" if one.key == "more" else one.text, look)
        for one in menus
    ]
    half = (room - _BUTTON_GAP) / 2
    needed = sum(wanted) + sum(menu_widths) + _BUTTON_GAP * (len(buttons) - 1)
    if needed <= room:
        x, y = 0.0, 0.0
        for wide in wanted:
            yield QRectF(x, y, wide, tall)
            x += wide + _BUTTON_GAP
        x = room - sum(menu_widths) - _BUTTON_GAP * max(0, len(menus) - 1)
    elif max(wanted) <= half:
        yield QRectF(0, 0, half, tall)
        yield QRectF(half + _BUTTON_GAP, 0, half, tall)
        x, y = 0.0, tall + _BUTTON_GAP
    else:
        x, y = 0.0, 0.0
        for one in answers:
            high = max(tall, paint_primitives.wrapped_button_height(one.text, look, room))
            yield QRectF(0, y, room, high)
            y += high + _BUTTON_GAP
    for wide in menu_widths:
        if x and x + wide > room:
            x, y = 0.0, y + tall + _BUTTON_GAP
        yield QRectF(x, y, min(wide, room), tall)
        x += wide + _BUTTON_GAP


class CardActions(FixedHeightItem):
    """Undo and "Run again" at the end of an open card."""

    in_card = True

    def __init__(self, index: int) -> None:
        self.key = f"undo {index}"
        self.undoable = False
        self.repeatable = False

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.button_height + _ABOVE + 6

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        look, left, regions = scene.style, float(scene.style.theme.padding), []
        for key, words, action, offered in (
            ("undo", tr("Undo"), ItemAction.UNDO, self.undoable),
            ("again", tr("Run again"), ItemAction.RUN_AGAIN, self.repeatable),
        ):
            if offered:
                wide = paint_primitives.button_width(words, look)
                rect = QRectF(left, _ABOVE, wide, look.theme.button_height)
                regions.append(HitRegion(key, rect, words, action))
                left += wide + 8
        return regions

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)
        for part in self.hit_regions(scene):
            paint_primitives.draw_button(
                brush.painter,
                part.rect.translated(brush.box.topLeft()),
                part.name,
                scene.style,
                primary=False,
                hovered=scene.is_hovered(self, part.key),
                focused=scene.is_focused(self, part.key),
            )


class CardEnd(FixedHeightItem):
    """The lower edge of an open card."""

    in_card = True

    def fixed_height(self, look: ItemStyle) -> int:
        return 8

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush, bottom=True)
