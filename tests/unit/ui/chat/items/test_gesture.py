"""Gestures: briefly named on one line, each with a card; failures and questions stay cards."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageHead, Text, ToolStatus, ToolUse
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlockStarted,
    TextAppended,
    TurnStarted,
)
from neodeskpet.ui.chat.items.message_annotations import GestureLine
from neodeskpet.ui.chat.items.tool_card_items import CardHead, GroupHead
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.unit.ui.chat.doubles import call, click, companion, entry, find, open_view, person

BODY = ("live2d.expression", "live2d.motion", "live2d.parameters")


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[ChatView]:
    made = open_view(qtbot)
    made.set_gestures(BODY)
    yield made


def smile(index: int, status: ToolStatus = ToolStatus.SUCCESS, name: str = "smile") -> ToolUse:
    return call(index, status, "live2d.expression", {"name": name})


def names(view: ChatView) -> list[str]:
    """Everything that is visible in the message, by kind; for marks their text."""
    out = []
    for item in entry(view, "a").items:
        if isinstance(item, GestureLine):
            out.append(" + ".join(part.name for part in item.hit_regions(view.scene)))
        else:
            out.append(type(item).__name__)
    return out


def test_consecutive_gestures_share_a_line(view: ChatView) -> None:
    script = call(2, name="live2d.parameters", arguments={"script": [{"do": "set"}]})
    view.add_message(companion("a", smile(0), smile(1, name="wink"), script, Text(3, 0, "Hello")))
    assert names(view) == ["smile + wink + a gesture", "MarkdownItem", "FooterItem"]


def test_they_have_readable_names(view: ChatView) -> None:
    view.set_expression_names(lambda own, _language: {"wink": "眨眼"}.get(own, own))
    view.set_tool_titles({"live2d.expression": "变换表情"}.get)
    view.add_message(companion("a", smile(0, name="wink"), smile(1, ToolStatus.ERROR, "wink")))
    assert names(view)[0] == "眨眼"
    _, head = find(view, "a", CardHead)
    assert head.accessible_text == "变换表情, 眨眼, failed"


LANGUAGES = {"zh_CN": "微笑", "en": "smile", "": "interface"}


def bilingual(own: str, language: str) -> str:
    return LANGUAGES[language] if own == "smile" else own


@pytest.mark.parametrize(
    ("asked", "answer", "named"),
    [
        ("Smile at me", "好的，看我笑！", "微笑"),
        ("笑一个", "Here is my smile.", "smile"),
        ("笑一个", "", "微笑"),
        ("Smile at me", "", "smile"),
        ("🙂", "", "interface"),
    ],
)
def test_names_are_in_the_language_of_the_message(
    view: ChatView, asked: str, answer: str, named: str
) -> None:
    view.set_expression_names(bilingual)
    view.add_message(person("q", asked))
    said = (Text(2, 0, answer),) if answer else ()
    view.add_message(companion("a", smile(0), smile(1, ToolStatus.ERROR), *said))
    assert names(view)[0] == named
    _, head = find(view, "a", CardHead)
    assert head.accessible_text.endswith(f"{named}, failed")


def test_the_text_below_a_gesture_decides_its_name(view: ChatView) -> None:
    view.set_expression_names(bilingual)
    view.add_message(person("q", "Smile at me"))
    view.apply([("a", TurnStarted("a")), ("a", BlockStarted(smile(0)))])
    assert names(view)[0] == "smile"
    view.apply([("a", BlockStarted(Text(1, 0, "好的")))])
    assert names(view)[0] == "微笑"
    view.apply([("a", TextAppended(1, "，看我笑！"))])
    assert names(view)[0] == "微笑"


def test_a_question_that_is_loaded_after_the_answer(view: ChatView) -> None:
    view.set_expression_names(bilingual)
    view.open_conversation([MessageHead("q", "user", 3), MessageHead("a", "assistant", 0)])
    view.add_message(companion("a", smile(0)))
    assert names(view)[0] == "interface"
    view.add_message(person("q", "笑一个"))
    assert names(view)[0] == "微笑"


def test_its_card_opens_with_one_press(view: ChatView) -> None:
    view.add_message(companion("a", smile(0), smile(1, name="wink"), Text(2, 0, "Hello")))
    place, line = find(view, "a", GestureLine)
    click(view, place, "mark 1")
    _, head = find(view, "a", CardHead)
    assert isinstance(head, CardHead)
    assert head.call.arguments == {"name": "wink"}
    assert [part.opened for part in line.hit_regions(view.scene)] == [False, True]
    click(view, place, "mark 1")
    assert CardHead.__name__ not in names(view)


def test_by_keyboard(view: ChatView) -> None:
    view.add_message(companion("a", smile(0), Text(1, 0, "Hello")))
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Tab)
    QTest.keyClick(view, Qt.Key.Key_Tab)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert CardHead.__name__ in names(view)


@pytest.mark.parametrize("status", [ToolStatus.ERROR, ToolStatus.DENIED, ToolStatus.ASKING])
def test_failures_and_questions_stay_cards(view: ChatView, status: ToolStatus) -> None:
    view.add_message(companion("a", smile(0), smile(1, status), smile(2)))
    assert names(view)[:2] == ["smile", "CardHead"]
    assert names(view)[-2:] == ["smile", "FooterItem"]


def test_other_calls_stay_cards(view: ChatView) -> None:
    view.add_message(companion("a", call(0), smile(1), call(2), call(3), call(4)))
    assert names(view) == ["CardHead", "smile", GroupHead.__name__, "FooterItem"]


def test_a_gesture_that_fails_later(view: ChatView) -> None:
    view.apply([("a", TurnStarted("a")), ("a", BlockStarted(smile(0, ToolStatus.RUNNING)))])
    assert names(view)[0] == "smile"
    view.apply([("a", BlockChanged(smile(0, ToolStatus.RUNNING, "a bigger smile")))])
    assert names(view)[0] == "a bigger smile"
    view.apply([("a", BlockEnded(smile(0, ToolStatus.ERROR)))])
    assert names(view)[0] == "CardHead"


def test_many_use_more_lines(view: ChatView) -> None:
    view.add_message(companion("a", *(smile(n, name=f"expression {n}") for n in range(12))))
    _, line = find(view, "a", GestureLine)
    rects = [part.rect for part in line.hit_regions(view.scene)]
    assert len({rect.top() for rect in rects}) > 1
    assert all(rect.right() <= line.width for rect in rects)
    assert rects[-1].bottom() <= line.height
