"""Schemas of the files of a Live2D model: only data that they describe reaches the C library.

The library trusts every number that it reads (a wrong count causes a write past the end of a
buffer), so counts are computed again, unknown fields are dropped, and numbers must be finite.
`plain_tree(value)` returns a tree that is safe to write back as JSON.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    model_validator,
)

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e9, le=1e9)]
Seconds = Annotated[float, Field(allow_inf_nan=False, ge=-1, le=3600)]
Word = Annotated[str, Field(max_length=200)]
FileName = Annotated[str, Field(min_length=1, max_length=400)]


class _Schema(BaseModel):
    # Built when a file of the kind is first read: a start needs only half of the kinds.
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


def plain_tree(value: BaseModel) -> dict[str, Any]:
    """Return the tree to write, with the values that were set only."""
    return value.model_dump(mode="json", exclude_none=True, by_alias=True)


def _grouped(key: str) -> BeforeValidator:
    """Accept the motions of some tools: a list instead of groups is one group, and a file name (the
    value of `key`) replaces an entry.
    """

    def read(value: object) -> object:
        if isinstance(value, list):
            value = {_ONE_GROUP: value} if value else {}
        if not isinstance(value, dict):
            return value
        return {group: [_entry(one, key) for one in _listed(all_)] for group, all_ in value.items()}

    return BeforeValidator(read)


_ONE_GROUP = "Motions"


def _listed(entries: object) -> list[object]:
    return entries if isinstance(entries, list) else [entries]


def _entry(entry: object, key: str) -> object:
    return {key: entry} if isinstance(entry, str) else entry


# Cubism 3 to 5


class Expression3File(_Schema):
    Name: Word
    File: FileName


class Motion3File(_Schema):
    File: FileName
    FadeInTime: Seconds | None = None
    FadeOutTime: Seconds | None = None


class References3(_Schema):
    Moc: FileName
    Textures: Annotated[list[FileName], Field(min_length=1, max_length=64)]
    Physics: FileName | None = None
    Pose: FileName | None = None
    Expressions: Annotated[list[Expression3File], Field(max_length=500)] = []
    Motions: Annotated[
        dict[Word, Annotated[list[Motion3File], Field(max_length=500)]], _grouped("File")
    ] = {}


class Group3(_Schema):
    Target: Literal["Parameter"] = "Parameter"
    Name: Word
    Ids: Annotated[list[Word], Field(max_length=200)] = []


class HitArea3(_Schema):
    Id: Word
    Name: Word


class Model3(_Schema):
    """`*.model3.json`."""

    Version: int = 3
    FileReferences: References3
    Groups: list[Group3] = []
    HitAreas: list[HitArea3] = []


class ExpressionParameter3(_Schema):
    Id: Word
    Value: Number
    Blend: Literal["Add", "Multiply", "Overwrite"] = "Add"


class Expression3(_Schema):
    """`*.exp3.json`."""

    Type: Word = "Live2D Expression"
    FadeInTime: Seconds = 1.0
    FadeOutTime: Seconds = 1.0
    Parameters: Annotated[list[ExpressionParameter3], Field(max_length=2000)]


_SEGMENT_NUMBERS: dict[float, int] = {
    0: 2,
    1: 6,
    2: 2,
    3: 2,
}  # linear, Bézier, stepped, inverse stepped


class Curve3(_Schema):
    Target: Literal["Model", "Parameter", "PartOpacity"]
    Id: Word
    Segments: Annotated[list[Number], Field(min_length=5, max_length=200_000)]
    FadeInTime: Seconds | None = None
    FadeOutTime: Seconds | None = None
    _counts: tuple[int, int] = PrivateAttr()

    @model_validator(mode="after")
    def _well_formed(self) -> Curve3:
        self._counts = self._count()
        return self

    @property
    def counts(self) -> tuple[int, int]:
        """Return the numbers of segments and points."""
        return self._counts

    def _count(self) -> tuple[int, int]:
        """Count segments and points. Raises ValueError if numbers are left over."""
        at, segments, points = 2, 0, 1
        numbers_of, end = self.Segments, len(self.Segments)
        while at < end:
            numbers = _SEGMENT_NUMBERS.get(numbers_of[at])  # 1.0 is 1
            if numbers is None or at + 1 + numbers > end:
                raise ValueError(f"a broken segment at number {at} of the curve {self.Id}")
            at += 1 + numbers
            segments += 1
            points += numbers // 2
        return segments, points


class MotionMeta3(_Schema):
    Duration: Annotated[float, Field(allow_inf_nan=False, gt=0, le=3600)]
    Fps: Annotated[float, Field(allow_inf_nan=False, gt=0, le=1000)] = 30.0
    Loop: bool = False
    AreBeziersRestricted: bool = False
    FadeInTime: Seconds | None = None
    FadeOutTime: Seconds | None = None
    CurveCount: int = 0
    TotalSegmentCount: int = 0
    TotalPointCount: int = 0
    UserDataCount: int = 0
    TotalUserDataSize: int = 0


class Motion3(_Schema):
    """`*.motion3.json`. User data is dropped, and the counts are computed here."""

    Version: int = 3
    Meta: MotionMeta3
    Curves: Annotated[list[Curve3], Field(min_length=1, max_length=2000)]

    @model_validator(mode="after")
    def _count(self) -> Motion3:
        counts = [curve.counts for curve in self.Curves]
        meta = self.Meta.model_copy(
            update={
                "CurveCount": len(self.Curves),
                "TotalSegmentCount": sum(segments for segments, _ in counts),
                "TotalPointCount": sum(points for _, points in counts),
                "UserDataCount": 0,
                "TotalUserDataSize": 0,
            }
        )
        object.__setattr__(self, "Meta", meta)
        return self

    @property
    def moves(self) -> frozenset[str]:
        """Return the parameters that the motion moves."""
        return frozenset(curve.Id for curve in self.Curves if curve.Target == "Parameter")


class Vector3(_Schema):
    X: Number
    Y: Number


class Parameter3(_Schema):
    Target: Literal["Parameter"] = "Parameter"
    Id: Word


class PhysicsInput3(_Schema):
    Source: Parameter3
    Weight: Number
    Type: Literal["X", "Y", "Angle"]
    Reflect: bool = False


class PhysicsOutput3(_Schema):
    Destination: Parameter3
    VertexIndex: Annotated[int, Field(ge=0, le=1000)]
    Scale: Number
    Weight: Number
    Type: Literal["X", "Y", "Angle"]
    Reflect: bool = False


class PhysicsVertex3(_Schema):
    Position: Vector3
    Mobility: Number
    Delay: Number
    Acceleration: Number
    Radius: Number


class Range3(_Schema):
    Minimum: Number
    Default: Number
    Maximum: Number


class Normalization3(_Schema):
    Position: Range3
    Angle: Range3


class PhysicsSetting3(_Schema):
    Id: Word
    Input: Annotated[list[PhysicsInput3], Field(max_length=200)]
    Output: Annotated[list[PhysicsOutput3], Field(max_length=200)]
    Vertices: Annotated[list[PhysicsVertex3], Field(min_length=1, max_length=1000)]
    Normalization: Normalization3

    @model_validator(mode="after")
    def _in_range(self) -> PhysicsSetting3:
        for output in self.Output:
            if not output.VertexIndex < len(self.Vertices):
                raise ValueError(f"an output of {self.Id} names a vertex that isn't there")
        return self


class Forces3(_Schema):
    Gravity: Vector3
    Wind: Vector3


class PhysicsName3(_Schema):
    Id: Word
    Name: Word


class PhysicsMeta3(_Schema):
    PhysicsSettingCount: int = 0
    TotalInputCount: int = 0
    TotalOutputCount: int = 0
    VertexCount: int = 0
    Fps: Annotated[float, Field(allow_inf_nan=False, ge=0, le=1000)] | None = None
    EffectiveForces: Forces3
    PhysicsDictionary: list[PhysicsName3] = []


class Physics3(_Schema):
    """`*.physics3.json`. The counts are computed here."""

    Version: int = 3
    Meta: PhysicsMeta3
    PhysicsSettings: Annotated[list[PhysicsSetting3], Field(min_length=1, max_length=500)]

    @model_validator(mode="after")
    def _count(self) -> Physics3:
        settings = self.PhysicsSettings
        names = {entry.Id: entry.Name for entry in self.Meta.PhysicsDictionary}
        meta = self.Meta.model_copy(
            update={
                "PhysicsSettingCount": len(settings),
                "TotalInputCount": sum(len(one.Input) for one in settings),
                "TotalOutputCount": sum(len(one.Output) for one in settings),
                "VertexCount": sum(len(one.Vertices) for one in settings),
                "PhysicsDictionary": [
                    PhysicsName3(Id=one.Id, Name=names.get(one.Id, one.Id)) for one in settings
                ],
            }
        )
        object.__setattr__(self, "Meta", meta)
        return self


class PosePart3(_Schema):
    Id: Word
    Link: Annotated[list[Word], Field(max_length=100)] = []


class Pose3(_Schema):
    """`*.pose3.json`."""

    Type: Word = "Live2D Pose"
    FadeInTime: Seconds | None = None
    Groups: Annotated[
        list[Annotated[list[PosePart3], Field(min_length=1, max_length=100)]],
        Field(min_length=1, max_length=100),
    ]


class DisplayName3(_Schema):
    Id: Word
    Name: Word


class Display3(_Schema):
    """`*.cdi3.json`, of which the parameters' names are read."""

    Parameters: Annotated[list[DisplayName3], Field(max_length=5000)] = []


