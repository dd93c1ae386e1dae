"""The window with the details of a turn: its steps in a tree, and beside it the text of the
selected step.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.blocks import Message
from neodeskpet.core.errors import KnownError
from neodeskpet.core.turn.turn_trace import TurnTrace
from neodeskpet.language import format_error, tr
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import (
    Theme,
    apply_window_theme,
    checkbox_rules,
    code_font,
    scale_to_font,
    ui_font,
)
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip, tooltip_text
from neodeskpet.ui.windows.turn_report import ReportLine, describe_turn, write_report
from neodeskpet.ui.windows.window_geometry import LeastSize, bring_to_front

_MAX_SHOWN_CHARS = 300_000
"""Maximum characters shown of one text."""
_FOLD = re.compile(r"[^\n]{2000}(?=[^\n])")
"""A longer line blocks the UI thread: one of 300,000 characters takes 125 ms, wrapped it takes 15
ms.
"""
_NARROW = 600
"""Below this width in pixels the text stands below the tree, and the buttons below the choice."""
_LINE = Qt.ItemDataRole.UserRole


class MessageSource(Protocol):
    """The store of messages."""

    async def flush(self) -> None: ...

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        """Return messages. Raises StoreError."""
        ...


class TurnInspectorWindow(QWidget):
    """`trace_of` returns the trace of a message, `title(tool)` the title of a tool."""

    def __init__(
        self,
        theme: Theme,
        messages: MessageSource,
        trace_of: Callable[[str], TurnTrace | None],
        folders: DialogFolders,
        title: Callable[[str], str] = str,
    ) -> None:
        super().__init__()
        self.setObjectName("inspector")
        LeastSize(self, (360, 320))
        self._theme = theme
        self._messages = messages
        self._trace_of = trace_of
        self._folders = folders
        self._title = title
        self._work = TaskRunner("inspector", failed=self._fail)
        self._message = ""
        self._lines: list[ReportLine] = []
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        header = self.tree.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self.detail_text = QPlainTextEdit(readOnly=True)
        self.detail_text.setTabChangesFocus(True)
        self.detail_text.setUndoRedoEnabled(False)
        self._halves = QSplitter(Qt.Orientation.Horizontal)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.include_texts = QCheckBox()
        self.copy_button = QPushButton()
        self.copy_button.setProperty("primary", True)
        self.save_button = QPushButton()
        self.status_label = PlainLabel()
        self.status_label.setProperty("muted", True)
        self.status_label.setWordWrap(True)
        self._lay_out()
        self.tree.currentItemChanged.connect(lambda item, _before: self._open(item))
        self.copy_button.clicked.connect(lambda: self._work.replace("report", self._copy))
        self.save_button.clicked.connect(self._ask_where)
        self.set_theme(theme)
        self.retranslate()
        self.resize(860, 560)

    def _lay_out(self) -> None:
        halves = self._halves
        halves.setChildrenCollapsible(False)
        halves.setHandleWidth(10)
        halves.addWidget(self.tree)
        halves.addWidget(self.detail_text)
        halves.setSizes([430, 430])
        about, buttons = QHBoxLayout(), QHBoxLayout()
        about.addWidget(self.include_texts)
        about.addWidget(self.status_label, 1)
        buttons.addStretch(1)
        buttons.addWidget(self.save_button)
        buttons.addWidget(self.copy_button)
        foot = self._foot
        foot.setSpacing(8)
        foot.addLayout(about, 1)
        foot.addLayout(buttons)
        box = QVBoxLayout(self)
        box.setContentsMargins(14, 14, 14, 14)
        box.setSpacing(10)
        box.addWidget(halves, 1)
        box.addLayout(foot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < scale_to_font(_NARROW, self._theme)
        directions = QBoxLayout.Direction
        self._foot.setDirection(directions.TopToBottom if narrow else directions.LeftToRight)
        sides = Qt.Orientation
        self._halves.setOrientation(sides.Vertical if narrow else sides.Horizontal)

    # Content

    def inspect(self, message_id: str) -> None:
        """Show the report of this message's turn, in front."""
        self._message = message_id
        self.status_label.clear()
        self._work.replace("load", self._load)

    def present(self) -> None:
        bring_to_front(self)

    async def _load(self) -> None:
        await self._messages.flush()
        found = await self._messages.messages([self._message])
        if not found:
            return
        trace = self._trace_of(self._message)
        self._lines = await asyncio.to_thread(describe_turn, found[0], trace, self._title)
        self.tree.clear()
        rows = [self._add(self.tree.invisibleRootItem(), line) for line in self._lines]
        self.tree.setCurrentItem(rows[0])
        self.present()
        self.tree.setFocus()

    def _add(self, above: QTreeWidgetItem, line: ReportLine) -> QTreeWidgetItem:
        row = QTreeWidgetItem(above, [line.title, line.note])
        row.setData(0, _LINE, line)
        row.setData(1, Qt.ItemDataRole.ToolTipRole, tooltip_text(line.note))
        row.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{line.title} {line.note}".strip())
        row.setForeground(1, QBrush(QColor(self._theme.muted)))
        for part in line.children:
            self._add(row, part)
        row.setExpanded(row.parent() is None)
        return row

    def _open(self, row: QTreeWidgetItem | None) -> None:
        line = cast("ReportLine | None", row.data(0, _LINE)) if row is not None else None
        self.detail_text.setAccessibleName(line.title if line is not None else "")
        self._work.replace("text", partial(self._read, line))

    async def _read(self, line: ReportLine | None) -> None:
        if line is None or line.read is None:
            self.detail_text.setPlainText(line.title if line is not None else "")
            return
        self.detail_text.setPlainText(await asyncio.to_thread(_shown, line.read))

    # Report

    async def _report(self) -> str:
        texts = self.include_texts.isChecked()
        return await asyncio.to_thread(write_report, tuple(self._lines), texts=texts)

    async def _copy(self) -> None:
        QGuiApplication.clipboard().setText(await self._report())
        self.status_label.setText(tr("The report was copied."))

    def _ask_where(self) -> None:
        place = self._folders.start_folder(FolderKind.DOCUMENTS) / "neodeskpet-turn.md"
        dialog = QFileDialog(self, tr("Save the report"), str(place))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("md")
        dialog.fileSelected.connect(
            lambda path: self._work.replace("report", partial(self._write, Path(path)))
        )
        dialog.open()

    async def _write(self, path: Path) -> None:
        report = await self._report()
        try:
            await asyncio.to_thread(path.write_text, report, "utf-8")
        except OSError as error:
            self.status_label.setText(
                f"{tr('The file could not be written.')} {error.strerror or ''}"
            )
            return
        self._folders.remember(FolderKind.DOCUMENTS, path)
        self.status_label.setText(tr("Saved as {path}", path=str(path)))

    def _fail(self, error: KnownError) -> None:
        self.status_label.setText(format_error(error))

    # Called by the app

    async def aclose(self) -> None:
        """Stop the window's tasks."""
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        frame = f"border: 1px solid {theme.line}; border-radius: {theme.control_radius}px;"
        apply_window_theme(
            self,
            theme,
            f"#inspector {{ background: {theme.window}; }}"
            f"QTreeView {{ background: {theme.surface}; {frame} padding: 4px;"
            " selection-background-color: transparent; }"
            "QTreeView::item { padding: 3px 6px; }"
            "QSplitter::handle { background: transparent; }" + checkbox_rules("QCheckBox", theme),
        )
        self.tree.setFont(ui_font(theme, theme.small_px))
        self.detail_text.setFont(code_font(theme))

    def retranslate(self) -> None:
        self.setWindowTitle(tr("What happened in this turn"))
        self.tree.setAccessibleName(tr("What happened in this turn"))
        self.detail_text.setAccessibleName(tr("Details"))
        self.detail_text.setPlaceholderText(
            tr("Press “What happened in this turn” below a reply to see its steps here.")
        )
        self.include_texts.setText(tr("Include texts"))
        set_tooltip(
            self.include_texts,
            tr("Adds messages, requests and responses to the report; keys are never included."),
        )
        self.copy_button.setText(tr("Copy as a bug report"))
        self.save_button.setText(tr("Save…"))
        if self.isVisible():
            self._work.replace("load", self._load)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


def _shown(read: Callable[[], str]) -> str:
    text = read()
    if len(text) > _MAX_SHOWN_CHARS:
        more = tr("[{count} more characters]", count=str(len(text) - _MAX_SHOWN_CHARS))
        text = f"{text[:_MAX_SHOWN_CHARS]}\n{more}"
    return _FOLD.sub(r"\g<0>\n", text)
