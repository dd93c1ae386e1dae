"""The first steps: a bubble at the figure that asks one question at a time.

Each step can be skipped (Esc), and everything works with the keyboard: Tab, Enter, and 1 to 3 for
the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.desktop.work_area import work_area
from neodeskpet.ui.first_steps import DOTS, Step, dot_of
from neodeskpet.ui.icons import icon
from neodeskpet.ui.pet.bubble_painting import TAIL, bubble_path
from neodeskpet.ui.pet.screen_geometry import BubblePosition, TailSide, bubble_position
from neodeskpet.ui.theme import Theme, apply_window_theme, font_for_text, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.windows.window_geometry import bring_to_front

_WIDTH = 300
_PADDING = 14
_ANSWER_PADDING = 12
_ICON_ROOM = 28
"""Width of the icon of an answer, with its distance to the text and the button's border."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A button. `note` is shown below its text if the answers are stacked."""

    id: str
    text: str
    note: str = ""
    icon: str = ""
    primary: bool = False


@dataclass(frozen=True, slots=True)
class StepView:
    """The content of a step. With `field` there is an input line; `secret` hides its text.
    `stacked` answers are placed one below the other.
    """

    step: Step
    title: str
    note: str = ""
    answers: Sequence[Answer] = ()
    field: str | None = None
    field_label: str = ""
    secret: bool = False
    stacked: bool = False


