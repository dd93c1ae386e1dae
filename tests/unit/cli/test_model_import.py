from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.cli import model_command
from neodeskpet.cli.model_command import run_import
from neodeskpet.language import set_language
from neodeskpet.settings.secrets import Secrets, key_name

KEY = "sk-abcdefgh12345678"
CONFIG = {"providers": {"mine": {"apiHost": "https://m.example", "apiKey": KEY, "models": ["m"]}}}


@pytest.fixture(autouse=True)
def english() -> None:
    set_language("en")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(f"// a comment\n{json.dumps(CONFIG)}", "utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def secrets(home: Path) -> Secrets:
    return Secrets(home / "keys.json", environ={}, find=lambda: None)


def test_nothing_is_written_before_a_yes(
    file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Path] = []

    def refuse(path: Path) -> bool:
        asked.append(path)
        return False

    assert run_import(file, home, yes=False, secrets=secrets(home), agree=refuse) == 1
    told = capsys.readouterr().out
    assert "mine  openai  https://m.example\n    Models: m" in told
    assert "Its key goes to the keyring" in told
    assert KEY not in told
    assert asked == [home / "llm-config.json"]
    assert not (home / "llm-config.json").exists()


def test_yaml_is_read(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        f"model_list:\n- model_name: talk\n  litellm_params:\n    model: openai/m\n"
        f"    api_base: https://m.example/v1\n    api_key: {KEY}\n",
        "utf-8",
    )
    kept = secrets(home)
    kept.allow_file()
    assert run_import(path, home, yes=True, secrets=kept) == 0
    said = capsys.readouterr().out
    assert "openai  openai  https://m.example/v1\n    Models: talk" in said
    assert KEY not in said
    written = json.loads((home / "llm-config.json").read_text("utf-8"))
    assert written["models"] == [{"endpoint": "openai", "id": "m", "name": "talk"}]


def test_keys_are_stored_separately(
    file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = secrets(home)
    kept.allow_file()
    assert run_import(file, home, yes=True, secrets=kept) == 0
    written = (home / "llm-config.json").read_text("utf-8")
    assert json.loads(written)["models"] == [{"endpoint": "mine", "id": "m"}]
    assert KEY not in written
    assert secrets(home).get(key_name("https://m.example")) == KEY
    assert "Written: " in capsys.readouterr().out
    assert run_import(file, home, yes=True, secrets=kept) == 0
    assert "Nothing new" in capsys.readouterr().out
    kept.set(key_name("https://m.example"), "another")
    run_import(file, home, yes=True, secrets=kept)
    assert "already has another key" in capsys.readouterr().out


def test_without_a_keyring_the_key_is_left_out(
    file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_import(file, home, yes=True, secrets=secrets(home)) == 0
    assert "was not kept" in capsys.readouterr().out
    assert KEY not in (home / "llm-config.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "{", "line 1"),
        ("a.json", "{}", "No model service was found"),
        ("a.yaml", "models: [", "it isn't well-formed YAML"),
        ("a.yml", "a: &a [*a]", "it contains itself"),
        ("a.toml", "x", "can't be read"),
    ],
)
def test_errors_have_messages(
    tmp_path: Path,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str,
    said: str,
) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert model_command.run(["import", str(path), "--data-dir", str(home)]) == 1
    assert said in capsys.readouterr().err
    assert not (home / "llm-config.json").exists()


def test_a_missing_file_and_a_broken_catalogue_are_reported(
    file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_import(file.with_name("no.json"), home, yes=True) == 1
    assert "can't be read" in capsys.readouterr().err
    (home / "llm-config.json").write_text("{", "utf-8")
    assert run_import(file, home, yes=True) == 1
    assert "broken" in capsys.readouterr().err
    assert (home / "llm-config.json").read_text("utf-8") == "{"


def test_toml_is_read(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[model_providers.p]\nbase_url = "https://p.example"\n', "utf-8")
    assert run_import(path, home, yes=True, secrets=secrets(home)) == 0
    assert "https://p.example" in (home / "llm-config.json").read_text("utf-8")


def test_the_service_of_the_simple_settings_is_kept(file: Path, home: Path) -> None:
    service = {"protocol": "openai", "base_url": "https://own.example", "model": "own"}
    (home / "settings.json").write_text(json.dumps({"service": service}), "utf-8")
    assert run_import(file, home, yes=True, secrets=secrets(home)) == 0
    written = json.loads((home / "llm-config.json").read_text("utf-8"))
    assert [one["base_url"] for one in written["endpoints"]] == [
        "https://own.example",
        "https://m.example",
    ]
