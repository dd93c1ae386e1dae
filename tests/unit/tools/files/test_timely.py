"""Properties of a path are returned in time or not at all."""

from __future__ import annotations

import threading

import pytest

from neodeskpet.core.grant_scope import PathUnknown
from neodeskpet.tools.files.timely import TimelyPaths


def test_an_answer_is_returned() -> None:
    paths = TimelyPaths(60)
    assert paths.tell({"a": "/b"}.get, "a") == "/b"
    assert paths.tell({"a": "/b"}.get, "c") is None


def test_a_dead_mount_blocks_nothing() -> None:
    alive, asked = threading.Event(), []

    def real(path: str) -> str:
        asked.append(path)
        alive.wait()
        return path

    paths = TimelyPaths(0.01)
    try:
        for path in ("a", "a", *map(str, range(20))):
            with pytest.raises(PathUnknown):
                paths.tell(real, path)
        assert len(asked) == len(set(asked)) == 8
    finally:
        alive.set()
    for thread in threading.enumerate():
        if thread.daemon and thread.name.startswith("paths"):
            thread.join()
    assert paths.tell(str.upper, "a") == "A"