class FirstStepsBubble(QWidget):
    """Signals: `answered(Step, id)` for a button; `written(str)` when the input line changed;
    `skipped(Step)` on Esc; `ended` for "Skip all".
    """

    answered = Signal(object, str)
    written = Signal(str)
    skipped = Signal(object)
    ended = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            None,
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.NoDropShadowWindowHint,
        )
        self.setObjectName("firstSteps")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._theme = theme
        self._view: StepView | None = None
        self._spot = BubblePosition(QRect(), TailSide.NONE, 0)
        self._around: Callable[[QSize], BubblePosition] | None = None
        self._cut_out = False
        self.field: QLineEdit | None = None
        self.result = PlainLabel()
        self.buttons: list[QPushButton] = []
        self._skip = QPushButton()
        self._box = QVBoxLayout(self)
        self._box.setSpacing(8)
        self._page: QWidget | None = None
        self.set_theme(theme)

    # Content

    @property
    def step(self) -> Step | None:
        return self._view.step if self._view is not None else None

    @property
    def title(self) -> str:
        return self._view.title if self._view is not None else ""

    def show_step(self, view: StepView) -> None:
        """Show this step. The text of the input line is kept if the step is the same."""
        same = self._view is not None and self._view.step is view.step
        written = self.field.text() if same and self.field is not None else None
        self._view = view
        self._build(view, written)
        self._stand_with_name(view)
        if not self.isVisible():
            bring_to_front(self)
        self._focus_first()

    def _stand_with_name(self, view: StepView) -> None:
        number = dot_of(view.step) + 1
        where = tr("Step {number} of {count}", number=str(number), count=str(DOTS))
        self.setWindowTitle(view.title)
        self.setAccessibleName(f"{view.title} ({where})")
        self.setAccessibleDescription(view.note)
        self.stand()

    def show_result(self, text: str, *, failed: bool = False) -> None:
        """Show the result of a test in one line below the answers, "" for none."""
        self.result.setText(text)
        self.result.setVisible(bool(text))
        self.result.setProperty("failed", failed)
        self.result.style().polish(self.result)
        self.stand()

    def set_place(self, around: Callable[[QSize], BubblePosition]) -> None:
        """Set the function that returns the position for a body of this size."""
        self._around = around
        self.stand()

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is clipped to the bubble, for desktops without compositing."""
        self._cut_out = on
        if not on:
            self.clearMask()
        self.stand()

    def stand(self) -> None:
        """Place the bubble beside the figure, as large as its content."""
        if self._around is None or self._page is None:
            return
        self._box.activate()
        width = scale_to_font(_WIDTH, self._theme)
        margins = 2 * TAIL
        height = self._box.totalHeightForWidth(width + margins)
        if height < 0:
            height = self._box.totalSizeHint().height()
        self._spot = self._around(QSize(width, height - margins))
        self.setGeometry(self._spot.body.adjusted(-TAIL, -TAIL, TAIL, TAIL))
        if self._cut_out:
            shape = bubble_path(self._body(), self._spot, self._theme.message_radius)
            self.setMask(QRegion(shape.toFillPolygon().toPolygon()))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        edge = TAIL + _PADDING
        self._box.setContentsMargins(edge, edge, edge, edge - 4)
        apply_window_theme(
            self,
            theme,
            "#firstSteps { background: transparent; }"
            f"QPushButton[choice='true'] {{ text-align: left; padding: 8px {_ANSWER_PADDING}px; }}",
        )
        if self._view is not None:
            self._build_again(self._view)

    def _build_again(self, view: StepView) -> None:
        """Show the same step in the changed theme. What has the focus keeps it, the line keeps its
        text and its selection, and the result of a test stays.
        """
        parts = self._parts()
        focused = next((place for place, part in enumerate(parts) if part.hasFocus()), None)
        field, result = self.field, self.result
        self._build(view, field.text() if field is not None else None)
        if result.text():
            self.show_result(result.text(), failed=bool(result.property("failed")))
        if field is not None and self.field is not None:
            self.field.setCursorPosition(field.cursorPosition())
            if field.hasSelectedText():
                self.field.setSelection(field.selectionStart(), field.selectionLength())
        self._stand_with_name(view)
        if focused is not None:
            self._parts()[focused].setFocus()

    def _parts(self) -> list[QWidget]:
        """Return the parts that can have the focus."""
        field = [] if self.field is None else [self.field]
        return [*field, *self.buttons, self._skip]

    def _build(self, view: StepView, written: str | None) -> None:
        if self._page is not None:
            self._box.removeWidget(self._page)
            self._page.hide()
            self._page.deleteLater()
        page = self._page = QWidget()
        box = QVBoxLayout(page)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        title = PlainLabel(view.title)
        title.setFont(ui_font(self._theme, bold=True))
        title.setWordWrap(True)
        box.addWidget(title)
        if view.note:
            note = PlainLabel(view.note)
            note.setWordWrap(True)
            note.setProperty("muted", True)
            # The greeting is in both languages.
            note.setFont(font_for_text(view.note, ui_font(self._theme)))
            box.addWidget(note)
        self.field = self._new_field(view, written)
        if self.field is not None:
            box.addWidget(self.field)
        self.result = PlainLabel()
        self.result.setWordWrap(True)
        self.result.hide()
        box.addWidget(self.result)
        self.buttons = [self._new_button(view, answer) for answer in view.answers]
        row: QVBoxLayout | QHBoxLayout = QVBoxLayout() if view.stacked else QHBoxLayout()
        row.setSpacing(8)
        for button in self.buttons:
            row.addWidget(button)
        if not view.stacked:
            row.addStretch(1)
        box.addLayout(row)
        box.addLayout(self._new_foot(view.step))
        self._box.addWidget(page)
        page.show()

    def _new_field(self, view: StepView, written: str | None) -> QLineEdit | None:
        if view.field is None:
            return None
        field = QLineEdit(written if written is not None else view.field)
        field.setAccessibleName(view.field_label or view.title)
        field.setPlaceholderText(view.field_label)
        if view.secret:
            field.setEchoMode(QLineEdit.EchoMode.Password)
        field.textChanged.connect(self.written)
        if written is None:
            field.selectAll()
        return field

    def _new_button(self, view: StepView, answer: Answer) -> QPushButton:
        lines = [answer.text, answer.note] if answer.note else [answer.text]
        button = QPushButton(
            "\n".join(self._fitting(one) if view.stacked else one for one in lines)
        )
        button.setAccessibleName(answer.text)
        button.setAccessibleDescription(answer.note)
        button.setProperty("primary", answer.primary)
        button.setProperty("choice", view.stacked)
        button.setAutoDefault(True)
        if answer.icon:
            colour = self._theme.on_accent if answer.primary else self._theme.muted
            button.setIcon(icon(answer.icon, QColor(colour), 16))
        button.clicked.connect(lambda _=False: self.answered.emit(view.step, answer.id))
        return button

    def _fitting(self, line: str) -> str:
        """Return `line` shortened in its middle to the width of a stacked answer: the name of a
        model may be long, and a wider button would reach beyond the bubble.
        """
        room = scale_to_font(_WIDTH - 2 * _PADDING - 2 * _ANSWER_PADDING - _ICON_ROOM, self._theme)
        metrics = QFontMetrics(ui_font(self._theme))
        return metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room)

    def _new_foot(self, step: Step) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setContentsMargins(0, 4, 0, 0)
        dots = _Dots(dot_of(step), self._theme)
        skip = self._skip = QPushButton(tr("Skip all"))
        skip.setProperty("quiet", True)
        skip.clicked.connect(self.ended)
        foot.addWidget(dots)
        foot.addStretch(1)
        foot.addWidget(skip)
        return foot

    def _focus_first(self) -> None:
        if self.field is not None:
            self.field.setFocus()
        elif self.buttons:
            first = next((one for one in self.buttons if one.property("primary")), self.buttons[0])
            first.setFocus()

    # Keyboard and painting

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.key() - Qt.Key.Key_1.value
        writing = self.field is not None and self.field.hasFocus()
        if event.key() == Qt.Key.Key_Escape and self._view is not None:
            self.skipped.emit(self._view.step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = next((one for one in self.buttons if one.hasFocus()), None)
            first = next((one for one in self.buttons if one.property("primary")), None)
            if (pressed := focused or first) is not None:
                pressed.click()
        elif not writing and 0 <= number < len(self.buttons):
            self.buttons[number].click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.stand()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        path = bubble_path(self._body(), self._spot, theme.message_radius)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if theme.dark:
                painter.strokePath(path, QPen(QColor(theme.control_line), theme.ink_width + 2))
            painter.setPen(QPen(QColor(theme.ink), theme.ink_width))
            painter.setBrush(QColor(theme.surface))
            painter.drawPath(path)

    def _body(self) -> QRectF:
        inset = self._theme.ink_width / 2
        body = self._spot.body
        whole = QRectF(TAIL, TAIL, body.width(), body.height())
        return whole.adjusted(inset, inset, -inset, -inset)


class _Dots(QWidget):
    """Shows the progress as dots; screen readers get it from the window's name."""

    def __init__(self, lit: int, theme: Theme) -> None:
        super().__init__()
        self._lit = lit
        self._theme = theme
        self.setFixedSize(16 * DOTS + 6, 12)
        self.setAccessibleName(tr("Step {number} of {count}", number=str(lit + 1), count=str(DOTS)))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            for number in range(DOTS):
                lit = number == self._lit
                left = 16 * number + (6 if number > self._lit else 0)
                painter.setBrush(QColor(self._theme.accent if lit else self._theme.control_line))
                painter.drawRoundedRect(QRectF(left, 3, 12 if lit else 6, 6), 3, 3)


def place_beside(figure: QRect, mouth: QRect, head: QRect) -> Callable[[QSize], BubblePosition]:
    """Return the function that places the bubble beside a figure."""

    def place(size: QSize) -> BubblePosition:
        middle = figure.center()
        screen = QGuiApplication.screenAt(middle) or QGuiApplication.primaryScreen()
        room = work_area(screen)
        return bubble_position(size, figure, mouth.center(), room, gap=TAIL - 4, head=head)

    return place
