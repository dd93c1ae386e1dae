from __future__ import annotations

import io

import pytest
from PIL import Image

from neodeskpet.llm.endpoint_test.endpoint_tester import plain_png


@pytest.mark.parametrize("side", [1, 64])
def test_it_is_a_png_of_one_colour(side: int) -> None:
    data = plain_png(220, 20, 30, side)
    with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
        picture.load()
        assert picture.size == (side, side)
        assert picture.getcolors() == [(side * side, (220, 20, 30))]
    assert len(data) < 400
