"""Makes a picture fit to be stored and sent, within the limits of all providers and without
metadata, one picture after the other. Accepted are PNG, JPEG, WebP, GIF (its first frame) and
BMP. The longest side becomes at most `SIDE` pixels, the file at most `BYTES`. Slow: call it on a
thread. Pillow is loaded with the first picture.
"""

from __future__ import annotations

import asyncio
import io
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from neodeskpet.core.attachments import Picture, name_by_content
from neodeskpet.core.errors import PictureRefused
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.platform.private_files import NotRegular, TooLarge, read_regular

if TYPE_CHECKING:
    from PIL import Image


T = TypeVar("T")

# A thread of its own: what waits in it keeps no thread from other work.
_queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")


async def run_in_picture_queue(work: Callable[[], T]) -> T:
    """The result of `work`, done on a thread when all pictures before it are done."""
    return await asyncio.get_running_loop().run_in_executor(_queue, work)


MOST_SIDE = 1568
MOST_BYTES = 3_500_000
MOST_PIXELS = 100_000_000
MOST_DECODE_BYTES = 450_000_000
"""Bytes that decoding may take, by pixels: four kilobytes can be a hundred million."""
MOST_FILE_BYTES = 200_000_000

# Bytes that a pixel takes while it is decoded, measured; a JPEG leaves out what isn't needed.
_KINDS = {"PNG": 4.5, "JPEG": 1.0, "WEBP": 16.0, "GIF": 2.0, "BMP": 4.5}
_PROGRESSIVE = 6.0
_PLAIN = 1_000_000  # a PNG above that is most likely a photograph
_QUALITIES = (88, 75, 60, 40)
_NAME = 120
_BAND = 1_000_000  # pixels
_ORIENTATION = 0x0112


def read_picture(path: Path) -> Picture:
    """The picture in the file `path`. Raises PictureRefused."""
    try:
        data = read_regular(path, MOST_FILE_BYTES)
    except NotRegular:
        raise _refused(path.name, reason=N_("It isn't a file.")) from None
    except TooLarge:
        raise _refused(path.name, reason=N_("It is too large.")) from None
    except OSError as error:
        raise _refused(path.name, error.strerror or str(error)) from None
    return fit_picture(data, path.name)


def fit_picture(data: bytes, name: str = "", *, memory: int = MOST_DECODE_BYTES) -> Picture:
    """The picture in `data`, a file's content; decoding it takes at most about `memory` bytes.
    Raises PictureRefused.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=tuple(_KINDS)) as image:
            pixels = image.width * image.height
            if pixels > MOST_PIXELS or pixels * _weight(image) > memory:
                raise _refused(name, reason=N_("It has too many pixels."))
            lossy = image.format == "JPEG"
            bare = _without_metadata(image)
    except PictureRefused:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _refused(name, reason=N_("It has too many pixels.")) from None
    except UnidentifiedImageError:
        plain = _without_extras(data)
        if plain == data:
            raise _refused(name, reason=N_("It isn't a picture of a known kind.")) from None
        return fit_picture(plain, name, memory=memory)
    except MemoryError:
        raise _refused(name, reason=N_("It is too large.")) from None
    except Exception as error:  # noqa: BLE001 - a decoder meets foreign data, and says no in many ways
        raise _refused(name, f"{type(error).__name__}: {error}"[:200]) from None
    content, media_type = _encode(bare, lossy=lossy)
    return Picture(name_by_content(content), content, media_type, clean_name(name))


def _weight(image: Image.Image) -> float:
    """Bytes for each pixel. Pillow knows more kinds of JPEG by names of their own."""
    return _PROGRESSIVE if "progressive" in image.info else _KINDS.get(image.format or "", 4.5)


_PNG = b"\x89PNG\r\n\x1a\n"


def _without_extras(data: bytes) -> bytes:
    """A PNG without its ancillary chunks: many programs don't care whether those are whole."""
    if not data.startswith(_PNG):
        return data
    kept, at = [_PNG], len(_PNG)
    while at + 12 <= len(data):
        size = 12 + int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 5].isupper() or data[at + 4 : at + 8] == b"tRNS":
            kept.append(data[at : at + size])
        at += size
    return b"".join(kept)


def clean_name(name: str) -> str:
    """A file's name as it can be shown and stored anywhere."""
    shown = "".join(c for c in name if unicodedata.category(c)[0] != "C")
    return shown[:_NAME].strip()


def _refused(name: str, detail: str = "", **reason: str) -> PictureRefused:
    return PictureRefused(detail, name=clean_name(name) or tr("This"), **reason)


def _without_metadata(image: Image.Image) -> Image.Image:
    """Scaled, upright, RGB or RGBA, and with nothing beside its pixels."""
    from PIL import Image, ImageOps

    share = min(1.0, MOST_SIDE / max(image.size))
    size = max(1, round(image.width * share)), max(1, round(image.height * share))
    if image.format == "JPEG":
        image.draft("RGB", size)  # the decoder itself leaves out what isn't needed
    small = _scale(_reduce(image, "RGBA" if image.has_transparency_data else "RGB"), size)
    small.getexif()[_ORIENTATION] = image.getexif().get(_ORIENTATION, 1)
    upright = ImageOps.exif_transpose(small)
    if upright.mode == "RGBA" and upright.getchannel("A").getextrema() == (255, 255):
        upright = upright.convert("RGB")
    bare = Image.new(upright.mode, upright.size)
    bare.paste(upright)
    return bare


# Pillow lets no other thread run while it converts and scales, and a window must not wait for a
# hundred megapixels: both are done in bands.


def _reduce(image: Image.Image, mode: str) -> Image.Image:
    """In `mode`, and by a whole factor to less than twice the size that is wanted."""
    from PIL import Image

    factor = max(1, max(image.size) // MOST_SIDE)
    small = Image.new(mode, (-(-image.width // factor), -(-image.height // factor)))
    tall = max(1, _BAND // (image.width * factor)) * factor
    for top in range(0, image.height, tall):
        box = (0, top, image.width, min(top + tall, image.height))
        small.paste(image.crop(box).convert(mode).reduce(factor), (0, top // factor))
    return small


def _scale(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    from PIL import Image

    if image.size == size:
        return image
    scaled = Image.new(image.mode, size)
    step = image.height / size[1]
    tall = max(1, int(_BAND / (image.width * step)))
    for top in range(0, size[1], tall):
        bottom = min(top + tall, size[1])
        box = (0, top * step, image.width, min(bottom * step, image.height))
        band = image.resize((size[0], bottom - top), Image.Resampling.LANCZOS, box)
        scaled.paste(band, (0, top))
    return scaled


def _encode(image: Image.Image, *, lossy: bool) -> tuple[bytes, str]:
    """The file's content and its media type: PNG where that is small enough, else JPEG."""
    from PIL import Image

    if not lossy:
        content = _save(image, "PNG")
        if len(content) <= (MOST_BYTES if image.mode == "RGBA" else _PLAIN):
            return content, "image/png"
    if image.mode == "RGBA":
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image).convert("RGB")
    content = b""
    for quality in _QUALITIES:
        content = _save(image, "JPEG", quality=quality)
        if len(content) <= MOST_BYTES:
            break
    return content, "image/jpeg"


def _save(image: Image.Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
