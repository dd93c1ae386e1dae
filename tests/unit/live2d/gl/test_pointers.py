from __future__ import annotations

import pytest

from neodeskpet.live2d.gl.pointers import can_be_led, pointer
from neodeskpet.live2d.library import cubism


class Hidden:
    """A build that shows no pointers."""

    class _live2d:  # noqa: N801
        __file__ = None


def test_what_is_not_there() -> None:
    with pytest.raises(ValueError, match="glad_glNoSuchThing"):
        pointer(cubism(), "NoSuchThing")


def test_a_build_that_shows_nothing_is_left_alone() -> None:
    assert not can_be_led(Hidden)
