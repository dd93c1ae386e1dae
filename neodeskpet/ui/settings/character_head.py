"""The card of the current character at the top of the settings: its face, its name and its manner,
with the ways to change and to edit it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_search import SettingsPort, matches_query, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel

SECTION = SectionInfo("head", N_("Character"), "", "companion", ())
_WORDS = (
    SECTION.title,
    N_("Change character…"),
    N_("Edit…"),
    N_("Look and album…"),
    N_("Colours"),
    N_("Characters"),
    "avatar",
    "persona",
    "形象",
    "人设",
)
_FACE = 88
_MARGINS = (16, 14, 16, 14)
_NARROW_ROOM = 310
"""The width for both buttons in the narrowest window."""


@dataclass(frozen=True, slots=True)
class CurrentCharacter:
    """`line` describes its manner in a few words."""

    name: str
    line: str


class CharacterHeadPort(Protocol):
    """The character that speaks now. Coroutines raise KnownError."""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when another character may speak. Return a function that ends this."""
        ...

    async def current(self) -> CurrentCharacter: ...

    async def face(self) -> QImage:
        """Return its face; null if there is none."""
        ...

    def change(self) -> None:
        """Show the gallery of characters."""
        ...

    def edit(self) -> None:
        """Show the editor of the current character."""
        ...

    def look(self) -> None:
        """Show its look and the album."""
        ...


class FacePicture(QWidget):
    """The face on a tint; without a picture the first letter of the name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._picture = QPixmap()
        self._letter = ""
        self.setFixedSize(_FACE, _FACE)

    def show_name(self, name: str) -> None:
        """Show the first letter of another character until its face is there."""
        if name != self.accessibleName():
            self.show_face(QImage(), name)

    def show_face(self, face: QImage, name: str) -> None:
        side = round(_FACE * self.devicePixelRatioF())
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode
        self._letter = name[:1].upper()
        self._picture = QPixmap()
        if not face.isNull():
            scaled = face.scaled(side, side, keep, smooth.SmoothTransformation)
            self._picture = QPixmap.fromImage(scaled)
        self.setAccessibleName(name)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, area = self._theme, QRectF(self.rect())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            shape = QPainterPath()
            shape.addRoundedRect(area, t.card_radius, t.card_radius)
            painter.fillPath(shape, QColor(t.person))
            painter.setClipPath(shape)
            if not self._picture.isNull():
                painter.drawPixmap(area, self._picture, QRectF(self._picture.rect()))
            else:
                painter.setFont(ui_font(t, 2 * t.heading_px, bold=True))
                painter.setPen(QColor(t.accent))
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self._letter)


class CharacterHeadPage(SettingsPage):
    """The card has no heading of its own: the title of its group is above it."""

    def __init__(self, port: SettingsPort, head: CharacterHeadPort, theme: Theme) -> None:
        self._head = head
        self._narrow = False
        self._work = TaskRunner("character head", failed=self._fail)
        super().__init__(SECTION, port, theme)
        self._unobserve = head.subscribe(self.refresh)

    def build(self) -> None:
        self.face = FacePicture(self.theme)
        self.name = PlainLabel()
        self.line = PlainLabel()
        self.line.setWordWrap(True)
        self.line.setProperty("muted", True)
        self.error_label = ErrorLabel()
        self.change = QPushButton()
        self.change.setProperty("primary", True)
        self.edit = QPushButton()
        self.look = QPushButton()
        self.look.clicked.connect(self._head.look)
        self.change.clicked.connect(self._head.change)
        self.edit.clicked.connect(self._head.edit)
        self._buttons = buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        buttons.setSpacing(8)
        for button in (self.change, self.edit, self.look):
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        buttons.addStretch()
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addStretch()
        for part in (self.name, self.line, self.error_label):
            texts.addWidget(part)
        texts.addSpacing(4)
        texts.addLayout(buttons)
        texts.addStretch()
        across = QHBoxLayout()
        across.setContentsMargins(*_MARGINS)
        across.setSpacing(16)
        across.addWidget(self.face, 0, Qt.AlignmentFlag.AlignTop)
        across.addLayout(texts, 1)
        self.box.addLayout(across)

    def refresh(self) -> None:
        """Show the character that speaks now."""
        if self.isVisible():
            self._work.replace("look", self._look)

    def search(self, query: str) -> int:
        super().search(query)
        self.frame.show()
        self.heading.setVisible(bool(query))
        return int(matches_query(query, f"{search_text(_WORDS)}\n{self.name.text().casefold()}"))

    def has_setting_named(self, query: str) -> bool:
        return matches_query(query, self.heading.text().casefold())

    def set_narrow(self, narrow: bool) -> None:
        super().set_narrow(narrow)
        self._narrow = narrow
        self._arrange_buttons()

    def _arrange_buttons(self) -> None:
        """Put the buttons one below the other if a narrow window has no room for both."""
        buttons = (self.change, self.edit, self.look)
        width = sum(one.sizeHint().width() for one in buttons)
        ways = QBoxLayout.Direction
        stacked = self._narrow and width > _NARROW_ROOM
        self._buttons.setDirection(ways.TopToBottom if stacked else ways.LeftToRight)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._arrange_buttons()
        self.name.setFont(ui_font(theme, theme.heading_px, bold=True))
        self.face.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.heading.setVisible(bool(self._query))
        self.change.setText(tr("Change character…"))
        self.edit.setText(tr("Edit…"))
        self.look.setText(tr("Look and album…"))
        self._arrange_buttons()
        self.edit.setAccessibleName(tr("Edit {name}", name=self.companion_name()))
        self.refresh()

    async def aclose(self) -> None:
        self._unobserve()
        await super().aclose()
        await self._work.aclose()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    async def _look(self) -> None:
        current = await self._head.current()
        self.error_label.set_error("")
        self.name.setText(current.name)
        self.line.setText(current.line)
        self.line.setVisible(bool(current.line))
        self.edit.setAccessibleName(tr("Edit {name}", name=current.name))
        self.face.show_name(current.name)
        self.face.show_face(await self._head.face(), current.name)

    def _fail(self, error: KnownError) -> None:
        self.error_label.set_error(format_error(error))
