"""The tile of a file that is attached to the next message, and the small buttons on tiles: remove,
and add to the knowledge base.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QToolButton, QWidget

from neodeskpet.core.attachments import FileText
from neodeskpet.language import tr
from neodeskpet.platform.text_encoding import OFFERED_ENCODINGS
from neodeskpet.ui.formatting import format_file_info
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.labels import set_tooltip

CORNER_SIZE = 20
"""Width and height in logical pixels."""
_ICON_SIZE = 12


class CornerButton(QToolButton):
    """A small button with the icon named `sign`."""

    def __init__(self, parent: QWidget, sign: str) -> None:
        super().__init__(parent)
        self._sign = sign
        self._theme: Theme | None = None
        self.setFixedSize(CORNER_SIZE, CORNER_SIZE)
        self.setIconSize(QSize(_ICON_SIZE, _ICON_SIZE))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.surface}; border: 1px solid {theme.control_line};"
            f" border-radius: {CORNER_SIZE // 2}px; padding: 0; min-height: 0; min-width: 0; }}"
            f"QToolButton:hover {{ background: {theme.hover}; }}"
            f"QToolButton:focus {{ border: 2px solid {theme.accent}; }}"
        )
        self._draw()

    def set_icon_name(self, sign: str) -> None:
        """Show this icon."""
        self._sign = sign
        self._draw()

    def _draw(self) -> None:
        if self._theme is not None:
            self.setIcon(icon(self._sign, QColor(self._theme.text), _ICON_SIZE))


class RemoveButton(CornerButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "close")

    def set_target_name(self, what: str) -> None:
        """Set the name of what it removes."""
        self.setAccessibleName(tr("Remove {name}", name=what))
        set_tooltip(self, tr("Remove"))


class AddToKnowledgeButton(CornerButton):
    """Adds a file to the knowledge base; disabled after a press."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "plus")
        self._what = ""
        self._kept = False
        self.clicked.connect(self._mark)

    def set_target_name(self, what: str) -> None:
        """Set the name of what it adds."""
        self._what = what
        words = tr("In the knowledge base") if self._kept else tr("Add to the knowledge base")
        self.setAccessibleName(tr("{name}: {text}", name=words, text=what))
        set_tooltip(self, words)

    def _mark(self) -> None:
        self._kept = True
        self.setEnabled(False)
        self.set_target_name(self._what)
        self.set_icon_name("check")


TILE_WIDTH = 216


class FileTile(QFrame):
    """Shows "Reading…" until `show_result` or `show_error`. `add_to_knowledge` adds the file to the
    knowledge base; it is shown once the file was read and if its path is known. `write_text`
    inserts the text into the message; `show_write_button` shows it. Signal:
    `encoding_chosen(encoding)` when the user chose another encoding for a text in the menu.
    """

    encoding_chosen = Signal(str)

    def __init__(self, theme: Theme, name: str, height: int, *, keepable: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._name = name
        self._read: FileText | None = None
        self._why = ""
        self.setFixedSize(TILE_WIDTH, height)
        self.remove = RemoveButton(self)
        self.remove.move(TILE_WIDTH - CORNER_SIZE - 4, 4)
        self._keepable = keepable  # the path of the file is known
        self.add_to_knowledge = AddToKnowledgeButton(self)
        self.add_to_knowledge.move(TILE_WIDTH - CORNER_SIZE - 4, height - CORNER_SIZE - 4)
        self.add_to_knowledge.hide()
        self.write_text = QPushButton(self)
        self.write_text.setProperty("quiet", True)
        self.write_text.hide()
        self.set_theme(theme)
        self.retranslate()

    @property
    def status_text(self) -> str:
        """Return the line below the name."""
        if self._why:
            return self._why
        read = self._read
        if read is None:
            return tr("Reading…")
        words = format_file_info(
            read.size, read.pages, read.pages_read, cut=read.cut, omitted=read.omitted
        )
        if read.encoding in ("", "utf-8"):
            return words
        return f"{words} · {tr('read as {encoding}', encoding=read.encoding)}"

    def show_result(self, read: FileText) -> None:
        self._read = read
        self.add_to_knowledge.setVisible(self._keepable)
        self.retranslate()
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.encodings()
        if menu is not None:
            menu.popup(event.globalPos())

    def encodings(self) -> QMenu | None:
        """Return a menu of encodings; None if the file isn't text."""
        if self._read is None or not self._read.encoding or not self._keepable:
            return None
        menu = QMenu(tr("Decode as"), self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in OFFERED_ENCODINGS:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name == self._read.encoding)
            action.triggered.connect(partial(self._decode, name))
        return menu

    def _decode(self, encoding: str, _checked: bool = False) -> None:
        self._read = None
        self.retranslate()
        self.update()
        self.encoding_chosen.emit(encoding)

    def show_error(self, why: str) -> None:
        """Show why the file isn't sent."""
        self._why = why
        self.retranslate()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.remove.set_theme(theme)
        self.add_to_knowledge.set_theme(theme)
        self.write_text.setFont(ui_font(theme, theme.small_px))
        self._place_write()
        self.update()

    def show_write_button(self) -> None:
        self.write_text.show()
        self._place_write()

    def _place_write(self) -> None:
        if self.write_text.isHidden():
            return
        self.write_text.adjustSize()
        self.setFixedWidth(TILE_WIDTH + self.write_text.width())
        right = self.width() - 4
        self.remove.move(right - CORNER_SIZE, 4)
        self.write_text.move(
            right - self.write_text.width(), self.height() - self.write_text.height() - 4
        )

    def retranslate(self) -> None:
        said = tr("{name}: {text}", name=self._name, text=self.status_text)
        self.setAccessibleName(said)
        set_tooltip(self, said)
        self.remove.set_target_name(self._name)
        self.add_to_knowledge.set_target_name(self._name)
        self.write_text.setText(tr("Insert as text"))
        set_tooltip(self.write_text, tr("Insert it into the message instead"))
        self._place_write()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        cut = self._read is not None and (self._read.cut or bool(self._read.omitted))
        line = t.failed if self._why else t.control_line
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(QColor(line))
            painter.setBrush(QColor(t.surface))
            painter.drawRoundedRect(box, t.card_radius, t.card_radius)
            upper = box.adjusted(10, 6, -CORNER_SIZE - 10, -box.height() / 2)
            lower = box.adjusted(10, box.height() / 2, -CORNER_SIZE - 10, -6)
            under = t.failed if self._why else t.asks if cut else t.muted
            _draw_text(painter, upper, self._name, t.text, ui_font(t), Qt.TextElideMode.ElideMiddle)
            small = ui_font(t, t.small_px)
            if not self.write_text.isHidden():
                lower.setRight(self.write_text.x() - 4)
            _draw_text(painter, lower, self.status_text, under, small, Qt.TextElideMode.ElideRight)


def _draw_text(
    painter: QPainter, room: QRectF, words: str, color: str, font: QFont, elide: Qt.TextElideMode
) -> None:
    painter.setFont(font)
    painter.setPen(QColor(color))
    shown = painter.fontMetrics().elidedText(words, elide, int(room.width()))
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), shown)
