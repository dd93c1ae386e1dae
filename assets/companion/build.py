"""Builds the model: ``python -m companion.build [--palette NAME] [--size 2048] [--out DIR]`` from
``assets/``.

Without arguments it writes Neo into ``neo/`` and the textures of the other palettes into
``palettes/``. With a palette it writes only what that palette needs, and with ``--out`` a whole
model into that folder.
"""

import argparse
from pathlib import Path

from companion.atlas import pack
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
    atlas = pack(figure.painters, size)
    moc = build_moc(figure, atlas, [row.parameter for row in PARAMETERS])
    out.mkdir(parents=True, exist_ok=True)
    (out / "neo.moc3").write_bytes(write_moc(moc))
    texture = out / f"neo.{size}"
    texture.mkdir(exist_ok=True)
    atlas.save(texture / "texture_00.png")
    _write_documents(out, f"{texture.name}/texture_00.png", figure)
    vertices = sum(len(mesh.uvs) for mesh in moc.meshes)
    print(f"{len(moc.meshes)} meshes, {vertices} vertices, {len(moc.deformers)} deformers")


def build_texture(file: Path, palette: Palette) -> None:
    """Write the texture of a palette. It fits the ``.moc3`` of every other palette."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pack(draw(_SIZE / 2048, palette).painters, _SIZE).save(file)
    print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB")


def _write_documents(out: Path, texture: str, figure: Figure) -> None:
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
    (out / "neo.model3.json").write_bytes(dump(model3(texture, motions, list(faces), extra)))


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
            build_texture(_HERE / "palettes" / f"{name}.png", PALETTES[name])


if __name__ == "__main__":
    _main()
