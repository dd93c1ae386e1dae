"""A theme prepared for painting: fonts, font metrics, colours and palettes, created once."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPalette, QPixmap

from neodeskpet.ui.theme import Theme, code_font, ui_font


class ItemStyle:
    """Fonts, metrics and colours of one theme. Sizes are device-independent pixels."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.font = ui_font(theme)
        self.bold = ui_font(theme, bold=True)
        self.small = ui_font(theme, theme.small_px)
        self.small_bold = ui_font(theme, theme.small_px, bold=True)
        self.code = code_font(theme)
        self.metrics = QFontMetricsF(self.font)
        self.bold_metrics = QFontMetricsF(self.bold)
        self.small_metrics = QFontMetricsF(self.small)
        self.code_metrics = QFontMetricsF(self.code)
        self.code_line = round(theme.code_px * 1.55)
        self.small_line = round(theme.small_px * 1.6)
        self.column_width = round(self.metrics.horizontalAdvance("0") * theme.column_chars)
        self._colors: dict[str, QColor] = {}
        self.caret_height = round(theme.font_px * 1.25)
        self._carets: dict[float, QPixmap] = {}
        self.palette = self._palette(theme.text)
        self.muted_palette = self._palette(theme.muted)
        self.failed_palette = self._palette(theme.failed)

    def color(self, token: str) -> QColor:
        """Return the colour of a token of the theme ("accent") or of its syntax colours
        ("syntax.keyword").
        """
        found = self._colors.get(token)
        if found is None:
            owner: object = self.theme
            for name in token.split("."):
                owner = getattr(owner, name)
            found = self._colors[token] = QColor(str(owner))
        return found

    def caret(self, ratio: float) -> QPixmap:
        """Return the caret for streaming text, for this device pixel ratio."""
        found = self._carets.get(ratio)
        if found is None:
            tall, wide = self.caret_height, round(self.theme.font_px * 0.55)
            found = QPixmap(math.ceil(wide * ratio), math.ceil(tall * ratio))
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            with QPainter(found) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self.color("accent"))
                painter.drawRoundedRect(QRectF(0, 0, wide, tall), 2, 2)
            self._carets[ratio] = found
        return found

    def metrics_of(self, font: QFont) -> QFontMetricsF:
        """Return the metrics of one of this style's fonts."""
        if font is self.bold:
            return self.bold_metrics
        if font is self.small or font is self.small_bold:
            return self.small_metrics
        return self.code_metrics if font is self.code else self.metrics

    def chars_per_line(self, width: int) -> int:
        """Return the estimated number of characters in a line of this width."""
        return max(8, int(width / (self.theme.font_px * 0.56)))

    def estimate(self, chars: int, width: int, lines: int = 1) -> int:
        """Return the estimated height of `chars` characters of text with `lines` line breaks."""
        return (chars // self.chars_per_line(width) + max(1, lines)) * self.theme.line_px

    def _palette(self, text: str) -> QPalette:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, QColor(text))
        palette.setColor(QPalette.ColorRole.Base, QColor(self.theme.window))
        palette.setColor(QPalette.ColorRole.Highlight, QColor(self.theme.selection))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(self.theme.text))
        return palette
