"""Archives and models, imported and checked as the settings do it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_library import ModelLibrary
from neodeskpet.platform.installation import assets_dir
from tests.bench.hostile.case import DISK_MIB, IMPORT_SECONDS, Case, Scene, Wrong
from tests.bench.hostile.turns import flat_png

Make = Callable[[Path], Path]
"""Writes the file into a folder; returns what is to be imported."""

_MIB = 1 << 20


def _neo(folder: Path, change: Callable[[dict[str, Any], Path], None]) -> Path:
    """The bundled model with `change` applied to its settings; return a folder."""
    target = folder / "figure"
    shutil.copytree(assets_dir() / "companion" / "neo", target)
    settings = target / "neo.model3.json"
    tree = json.loads(settings.read_text("utf-8"))
    change(tree["FileReferences"], target)
    settings.write_text(json.dumps(tree), encoding="utf-8")
    return target


def _bomb(folder: Path, method: int) -> Path:
    """Half a gigabyte of zeros beside a valid model."""
    file = folder / "figure.zip"
    with zipfile.ZipFile(file, "w", method) as archive:
        _pack(archive, assets_dir() / "companion" / "neo")
        with archive.open("neo/bomb.bin", "w", force_zip64=True) as out:
            for _ in range(512):
                out.write(bytes(_MIB))
    return file


def _pack(archive: zipfile.ZipFile, source: Path) -> None:
    for file in sorted(source.rglob("*")):
        if file.is_file():
            packed = zipfile.ZIP_DEFLATED
            archive.write(file, f"neo/{file.relative_to(source)}", compress_type=packed)


def _many_motions(references: dict[str, Any], folder: Path) -> None:
    one = references["Motions"]["Wave"][0]
    for number in range(100_000):
        references["Motions"][f"M{number}"] = [one]


def _one_motion_often(references: dict[str, Any], folder: Path) -> None:
    one = references["Motions"]["Wave"][0]
    file = folder / one["File"]
    motion = json.loads(file.read_text("utf-8"))
    curve = motion["Curves"][0]
    motion["UserData"] = [{"Time": 0.0, "Value": "x" * 3_000_000}]
    motion["Meta"]["UserDataCount"] = 1
    motion["Meta"]["TotalUserDataSize"] = 3_000_000
    assert curve
    file.write_text(json.dumps(motion), encoding="utf-8")
    references["Motions"]["Wave"] = [one] * 300


def _much_motion(references: dict[str, Any], folder: Path, files: int) -> None:
    """Curves of 3 MB in each of that many files."""
    one = json.loads((folder / references["Motions"]["Wave"][0]["File"]).read_text("utf-8"))
    names = [curve["Id"] for curve in one["Curves"] if curve["Target"] == "Parameter"]
    segments = [0.0, 0.0]
    for number in range(10_000):
        segments += [0, (number + 1) * 0.001, number % 7 * 0.1]
    one["Meta"]["Duration"] = 10.0
    one["Curves"] = [
        {"Target": "Parameter", "Id": names[number % len(names)], "Segments": segments}
        for number in range(14)
    ]
    for number in range(files):
        (folder / f"long{number}.motion3.json").write_text(json.dumps(one), encoding="utf-8")
        references["Motions"][f"Long{number}"] = [{"File": f"long{number}.motion3.json"}]


def _one_texture_often(references: dict[str, Any], folder: Path) -> None:
    (folder / "flat.png").write_bytes(flat_png(4096, 4096))
    references["Textures"] += ["flat.png"] * 64


def _huge_texture(references: dict[str, Any], folder: Path) -> None:
    (folder / "flat.png").write_bytes(flat_png(30_000, 30_000))
    references["Textures"].append("flat.png")


def _many_expressions(references: dict[str, Any], folder: Path) -> None:
    one = references["Expressions"][0]
    references["Expressions"] = [{**one, "Name": f"e{number}"} for number in range(100_000)]


def _fifo_settings(folder: Path) -> Path:
    target = folder / "figure"
    target.mkdir()
    os.mkfifo(target / "neo.model3.json")
    return target


def _fifo_texture(references: dict[str, Any], folder: Path) -> None:
    os.mkfifo(folder / "flat.png")
    references["Textures"].append("flat.png")


def _endless(references: dict[str, Any], folder: Path) -> None:
    (folder / "flat.png").symlink_to("/dev/zero")
    references["Textures"].append("flat.png")


def _deep_settings(folder: Path) -> Path:
    target = _neo(folder, lambda references, _: None)
    (target / "neo.model3.json").write_text('{"FileReferences":' + "[" * 200_000)
    return target


def _large_settings(folder: Path) -> Path:
    target = _neo(folder, lambda references, _: None)
    with (target / "neo.model3.json").open("a") as out:
        out.write(" " * 300_000_000)
    return target


def _many_entries(folder: Path) -> Path:
    file = folder / "figure.zip"
    with zipfile.ZipFile(file, "w") as archive:
        _pack(archive, assets_dir() / "companion" / "neo")
        for number in range(100_000):
            archive.writestr(f"neo/empty/{number}", b"")
    return file


def _changed(change: Callable[[dict[str, Any], Path], None]) -> Make:
    return lambda folder: _neo(folder, change)


async def _bring(make: Make, scene: Scene) -> str:
    """Unpacked and checked in the app's process, as in the app."""
    source = await asyncio.to_thread(make, scene.folder)
    library = ModelLibrary(scene.folder / "home" / "models", assets_dir() / "companion" / "neo")
    scene.begin()
    try:
        unpacked = await asyncio.to_thread(library.unpack, source)
        for model in unpacked.models:
            await check_model(model, scene.folder / "home" / "cache")
        came_to = "brought"
    except ModelFileError as error:
        came_to = f"refused: {error}"
    used = sum(f.lstat().st_size for f in (scene.folder / "home").rglob("*") if f.is_file()) / _MIB
    if used > DISK_MIB:
        raise Wrong(f"{used:.0f} MiB on disk, {came_to}")
    return came_to


_FIGURES: dict[str, Make] = {
    "a zip of bz2, 512 MB of zeros": partial(_bomb, method=zipfile.ZIP_BZIP2),
    "a zip of lzma, 512 MB of zeros": partial(_bomb, method=zipfile.ZIP_LZMA),
    "a zip of deflate, 512 MB of zeros": partial(_bomb, method=zipfile.ZIP_DEFLATED),
    "a zip of 100,000 entries": _many_entries,
    "100,000 motions": _changed(_many_motions),
    "100,000 expressions": _changed(_many_expressions),
    "one motion of 3 MB named 300 times": _changed(_one_motion_often),
    "5 MB of motions": _changed(partial(_much_motion, files=2)),
    "27 MB of motions": _changed(partial(_much_motion, files=9)),
    "one texture named 64 times": _changed(_one_texture_often),
    "a texture of 900 megapixels": _changed(_huge_texture),
    "a FIFO as model3.json": _fifo_settings,
    "a FIFO as a texture": _changed(_fifo_texture),
    "a link to /dev/zero as a texture": _changed(_endless),
    "settings nested 200,000 deep": _deep_settings,
    "settings of 300 MB": _large_settings,
}

CASES = [Case(name, partial(_bring, make), IMPORT_SECONDS) for name, make in _FIGURES.items()]
