"""Pictures of all kinds, and files that only look like one."""

from __future__ import annotations

import io
import random
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops
from PIL.PngImagePlugin import PngInfo

from neodeskpet.core.attachments import Picture, name_by_content
from neodeskpet.core.errors import PictureRefused
from neodeskpet.storage.image_resize import (
    MOST_BYTES,
    MOST_SIDE,
    clean_name,
    fit_picture,
    read_picture,
)
from tests.support.pictures import encoded


def opened(picture: Picture) -> Image.Image:
    return Image.open(io.BytesIO(picture.data))


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [
        ("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/png"),
        ("GIF", "image/png"), ("BMP", "image/png"),
    ],
)  # fmt: skip
def test_every_accepted_format(kind: str, media_type: str) -> None:
    picture = fit_picture(encoded(kind), "a.b")
    assert picture.media_type == media_type
    assert picture.digest == name_by_content(picture.data)
    assert picture.name == "a.b"
    assert opened(picture).size == (6, 4)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16", "CMYK"])
def test_every_pixel_format(mode: str) -> None:
    out = io.BytesIO()
    Image.new(mode, (5, 5)).save(out, "JPEG" if mode == "CMYK" else "PNG")
    assert opened(fit_picture(out.getvalue())).size == (5, 5)


def test_a_large_one_is_scaled_and_a_small_one_is_not() -> None:
    assert opened(fit_picture(encoded("JPEG", (4000, 1000)))).size == (MOST_SIDE, 392)
    assert opened(fit_picture(encoded("PNG", (3, 5000)))).size == (1, MOST_SIDE)
    assert opened(fit_picture(encoded("PNG", (MOST_SIDE, 9)))).size == (MOST_SIDE, 9)


def test_a_picture_scaled_in_bands_is_the_same() -> None:
    whole = Image.radial_gradient("L").resize((3000, 700)).convert("RGB")
    out = io.BytesIO()
    whole.save(out, "BMP")
    expected = whole.resize((MOST_SIDE, 366), Image.Resampling.LANCZOS)
    fitted = opened(fit_picture(out.getvalue())).convert("RGB")
    difference = ImageChops.difference(fitted, expected).getextrema()
    assert max(high for _, high in difference) <= 3


def test_it_is_rotated_upright_and_contains_no_location() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # rotated by 90°
    exif[0x8825] = {1: "N", 2: (51.0, 30.0, 0.0)}
    picture = fit_picture(encoded("JPEG", (8, 4), exif=exif, comment=b"at home"))
    assert opened(picture).size == (4, 8)
    assert not opened(picture).getexif()
    for word in (b"Exif", b"at home"):
        assert word not in picture.data
    notes = PngInfo()
    notes.add_text("Author", "me myself")
    noted = fit_picture(encoded("PNG", pnginfo=notes, exif=exif))
    assert b"me myself" not in noted.data
    assert b"eXIf" not in noted.data


def test_of_an_animation_the_first_picture_is_used() -> None:
    out = io.BytesIO()
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    red = opened(fit_picture(out.getvalue())).convert("RGB").getpixel((1, 1))
    assert red == (254, 0, 0) or red == (255, 0, 0)


def test_noise_is_kept_within_the_limit() -> None:
    noise = random.Random(1).randbytes(1200 * 1200 * 3)
    out = io.BytesIO()
    Image.frombytes("RGB", (1200, 1200), noise).save(out, "BMP")
    picture = fit_picture(out.getvalue())
    assert picture.media_type == "image/jpeg"
    assert len(picture.data) <= MOST_BYTES


def test_transparent_pixels_become_white_in_a_jpeg() -> None:
    noise = random.Random(1).randbytes(1100 * 1100 * 4)
    clear = Image.frombytes("RGBA", (1100, 1100), noise)
    clear.paste((0, 0, 0, 0), (0, 0, 64, 64))
    out = io.BytesIO()
    clear.save(out, "PNG")
    picture = fit_picture(out.getvalue())
    assert picture.media_type == "image/jpeg"
    corner = opened(picture).getpixel((8, 8))
    assert isinstance(corner, tuple)
    assert min(corner) > 240


def _bomb(width: int, height: int) -> bytes:
    """A PNG whose header claims this size, with almost no content."""

    def chunk(name: bytes, data: bytes) -> bytes:
        size, check = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(name + data))
        return size + name + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 100)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows)


@pytest.mark.parametrize("size", [(10_001, 10_000), (65_000, 65_000)])
def test_a_bomb_is_not_decoded(size: tuple[int, int]) -> None:
    with pytest.raises(PictureRefused) as refused:
        fit_picture(_bomb(*size), "bomb.png")
    reason = "It has too many pixels."
    assert refused.value.params == {"name": "bomb.png", "reason": reason}


@pytest.mark.parametrize(
    "data",
    [
        b"", b"hello", b"%PDF-1.7", b"<svg xmlns='x'/>", b"\x89PNG\r\n\x1a\n", b"GIF89a",
        encoded("TIFF"), encoded("PNG", (400, 400))[:90],
    ],
)  # fmt: skip
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(PictureRefused):
        fit_picture(data, "x")


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["PNG", "JPEG", "GIF", "BMP", "WEBP"]), st.data())
def test_a_damaged_file_is_accepted_or_refused(kind: str, data: st.DataObject) -> None:
    spoilt = bytearray(encoded(kind, (16, 16)))
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(0, len(spoilt) - 1))] = data.draw(st.integers(0, 255))
    try:
        fit_picture(bytes(spoilt))
    except PictureRefused:
        return


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "图 1.png"
    file.write_bytes(encoded())
    assert read_picture(file).name == "图 1.png"
    for name in ("not there.png", "."):
        with pytest.raises(PictureRefused):
            read_picture(tmp_path / name)
    sparse = tmp_path / "huge.png"
    with sparse.open("wb") as out:
        out.truncate(300_000_000)
    with pytest.raises(PictureRefused) as refused:
        read_picture(sparse)
    assert refused.value.params["reason"] == "It is too large."


def test_names_that_can_be_shown() -> None:
    assert clean_name("a\udce4\n\u202eb.png") == "ab.png"
    assert len(clean_name("x" * 500)) == 120


@pytest.mark.parametrize(
    ("kind", "options", "taken"),
    [
        ("PNG", {}, True),
        ("JPEG", {}, True),
        ("WEBP", {}, False),
        ("JPEG", {"progressive": True}, False),
    ],
)
def test_the_memory_for_decoding_is_limited(
    kind: str, options: dict[str, object], taken: bool
) -> None:
    """Four kilobytes of WebP took 1.5 GB."""
    data = encoded(kind, (100, 100), **options)
    if taken:
        assert fit_picture(data, memory=50_000).data
        return
    with pytest.raises(PictureRefused, match="too many pixels"):
        fit_picture(data, memory=50_000)


def test_a_broken_colour_profile_does_no_harm() -> None:
    whole = encoded("PNG")
    at = whole.index(b"IDAT") - 4
    profile = struct.pack(">I", 4) + b"iCCPabcd" + b"\0\0\0\0"  # its checksum is wrong
    picture = fit_picture(whole[:at] + profile + whole[at:])
    assert picture.data == fit_picture(whole).data
    with pytest.raises(PictureRefused):
        fit_picture(whole[:8] + b"\0\0\0\4" + whole[12:60])
