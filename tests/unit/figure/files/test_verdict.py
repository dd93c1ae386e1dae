"""The stored verdict of a figure, and the verdicts that come with the app."""

from pathlib import Path

import pytest

from neodeskpet.figure.files.isolated_check import (
    SHIPPED_VERDICTS,
    CheckVerdict,
    known_verdict,
    shipped_verdict,
    store_verdict,
)

FOUND = CheckVerdict(reach=(0.1, 0.2, 0.9, 1.0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.json").write_text("{}")
    return tmp_path


def test_it_is_stored_with_the_seal_of_the_copy(folder: Path) -> None:
    assert known_verdict(folder) is None
    store_verdict(folder, FOUND)
    known = known_verdict(folder)
    assert known is not None
    assert (known.reason, known.reach) == ("", FOUND.reach)


def test_a_changed_copy_has_none(folder: Path) -> None:
    store_verdict(folder, FOUND)
    (folder / "model.json").write_text("{ }")
    assert known_verdict(folder) is None


def test_if_it_can_not_be_stored_nothing_fails(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store_verdict(tmp_path / "gone", FOUND)
    assert "could not be stored" in caplog.text


def test_only_known_content_has_a_shipped_verdict(tmp_path: Path) -> None:
    assert shipped_verdict("0" * 32) is None
    (tmp_path / "own.json").write_text('{"a": {"reason": ""}}')
    assert shipped_verdict("a", tmp_path / "own.json") == CheckVerdict()


@pytest.mark.parametrize("content", [None, "{", '{"a": 1}'])
def test_a_damaged_file_contains_no_verdicts(
    tmp_path: Path, content: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "own.json"
    if content is not None:
        file.write_text(content)
    assert shipped_verdict("a", file) is None
    assert "can't be read" in caplog.text


def test_no_negative_verdict_is_shipped() -> None:
    assert '"reason": ""' in SHIPPED_VERDICTS.read_text("utf-8")
