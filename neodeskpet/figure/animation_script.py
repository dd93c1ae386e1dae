"""Small scripts that move a model's parameters: parsed, checked, and evaluated at a time.

A script is a list of steps that start together; a `sequence` contains successive steps::

    [{"do": "tween", "parameter": "ParamAngleZ", "to": 15, "seconds": 0.5, "easing": "ease_out"},
     {"do": "sequence", "steps": [{"do": "wait", "seconds": 0.2},
                                  {"do": "pulse", "parameter": "ParamCheek", "to": 1, "times": 2},
                                  {"do": "reset"}]}]

Values are clamped to the parameter's range. After the script they are eased back to the model's
own values. Pure: no clock, no model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple, TypeVar

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason

MOST_SECONDS = 10.0
MOST_STEPS = 80
HOLD_SECONDS = 0.6
"""Seconds for which a script's last values stay."""
RELEASE_SECONDS = 0.5
"""Seconds in which the values then return to the model's own."""
_TOUCH = 1e-6


class ParameterRange(NamedTuple):
    """The range and default of a parameter."""

    minimum: float
    maximum: float
    default: float


class HeldValue(NamedTuple):
    """A value that replaces the model's own by this `weight` (0: the model's own, 1: only
    `value`).
    """

    value: float
    weight: float


class StepKind(StrEnum):
    SET = "set"
    TWEEN = "tween"
    PULSE = "pulse"
    WAIT = "wait"
    RESET = "reset"
    SEQUENCE = "sequence"


class Easing(StrEnum):
    LINEAR = "linear"
    EASE_IN = "ease_in"
    EASE_OUT = "ease_out"
    EASE_IN_OUT = "ease_in_out"


DEFAULT_STEP_SECONDS = {
    StepKind.SET: 0.0,
    StepKind.TWEEN: 0.5,
    StepKind.PULSE: 0.6,
    StepKind.WAIT: 0.5,
    StepKind.RESET: 0.4,
}
"""The duration of a step that gives none; for a pulse, of each repetition."""


def ease(easing: Easing, share: float) -> float:
    """Map 0..1 to 0..1, monotonically."""
    share = min(1.0, max(0.0, share))
    match easing:
        case Easing.LINEAR:
            return share
        case Easing.EASE_IN:
            return share * share
        case Easing.EASE_OUT:
            return 1.0 - (1.0 - share) ** 2
        case Easing.EASE_IN_OUT:
            return share * share * (3.0 - 2.0 * share)


@dataclass(frozen=True, slots=True)
class ParameterMove:
    """One parameter that moves from `start` to `end` (seconds of the script). Moves of one `track`
    follow one another.
    """

    do: StepKind
    parameter: str
    start: float
    end: float
    to: float = 0.0
    easing: Easing = Easing.EASE_IN_OUT
    times: int = 1
    track: int = 0

    def after(self, before: HeldValue, at: float) -> HeldValue:
        """Return the value at `at` (not before `start`), if `before` was held at `start`."""
        length = self.end - self.start
        share = (at - self.start) / length if length > 0.0 else 1.0
        if self.do is StepKind.RESET:
            left = 1.0 - ease(self.easing, share)
            return HeldValue(before.value, before.weight * left)
        done = _pulse(self.times, share) if self.do is StepKind.PULSE else ease(self.easing, share)
        # From the model's own value it moves by weight, because that value may change meanwhile.
        value = _mix(before.value, self.to, done) if before.weight > 0.0 else self.to
        return HeldValue(value, _mix(before.weight, 1.0, done))


@dataclass(frozen=True, slots=True)
class AnimationScript:
    """A checked script. `moves` are sorted by start; `seconds` is its length."""

    moves: tuple[ParameterMove, ...]
    seconds: float

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset(move.parameter for move in self.moves)

    def held(
        self, at: float, before: Mapping[str, HeldValue] | None = None
    ) -> dict[str, HeldValue]:
        """Return the values `at` seconds after the start; `before` are the values of an earlier
        script at that time.
        """
        out = dict(before or {})
        for move in self.moves:
            if move.start <= at:
                here = out.get(move.parameter, HeldValue(0.0, 0.0))
                out[move.parameter] = move.after(here, min(at, move.end))
        return out


