"""Imports after PySide."""

import subprocess
import sys

from neodeskpet.ui.pyside_import_patch import skip_source_scan

_ASK = """
import neodeskpet.app.startup, builtins, linecache, pathlib
ours = str(pathlib.Path(neodeskpet.__file__).parent)
print(sum(name.startswith(ours) for name in linecache.cache))
print("feature" in builtins.__import__.__name__)
"""


def test_the_app_keeps_none_of_its_source_and_imports_without_features() -> None:
    done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "False"]


def test_it_may_be_requested_again() -> None:
    skip_source_scan()
    skip_source_scan()
