"""Shrinks pictures to the limits of storage and of all providers, and removes metadata, one picture
after another. Accepted are PNG, JPEG, WebP, GIF (its first frame) and BMP. The longest side becomes
at most `MOST_SIDE` pixels, the file at most `MOST_BYTES`. Slow: call it on a thread. Pillow is
imported with the first picture.
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

# A thread of its own, so that waiting pictures don't block threads for other work.
_queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")


async def run_in_picture_queue(work: Callable[[], T]) -> T:
    """Run `work` on the picture thread after all earlier pictures, and return its result."""
    return await asyncio.get_running_loop().run_in_executor(_queue, work)


MOST_SIDE = 1568
MOST_BYTES = 3_500_000
MOST_PIXELS = 100_000_000
MOST_DECODE_BYTES = 450_000_000
"""Most bytes that decoding may use, estimated from the pixels: a file of four kilobytes can have a
hundred million.
"""
MOST_FILE_BYTES = 200_000_000

# Bytes that decoding takes per pixel, measured; a JPEG decoder can skip unneeded detail.
_KINDS = {"PNG": 4.5, "JPEG": 1.0, "WEBP": 16.0, "GIF": 2.0, "BMP": 4.5}
_PROGRESSIVE = 6.0
_PLAIN = 1_000_000  # bytes; a larger PNG is most likely a photograph
_QUALITIES = (88, 75, 60, 40)
_NAME = 120
_BAND = 1_000_000  # pixels
_ORIENTATION = 0x0112


def read_picture(path: Path) -> Picture:
    """Read the picture in the file `path`. Raises PictureRefused."""
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
    """Return the picture in `data`, a file's content; decoding uses at most about `memory` bytes.
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
            raise _refused(name, reason=N_("It isn't a supported picture format.")) from None
        return fit_picture(plain, name, memory=memory)
    except MemoryError:
        raise _refused(name, reason=N_("It is too large.")) from None
    except Exception as error:  # noqa: BLE001 - decoders raise many types of errors for untrusted data
        raise _refused(name, f"{type(error).__name__}: {error}"[:200]) from None
    content, media_type = _encode(bare, lossy=lossy)
    return Picture(name_by_content(content), content, media_type, clean_name(name))


def _weight(image: Image.Image) -> float:
    """Return the bytes per pixel. Pillow has further format names for JPEG variants."""
    return _PROGRESSIVE if "progressive" in image.info else _KINDS.get(image.format or "", 4.5)


_PNG = b"\x89PNG\r\n\x1a\n"


def _without_extras(data: bytes) -> bytes:
    """Return a PNG without its ancillary chunks: many programs accept files in which these are
    damaged.
    """
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
    """Return a file's name without control characters, shortened."""
    shown = "".join(c for c in name if unicodedata.category(c)[0] != "C")
    return shown[:_NAME].strip()


def _refused(name: str, detail: str = "", **reason: str) -> PictureRefused:
    return PictureRefused(detail, name=clean_name(name) or tr("This"), **reason)


def _without_metadata(image: Image.Image) -> Image.Image:
    """Return the picture scaled, upright, in RGB or RGBA, and without metadata."""
    from PIL import Image, ImageOps

    share = min(1.0, MOST_SIDE / max(image.size))
    size = max(1, round(image.width * share)), max(1, round(image.height * share))
    if image.format == "JPEG":
        image.draft("RGB", size)  # the decoder itself skips unneeded detail
    small = _scale(_reduce(image, "RGBA" if image.has_transparency_data else "RGB"), size)
    small.getexif()[_ORIENTATION] = image.getexif().get(_ORIENTATION, 1)
    upright = ImageOps.exif_transpose(small)
    if upright.mode == "RGBA" and upright.getchannel("A").getextrema() == (255, 255):
        upright = upright.convert("RGB")
    bare = Image.new(upright.mode, upright.size)
    bare.paste(upright)
    return bare


# Pillow holds the GIL while it converts and scales, and a window must not wait for a
# hundred megapixels: both are done in bands.


def _reduce(image: Image.Image, mode: str) -> Image.Image:
    """Convert to `mode` and shrink by an integer factor, to less than twice the wanted size."""
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
    """Return the file's content and its media type: PNG if that is small enough, else JPEG."""
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
