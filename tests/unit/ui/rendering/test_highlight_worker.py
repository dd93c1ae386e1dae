"""The child process that colours code: its results and its end. It imports nothing of Qt."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from neodeskpet.platform.child_process import FRAME_LENGTH, child_command, child_environment
from neodeskpet.ui.rendering.code_spans import CodeSpans
from neodeskpet.ui.rendering.highlight_worker import lex

BUSY = "a" + " " * 32_000 + "b"  # a minute of work for the lexer of C


def found(code: str, language: str) -> dict[str, str]:
    return {code[start : start + n]: name for start, n, name in lex(code, language).as_parts()}


def test_classes() -> None:
    names = found("def f(x):\n    return 'a' + str(1)  # note", "python")
    assert names["def"] == "keyword"
    assert names["f"] == "name"
    assert names["str"] == "builtin"
    assert names["1"] == "number"
    assert names["# note"] == "comment"


@pytest.mark.parametrize("language", ["", "no-such-language"])
def test_unknown_languages_have_no_colours(language: str) -> None:
    assert lex("def f(): pass", language) == CodeSpans()


def test_positions_are_in_utf_16_units() -> None:
    assert list(lex("'🌂' # 🌂 x", "python").as_parts())[-1] == (5, 6, "comment")


def test_a_lone_surrogate_is_a_character() -> None:
    assert list(lex("'\ud83d' # x", "python").as_parts())[-1] == (4, 3, "comment")


@contextmanager
def child(seconds: float = 30.0) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    command = [*child_command("colour"), str(seconds)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=child_environment()) as process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[bytes], code: str, language: str) -> None:
    assert process.stdin is not None
    frame = json.dumps({"code": code, "language": language}).encode()
    process.stdin.write(FRAME_LENGTH.pack(len(frame)) + frame)
    process.stdin.flush()


def read(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.read(FRAME_LENGTH.unpack(process.stdout.read(FRAME_LENGTH.size))[0])


def test_frames_in_and_out() -> None:
    with child() as process:
        assert read(process) == b""
        for code in ("x = 1", "def f(): pass"):
            send(process, code, "python")
            assert CodeSpans.unpacked(read(process)) == lex(code, "python")
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such alarm on Windows")
def test_it_ends_itself_when_a_text_takes_too_long() -> None:
    with child(0.5) as process:
        read(process)
        send(process, BUSY, "c")
        assert process.wait(30) == -signal.SIGALRM


def test_it_imports_nothing_of_qt() -> None:
    script = (
        "import sys, neodeskpet.ui.rendering.highlight_worker; sys.exit('PySide6' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], env=child_environment(), check=True, timeout=60)
