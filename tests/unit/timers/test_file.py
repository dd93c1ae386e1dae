"""Timers on disk."""

import logging
from pathlib import Path

import pytest

from neodeskpet.timers.book import Timer
from neodeskpet.timers.file import TimerFile

TIMERS = [Timer("t1", 100.5, "喝水", 1.0), Timer("t2", 200.0, "", 2.0)]


def test_they_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "timers.json"
    assert TimerFile(path).load() == []
    TimerFile(path).save(TIMERS)
    assert TimerFile(path).load() == TIMERS
    TimerFile(path).save([])
    assert TimerFile(path).load() == []
    assert [entry.name for entry in path.parent.iterdir()] == ["timers.json"]


@pytest.mark.parametrize("content", [b"", b"{", b'[{"id": 1}]', b"\xff\xfe"])
def test_a_broken_file_is_kept_beside(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "timers.json"
    path.write_bytes(content)
    with caplog.at_level(logging.CRITICAL):
        assert TimerFile(path).load() == []
    assert (tmp_path / "timers.json.broken").read_bytes() == content
    assert not path.exists()
