"""One file for a character with its world book, its portrait and its figure: a CharX archive, which
other programs read as a card, with the figure as a zip archive in it.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from neodeskpet.characters.cards.card_files import write_charx
from neodeskpet.characters.cards.character_card import Card, without_private_data
from neodeskpet.platform.private_files import open_regular

SHARE_SUFFIX = ".charx"
_FIGURE = "assets/other/neodeskpet-figure.zip"
_MOST_FIGURE_BYTES = 500_000_000


def write_shared(card: Card, picture: bytes, figure: Path | None) -> bytes:
    """Return the content of the file; `figure` is the folder of a figure that may be shared. Slow:
    call it in a thread. Raises OSError.
    """
    file = io.BytesIO(write_charx(without_private_data(card), picture))
    if figure is not None:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(figure.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    name = Path(figure.name) / path.relative_to(figure)
                    archive.write(path, name.as_posix())
        with zipfile.ZipFile(file, "a", zipfile.ZIP_STORED) as archive:
            archive.writestr(_FIGURE, inner.getvalue())
    return file.getvalue()


def extract_figure(source: Path, target: Path) -> bool:
    """Write the zip archive with the figure of a shared file to `target`, without unpacking it;
    return whether there is one. Slow: call it in a thread. Raises OSError.
    """
    try:
        with open_regular(source) as file, zipfile.ZipFile(file) as archive:
            info = archive.getinfo(_FIGURE)
            if info.file_size > _MOST_FIGURE_BYTES:
                return False
            left = _MOST_FIGURE_BYTES
            with archive.open(info) as inner, target.open("xb") as out:
                while chunk := inner.read(1 << 20):
                    left -= len(chunk)
                    if left < 0:
                        return False
                    out.write(chunk)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        return False
    return True
