"""The facial expressions, as offsets and factors over whatever motion is playing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from companion.parameters import PARAMETERS
from companion.reach import built_arms

_EXPRESSIONS = """
[neutral]
[smile]
ParamMouthForm + 1
ParamMouthOpenY + 0.32
ParamEyeLSmile + 0.9
ParamEyeRSmile + 0.9
ParamEyeLOpen * 0.86
ParamEyeROpen * 0.86
ParamCheek + 0.75
ParamBrowLY + 0.3
ParamBrowRY + 0.3
ParamTailWag + 0.3
[joy]
ParamMouthForm + 1
ParamMouthOpenY + 0.9
ParamEyeLOpen * 0
ParamEyeROpen * 0
ParamEyeLSmile + 1
ParamEyeRSmile + 1
ParamCheek + 0.9
ParamBrowLY + 0.6
ParamBrowRY + 0.6
ParamEarDroopL + -0.4
ParamEarDroopR + -0.4
ParamArmLA + 34
ParamArmRA + 34
ParamNote + 1
[shy]
ParamCheek + 1
ParamEyeLOpen * 0.78
ParamEyeROpen * 0.78
ParamEyeForm + -0.8
ParamEyeBallX + 0.75
ParamEyeBallY + -0.4
ParamBrowLAngle + -0.9
ParamBrowRAngle + -0.9
ParamBrowLY + 0.2
ParamBrowRY + 0.2
ParamMouthForm + -0.35
ParamU + 0.25
ParamEarDroopL + 0.2
ParamEarDroopR + 0.3
ParamAngleX + 3
ParamAngleY + -8
ParamArmLA = -6
ParamArmLB = 72
ParamArmRA = -6
ParamArmRB = 72
ParamSweat + 1
[sad]
ParamMouthForm + -1
ParamEyeLOpen * 0.85
ParamEyeROpen * 0.85
ParamEyeForm + -1
ParamEyeBallY + -0.4
ParamEyeBallForm + 0.5
ParamBrowLAngle + -1
ParamBrowRAngle + -1
ParamBrowLY + 0.2
ParamBrowRY + 0.2
ParamEarDroopL + 0.95
ParamEarDroopR + 0.95
ParamAngleY + -9
ParamTear + 0.3
ParamGloom + 1
ParamTailWag + 0.8
[cry]
ParamMouthForm + -1
ParamMouthOpenY + 1
ParamE + 0.3
ParamEyeLOpen * 0
ParamEyeROpen * 0
ParamEyeForm + -1
ParamBrowLAngle + -1
ParamBrowRAngle + -1
ParamBrowLY + 0.1
ParamBrowRY + 0.1
ParamEarDroopL + 1
ParamEarDroopR + 1
ParamTear + 1
ParamCheek + 0.7
ParamArmLA + 16
ParamArmRA + 16
[angry]
ParamMouthForm + -1
ParamMouthOpenY + 0.22
ParamI + 0.2
ParamEyeLOpen * 0.84
ParamEyeROpen * 0.84
ParamEyeForm + 1
ParamEyeBallForm + -0.5
ParamBrowLAngle + 1
ParamBrowRAngle + 1
ParamBrowLY + -0.75
ParamBrowRY + -0.75
ParamEarDroopL + 0.1
ParamEarDroopR + 0.1
ParamAnger + 1
ParamCheek + 0.6
ParamArmLA = 22
ParamArmRA = 22
ParamArmLB = 62
ParamArmRB = 62
[surprised]
ParamO + 1
ParamEyeLOpen + 0.28
ParamEyeROpen + 0.28
ParamEyeBallForm + -0.8
ParamBrowLY + 1
ParamBrowRY + 1
ParamBrowLForm + 0.6
ParamBrowRForm + 0.6
ParamEarDroopL + -1
ParamEarDroopR + -1
ParamSurprise + 1
ParamArmLA + 44
ParamArmRA + 44
[sleepy]
ParamEyeLOpen * 0.46
ParamEyeROpen * 0.34
ParamEyeForm + -1
ParamEyeBallY + -0.55
ParamBrowLY + 0.7
ParamBrowRY + 0.6
ParamBrowLAngle + -0.7
ParamBrowRAngle + -0.7
ParamMouthForm + -0.3
ParamU + 0.7
ParamEarDroopL + 0.1
ParamEarDroopR + 0.45
ParamSleepZ + 1
ParamAngleZ + -1
ParamAngleY + -2
[wink]
ParamArmLA + 30
ParamEyeROpen * 0
ParamEyeRSmile + 1
ParamEyeLSmile + 0.25
ParamMouthForm + 1
ParamMouthOpenY + 0.45
ParamBrowLY + 0.6
ParamBrowRY + -0.1
ParamCheek + 0.5
ParamAngleZ + 7
ParamSparkle + 1
[thinking]
ParamEyeBallX + 0.75
ParamEyeBallY + 0.75
ParamEyeROpen * 0.9
ParamEyeForm + -0.25
ParamBrowLY + 1
ParamBrowLForm + 0.5
ParamBrowRY + 0.1
ParamBrowRAngle + -0.35
ParamMouthForm + -0.5
ParamU + 0.12
ParamEarDroopR + 0.5
ParamEarDroopL + -0.5
ParamQuestion + 1
[excited]
ParamMouthForm + 1
ParamMouthOpenY + 0.85
ParamEyeLOpen + 0.2
ParamEyeROpen + 0.2
ParamEyeBallForm + 0.5
ParamBrowLY + 0.9
ParamBrowRY + 0.9
ParamCheek + 0.7
ParamEarDroopL + -0.9
ParamEarDroopR + -0.9
ParamArmLA = 96
ParamArmLB = -60
ParamArmRA = 96
ParamArmRB = -60
ParamSparkle + 1
[proud]
ParamMouthForm + 1
ParamEyeLOpen * 0.5
ParamEyeROpen * 0.36
ParamEyeLSmile + 0.5
ParamEyeRSmile + 0.5
ParamEyeForm + 0.35
ParamEyeBallX + -0.5
ParamEyeBallY + -0.2
ParamBrowLY + 1
ParamBrowLForm + 0.7
ParamBrowRY + -0.2
ParamBrowRAngle + 0.4
ParamAngleX + -10
ParamAngleY + 16
ParamAngleZ + 8
ParamShoulder + 0.5
ParamCheek + 0.5
ParamEarDroopL + -0.6
ParamEarDroopR + -0.2
ParamTailWag + -0.7
Touch = hip
[love]
ParamHeart + 1
ParamCheek + 1
ParamMouthForm + 1
ParamMouthOpenY + 0.5
ParamEyeBallForm + 0.6
ParamEyeLSmile + 0.3
ParamEyeRSmile + 0.3
ParamBrowLY + 0.4
ParamBrowRY + 0.4
ParamBrowLAngle + -0.4
ParamBrowRAngle + -0.4
ParamAngleZ + -5
[dizzy]
ParamDizzy + 1
ParamMouthForm + -0.6
ParamE + 0.4
ParamBrowLY + 0.5
ParamBrowRY + -0.2
ParamBrowLAngle + -0.6
ParamBrowRAngle + -0.6
ParamEarDroopL + 0.6
ParamEarDroopR + 0.4
ParamSweat + 1
"""
_BLENDS = {"+": "Add", "*": "Multiply", "=": "Overwrite"}


@dataclass(frozen=True, slots=True)
class Change:
    """One parameter of an expression; ``blend`` is Add, Multiply or Overwrite."""

    parameter: str
    blend: str
    value: float


@lru_cache
def expressions() -> dict[str, tuple[Change, ...]]:
    """Every expression by name. ``Touch = hip`` lays both paws there."""
    found: dict[str, list[Change]] = {}
    touched: dict[str, str] = {}
    name = ""
    for line in _EXPRESSIONS.strip().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = []
            continue
        parameter, sign, value = line.split()
        if parameter == "Touch":
            touched[name] = value
            continue
        found[name].append(Change(parameter, _BLENDS[sign], float(value)))
    for name, contact in touched.items():
        found[name] += _laid(contact, found[name])
    return {key: tuple(changes) for key, changes in found.items()}


def _laid(contact: str, others: Sequence[Change]) -> list[Change]:
    """Both paws on ``contact`` in a pose that ``others`` change."""
    values = {row.parameter.id: row.parameter.default for row in PARAMETERS}
    for change in others:
        if change.blend == "Add":
            values[change.parameter] += change.value
    joints = [built_arms().solved(letter, contact, 0.0, values) for letter in "LR"]
    return [Change(name, "Overwrite", value) for arm in joints for name, value in arm.items()]
