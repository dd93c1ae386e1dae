"""Small things it does of its own accord, whatever figure it is: a motion of that name where the
figure has one, else some standard parameters moved by a script, else a pose.

Pure: nothing is timed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.live2d.acting import FigureActor
from neodeskpet.live2d.animation_script import ParameterRange, parse_script
from neodeskpet.live2d.files.description import ModelDescription
from neodeskpet.live2d.life.repertoire import motion_stems
from neodeskpet.live2d.liveliness import Motion
from neodeskpet.live2d.poses import Pose, find_names, name_words


@dataclass(frozen=True, slots=True)
class ParameterPulse:
    """A parameter, there and back so many `times`, each of `seconds`. `to` is a share of the way
    from its default to its maximum (1) or its minimum (-1).
    """

    parameter: str
    to: float
    seconds: float
    times: int = 1
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class HeldParameter:
    """A parameter that goes there in `seconds` and stays for a moment after all is done; a pulse of
    the same one comes after it, from there. `to` as in `Pulse`.
    """

    parameter: str
    to: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Trick:
    """`motions`: words of names, the best first. `face`: words of an expression's name."""

    motions: tuple[str, ...] = ()
    pulses: tuple[ParameterPulse, ...] = ()
    pose: Pose | None = None
    face: tuple[str, ...] = ()
    stays: tuple[HeldParameter, ...] = ()


def perform_trick(actor: FigureActor, feat: Trick, now: float, *, asked: bool = False) -> None:
    """Do it in the best way the figure has; one that has none of them does nothing. Unless it is
    `asked` for, a motion that was just seen isn't: it moves its parameters instead.
    """
    motion = find_trick_motion(actor.description, feat.motions)
    seen = motion is not None and not asked and actor.did_lately(motion, now)
    steps = script_steps(feat.pulses, actor.parameters(), feat.stays)
    if seen and not steps:
        return
    face = next(iter(find_names(feat.face, actor.description.expressions)), None)
    if face is not None:
        actor.flash(face, now)
    if motion is not None and not seen:
        actor.play(*motion, now)
    elif steps:
        actor.animate(parse_script(steps, actor.parameters()), now)
    elif feat.pose is not None:
        actor.pose(feat.pose, now)


def find_trick_motion(description: ModelDescription, named: Sequence[str]) -> Motion | None:
    """The motion that one of these words names, the best first: by its group, or by its file."""
    groups = find_names(named, description.motions)
    if groups:
        return groups[0], 0
    stems = {motion: set(name_words(stem)) for motion, stem in motion_stems(description).items()}
    found = (motion for word in named for motion, known in stems.items() if word in known)
    return next(found, None)


def script_steps(
    pulses: Sequence[ParameterPulse],
    ranges: Mapping[str, ParameterRange],
    stays: Sequence[HeldParameter] = (),
) -> list[dict[str, object]]:
    """A script of those that this figure has parameters for."""
    staying: dict[str, list[dict[str, object]]] = {}
    for stay in stays:
        if stay.parameter in ranges:
            to = _value(stay.to, ranges[stay.parameter])
            move = {"do": "tween", "parameter": stay.parameter, "to": to, "seconds": stay.seconds}
            staying[stay.parameter] = [move]
    steps: list[dict[str, object]] = []
    for pulse in pulses:
        if pulse.parameter not in ranges:
            continue
        moved: dict[str, object] = {
            "do": "pulse",
            "parameter": pulse.parameter,
            "to": _value(pulse.to, ranges[pulse.parameter]),
            "seconds": pulse.seconds,
            "times": pulse.times,
        }
        waits: dict[str, object] = {"do": "wait", "seconds": pulse.after}
        own = [waits, moved] if pulse.after else [moved]
        if pulse.parameter in staying:
            staying[pulse.parameter] += own
        else:
            steps.append({"do": "sequence", "steps": own} if pulse.after else moved)
    return steps + [{"do": "sequence", "steps": own} for own in staying.values()]


def _value(to: float, span: ParameterRange) -> float:
    end = span.maximum if to > 0.0 else span.minimum
    return span.default + abs(to) * (end - span.default)
