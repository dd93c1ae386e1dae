"""↑ and ↓ through sent messages."""

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.ui.chat.composer.sent_messages import MAX_KEPT, InputHistory


def filled(*texts: str) -> InputHistory:
    recall = InputHistory()
    recall.replace(texts)
    return recall


def test_it_moves_back_and_forth() -> None:
    recall = filled("one", "two", "three")
    assert recall.older("") == "three"
    assert recall.older("three") == "two"
    assert recall.older("two") == "one"
    assert recall.older("one") is None
    assert recall.newer("one") == "two"
    assert recall.newer("two") == "three"
    assert recall.newer("three") == ""


def test_a_text_that_is_being_written_is_not_replaced() -> None:
    recall = filled("one")
    assert recall.older("my draft") is None
    assert recall.newer("my draft") is None
    assert recall.newer("") is None


def test_changing_a_recalled_text_ends_the_recall() -> None:
    recall = filled("one", "two")
    assert recall.older("") == "two"
    assert recall.older("two, but longer") is None
    assert recall.newer("two, but longer") is None


def test_nothing_was_sent_yet() -> None:
    assert InputHistory().older("") is None


def test_sending_starts_again_from_the_end() -> None:
    recall = filled("one", "two")
    recall.older("")
    recall.add("three")
    assert recall.older("") == "three"


def test_equal_consecutive_messages_are_kept_once() -> None:
    recall = filled()
    recall.add("same")
    recall.add("same")
    assert recall.older("") == "same"
    assert recall.older("same") is None


@given(st.lists(st.text(min_size=1), max_size=MAX_KEPT + 20))
def test_the_order_is_newest_first(texts: list[str]) -> None:
    recall = filled(*texts)
    met = []
    shown = recall.older("")
    while shown is not None:
        met.append(shown)
        shown = recall.older(shown)
    assert met == list(reversed(texts))[:MAX_KEPT]
