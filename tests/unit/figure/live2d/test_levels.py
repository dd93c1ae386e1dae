"""Which mipmaps of a texture aren't used, and that a figure looks the same without them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest

from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.library import new_model
from neodeskpet.figure.live2d.mipmaps import TextureDensity
from tests.unit.figure.models import NEO, SETTINGS

_DRAW = f"""
import ctypes, json, os, sys
os.environ["PYOPENGL_PLATFORM"] = "egl"
os.environ["LIBGL_ALWAYS_SOFTWARE"] = "1"
from pathlib import Path
from neodeskpet.figure.live2d import library
from neodeskpet.figure.files.model_probe import egl_context
from neodeskpet.figure.live2d.gl_functions import gl_function_address

cubism = library.cubism_library()

def gl(name, *arguments):
    kinds = [ctypes.c_void_p if isinstance(a, ctypes.Array) else ctypes.c_uint for a in arguments]
    address = gl_function_address(cubism, name).value
    return ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(address)(*arguments)

def model(*tall):
    folder = Path({str(NEO)!r})
    made = library.new_model((folder / {SETTINGS!r}).read_text("utf-8"), str(folder))
    made.SetAutoBreath(False)
    made.SetAutoBlink(False)
    made.CreateRenderer(*tall)
    made.SetExpression("shy")
    return made

def seen(model, side):
    model.Resize(side, side)
    model.show_detail(abs(model.GetMvp()[5]) * side / 2)
    pixels = (ctypes.c_ubyte * (side * side * 4))()
    gl("Viewport", 0, 0, side, side)
    cubism.clearBuffer(0.0, 0.0, 0.0, 0.0)
    model.Draw()
    gl("ReadPixels", 0, 0, side, side, 0x1908, 0x1401, pixels)
    return bytes(pixels)

def largest():
    value, found = (ctypes.c_int * 1)(), 0
    for number in range(1, 40):
        if gl("IsTexture", number) & 0xFF:
            gl("BindTexture", 0x0DE1, number)
            gl("GetTexLevelParameteriv", 0x0DE1, 0, 0x1000, value)
            found = max(found, value[0])
    return found

def told():
    small = model(300.0)
    small.Update(2.0)
    sizes = [largest()]
    pictures = [seen(small, 300)]
    sizes.append(largest())
    pictures.append(seen(small, 1200))
    sizes.append(largest())
    pictures.append(seen(small, 300))
    small.DestroyRenderer()
    whole = model()
    whole.Update(2.0)
    sizes.append(largest())
    expected = [seen(whole, side) for side in (300, 1200, 300)]
    same = [one == other for one, other in zip(pictures, expected)]
    drawn = sum(map(bool, pictures[0]))
    return {{"sizes": sizes, "same": same, "drawn": drawn, "error": gl("GetError")}}

with egl_context(1200, 1200) as ready:
    if ready:
        library.start_gl()
    print(json.dumps(told() if ready else None), flush=True)
    os._exit(0)
"""


def test_between_two_levels_the_larger_one_is_skipped_from_the_middle_on() -> None:
    fine = TextureDensity({0: 0.5}, height=1.0)
    assert fine.unneeded_levels(0, 1024, 1000) == 0
    assert fine.unneeded_levels(0, 1024, 512) == 0, "texel by texel"
    assert fine.unneeded_levels(0, 1024, 257) == 1
    assert fine.unneeded_levels(0, 1024, 128) == 2
    assert fine.unneeded_levels(0, 1024, math.inf) == 0
    for unread in (1, 2):
        enough = fine.enough(0, 1024, unread)
        assert fine.unneeded_levels(0, 1024, enough * 0.99) == unread
        assert fine.unneeded_levels(0, 1024, enough * 1.01) == unread - 1
    assert fine.enough(0, 1024, 0) == math.inf
    assert fine.unneeded_levels(1, 1024, 128) == 0, "no mesh shows it"


def test_a_figure_needs_the_detail_of_its_coarsest_mesh() -> None:
    found = describe_model(NEO)
    model = new_model(found.settings, str(found.root))
    moc = next(NEO.glob("*.moc3")).read_bytes()
    fine = TextureDensity.of(moc, model.GetDrawableVertices)
    assert fine is not None
    assert 0.2 < fine.densities[0] < 0.6, "of the texture's side"
    assert 0.6 < fine.densities[1] < 1.3, "half the side, for nearly as many texels"
    assert 0.8 < fine.height < 1.2, "the canvas is a unit wide"
    assert TextureDensity.of(moc[:5000], model.GetDrawableVertices) is None
    assert TextureDensity.of(b"", model.GetDrawableVertices) is None
    assert TextureDensity.of(moc, lambda number: []) is None


def test_a_small_figure_looks_the_same_without_the_largest_picture_and_a_large_one_has_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DRAW], capture_output=True, timeout=120, check=True
    )
    told: dict[str, Any] | None = json.loads(done.stdout)
    if told is None:
        pytest.skip("no EGL here")
    assert told["sizes"] == [1024, 1024, 2048, 2048]
    assert told["same"] == [True, True, True]
    assert told["drawn"] > 10_000
    assert told["error"] == 0
