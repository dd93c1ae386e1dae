"""What a text delta costs now and in another checkout of this project, in one run.

    ./run bench paired DIRECTORY [--rounds N]

For each protocol the same 20,000 deltas over loopback, decoded and read as a turn reads them (here
with the reader of leaked calls, and written down for the inspector). Both take turns, each in a
process of its own, and the least CPU time of the client's thread counts: load on the machine and
its clock fall out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_HERE = Path(__file__).resolve()
_ROOT = _HERE.parents[2]
_CHILD = """
import asyncio, json, sys, time
from contextlib import aclosing
from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.llm.http_client import HttpClient, HttpModel
from tests.bench.decode import STREAMS, TEXTS, _grouped
from tests.support.sseserver import Reply, ScriptedServer
from neodeskpet.conversation.tracing import TurnTraces
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.turn.turn_events import TextAppended
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
TOOLS = [ToolSpec(one, "") for one in ("time.now", "note.add", "live2d.motion", "web.search")]

async def once(protocol, url):
    client = HttpClient()
    model = HttpModel(client, PROTOCOLS[protocol], ModelOptions(url, "m"))
    reader = LeakReader(NATIVE.reader(), TOOLS)
    count = 0
    request = ModelRequest("", [UserTurn((TextPart("hi"),))])
    tracer = TurnTraces().start_turn("m")
    request = tracer.trace_request(request, TOOLS)
    began = time.thread_time()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            for _ in reader.read(event):
                tracer.on_turn_event("m", TextAppended(0, "x"))
                count += 1
    ended = time.thread_time()
    await client.aclose()
    assert count >= TEXTS, count
    return ended - began

out = {}
for protocol in STREAMS:
    parts = _grouped(STREAMS[protocol]["text"](TEXTS))
    with ScriptedServer() as server:
        server.fallback = lambda request: Reply(parts)
        out[protocol] = min(asyncio.run(once(protocol, server.url)) for _ in range(3))
print(json.dumps(out))
"""


def seconds(checkout: Path) -> dict[str, float]:
    """By protocol, the least of three runs."""
    told = subprocess.run(
        [sys.executable, "-c", _CHILD],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, float] = json.loads(told.stdout)
    return found


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    words = parser.parse_args(arguments)
    least: dict[Path, dict[str, float]] = {words.directory: {}, _ROOT: {}}
    for _ in range(words.rounds):
        for checkout, known in least.items():
            for protocol, cost in seconds(checkout).items():
                known[protocol] = min(cost, known.get(protocol, cost))
    for protocol, base in least[words.directory].items():
        now = least[_ROOT][protocol]
        print(f"{protocol:18} {base:6.3f} s → {now:6.3f} s  {now / base:5.2f} ×", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
