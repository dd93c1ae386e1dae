"""Makes a picture fit to be stored and sent: within the limits of all providers, and bare.

Taken are PNG, JPEG, WebP, GIF (its first picture) and BMP. The longest side becomes at most `SIDE`
pixels, the file at most `BYTES`; the orientation is applied, and everything beside the picture
(place, camera, comments) is left out. Slow: call it on a thread.
"""

from __future__ import annotations

import io
import os
import stat
import unicodedata
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from neodeskpet.core.errors import PictureRefused
from neodeskpet.core.picture import Picture, name_by_content
from neodeskpet.language import tr

SIDE = 1568
BYTES = 3_500_000
PIXELS = 100_000_000
FILE_BYTES = 200_000_000

_KINDS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_PLAIN = 1_000_000  # a PNG above that is most likely a photograph
_QUALITIES = (88, 75, 60, 40)
_NAME = 120


def read_picture(path: Path) -> Picture:
    """The picture in the file `path`. Raises PictureRefused."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise _refused(path.name, tr("It isn't a file."))
            if found.st_size > FILE_BYTES:
                raise _refused(path.name, tr("It is too large."))
            data = file.read()
    except OSError as error:
        raise _refused(path.name, error.strerror or str(error)) from None
    return fit_picture(data, path.name)


def fit_picture(data: bytes, name: str = "") -> Picture:
    """The picture in `data`, a file's content. Raises PictureRefused."""
    try:
        with Image.open(io.BytesIO(data), formats=_KINDS) as image:
            if image.width * image.height > PIXELS:
                raise _refused(name, tr("It has too many pixels."))
            lossy = image.format == "JPEG"
            bare = _bare(image)
    except PictureRefused:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _refused(name, tr("It has too many pixels.")) from None
    except UnidentifiedImageError:
        raise _refused(name, tr("It isn't a picture of a known kind.")) from None
    except MemoryError:
        raise _refused(name, tr("It is too large.")) from None
    except Exception as error:  # noqa: BLE001 - a decoder meets foreign data, and says no in many ways
        raise _refused(name, f"{type(error).__name__}: {error}"[:200]) from None
    content, media_type = _encode(bare, lossy=lossy)
    return Picture(name_by_content(content), content, media_type, clean_name(name))


def clean_name(name: str) -> str:
    """A file's name as it can be shown and stored anywhere."""
    shown = "".join(c for c in name if unicodedata.category(c)[0] != "C")
    return shown[:_NAME].strip()


def _refused(name: str, reason: str) -> PictureRefused:
    return PictureRefused(reason, name=clean_name(name) or tr("This"))


def _bare(image: Image.Image) -> Image.Image:
    """Scaled, upright, RGB or RGBA, and with nothing beside its pixels."""
    if image.format == "JPEG":
        image.draft("RGB", (SIDE, SIDE))  # the decoder itself leaves out what isn't needed
    clear = image.has_transparency_data
    wide = image.convert("RGBA" if clear else "RGB")
    wide.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    upright = ImageOps.exif_transpose(wide)
    if clear and upright.getchannel("A").getextrema() == (255, 255):
        upright = upright.convert("RGB")
    bare = Image.new(upright.mode, upright.size)
    bare.paste(upright)
    return bare


def _encode(image: Image.Image, *, lossy: bool) -> tuple[bytes, str]:
    """The file's content and its media type: PNG where that is small enough, else JPEG."""
    if not lossy:
        content = _save(image, "PNG")
        if len(content) <= (BYTES if image.mode == "RGBA" else _PLAIN):
            return content, "image/png"
    if image.mode == "RGBA":
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image).convert("RGB")
    content = b""
    for quality in _QUALITIES:
        content = _save(image, "JPEG", quality=quality)
        if len(content) <= BYTES:
            break
    return content, "image/jpeg"


def _save(image: Image.Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
