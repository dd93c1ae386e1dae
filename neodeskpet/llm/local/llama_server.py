"""The child process that runs a model: `python -m neodeskpet.llm.local.llama_server`.

It reads one line of JSON (a `ServerLaunch` and the key) from standard input, loads the file, and
serves the OpenAI and Anthropic routes on 127.0.0.1 at a port chosen by the system. It reports its
state as lines of JSON on standard output: `{"ready": address}` or `{"failed": kind, "reason": …}`.

It ends when its standard input closes, that is, when the parent process ends for any reason. Python
code can't run here while the model loads, so Linux is also asked to kill the process with its
parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
from typing import Any, TextIO

from neodeskpet.platform.installation import add_extras_to_path

EXTRA = "extra"
LOAD = "load"

_PR_SET_PDEATHSIG = 1
_PROMPTS_MB = 256  # cache of earlier prompts; the library's default limit is 8 GB


def main(argv: list[str] | None = None) -> int:
    """Serve until standard input ends. Returns the exit code."""
    out = _claim_output()
    add_extras_to_path()
    launch = json.loads(sys.stdin.buffer.readline())
    _end_with(launch["parent"])
    try:
        import xllamacpp
    except ImportError as error:
        _tell(out, failed=EXTRA, reason=str(error))
        return 1
    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), launch))
    except (RuntimeError, MemoryError) as error:
        _tell(out, failed=LOAD, reason=str(error))
        return 1
    _tell(out, ready=server.listening_address)
    sys.stdin.buffer.read()
    os._exit(0)  # without waiting for a reply that is being written


def _parameters(params: Any, launch: dict[str, Any]) -> Any:
    params.model.path = launch["file"]
    params.model_alias = {launch["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [launch["key"]]
    params.n_ctx = launch["context"]
    params.n_predict = launch["reply"]
    params.n_parallel = 1
    params.cache_ram_mib = _PROMPTS_MB
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 1  # errors only, so that no message text gets into a log
    if launch["threads"]:
        params.cpuparams.n_threads = launch["threads"]
    return params


def _claim_output() -> TextIO:
    """Reserve standard output for this program; output of the library goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _tell(out: TextIO, **words: str) -> None:
    with contextlib.suppress(OSError):  # the parent has closed the pipe
        out.write(json.dumps(words) + "\n")
        out.flush()


def _end_with(parent: int) -> None:
    """Ask the system to kill this process when its parent ends (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the parent had already ended


if __name__ == "__main__":
    sys.exit(main())
