"""Damaged models must neither crash nor hang this process: every trial runs in another one."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.behaviour.beats import find_bridges
from neodeskpet.figure.behaviour.idling import motion_stems
from neodeskpet.figure.files import model_guard
from neodeskpet.figure.files.isolated_check import shipped_verdict
from neodeskpet.figure.files.model_guard import (
    check_model,
    check_textures,
    content_digest,
    recheck_model,
)
from neodeskpet.figure.files.model_reader import ModelDescription, describe_model
from neodeskpet.figure.files.tint import copy_with_textures
from tests.unit.figure.models import (
    NEO,
    SETTINGS,
    change,
    copy_neo,
    make_model,
    make_old_model,
    png,
    strange_neo,
)

PALETTES = NEO.parent / "palettes"


def check(path: Path, cache: Path, timeout: float = 100.0) -> ModelDescription:
    return asyncio.run(check_model(path, cache, timeout=timeout))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without a verdict."""
    return strange_neo(tmp_path_factory.mktemp("strange") / "neo")


def test_the_bundled_model_needs_no_trial(cache: Path) -> None:
    found = check(NEO, cache, timeout=0.0)
    assert found.file == NEO / SETTINGS
    assert found.root.is_relative_to(cache)
    assert check(NEO, cache, timeout=0.0) == found


def test_the_checked_copy_keeps_the_names_of_the_motions(cache: Path) -> None:
    """Its files are named by numbers, but the names tell which motion is a beat or a bridge."""
    plain, checked = describe_model(NEO), check(NEO, cache)
    assert checked.motion_words(("TapBody", 1)) == ["tapbody", "giggle"]
    assert motion_stems(checked) == motion_stems(plain)
    assert find_bridges(checked) == find_bridges(plain) != {}


@pytest.mark.parametrize("palette", sorted(PALETTES.iterdir()), ids=lambda folder: folder.name)
def test_the_palettes_need_no_trial(palette: Path, tmp_path: Path) -> None:
    copy_with_textures(NEO, tmp_path / "neo", palette)
    assert check(tmp_path / "neo", tmp_path / "cache", timeout=0.0).reach is not None


def test_the_shipped_verdict_of_the_bundled_model_equals_a_trial(tmp_path: Path) -> None:
    """After a change of the companion or the library: ./run build-companion."""
    shipped = shipped_verdict(content_digest(describe_model(NEO)))
    tried = asyncio.run(recheck_model(NEO, tmp_path))
    assert shipped is not None
    assert (tried.reason, tried.reach) == ("", pytest.approx(shipped.reach, abs=0.02))


def test_a_valid_model_passes(cache: Path, strange: Path) -> None:
    found = check(strange, cache)
    assert found.file == strange / SETTINGS
    assert found.root.is_relative_to(cache)
    assert found.moc.is_file()
    assert all(texture.is_file() for texture in found.textures)
    assert found.reach is None or all(0 <= share < 2 for share in found.reach)


def test_without_the_live2d_library_a_model_is_refused_and_pictures_pass(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="without Live2D's library"):
        asyncio.run(check_model(NEO, tmp_path, core=False))
    pictures = NEO.parent / "pictures"
    assert asyncio.run(check_model(pictures, tmp_path, core=False)).pictures is not None


def test_a_verdict_is_stored(tmp_path: Path, cache: Path, strange: Path) -> None:
    first = check(strange, cache)
    # A timeout that no trial could meet: none is started.
    assert check(strange_neo(tmp_path / "neo"), cache, timeout=0.0).root == first.root


def test_a_changed_copy_is_made_again(tmp_path: Path, cache: Path, strange: Path) -> None:
    check(strange, cache)
    kept = shutil.copytree(cache, tmp_path / "cache")
    first = check(strange, kept, timeout=0.0)
    first.textures[0].write_bytes(b"spoilt")
    again = check(strange, kept)
    assert again.root == first.root
    assert again.textures[0].read_bytes()[:4] == b"\x89PNG"


def test_one_line_json_and_wrong_counts_are_repaired(tmp_path: Path) -> None:
    folder = copy_neo(tmp_path / "neo")
    for file in folder.rglob("*.motion3.json"):
        change(file, "Meta", "TotalPointCount", to=1)
        change(file, "Meta", "CurveCount", to=100_000)
    for file in folder.rglob("*.json"):
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")), separators=(",", ":")))
    found = check(folder, tmp_path / "cache")
    assert found.dropped == ()
    assert found.expressions


@pytest.mark.parametrize("kept", [0, 3, 4, 64, 2000, 50_000])
def test_a_truncated_moc_is_refused(tmp_path: Path, kept: int) -> None:
    folder = copy_neo(tmp_path / "neo")
    moc = folder / "neo.moc3"
    moc.write_bytes(moc.read_bytes()[:kept])
    with pytest.raises(ModelFileError) as caught:
        check(folder, tmp_path / "cache")
    assert caught.value.params["file"] == "neo.moc3"


def test_a_moc_of_a_future_version_is_refused(tmp_path: Path) -> None:
    folder = copy_neo(tmp_path / "neo")
    moc = folder / "neo.moc3"
    data = bytearray(moc.read_bytes())
    data[4] = 99
    moc.write_bytes(data)
    with pytest.raises(ModelFileError, match="99"):
        check(folder, tmp_path / "cache")


