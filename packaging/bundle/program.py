"""What the bundle's program runs: the same as `python -m neodeskpet`, with what was added later."""

import os
import sys
from collections.abc import MutableMapping

_LIBRARIES = "LD_LIBRARY_PATH"
_OF_QT = ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH")


def give_back_environment(environment: MutableMapping[str, str], inside: str) -> None:
    """Let other programs that are started from here (the browser, the file manager, servers of
    tools) find the libraries and plugins that they had found. The bundle's own starter and
    PyInstaller's preparations put the folder `inside` before them; the starter's is read once, when
    this process begins, and PySide6 knows where its plugins are.
    """
    before = environment.pop(f"{_LIBRARIES}_ORIG", None)
    if before is not None:
        environment[_LIBRARIES] = before
    elif environment.get(_LIBRARIES) == inside:
        del environment[_LIBRARIES]
    for name in _OF_QT:
        if environment.get(name, "").startswith(inside):
            del environment[name]


if __name__ == "__main__":
    give_back_environment(os.environ, getattr(sys, "_MEIPASS", ""))
    from neodeskpet.__main__ import main

    sys.exit(main())
