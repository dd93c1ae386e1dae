"""With software rendering, a figure's textures use one mipmap level."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from neodeskpet.figure.live2d.gl_functions import is_software, texture_parameter
from tests.unit.figure.models import NEO, SETTINGS

_DRAW = f"""
import ctypes, json, os, sys
os.environ["PYOPENGL_PLATFORM"] = "egl"
os.environ["LIBGL_ALWAYS_SOFTWARE"] = "1"
from pathlib import Path
from neodeskpet.figure.live2d import library
from neodeskpet.figure.files.model_probe import egl_context
from neodeskpet.figure.live2d.gl_functions import gl_function_address

SIDE = 240
cubism = library.cubism_library()

def gl(name, *arguments):
    kinds = [ctypes.c_void_p if isinstance(a, ctypes.Array) else ctypes.c_uint for a in arguments]
    address = gl_function_address(cubism, name).value
    return ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(address)(*arguments)

def model():
    folder = Path({str(NEO)!r})
    made = library.new_model((folder / {SETTINGS!r}).read_text("utf-8"), str(folder), renderer=True)
    made.SetAutoBreath(False)
    made.SetAutoBlink(False)
    made.Resize(SIDE, SIDE)
    made.SetSaveParamById("ParamWearGlasses", 1.0)  # so that both textures are drawn
    made.Update(0.1)
    return made

def seen(drawn):
    pixels = (ctypes.c_ubyte * (SIDE * SIDE * 4))()
    cubism.clearBuffer(0.0, 0.0, 0.0, 0.0)
    drawn()
    gl("ReadPixels", 0, 0, SIDE, SIDE, 0x1908, 0x1401, pixels)
    return bytes(pixels)

def filters():
    found, value = set(), (ctypes.c_int * 1)()
    for number in range(1, 40):
        if gl("IsTexture", number) & 0xFF:
            gl("BindTexture", 0x0DE1, number)
            gl("GetTexParameteriv", 0x0DE1, 0x2801, value)
            found.add(value[0])
    return sorted(found)

with egl_context(SIDE, SIDE) as ready:
    told = None
    if ready:
        library.start_gl()
        one, kept = model(), gl_function_address(cubism, "TexParameteri").value
        first, later, other = seen(one.Draw), seen(one.Draw), model()
        same, kinds = first == later == seen(other.Draw) == seen(one.Draw), filters()
        plain = seen(one._model.Draw)  # as the library does it by itself
        far = [abs(a - b) for a, b in zip(later, plain)]
        told = {{
            "software": library.draws_in_software(),
            "same": same,
            "filters": kinds,
            "mean": sum(far) / len(far),
            "drawn": sum(map(bool, later)),
            "given back": gl_function_address(cubism, "TexParameteri").value == kept,
            "error": gl("GetError"),
        }}
    print(json.dumps(told), flush=True)
    os._exit(0)
"""


def test_one_level_is_used_and_it_looks_similar() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DRAW], capture_output=True, timeout=120, check=True
    )
    told: dict[str, Any] | None = json.loads(done.stdout)
    if told is None:
        pytest.skip("no EGL here")
    assert told["software"]
    assert told["same"], "the first frame looks like the next ones"
    assert told["drawn"] > 10_000
    assert 0 < told["mean"] < 2.0, "of 255"
    assert 0x2701 in told["filters"] and 0x2703 not in told["filters"]
    assert told["given back"]
    assert told["error"] == 0


@pytest.mark.parametrize(
    ("name", "software"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("softpipe", True),
        ("Software Rasterizer", True),
        ("GDI Generic", True),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", False),
        ("Apple M2", False),
        ("", False),
    ],
)
def test_the_renderer_is_recognised_by_its_name(name: str, software: bool) -> None:
    assert is_software(name) is software


def test_only_the_filter_between_levels_is_changed() -> None:
    assert texture_parameter(0x2801, 0x2703) == 0x2701
    assert texture_parameter(0x2801, 0x2601) == 0x2601
    assert texture_parameter(0x2800, 0x2703) == 0x2703
    assert texture_parameter(0x2802, 10497) == 10497