@pytest.mark.parametrize("seed", [0, 3])
def test_flipped_bits_give_a_verdict(tmp_path: Path, seed: int) -> None:
    folder = copy_neo(tmp_path / "neo")
    moc = folder / "neo.moc3"
    data = bytearray(moc.read_bytes())
    chance = random.Random(seed)
    for _ in range(20):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    moc.write_bytes(data)
    try:
        assert check(folder, tmp_path / "cache").expressions
    except ModelFileError as error:
        assert error.detail


def test_a_moc_that_crashes_is_refused_and_the_verdict_is_stored(tmp_path: Path) -> None:
    # An old moc of zeros: only the trial can find the fault.
    file = make_old_model(tmp_path / "old")
    (file.parent / "old.moc").write_bytes(b"moc\x0a" + bytes(range(256)) * 8)
    with pytest.raises(ModelFileError) as first:
        check(file, tmp_path / "cache")
    assert "check process" in first.value.detail
    with pytest.raises(ModelFileError) as second:
        check(file, tmp_path / "cache", timeout=0.0)
    assert second.value.detail == first.value.detail


def test_a_trial_that_takes_too_long_gives_no_verdict(tmp_path: Path, strange: Path) -> None:
    with pytest.raises(ModelFileError, match="did not finish"):
        check(strange, tmp_path, timeout=0.0)
    assert not list(tmp_path.glob("models/*/verdict.json"))


def test_another_file_as_a_moc_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        check(make_model(tmp_path / "toy"), tmp_path / "cache")
    assert caught.value.params["file"] == "toy.moc3"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"GIF89a" + bytes(40), "PNG"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (png(9000, 1)[:60], "not between"),
        (png(0, 0), "not between"),
        (png()[:-20], "damaged"),
        (png()[:-12], "incomplete"),
        (png()[:44] + b"\0" + png()[45:], "damaged"),
    ],
)
def test_textures_are_decoded_completely(tmp_path: Path, content: bytes, said: str) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / "sub" / "skin.png").write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        check(file, tmp_path / "cache")
    assert caught.value.params["file"] == "skin.png"
    assert said in caught.value.detail


def test_the_total_size_of_textures_is_limited(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    large = tmp_path / "large.png"
    large.write_bytes(png(8192, 8192))
    found = ModelDescription("toy", file, file.parent, 3, "{}", large, (large,) * 3)
    with pytest.raises(ModelFileError, match="in total"):
        check_textures(found)


def test_a_file_that_is_named_often_is_copied_once(tmp_path: Path) -> None:
    folder = copy_neo(tmp_path / "neo")
    settings = folder / SETTINGS
    tree = json.loads(settings.read_text("utf-8"))
    references = tree["FileReferences"]
    references["Textures"] = references["Textures"] * 3
    references["Motions"] = {"Nod": references["Motions"]["Nod"] * 20}
    settings.write_text(json.dumps(tree, indent=1), encoding="utf-8")
    for other in (folder / "motions").glob("*.json"):
        if other.name != Path(references["Motions"]["Nod"][0]["File"]).name:
            other.unlink()
    found = check(folder, tmp_path / "cache")
    assert found.motions == {"Nod": 20}
    assert len(found.textures) == 3 * 2
    suffixes = [path.name.split(".", 1)[1] for path in found.root.iterdir()]
    assert suffixes.count("png") == 2
    assert suffixes.count("motion3.json") == 1


def test_a_file_in_the_place_of_the_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("")
    with pytest.raises(ModelFileError):
        check(NEO, blocked)


def test_old_copies_are_pruned(tmp_path: Path, strange: Path) -> None:
    models = tmp_path / "models"
    for number in range(model_guard.KEPT_COPIES + 3):
        (models / f"old{number}").mkdir(parents=True)
        os.utime(models / f"old{number}", (number, number))
    with pytest.raises(ModelFileError):
        check(strange, tmp_path, timeout=0.0)
    left = sorted(path.name for path in models.iterdir() if path.name.startswith("old"))
    assert len(left) == model_guard.KEPT_COPIES
    assert "old0" not in left


def test_other_names_than_those_in_the_settings_are_refused(tmp_path: Path) -> None:
    folder = copy_neo(tmp_path / "neo")
    expressions = json.loads((folder / SETTINGS).read_text("utf-8"))["FileReferences"]
    expressions["Expressions"][0]["Name"] = 'a"b\\u0041\n'
    change(folder / SETTINGS, "FileReferences", to=expressions)
    try:
        assert 'a"b\\u0041\n' in check(folder, tmp_path / "cache").expressions
    except ModelFileError as error:
        assert error.detail


def test_a_cancelled_check_leaves_no_process(tmp_path: Path, strange: Path) -> None:
    async def begin_and_cancel() -> None:
        task = asyncio.get_running_loop().create_task(check_model(strange, tmp_path))
        while not children() - before:
            assert not task.done(), "none was started"
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = children()
    asyncio.run(begin_and_cancel())
    assert children() <= before


def children() -> set[str]:
    """Return the child processes of this one."""
    told = Path("/proc/self/task").glob("*/children")
    return {pid for one in told for pid in one.read_text("ascii").split()}
