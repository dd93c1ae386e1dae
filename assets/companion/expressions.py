"""The facial expressions, as offsets and factors over whatever motion is playing."""

from dataclasses import dataclass

_EXPRESSIONS = """
[neutral]
[smile]
ParamMouthForm + 1
ParamEyeLSmile + 0.75
ParamEyeRSmile + 0.75
ParamCheek + 0.5
ParamBrowLY + 0.2
ParamBrowRY + 0.2
ParamMouthOpenY + 0.12
[joy]
ParamMouthForm + 1
ParamMouthOpenY + 0.8
ParamEyeLOpen * 0
ParamEyeROpen * 0
ParamEyeLSmile + 1
ParamEyeRSmile + 1
ParamCheek + 0.8
ParamBrowLY + 0.5
ParamBrowRY + 0.5
ParamEarDroopL + -0.4
ParamEarDroopR + -0.4
ParamNote + 1
[shy]
ParamCheek + 1
ParamEyeLOpen * 0.72
ParamEyeROpen * 0.72
ParamEyeBallX + 0.55
ParamEyeBallY + -0.45
ParamBrowLAngle + -0.7
ParamBrowRAngle + -0.7
ParamBrowLY + 0.1
ParamBrowRY + 0.1
ParamMouthForm + 0.2
ParamEarDroopL + 0.55
ParamEarDroopR + 0.55
ParamAngleZ + 6
ParamAngleY + -7
ParamSweat + 0.7
[sad]
ParamMouthForm + -1
ParamEyeLOpen * 0.8
ParamEyeROpen * 0.8
ParamEyeForm + -0.9
ParamEyeBallY + -0.35
ParamBrowLAngle + -1
ParamBrowRAngle + -1
ParamBrowLY + 0.15
ParamBrowRY + 0.15
ParamEarDroopL + 0.9
ParamEarDroopR + 0.9
ParamAngleY + -8
ParamTear + 0.3
[cry]
ParamMouthForm + -1
ParamMouthOpenY + 0.65
ParamEyeLOpen * 0.15
ParamEyeROpen * 0.15
ParamEyeForm + -1
ParamBrowLAngle + -1
ParamBrowRAngle + -1
ParamBrowLY + -0.2
ParamBrowRY + -0.2
ParamEarDroopL + 1
ParamEarDroopR + 1
ParamTear + 1
ParamCheek + 0.6
[angry]
ParamMouthForm + -0.9
ParamMouthOpenY + 0.15
ParamEyeLOpen * 0.86
ParamEyeROpen * 0.86
ParamEyeForm + 1
ParamEyeBallForm + -0.5
ParamBrowLAngle + 1
ParamBrowRAngle + 1
ParamBrowLY + -0.8
ParamBrowRY + -0.8
ParamEarDroopL + 0.35
ParamEarDroopR + 0.35
ParamAnger + 1
ParamCheek + 0.3
[surprised]
ParamMouthOpenY + 0.2
ParamO + 0.9
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
[sleepy]
ParamEyeLOpen * 0.42
ParamEyeROpen * 0.42
ParamEyeForm + -0.5
ParamEyeBallY + -0.4
ParamBrowLY + 0.5
ParamBrowRY + 0.5
ParamBrowLAngle + -0.4
ParamBrowRAngle + -0.4
ParamMouthOpenY + 0.12
ParamO + 0.3
ParamEarDroopL + 0.45
ParamEarDroopR + 0.45
ParamSleepZ + 1
ParamAngleZ + -5
ParamAngleY + -6
[wink]
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
ParamEyeBallX + 0.7
ParamEyeBallY + 0.7
ParamEyeLOpen * 0.95
ParamEyeROpen * 0.85
ParamBrowLY + 0.9
ParamBrowRY + -0.5
ParamBrowRAngle + 0.5
ParamMouthForm + -0.4
ParamEarDroopR + 0.5
ParamEarDroopL + -0.4
ParamAngleZ + 6
ParamAngleX + 6
ParamAngleY + 6
ParamQuestion + 1
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
"""
_BLENDS = {"+": "Add", "*": "Multiply", "=": "Overwrite"}


@dataclass(frozen=True, slots=True)
class Change:
    """One parameter of an expression; ``blend`` is Add, Multiply or Overwrite."""

    parameter: str
    blend: str
    value: float


def expressions() -> dict[str, tuple[Change, ...]]:
    """Every expression by name."""
    found: dict[str, list[Change]] = {}
    name = ""
    for line in _EXPRESSIONS.strip().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = []
            continue
        parameter, sign, value = line.split()
        found[name].append(Change(parameter, _BLENDS[sign], float(value)))
    return {key: tuple(changes) for key, changes in found.items()}
