from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_reader import (
    MOST_MOTIONS,
    OPTIONAL_BYTES,
    FileSlot,
    _FileChecks,
    _spread_out,
    _state,
    describe_model,
    file_slots,
    find_models,
    optional_files,
    parse_json,
    remove_files,
)
from tests.unit.figure.models import (
    NEO,
    change,
    make_model,
    make_old_model,
    motion,
    png,
    write_json,
)


def test_it_describes_a_cubism_3_model(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    found = describe_model(file)
    assert (found.name, found.version, found.file) == ("toy", 3, file.resolve())
    assert found.expressions == ("smile", "sad")
    assert found.motions == {"Idle": 1, "TapHead": 2}
    assert [(area.name, area.id) for area in found.hit_areas] == [("Head", "HitHead")]
    assert found.mouth == ("ParamMouth",)
    assert found.dropped == ()
    assert found.textures == (file.parent.resolve() / "sub" / "skin.png",)
    assert len(optional_files(found)) == 5
    assert found.drives["TapHead", 1] == {"ParamAngleX", "ParamAngleY"}


def test_the_bundled_model_is_described_once(tmp_path: Path) -> None:
    assert describe_model(NEO) is describe_model(NEO)
    file = make_model(tmp_path / "toy")
    assert describe_model(file) is not describe_model(file), (
        "a user's own may be changed at any time"
    )
    before = _state(tmp_path)
    change(file, "More", to="something")
    assert _state(tmp_path) != before


def test_it_describes_a_cubism_2_model_and_leaves_out_broken_files(tmp_path: Path) -> None:
    found = describe_model(make_old_model(tmp_path / "granny"))
    assert (found.name, found.version) == ("granny", 2)
    assert found.expressions == ("f01",)
    assert found.motions == {"idle": 1, "": 1}
    assert found.mouth == ("PARAM_MOUTH_OPEN_Y",)
    assert found.drives == {("idle", 0): {"PARAM_X"}, ("", 0): {"PARAM_X"}}
    assert [(entry.file, "curve" in entry.reason) for entry in found.dropped] == [("c.mtn", True)]


def test_it_finds_the_model_in_a_folder(tmp_path: Path) -> None:
    old, new = make_old_model(tmp_path / "a" / "old"), make_model(tmp_path / "new")
    (tmp_path / "new" / "other.json").write_text("{}")
    assert find_models(tmp_path) == sorted([old, new])
    assert describe_model(tmp_path).name == "toy"


def test_the_bundled_model_is_complete() -> None:
    found = describe_model(NEO)
    assert found.dropped == ()
    assert len(found.expressions) >= 8
    assert found.motions


def test_the_settings_contain_only_checked_files(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    tree = json.loads(describe_model(file).settings)
    assert "DisplayInfo" not in tree["FileReferences"]
    assert "Sound" not in tree["FileReferences"]["Motions"]["TapHead"][0]
    assert "\n" in describe_model(file).settings


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("FileReferences", "Moc"), "../toy.moc3", "outside"),
        (("FileReferences", "Moc"), "/etc/hostname", "outside"),
        (("FileReferences", "Moc"), "none.moc3", "missing"),
        (("FileReferences", "Moc"), 7, "Moc"),
        (("FileReferences", "Moc"), "a\0b", "null"),
        (("FileReferences", "Textures"), [], "Textures"),
        (("FileReferences", "Textures"), ["sub"], "missing"),
        (("FileReferences", "Motions"), 7, "Motions"),
        (("FileReferences",), None, "FileReferences"),
    ],
)
def test_errors_have_reasons(
    tmp_path: Path, path: tuple[str, ...], value: object, said: str
) -> None:
    file = make_model(tmp_path / "toy")
    change(file, *path, to=value)
    with pytest.raises(ModelFileError, match=said):
        describe_model(file)


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff\xfe", b"{", b'{"a":NaN}', b"[" * 100_000])
def test_invalid_settings(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.model3.json"
    file.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        describe_model(file)
    assert caught.value.params == {"file": "x.model3.json"}
    assert caught.value.detail


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_a_folder_without_a_model(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelFileError, match="No figure was found"):
        describe_model(tmp_path / name)


def test_an_empty_moc_is_reported(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / "toy.moc3").write_bytes(b"")
    with pytest.raises(ModelFileError, match="empty"):
        describe_model(file)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sad.exp3.json", "not json"),
        ("sad.exp3.json", '{"Parameters": [{"Id": "P", "Value": 1e999}]}'),
        ("sad.exp3.json", ""),
        ("tap2.motion3.json", '{"Meta": {"Duration": 1}, "Curves": []}'),
        ("tap2.motion3.json", '{"Meta": {"Duration": -1}, "Curves": [1]}'),
    ],
)
def test_broken_optional_files_are_dropped(tmp_path: Path, name: str, content: str) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / name).write_text(content)
    found = describe_model(file)
    assert [entry.file for entry in found.dropped] == [name]
    assert found.dropped[0].reason
    kept = len(found.expressions) + sum(found.motions.values())
    assert kept == 4


