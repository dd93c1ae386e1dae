from __future__ import annotations

import pytest

from neodeskpet.figure.live2d.gl_functions import can_replace_functions, gl_function_address
from neodeskpet.figure.live2d.library import cubism_library


class Hidden:
    """A build that exposes no pointers."""

    class _live2d:  # noqa: N801
        __file__ = None


def test_missing_pointers() -> None:
    with pytest.raises(ValueError, match="glad_glNoSuchThing"):
        gl_function_address(cubism_library(), "NoSuchThing")


def test_a_build_without_pointers_is_unchanged() -> None:
    assert not can_replace_functions(Hidden)
