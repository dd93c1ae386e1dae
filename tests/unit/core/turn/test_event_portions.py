"""Portions: nothing is lost or reordered, and none is longer than the limit."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.blocks import Text, Thinking
from neodeskpet.core.turn.event_portions import (
    COMPLEX_CHARACTER_COST,
    LINE_COST,
    EventBatch,
    take_portion,
)
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockEnded,
    BlockStarted,
    TextAppended,
    TurnEvent,
)

texts = st.text(max_size=12) | st.text("ab\n\u202e\u0301👨\u200d", max_size=12)
events = (
    st.builds(TextAppended, st.just(0), texts)
    | st.builds(ArgumentsAppended, st.just(1), texts)
    | st.builds(lambda text: BlockStarted(Text(0, 0, text)), texts)
    | st.builds(lambda text: BlockStarted(Thinking(2, 0, text)), texts)
)


def length(event: TurnEvent) -> int:
    match event:
        case TextAppended(text=text) | ArgumentsAppended(json=text):
            return len(text)
        case BlockStarted(block=Text(text=text) | Thinking(text=text)):
            return len(text)
        case _:
            return 0


def flat(batch: EventBatch) -> list[object]:
    """The content of the events, independent of how their texts are split."""
    out: list[object] = []
    for message_id, event in batch:
        match event:
            case TextAppended(index=index, text=text) | ArgumentsAppended(index=index, json=text):
                out += [(message_id, index, char) for char in text]
            case BlockStarted(block=Text(text=text) | Thinking(text=text) as block):
                out.append((message_id, replace(block, text="")))
                out += [(message_id, block.index, char) for char in text]
    return out


@given(st.lists(st.tuples(st.sampled_from("ab"), events), max_size=12), st.integers(1, 20))
def test_the_portions_joined_are_the_events(batch: list[tuple[str, TurnEvent]], most: int) -> None:
    portions: list[EventBatch] = []
    rest: EventBatch = batch
    while rest:
        portion, rest = take_portion(rest, most)
        assert portion
        assert sum(length(event) for _, event in portion) <= most
        portions.append(portion)
    assert flat([one for portion in portions for one in portion]) == flat(batch)


def test_events_within_the_limit_are_one_portion() -> None:
    batch = [("m", TextAppended(0, "abc")), ("m", BlockStarted(Text(1, 0, "")))]
    assert take_portion(batch, 3) == (batch, ())


def test_events_without_text_take_no_room() -> None:
    done: tuple[str, TurnEvent] = ("m", BlockEnded(Text(0, 0, "abc")))
    batch: EventBatch = [("m", TextAppended(0, "abc")), done, done]
    assert take_portion(batch, 3) == (batch, ())


def test_a_text_that_is_too_long_is_split() -> None:
    started = ("m", BlockStarted(Text(0, 0, "")))
    portion, rest = take_portion([started, ("m", TextAppended(0, "abcde"))], 2)
    assert portion == [started, ("m", TextAppended(0, "ab"))]
    assert rest == [("m", TextAppended(0, "cde"))]


def test_a_block_that_begins_with_a_long_text_continues_with_it() -> None:
    portion, rest = take_portion([("m", BlockStarted(Text(3, 0, "abcde")))], 2)
    assert portion == [("m", BlockStarted(Text(3, 0, "ab")))]
    assert rest == [("m", TextAppended(3, "cde"))]


def test_the_end_of_a_line_counts_as_several_characters() -> None:
    portion, rest = take_portion([("m", TextAppended(0, "ab\n\n\ncd"))], 2 * LINE_COST + 2)
    assert portion == [("m", TextAppended(0, "ab\n\n"))]
    assert rest == [("m", TextAppended(0, "\ncd"))]
    portion, rest = take_portion([("m", TextAppended(0, "a")), *rest], LINE_COST)
    assert portion == [("m", TextAppended(0, "a"))]
    assert take_portion(rest, 1) == ([("m", TextAppended(0, "\n"))], [("m", TextAppended(0, "cd"))])


def test_characters_that_count_as_several_give_smaller_portions() -> None:
    family = "👨\u200d👩\u200d👧"
    portion, rest = take_portion([("m", TextAppended(0, family * 9))], COMPLEX_CHARACTER_COST * 10)
    assert portion == [("m", TextAppended(0, family * 2))]
    assert rest == [("m", TextAppended(0, family * 7))]
    plain = [("m", TextAppended(0, "雨" * 40))]
    assert take_portion(plain, 40) == (plain, ())
