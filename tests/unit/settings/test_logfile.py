"""The log file: without keys, and never a reason to fail."""

from __future__ import annotations

import logging
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from neodeskpet.platform.redaction import register_secret
from neodeskpet.settings.startup import close_log, log_path, open_log


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    level = logging.getLogger().level
    yield
    close_log()
    logging.getLogger().setLevel(level)


def test_log_records_are_in_the_file_without_keys(tmp_path: Path) -> None:
    register_secret("very-secret-key-123")
    open_log(tmp_path)
    logging.getLogger("neodeskpet.test").info("asked with %s", "very-secret-key-123")
    logging.getLogger("neodeskpet.test").debug("a detail")
    written = log_path(tmp_path).read_text(encoding="utf-8")
    assert "asked with" in written
    assert "very-secret-key-123" not in written
    assert "a detail" not in written


@pytest.mark.skipif(sys.platform == "win32", reason="private there by itself")
def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    open_log(tmp_path)
    for size in (10, 1_100_000):  # The second is more than one file takes: another is begun.
        logging.getLogger("neodeskpet.test").info("%s", "x" * size)
    files = list(log_path(tmp_path).parent.iterdir())
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(log_path(tmp_path).parent.stat().st_mode) == 0o700


def test_details_on_request(tmp_path: Path) -> None:
    open_log(tmp_path, detailed=True)
    logging.getLogger("neodeskpet.test").debug("a detail")
    assert "a detail" in log_path(tmp_path).read_text(encoding="utf-8")


def test_a_folder_that_can_not_be_written_means_no_log(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    open_log(blocked)
    logging.getLogger("neodeskpet.test").info("heard by nobody")


def test_opening_again_moves_the_log(tmp_path: Path) -> None:
    open_log(tmp_path / "a")
    open_log(tmp_path / "b")
    logging.getLogger("neodeskpet.test").info("here")
    assert not log_path(tmp_path / "a").exists()
    assert log_path(tmp_path / "b").exists()
