"""The app's own icons: SVG files in one colour, sharp at every scale and in any colour.

A file in `assets/icons` uses `currentColor`; `icon("send", colour)` replaces it. This module is
independent of themes.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from neodeskpet.platform.installation import assets_dir

SCALES = (1.0, 1.5, 2.0, 3.0)
"""Device pixel ratios of an icon's pictures, so that none is enlarged."""


def icon_names() -> tuple[str, ...]:
    """Return the names of all icons, sorted."""
    return tuple(sorted(path.stem for path in (assets_dir() / "icons").glob("*.svg")))


def pixmap(name: str, colour: QColor, side: int = 20, ratio: float = 1.0) -> QPixmap:
    """Return an icon as a picture of `side` logical pixels. Raises FileNotFoundError."""
    # Each is requested about five times at the start, and again after a change of the theme.
    key = f"icon {name} {colour.name(QColor.NameFormat.HexArgb)} {side} {ratio}"
    picture = QPixmap()
    if not QPixmapCache.find(key, picture):
        picture = _draw(name, colour, side, ratio)
        QPixmapCache.insert(key, picture)
    return picture


def _draw(name: str, colour: QColor, side: int, ratio: float) -> QPixmap:
    tinted = _source(name).replace("currentColor", colour.name())
    picture = QPixmap(QSize(round(side * ratio), round(side * ratio)))
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(colour.alphaF())
        QSvgRenderer(QByteArray(tinted.encode())).render(
            painter, QRectF(0, 0, picture.width(), picture.height())
        )
    picture.setDevicePixelRatio(ratio)
    return picture


def icon(name: str, colour: QColor, side: int = 20, *, disabled: QColor | None = None) -> QIcon:
    """Return an icon for every scale; `disabled` is its colour on a disabled control."""
    made = QIcon()
    for ratio in SCALES:
        made.addPixmap(pixmap(name, colour, side, ratio), QIcon.Mode.Normal)
        if disabled is not None:
            made.addPixmap(pixmap(name, disabled, side, ratio), QIcon.Mode.Disabled)
    return made


@cache
def _source(name: str) -> str:
    return (assets_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