def _pulse(times: int, share: float) -> float:
    if share >= 1.0:
        return 0.0
    return math.sin(math.pi * times * max(0.0, share)) ** 2


def _mix(start: float, end: float, share: float) -> float:
    return start + (end - start) * share


class ScriptPlayer:
    """Runs scripts on a model, including the values that an earlier script leaves. Times: a
    monotonic clock.
    """

    def __init__(self) -> None:
        self._script: AnimationScript | None = None
        self._since = 0.0
        self._before: dict[str, HeldValue] = {}

    def start(self, script: AnimationScript, now: float) -> None:
        """Start a script now; it takes over smoothly from the last one."""
        self._before = self.held(now)
        self._script, self._since = script, now

    def running(self, now: float) -> bool:
        """Return whether any value is still held."""
        script = self._script
        return (
            script is not None
            and now < self._since + script.seconds + HOLD_SECONDS + RELEASE_SECONDS
        )

    def held(self, now: float) -> dict[str, HeldValue]:
        """Return the values that replace the model's own now."""
        script = self._script
        if script is None or not self.running(now):
            return {}
        at = max(0.0, now - self._since)
        out: dict[str, HeldValue] = {}
        left = 1.0 - ease(Easing.EASE_IN_OUT, at / RELEASE_SECONDS)
        for name, held in self._before.items():
            if name not in script.parameters:
                out[name] = HeldValue(held.value, held.weight * left)
        taken = {name: self._before[name] for name in script.parameters & self._before.keys()}
        out |= script.held(min(at, script.seconds), taken)
        over = 1.0 - ease(
            Easing.EASE_IN_OUT, (at - script.seconds - HOLD_SECONDS) / RELEASE_SECONDS
        )
        return {
            name: HeldValue(held.value, held.weight * over)
            for name, held in out.items()
            if held.weight * over > 0.0
        }


# Reading a script


def parse_script(script: object, ranges: Mapping[str, ParameterRange]) -> AnimationScript:
    """Parse a script of JSON values and check it against the parameters of the model.

    Raises InvalidArguments, which names the step and the reason.
    """
    steps = _ScriptParser(ranges)
    end = steps.together(_list(script, "script"), "script")
    if not steps.count:
        raise InvalidArguments.at("script", N_("it has no step"))
    if end > MOST_SECONDS + _TOUCH:
        text = N_("it takes {seconds} s, at most {most} s are allowed")
        most = f"{MOST_SECONDS:.0f}"
        raise InvalidArguments.at("script", text, seconds=f"{end:.1f}", most=most)
    moves = sorted(steps.moves, key=lambda move: move.start)
    _check_overlaps(moves)
    return AnimationScript(tuple(moves), end)


def _check_overlaps(moves: Iterable[ParameterMove]) -> None:
    """Check that no two tracks move one parameter at the same time, since the result would be
    undefined.
    """
    for one, other in combinations(moves, 2):
        apart = one.end <= other.start + _TOUCH or other.end <= one.start + _TOUCH
        if (
            one.parameter == other.parameter
            and one.track != other.track
            and (not apart or one.start == other.start)
        ):
            text = N_("two steps move {parameter} at the same time")
            advice = (
                "Steps begin together: put those that follow one another into the steps of a "
                "sequence."
            )
            raise InvalidArguments.at("script", text, advice=advice, parameter=one.parameter)


