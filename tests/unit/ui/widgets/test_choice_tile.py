from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.figure.model_tile import TILE_HEIGHT, TILE_WIDTH, ModelTileButton
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.widgets.choice_tile import FlowGrid


def test_it_grows_with_the_text(qtbot: QtBot) -> None:
    flow = FlowGrid()
    qtbot.addWidget(flow)
    tile = ModelTileButton(LIGHT, "Cat")
    flow.set_widgets([tile])
    flow.show()
    tile.set_theme(replace(LIGHT, font_px=28))
    qtbot.waitUntil(lambda: flow.height() == 2 * TILE_HEIGHT)


@pytest.mark.parametrize(("width", "rows"), [(TILE_WIDTH, 3), (2 * TILE_WIDTH + 10, 2), (900, 1)])
def test_tiles_flow(qtbot: QtBot, width: int, rows: int) -> None:
    flow = FlowGrid()
    qtbot.addWidget(flow)
    flow.resize(width, 10)
    tiles = [ModelTileButton(LIGHT, str(number)) for number in range(3)]
    flow.set_widgets(list(tiles))
    assert flow.height() == rows * (TILE_HEIGHT + 10) - 10
    assert len({(tile.x(), tile.y()) for tile in tiles}) == 3
    flow.set_widgets([tiles[0]])
    assert tiles[1].isHidden()
    flow.set_widgets([])
    assert flow.height() == 0
