"""A simulated life of the companion with a controlled clock: the real reactions and the real actor,
with a model double whose motions have durations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.reactions import Reactions
from neodeskpet.figure.behaviour.seasons import DayContext
from neodeskpet.figure.behaviour.sleep import WakeReaction
from neodeskpet.figure.behaviour.tricks import SeasonalActs, perform_trick
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.live2d.framing import ModelPlacement
from neodeskpet.figure.live2d.model_actor import ModelActor
from neodeskpet.figure.poses import Pose
from tests.unit.figure.doubles import PaperModel

NOON, STEP = 12, 0.25
_MOVED = ("ParamAngleX", "ParamAngleZ", "ParamBodyAngleZ")


class TimedModel(PaperModel):
    """Its motions have durations, like those of the library: each `length` seconds, or those of
    `lengths`.
    """

    def __init__(self, length: float, lengths: Mapping[Motion, float] | None = None) -> None:
        super().__init__()
        self.values |= dict.fromkeys(_MOVED, 0.0)
        self.length, self.now, self.end = length, 0.0, 0.0
        self.lengths = lengths or {}
        self.commands: list[tuple[float, Motion]] = []

    def takes(self, motion: Motion) -> float:
        return self.lengths.get(motion, self.length)

    def StartMotion(self, group: str, no: int, priority: int = 3) -> None:
        self.commands.append((self.now, (group, no)))
        self.end = self.now + self.takes((group, no))

    def Update(self, deltaSecs: float = -1.0) -> None:  # noqa: N803
        super().Update(deltaSecs)
        self.values |= dict.fromkeys(_MOVED, 0.0)

    def IsMotionFinished(self) -> bool:
        return self.now >= self.end

    def StopAllMotions(self) -> None:
        self.end = self.now


@dataclass
class Life:
    """`day` and `turning`: the day, and the part that shows it; None by default."""

    model: TimedModel
    actor: ModelActor
    reactions: Reactions
    poses: list[tuple[float, Pose]] = field(default_factory=list)
    wakes: list[WakeReaction] = field(default_factory=list)
    now: float = 0.0
    day: DayContext = field(default_factory=DayContext)
    turning: SeasonalActs | None = None

    def live(self, seconds: float, idle: Callable[[float], float | None]) -> None:
        """As the window does it, frame by frame."""
        end = self.now + seconds
        self.actor.day = self.day
        while self.now < end:
            self.now += STEP
            self.model.now = self.now
            if self.now % 2.0 < STEP:
                wake = self.reactions.update_presence(self.actor, idle(self.now), self.now, NOON)
                self.wakes += [wake] if wake is not WakeReaction.NONE else []
            self.reactions.tick(self.actor, self.now, NOON)
            self._turn()
            self.actor.advance(self.now, STEP)
            if not self.poses or self.poses[-1][1] is not self.actor.current_pose:
                self.poses.append((self.now, self.actor.current_pose))

    def _turn(self) -> None:
        if self.turning is None or self.now % 60.0 >= STEP:
            return
        feat = self.turning.due(self.day, self.now)
        if feat is not None and self.actor.current_pose is Pose.IDLE:
            perform_trick(self.actor, feat, self.now)

    def acts(self) -> dict[Motion, list[tuple[float, float]]]:
        """When each motion but breathing began, and how long it took."""
        ends = [at for at, _ in self.model.commands[1:]] + [self.now]
        breathing = {("Idle", 0)}
        if "Sleep" in self.actor.description.motions:
            breathing.add(("Sleep", 0))
        found: dict[Motion, list[tuple[float, float]]] = {}
        for (at, motion), end in zip(self.model.commands, ends, strict=True):
            if motion not in breathing:
                took = min(end - at, self.model.takes(motion))
                found.setdefault(motion, []).append((at, took))
        return found

    def soonest(self) -> float:
        """The shortest time (s) from one beginning of an act to its next; inf without any."""
        runs = self.acts().values()
        return min((b[0] - a[0] for one in runs for a, b in pairwise(one)), default=float("inf"))

    def largest_share(self) -> float:
        """The largest share of the time that one act took."""
        runs = self.acts().values()
        return max((sum(took for _, took in one) for one in runs), default=0.0) / self.now


def begin(found: ModelDescription, seed: int, length: float = 8.0) -> Life:
    """Return a simulated life of this figure, from the moment when it becomes visible."""
    model = TimedModel(length, lengths_of(found))
    actor = ModelActor(model, found, Random(seed), 0.0)
    actor.placing = ModelPlacement(200, 400, 0.0, 0.0, 2.0)
    return Life(model, actor, Reactions(Random(seed), 0.0))


def lengths_of(description: ModelDescription) -> dict[Motion, float]:
    """Return the durations (s) of its motions in their files; none for a fake figure."""
    tree = json.loads(description.settings)
    groups = tree.get("FileReferences", {}).get("Motions", {})
    found = {}
    for group, entries in groups.items():
        for index, entry in enumerate(entries):
            file = description.root / entry["File"]
            found[group, index] = float(json.loads(file.read_bytes())["Meta"]["Duration"])
    return found
