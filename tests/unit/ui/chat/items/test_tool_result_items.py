"""The shown result of a tool is in its card, instead of the text for the model."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from neodeskpet.core.tool_result import (
    Shown,
    ShownDiff,
    ShownImage,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
)
from neodeskpet.ui.chat.items.item import Item, Scene
from neodeskpet.ui.chat.items.tool_card_items import CardHead
from neodeskpet.ui.chat.items.tool_card_model import ToolCardModel
from neodeskpet.ui.chat.items.tool_result_items import ResultTableItem
from tests.unit.ui.chat.doubles import call, click, companion, find, open_view

DIFF = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-old ████\n+new ████\n same"
TABLE = ShownTable(("Day", "Weather"), tuple((f"day {n}", "rain") for n in range(30)))


def opened(shown: Shown) -> ToolCardModel:
    model = ToolCardModel(call(0, shown=shown, output="for the model"))
    model.toggle()
    return model


def words(items: list[Item]) -> str:
    return "\n".join(item.accessible_text for item in items)


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        (ShownText("plain words"), ["Output", "plain words"]),
        (ShownList(("milk", "bread"), "To buy"), ["Output", "To buy\n• milk\n• bread"]),
        (ShownDiff(DIFF, "a.txt"), ["Change · a.txt", "+new"]),
        (ShownDiff(DIFF), ["Change", "-old"]),
        (ShownTerminal("done", "make", 0), ["Terminal", "$ make\ndone"]),
        (ShownTerminal("no rule", "make", 2), ["Terminal · ended with 2", "no rule"]),
        (ShownImage("d", "cat.png"), ["Output", "cat.png"]),
        (TABLE, ["Output · 30 lines", "Day, Weather\nday 0, rain"]),
    ],
)
def test_it_is_in_the_card(shown: Shown, parts: list[str]) -> None:
    said = words(opened(shown).items())
    for part in parts:
        assert part in said
    assert "for the model" not in said


def test_a_long_table_is_short_at_first_and_can_be_shown_completely() -> None:
    model = opened(TABLE)
    assert "day 11" in words(model.items())
    assert "day 12" not in words(model.items())
    model.sections["output"].shows_all = True
    assert "day 29" in words(model.items())
    assert model.sections["output"].links.text.startswith("Day\tWeather\nday 0\train")


def test_if_columns_do_not_fit_the_widest_shrink_first(qtbot: QtBot) -> None:
    scene: Scene = open_view(qtbot).scene
    table = ResultTableItem(ShownTable(("a", "b"), (("x", "y" * 300),)), 5)
    narrow, wide = table.widths(scene.style, 200)
    assert narrow < 40 < wide <= 200 - narrow


@pytest.mark.parametrize(
    ("shown", "token", "nearly"),
    [
        (ShownDiff(DIFF), "done", 50),  # letters are antialiased
        (ShownDiff(DIFF), "failed", 50),
        (ShownTerminal("x"), "code", 0),
    ],
)
def test_it_is_visible(qtbot: QtBot, shown: Shown, token: str, nearly: int) -> None:
    view = open_view(qtbot, companion("a", call(0, shown=shown)), size=(520, 640))
    place, _ = find(view, "a", CardHead)
    click(view, place, "toggle")

    def seen() -> bool:
        image = view.grab().toImage().copy(0, 80, 520, 400)  # below the head and its icon
        return has_color(image, view.scene.style.color(token), nearly)

    qtbot.waitUntil(seen)


def has_color(image: QImage, color: QColor, nearly: int) -> bool:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    red, green, blue, _ = color.getRgb()
    return any(
        abs((pixel >> 16 & 255) - red) + abs((pixel >> 8 & 255) - green) + abs((pixel & 255) - blue)
        <= nearly
        for pixel in set(memoryview(plain.constBits()).cast("I"))
    )