# Cubism 2


class Expression2File(_Schema):
    name: Word
    file: FileName


class Motion2File(_Schema):
    file: FileName
    fade_in: Annotated[int, Field(ge=0, le=600_000)] | None = None
    fade_out: Annotated[int, Field(ge=0, le=600_000)] | None = None


class HitArea2(_Schema):
    name: Word
    id: Word


class Model2(_Schema):
    """`model.json`."""

    model: FileName
    textures: Annotated[list[FileName], Field(min_length=1, max_length=64)]
    physics: FileName | None = None
    pose: FileName | None = None
    expressions: Annotated[list[Expression2File], Field(max_length=500)] = []
    motions: Annotated[
        dict[Word, Annotated[list[Motion2File], Field(max_length=500)]], _grouped("file")
    ] = {}
    hit_areas: list[HitArea2] = []


class ExpressionParameter2(_Schema):
    id: Word
    val: Number
    calc: Literal["add", "mult", "set"] | None = None
    # "def" is a Python keyword; in the file it is the start value.
    default: Number | None = Field(default=None, alias="def", serialization_alias="def")


class Expression2(_Schema):
    """`*.exp.json`."""

    type: Word = "Live2D Expression"
    fade_in: Annotated[int, Field(ge=0, le=600_000)] = 1000
    fade_out: Annotated[int, Field(ge=0, le=600_000)] = 1000
    params: Annotated[list[ExpressionParameter2], Field(max_length=2000)] = []


