"""Draws contact sheets and small pictures of models as PNG files, in a separate process.

`draw_sheet` and `draw_picture` start that process: `python -m neodeskpet.figure.contact_sheet
SETTINGS OUT [--title T] [--picture HEIGHT] [--wears PART] [--reach L,T,R,B]`. SETTINGS is the
settings file of a checked copy.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.isolated_check import run_isolated
from neodeskpet.figure.files.model_reader import ModelDescription, file_error
from neodeskpet.figure.live2d.model_renderer import ModelRenderer, drawing_context
from neodeskpet.figure.sprites.sprite_figure import SPRITE_FIGURE_FILE
from neodeskpet.figure.sprites.sprite_thumbnails import SpriteThumbnails, Thumbnail
from neodeskpet.language import tr
from neodeskpet.platform.child_process import child_command

if TYPE_CHECKING:
    from PIL.Image import Image
    from PySide6.QtGui import QImage

SHEET_SECONDS = 180.0
PICTURE_HEIGHT = 240
_TILE = 260
_COLUMNS = 6
_GAP, _MARGIN, _LABEL = 12, 28, 26
_PAPER, _CARD, _INK, _MUTED = "#FBF8F3", "#FFFFFF", "#2B2440", "#6B6480"
_NO_GL = 3


async def draw_sheet(
    description: ModelDescription, out: Path, *, timeout: float = SHEET_SECONDS
) -> None:
    """Write the sheet of a model that `model_guard.check_model` accepted. Raises ModelFileError."""
    await _draw(description, out, [], timeout)


async def draw_picture(
    description: ModelDescription, out: Path, *, height: int = PICTURE_HEIGHT, wears: str = ""
) -> None:
    """Write one picture of the figure, with alpha; it wears this part. Raises ModelFileError."""
    words = ["--picture", str(height), f"--wears={wears}"]
    await _draw(description, out, words, SHEET_SECONDS)


async def _draw(description: ModelDescription, out: Path, words: list[str], timeout: float) -> None:
    command = [
        *child_command("draw"),
        str(description.root / (SPRITE_FIGURE_FILE if description.pictures else "model.json")),
        str(out),
        f"--title={description.name}",
        *words,
    ]
    if description.reach is not None:
        command.append("--reach=" + ",".join(f"{share:.4f}" for share in description.reach))
    try:
        code, _ = await run_isolated(command, timeout)
    except subprocess.TimeoutExpired:
        code = None
    except OSError as error:
        raise file_error(description.file.name, str(error)) from None
    if code == _NO_GL:
        raise ModelFileError(tr("This computer has no OpenGL."), file=description.file.name)
    if code != 0:
        raise file_error(description.file.name, tr("Its pictures could not be drawn."))


def main(arguments: Sequence[str]) -> int:
    """Run in the other process; 0 when the picture is written, 3 without OpenGL."""
    parser = argparse.ArgumentParser()
    parser.add_argument("settings", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--title", default="")
    parser.add_argument("--picture", type=int, default=0)
    parser.add_argument("--wears", default="")
    parser.add_argument("--reach", type=_reach, default=None)
    words = parser.parse_args(arguments)
    application = _application()
    if words.settings.name == SPRITE_FIGURE_FILE:
        done = _render_pictures(SpriteThumbnails(words.settings.parent), words)
    else:
        with drawing_context() as ready:
            if not ready:
                return _NO_GL
            text = words.settings.read_text(encoding="utf-8")
            done = _render_pictures(
                ModelRenderer(text, str(words.settings.parent), words.reach), words
            )
    del application
    return 0 if done else 1


def _render_pictures(renderer: ModelRenderer | SpriteThumbnails, words: argparse.Namespace) -> bool:
    if words.picture:
        if isinstance(renderer, ModelRenderer):
            picture = renderer.picture(words.picture, words.wears)
        else:
            picture = renderer.picture(words.picture)
        return _qimage(picture).save(str(words.out))
    rows = [list(renderer.expressions(_TILE)), list(renderer.motions(_TILE))]
    rows = [row for row in rows if row] or [[Thumbnail("", renderer.picture(_TILE))]]
    return _compose(words.title, rows).save(str(words.out))


def _reach(text: str) -> tuple[float, float, float, float]:
    left, top, right, bottom = (float(part) for part in text.split(","))
    return left, top, right, bottom


def _application() -> object:
    """Create a Qt application: Qt draws the texts, because it has fonts for all languages."""
    from PySide6.QtGui import QGuiApplication

    words = ["sheet"]
    if sys.platform == "linux":
        words += ["-platform", "offscreen"]
    return QGuiApplication(words)


def _compose(title: str, rows: Sequence[Sequence[Thumbnail]]) -> QImage:
    """Return one picture of all thumbnails with their names, expressions above, motions below."""
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QColor, QFont, QImage, QPainter

    tile_w = max(shot.picture.width for row in rows for shot in row)
    tile_h = max(shot.picture.height for row in rows for shot in row)
    lines = [row[at : at + _COLUMNS] for row in rows for at in range(0, len(row), _COLUMNS)]
    columns = max(len(line) for line in lines)
    step_x, step_y = tile_w + _GAP, tile_h + _LABEL + _GAP
    width = 2 * _MARGIN + columns * step_x - _GAP
    top = _MARGIN + 40
    sheet = QImage(width, top + len(lines) * step_y + _MARGIN - _GAP, QImage.Format.Format_RGB32)
    sheet.fill(QColor(_PAPER))
    with QPainter(sheet) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont()
        font.setPixelSize(20)
        painter.setFont(font)
        painter.setPen(QColor(_INK))
        painter.drawText(QRectF(_MARGIN, _MARGIN - 8, width, 32), title)
        font.setPixelSize(14)
        painter.setFont(font)
        middle = Qt.AlignmentFlag.AlignCenter
        for row, line in enumerate(lines):
            for column, shot in enumerate(line):
                x, y = _MARGIN + column * step_x, top + row * step_y
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(_CARD))
                painter.drawRoundedRect(QRectF(x, y, tile_w, tile_h + _LABEL), 10, 10)
                painter.drawImage(x + (tile_w - shot.picture.width) // 2, y, _qimage(shot.picture))
                painter.setPen(QColor(_MUTED))
                painter.drawText(QRectF(x, y + tile_h, tile_w, _LABEL - 2), middle, shot.name)
    return sheet


def _qimage(picture: Image) -> QImage:
    from PySide6.QtGui import QImage

    form = QImage.Format.Format_RGBA8888_Premultiplied
    width, height = picture.size
    return QImage(picture.tobytes(), width, height, width * 4, form).copy()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
