"""One message: the items made of its events."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import (
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    Usage,
)
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.wire import LoadingAnnounced, RetryAnnounced
from neodeskpet.ui.chat.items.item import Item, Scene, StatusItem
from neodeskpet.ui.chat.items.message_footer import FooterItem
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem
from neodeskpet.ui.chat.items.thinking_items import ThinkingHead, ThinkingTail
from neodeskpet.ui.chat.items.tool_card_items import ApprovalButtons, CardHead, GroupHead
from neodeskpet.ui.chat.view.message_entry import STEP_CHARS, MessageEntry
from tests.unit.ui.chat.doubles import NOW, call, companion, open_view

WIDTH = 400


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def running(scene: Scene, *events: object) -> MessageEntry:
    message = Message("a", Role.ASSISTANT, (), MessageState.RUNNING, NOW)
    entry = MessageEntry(message, scene, ())
    for event in (TurnStarted("a"), RoundStarted(0), *events):
        entry.apply(event)  # type: ignore[arg-type]
    entry.refresh(WIDTH)
    return entry


def shown(scene: Scene, *blocks: object, **more: MessageState) -> MessageEntry:
    entry = MessageEntry(companion("a", *blocks, **more), scene, ())  # type: ignore[arg-type]
    entry.refresh(WIDTH)
    return entry


def kinds(entry: MessageEntry) -> list[type[Item]]:
    return [type(item) for item in entry.items]


def sees(entry: MessageEntry, *events: object) -> int | None:
    for event in events:
        entry.apply(event)  # type: ignore[arg-type]
    return entry.refresh(WIDTH)


def test_a_cursor_is_shown_before_anything_comes(scene: Scene) -> None:
    assert kinds(running(scene)) == [StatusItem]


def test_empty_thinking_and_blank_text_are_not_drawn(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Thinking(0, 0, "")), BlockStarted(Text(1, 0, " \n ")))
    assert kinds(entry) == [StatusItem]
    assert kinds(shown(scene, Thinking(0, 0, "", ended=NOW), Text(1, 0, "\n"))) == [FooterItem]


def test_the_cursor_moves_with_the_end_of_the_text(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Text(0, 0, "")), TextAppended(0, "# One"))
    assert [item.shows_caret for item in entry.items if isinstance(item, TextItem)] == [True]
    first = sees(entry, TextAppended(0, "\n\ntwo\n\nthree"))
    assert [item.shows_caret for item in entry.items if isinstance(item, TextItem)] == [
        False,
        False,
        True,
    ]
    assert first == 0
    sees(entry, BlockEnded(Text(0, 0, "# One\n\ntwo\n\nthree")))
    assert kinds(entry)[-1] is StatusItem
    sees(entry, TurnEnded(MessageState.DONE, NOW))
    assert not any(item.shows_caret for item in entry.items if isinstance(item, TextItem))


def test_only_the_end_is_rebuilt_while_text_grows(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Text(0, 0, "")))
    text = "paragraph\n\n" * 50
    sees(entry, TextAppended(0, text))
    before = list(entry.items)
    first = sees(entry, TextAppended(0, "more\n\nand more"))
    assert entry.items[:50] == before[:50]
    assert first == 49
    assert entry.rows.total == sum(entry.row_height(item, WIDTH) for item in entry.items)


def test_a_card_follows_its_call(scene: Scene) -> None:
    writing = call(0, ToolStatus.WRITING, arguments={}, raw_arguments="")
    entry = running(scene, BlockStarted(writing), ArgumentsAppended(0, '{"te'))
    head = entry.items[0]
    assert isinstance(head, CardHead)
    assert head.call.raw_arguments == '{"te'
    sees(entry, BlockChanged(call(0, ToolStatus.ASKING)))
    assert ApprovalButtons in kinds(entry)
    sees(entry, BlockChanged(call(0, ToolStatus.RUNNING)))
    assert kinds(entry) == [CardHead]
    sees(entry, BlockEnded(call(0)))
    assert kinds(entry) == [CardHead, StatusItem]
    assert entry.items[0] is head


def test_thinking_streams_and_is_then_closed(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Thinking(0, 0, "", started=NOW)), TextAppended(0, "so"))
    assert kinds(entry) == [ThinkingHead, ThinkingTail]
    sees(entry, BlockEnded(Thinking(0, 0, "so", started=NOW, ended=NOW + 1)))
    assert kinds(entry) == [ThinkingHead, StatusItem]


def test_thinking_opened_while_it_runs_stays_open(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Thinking(0, 0, "", started=NOW)), TextAppended(0, "so"))
    assert entry.toggle("thinking 0")
    entry.refresh(WIDTH)
    assert kinds(entry) == [ThinkingHead, MarkdownItem]
    sees(entry, TextAppended(0, " and so\n\non"))
    sees(entry, BlockEnded(Thinking(0, 0, "so and so\n\non", started=NOW, ended=NOW + 1)))
    texts = [item.source for item in entry.items if isinstance(item, MarkdownItem)]
    assert texts == ["so and so", "on"]


def test_a_failed_round_is_removed_and_its_retry_is_shown(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Text(0, 0, "One")), BlockEnded(Text(0, 0, "One")))
    sees(entry, BlockStarted(Text(1, 1, "lost")))
    sees(entry, BlocksRemoved(1), RetryAnnounced(1, 3.0, "unreachable"))
    assert entry.markdown == "One"
    assert entry.items[-1].accessible_text.startswith("Attempt 2 follows in 3 s")
    sees(entry, BlockStarted(Text(1, 1, "two")))
    assert kinds(entry) == [MarkdownItem, MarkdownItem]
    assert entry.markdown == "One\n\ntwo"


def test_the_loading_of_a_model_is_shown_until_something_comes(scene: Scene) -> None:
    entry = running(scene, LoadingAnnounced("tiny"))
    assert entry.items[-1].accessible_text == "Loading the model tiny…"
    sees(entry, BlockStarted(Text(0, 0, "One")))
    assert kinds(entry) == [MarkdownItem]


def test_the_footer_says_how_it_ended(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Text(0, 0, "x")))
    sees(entry, RoundStarted(1), UsageChanged(Usage(1000, 284)), ModelChosen("org/small"))
    sees(entry, TurnEnded(MessageState.CANCELLED, NOW + 5.6))
    assert entry.items[-1].accessible_text == "stopped · small · 2 rounds · 1,284 tokens · 5.6 s"
    entry = shown(scene, Text(0, 0, "x"), state=MessageState.INTERRUPTED)
    assert entry.items[-1].accessible_text == "interrupted · 1,284 tokens · 5.6 s"


def test_continuing_removes_the_footer(scene: Scene) -> None:
    notice = Notice(1, 0, "stream_broken")
    entry = shown(scene, Text(0, 0, "x"), notice, state=MessageState.FAILED)
    sees(entry, TurnStarted("a", resumed=True))
    assert kinds(entry)[-1] is StatusItem
    assert entry.running


def test_the_time_before_it_was_continued_does_not_count(scene: Scene) -> None:
    entry = running(scene, BlockStarted(Text(0, 0, "x")))
    sees(entry, TurnEnded(MessageState.LIMITED, NOW + 5.6))
    sees(entry, TurnStarted("a", resumed=True, at=NOW + 3605.6))
    sees(entry, TurnEnded(MessageState.DONE, NOW + 3606.6))
    assert entry.items[-1].accessible_text.endswith("6.6 s")


class TestGroups:
    def test_three_or_more_successful_calls_are_grouped(self, scene: Scene) -> None:
        calls = [call(n) for n in range(3)]
        assert kinds(shown(scene, *calls)) == [GroupHead, FooterItem]
        assert kinds(shown(scene, *calls[:2])) == [CardHead, CardHead, FooterItem]

    @pytest.mark.parametrize(
        "status", [ToolStatus.ERROR, ToolStatus.DENIED, ToolStatus.ASKING, ToolStatus.CANCELLED]
    )
    def test_failures_and_questions_are_never_hidden(
        self, scene: Scene, status: ToolStatus
    ) -> None:
        calls = [call(0), call(1), call(2, status), call(3), call(4), call(5)]
        heads = [i for i in shown(scene, *calls).items if isinstance(i, CardHead | GroupHead)]
        assert [type(head) for head in heads] == [CardHead, CardHead, CardHead, GroupHead]
        assert isinstance(heads[2], CardHead)
        assert heads[2].call.status is status

    def test_a_call_that_has_just_ended_is_not_grouped(self, scene: Scene) -> None:
        events = [BlockStarted(call(n)) for n in range(3)]
        entry = running(scene, *events)
        assert kinds(entry) == [CardHead] * 3 + [StatusItem]
        sees(entry, BlockStarted(Text(3, 1, "So.")))
        assert kinds(entry) == [GroupHead, MarkdownItem]

    def test_an_opened_card_is_not_grouped(self, scene: Scene) -> None:
        events = [BlockStarted(call(n)) for n in range(4)]
        entry = running(scene, *events)
        entry.toggle("card 3")
        sees(entry, BlockStarted(Text(4, 1, "So.")))
        heads = [item for item in entry.items if isinstance(item, CardHead | GroupHead)]
        assert [type(head) for head in heads] == [GroupHead, CardHead]

    def test_an_opened_group_stays_open_when_it_grows(self, scene: Scene) -> None:
        entry = running(scene, *[BlockStarted(call(n)) for n in range(4)])
        sees(entry, BlockStarted(Text(4, 1, "So.")))
        assert entry.toggle("group 0")
        sees(entry, TextAppended(4, " And"), BlockChanged(call(1, output="x")))
        assert kinds(entry)[:5] == [GroupHead] + [CardHead] * 4


def test_a_missing_part_can_not_be_opened(scene: Scene) -> None:
    entry = shown(scene, Text(0, 0, "x"))
    assert not entry.toggle("card 7")
    assert not entry.toggle("nothing")


def test_long_texts_are_made_in_steps(scene: Scene) -> None:
    text = "paragraph with words\n\n" * 4000
    steps = MessageEntry.build_in_steps(companion("a", Text(0, 0, text), call(1)), scene, (), WIDTH)
    paused = 0
    while True:
        try:
            next(steps)
            paused += 1
        except StopIteration as done:
            entry = done.value
            break
    entry.refresh(WIDTH)
    whole = shown(scene, Text(0, 0, text), call(1))
    assert paused == -(-len(text) // STEP_CHARS)
    assert kinds(entry) == kinds(whole)
    assert entry.markdown == text


def test_the_duration_of_a_reply_excludes_the_wait_for_the_user(scene: Scene) -> None:
    asked = call(0, asked=NOW + 1, answered=NOW + 5)
    (footer,) = [item for item in shown(scene, asked).items if isinstance(item, FooterItem)]
    assert footer.accessible_text.endswith("1.6 s")
