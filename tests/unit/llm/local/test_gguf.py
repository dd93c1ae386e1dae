"""The metadata of a model file; cut and broken files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neodeskpet.language import translate_error
from neodeskpet.llm.local.local_errors import BadModelFile, ModelFileMissing
from neodeskpet.llm.local.model_file import check_model_file
from tests.support.gguf import FACTS, gguf, write_gguf


def refusal(folder: Path, data: bytes) -> str:
    file = folder / "x.gguf"
    file.write_bytes(data)
    with pytest.raises(BadModelFile) as caught:
        check_model_file(file)
    assert caught.value.params["file"] == "x.gguf"
    what, _ = translate_error(caught.value)
    return what.removeprefix("x.gguf isn't a model that can be used. ")


def test_the_metadata_of_a_complete_file(tmp_path: Path) -> None:
    found = check_model_file(write_gguf(tmp_path))
    assert (found.architecture, found.name, found.context) == ("tiny", "Tiny 小", 4096)
    assert found.chats
    assert found.per_token == 2 * 2 * (64 // 4) * 4


def test_more_context_takes_more_memory_up_to_the_limit_of_the_model(tmp_path: Path) -> None:
    found = check_model_file(write_gguf(tmp_path))
    assert found.memory(2048) - found.memory(1024) == 1024 * found.per_token
    assert found.memory(100_000) == found.memory(4096)


def test_of_numbers_for_each_layer_the_largest_is_used(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(gguf({**FACTS, "tiny.attention.head_count_kv": [0, 4, 2]}))
    assert check_model_file(file).per_token == 2 * 4 * (64 // 4) * 4


@pytest.mark.parametrize("version", [2, 3])
def test_both_existing_versions(tmp_path: Path, version: int) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(gguf(version=version))
    assert check_model_file(file).architecture == "tiny"


def test_each_refusal_has_its_reason(tmp_path: Path) -> None:
    whole = gguf()
    assert refusal(tmp_path, b"<html>not found</html>") == "It isn't a GGUF file."
    assert refusal(tmp_path, b"") == "It is incomplete."
    assert refusal(tmp_path, gguf(version=9)) == "Its GGUF version 9 isn't known."
    assert refusal(tmp_path, whole[:100]) == "It is incomplete."
    assert refusal(tmp_path, whole[:-1]) == "It is incomplete: 0.0 MB are missing."
    assert refusal(tmp_path, gguf({})) == "It doesn't name its model type."
    eyes = gguf({"general.architecture": "clip"})
    assert refusal(tmp_path, eyes).startswith("This file is only the vision part")
    odd = gguf(tensors=[("w", (1,) * 9, 0, 0)])
    assert refusal(tmp_path, odd) == "It is damaged."
    assert refusal(tmp_path, whole[:8] + b"\xff" * 8 + whole[16:]) == "It is damaged."


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelFileMissing):
        check_model_file(tmp_path / "nothing.gguf")
    with pytest.raises(BadModelFile, match="folder"):
        check_model_file(tmp_path)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(at=st.integers(0, len(gguf()) - 1))
def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path, at: int) -> None:
    refusal(tmp_path, gguf()[:at])


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(at=st.integers(4, 500), byte=st.integers(0, 255))
def test_a_wrong_byte_raises_only_a_refusal(tmp_path: Path, at: int, byte: int) -> None:
    data = bytearray(gguf())
    data[at % len(data)] = byte
    file = tmp_path / "x.gguf"
    file.write_bytes(data)
    try:
        check_model_file(file)
    except BadModelFile as error:
        assert error.params["reason"]
