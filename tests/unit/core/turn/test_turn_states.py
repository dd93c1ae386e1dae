"""The table by itself; `test_turn.py` shows that a turn follows it."""

from neodeskpet.core.turn.turn_states import FINAL_MESSAGE_STATES, TURN_TRANSITIONS, TurnState


def reachable() -> set[TurnState]:
    found = {TurnState.READY}
    while True:
        more = {after for (before, _), after in TURN_TRANSITIONS.items() if before in found} - found
        if not more:
            return found
        found |= more


def test_every_state_can_be_reached() -> None:
    assert reachable() == set(TurnState)


def test_a_state_without_transitions_is_final() -> None:
    assert set(TurnState) - {before for before, _ in TURN_TRANSITIONS} == set(FINAL_MESSAGE_STATES)
    assert len(set(FINAL_MESSAGE_STATES.values())) == len(FINAL_MESSAGE_STATES)
