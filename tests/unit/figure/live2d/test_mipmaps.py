"""The mipmaps of a texture: equal to those of GL, without using it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from neodeskpet.figure.live2d.mipmaps import mipmap_chain

WIDTH, HEIGHT = 64, 16
_ROUNDING = 8
"""Each level is rounded, and the small ones are made of rounded ones."""
_COMPARE = f"""
import ctypes, json, os, sys
os.environ["PYOPENGL_PLATFORM"] = "egl"
from random import Random
from neodeskpet.figure.files.model_probe import egl_context
from neodeskpet.figure.live2d.mipmaps import cpu_mipmaps
from neodeskpet.figure.live2d.gl_functions import gl_function_address
from neodeskpet.figure.live2d.library import cubism_library, without_stdout

library = cubism_library()
data = Random(1).randbytes({WIDTH} * {HEIGHT} * 4)

def gl(name, *arguments):
    array, number = ctypes.c_void_p, ctypes.c_uint
    kinds = [array if isinstance(one, (bytes, ctypes.Array)) else number for one in arguments]
    # Looked up for each call, as the library does.
    return ctypes.CFUNCTYPE(None, *kinds)(gl_function_address(library, name).value)(*arguments)

def pictures(left_out=0):
    name = (ctypes.c_uint * 1)()
    gl("GenTextures", 1, name)
    gl("BindTexture", 0x0DE1, name[0])
    gl("TexImage2D", 0x0DE1, 0, 0x1908, {WIDTH}, {HEIGHT}, 0, 0x1908, 0x1401, data)
    gl("GenerateMipmap", 0x0DE1)
    found, width, height = [], {WIDTH} >> left_out, {HEIGHT} >> left_out
    while width > 1 or height > 1:
        width, height = max(1, width // 2), max(1, height // 2)
        pixels = (ctypes.c_ubyte * (4 * width * height))()
        gl("GetTexImage", 0x0DE1, len(found) + 1, 0x1908, 0x1401, pixels)
        found.append(list(pixels))
    return found

def both():
    with without_stdout():
        library.glInit()
    theirs = pictures()
    with cpu_mipmaps(library):
        ours = pictures()
    with cpu_mipmaps(library, lambda width, height: 2):
        fewer = pictures(2)
    return [theirs, ours, fewer, pictures()]

with egl_context(8, 8) as ready:
    print(json.dumps(both() if ready else None), flush=True)
    os._exit(0)
"""


def test_each_is_half_of_the_one_above() -> None:
    row = bytes([0, 0, 0, 0, 100, 200, 40, 255]) * 2
    found = list(mipmap_chain(row * 2, 4, 2))
    assert [(width, height) for width, height, _ in found] == [(2, 1), (1, 1)]
    for width, _, data in found:
        middles = [50, 100, 20, 127.5] * width
        assert len(data) == len(middles)
        assert all(abs(a - b) <= 1 for a, b in zip(data, middles, strict=True))


def test_a_single_pixel_has_none() -> None:
    assert list(mipmap_chain(bytes(4), 1, 1)) == []


def test_they_equal_those_of_gl_within_the_rounding() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _COMPARE], capture_output=True, timeout=120, check=True
    )
    told: list[Any] | None = json.loads(done.stdout)
    if told is None:
        pytest.skip("no EGL here")
    theirs, ours, fewer, after = told
    assert fewer == ours[2:], "two are left out"
    assert [len(one) for one in ours] == [len(one) for one in theirs]
    assert after == theirs
    assert any(any(picture) for picture in ours)
    off = max(
        abs(a - b)
        for one, other in zip(ours, theirs, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    assert off <= _ROUNDING