class HairSetup2(_Schema):
    length: Number
    regist: Number
    mass: Number


class HairLink2(_Schema):
    id: Word
    ptype: Literal["x", "y", "angle", "angle_v"]
    scale: Number
    weight: Number


class Hair2(_Schema):
    setup: HairSetup2
    src: Annotated[list[HairLink2], Field(max_length=100)]
    targets: Annotated[list[HairLink2], Field(max_length=100)]


class Physics2(_Schema):
    """`*.physics.json`."""

    type: Word = "Live2D Physics"
    physics_hair: Annotated[list[Hair2], Field(min_length=1, max_length=200)]


class PosePart2(_Schema):
    id: Word
    link: Annotated[list[Word], Field(max_length=100)] = []


class PoseGroup2(_Schema):
    group: Annotated[list[PosePart2], Field(min_length=1, max_length=100)]


class Pose2(_Schema):
    """`*.pose.json`."""

    type: Word = "Live2D Pose"
    fade_in: Annotated[int, Field(ge=0, le=600_000)] | None = None
    parts_visible: Annotated[list[PoseGroup2], Field(min_length=1, max_length=100)]


def clean_mtn(text: str) -> str:
    """Return the curves and settings of a Cubism 2 motion. Raises ValueError if it has no curve."""
    lines = [line.strip() for line in text.replace("\r", "\n").split("\n")]
    kept = [line for line in lines if line and not line.startswith("#")]
    for line in kept:
        name, equals, values = line.partition("=")
        if not equals or not 0 < len(name) <= 200 or not _are_numbers(values):
            raise ValueError(f"the line {line[:40]!r} is no curve")
    if all(line.startswith("$") for line in kept):
        raise ValueError("it has no curve")
    return "# Live2D Animator Motion Data\n" + "\n".join(kept) + "\n"


def moved_by(motion: str) -> frozenset[str]:
    """Return the parameters that a checked `.mtn` moves."""
    names = (line.partition("=")[0].strip() for line in motion.splitlines())
    return frozenset(name for name in names if name and name[0] not in "#$" and ":" not in name)


def _are_numbers(values: str) -> bool:
    numbers = [value.strip() for value in values.rstrip(", ").split(",")]
    try:
        return bool(numbers[0]) and all(math.isfinite(float(number)) for number in numbers)
    except ValueError:
        return False
