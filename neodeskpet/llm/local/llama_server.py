"""The child process that runs a model: `python -m neodeskpet.llm.local.llama_server`.

It reads one line of JSON (a `ServerLaunch` and the key) from standard input, loads the file, and
serves
the OpenAI and Anthropic routes on 127.0.0.1 at a port of the system's choice. It tells what becomes
of it in lines of JSON on standard output: `{"ready": address}` or `{"failed": kind, "reason": …}`.

It ends when its standard input does, which is when the parent ends, however that came. While the
model loads Python stands still in here, so Linux is asked to end it too.
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
_PROMPTS_MB = 256  # of prompts read before; the library's own limit is 8 GB


def main(argv: list[str] | None = None) -> int:
    """Serve until standard input ends; the exit code."""
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
    params.verbosity = 1  # errors only: nothing that is said gets into a log
    if launch["threads"]:
        params.cpuparams.n_threads = launch["threads"]
    return params


def _claim_output() -> TextIO:
    """Standard output for us alone; what the library prints goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _tell(out: TextIO, **words: str) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more
        out.write(json.dumps(words) + "\n")
        out.flush()


def _end_with(parent: int) -> None:
    """Have the system end this process with its parent (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it ended before the system was asked


if __name__ == "__main__":
    sys.exit(main())
