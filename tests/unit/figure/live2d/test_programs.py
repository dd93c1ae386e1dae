"""A figure that can't need the newest blend modes is drawn with few GL programs, with
equal pixels.
"""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.figure.live2d.gl_programs import GlPrograms, moc_version
from tests.unit.figure.models import NEO, SETTINGS, copy_neo

_SIDE = 240
_SECTIONS, _COUNTS, _MESHES, _FLAGS = 0x40, 0, 4, 42
_DOUBLE_SIDED, _OUTSIDE = 4, 8

_DRAW = f"""
import ctypes, hashlib, json, os, sys
os.environ["PYOPENGL_PLATFORM"] = "egl"
from pathlib import Path
from neodeskpet.figure.files.model_probe import egl_context
from neodeskpet.figure.live2d.gl_programs import GlPrograms
from neodeskpet.figure.live2d.library import cubism_library, without_stdout

library = cubism_library()

def gl(name, *arguments):
    address = ctypes.c_void_p.in_dll(ctypes.CDLL(library._live2d.__file__), "glad_gl" + name)
    array, number = ctypes.c_void_p, ctypes.c_uint
    kinds = [array if isinstance(one, ctypes.Array) else number for one in arguments]
    return ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(address.value)(*arguments)

def linked():
    state = (ctypes.c_int * 1)()
    found = 0
    for number in range(1, 4000):
        if gl("IsProgram", number) & 0xFF:
            gl("GetProgramiv", number, 0x8B82, state)
            found += state[0]
    return found

def load(folder):
    settings = json.dumps(json.loads((folder / {SETTINGS!r}).read_text("utf-8")), indent=4)
    model = library.Model()
    model.LoadFromJsonString(settings, False, str(folder) + "/")
    model.Resize({_SIDE}, {_SIDE})
    model.SetAutoBreath(False)
    model.SetAutoBlink(False)
    return model

def seen(model):
    pixels = (ctypes.c_ubyte * ({_SIDE} * {_SIDE} * 4))()
    whole = hashlib.sha256()
    for name in ("", *model.GetExpressions()):
        if name:
            model.SetExpression(name)
        for _ in range(4):
            model.Update(0.3)
        library.clearBuffer(0.0, 0.0, 0.0, 0.0)
        model.Draw()
        gl("ReadPixels", 0, 0, {_SIDE}, {_SIDE}, 0x1908, 0x1401, pixels)
        assert any(pixels)
        whole.update(bytes(pixels))
    return whole.hexdigest()

def draw():
    programs = GlPrograms()
    told = []
    with without_stdout():
        programs.begin(library)
        kept = []
        for words in sys.argv[1:]:
            numbers, _, folder = words.partition(":")
            model = load(Path(folder))
            programs.make_renderer(library, model, *map(int, numbers.split(",")))
            kept.append(model)
            told.append([linked(), seen(model), gl("GetError")])
        return told, seen(kept[0])

with egl_context({_SIDE}, {_SIDE}) as ready:
    print(json.dumps(draw() if ready else None), flush=True)
    os._exit(0)
"""


def drawn(*models: str) -> list[Any]:
    """For each "version:folder" or "version,lists:folder": the number of programs, its pictures,
    and GL's error.
    """
    return drawn_again(*models)[0]


def drawn_again(*models: str) -> tuple[list[Any], str]:
    """The same, and the pictures of the first of them after the others."""
    done = subprocess.run(
        [sys.executable, "-c", _DRAW, *models], capture_output=True, timeout=120, check=True
    )
    found = json.loads(done.stdout)
    if found is None:
        pytest.skip("no EGL here")
    told, again = found
    return told, again


def blended(folder: Path, seed: int) -> Path:
    """Neo with any of the older blend modes and masks on each mesh."""
    copy_neo(folder)
    (file,) = folder.glob("*.moc3")
    content = bytearray(file.read_bytes())

    def section(slot: int) -> int:
        return int(struct.unpack_from("<I", content, _SECTIONS + 4 * slot)[0])

    count = struct.unpack_from("<I", content, section(_COUNTS) + 4 * _MESHES)[0]
    chance = random.Random(seed)
    for mesh in range(count):
        flags = chance.choice((0, 1, 2)) | _DOUBLE_SIDED | chance.choice((0, _OUTSIDE))
        content[section(_FLAGS) + mesh] = flags
    file.write_bytes(content)
    return folder


def test_few_programs_draw_the_same(tmp_path: Path) -> None:
    folders = [NEO, *(blended(tmp_path / str(seed), seed) for seed in (1, 2))]
    few = drawn(*(f"3:{folder}" for folder in folders))
    full = drawn(*(f"0:{folder}" for folder in folders))
    assert [pictures for _, pictures, _ in few] == [pictures for _, pictures, _ in full]
    assert len({pictures for _, pictures, _ in full}) == len(folders), "the variants look alike"
    assert {programs for programs, _, _ in few} == {5}
    assert {programs for programs, _, _ in full} == {482}
    assert {error for _, _, error in few} == {0}


def test_a_figure_that_may_need_all_programs_gets_them_beside_another() -> None:
    few, full, again = drawn(f"5:{NEO}", f"6:{NEO}", f"3:{NEO}")
    assert (few[0], full[0], again[0]) == (5, 482, 482)
    assert few[1] == full[1] == again[1]


def test_a_loaded_figure_is_drawn_correctly_after_all_programs_are_made() -> None:
    _, undisturbed = drawn_again(f"5:{NEO}", f"5:{NEO}")
    _, after_all = drawn_again(f"5:{NEO}", f"6:{NEO}")
    assert undisturbed == after_all


def test_one_mask_buffer_gives_the_same_picture_if_it_is_enough() -> None:
    (two,), (one,), (guessed_wrong,) = (drawn(f"{v}:{NEO}") for v in ("3", "3,2", "3,9"))
    assert one[1] == two[1] == guessed_wrong[1]


def test_without_a_known_context_it_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="GL"):
        GlPrograms().make_renderer(object(), object(), 3)


@pytest.mark.parametrize(
    ("content", "version"), [(b"MOC3\x05\0", 5), (b"MOC3", 0), (b"moc\x0b\0", 0), (b"", 0)]
)
def test_the_version_of_a_moc(content: bytes, version: int) -> None:
    assert moc_version(content) == version
