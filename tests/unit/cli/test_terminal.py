"""How a text is printed on a terminal; its use by the commands is in tests/stories."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from neodeskpet.cli.terminal import (
    OutputLost,
    SearchResultLine,
    escape_controls,
    print_results,
    run_guarded,
)


def test_lines_and_tabs_stay() -> None:
    assert escape_controls("a\tb\nc\r\nd 你好 😀") == "a\tb\nc\nd 你好 😀"


@pytest.mark.parametrize("code", [*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x202E, 0x2066])
def test_each_control_character_is_shown(code: int) -> None:
    said = escape_controls(f"a{chr(code)}b")
    assert chr(code) not in said
    assert said[0] + said[-1] == "ab"
    assert len(said) > 2


def test_in_json_it_is_the_same_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(map(chr, range(0x2100))) + "\ud83d 😀"
    assert run_guarded(lambda: print(json.dumps(text, ensure_ascii=False)) or 0) == 0
    assert json.loads(capsys.readouterr().out) == text


class _Full(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        raise OSError(28, "No space left on device")


def test_a_closed_standard_error_stops_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, sys.stderr = sys.stderr, io.TextIOWrapper(_Full())

    def command() -> int:
        for _ in range(3):
            print("trouble", file=sys.stderr, flush=True)
        print("the result")
        return 7

    try:
        assert run_guarded(command) == 7
    finally:
        sys.stderr = before
    assert capsys.readouterr().out == "the result\n"


def test_lost_output_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        raise OutputLost(OSError(28, "No space left on device"))

    assert run_guarded(command) == 1
    assert capsys.readouterr().err == "The output can't be written: No space left on device.\n"


def test_ctrl_c_ends_a_command_without_output(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        raise KeyboardInterrupt

    assert run_guarded(command) == 130
    assert capsys.readouterr().err == ""


FOUND = (SearchResultLine(0.5, "[a.md]", "two\nlines", {"source": "a.md"}),)


def test_people_read_two_lines_for_each_entry(capsys: pytest.CaptureFixture[str]) -> None:
    later = SearchResultLine(0.9, "[b.md]", "older", {"source": "b.md"})
    print_results((*FOUND, later), as_json=False, nothing="Nothing.")
    lines = ["  1.  [a.md]", "      two lines", "  2.  [b.md]", "      older"]
    assert capsys.readouterr().out.splitlines() == lines
    print_results((), as_json=False, nothing="Nothing.")
    assert capsys.readouterr().out == "Nothing.\n"


def test_programs_read_one_object_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(FOUND, as_json=True, nothing="Nothing.")
    told = json.loads(capsys.readouterr().out)
    assert told == {"source": "a.md", "relevance": 0.5, "text": "two\nlines"}
    print_results((), as_json=True, nothing="Nothing.")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("words", [["export"], ["decode", "--protocol", "openai", "-"]])
def test_closed_standard_streams_give_no_traceback(
    tmp_path: Path, closed: tuple[int, ...], words: list[str]
) -> None:
    """Nor is a database opened with the number of standard output."""
    code = (
        "import os, sys\n"
        f"for one in {closed}: os.close(one)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'neodeskpet', *sys.argv[1:]])\n"
    )
    options = ["--data-dir", str(tmp_path)] if words == ["export"] else []
    done = subprocess.run(
        [sys.executable, "-c", code, *words, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == (0 if words == ["export"] else 1)
