"""The command palette: an input line, and below it the matching commands, conversations and
settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCursor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    Qt,
)
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from neodeskpet.core.fuzzy_match import FuzzyQuery, FuzzyTarget
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.list_row_painter import (
    ICON_ROLE,
    KEYS_ROLE,
    KIND_ROLE,
    ListRowDelegate,
    row_height,
)
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.windows.window_geometry import bring_to_front

MAX_RESULTS = 100
"""Maximum number of shown results."""
_MAX_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A line of the palette, translated: `kind` is its type (a conversation, a setting), `keys` its
    shortcuts. `words` are additional search words. `key` identifies it across starts.
    """

    key: str
    title: str
    kind: str
    run: Callable[[], object]
    icon: str = ""
    keys: str = ""
    search_terms: str = ""


class PaletteSearch:
    """Searches the entries in batches, so that thousands of them don't block the UI thread."""

    def __init__(self) -> None:
        self._choices: Sequence[PaletteEntry] = ()
        self._targets: dict[tuple[str, str], FuzzyTarget] = {}
        self._recent: dict[str, int] = {}
        self._typed = FuzzyQuery.of("")
        self._found: list[tuple[int, int, int]] = []
        self._next = 0

    def set_entries(self, choices: Sequence[PaletteEntry], recent: Sequence[str]) -> None:
        """Set the entries; those whose keys are `recent` come first if they match equally well."""
        self._choices = choices
        if len(self._targets) > _MAX_KEPT:
            self._targets.clear()
        self._recent = {key: place for place, key in enumerate(recent)}

    def start(self, text: str) -> None:
        """Start a search for this text."""
        self._typed = FuzzyQuery.of(text)
        self._found, self._next = [], 0

    def search_some(self, portion: int) -> bool:
        """Search the next `portion` entries; return whether these were the last."""
        end = min(len(self._choices), self._next + portion)
        for at in range(self._next, end):
            choice = self._choices[at]
            bad = self._typed.distance(self._target(choice)) if self._typed.words else 0
            if bad is not None:
                late = self._recent.get(choice.key, len(self._recent))
                self._found.append((bad, late, at))
        self._next = end
        return end == len(self._choices)

    def _target(self, choice: PaletteEntry) -> FuzzyTarget:
        name = (choice.title, choice.search_terms)
        target = self._targets.get(name)
        if target is None:
            target = self._targets[name] = FuzzyTarget.of(*name)
        return target

    def results(self) -> list[PaletteEntry]:
        """Return the best results so far."""
        return [self._choices[at] for _, _, at in sorted(self._found)[:MAX_RESULTS]]


TITLE = N_("NeoDeskPet Palette")
_WIDTH = 600
_ROWS = 10
_SEARCH_BATCH = 200
"""Entries per batch: some milliseconds."""


