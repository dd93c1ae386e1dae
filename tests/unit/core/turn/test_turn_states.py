"""The table by itself; `test_turn.py` shows that a turn follows it."""

from neodeskpet.core.turn.turn_states import ENDS, TRANSITIONS, State


def reachable() -> set[State]:
    found = {State.READY}
    while True:
        more = {after for (before, _), after in TRANSITIONS.items() if before in found} - found
        if not more:
            return found
        found |= more


def test_every_state_can_be_reached() -> None:
    assert reachable() == set(State)


def test_where_nothing_leads_on_a_message_has_ended() -> None:
    assert set(State) - {before for before, _ in TRANSITIONS} == set(ENDS)
    assert len(set(ENDS.values())) == len(ENDS)
