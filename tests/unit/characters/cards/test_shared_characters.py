"""A character and its figure in one file."""

from __future__ import annotations

import zipfile
from pathlib import Path

from neodeskpet.characters.cards.card_files import read_card
from neodeskpet.characters.cards.character_card import Card, app_data_of, with_app_data
from neodeskpet.characters.cards.shared_characters import extract_figure, write_shared


def test_the_file_is_a_card_for_other_programs_and_contains_the_figure(tmp_path: Path) -> None:
    figure = tmp_path / "Fox"
    (figure / "motions").mkdir(parents=True)
    (figure / "fox.model3.json").write_text("{}", "utf-8")
    (figure / "motions" / "a.json").write_text("{}", "utf-8")
    (figure / "link").symlink_to(tmp_path)
    file = tmp_path / "fox.charx"
    card = with_app_data(Card("Fox", description="quick"), {"figure": "/home/ana/secret"})
    file.write_bytes(write_shared(card, b"", figure))
    read, _picture = read_card(file.read_bytes())
    assert (read.name, read.description, app_data_of(read)) == ("Fox", "quick", {})
    assert b"secret" not in file.read_bytes()
    assert extract_figure(file, tmp_path / "figure.zip")
    with zipfile.ZipFile(tmp_path / "figure.zip") as archive:
        assert sorted(archive.namelist()) == ["Fox/fox.model3.json", "Fox/motions/a.json"]


def test_a_file_without_a_figure_gives_none(tmp_path: Path) -> None:
    plain, broken = tmp_path / "plain.charx", tmp_path / "broken.charx"
    plain.write_bytes(write_shared(Card("Fox"), b"", None))
    broken.write_bytes(b"PK\3\4 nothing")
    for file in (plain, broken):
        assert not extract_figure(file, tmp_path / "figure.zip")
        assert not (tmp_path / "figure.zip").exists()
