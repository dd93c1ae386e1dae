from __future__ import annotations

import os
import subprocess
import sys

import pytest

from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.library import cubism_library, new_model, without_stdout
from tests.unit.figure.models import NEO

_USE = f"""
from pathlib import Path
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.library import new_model
found = describe_model(Path({str(NEO)!r}))
model = new_model(found.settings, str(found.root))
model.Resize(10, 10)
model.Update(0.1)
print("mine")
"""


def test_nothing_reaches_stdout() -> None:
    done = subprocess.run([sys.executable, "-c", _USE], capture_output=True, timeout=60, check=True)
    assert done.stdout.decode().split() == ["mine"]


def test_silenced_restores_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    with without_stdout():
        print("no")
        os.write(1, b"nor this")
    print("yes")
    assert capfd.readouterr().out == "yes\n"


def test_without_a_console() -> None:
    library = "from neodeskpet.figure.live2d.library import cubism_library; cubism_library()"
    code = f"import os; os.close(1); {library}"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_names_are_those_of_the_description() -> None:
    found = describe_model(NEO)
    model = new_model(found.settings, str(found.root) + "/")
    assert set(model.GetExpressions()) == set(found.expressions)
    assert model.GetMotionGroups() == dict(found.motions)
    assert cubism_library() is cubism_library()
