"""Damaged packs raise no other error: each is refused with a reason, or its valid parts
are shown.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_reader import describe_model, find_models
from neodeskpet.figure.sprites.importer_child import import_pack
from neodeskpet.figure.sprites.simple_packs import name_pictures
from neodeskpet.figure.sprites.sprite_figure import SPRITE_FIGURE_FILE, read_sprite_figure
from neodeskpet.figure.sprites.sprite_packs import read_pack_content
from tests.unit.figure.sprites.packs import film, pet, shimeji

SPOILT = 1_000


def png(width: int, height: int, *chunks: bytes) -> bytes:
    """A PNG that claims this size and has no content."""
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    body = b"".join(chunk(one[:4], one[4:]) for one in chunks)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


def test_a_pack_is_developed_once_and_then_cached(tmp_path: Path) -> None:
    pack, cache = pet(tmp_path / "blob", 11).parent, tmp_path / "cache"
    first = asyncio.run(check_model(pack, cache))
    assert first.pictures is not None
    assert first.motions["waving"] == 1
    assert first.root.parent == cache / "models"
    written = (first.root / SPRITE_FIGURE_FILE).stat().st_mtime_ns
    assert asyncio.run(check_model(pack, cache)).pictures == first.pictures
    assert (first.root / SPRITE_FIGURE_FILE).stat().st_mtime_ns == written
    (first.root / "sheet-0.png").write_bytes(b"changed by somebody")
    assert asyncio.run(check_model(pack, cache)).root == first.root
    assert (first.root / SPRITE_FIGURE_FILE).stat().st_mtime_ns != written, "developed again"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"GIF89a", "damaged"),
        (png(100_000, 100_000), "damaged"),
        (png(8000, 8000), "not between"),
        (png(16, 16, b"acTL" + struct.pack(">II", 1_000_000, 0)), "frames"),
        (png(16, 16, b"IDAT" + zlib.compress(b"\0" * 40)), "damaged"),
    ],
)
def test_pictures_that_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "idle.png").write_bytes(data)
    file = name_pictures(tmp_path, "Cat")
    assert file is not None
    cache = tmp_path.parent / f"{tmp_path.name}-cache"
    with pytest.raises(ModelFileError, match=reason):
        asyncio.run(check_model(file, cache))
    with pytest.raises(ModelFileError, match=reason):
        asyncio.run(check_model(file, cache))


def test_the_stored_form_is_read_from_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / SPRITE_FIGURE_FILE).write_text("{}")
    with pytest.raises(ModelFileError, match="outside"):
        asyncio.run(check_model(tmp_path, tmp_path / "cache"))


def test_a_pack_is_recognised_by_its_actions(tmp_path: Path) -> None:
    actions = shimeji(tmp_path / "cat")
    assert find_models(tmp_path) == [actions]
    assert describe_model(tmp_path / "cat").motions["Walk"] == 1


def spoil(data: bytes, random: Random) -> bytes:
    """Cut short, doubled, with bytes changed, or with invalid numbers."""
    place, kind = random.randrange(len(data)), random.randrange(5)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + data[place // 2 :]
    if kind == 2:
        swaps = ((b"1", b"-99999999"), (b"250", b"NaN"), (b".png", b"/../../x"), (b"<", b"<!"))
        return data.replace(*swaps[random.randrange(len(swaps))])
    changed = bytearray(data)
    for _ in range(random.randrange(1, 30)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


MAKERS: tuple[Callable[[Path], Path], ...] = (
    pet,
    shimeji,
    lambda folder: shimeji(folder, actions=False),
    lambda folder: _films(folder, "a.webp", "WEBP"),
    lambda folder: _films(folder, "a.png", "PNG"),
    lambda folder: _films(folder, "a.gif", "GIF"),
)


def _films(folder: Path, name: str, kind: str) -> Path:
    folder.mkdir()
    film(folder / name, 3, kind)
    file = name_pictures(folder, "Cat")
    assert file is not None
    return file


@pytest.mark.filterwarnings("ignore")
def test_damaged_packs(tmp_path: Path) -> None:
    random = Random(7)
    refused = 0
    packs = [maker(tmp_path / f"pack-{number}") for number, maker in enumerate(MAKERS)]
    out = tmp_path / "out"
    out.mkdir()
    for _ in range(SPOILT):
        settings = random.choice(packs)
        folder = settings.parent.parent if settings.parent.name == "conf" else settings.parent
        file = random.choice(sorted(one for one in folder.rglob("*") if one.is_file()))
        sound = file.read_bytes()
        file.write_bytes(spoil(sound, random))
        try:
            import_pack(read_pack_content(settings), out)
            read_sprite_figure(out)
        except ModelFileError as error:
            assert error.detail
            refused += 1
        finally:
            file.write_bytes(sound)
    assert SPOILT / 4 < refused < SPOILT
