"""Shimeji packs: their actions become animations."""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.shimeji_pack import TICK_SECONDS, read_pack
from tests.unit.figure.sprites.packs import shimeji


def test_a_pack(tmp_path: Path) -> None:
    recipe = read_pack(shimeji(tmp_path / "cat"))
    assert list(recipe.strips) == ["Stand", "Walk", "SitAndLookUp", "Pinched", "Bouncing"]
    cut, seconds = recipe.strips["Walk"].cuts[1]
    assert recipe.files[cut.source].name == "shime2.png"
    assert (seconds, cut.anchor) == (6 * TICK_SECONDS, (16, 32))
    assert recipe.files[recipe.strips["SitAndLookUp"].cuts[0][0].source].name == "shime26.png"
    assert recipe.towards == "left"
    assert [name for name, _ in recipe.left_out] == ["/shime19.png", "/shime46.png"]


def test_pictures_alone_are_ordered_by_their_numbers(tmp_path: Path) -> None:
    recipe = read_pack(shimeji(tmp_path / "cat", actions=False))
    assert {"Stand", "Walk", "Jumping", "Resisting"} <= set(recipe.strips)
    assert "SitAndDangleLegs" not in recipe.strips


def test_japanese_tags(tmp_path: Path) -> None:
    file = shimeji(tmp_path / "cat")
    file.write_text(
        '<マスコット><動作リスト><動作 名前="立つ" 種類="静止"><アニメーション>'
        '<ポーズ 画像="/shime1.png" 基準座標="16,32" 長さ="250"/>'
        "</アニメーション></動作></動作リスト></マスコット>",
        encoding="utf-8",
    )
    assert list(read_pack(file).strips) == ["立つ"]


@pytest.mark.parametrize(
    ("image", "reason"), [("../../../etc/passwd", "outside"), ("/shime99.png", "missing")]
)
def test_no_path_leads_outside(tmp_path: Path, image: str, reason: str) -> None:
    file = shimeji(tmp_path / "cat")
    file.write_text(
        f'<M><Action Name="a"><Animation><Pose Image="{image}"/></Animation></Action></M>'
    )
    with pytest.raises(ModelFileError, match=reason):
        read_pack(file)


def test_actions_without_pictures(tmp_path: Path) -> None:
    file = shimeji(tmp_path / "cat")
    file.write_text("<Mascot/>")
    with pytest.raises(ModelFileError, match="no picture"):
        read_pack(file)


def test_a_pack_of_windows_whose_names_differ_in_case(tmp_path: Path) -> None:
    wanted = read_pack(shimeji(tmp_path / "cat"))
    file = shimeji(tmp_path / "dog")
    image = tmp_path / "dog" / "img"
    for one in sorted(image.iterdir()):
        one.rename(one.with_name(one.name.upper()))
    image.rename(tmp_path / "dog" / "IMG")
    found = read_pack(file)
    assert list(found.strips) == list(wanted.strips)
    assert found.left_out == wanted.left_out
