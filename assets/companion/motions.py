"""All motions of the character."""

from dataclasses import replace
from functools import lru_cache

from companion.motion import Curve, Motion, parse
from companion.motions_acts import ACTS
from companion.motions_bridges import BRIDGES
from companion.motions_feelings import FEELINGS
from companion.motions_idle import IDLE
from companion.motions_places import PLACES
from companion.motions_states import STATES
from companion.parameters import PARAMETERS
from companion.reach import laid_on

_DROP = 1.1
"""Seconds in which a tear runs down."""


@lru_cache
def all_motions() -> tuple[Motion, ...]:
    """Every motion, in the order of its index within its group."""
    return tuple(_completed([laid_on(motion) for motion in written_motions()]))


def written_motions() -> list[Motion]:
    """The motions as they are written: no arm is solved."""
    texts = (IDLE, ACTS, STATES, FEELINGS, PLACES, BRIDGES)
    return [motion for text in texts for motion in parse(text)]


def _completed(motions: list[Motion]) -> list[Motion]:
    """Let every motion hold at rest what only others move.

    The framework keeps a parameter where the last motion left it; so a motion that is broken off,
    or a state that ends, would leave its arms raised and its signs showing.
    """
    moved = {c.id for motion in motions for c in motion.curves if c.target == "Parameter"}
    rest = {row.parameter.id: row.parameter.default for row in PARAMETERS}
    out: list[Motion] = []
    for motion in motions:
        own = {curve.id for curve in motion.curves}
        ends = (0.0, motion.seconds)
        held = [
            Curve("Parameter", name, tuple((at, rest[name]) for at in ends))
            for name in rest
            if name in moved - own
        ]
        if "ParamTearFlow" not in own:
            held.append(Curve("Parameter", "ParamTearFlow", _running(motion.seconds)))
        # Parameters before parts, as the framework reads them.
        out.append(replace(motion, curves=(*held, *motion.curves)))
    return out


def _running(seconds: float) -> tuple[tuple[float, float], ...]:
    """Keys from 0 to 1, and at once to 0 again: a drop runs down, unseen where it begins anew."""
    times = max(1, round(seconds / _DROP))
    span = seconds / times
    keys: list[tuple[float, float]] = []
    for n in range(times):
        keys += [(round(n * span, 3), 0.0), (round((n + 1) * span - 0.034, 3), 1.0)]
    return (*keys, (seconds, 0.0))
