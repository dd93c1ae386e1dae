"""Builds the model: ``python -m companion.build [--size 2048] [--out DIR]`` from ``assets/``."""

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
from companion.parameters import PARAMETERS
from companion.physics import physics3
from companion.rig import build_moc

_HERE = Path(__file__).parent


def build(out: Path, size: int = 2048) -> None:
    """Write every file of the model into ``out``."""
    figure = draw(size / 2048)
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--out", type=Path, default=_HERE / "neo")
    arguments = parser.parse_args()
    build(arguments.out, arguments.size)
