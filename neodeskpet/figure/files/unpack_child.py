"""The child process that unpacks figures: `python -m neodeskpet.figure.files.unpack_child SECONDS`.

A frame (`child_process.serve_frames`) is `{"source", "target", "language"}`: the source is copied
to the target; if the target is "", the reply has the names of its settings files.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_import import copy_import, settings_in
from neodeskpet.language import set_language
from neodeskpet.platform.child_process import serve_frames


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends; return the exit code."""
    logging.disable()
    return serve_frames(answer, float(arguments[0]))


def answer(frame: bytes) -> bytes:
    asked = json.loads(frame)
    set_language(asked["language"])
    reply: Mapping[str, object] = {}
    try:
        if asked["target"]:
            copy_import(Path(asked["source"]), Path(asked["target"]))
        else:
            reply = {"settings": settings_in(Path(asked["source"]))}
    except ModelFileError as error:
        reply = {"refused": error.detail, "file": error.params["file"]}
    return json.dumps(reply).encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
