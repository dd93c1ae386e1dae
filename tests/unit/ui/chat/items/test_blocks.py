"""Blocks as models: growth, new states, and which ones belong to a message's text."""

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image, Notice, Text, Thinking
from neodeskpet.ui.chat.items.block_models import (
    ImageModel,
    NoticeModel,
    TextModel,
    ThinkingModel,
    UserTextModel,
)
from neodeskpet.ui.chat.items.item import LabelItem
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.user_message import UserTextItem
from tests.unit.ui.chat.doubles import open_view


def test_text_grows_and_ends(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    model = TextModel(Text(0, 0, "One"))
    model.append(" two")
    model.sync(scene)
    assert model.markdown == "One two"
    assert model.is_busy
    assert model.last_text_item is model.items()[-1]
    model.set_block(Text(0, 0, "One two three"))
    model.finish()
    model.sync(scene)
    assert model.markdown == "One two three"
    assert not model.is_busy


def test_another_text_replaces_it(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    model = TextModel(Text(0, 0, "One"))
    model.sync(scene)
    model.set_block(Text(0, 0, "Else"))
    model.sync(scene)
    assert [item.plain_text for item in model.items() if isinstance(item, MarkdownItem)] == ["Else"]


def test_refusal_is_marked(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    model = TextModel(Text(0, 0, "", refusal=True))
    model.sync(scene)
    assert model.items() == []
    assert model.changed_items() == (0, [])
    model.append("I can't.\n\nSorry")
    model.sync(scene)
    label, words, _ = model.items()
    assert isinstance(label, LabelItem)
    assert isinstance(words, MarkdownItem)
    assert words.ruled == "asks"
    model.append(" really")
    model.sync(scene)
    assert model.changed_items()[0] == 2


def test_thinking_is_not_part_of_the_messages_text() -> None:
    model = ThinkingModel(Thinking(0, 0, "hm", ended=1.0), live=False)
    assert model.markdown == ""
    assert model.text == "hm"
    assert not model.is_busy


def test_long_thinking_that_streams_shows_its_end(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    model = ThinkingModel(Thinking(0, 0, "x" * 2000), live=True)
    for _ in range(100):
        model.append("y")
    model.sync(scene)
    assert model.is_busy
    assert len(model.items()) == 2
    model.finish()
    assert len(model.items()) == 1


def test_blocks_that_can_not_grow_refuse() -> None:
    model = ImageModel(Image(0, 0, "d", "image/png"))
    with pytest.raises(TypeError):
        model.append("x")
    with pytest.raises(TypeError):
        TextModel(Text(0, 0, "One")).toggle()


def test_a_notice_is_rebuilt(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    model = NoticeModel(Notice(0, 0, "round_limit", {"count": "3"}))
    model.item.measure(scene, 400)
    assert model.item.plain_text.startswith(
        "The reply is not finished after 3 rounds of tool calls."
    )
    model.set_block(Notice(0, 0, "round_limit", {"count": "4"}, resolved=True))
    model.sync(scene)
    anew = "The reply is not finished after 4 rounds of tool calls."
    assert model.item.text_between(scene, 0, 99) == anew


def test_long_text_of_the_user_is_split_into_parts() -> None:
    text = "\n".join(f"line {n}" for n in range(200))
    model = UserTextModel(Text(0, 0, text), "u")
    items = [item for item in model.items() if isinstance(item, UserTextItem)]
    assert len(items) == 4
    assert [item.is_first for item in items] == [True, False, False, False]
    assert [item.is_last for item in items] == [False, False, False, True]
    assert "\n".join(item.source for item in items) == text
    assert model.markdown == text
    assert UserTextModel(Text(0, 0, " \n"), "u").items() == []


def test_an_image_can_change() -> None:
    model = ImageModel(Image(0, 0, "d", "image/png", "cat.png"))
    model.set_block(Image(0, 0, "d", "image/png", "cat.png", "a grey cat"))
    assert model.items()[0].accessible_text == "Picture cat.png a grey cat"
