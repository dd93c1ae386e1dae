"""A file that goes with the next message: its name, how large it is, what was read, or why not."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton

from neodeskpet.documents.document import ReadText
from neodeskpet.encodings import OFFERED
from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.corner_button import SIDE as CORNER
from neodeskpet.ui.chat.compose.keep_button import KeepButton
from neodeskpet.ui.chat.compose.remove_button import RemoveButton
from neodeskpet.ui.chat.items.files.words import file_words
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.label import set_tip

WIDTH = 216


class FileTile(QFrame):
    """Says that the file is read until `show_read` or `fail`. `keep` adds it to the knowledge base;
    it is there once the file was read, where it is known where the file lies. `write` puts the text
    into the message; `offer_write` shows it. `decoding(encoding)`: the person chose another
    encoding for a text, in its menu.
    """

    decoding = Signal(str)

    def __init__(self, theme: Theme, name: str, height: int, *, keepable: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._name = name
        self._read: ReadText | None = None
        self._why = ""
        self.setFixedSize(WIDTH, height)
        self.remove = RemoveButton(self)
        self.remove.move(WIDTH - CORNER - 4, 4)
        self._keepable = keepable  # then it is known where the file lies
        self.keep = KeepButton(self)
        self.keep.move(WIDTH - CORNER - 4, height - CORNER - 4)
        self.keep.hide()
        self.write = QPushButton(self)
        self.write.setProperty("quiet", True)
        self.write.hide()
        self.set_theme(theme)
        self.retranslate()

    @property
    def words(self) -> str:
        """The line under the name."""
        if self._why:
            return self._why
        read = self._read
        if read is None:
            return tr("Reading…")
        words = file_words(
            read.size, read.pages, read.pages_read, cut=read.cut, omitted=read.omitted
        )
        if read.encoding in ("", "utf-8"):
            return words
        return f"{words} · {tr('read as {encoding}', encoding=read.encoding)}"

    def show_read(self, read: ReadText) -> None:
        self._read = read
        self.keep.setVisible(self._keepable)
        self.retranslate()
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.encodings()
        if menu is not None:
            menu.popup(event.globalPos())

    def encodings(self) -> QMenu | None:
        """The encodings in which the file can be read; None for what is no text."""
        if self._read is None or not self._read.encoding or not self._keepable:
            return None
        menu = QMenu(tr("Decode as"), self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in OFFERED:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name == self._read.encoding)
            action.triggered.connect(partial(self._decode, name))
        return menu

    def _decode(self, encoding: str, _checked: bool = False) -> None:
        self._read = None
        self.retranslate()
        self.update()
        self.decoding.emit(encoding)

    def fail(self, why: str) -> None:
        """It won't be sent."""
        self._why = why
        self.retranslate()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.remove.set_theme(theme)
        self.keep.set_theme(theme)
        self.write.setFont(ui_font(theme, theme.small_px))
        self._place_write()
        self.update()

    def offer_write(self) -> None:
        self.write.show()
        self._place_write()

    def _place_write(self) -> None:
        if self.write.isHidden():
            return
        self.write.adjustSize()
        self.setFixedWidth(WIDTH + self.write.width())
        right = self.width() - 4
        self.remove.move(right - CORNER, 4)
        self.write.move(right - self.write.width(), self.height() - self.write.height() - 4)

    def retranslate(self) -> None:
        said = tr("{name}: {text}", name=self._name, text=self.words)
        self.setAccessibleName(said)
        set_tip(self, said)
        self.remove.name(self._name)
        self.keep.name(self._name)
        self.write.setText(tr("Insert as text"))
        set_tip(self.write, tr("Write it into the message instead"))
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
            upper = box.adjusted(10, 6, -CORNER - 10, -box.height() / 2)
            lower = box.adjusted(10, box.height() / 2, -CORNER - 10, -6)
            under = t.failed if self._why else t.asks if cut else t.muted
            _write(painter, upper, self._name, t.text, ui_font(t), Qt.TextElideMode.ElideMiddle)
            small = ui_font(t, t.small_px)
            if not self.write.isHidden():
                lower.setRight(self.write.x() - 4)
            _write(painter, lower, self.words, under, small, Qt.TextElideMode.ElideRight)


def _write(
    painter: QPainter, room: QRectF, words: str, color: str, font: QFont, elide: Qt.TextElideMode
) -> None:
    painter.setFont(font)
    painter.setPen(QColor(color))
    shown = painter.fontMetrics().elidedText(words, elide, int(room.width()))
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), shown)
