"""The events of a response are values, and the union names all of them."""

import dataclasses

import pytest

from neodeskpet.core import wire
from neodeskpet.core.wire import (
    PIECE_CHARACTERS,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    UsageReported,
    WireEvent,
    pieces_of,
)


def kinds() -> set[type]:
    return {value for value in vars(wire).values() if dataclasses.is_dataclass(value)}  # type: ignore[misc]


def test_the_union_is_complete() -> None:
    assert set(WireEvent.__args__) == kinds()


@pytest.mark.parametrize("kind", sorted(kinds(), key=lambda kind: kind.__name__))
def test_events_are_frozen_and_slotted(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_optional_fields_of_a_provider() -> None:
    assert ResponseFinished(StopReason.END).raw is None
    assert UsageReported(1, 2) == UsageReported(1, 2, 0, 0, None)


@pytest.mark.parametrize(
    "length", [0, 1, PIECE_CHARACTERS, PIECE_CHARACTERS + 1, 3 * PIECE_CHARACTERS]
)
def test_a_long_text_is_several_pieces(length: int) -> None:
    text = "".join(chr(97 + number % 26) for number in range(length))
    for event in (TextDelta(2, text), ThinkingDelta(2, text, '"signature"')):
        pieces = list(pieces_of(event))
        texts = [piece.text for piece in pieces if isinstance(piece, type(event))]
        assert "".join(texts) == text
        assert all(len(one) <= PIECE_CHARACTERS for one in texts)
        assert len(pieces) == max(1, -(-length // PIECE_CHARACTERS))
        last = pieces[-1]
        assert not isinstance(last, ThinkingDelta) or last.opaque == '"signature"'
        assert [p.opaque for p in pieces[:-1] if isinstance(p, ThinkingDelta)] in (
            [],
            [""] * (len(pieces) - 1),
        )


def test_other_events_are_not_split() -> None:
    assert list(pieces_of(ResponseFinished(StopReason.END))) == [ResponseFinished(StopReason.END)]
