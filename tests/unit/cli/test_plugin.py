"""The plugin for opencode, run by Node with a hook that records its input."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.agents_command import with_hooks

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node isn't installed")

HOOK = """
import json, os, sys, time
event = json.load(sys.stdin)
name = event["hook_event_name"]
out = open(sys.argv[1], "a")
print("begin", name, event.get("tool_input", ""), file=out, flush=True)
if name == "permission.asked":
    answer = event["tool_input"]["command"]
    if answer == "wait":
        time.sleep(60)
    print(answer, flush=True)
time.sleep(0.1)
print("end", name, file=out, flush=True)
"""
PLAY = """
import { NeoDeskPet } from "./plugin.mjs"
const replies = []
const client = { postSessionIdPermissionsPermissionId: async (said) => { replies.push(said) } }
const plugin = await NeoDeskPet({ client })
const play = async (type, properties) => plugin.event({ event: { type, properties } })
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000))
for (const step of JSON.parse(process.argv[2])) {
  if (typeof step === "number") await sleep(step)
  else await play(...step)
}
process.on("exit", () => console.log(JSON.stringify(replies)))
"""
BUSY = ["session.status", {"sessionID": "s", "status": {"type": "busy"}}]
IDLE = ["session.idle", {"sessionID": "s"}]


def asked(answer: str) -> list[Any]:
    about = {"id": "p", "sessionID": "s", "permission": "bash", "metadata": {"command": answer}}
    return ["permission.asked", about]


def play(folder: Path, *steps: object) -> tuple[list[str], list[dict[str, Any]]]:
    """Return what the hooks recorded, and the replies that opencode got."""
    hook, log = folder / "hook.py", folder / "log"
    hook.write_text(HOOK, "utf-8")
    command = [sys.executable, str(hook), str(log)]
    (folder / "plugin.mjs").write_text(with_hooks("opencode", "", command), "utf-8")
    (folder / "play.mjs").write_text(PLAY, "utf-8")
    node = ["node", str(folder / "play.mjs"), json.dumps(steps)]
    out = subprocess.run(node, capture_output=True, text=True, timeout=60, check=True).stdout
    return log.read_text("utf-8").splitlines(), json.loads(out)


def test_hooks_keep_their_order_and_report_once_that_it_works(tmp_path: Path) -> None:
    log, _ = play(tmp_path, BUSY, BUSY, IDLE, BUSY)
    names = ("session.busy", "session.idle", "session.busy")
    assert log == [line for name in names for line in (f"begin {name} ", f"end {name}")]


def test_an_answer_is_passed_back(tmp_path: Path) -> None:
    log, replies = play(tmp_path, BUSY, asked(json.dumps({"reply": "once"})))
    assert log[2].startswith("begin permission.asked")
    path = {"id": "s", "permissionID": "p"}
    assert replies == [{"path": path, "body": {"response": "once"}}]


def test_an_answer_in_the_terminal_ends_the_question(tmp_path: Path) -> None:
    replied = ["permission.replied", {"sessionID": "s", "requestID": "p"}]
    log, replies = play(tmp_path, asked("wait"), 1.5, replied, IDLE)
    assert replies == []
    assert "end permission.asked" not in log
    assert log[-1] == "end session.idle"
    before, replies = play(tmp_path, BUSY, asked("wait"), replied)
    assert replies == []
    assert before[len(log) :] == ["begin session.busy ", "end session.busy"]
