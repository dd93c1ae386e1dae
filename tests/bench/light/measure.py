"""Each row of `goals`, measured on guests of this machine.

Needs a display. Processor times are of the guest's whole tree, without the X server.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.settings.store import FILE_NAME
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.bench.light.paints import Paints, wait_for_mark
from tests.bench.light.react import Browser, Missing, react_chat
from tests.bench.light.service import (
    CHARS,
    ENDS,
    PER_SECOND,
    SHORT,
    page,
    reply,
    service,
    silences,
)
from tests.bench.light.windows import (
    UserInput,
    WindowWatch,
    key_times,
    memory_after_start,
    time_until_painted,
)
from tests.soak.process import taken, worked

_SHORT_REPLIES, _NAIVE_SHORT_REPLIES = 100, 40
_PAGES = 10
"""Replies whose ends are watched."""
_SECONDS = 10
_STRETCHES, _STRETCH_SECONDS = 7, 4
_STARTS = 3
_PAGE_SECONDS = 30
_MESSAGES, _CLICKS, _TYPED = 40, 3, 200
_PAUSES = (0.09, 0.13, 0.11, 0.17, 0.1, 0.15, 0.21, 0.12)
"""Seconds between keys."""
_BEGIN = """
import gc, runpy
gc.disable()  # as `cli/start_command.py` does before it loads the app
runpy.run_module("tests.bench.light.{}", run_name="__main__")
"""
_LIMIT = 240
"""Seconds after which a guest counts as hung."""


@dataclass(slots=True)
class Guest:
    process: subprocess.Popen[str]
    first_line: dict[str, Any]
    """What it printed first: the ids of its windows, and when the figure appeared."""
    begun: float
    """When it was started (s, the system's monotonic clock)."""
    ready: float
    """When that line came."""

    def order(self, words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()

    def wait(self) -> None:
        assert self.process.stdout is not None
        json.loads(self.process.stdout.readline())

    def do(self, words: str) -> None:
        self.order(words)
        self.wait()

    def cpu(self) -> float:
        return worked(self.process.pid)


def personal_environment() -> dict[str, str]:
    """As a user's: Python stores what it has compiled, outside of this checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(_compiled())}


@cache
def _compiled() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="neodeskpet-compiled-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@contextmanager
def _guest(module: str, *words: str, **environment: str) -> Iterator[Guest]:
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN.format(module), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**personal_environment(), **environment},
    )
    hung = threading.Timer(_LIMIT, process.kill)
    hung.start()
    try:
        assert process.stdout is not None
        first_line = json.loads(process.stdout.readline())
        guest = Guest(process, first_line, begun, time.monotonic())
        yield guest
        guest.order("quit")
        process.wait(20)
    finally:
        hung.cancel()
        process.kill()
        process.wait()


def measure() -> dict[str, float]:
    """All rows; about ten minutes. What can't be measured is reported, and left out."""
    out: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, service() as (url, firsts):
        root = Path(folder)
        for part in (
            _first,
            _modules,
            _starts,
            _windows,
            _memory,
            _chat,
            _pet,
            _keys,
            _large,
            _naive,
            _react,
        ):
            begun = time.monotonic()
            try:
                found = part(root, url, firsts)
            except (OSError, ValueError, LookupError) as error:
                print(f"  {part.__name__.strip('_')}: not measured ({error!r})", flush=True)
                continue
            out |= found
            print(f"  {part.__name__.strip('_')}: {time.monotonic() - begun:.0f} s", flush=True)
    return out


def _first(root: Path, url: str, _firsts: Any) -> dict[str, float]:
    """The first start compiles all code and checks the figure; its verdict is stored from
    then on.
    """
    with app_guest(root, url, "first", "pet"):
        return {}


def _chat(root: Path, url: str, firsts: Any) -> dict[str, float]:
    with app_guest(root, url, "chat", "chat") as guest:
        out = _stream(guest, firsts) | _idle(guest)
        return out | {"end_ms": _end(guest, firsts)} | _typed(guest, "plain_key")


def _pet(root: Path, url: str, firsts: Any) -> dict[str, float]:
    with app_guest(root, url, "pet", "pet") as guest:
        out = _figure(guest)
        guest.do("show")
        out |= {f"pet_{name}": value for name, value in _stream(guest, firsts).items()}
        out["pet_end_ms"] = _end(guest, firsts)
        return out | _first_deltas(guest, firsts, _SHORT_REPLIES)


def _large(root: Path, url: str, _firsts: Any) -> dict[str, float]:
    with app_guest(root, url, "large", "pet") as guest:
        return _frames(guest)


def _naive(_root: Path, url: str, firsts: Any) -> dict[str, float]:
    with _guest("naive", url) as guest:
        out = _first_deltas(guest, firsts, _NAIVE_SHORT_REPLIES)
        out |= {"end_ms": _end(guest, firsts)} | _stream(guest, firsts)
        out["pss_mib"] = _pss(guest.process.pid)
        return {f"naive_{name}": value for name, value in out.items()}


def _react(root: Path, url: str, firsts: Any) -> dict[str, float]:
    """A page for comparison; nothing if it isn't available."""
    _forget(firsts)
    try:
        with react_chat(root / "react", url) as browser:
            out = _page(browser, firsts) | {"pss_mib": _pss(browser.process.pid)}
            return {f"react_{name}": value for name, value in out.items()}
    except Missing as missing:
        print(f"  {missing}", flush=True)
        return {}


def app_guest(root: Path, url: str, home: str, what: str, **environment: str) -> Any:
    """The app with the data folder `root / home`, as `guest` describes it."""
    words = (str(root / home), str(root / "cache"), url, what)
    return _guest("guest", *words, **environment)


_COUNT_MODULES = """
import sys
import neodeskpet.cli.start_command
import neodeskpet.app.startup
import neodeskpet.app.chat_startup
print(sum(name.split(".")[0] == "neodeskpet" for name in sys.modules))
"""


def _modules(_root: Path, _url: str, _firsts: Any) -> dict[str, float]:
    """The own modules that are loaded before the first paint of the chat."""
    command = (sys.executable, "-c", _COUNT_MODULES)
    done = subprocess.run(command, capture_output=True, text=True, env=personal_environment())
    return {"chat_modules": float(done.stdout)}


def _starts(root: Path, url: str, _firsts: Any) -> dict[str, float]:
    """The best of some starts: other load makes them slower, nothing makes them faster."""
    out: dict[str, list[float]] = {}
    for turn in range(_STARTS):
        shaders = str(root / f"shaders {turn}")
        for name in ("cold", "warm"):
            home = f"{name} {turn}"
            with app_guest(root, url, home, "pet", MESA_SHADER_CACHE_DIR=shaders) as guest:
                out.setdefault(f"start_{name}_s", []).append(
                    guest.first_line["appeared"] - guest.begun
                )
                out.setdefault(f"ready_{name}_s", []).append(guest.ready - guest.begun)
                out.setdefault(f"start_{name}_cpu_s", []).append(guest.cpu())
    return {name: min(values) for name, values in out.items()}


def _windows(root: Path, url: str, _firsts: Any) -> dict[str, float]:
    """How soon the chat is painted after a start, and after a double click on the figure."""
    home = root / "talked"
    home.mkdir(parents=True)
    home.joinpath(FILE_NAME).write_text('{"appearance": {"language": "en"}}', encoding="utf-8")
    asyncio.run(store_conversation(home))
    python, environment = sys.executable, personal_environment()
    chat = (python, "-m", "neodeskpet", "--chat", "--data-dir", str(home))
    naive = (python, "-m", "tests.bench.light.naive", url, reply(1500))
    time_until_painted(chat, environment)  # compiles the code
    out: dict[str, list[float]] = {}
    for turn in range(_STARTS):
        out.setdefault("chat_start_s", []).append(time_until_painted(chat, environment))
        out.setdefault("naive_start_s", []).append(time_until_painted(naive, environment))
        with app_guest(root, url, f"clicked {turn}", "figure") as guest:
            first, *later = _clicks(guest)
        out.setdefault("click_first_ms", []).append(first)
        out.setdefault("click_later_ms", []).extend(later)
    best = {name: min(values) for name, values in out.items()}
    return best | {"chat_start_ratio": best["chat_start_s"] / best["naive_start_s"]}


def _memory(root: Path, _url: str, _firsts: Any) -> dict[str, float]:
    """The memory of the app as users start it, with the conversation of `_windows`."""
    app = (sys.executable, "-m", "neodeskpet", "--data-dir", str(root / "talked"))
    environment = personal_environment()
    return {
        "chat_pss_mib": memory_after_start((*app, "--chat", "--hidden"), environment),
        "pet_pss_mib": memory_after_start((*app, "--chat"), environment),
    }


async def store_conversation(home: Path) -> None:
    """Store a conversation."""
    store = await SqliteStore.open(home / CONVERSATIONS_FILE)
    here = await store.create_conversation()
    for number in range(_MESSAGES):
        text = Text(0, 0, reply(400 + 50 * number % 700))
        role = (Role.USER, Role.ASSISTANT)[number % 2]
        said = Message(f"{number}", role, (text,), MessageState.DONE, time.time() - 1000 + number)
        await store.add_message(here.id, said)
    await store.aclose()


def _clicks(guest: Guest) -> list[float]:
    """Double-click the figure again and again; return the milliseconds until the chat is
    painted.
    """
    guest.do("rest 4")
    user, times = UserInput(), []
    for _ in range(_CLICKS):
        user.point(guest.first_line["head_x"], guest.first_line["head_y"])
        watch = WindowWatch()
        begun = user.double_click()
        times.append((watch.wait_until_painted() - begun) * 1000)
        watch.close()
        guest.do("rest 1")
        guest.do("close")
    user.close()
    return times


def _keys(root: Path, url: str, _firsts: Any) -> dict[str, float]:
    """From a key to its character while the figure is shown."""
    with app_guest(root, url, "typed", "pet") as guest:
        guest.do("show")
        return _typed(guest, "key")


def _typed(guest: Guest, name: str) -> dict[str, float]:
    times = key_times(int(guest.first_line["chat"]), _TYPED, _PAUSES)
    return {f"{name}_p50_ms": share_of(times, 0.5), f"{name}_p99_ms": share_of(times, 0.99)}


def _stream(guest: Guest, firsts: Any) -> dict[str, float]:
    guest.do("rest 1")
    _forget(firsts)
    window = int(guest.first_line["chat"])
    paints = Paints([window])
    before = guest.cpu()
    guest.do("send go on")
    used = guest.cpu() - before
    return _painted(paints, window, firsts.recv()) | {"stream_cpu_s": used}


def _end(guest: Guest, firsts: Any) -> float:
    """The usual milliseconds from the last text of a reply to its paint."""
    times = []
    for _ in range(_PAGES):
        guest.do("rest 0.5")
        _forget(firsts)
        guest.order(f"send {ENDS}")
        due = firsts.recv() + len(page()) / PER_SECOND
        painted = wait_for_mark(
            guest.first_line["chat"], due, lambda: firsts.recv() if firsts.poll() else None
        )
        guest.wait()
        times.append(painted * 1000)
    return share_of(times, 0.5)


def _page(browser: Browser, firsts: Any) -> dict[str, float]:
    paints = Paints([browser.window])
    if not firsts.poll(_PAGE_SECONDS):
        raise Missing("The React chat asks for nothing here.")
    begun, before = firsts.recv(), worked(browser.process.pid)
    browser.wait_for_end()
    used = worked(browser.process.pid) - before
    return _painted(paints, browser.window, begun) | {"stream_cpu_s": used}


def _forget(firsts: Any) -> None:
    while firsts.poll():
        firsts.recv()


def _painted(paints: Paints, window: int, begun: float) -> dict[str, float]:
    """How a window was painted while the reply that began then streamed in."""
    times = paints.message_times(window, begun, begun + CHARS / PER_SECOND)
    paints.close()
    silent = silences(reply())
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for one, following in pairwise(times):
        at, to = (round((time - begun) * PER_SECOND) for time in (one, following))
        gaps[any(at < end and begin < to for begin, end in silent)].append(following - one)
    return {
        "paints_per_second": len(times) / (CHARS / PER_SECOND),
        "gap_p99_ms": share_of(gaps[False], 0.99) * 1000,
        "longest_gap_ms": max(gaps[False], default=float("nan")) * 1000,
        "longest_silence_ms": max(gaps[True], default=float("nan")) * 1000,
    }


def _idle(guest: Guest) -> dict[str, float]:
    guest.do("rest 15")  # the cursor has stopped blinking
    before = guest.cpu()
    guest.do(f"rest {3 * _SECONDS}")
    return {"idle_cpu_percent": (guest.cpu() - before) / (3 * _SECONDS) * 100}


def _figure(guest: Guest) -> dict[str, float]:
    """At rest, in its usual size and frame rate: the median of several stretches, because an act of
    its own, which may or may not fall into one of them, costs twice as much.
    """
    guest.do("rest 5")
    shares = []
    for _ in range(_STRETCHES):
        before = guest.cpu()
        guest.do(f"rest {_STRETCH_SECONDS}")
        shares.append((guest.cpu() - before) / _STRETCH_SECONDS * 100)
    return {"rest_cpu_percent": median(shares)}


def _frames(guest: Guest) -> dict[str, float]:
    guest.do("large")
    guest.do("rest 4")
    window = guest.first_line["pet"]
    paints = Paints([window])
    out: dict[str, float] = {}
    for name in ("rest", "move"):
        begun, before = time.perf_counter(), guest.cpu()
        guest.do(f"{name} {_SECONDS}")
        ended = time.perf_counter()
        frames = len(paints.message_times(window, begun, ended))
        out[{"rest": "rest_fps", "move": "moving_fps"}[name]] = frames / (ended - begun)
        if name == "move":
            out["frame_cpu_ms"] = (guest.cpu() - before) / max(frames, 1) * 1000
    paints.close()
    return out


def _first_deltas(guest: Guest, firsts: Any, count: int) -> dict[str, float]:
    _forget(firsts)
    window = guest.first_line["chat"]
    taken_ms: list[float] = []
    for _ in range(count):
        paints = Paints([window])
        guest.do(f"send {SHORT}")
        begun = firsts.recv()
        _forget(firsts)
        guest.do("rest 0.1")
        after = paints.message_times(window, begun)
        paints.close()
        taken_ms.append((after[0] - begun) * 1000 if after else float("nan"))
    return {
        "delta_p50_ms": share_of(taken_ms, 0.5),
        "delta_p90_ms": share_of(taken_ms, 0.9),
        "delta_p99_ms": share_of(taken_ms, 0.99),
        "delta_worst_ms": max(taken_ms),
    }


def share_of(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed; nan if there are none."""
    return sorted(values)[round(share * (len(values) - 1))] if values else float("nan")


def _pss(pid: int) -> float:
    found = taken(pid)
    return found.pss if found else float("nan")
