"""The JSON files beside the moc: model3, motion3, exp3, physics3, pose3, cdi3, userdata3 and ours.

All are written over several lines: the Cubism framework fails on one-line JSON.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from companion.body import STRIDE
from companion.expressions import Change
from companion.motion import Motion, segments
from companion.notes import EXPRESSIONS, EXPRESSIONS_ZH, MOTIONS, MOTIONS_ZH
from companion.parameters import GROUPS, PARAMETERS

Json: TypeAlias = dict[str, Any]

HIT_AREAS = (
    ("CheekL", "BlushL"),
    ("CheekR", "BlushR"),
    ("Head", "Face"),
    ("HandL", "PadsL"),
    ("HandR", "PadsR"),
    ("Body", "Torso"),
    ("Tail", "Tail"),
)
"""Name of each area and the mesh whose bounding box it is; the first that is hit should win."""
_HEIGHT = 1533.0
"""Canvas pixels from the soles to the tips of the ears, at rest."""
_SEAT = 186.0
"""Canvas pixels from the soles of one who stands to the seat of one who sits on an edge."""
_PANELS = ("PartPanelText", "PartPanelSearch")


def dump(document: Json) -> bytes:
    """``document`` as multi-line UTF-8 JSON ending in a newline."""
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def model3(
    textures: Sequence[str], motions: Sequence[Motion], expressions: Sequence[str], extra: Json
) -> Json:
    """The entry file; ``extra`` holds further file references such as Physics."""
    groups: dict[str, list[Json]] = {}
    for motion in motions:
        groups.setdefault(motion.group, []).append(
            {
                "File": motion_file(motion),
                "FadeInTime": motion.fade_in,
                "FadeOutTime": motion.fade_out,
            }
        )
    return {
        "Version": 3,
        "FileReferences": {
            "Moc": "neo.moc3",
            "Textures": list(textures),
            **extra,
            "Expressions": [
                {"Name": name, "File": f"expressions/{name}.exp3.json"} for name in expressions
            ],
            "Motions": groups,
        },
        "Groups": [
            {"Target": "Parameter", "Name": "EyeBlink", "Ids": ["ParamEyeLOpen", "ParamEyeROpen"]},
            {"Target": "Parameter", "Name": "LipSync", "Ids": ["ParamMouthOpenY"]},
        ],
        "HitAreas": [{"Id": mesh, "Name": name} for name, mesh in HIT_AREAS],
    }


def motion_file(motion: Motion) -> str:
    """Where ``motion`` is stored, relative to the model."""
    return f"motions/{motion.group.lower()}_{motion.name}.motion3.json"


def motion3(motion: Motion) -> Json:
    """One motion, its totals counted from its curves."""
    curves = [
        {
            "Target": curve.target,
            "Id": curve.id,
            **({"FadeInTime": 0.0} if curve.straight else {}),
            "Segments": segments(curve, motion.loop),
        }
        for curve in motion.curves
    ]
    spans = sum(len(curve.keys) - 1 for curve in motion.curves)
    points = sum((1 if c.straight else 3) * (len(c.keys) - 1) + 1 for c in motion.curves)
    return {
        "Version": 3,
        "Meta": {
            "Duration": motion.seconds,
            "Fps": 30.0,
            "Loop": motion.loop,
            "AreBeziersRestricted": True,
            "CurveCount": len(curves),
            "TotalSegmentCount": spans,
            "TotalPointCount": points,
            "UserDataCount": 0,
            "TotalUserDataSize": 0,
        },
        "Curves": curves,
    }


def exp3(changes: Sequence[Change]) -> Json:
    """One expression."""
    return {
        "Type": "Live2D Expression",
        "FadeInTime": 0.35,
        "FadeOutTime": 0.35,
        "Parameters": [{"Id": c.parameter, "Value": c.value, "Blend": c.blend} for c in changes],
    }


def cdi3(parts: dict[str, tuple[str, str]]) -> Json:
    """Display names, English and Chinese, for editors and settings pages."""
    return {
        "Version": 3,
        "Parameters": [
            {
                "Id": row.parameter.id,
                "GroupId": row.group,
                "Name": f"{row.english} / {row.chinese}",
            }
            for row in PARAMETERS
        ],
        "ParameterGroups": [
            {"Id": group, "GroupId": "", "Name": f"{english} / {chinese}"}
            for group, (english, chinese) in GROUPS.items()
        ],
        "Parts": [
            {"Id": part, "Name": f"{english} / {chinese}"}
            for part, (english, chinese) in parts.items()
        ],
    }


def side_file() -> Json:
    """What NeoDeskPet keeps beside a model: here what each expression and motion shows."""
    motions = {
        f"{group}:{index}": _note(about, MOTIONS_ZH[group][index])
        for group, notes in MOTIONS.items()
        for index, about in enumerate(notes)
    }
    expressions = {name: _note(about, EXPRESSIONS_ZH[name]) for name, about in EXPRESSIONS.items()}
    # The beats of thinking have faces of their own; "thinking" would hold a paw at the chin.
    expressions["neutral"]["poses"] = ["thinking"]
    return {
        "expressions": expressions,
        "motions": motions,
        # Both feet go from one side to the other in a round of steps.
        "seat": round(_SEAT / _HEIGHT, 4),
        "gait": {"seconds": 0.8, "length": round(4 * STRIDE / _HEIGHT, 4)},
    }


def _note(english: str, chinese: str) -> Json:
    return {"about": english, "abouts": {"zh_CN": chinese}}


def pose3() -> Json:
    """The contents of the light panel exclude each other."""
    group = [{"Id": part, "Link": []} for part in _PANELS]
    return {"Type": "Live2D Pose", "FadeInTime": 0.3, "Groups": [group]}


def userdata3() -> Json:
    """Notes on the meshes that can be touched."""
    entries = [
        {"Target": "ArtMesh", "Id": mesh, "Value": f"hit:{name}"} for name, mesh in HIT_AREAS
    ]
    return {
        "Version": 3,
        "Meta": {
            "UserDataCount": len(entries),
            "TotalUserDataSize": sum(len(entry["Value"]) for entry in entries),
        },
        "UserData": entries,
    }
