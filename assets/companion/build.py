"""Builds the model: ``python -m companion.build [--palette NAME] [--size 2048] [--out DIR]`` from
``assets/``.

Without arguments it writes Neo into ``neo/`` and the textures of the other palettes into
``palettes/``. With a palette it writes only what that palette needs, and with ``--out`` a whole
model into that folder.
"""

import argparse
from pathlib import Path

from companion.atlas import Atlases, pack_both
from companion.character import draw
from companion.expressions import expressions
from companion.figure import Figure
from companion.manifest import (
    cdi3,
    dump,
    exp3,
    model3,
    motion3,
    motion_file,
    pose3,
    side_file,
    userdata3,
)
from companion.moc_writer import write_moc
from companion.motions import all_motions
from companion.palette import PALETTES, TIDE, Palette
from companion.parameters import PARAMETERS
from companion.physics import physics3
from companion.rig import build_moc

_HERE = Path(__file__).parent
_SIZE = 2048
_OWN = "tide"
"""The palette of the model in ``neo/``."""


def build(out: Path, size: int = _SIZE, palette: Palette = TIDE) -> None:
    """Write every file of the model into ``out``."""
    figure = draw(size / 2048, palette)
    atlases = pack_both(figure, size)
    moc = build_moc(figure, atlases, [row.parameter for row in PARAMETERS])
    out.mkdir(parents=True, exist_ok=True)
    (out / "neo.moc3").write_bytes(write_moc(moc))
    folder = out / f"neo.{size}"
    names = _save(atlases, folder)
    _write_documents(out, [f"{folder.name}/{name}" for name in names], figure)
    vertices = sum(len(mesh.uvs) for mesh in moc.meshes)
    print(f"{len(moc.meshes)} meshes, {vertices} vertices, {len(moc.deformers)} deformers")


def build_textures(folder: Path, palette: Palette) -> None:
    """Write the textures of a palette. They fit the ``.moc3`` of every other palette."""
    names = _save(pack_both(draw(_SIZE / 2048, palette), _SIZE), folder)
    print(f"{folder.name}: {sum((folder / n).stat().st_size for n in names) / 1e6:.2f} MB")


def _save(atlases: Atlases, folder: Path) -> list[str]:
    """Write both textures into ``folder``; returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"texture_{number:02}.png" for number in range(len(atlases))]
    for atlas, name in zip(atlases, names, strict=True):
        atlas.save(folder / name)
    return names


def _write_documents(out: Path, textures: list[str], figure: Figure) -> None:
    motions = all_motions()
    faces = expressions()
    for folder in ("motions", "expressions"):
        (out / folder).mkdir(exist_ok=True)
    for motion in motions:
        (out / motion_file(motion)).write_bytes(dump(motion3(motion)))
    for name, changes in faces.items():
        (out / f"expressions/{name}.exp3.json").write_bytes(dump(exp3(changes)))
    (out / "neo.physics3.json").write_bytes(dump(physics3()))
    (out / "neo.pose3.json").write_bytes(dump(pose3()))
    (out / "neo.userdata3.json").write_bytes(dump(userdata3()))
    (out / "neo.cdi3.json").write_bytes(dump(cdi3(figure.parts)))
    (out / "neodeskpet.json").write_bytes(dump(side_file()))
    extra = {
        "Physics": "neo.physics3.json",
        "Pose": "neo.pose3.json",
        "UserData": "neo.userdata3.json",
        "DisplayInfo": "neo.cdi3.json",
    }
    (out / "neo.model3.json").write_bytes(dump(model3(textures, motions, list(faces), extra)))


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--palette", choices=list(PALETTES))
    parser.add_argument("--size", type=int, default=_SIZE)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.out is not None:
        build(arguments.out, arguments.size, PALETTES[arguments.palette or _OWN])
        return
    for name in [arguments.palette] if arguments.palette else PALETTES:
        if name == _OWN:
            build(_HERE / "neo", arguments.size)
        else:
            build_textures(_HERE / "palettes" / name, PALETTES[name])


if __name__ == "__main__":
    _main()
