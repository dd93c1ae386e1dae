"""A model file as an address."""

from pathlib import Path

import pytest

from neodeskpet.llm.local.model_file import address_of, file_of, is_model_file, model_name

HOME = Path("/data/language-models")


@pytest.mark.parametrize("address", ["local:/a.gguf", " LOCAL:a.gguf", "local://a/b.gguf"])
def test_addresses_of_files(address: str) -> None:
    assert is_model_file(address)


@pytest.mark.parametrize("address", ["", "http://local:80", "localhost:8080", "/a.gguf"])
def test_other_addresses(address: str) -> None:
    assert not is_model_file(address)


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("local:/models/小 a.gguf", Path("/models/小 a.gguf")),
        ("local:///models/a.gguf", Path("/models/a.gguf")),
        ("local:a.gguf", HOME / "a.gguf"),
        ("local:~/a.gguf", Path.home() / "a.gguf"),
    ],
)
def test_the_file_of_an_address(address: str, file: Path) -> None:
    assert file_of(address, HOME) == file


def test_path_to_address_and_back() -> None:
    file = Path("/models/v1/Qwen3 0.6B?#%20.gguf")
    assert file_of(address_of(file), HOME) == file


def test_the_name_is_the_file_name_without_its_ending() -> None:
    assert model_name(Path("/m/Qwen3-0.6B-Q8_0.GGUF")) == "Qwen3-0.6B-Q8_0"
    assert model_name(Path("odd.bin")) == "odd.bin"
