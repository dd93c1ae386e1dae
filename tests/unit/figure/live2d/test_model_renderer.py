"""Pictures of a model. Each is made in a process of its own: GL in this one would conflict with
Qt's.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.unit.figure.models import NEO, SETTINGS

_SCRIPT = """
import json
from pathlib import Path
from neodeskpet.figure.live2d.model_renderer import MOST_PICTURE_SIDE, ModelRenderer
from neodeskpet.figure.live2d.model_renderer import drawing_context

file = Path({file!r})
with drawing_context() as ready:
    if not ready:
        print("none")
        raise SystemExit
    studio = ModelRenderer(file.read_text("utf-8"), str(file.parent))
    plain = studio.picture(200)
    tall = studio.picture(5 * MOST_PICTURE_SIDE)
    shots = list(studio.expressions(120))
    told = dict(
        plain=[plain.size, plain.getchannel("A").getbbox()],
        tall=tall.size,
        names=[shot.name for shot in shots],
        different=len(set(shot.picture.tobytes() for shot in shots)),
        motions=[shot.name for shot in studio.motions(60)],
    )
print(json.dumps(told))
"""


def test_every_expression_and_motion_is_photographed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(file=str(NEO / SETTINGS))],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    if done.stdout.strip() == "none":
        pytest.skip("no GL here")
    told = json.loads(done.stdout)
    (width, height), (left, top, right, bottom) = told["plain"]
    assert height == 200
    # The figure fills the picture and isn't cut.
    assert 0 < left < right < width
    assert 0 < top < bottom <= height
    assert bottom - top > 150
    assert max(told["tall"]) == 480
    assert "neutral" in told["names"]
    assert told["different"] == len(told["names"]), "two expressions look the same"
    assert "Idle 0" in told["motions"]
