"""All motions of the character."""

from companion.motion import Motion, parse
from companion.motions_acts import ACTS
from companion.motions_idle import IDLE
from companion.motions_states import STATES


def all_motions() -> list[Motion]:
    """Every motion, in the order of its index within its group."""
    return [*parse(IDLE), *parse(ACTS), *parse(STATES)]