class CommandPalette(QWidget):
    """Signals: `entry_used(key)` before the chosen entry runs; `hidden()`."""

    entry_used = Signal(str)
    hidden = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(None, Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("palette")
        self._theme = theme
        self._search = PaletteSearch()
        self.fallback: Callable[[str], PaletteEntry] | None = None
        """Returns the line for a text that no entry matches."""
        self._shown: list[PaletteEntry] = []
        self._chosen = ""  # the line that the user selected
        self._entered = self._ends = False
        self.search = SearchField(theme)
        self.list = QListWidget()
        self._painter = ListRowDelegate(theme, self.list)
        self.list.setItemDelegate(self._painter)
        self.no_matches = PlainLabel()
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._lay_out()
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._look)
        self.list.itemClicked.connect(lambda item: self._take(self.list.row(item)))
        self.set_theme(theme)
        self.retranslate()

    def present(self, choices: Sequence[PaletteEntry], recent: Sequence[str]) -> None:
        """Show the palette with these entries; `recent` are the keys of those used lately."""
        self.search.clear()
        self._search.set_entries(choices, recent)
        self._look()
        self._place()
        bring_to_front(self)
        self.search.setFocus()

    def set_entries(self, choices: Sequence[PaletteEntry], recent: Sequence[str]) -> None:
        """Replace the entries; the input and the selection stay."""
        self._search.set_entries(choices, recent)
        self._begin()

    def line_texts(self) -> list[str]:
        """Return the texts of the lines, from top to bottom."""
        return [choice.title for choice in self._shown]

    def current(self) -> PaletteEntry | None:
        """Return the line that Enter runs."""
        row = self.list.currentRow()
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(
            self,
            theme,
            f"#paletteBox {{ background: {theme.surface};"
            f" border: 1px solid {theme.control_line}; }}",
        )
        self.search.set_theme(theme)
        self.search.setFont(ui_font(theme, theme.font_px + 1))
        self._painter.theme = (
            theme  # set_theme must not create a delegate: the list keeps every old one
        )
        self.no_matches.setFont(ui_font(theme))

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.search.set_placeholder(tr("Conversations, commands, settings, models, figures"))
        self.list.setAccessibleName(tr("Search results"))
        self.no_matches.setText(tr("No matches."))

    # Keyboard: the search field has the focus, the arrow keys move in the list

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def _key(self, key: Qt.Key) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        pages = {Qt.Key.Key_PageDown: _ROWS - 1, Qt.Key.Key_PageUp: 1 - _ROWS}
        by = steps.get(key) or pages.get(key)
        if by is not None and self._shown:
            row = max(0, min(len(self._shown) - 1, self.list.currentRow() + by))
            self.list.setCurrentRow(row)
            self._chosen = self._shown[row].key
            self._say(self._shown[row])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        elif key == Qt.Key.Key_Escape:
            self.hide()
        elif by is None:
            return False
        return True

    def _enter(self) -> None:
        """Run the current line, or the first result as soon as the search ends."""
        if self._shown:
            self._take(self.list.currentRow())
        else:
            self._entered = not self._ends

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.WindowDeactivate:
            self.hide()
        return super().event(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._turn.stop()
        self.hidden.emit()

    def _take(self, row: int) -> None:
        choice = self._shown[row]
        self.hide()
        self.entry_used.emit(choice.key)
        choice.run()

    # Results

    def _look(self) -> None:
        self._chosen = ""
        self._entered = False
        self._begin()

    def _begin(self) -> None:
        self._search.start(self.search.text())
        self._ends = self._search.search_some(_SEARCH_BATCH)
        self._show(self._search.results())
        if self._ends:
            self._turn.stop()
        else:
            self._turn.start()

    def _go_on(self) -> None:
        """Search the next batch; show the results after the last one."""
        self._ends = self._search.search_some(_SEARCH_BATCH)
        if not self._ends:
            return
        self._turn.stop()
        self._show(self._search.results())
        if self._entered and self._shown:
            self._take(0)

    def _show(self, found: list[PaletteEntry]) -> None:
        text = self.search.text().strip()
        self.no_matches.setVisible(not found and self._ends)
        if not found and self._ends and text and self.fallback is not None:
            found = [self.fallback(text)]
        self._shown = found
        self.list.clear()
        for choice in found:
            item = QListWidgetItem(choice.title)
            item.setData(ICON_ROLE, choice.icon)
            item.setData(KIND_ROLE, choice.kind)
            item.setData(KEYS_ROLE, choice.keys)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, _accessible_text(choice))
            self.list.addItem(item)
        places = [place for place, choice in enumerate(found) if choice.key == self._chosen]
        self.list.setCurrentRow(places[0] if places else 0)
        if found and self.search.text():
            self._say(found[self.list.currentRow()])

    def _say(self, choice: PaletteEntry) -> None:
        """Announce the current line, since the focus stays in the input."""
        if QAccessible.isActive() and self.isVisible():
            QAccessible.updateAccessibility(
                QAccessibleAnnouncementEvent(self.list, _accessible_text(choice))
            )

    def _lay_out(self) -> None:
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self.no_matches.setProperty("muted", True)
        inner = QWidget()
        inner.setObjectName("paletteBox")
        inner.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(inner)
        box = QVBoxLayout(inner)
        box.setContentsMargins(10, 10, 10, 10)
        box.setSpacing(8)
        box.addWidget(self.search)
        box.addWidget(self.no_matches)
        box.addWidget(self.list, 1)

    def _place(self) -> None:
        """Place it over the active window, else on the screen of the pointer, in the upper part."""
        active = QApplication.activeWindow()
        if active is not None and active is not self:
            over, screen = active.frameGeometry(), active.screen()
        else:
            screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
            over = screen.availableGeometry()
        room = screen.availableGeometry()
        width = min(scale_to_font(_WIDTH, self._theme), room.width())
        head = self.search.sizeHint().height() + 32
        height = min(head + _ROWS * row_height(self._theme), room.height())
        spot = QPoint(over.center().x() - width // 2, over.top() + over.height() // 8)
        left = max(room.left(), min(spot.x(), room.right() + 1 - width))
        top = max(room.top(), min(spot.y(), room.bottom() + 1 - height))
        self.setGeometry(QRect(left, top, width, height))


def _accessible_text(choice: PaletteEntry) -> str:
    return ", ".join(filter(None, (choice.title, choice.kind, choice.keys)))
