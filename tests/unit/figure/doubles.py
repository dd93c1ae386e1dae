"""A fake model: the answers of the library's model, without the library."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from neodeskpet.figure.files.model_reader import HitArea, ModelDescription


def description(
    expressions: tuple[str, ...] = ("neutral", "smile", "sad", "thinking", "surprised"),
    motions: Mapping[str, int] | None = None,
    areas: tuple[HitArea, ...] = (),
    version: int = 3,
) -> ModelDescription:
    here = Path("/nowhere")
    return ModelDescription(
        name="paper",
        file=here / "paper.model3.json",
        root=here,
        version=version,
        settings="{}",
        moc=here / "paper.moc3",
        textures=(here / "paper.png",),
        expressions=expressions,
        motions=motions if motions is not None else {"Idle": 2, "Nod": 1, "TapHead": 1, "Wave": 2},
        hit_areas=areas,
        mouth=("ParamMouthOpenY", "ParamMissing"),
    )


class PaperModel:
    """Implements `library.CubismModel`. `log` holds the calls, `values` the parameters."""

    def __init__(self, meshes: Mapping[str, list[float]] | None = None) -> None:
        self.log: list[tuple[object, ...]] = []
        self.values = {"ParamMouthOpenY": 0.0, "ParamEyeLOpen": 1.0, "ParamEyeROpen": 1.0}
        self.saved: dict[str, float] = {}
        self.meshes = dict(meshes or {})
        self.finished = True
        self.width, self.height = 1, 1
        self.scale = 1.0
        self.offset = (0.0, 0.0)
        self.degrees = 0.0

    def named(self, name: str) -> list[tuple[object, ...]]:
        """Return all calls of one method."""
        return [entry[1:] for entry in self.log if entry[0] == name]

    def CreateRenderer(self, tall: float = 0.0) -> None: ...
    def show_detail(self, pixels: float) -> None: ...
    def DestroyRenderer(self) -> None: ...

    def Resize(self, w: int, h: int) -> None:
        self.width, self.height = w, h

    def SetScale(self, scale: float) -> None:
        self.scale = scale

    def SetOffset(self, dx: float, dy: float) -> None:
        self.offset = (dx, dy)
        self.log.append(("offset", dx, dy))

    def Rotate(self, deg: float) -> None:
        self.degrees = deg

    def GetMvp(self) -> tuple[float, ...]:
        # A canvas of 2 × 2 units that fills the height; x offsets are scaled by the aspect ratio.
        aspect = self.height / self.width
        x, y = self.scale * aspect, self.scale
        dx, dy = self.offset[0] * aspect, self.offset[1]
        return (x, 0, 0, 0, 0, y, 0, 0, 0, 0, 1, 0, dx, dy, 0, 1)

    def Update(self, deltaSecs: float = -1.0) -> None:  # noqa: N803
        self.values["ParamMouthOpenY"] = 0.0
        self.values["ParamEyeLOpen"] = self.values["ParamEyeROpen"] = 1.0

    def Draw(self) -> None: ...

    def Drag(self, x: float, y: float) -> None:
        self.log.append(("drag", x, y))

    def GetParamIds(self) -> list[str]:
        return list(self.values)

    def GetParamMinById(self, id: str) -> float:
        return 0.0

    def GetParamMaxById(self, id: str) -> float:
        return 1.0

    def GetParamDefaultById(self, id: str) -> float:
        return {"ParamEyeLOpen": 1.0, "ParamEyeROpen": 1.0}.get(id, 0.0)

    def SetSaveParamById(self, id: str, value: float, weight: float = 1.0) -> None:
        self.saved[id] = value

    def SetParamById(self, id: str, value: float, weight: float = 1.0) -> None:
        self.values[id] = self.values.get(id, 0.0) * (1.0 - weight) + value * weight

    def AddParamById(self, id: str, value: float) -> None:
        self.values[id] += value

    def GetParamValueById(self, id: str) -> float:
        return self.values[id]

    def GetDrawableIds(self) -> list[str]:
        return list(self.meshes)

    def GetDrawableVertices(self, index: int) -> list[float]:
        return list(self.meshes.values())[index]

    def StartMotion(self, group: str, no: int, priority: int = 3) -> None:
        self.log.append(("motion", group, no, priority))

    def IsMotionFinished(self) -> bool:
        return self.finished

    def StopAllMotions(self) -> None:
        self.log.append(("stop",))

    def GetMotionGroups(self) -> dict[str, int]:
        return {}

    def SetExpression(self, expressionId: str, fadeoutMs: float = -1.0) -> None:  # noqa: N803
        self.log.append(("expression", expressionId))

    def ResetExpression(self) -> None:
        self.log.append(("expression", None))

    def GetExpressions(self) -> list[str]:
        return []

    def GetCanvasSizePixel(self) -> tuple[float, float]:
        return 2.0, 2.0

    def SetAutoBreath(self, on: bool) -> None:
        self.log.append(("breath", on))

    def SetAutoBlink(self, on: bool) -> None: ...
