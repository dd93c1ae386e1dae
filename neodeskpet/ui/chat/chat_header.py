"""The header of the chat: character, model, tool mode, and how full the context is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from neodeskpet.conversation.export_chats.export_format import FORMAT_NAMES
from neodeskpet.core.tool_settings import mode_name
from neodeskpet.language import tr
from neodeskpet.ui.chat.chat_commands import MENU, SUBMENUS
from neodeskpet.ui.commands import format_keys
from neodeskpet.ui.formatting import model_title
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, set_style_sheet, ui_font
from neodeskpet.ui.widgets.labels import ElidedLabel, set_tooltip
from neodeskpet.ui.widgets.model_picker import ModelPicker, ModelRow
from neodeskpet.ui.widgets.portrait import Portrait

HEADER_HEIGHT = 56
PORTRAIT_SIZE = 32
LARGE_PORTRAIT_SIZE = 44
"""Size of the portrait while no figure is shown on the desktop."""
_NARROW = 440
_NAME_ROOM = 110
_LEAST_LETTERS = 5
"""With room for fewer letters, a pill shows its icon alone."""


def format_token_count(tokens: int) -> str:
    """12400 → "12.4k", 64000 → "64k", 1048576 → "1.05M"."""
    unit, scaled = "", float(tokens)
    for larger in ("k", "M"):
        if round(scaled) >= 1000:
            unit, scaled = larger, scaled / 1000
    return f"{scaled:.3g}{unit}" if scaled < 1000 else f"{scaled:.0f}{unit}"


class ChatHeader(QFrame):
    """Signals: `models_requested()` (the model button; a listener calls `open_picker`),
    `sidebar_pressed()`, `chosen(id)` with an id of MENU, `tasks_requested()` (the number of running
    background tasks), `context_requested()` (the context meter).
    """

    models_requested = Signal()
    tasks_requested = Signal()
    context_requested = Signal()
    sidebar_pressed = Signal()
    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = self._mode = ""
        self._own = False
        self._used: int | None = None
        self._limit: int | None = None
        self.sidebar = QToolButton()
        self.portrait = Portrait(PORTRAIT_SIZE)
        self.name = ElidedLabel()
        self.model_button = _PillButton()
        self.tasks = _PillButton()
        self.tasks.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.tasks.setIconSize(QSize(16, 16))
        self.tasks.hide()
        self._tasks = 0
        self.context = _PillButton()
        self.context.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.context.setIconSize(QSize(14, 14))
        self._missing: Sequence[str] = ()
        fixed = QSizePolicy.Policy.Fixed  # a long model name is shortened first
        for pill in (self.tasks, self.context):
            pill.setSizePolicy(fixed, fixed)
        self.more = QToolButton()
        self.menu = QMenu(self)
        self._inside = {prefix: QMenu(self.menu) for prefix in SUBMENUS}
        self._shared: list[QAction] = []
        self.picker = ModelPicker(theme, self)
        self.sidebar.clicked.connect(self.sidebar_pressed)
        self.model_button.clicked.connect(self.models_requested)
        self.tasks.clicked.connect(self.tasks_requested)
        self.context.clicked.connect(self.context_requested)
        self.picker.settings_requested.connect(lambda: self.chosen.emit("service"))
        self.more.clicked.connect(self._show_menu)
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()

    def add_actions(self, shared: Sequence[QAction]) -> None:
        """Set actions that the menu shows and other objects own."""
        self._shared = list(shared)
        self.retranslate()

    def set_name(self, name: str) -> None:
        self.name.set_text(name)
        self.portrait.set_name(name)
        self._keep_name()

    def set_portrait(self, picture: QPixmap) -> None:
        self.portrait.set_picture(picture)

    def enlarge_portrait(self, on: bool) -> None:
        """Enlarge the portrait: there is no figure on the desktop."""
        side = LARGE_PORTRAIT_SIZE if on else PORTRAIT_SIZE
        self.portrait.setFixedSize(side, side)

    def set_service(self, model: str, mode: str, *, own: bool = False) -> None:
        """Show the model (`own`: for this conversation only) and the tool mode (native, text, auto;
        both may be empty).
        """
        self._model, self._mode, self._own = model, mode, own
        self._show_pills()

    def open_picker(
        self, rows: Sequence[ModelRow], *, outside: bool = False, once: bool = False
    ) -> None:
        """Show a list of these models to choose from."""
        self.picker.open_under(self.model_button, rows, outside=outside, once=once)

    def set_tokens_used(self, used: int | None) -> None:
        """Set the tokens of the last request and its reply; None if unknown."""
        self._used = used
        self._show_pills()

    def set_tasks(self, count: int) -> None:
        """Set the number of tasks that run in the background."""
        self._tasks = count
        self._show_pills()

    def set_token_limit(self, limit: int | None) -> None:
        """Set the context limit of the model in tokens; None if unknown."""
        self._limit = limit
        self._show_pills()

    def set_omissions(self, missing: Sequence[str]) -> None:
        """Set what the last request left out, and why, in sentences."""
        self._missing = missing
        self._show_pills()

    def context_text(self) -> str:
        """Return how full the context is, as a text."""
        used = "—" if self._used is None else format_token_count(self._used)
        if self._limit is None:
            return tr("{used} tokens; the limit of the model is unknown.", used=used)
        return tr("{used} of {limit} tokens", used=used, limit=format_token_count(self._limit))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.name.setFont(ui_font(theme, theme.font_px + 1, bold=True))
        self._keep_name()
        self.portrait.set_theme(theme)
        self.picker.set_theme(theme)
        muted = QColor(theme.muted)
        self.sidebar.setIcon(icon("sidebar", muted))
        self.more.setIcon(icon("more", muted))
        small = ui_font(theme, theme.small_px + 1)
        high = max(24, min(HEADER_HEIGHT - 14, theme.line_px))
        for pill in (self.model_button, self.tasks, self.context):
            pill.setFont(small)
        self.tasks.setIcon(icon("layers", QColor(theme.accent), 16))
        self.model_button.set_small_icon(icon("service", muted, 16))
        set_style_sheet(
            self,
            f"ChatHeader {{ background: {theme.window}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}"
            f"_PillButton {{ background: transparent; color: {theme.muted}; padding: 0 10px;"
            f" border: 1px solid {theme.line}; border-radius: {(high + 2) // 2}px;"
            f" min-height: {high}px; max-height: {high}px; }}"
            f"_PillButton:hover {{ background: {theme.hover}; }}"
            f"_PillButton:focus {{ border-color: {theme.accent}; }}",
        )

    def retranslate(self) -> None:
        self.sidebar.setAccessibleName(tr("Conversations"))
        set_tooltip(self.sidebar, tr("Conversations"))
        self.more.setAccessibleName(tr("More"))
        set_tooltip(self.more, tr("More"))
        self.menu.clear()
        for inside, title in zip(self._inside.values(), SUBMENUS.values(), strict=True):
            inside.clear()
            inside.setTitle(tr(title))
        for group in MENU:
            self.menu.addSeparator()
            for command in group:
                keys = f"\t{format_keys(command.keys[0])}" if command.keys else ""
                menu, text = self.menu, tr(command.title) + keys
                for prefix, inside in self._inside.items():
                    if command.id.startswith(prefix):
                        if inside.isEmpty():
                            self.menu.addMenu(inside)
                        menu, text = inside, tr(FORMAT_NAMES[command.id.removeprefix(prefix)])
                self._add_entry(menu, command.id, text)
        if self._shared:
            self.menu.addSeparator()
            self.menu.addActions(self._shared)
        self.picker.retranslate()
        self._show_pills()

    def _add_entry(self, menu: QMenu, entry: str, text: str) -> None:
        menu.addAction(text).triggered.connect(lambda _=False: self.chosen.emit(entry))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_pills()

    def _lay_out(self) -> None:
        self.setFixedHeight(HEADER_HEIGHT)
        for button in (self.sidebar, self.more):
            button.setProperty("quiet", True)
            button.setIconSize(QSize(20, 20))
            button.setFixedSize(32, 32)
            button.setStyleSheet("QToolButton { padding: 0; min-height: 0; }")
        line = QHBoxLayout(self)
        line.setContentsMargins(8, 0, 8, 0)
        line.setSpacing(8)
        line.addWidget(self.sidebar)
        line.addWidget(self.portrait)
        line.addWidget(self.name)
        line.addWidget(self.model_button)
        line.addStretch(1)
        line.addWidget(self.tasks)
        line.addWidget(self.context)
        line.addWidget(self.more)

    def _keep_name(self) -> None:
        """Keep a short name whole: the model button is shortened first."""
        self.name.setMinimumWidth(min(self.name.sizeHint().width(), _NAME_ROOM))

    def _show_pills(self) -> None:
        mode = tr(mode_name(self._mode))
        model = model_title(self._model) or (tr("No model yet") if mode else "")
        parts = [part for part in (model, mode) if part]
        self.model_button.set_text(" · ".join(parts))
        self.model_button.setVisible(bool(parts))
        where = tr("only in this conversation") if self._own else tr("in all conversations")
        said = tr("Model {model}, {where}; tools {mode}.", model=model, where=where, mode=mode)
        self.model_button.setAccessibleName(f"{said} {tr('Opens the list of models.')}")
        known = self._used is not None
        self.context.setVisible(known and self.width() >= _NARROW)
        self._show_context()

        self.tasks.setVisible(self._tasks > 0)
        self.tasks.set_text(str(self._tasks))
        running = tr("Running in the background: {count}", count=str(self._tasks))
        set_tooltip(self.tasks, running)
        self.tasks.setAccessibleName(running)

    def _show_context(self) -> None:
        used = "—" if self._used is None else format_token_count(self._used)
        if self._limit is None:
            self.context.set_text(tr("{count} tokens", count=used))
        else:
            self.context.set_text(f"{used} / {format_token_count(self._limit)}")
        sign = icon("warning", QColor(self._theme.muted), 14) if self._missing else QIcon()
        self.context.setIcon(sign)
        self.context.updateGeometry()
        said = [tr("Context: {words}", words=self.context_text()), *self._missing]
        set_tooltip(self.context, "\n".join(said))
        self.context.setAccessibleName(" ".join(said))

    def _show_menu(self) -> None:
        corner = self.more.mapToGlobal(QPoint(self.more.width(), self.more.height()))
        self.menu.popup(corner - QPoint(self.menu.sizeHint().width(), 0))


class _PillButton(QToolButton):
    """A flat round button whose text is elided in the middle when there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self._small_icon: QIcon | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str) -> None:
        if text != self._whole:
            self._whole = text
            set_tooltip(self, text)
            self.updateGeometry()
        self._elide()

    def set_small_icon(self, sign: QIcon) -> None:
        """Show `sign` instead of the text where there is no room for a few letters of it."""
        self._small_icon = sign
        self._elide()

    def sizeHint(self) -> QSize:
        wide = self.fontMetrics().horizontalAdvance(self._whole) + self._sign() + 26
        return QSize(wide, _lowest(self))

    def minimumSizeHint(self) -> QSize:
        return QSize(48, _lowest(self))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _sign(self) -> int:
        """Return the width of the icon with its gap."""
        if self.icon().isNull() or self._small_icon is not None:
            return 0
        return self.iconSize().width() + 6

    def _elide(self) -> None:
        """Show the text, or the icon alone if less than a few letters would be left of the text."""
        least = self.fontMetrics().horizontalAdvance("O" * _LEAST_LETTERS)
        room = max(0, self.width() - 24 - self._sign())
        whole = self.fontMetrics().horizontalAdvance(self._whole)
        if self._small_icon is not None:
            short = room < min(least, whole)
            self.setIcon(self._small_icon if short else QIcon())
            if short:
                self.setText("")
                return
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, room))


def _lowest(pill: QWidget) -> int:
    return max(26, pill.fontMetrics().height() + 6)
