"""The figure as a whole: every parameter moves something, every part is shown."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from companion.atlas import pack_both
from companion.character import draw
from companion.effects import SIGNS, WITHHELD
from companion.figure import BRINK, Figure, WarpSpec
from companion.moc_model import Bindings, Mesh, MeshForm, Moc, Points, Rotation, Warp
from companion.mouth import lips
from companion.parameters import GROUPS, PARAMETERS
from companion.physics import SWAYS
from companion.rig import build_moc
from companion.space import CX


@pytest.fixture(scope="module")
def figure() -> Figure:
    return draw(0.25)


@pytest.fixture(scope="module")
def moc(figure: Figure) -> Moc:
    return build_moc(figure, pack_both(figure, 1024), [row.parameter for row in PARAMETERS])


def test_every_parameter_is_bound(moc: Moc) -> None:
    bound = {b.parameter for thing in (*moc.deformers, *moc.meshes) for b in thing.bindings}
    assert bound == {row.parameter.id for row in PARAMETERS}


def test_every_parameter_has_two_names_and_a_known_group() -> None:
    for row in PARAMETERS:
        assert row.group in GROUPS
        assert row.english.isascii() and not row.chinese.isascii(), row.parameter.id


def test_every_part_holds_a_mesh(figure: Figure, moc: Moc) -> None:
    assert set(figure.parts) == {mesh.part for mesh in moc.meshes}


def test_it_has_enough_meshes_and_deformers(moc: Moc) -> None:
    assert len(moc.meshes) >= 45
    assert len(moc.deformers) >= 30


def test_physics_drives_known_parameters() -> None:
    known = {row.parameter.id for row in PARAMETERS}
    for sway in SWAYS:
        names = {name for name, *_ in sway.inputs} | {name for name, *_ in sway.outputs}
        assert names <= known, sway.id


def test_arms_stay_attached(moc: Moc) -> None:
    """However an arm bends, its part at the shoulder stays at the pivot of its rotation."""
    for mesh in moc.meshes:
        if mesh.id in ("ArmL", "ArmR"):
            away = np.array([np.abs(form.points).max(axis=1) for form in mesh.forms])
            assert away.max(axis=0).min() < 30


def test_shoulders_stay_under_the_scarf_and_raised_arms_before_the_face(moc: Moc) -> None:
    """No mask cuts an arm: only the order decides, and a forearm is above the scarf."""
    orders = {m.id: [form.order for form in m.forms] for m in moc.meshes}
    for letter in "LR":
        assert max(orders[f"Arm{letter}"]) > max(orders["Face"])
        assert max(orders[f"Arm{letter}"]) < min(orders["Scarf"]) < min(orders[f"Fore{letter}"])


def test_a_forearm_is_aligned_with_its_arm(moc: Moc) -> None:
    """So that no seam is visible where it begins."""
    meshes = {mesh.id: mesh for mesh in moc.meshes}
    for letter in "LR":
        arm, fore = meshes[f"Arm{letter}"], meshes[f"Fore{letter}"]
        # Turned, only the order of the arm is another one.
        assert arm.bindings[: len(fore.bindings)] == fore.bindings
        assert [one.parameter for one in arm.bindings[3:]] == ["ParamBodyAngleX"]
        at = [int(np.abs(arm.uvs - uv).sum(axis=1).argmin()) for uv in fore.uvs]
        assert np.allclose(arm.uvs[at], fore.uvs)
        times = len(arm.forms) // len(fore.forms)
        for whole, part in zip(arm.forms, fore.forms * times, strict=True):
            assert np.allclose(whole.points[at], part.points)


def test_a_crouching_figure_keeps_the_shape_of_the_head(moc: Moc) -> None:
    """The trunk shortens; above the chest everything moves down by the same distance."""
    lean = next(one for one in moc.deformers if one.id == "WarpLean")
    assert isinstance(lean, Warp)
    level = {"ParamBodyAngleZ": 0.0, "ParamCurl": 0.0}
    poses = ({**level, "ParamCrouch": crouch} for crouch in (0.0, 1.0))
    upright, crouching = (_grid(lean, pose) for pose in poses)
    down = (crouching - upright)[..., 1]
    assert np.allclose(down[:6], down[0, 0], atol=1e-3) and down[0, 0] > 0.05
    assert np.allclose(down[-1], 0.0)


def _grid(warp: Warp, at: dict[str, float]) -> Points:
    """(rows, columns, 2): where the points of ``warp`` are at the keys ``at``."""
    names = [binding.parameter for binding in warp.bindings]
    keys = [binding.keys for binding in warp.bindings]
    number, step = 0, 1
    for name, values in zip(names, keys, strict=True):
        number += values.index(at[name]) * step
        step *= len(values)
    return np.asarray(warp.forms[number].points).reshape(warp.rows + 1, warp.cols + 1, 2)


def test_lying_awake_it_has_the_tail_off_its_nose(moc: Moc) -> None:
    tail, paw, face = (
        next(mesh for mesh in moc.meshes if mesh.id == name)
        for name in ("CurlTail", "CurlPawR", "Face")
    )
    names = [binding.parameter for binding in tail.bindings]
    assert set(names) == {"ParamTailWag", "ParamPaws", "ParamCurl"}
    orders = {form.order for form in tail.forms}
    over = max(form.order for form in face.forms)
    assert min(orders) < over < max(orders)
    assert max(form.order for form in paw.forms) < over
    assert (paw.forms[0].opacity, paw.forms[-1].opacity) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("LashR", (17, 8, 8)),
        ("BrowL", (9,)),
        ("MouthUpper", (15, 4)),
        ("LowerLidL", (9,)),
        ("CreaseR", (9,)),
    ],
)
def test_lines_end_in_paint_and_not_in_triangles(
    figure: Figure, name: str, points: tuple[int, ...]
) -> None:
    """Both sides and both ends of each line, where its strip has no ink yet."""
    mesh = next(one for one in figure.meshes if one.id == name)
    nothing, whole = BRINK
    art, begin = mesh.shape.art[:, 1], 0
    for number in points:
        rows = art[begin : begin + 4 * number].reshape(4, number)
        assert (rows[[0, 3]] < nothing).all() and (rows[:, [0, -1]] < nothing).all()
        assert (rows[1:3, 1:-1] > whole).all()
        begin += 4 * number
    assert begin == len(art) == len(mesh.place({}))


def test_the_strip_of_a_line_has_no_ink_above_its_edge() -> None:
    strip = np.asarray(draw().painters["StripInk"].image.getchannel("A"))
    top, whole = (round(row) for row in BRINK)
    assert not strip[:top].any() and (strip[whole:] == 255).all()
    assert (np.diff(strip[top : whole + 1].astype(int), axis=0) > 0).all()


def test_no_two_bodies_are_visible_through_each_other(moc: Moc) -> None:
    """One replaces the other between two keys that no frame reaches."""
    for name in ("WarpCurl", "WarpBreath", "WarpFeet", "WarpScarf", "RotTail", "RotArmL"):
        one = next(thing for thing in moc.deformers if thing.id == name)
        at = [binding.parameter for binding in one.bindings].index("ParamCurl")
        keys = one.bindings[at].keys
        step = int(np.prod([len(binding.keys) for binding in one.bindings[:at]]))
        shown = [one.forms[k * step].opacity for k in range(len(keys))]
        turns = [k for k in range(1, len(keys)) if shown[k] != shown[k - 1]]
        assert len(turns) == 1 and set(shown) == {0.0, 1.0}, name
        assert keys[turns[0]] - keys[turns[0] - 1] < 0.002, name


def test_the_tail_lies_before_both_bodies_while_one_replaces_the_other(moc: Moc) -> None:
    """One tail is seen at a time: standing, on its way round, and lying."""
    names = ("TailRound", "TailSweep", "CurlTail")
    tails = [next(mesh for mesh in moc.meshes if mesh.id == name) for name in names]
    leaves, sweep, lying = (_by_curl(tail.bindings, tail.forms) for tail in tails)
    turn = next(one for one in moc.deformers if one.id == "RotTail")
    stands = _by_curl(turn.bindings, turn.forms)
    for curl in np.linspace(0, 1, 101):
        shown = [_at(forms, float(curl)) for forms in (stands, leaves, sweep, lying)]
        assert sorted(shown) == [0.0, 0.0, 0.0, 1.0], (curl, shown)
    body = max(form.order for mesh in moc.meshes if mesh.id in _COVERED for form in mesh.forms)
    assert all(form.order > body for at, form in sweep if 0.4 < at < 0.6)


_COVERED = ("Torso", "CurlBody", "Scarf", "CurlScarf", "FootL", "FootR")


def _by_curl(bindings: Bindings, forms: Sequence[Any]) -> list[tuple[float, Any]]:
    """The forms at the keys of ``ParamCurl``, with all other parameters at their first key."""
    at = [binding.parameter for binding in bindings].index("ParamCurl")
    step = int(np.prod([len(binding.keys) for binding in bindings[:at]]))
    return [(key, forms[k * step]) for k, key in enumerate(bindings[at].keys)]


def _at(forms: list[tuple[float, Any]], curl: float) -> float:
    """The opacity between two keys."""
    return float(np.interp(curl, [at for at, _ in forms], [form.opacity for _, form in forms]))


def test_the_tail_hangs_at_either_side(moc: Moc) -> None:
    """And straight behind it is hidden by the body."""
    rotation = next(one for one in moc.deformers if one.id == "RotTail")
    assert isinstance(rotation, Rotation)
    names = [binding.parameter for binding in rotation.bindings]
    pivot = names.index("ParamTailSide")
    step = int(np.prod([len(binding.keys) for binding in rotation.bindings[:pivot]]))
    right, behind, left = (rotation.forms[k * step] for k in range(3))
    assert right.origin[0] < behind.origin[0] < left.origin[0]
    tail = next(mesh for mesh in moc.meshes if mesh.id == "Tail")
    at = [binding.parameter for binding in tail.bindings].index("ParamTailSide")
    step = int(np.prod([len(binding.keys) for binding in tail.bindings[:at]]))
    middle = step // 2
    forms = [tail.forms[k * step + middle].points for k in range(3)]
    assert np.allclose(forms[0][:, 0], -forms[2][:, 0]) and np.allclose(
        forms[0], forms[2] * [-1, 1]
    )
    assert np.ptp(forms[1][:, 0]) < 0.4 * np.ptp(forms[2][:, 0])


def test_vowels_have_mouths_that_differ() -> None:
    """U is round and small, I wide and flat, E between them; at 340 pixels a pixel is 4.5 of the
    canvas.
    """
    sizes = {}
    for vowel in "AIUEO":
        edges = lips({f"Param{vowel}": 1.0})
        sizes[vowel] = np.array(
            [np.ptp(edges.upper[:, 0]), float((edges.lower - edges.upper)[:, 1].max())]
        )
    for one, other in combinations("AIUEO", 2):
        assert np.abs(sizes[one] - sizes[other]).max() > 3 * 4.5, (one, other)
    for one, other in combinations("IUE", 2):
        assert np.abs(sizes[one] - sizes[other]).max() > 6 * 4.5, (one, other)


def test_a_hidden_sign_takes_no_room_beside_the_head(moc: Moc) -> None:
    """A window is as large as the figure may ever be."""
    for name in ("ZedSmall", "HeartLeft", "SparkleSmall"):
        sign = next(mesh for mesh in moc.meshes if mesh.id == name)
        (binding,) = sign.bindings
        first = binding.keys.index(0.0)
        assert binding.keys[first + 1] == 0.02
        shown = sign.forms[first + 1]
        assert shown.opacity < 0.05
        for hidden in sign.forms[: first + 1]:
            assert hidden.opacity == 0.0
            away = np.abs(hidden.points.mean(axis=0) - shown.points.mean(axis=0))
            assert away.max() > 2.0


def test_a_motion_can_remove_a_sign_that_a_face_adds(moc: Moc) -> None:
    lows = {row.parameter.id: row.parameter.low for row in PARAMETERS}
    for name, parameter in SIGNS:
        assert lows[parameter] == (-1.0 if parameter in WITHHELD else 0.0)
        sign = next(mesh for mesh in moc.meshes if mesh.id == name)
        assert sign.bindings[0].keys[0] == lows[parameter]


def test_masks_are_few_and_not_drawn_for_rarely_visible_parts(moc: Moc) -> None:
    """Each list of masks is drawn separately in every frame, also for invisible parts."""
    lists = {frozenset(mesh.masks) for mesh in moc.meshes if mesh.masks}
    assert lists == {frozenset(("EyeWhiteR", "EyeWhiteL", "MouthInside"))}


def test_a_turned_body_has_its_far_arm_behind_it_and_its_near_foot_in_front(moc: Moc) -> None:
    meshes = {mesh.id: mesh for mesh in moc.meshes}
    trunk = meshes["Torso"].forms[0].order
    for far, near, turn in (("L", "R", 10.0), ("R", "L", -10.0)):
        hangs = {f"ParamArm{far}B": 0.0, "ParamBodyAngleX": turn}
        assert meshes["Tail"].forms[0].order < _form(meshes[f"Arm{far}"], hangs).order < trunk
        hangs[f"ParamArm{far}B"] = 130.0
        assert _form(meshes[f"Arm{far}"], hangs).order > trunk, "before the chest"
        feet = [_form(meshes[f"Foot{side}"], {"ParamBodyAngleX": turn}) for side in (near, far)]
        assert feet[0].order > feet[1].order > trunk


def test_a_turned_trunk_keeps_its_outline_and_shows_its_belly_aside(figure: Figure) -> None:
    warp = next(one for one in figure.deformers if one.id == "WarpTrunk")
    assert isinstance(warp, WarpSpec)
    rows = np.array([(CX - 225.0, 1400.0), (CX, 1400.0), (CX + 225.0, 1400.0)])
    for turn in (-10.0, 10.0):
        left, middle, right = (warp.move(rows, {"ParamBodyAngleX": turn}) - rows)[:, 0] / turn
        assert middle > 7.5
        assert abs(left) < 3 and abs(right) < 3


def _form(mesh: Mesh, at: Mapping[str, float]) -> MeshForm:
    """The form of ``mesh`` at the keys ``at``; of other parameters the first key."""
    number, step = 0, 1
    for binding in mesh.bindings:
        number += step * (
            binding.keys.index(at[binding.parameter]) if binding.parameter in at else 0
        )
        step *= len(binding.keys)
    return mesh.forms[number]


def test_hanging_legs_are_seen_below_a_narrower_trunk(figure: Figure) -> None:
    trunk, leg = (next(one for one in figure.meshes if one.id == n) for n in ("Torso", "LegL"))
    stands, hangs = (
        {"ParamLegs": legs, "ParamStepL": 0.0, "ParamBodyAngleX": 0.0} for legs in (0.0, 1.0)
    )
    bottoms = [float(trunk.place(pose)[:, 1].max()) for pose in (stands, hangs)]
    assert bottoms[1] < bottoms[0] - 60
    assert leg.place(hangs)[:, 1].max() - bottoms[1] > 100
