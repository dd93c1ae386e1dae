"""Line breaking for texts that are painted line by line, such as the bubble."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextLayout, QTextOption


def break_lines(text: str, font: QFont, width: float) -> list[str]:
    """Return `text` in lines of at most `width` pixels (except spaces at their ends); a wider word
    is broken anywhere.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        units = _units(paragraph)
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            start, length = line.textStart(), line.textLength()
            lines.append(_part(paragraph, units, start, length))
        layout.endLayout()
    return lines


def _units(text: str) -> bytes | None:
    """Return UTF-16 if the text has characters of two units, such as emoji; None if each is one
    unit.
    """
    return text.encode("utf-16-le") if max(text, default="") > "\uffff" else None


def _part(text: str, units: bytes | None, start: int, length: int) -> str:
    if units is None:
        return text[start : start + length]
    return units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")