def test_a_group_without_valid_motions_is_removed(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / "idle.motion3.json").unlink()
    assert describe_model(file).motions == {"TapHead": 2}


def test_broken_physics_are_dropped(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    change(file, "FileReferences", "Physics", to="p.physics3.json")
    write_json(file.parent / "p.physics3.json", {"Meta": {}})
    found = describe_model(file)
    assert [entry.file for entry in found.dropped] == ["p.physics3.json"]
    assert "Physics" not in json.loads(found.settings)["FileReferences"]


def test_backslashes_in_paths_are_understood(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    change(file, "FileReferences", "Textures", to=["sub\\skin.png"])
    assert describe_model(file).textures[0].name == "skin.png"


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert describe_model(file).name == "toy"


def test_removing_removes_one_entry(tmp_path: Path) -> None:
    tree = json.loads(describe_model(make_model(tmp_path / "toy")).settings)
    motion = next(slot for slot in file_slots(tree) if slot.file == "tap.motion3.json")
    remove_files(tree, [motion])
    assert [m["File"] for m in tree["FileReferences"]["Motions"]["TapHead"]] == [
        "tap2.motion3.json"
    ]


def test_too_many_motions_are_refused(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    groups = {f"g{number}": [{"File": "tap.motion3.json"}] for number in range(MOST_MOTIONS + 1)}
    change(file, "FileReferences", "Motions", to=groups)
    with pytest.raises(ModelFileError) as caught:
        describe_model(file)
    assert str(MOST_MOTIONS) in caught.value.detail
    old = make_old_model(tmp_path / "old")
    change(old, "motions", to={f"g{n}": [{"file": "a.mtn"}] * 2 for n in range(MOST_MOTIONS)})
    with pytest.raises(ModelFileError, match=str(MOST_MOTIONS)):
        describe_model(old)


def test_one_motion_named_often_is_read_once_and_counted_each_time(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    long = motion()
    long["Curves"][0]["Segments"] = [0, 0, *[0, 1.5, 2.5] * 60_000]
    write_json(file.parent / "tap.motion3.json", long)
    size = (file.parent / "tap.motion3.json").stat().st_size
    few, many = OPTIONAL_BYTES // size - 1, OPTIONAL_BYTES // size + 1
    change(file, "FileReferences", "Motions", to={"Tap": [{"File": "tap.motion3.json"}] * few})
    assert describe_model(file).motions == {"Tap": few, "idle": 1, "tap": 1}
    change(file, "FileReferences", "Motions", to={"Tap": [{"File": "tap.motion3.json"}] * many})
    with pytest.raises(ModelFileError, match="in total"):
        describe_model(file)


def test_a_file_that_is_named_often_is_read_once(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    read: list[str] = []

    def clean(text: str) -> str:
        read.append(text)
        return json.dumps(motion())

    looks = _FileChecks(file)
    entries = [{"File": "tap.motion3.json"}, {"File": "./tap.motion3.json"}] * 100
    moved = {looks.look(FileSlot(entry, "File", "motions", clean), clean) for entry in entries}
    assert len(read) == len(moved) == 1


def test_one_broken_motion_named_often_is_dropped_each_time(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / "tap.motion3.json").write_text("{}")
    change(file, "FileReferences", "Motions", to={"Tap": [{"File": "tap.motion3.json"}] * 3})
    dropped = [one for one in describe_model(file).dropped if one.file == "tap.motion3.json"]
    assert len(dropped) == 3
    assert len({one.reason for one in dropped}) == 1


@pytest.mark.parametrize("name", ["toy.moc3", "sub/skin.png", "toy.model3.json"])
def test_files_that_are_too_large_are_refused(tmp_path: Path, name: str) -> None:
    file = make_model(tmp_path / "toy")
    os.truncate(file.parent / name, {"toy.moc3": 70, "sub/skin.png": 101}.get(name, 3) * 1_000_000)
    with pytest.raises(ModelFileError, match="too large"):
        describe_model(file)


def test_files_that_are_too_large_together_are_refused(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    names = [f"sub/skin{number}.png" for number in range(5)]
    for name in names:
        (file.parent / name).write_bytes(png())
        os.truncate(file.parent / name, 99_000_000)
    change(file, "FileReferences", "Textures", to=[names[0]] * 64)
    assert len(describe_model(file).textures) == 64
    change(file, "FileReferences", "Textures", to=names)
    with pytest.raises(ModelFileError, match="in total"):
        describe_model(file)


def test_a_pipe_is_no_model(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cat.model3.json")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "dog.model3.json").symlink_to("/dev/zero")
    code = """
import sys
from pathlib import Path
from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_reader import describe_model, find_models
print(find_models(Path(sys.argv[1])))
for name in ("", "cat.model3.json", "folder", "folder/dog.model3.json"):
    try:
        describe_model(Path(sys.argv[1]) / name)
    except ModelFileError as error:
        print("refused")
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, timeout=30, check=True)
    assert done.stdout.decode().split() == ["[]", *["refused"] * 4]


@settings(max_examples=40)
@given(st.binary(max_size=300))
def test_any_bytes_give_a_description_or_a_known_error(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "a.model3.json"
        file.write_bytes(content)
        with pytest.raises(ModelFileError):
            describe_model(file)


@settings(max_examples=40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    st.sampled_from(["Moc", "Textures", "Expressions", "Motions", "Physics", "Pose"]),
)
def test_any_value_in_the_settings_is_read_or_refused(value: object, key: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        file = make_model(Path(name) / "toy")
        change(file, "FileReferences", key, to=value)
        try:
            assert describe_model(file).version == 3
        except ModelFileError as error:
            assert error.detail


def test_json_is_strict() -> None:
    with pytest.raises(ValueError, match="JSON"):
        parse_json('{"a": Infinity}')


_leaves = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_trees = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_trees)
def test_the_json_for_the_library_is_the_same_tree(tree: object) -> None:
    assert json.loads(_spread_out(tree)) == tree


def test_no_number_is_next_to_a_bracket_and_long_lists_are_complete() -> None:
    """The library misreads `0.1]`."""
    tree = {"Curves": [{"Id": "a]1}", "Segments": [number / 10 for number in range(12_345)]}]}
    written = _spread_out(tree)
    assert json.loads(written) == tree
    assert not re.search(r"[0-9][\]}]", written.replace('"a]1}"', ""))


@pytest.mark.parametrize("entries", ["names", "objects"])
def test_motions_without_groups_are_one_group(tmp_path: Path, entries: str) -> None:
    file = make_model(tmp_path)
    tree = json.loads(file.read_text())
    groups = tree["FileReferences"]["Motions"]
    flat = [one for group in groups.values() for one in group]
    listed = [one["File"] for one in flat] if entries == "names" else flat
    write_json(file, tree | {"FileReferences": {**tree["FileReferences"], "Motions": listed}})
    description = describe_model(file)
    assert description.motions["Motions"] == len(flat)
    alone = {group: one[0] for group, one in groups.items()}
    write_json(file, tree | {"FileReferences": {**tree["FileReferences"], "Motions": alone}})
    assert set(groups) <= set(describe_model(file).motions)
