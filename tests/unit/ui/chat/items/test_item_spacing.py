"""Distances between items."""

from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image, Notice, Text, Thinking
from neodeskpet.ui.chat.items.item_spacing import set_gaps
from neodeskpet.ui.chat.items.thinking_items import ThinkingHead
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import call, click, companion, entry, find, open_view, person, said

INNER, CARD = LIGHT.inner_gap, LIGHT.card_gap


def gaps(view: ChatView, name: str = "a") -> list[int]:
    return [item.gap for item in entry(view, name).items]


def test_paragraphs_cards_notices_and_footer(qtbot: QtBot) -> None:
    blocks = [Text(0, 0, "x\n\ny"), call(1), call(2), Notice(3, 0, "round_limit")]
    view = open_view(qtbot, companion("a", *blocks))
    assert gaps(view) == [0, INNER, INNER, CARD, INNER, 4]


def test_parts_of_one_text_are_adjacent(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "```\n" + "x\n" * 100 + "```"), person("u", "y\n" * 100))
    assert gaps(view) == [0, 0, 4]
    assert gaps(view, "u") == [0, 0]


def test_lists_have_little_space_and_code_in_them_has_more(qtbot: QtBot) -> None:
    items = "".join(f"- {n}\n" for n in range(20))
    view = open_view(qtbot, said("a", items), said("b", "1. x\n   ```\n   y\n   ```\n2. z"))
    assert gaps(view) == [0, 4, 4]
    assert gaps(view, "b") == [0, INNER, CARD, 4]


def test_thinking(qtbot: QtBot) -> None:
    block = Thinking(0, 0, "x\n\ny", started=1.0, ended=2.0)
    view = open_view(qtbot, companion("a", block, Text(1, 0, "z")))
    assert gaps(view) == [0, INNER, 4]
    click(view, find(view, "a", ThinkingHead)[0], "toggle")
    assert gaps(view) == [0, 0, INNER, INNER, 4]


def test_pictures_and_refusals(qtbot: QtBot) -> None:
    pictures = [Image(n, 0, "d", "image/png") for n in (1, 2)]
    view = open_view(
        qtbot, person("u", "x", *pictures), companion("a", Text(0, 0, "No.", refusal=True))
    )
    assert gaps(view, "u") == [0, INNER, CARD]
    assert gaps(view) == [0, 2, 4]


def test_the_item_above_counts(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "x\n\ny"))
    items = entry(view, "a").items
    set_gaps(items[:1], items[1], LIGHT)
    assert items[0].gap == INNER
