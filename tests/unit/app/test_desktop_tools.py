"""The figure tools move the companion that speaks."""

from __future__ import annotations

from neodeskpet.app.desktop_tools import ActiveCompanionFigure
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.stage import NullStage
from tests.unit.figure.models import NEO


def test_it_is_the_first_companion_until_another_one_speaks() -> None:
    first, other = NullStage(), NullStage(describe_model(NEO))
    body = ActiveCompanionFigure(first)
    body.express("x")
    assert (body.expressions(), body.motions(), body.parameters()) == ([], {}, {})
    assert first.commands == [("express", "x")]
    body.current_figure = lambda: other
    assert body.expressions() == other.expressions()
    assert body.motions() == other.motions()
    assert body.parameters() == other.parameters()
    assert body.notes("motion") == other.notes("motion")
    body.play("Idle", None)
    script = [{"do": "pulse", "parameter": "ParamAngleX", "to": 9, "seconds": 1}]
    assert body.animate(script) > 0
    assert other.commands == [("play", "Idle", None), ("animate", script)]
