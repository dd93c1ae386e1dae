"""Worn parts: invisible unless put on, and nothing comes through them."""

import pytest
from companion.atlas import pack_both
from companion.character import draw
from companion.figure import Figure, RotationSpec
from companion.moc_model import Mesh, Moc, Rotation, Warp
from companion.parameters import PARAMETERS
from companion.rig import build_moc
from companion.worn import HATS, PREFIX

WORN = [row.parameter.id for row in PARAMETERS if row.parameter.id.startswith(PREFIX)]


@pytest.fixture(scope="module")
def figure() -> Figure:
    return draw(0.25)


@pytest.fixture(scope="module")
def moc(figure: Figure) -> Moc:
    return build_moc(figure, pack_both(figure, 1024), [row.parameter for row in PARAMETERS])


def _opacities(mesh: Mesh | Rotation | Warp, parameter: str) -> tuple[set[float], set[float]]:
    """The opacities of a mesh or deformer at both ends of `parameter`."""
    at = [binding.parameter for binding in mesh.bindings].index(parameter)
    step = 1
    for binding in mesh.bindings[:at]:
        step *= len(binding.keys)
    ends: tuple[set[float], set[float]] = (set(), set())
    for number, form in enumerate(mesh.forms):
        ends[number // step % 2].add(form.opacity)
    return ends


@pytest.mark.parametrize("parameter", WORN)
def test_a_part_is_invisible_until_it_is_put_on(moc: Moc, parameter: str) -> None:
    bound = [m for m in moc.meshes if parameter in {b.parameter for b in m.bindings}]
    shown = [mesh for mesh in bound if mesh.part != "PartHair"]
    assert shown
    for mesh in shown:
        hidden, visible = _opacities(mesh, parameter)
        assert hidden == {0.0} and 1.0 in visible, mesh.id


@pytest.mark.parametrize("hat", HATS)
def test_the_top_lock_is_under_each_hat(moc: Moc, hat: str) -> None:
    deformers = {one.id: one for one in moc.deformers}
    above = next(mesh for mesh in moc.meshes if mesh.id == "HairTop").parent
    found = []
    while above is not None:
        deformer = deformers[above]
        if hat in {binding.parameter for binding in deformer.bindings}:
            found.append(_opacities(deformer, hat))
        above = deformer.parent
    assert found == [({1.0}, {0.0})]


def test_a_lantern_hangs_upright_from_a_raised_paw(figure: Figure) -> None:
    upright = next(one for one in figure.deformers if one.id == "RotLantern")
    arm = next(one for one in figure.deformers if one.id == "RotArmR")
    assert isinstance(upright, RotationSpec) and isinstance(arm, RotationSpec)
    rest = {row.parameter.id: row.parameter.default for row in PARAMETERS}
    for lift in (-60.0, 0.0, 52.0, 120.0, 150.0):
        values = rest | {"ParamArmRA": lift}
        assert upright.angle(values) + arm.angle(values) == pytest.approx(0.0)


def test_parts_lie_before_ears_and_hair_and_behind_scarf_and_raised_paws(moc: Moc) -> None:
    orders = {mesh.id: {form.order for form in mesh.forms} for mesh in moc.meshes}
    hats = ("Beret", "WitchHat", "StrawHat", "Crown")
    for name in ("Bow", "Flower", "SantaHat", "SantaTip", *hats, "CupL", "CupR"):
        assert max(orders["FringeMiddle"] | orders["EarL"]) < min(orders[name]), name
        assert max(orders[name]) < min(orders["Scarf"] | orders["ForeL"]), name
    for name in ("GlassesGold", "GlassesRim", "GlassR"):
        assert max(orders["Face"]) < min(orders[name]) <= max(orders[name])
        assert max(orders[name]) < min(orders["FringeMiddle"]), name


def test_hidden_parts_are_within_the_ears(figure: Figure) -> None:
    """What is hidden counts for the size of the window."""
    rest = {row.parameter.id: row.parameter.default for row in PARAMETERS}
    tops = {mesh.id: mesh.place(rest)[:, 1].min() for mesh in figure.meshes}
    bound = [mesh for mesh in figure.meshes if set(mesh.keys) & set(WORN)]
    assert len(bound) > len(WORN)
    for mesh in bound:
        assert tops[mesh.id] > tops["EarL"], mesh.id
