"""All keyboard shortcuts, generated from the commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.commands import Command, format_keys
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.windows.window_geometry import CentredColumn, LeastSize, bring_to_front

TITLE = N_("Keyboard shortcuts")
ShortcutGroups = Sequence[tuple[str, Sequence[Command]]]

MIN_SIZE = (320, 320)


class ShortcutsWindow(QWidget):
    """`read()` returns the groups (in English) and their commands with keys, at the time when the
    window is shown.
    """

    def __init__(self, theme: Theme, read: Callable[[], ShortcutGroups]) -> None:
        super().__init__()
        self.setObjectName("shortcuts")
        LeastSize(self, MIN_SIZE)
        CentredColumn(self)
        self._theme = theme
        self._read = read
        self._narrow = False
        """Whether the keys are below the names."""
        self.search = SearchField(theme)
        self.area = QScrollArea()
        self._lines: list[tuple[PlainLabel, PlainLabel]] = []
        self._heads: list[tuple[PlainLabel, list[tuple[PlainLabel, PlainLabel]]]] = []
        self._lay_out()
        self.search.textChanged.connect(self._filter)
        self.set_theme(theme)
        self.retranslate()
        self.resize(520, 640)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)
        self.search.setFocus()

    def rows(self) -> list[tuple[str, str]]:
        """Return the shown names and keys."""
        return [(name.text(), keys.text()) for name, keys in self._lines if not name.isHidden()]

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(
            self, theme, f"#shortcuts, #shortcutsList {{ background: {theme.window}; }}"
        )
        self.search.set_theme(theme)
        self._fill()

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.search.set_placeholder(tr("Search keys"))
        self.area.setAccessibleName(tr(TITLE))
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_narrow() != self._narrow:
            self._fill()

    def _is_narrow(self) -> bool:
        return self.width() < scale_to_font(MIN_SIZE[0], self._theme)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.search.clear()
        self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif event.key() in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            bar = self.area.verticalScrollBar()
            page = bar.pageStep() - 24
            bar.setValue(bar.value() + (page if event.key() == Qt.Key.Key_PageDown else -page))
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        if not self.isVisible():
            return  # it is loaded when it is shown
        self._narrow = self._is_narrow()
        inner = QWidget()
        inner.setObjectName("shortcutsList")
        grid = QGridLayout(inner)
        grid.setContentsMargins(4, 4, 12, 12)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(scale_to_font(6, self._theme))
        grid.setColumnStretch(0, 1)
        self._lines, self._heads = [], []
        for group, commands in self._read():
            head = PlainLabel(tr(group))
            head.setFont(ui_font(self._theme, self._theme.font_px + 1, bold=True))
            head.setWordWrap(True)
            head.setContentsMargins(0, 10, 0, 2)
            grid.addWidget(head, grid.rowCount(), 0, 1, 2)
            lines = [self._add(grid, command) for command in commands]
            self._heads.append((head, lines))
            self._lines += lines
        grid.setRowStretch(grid.rowCount(), 1)
        self.area.setWidget(inner)
        self._filter(self.search.text())

    def _add(self, grid: QGridLayout, command: Command) -> tuple[PlainLabel, PlainLabel]:
        name = PlainLabel(command.name() if command.name is not None else tr(command.title))
        name.setWordWrap(True)
        keys = PlainLabel("   ".join(map(format_keys, command.keys)))
        keys.setProperty("muted", True)
        row = grid.rowCount()
        if self._narrow:
            keys.setWordWrap(True)
            grid.addWidget(name, row, 0, 1, 2)
            grid.addWidget(keys, row + 1, 0, 1, 2)
        else:
            grid.addWidget(name, row, 0)
            grid.addWidget(keys, row, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        return name, keys

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for head, lines in self._heads:
            fits = [
                all(word in f"{name.text()} {keys.text()}".casefold() for word in words)
                for name, keys in lines
            ]
            head.setVisible(any(fits))
            for line, fit in zip(lines, fits, strict=True):
                for label in line:
                    label.setVisible(fit)

    def _lay_out(self) -> None:
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 8, 8)
        box.setSpacing(8)
        box.addWidget(self.search)
        box.addWidget(self.area, 1)
