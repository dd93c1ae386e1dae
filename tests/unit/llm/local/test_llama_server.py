"""The child process by itself: its input, its output, who may use it, and its end."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from neodeskpet.llm.local.llama_server import _parameters
from neodeskpet.platform.child_process import child_command
from tests.support.gguf import write_gguf
from tests.support.realmodel import gguf

KEY = "a-key-of-this-start"
LAUNCH = {"name": "tiny", "key": KEY, "context": 512, "reply": 8, "threads": 2}
needs_server = pytest.mark.skipif(gguf() is None, reason="the test extra isn't installed")


@contextmanager
def child(file: Path) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        child_command("serve"), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdin is not None
            line = {**LAUNCH, "file": str(file), "parent": os.getpid()}
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()
            yield process
        finally:
            process.kill()


def told(process: subprocess.Popen[bytes]) -> dict[str, str]:
    assert process.stdout is not None
    news: dict[str, str] = json.loads(process.stdout.readline())
    return news


def status(url: str, key: str) -> int:
    try:
        with urlopen(Request(url, headers={"Authorization": f"Bearer {key}"})) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


@pytest.mark.model
@pytest.mark.xdist_group("model")
@needs_server
def test_it_serves_only_with_the_key_and_ends_with_its_input() -> None:
    model = gguf()
    assert model is not None
    with child(model) as process:
        url = told(process)["ready"]
        assert url.startswith("http://127.0.0.1:")
        assert status(f"{url}/v1/models", KEY) == 200
        assert status(f"{url}/v1/models", "another") == 401
        proc = Path(f"/proc/{process.pid}")
        if proc.is_dir():
            assert KEY.encode() not in (proc / "cmdline").read_bytes()
            assert KEY.encode() not in (proc / "environ").read_bytes()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@needs_server
def test_it_reports_a_file_that_can_not_be_loaded(tmp_path: Path) -> None:
    with child(write_gguf(tmp_path)) as process:
        assert told(process)["failed"] == "load"
        assert process.wait(60) == 1


class _Parameters(SimpleNamespace):
    """Accepts any attribute, like those of the library."""


@pytest.mark.parametrize("threads", [0, 3])
def test_the_parameters_for_the_library(threads: int) -> None:
    empty = _Parameters(model=_Parameters(), cpuparams=_Parameters())
    given: Any = _parameters(empty, {**LAUNCH, "file": "/x.gguf", "threads": threads})
    assert given.model.path == "/x.gguf"
    assert given.hostnames == ["127.0.0.1"]
    assert given.port == 0
    assert given.api_keys == [KEY]
    assert (given.n_ctx, given.n_predict, given.n_parallel) == (512, 8, 1)
    assert vars(given.cpuparams) == ({"n_threads": 3} if threads else {})
