"""The models of the offline voice are joined from the parts in the wheels, and verified."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from neodeskpet.language import translate_error
from neodeskpet.platform.installation import EXTRAS, extra_command
from neodeskpet.voice.local_voice import (
    EXTRA,
    KOKORO,
    MODELS,
    WHISPER,
    LocalVoiceDamaged,
    LocalVoiceMissing,
    VoiceModelFile,
    check_model,
    is_installed,
    join_models,
    model_folder,
)


def fill(extra: Path, model: str) -> None:
    """Put files of the right sizes (without content) into the place of a model."""
    folder = model_folder(model, extra)
    folder.mkdir(parents=True)
    for file in MODELS[model]:
        with (folder / file.name).open("wb") as out:
            out.truncate(file.size)


def small(checksum: str) -> dict[str, list[VoiceModelFile]]:
    parts = ("wheel_1/part.bin", "wheel_2/part.bin")
    return {KOKORO: [VoiceModelFile("model.onnx", 6, checksum, parts)]}


def unpack(extra: Path) -> None:
    for number, content in enumerate((b"abc", b"def"), start=1):
        (extra / f"wheel_{number}").mkdir(parents=True)
        (extra / f"wheel_{number}" / "part.bin").write_bytes(content)


def test_parts_become_one_file_and_are_deleted(tmp_path: Path) -> None:
    unpack(tmp_path)
    join_models(tmp_path, small(hashlib.sha256(b"abcdef").hexdigest()))
    assert (model_folder(KOKORO, tmp_path) / "model.onnx").read_bytes() == b"abcdef"
    assert [one.name for one in tmp_path.iterdir()] == ["voice_models"]


def test_another_content_is_refused(tmp_path: Path) -> None:
    unpack(tmp_path)
    with pytest.raises(LocalVoiceDamaged):
        join_models(tmp_path, small(hashlib.sha256(b"abcdeF").hexdigest()))


def test_a_missing_part_is_refused(tmp_path: Path) -> None:
    unpack(tmp_path)
    (tmp_path / "wheel_2" / "part.bin").unlink()
    with pytest.raises(LocalVoiceDamaged):
        join_models(tmp_path, small(hashlib.sha256(b"abc").hexdigest()))


@pytest.mark.parametrize("model", [KOKORO, WHISPER])
def test_a_model_exists_when_all_its_files_have_their_sizes(tmp_path: Path, model: str) -> None:
    with pytest.raises(LocalVoiceMissing) as caught:
        check_model(model, tmp_path)
    assert extra_command(EXTRA) in " ".join(translate_error(caught.value))
    fill(tmp_path, model)
    assert is_installed(model, tmp_path)
    first = model_folder(model, tmp_path) / MODELS[model][0].name
    with first.open("r+b") as cut:
        cut.truncate(1000)
    assert not is_installed(model, tmp_path)
    with pytest.raises(LocalVoiceDamaged):
        check_model(model, tmp_path)


def test_each_part_is_in_a_package_of_the_extra() -> None:
    packages = {pin.split("==")[0].replace("-", "_") for pin in EXTRAS[EXTRA]}
    for files in MODELS.values():
        for file in files:
            assert len(file.sha256) == 64
            assert {part.partition("/")[0] for part in file.parts} <= packages