class _ScriptParser:
    """Collects the moves of all steps."""

    def __init__(self, ranges: Mapping[str, ParameterRange]) -> None:
        self._ranges = ranges
        self._track = 0
        self.moves: list[ParameterMove] = []
        self.count = 0

    def together(self, steps: Sequence[object], path: str) -> float:
        """Parse steps that start at 0; return when the last one ends."""
        ends = [0.0]
        for number, step in enumerate(steps):
            self._track = number
            where = f"{path}[{number}]"
            fields = _object(step, where)
            do = _choice(fields.get("do"), StepKind, f"{where}.do")
            if do is StepKind.SEQUENCE:
                inner = _list(fields.get("steps"), f"{where}.steps")
                ends.append(self._sequence(inner, f"{where}.steps"))
                self._count()
            else:
                ends.append(self._step(do, fields, where, 0.0, ()))
        return max(ends)

    def _sequence(self, steps: Sequence[object], path: str) -> float:
        at, first = 0.0, len(self.moves)
        for number, step in enumerate(steps):
            where = f"{path}[{number}]"
            fields = _object(step, where)
            do = _choice(fields.get("do"), StepKind, f"{where}.do")
            if do is StepKind.SEQUENCE:
                raise InvalidArguments.at(where, N_("a sequence can't be inside a sequence"))
            moved = tuple(dict.fromkeys(move.parameter for move in self.moves[first:]))
            at = self._step(do, fields, where, at, moved)
        return at

    def _step(
        self,
        do: StepKind,
        fields: Mapping[str, object],
        where: str,
        at: float,
        moved: tuple[str, ...],
    ) -> float:
        """Parse one step that starts at `at`; return its end. `moved` are the parameters that a
        reset without parameters resets.
        """
        self._count()
        seconds = DEFAULT_STEP_SECONDS[do]
        if do is not StepKind.SET:
            seconds = _number(fields.get("seconds", seconds), f"{where}.seconds")
            if not 0.0 <= seconds <= MOST_SECONDS:
                raise _outside(f"{where}.seconds", 0, MOST_SECONDS)
        if do is StepKind.WAIT:
            return at + seconds
        if do is StepKind.RESET:
            names = moved
            if fields.get("parameter") is not None:
                names = (self._parameter(fields, where),)
            self.moves += [
                ParameterMove(do, name, at, at + seconds, track=self._track) for name in names
            ]
            return at + seconds
        times = 1
        if do is StepKind.PULSE:
            times = round(_number(fields.get("times", 1), f"{where}.times"))
            if not 1 <= times <= 40:
                raise _outside(f"{where}.times", 1, 40)
        name = self._parameter(fields, where)
        low, high, _ = self._ranges[name]
        to = min(high, max(low, _number(fields.get("to"), f"{where}.to")))
        easing = _choice(fields.get("easing", Easing.EASE_IN_OUT), Easing, f"{where}.easing")
        end = at + seconds * times
        self.moves.append(ParameterMove(do, name, at, end, to, easing, times, self._track))
        return end

    def _parameter(self, fields: Mapping[str, object], where: str) -> str:
        name = fields.get("parameter")
        if isinstance(name, str) and name in self._ranges:
            return name
        near = get_close_matches(str(name), self._ranges, n=1)
        reasons = [Reason(N_("there is no {name}."), {"name": str(name)}, f"{where}.parameter")]
        if near:
            reasons.append(Reason(N_("Did you mean {names}?"), {"names": near[0]}))
        raise InvalidArguments(reasons=reasons)

    def _count(self) -> None:
        self.count += 1
        if self.count > MOST_STEPS:
            raise InvalidArguments.at("script", N_("more than {most} steps"), most=str(MOST_STEPS))


def _outside(where: str, low: float, high: float) -> InvalidArguments:
    text = N_("must be {low} to {high}")
    return InvalidArguments.at(where, text, low=f"{low:.0f}", high=f"{high:.0f}")


def _list(value: object, where: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise InvalidArguments.at(where, N_("must be a list of steps"))
    return value


def _object(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidArguments.at(where, N_("must be an object with “do”"))
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidArguments.at(where, N_("must be a number"))
    number = float(value) if abs(value) < 1e300 else math.inf
    if not math.isfinite(number):
        raise InvalidArguments.at(where, N_("must be a finite number"))
    return number


_Word = TypeVar("_Word", bound=StrEnum)


def _choice(value: object, kind: type[_Word], where: str) -> _Word:
    try:
        return kind(str(value))
    except ValueError:
        known = ", ".join(kind)
        raise InvalidArguments.at(where, N_("must be one of {names}"), names=known) from None
