"""What a run leaves behind, and how the next one reads it."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import qVersion

from neodeskpet.app import hang_child
from neodeskpet.app.crash_reports import CRASH_FOLDER, CrashReports, LastRun
from tests.support.unmeasured import unmeasured_children

KEY = "sk-a-key-that-a-bug-knows-0123456789"


def die(home: Path, words: str) -> None:
    """A run in its own process that ends itself in this way."""
    before = "import faulthandler, os, signal, sys; from pathlib import Path\n"
    before += "from neodeskpet.app.crash_reports import CrashReports\n"
    before += f"book = CrashReports(Path({str(home)!r})); book.start_record()\n"
    command = [sys.executable, "-c", before + words]
    with unmeasured_children():
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL, timeout=60)


KILL = "os.kill(os.getpid(), signal.SIGKILL)"
SEGV = "os.kill(os.getpid(), signal.SIGSEGV)"


def reports(home: Path) -> list[Path]:
    return sorted((home / CRASH_FOLDER).glob("*.txt"))


def look_back(home: Path) -> LastRun:
    return CrashReports(home).collect_reports()


def test_a_first_start_reports_nothing(tmp_path: Path) -> None:
    assert look_back(tmp_path) == LastRun()
    assert not (tmp_path / CRASH_FOLDER).exists()


def test_a_crash_leaves_a_report_that_is_shown_once(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "neodeskpet.log").write_text(f"the last line, with {KEY}\n", "utf-8")
    die(tmp_path, SEGV)
    last = look_back(tmp_path)
    assert (last.consecutive_crashes, last.ended_silently) == (1, False)
    assert last.report is not None
    words = last.report.read_text("utf-8")
    assert "NeoDeskPet 0." in words
    assert "Segmentation fault" in words
    assert "the last line, with [hidden]" in words
    assert stat.S_IMODE(last.report.stat().st_mode) == 0o600
    assert look_back(tmp_path) == LastRun()
    assert reports(tmp_path) == [last.report]


def test_crashes_in_a_row_are_counted_until_a_normal_end(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        die(tmp_path, SEGV)
        assert look_back(tmp_path).consecutive_crashes == number
    die(tmp_path, "book.close_record()")
    assert look_back(tmp_path) == LastRun()
    die(tmp_path, SEGV)
    assert look_back(tmp_path).consecutive_crashes == 1


def test_two_reports_that_were_not_read_count_as_two(tmp_path: Path) -> None:
    die(tmp_path, SEGV)
    die(tmp_path, SEGV)
    assert look_back(tmp_path).consecutive_crashes == 2


def test_a_kill_is_silent_and_does_not_change_the_count(tmp_path: Path) -> None:
    die(tmp_path, SEGV)
    look_back(tmp_path)
    die(tmp_path, KILL)
    assert look_back(tmp_path) == LastRun(ended_silently=True)
    die(tmp_path, SEGV)
    assert look_back(tmp_path).consecutive_crashes == 2


@pytest.mark.parametrize(
    "words", [f"book.note_end_requested(); {KILL}", "book.discard_record()", "book.close_record()"]
)
def test_a_requested_end_is_no_crash(tmp_path: Path, words: str) -> None:
    die(tmp_path, words)
    assert look_back(tmp_path) == LastRun()


@pytest.mark.parametrize(
    "words", ["os._exit(1)", KILL, SEGV, "book.record_fatal_bug(RuntimeError('stopped'))"]
)
def test_an_end_because_of_the_display_is_no_crash(tmp_path: Path, words: str) -> None:
    die(tmp_path, f"book.note_display_closed(); {words}")
    assert look_back(tmp_path) == LastRun()


def test_a_crash_during_the_end_is_a_crash(tmp_path: Path) -> None:
    die(tmp_path, f"book.note_end_requested(); {SEGV}")
    assert look_back(tmp_path).consecutive_crashes == 1


def test_a_report_contains_the_version_of_qt(tmp_path: Path) -> None:
    die(tmp_path, f"import PySide6.QtCore; book.close_record(); book.start_record(); {SEGV}")
    report = look_back(tmp_path).report
    assert report is not None
    assert f"Qt {qVersion()}, " in report.read_text("utf-8")


def test_the_files_of_a_running_process_are_unchanged(tmp_path: Path) -> None:
    book = CrashReports(tmp_path)
    book.start_record()
    assert look_back(tmp_path) == LastRun()
    book.close_record()
    assert not [path for path in (tmp_path / CRASH_FOLDER).rglob("*") if path.is_file()]


def test_an_end_by_a_bug_is_reported_like_a_crash(tmp_path: Path) -> None:
    book = CrashReports(tmp_path)
    book.start_record()
    book.record_fatal_bug(RuntimeError(f"nobody caught {KEY}"))
    record = next((tmp_path / CRASH_FOLDER / "running").glob("*.txt"))
    assert KEY not in record.read_text("utf-8")
    die(tmp_path, f"book.record_fatal_bug(RuntimeError('nobody caught this')); {KILL}")
    last = look_back(tmp_path)
    book.discard_record()
    assert last.consecutive_crashes == 1
    assert last.report is not None
    assert "RuntimeError: nobody caught this" in last.report.read_text("utf-8")


def fail(words: str) -> RuntimeError:
    try:
        raise RuntimeError(words)
    except RuntimeError as error:
        return error


def test_a_bug_is_reported_the_first_time_it_happens(tmp_path: Path) -> None:
    book = CrashReports(tmp_path)
    for number in range(3):
        error = fail(f"number {number}, with {KEY}")
        book.write_bug_report(RuntimeError, error, error.__traceback__)
    book.write_bug_report(ValueError, ValueError("without a place"), None)
    found = [path.read_text("utf-8") for path in reports(tmp_path)]
    assert len(found) == 2
    assert "RuntimeError: number 0, with [hidden]" in "".join(found)


def test_only_the_newest_reports_are_kept(tmp_path: Path) -> None:
    for _ in range(14):
        CrashReports(tmp_path).write_bug_report(ValueError, ValueError("bug"), None)
    assert len(reports(tmp_path)) == 10


def test_a_folder_that_can_not_be_written_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / CRASH_FOLDER).write_text("a file", "utf-8")
    book = CrashReports(tmp_path)
    book.start_record()
    book.note_end_requested()
    assert book.write_bug_report(ValueError, ValueError("bug"), None) is None
    assert book.collect_reports() == LastRun()
    book.close_record()
    assert "Crashes can't be recorded" in caplog.text


def test_a_damaged_count_starts_again(tmp_path: Path) -> None:
    die(tmp_path, SEGV)
    (tmp_path / CRASH_FOLDER / "in-a-row").write_text("many", "utf-8")
    assert look_back(tmp_path).consecutive_crashes == 1


def noting(words: str) -> str:
    return f"open(book.hang_record, 'a').write({words!r}); "


HUNG = noting(hang_child.HUNG)


def test_a_hang_that_was_ended_counts_as_a_crash(tmp_path: Path) -> None:
    die(tmp_path, HUNG + KILL)
    die(tmp_path, HUNG + KILL)
    last = look_back(tmp_path)
    assert (last.consecutive_crashes, last.ended_silently) == (2, False)
    assert last.report is not None


def test_a_hang_that_passed_or_came_at_the_end_is_no_crash(tmp_path: Path) -> None:
    die(tmp_path, HUNG + noting(hang_child.RESPONDS) + KILL)
    assert look_back(tmp_path) == LastRun(ended_silently=True)
    die(tmp_path, "book.note_end_requested(); " + noting(hang_child.NOT_ENDED) + KILL)
    assert look_back(tmp_path) == LastRun()
