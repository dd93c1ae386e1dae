"""Models for tests: the bundled one, copies of it, and an invented one without a real moc."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

from neodeskpet.platform.installation import assets_dir

NEO = assets_dir() / "companion" / "neo"
SETTINGS = "neo.model3.json"


def copy_neo(target: Path) -> Path:
    """A copy of the bundled model's folder, to be damaged."""
    shutil.copytree(NEO, target)
    return target


def strange_neo(target: Path) -> Path:
    """A valid copy without a verdict: another byte, so another hash."""
    file = copy_neo(target) / "neo.physics3.json"
    file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    return target


def png(width: int = 4, height: int = 4) -> bytes:
    """A small grey picture, made by hand."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def motion(duration: float = 1.0) -> dict[str, Any]:
    return {
        "Version": 3,
        "Meta": {"Duration": duration, "Fps": 30.0, "Loop": False, "CurveCount": 9},
        "Curves": [
            {"Target": "Parameter", "Id": "ParamAngleX", "Segments": [0, 0, 0, 1, 5]},
            {"Target": "Parameter", "Id": "ParamAngleY", "Segments": [0, 0, 1, 0, 1, 0, 2, 1, 3]},
        ],
    }


def make_model(folder: Path) -> Path:
    """A Cubism 3 model with everything but a real moc; return its settings file."""
    (folder / "sub").mkdir(parents=True)
    settings = {
        "Version": 3,
        "FileReferences": {
            "Moc": "toy.moc3",
            "Textures": ["sub/skin.png"],
            "DisplayInfo": "toy.cdi3.json",
            "Expressions": [
                {"Name": "smile", "File": "smile.exp3.json"},
                {"Name": "sad", "File": "sad.exp3.json"},
            ],
            "Motions": {
                "Idle": [{"File": "idle.motion3.json", "FadeInTime": 0.5}],
                "TapHead": [
                    {"File": "tap.motion3.json", "Sound": "tap.wav"},
                    {"File": "tap2.motion3.json"},
                ],
            },
        },
        "Groups": [{"Target": "Parameter", "Name": "LipSync", "Ids": ["ParamMouth"]}],
        "HitAreas": [{"Id": "HitHead", "Name": "Head"}],
    }
    file = folder / "toy.model3.json"
    write_json(file, settings)
    (folder / "toy.moc3").write_bytes(b"MOC3" + bytes(200))
    (folder / "sub" / "skin.png").write_bytes(png())
    for name in ("smile", "sad"):
        expression = {"Type": "x", "Parameters": [{"Id": "ParamCheek", "Value": 1}]}
        write_json(folder / f"{name}.exp3.json", expression)
    for name in ("idle", "tap", "tap2"):
        write_json(folder / f"{name}.motion3.json", motion())
    return file


def make_old_model(folder: Path) -> Path:
    """The same for Cubism 2."""
    folder.mkdir(parents=True)
    settings = {
        "model": "old.moc",
        "textures": ["skin.png"],
        "expressions": [{"name": "f01", "file": "f01.exp.json"}],
        "motions": {"idle": [{"file": "a.mtn"}], "": [{"file": "b.mtn"}, {"file": "c.mtn"}]},
        "hit_areas": [{"name": "head", "id": "D_REF.HEAD"}],
        "layout": {"width": 2},
    }
    file = folder / "model.json"
    write_json(file, settings)
    (folder / "old.moc").write_bytes(b"moc" + bytes([10]) + bytes(60))
    (folder / "skin.png").write_bytes(png())
    write_json(folder / "f01.exp.json", {"params": [{"id": "P", "val": 1, "def": 0.5}]})
    for name in ("a", "b"):
        (folder / f"{name}.mtn").write_text("# head\r\n$fps=30\r\nPARAM_X=0,1,2.5\r\r\n")
    (folder / "c.mtn").write_text("no curve here")
    return file


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def change(file: Path, *path: str | int, to: object) -> None:
    """Set the value at `path` of a JSON file."""
    tree = json.loads(file.read_text(encoding="utf-8"))
    holder = tree
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    write_json(file, tree)
