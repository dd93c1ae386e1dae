"""Pendulums that make hair, ears, scarf, bell and tail follow the head and the body."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sway:
    """A pendulum of ``length`` units with its inputs and the parameters its angle drives."""

    id: str
    name: str
    inputs: tuple[tuple[str, float, str], ...]
    """(parameter, weight in percent, "X" or "Angle")."""
    outputs: tuple[tuple[str, int, float], ...]
    """(parameter, pendulum bob, scale)."""
    lengths: tuple[float, ...] = (9.0,)
    mobility: float = 0.92
    delay: float = 0.75
    acceleration: float = 1.2


_HEAD = (
    ("ParamAngleX", 60.0, "X"),
    ("ParamAngleZ", 60.0, "Angle"),
    ("ParamBodyAngleX", 40.0, "X"),
    ("ParamBodyAngleZ", 40.0, "Angle"),
)
_NODDING = (*_HEAD, ("ParamAngleY", 30.0, "X"))
_BODY = (
    ("ParamBodyAngleX", 100.0, "X"),
    ("ParamBodyAngleZ", 100.0, "Angle"),
    ("ParamBaseX", 60.0, "X"),
)
SWAYS = (
    Sway("PhysicsFringe", "Fringe / 刘海", _HEAD, (("ParamHairFront", 1, 2.2),), (7.0,)),
    Sway("PhysicsTop", "Top lock / 头顶毛", _NODDING, (("ParamHairFluffy", 1, -2.6),), (12.0,)),
    Sway("PhysicsCheek", "Cheek fur / 脸颊毛", _NODDING, (("ParamHairSide", 1, 2.0),), (5.0,)),
    Sway(
        "PhysicsEars",
        "Ears / 耳朵",
        _NODDING,
        (("ParamEarL", 1, -1.8), ("ParamEarR", 1, -1.8)),
        (8.0,),
    ),
    Sway("PhysicsWorn", "Worn parts / 配饰", _NODDING, (("ParamWornSway", 1, 2.2),), (9.0,)),
    Sway(
        "PhysicsScarf",
        "Scarf / 围巾",
        (*_BODY, ("ParamAngleX", 25.0, "X")),
        (("ParamScarf", 1, 2.4), ("ParamScarfTip", 2, 2.8)),
        (9.0, 9.0),
    ),
    Sway(
        "PhysicsBell",
        "Bell / 铃铛",
        (*_BODY, ("ParamAngleZ", 40.0, "Angle"), ("ParamAngleX", 30.0, "X")),
        (("ParamBell", 1, 2.6),),
        (6.0,),
    ),
    Sway(
        "PhysicsTail",
        "Tail / 尾巴",
        (*_BODY, ("ParamTailWag", 60.0, "X")),
        (("ParamTailBase", 1, 1.2), ("ParamTailTip", 2, 1.8)),
        (12.0, 12.0),
        0.95,
        0.6,
        1.0,
    ),
)


def physics3() -> dict[str, Any]:
    """The physics3.json document."""
    return {
        "Version": 3,
        "Meta": {
            "PhysicsSettingCount": len(SWAYS),
            "TotalInputCount": sum(len(s.inputs) for s in SWAYS),
            "TotalOutputCount": sum(len(s.outputs) for s in SWAYS),
            "VertexCount": sum(len(s.lengths) + 1 for s in SWAYS),
            "Fps": 60,
            "EffectiveForces": {"Gravity": {"X": 0, "Y": -1}, "Wind": {"X": 0, "Y": 0}},
            "PhysicsDictionary": [{"Id": s.id, "Name": s.name} for s in SWAYS],
        },
        "PhysicsSettings": [_setting(sway) for sway in SWAYS],
    }


def _setting(sway: Sway) -> dict[str, Any]:
    depths = [sum(sway.lengths[:i]) for i in range(len(sway.lengths) + 1)]
    return {
        "Id": sway.id,
        "Input": [
            {
                "Source": {"Target": "Parameter", "Id": name},
                "Weight": weight,
                "Type": kind,
                "Reflect": False,
            }
            for name, weight, kind in sway.inputs
        ],
        "Output": [
            {
                "Destination": {"Target": "Parameter", "Id": name},
                "VertexIndex": bob,
                "Scale": scale,
                "Weight": 100,
                "Type": "Angle",
                "Reflect": False,
            }
            for name, bob, scale in sway.outputs
        ],
        "Vertices": [
            {
                "Position": {"X": 0, "Y": depth},
                "Mobility": 1.0 if i == 0 else sway.mobility,
                "Delay": 1.0 if i == 0 else sway.delay,
                "Acceleration": 1.0 if i == 0 else sway.acceleration,
                "Radius": 0.0 if i == 0 else sway.lengths[i - 1],
            }
            for i, depth in enumerate(depths)
        ],
        "Normalization": {
            "Position": {"Minimum": -10, "Default": 0, "Maximum": 10},
            "Angle": {"Minimum": -10, "Default": 0, "Maximum": 10},
        },
    }
