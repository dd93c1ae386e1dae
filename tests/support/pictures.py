"""Pictures for tests, encoded."""

from __future__ import annotations

import io

from PIL import Image

from neodeskpet.core.attachments import Picture, name_by_content


def encoded(
    kind: str = "PNG",
    size: tuple[int, int] = (6, 4),
    colour: str = "teal",
    mode: str = "RGB",
    **options: object,
) -> bytes:
    """A file of one colour."""
    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, kind, **options)
    return out.getvalue()


def picture(colour: str = "teal", name: str = "", *, quoted: bool = False) -> Picture:
    data = encoded(colour=colour)
    return Picture(name_by_content(data), data, "image/png", name, quoted)
