"""Common parts of the windows besides the chat: layout, reloading when shown, and closing with
Escape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.windows.window_events import WindowEvents
from neodeskpet.ui.windows.window_geometry import COLUMN_WIDTH, CentredColumn, LeastSize


class SideWindowLayout:
    """The layout of `window`, whose object name becomes `name`. `title`, an N_ text, is the
    window's title and heading; `beside` are the buttons at the end of the heading. The contents are
    at most `width` pixels wide. `add` appends a part below the others.
    """

    def __init__(
        self,
        window: QWidget,
        name: str,
        title: str,
        least: tuple[int, int],
        beside: Sequence[QPushButton] = (),
        width: int = COLUMN_WIDTH,
    ) -> None:
        window.setObjectName(name)
        LeastSize(window, least)
        CentredColumn(window, width)
        self._window = window
        self._name = name
        self._title = title
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.box = QVBoxLayout(window)
        self.box.setContentsMargins(16, 14, 16, 14)
        self.box.setSpacing(8)
        self.heading.setWordWrap(True)
        if beside:
            self.row(self.heading, *beside, wide=self.heading)
        else:
            self.add(self.heading)

    def add(self, part: QWidget, stretch: int = 0) -> None:
        self.box.addWidget(part, stretch)

    def row(self, *parts: QWidget | None, wide: QWidget | None = None, spacing: int = -1) -> None:
        """Add parts in a row, with a stretch at a None; `wide` takes all remaining width. `spacing`
        in pixels, by default the style's.
        """
        row = QHBoxLayout()
        if spacing >= 0:
            row.setSpacing(spacing)
        for part in parts:
            if part is None:
                row.addStretch(1)
            else:
                row.addWidget(part, int(part is wide))
        self.box.addLayout(row)

    def add_empty_state(self, text: QWidget, button: QWidget) -> QWidget:
        """Add the text for an empty list and its button, in the middle. Return the widget with
        both, which replaces the list.
        """
        state = QWidget()
        inner = QVBoxLayout(state)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addStretch(1)
        inner.addWidget(text)
        inner.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addStretch(1)
        self.box.addWidget(state, 1)
        return state

    def set_theme(self, theme: Theme, sheet: str = "") -> None:
        """Apply the theme; `sheet` is added to the window's style sheet."""
        apply_window_theme(
            self._window, theme, f"#{self._name} {{ background: {theme.window}; }}{sheet}"
        )

    def retranslate(self) -> None:
        self._window.setWindowTitle(tr(self._title))
        self.heading.setText(tr(self._title))


def muted_label(*, centred: bool = False) -> PlainLabel:
    """Return a muted label that wraps; `centred` if it replaces other content."""
    label = PlainLabel()
    label.setProperty("muted", True)
    label.setWordWrap(True)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def _do_nothing() -> None:
    pass


def _nothing_to_leave() -> bool:
    return False


class RefreshOnShow(QObject):
    """Calls `read()` when `window` is shown or comes to the front, and `gone()` when it is hidden.
    Escape closes it, unless `back()` returns True: there was something to leave first (a form, a
    search).
    """

    def __init__(
        self,
        window: QWidget,
        *,
        read: Callable[[], None] = _do_nothing,
        gone: Callable[[], None] = _do_nothing,
        back: Callable[[], bool] = _nothing_to_leave,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._read = read
        self._back = back
        events = WindowEvents.for_window(window)
        events.subscribe([QEvent.Type.Show], lambda _event: read())
        events.subscribe([QEvent.Type.Hide], lambda _event: gone())
        events.subscribe([QEvent.Type.ActivationChange], lambda _event: self._come())
        events.subscribe([QEvent.Type.KeyPress], self._press)

    def _come(self) -> None:
        if self._window.isActiveWindow():
            self._read()

    def _press(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        if not self._back():
            self._window.close()
        return True
