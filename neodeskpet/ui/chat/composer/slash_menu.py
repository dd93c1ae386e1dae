"""The menu for "/" at the beginning of a message: prompts and resources of MCP servers.

The list is open while the field contains only "/" and a search text. The chosen text is put into
the composer, where the user can read it before sending; a prompt with arguments shows a small form
first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from neodeskpet.core.errors import KnownError
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr
from neodeskpet.ui.chat.argument_form import ArgumentForm, argument_fields
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dropped_content import PictureSource
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.windows.window_events import WindowEvents

_ROWS = 7
_MAX_SHOWN = 200
_MAX_WIDTH = 600
_LINE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class PreparedPrompt:
    """A prompt of a server, or a resource at `uri`; `arguments` are text arguments, and those in
    `required` must be given.
    """

    server: str
    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()
    uri: str = ""

    @property
    def command(self) -> str:
        return f"/{self.server}:{self.name}"


@dataclass(frozen=True, slots=True)
class PromptText:
    """Content for the composer; `pictures` are encoded."""

    text: str
    pictures: Sequence[bytes] = ()


class PromptSource(Protocol):
    def available(self) -> Sequence[PreparedPrompt]:
        """Return the prompts that are available now."""
        ...

    async def load_text(self, prompt: PreparedPrompt, arguments: Mapping[str, str]) -> PromptText:
        """Load the content of a prompt. Raises KnownError."""
        ...


class SlashMenu(QFrame):
    """A popup above the composer. `attach` attaches pictures; `failed` receives errors."""

    def __init__(
        self,
        composer: Composer,
        prompts: PromptSource,
        theme: Theme,
        *,
        attach: Callable[[Sequence[PictureSource]], None],
        failed: Callable[[KnownError], None],
    ) -> None:
        super().__init__(composer.window())
        self.setObjectName("slash")
        self._composer = composer
        self._prompts = prompts
        self._attach = attach
        self._theme = theme
        self._work = TaskRunner("prompts", failed=failed)
        self._refused = ""  # Esc was pressed at this text
        self.form: ArgumentForm | None = None
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(8, 8, 8, 8)
        self._box.addWidget(self.list)
        self.hide()
        self.list.itemClicked.connect(lambda _row, _column: self._choose())
        composer.field.textChanged.connect(self._look)
        composer.field.installEventFilter(self)
        WindowEvents.for_window(composer.window()).subscribe(
            [QEvent.Type.Resize], lambda _event: self._follow()
        )
        self.list.installEventFilter(self)
        self.set_theme(theme)

    async def aclose(self) -> None:
        """Stop the menu's tasks."""
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(
            self,
            theme,
            f"#slash {{ background: {theme.window}; border: 1px solid {theme.control_line};"
            f" border-radius: {theme.control_radius}px; }}"
            "QTreeView { selection-background-color: transparent; }"
            "QTreeView::item { padding: 4px 6px; }",
        )

    # List

    def _look(self) -> None:
        """Update the list after the text changed."""
        text = self._composer.field.text()
        found = self._fitting(text) if text.startswith("/") and text != self._refused else []
        if text != self._refused:
            self._refused = ""
        if not found:
            self._close()
            return
        self._close_form()
        self.list.clear()
        self.list.setAccessibleName(tr("Prompts and resources of servers"))
        rows = [self._row(one) for one in found]
        self.list.setCurrentItem(rows[0])
        self.list.show()
        self._place()

    def _row(self, one: PreparedPrompt) -> QTreeWidgetItem:
        said = show_hidden_chars(" ".join(one.description.split()))
        row = QTreeWidgetItem(self.list, [show_hidden_chars(one.command), said])
        row.setData(0, _LINE, one)
        row.setForeground(1, QColor(self._theme.muted))
        return row

    def _fitting(self, text: str) -> list[PreparedPrompt]:
        if "\n" in text:
            return []
        words = text[1:].casefold().split()
        return [
            one
            for one in self._prompts.available()[:_MAX_SHOWN]
            if all(word in f"{one.command} {one.description}".casefold() for word in words)
        ]

    def _place(self) -> None:
        window, composer = self._composer.window(), self._composer
        top = composer.mapTo(window, QPoint(0, 0))
        width = min(composer.width() - 24, _MAX_WIDTH)
        left = top.x() + (composer.width() - width) // 2
        if self.form is not None:
            height = self.form.fit_width(width - 18) + 18
        else:
            rows = min(self.list.topLevelItemCount(), _ROWS)
            height = rows * max(self.list.sizeHintForRow(0), 24) + 20
        height = min(height, top.y() - 8)
        self.setGeometry(QRect(left, top.y() - height - 4, width, height))
        self.show()
        self.raise_()

    def _close(self) -> None:
        if self.isVisible():
            within = self.isAncestorOf(self.window().focusWidget() or self.window())
            self._close_form()
            self.hide()
            if within:
                self._composer.field.setFocus()

    def _close_form(self) -> None:
        if self.form is not None:
            self._box.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None

    # Actions of the user

    def _follow(self) -> None:
        """Follow a change of the window's size."""
        if self.isVisible():
            self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            offers = self.isVisible() and self.form is None
            if offers and not self._composer.field.is_composing:
                return self._take(watched, event)
        return False

    def _take(self, watched: QObject, event: QKeyEvent) -> bool:
        """Handle a key while the list is open; the focus may be in the field or in the list."""
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Tab:
                self._choose()
            case Qt.Key.Key_Escape:
                self._refused = self._composer.field.text()
                self._close()
            case Qt.Key.Key_Down | Qt.Key.Key_Up if watched is self._composer.field:
                self.list.setFocus()  # so that screen readers announce the row
                self._step(1 if event.key() == Qt.Key.Key_Down else -1)
            case _:
                if watched is self.list and event.text().isprintable() and event.text():
                    self._composer.insert(event.text())
                    return True
                return False
        return True

    def _step(self, by: int) -> None:
        model = self.list.model()
        at = (self.list.currentIndex().row() + by) % model.rowCount()
        self.list.setCurrentIndex(model.index(at, 0))

    def _choose(self) -> None:
        prompt = cast(PreparedPrompt, self.list.currentIndex().siblingAtColumn(0).data(_LINE))
        if prompt.arguments:
            self._ask(prompt)
        else:
            self._fetch(prompt, {})

    def _ask(self, prompt: PreparedPrompt) -> None:
        schema = {
            "properties": {name: {"type": "string"} for name in prompt.arguments},
            "required": sorted(prompt.required),
        }
        heading = " ".join(filter(None, (prompt.command, prompt.description)))
        form = self.form = ArgumentForm(
            argument_fields(schema, {}),
            self._theme,
            self,
            heading=show_hidden_chars(heading),
            words=(tr("Insert into the message"), tr("Back")),
        )
        form.confirmed.connect(partial(self._fetch, prompt))
        form.cancelled.connect(self._leave)
        self.list.hide()
        self._box.addWidget(form)
        self._place()
        form.take_focus()

    def _leave(self) -> None:
        self._composer.field.setFocus()
        self._look()

    def _fetch(self, prompt: PreparedPrompt, arguments: object) -> None:
        given = cast("Mapping[str, object]", arguments)
        texts = {name: str(value) for name, value in given.items() if value != ""}
        missing = sorted(name for name in prompt.required if name not in texts)
        if missing and self.form is not None:
            self.form.show_error(tr("This is required."), missing[0])
            return
        self._work.replace("words", partial(self._put, prompt, texts))

    async def _put(self, prompt: PreparedPrompt, arguments: Mapping[str, str]) -> None:
        words = await self._prompts.load_text(prompt, arguments)
        self._refused = words.text  # in case the text itself begins with "/"
        self._composer.field.replace_text(words.text)
        self._close()
        self._composer.field.setFocus()
        if words.pictures:
            self._attach([PictureSource(data=one) for one in words.pictures])
