"""Random sequences of calls to a figure: none may end the process.

`python -m tests.bench.orders [--count 10000] [--seed N] [--gl] [--raw]`. Each sequence makes a
model and calls up to sixty methods in a child process: start and stop motions (one repeatedly,
mostly near its end), express, resize, drag, load again, hide and show, and let time pass. Half of
them use the actor, half the guarded model directly. `--gl` draws as well, if EGL gives a context;
`--raw` uses the library's own model, which is known to crash.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from neodeskpet.platform.installation import assets_dir

_SECONDS = 3600.0
_TAIL = 12
_SIZES = ((1, 1), (400, 600), (600, 400), (5000, 20))
_STEPS = (0.0, 0.016, 0.033, 0.033, 0.05, 0.25, 1.0)


@dataclass(frozen=True, slots=True)
class Death:
    """A sequence that ended its process: with `code`, after these last calls."""

    order: int
    code: int
    calls: tuple[str, ...]


def hunt(
    count: int, seed: int = 0, *, gl: bool = False, raw: bool = False, most: int = 5
) -> list[Death]:
    """Try `count` sequences from number `seed` on; return those that ended a process, at
    most so many.
    """
    deaths: list[Death] = []
    order, end = seed, seed + count
    while order < end and len(deaths) < most:
        flags = [*(["--gl"] if gl else []), *(["--raw"] if raw else [])]
        command = [sys.executable, "-m", "tests.bench.orders", "--from", str(order)]
        done = subprocess.run(
            [*command, "--count", str(end - order), *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
            # Freed memory is overwritten, so that its use is noticed.
            env=os.environ | {"MALLOC_PERTURB_": "165", "LIBGL_ALWAYS_SOFTWARE": "1"},
        )
        if done.returncode == 0:
            break
        calls = done.stdout.decode().splitlines()
        starts = [at for at, line in enumerate(calls) if line.startswith("order ")]
        at = int(calls[starts[-1]].split()[1]) if starts else order
        tail = calls[starts[-1] + 1 :][-_TAIL:] if starts else calls[-_TAIL:]
        deaths.append(Death(at, done.returncode, tuple(tail)))
        order = at + 1
    return deaths


@lru_cache(maxsize=1)
def _neo() -> Any:
    from neodeskpet.figure.files.model_reader import describe_model

    return describe_model(assets_dir() / "companion" / "neo")


@cache
def _length(group: str, no: int) -> float:
    """How long a motion is, seconds."""
    found = _neo()
    entry = json.loads(found.settings)["FileReferences"]["Motions"][group][no]
    motion = json.loads((found.root / entry["File"]).read_text("utf-8"))
    return float(motion["Meta"]["Duration"])


class _Stage:
    """One sequence: a model, the calls, and a line before each call."""

    def __init__(self, number: int, *, gl: bool, raw: bool) -> None:
        self._random = random.Random(number)
        self._found = _neo()
        self._gl, self._raw = gl, raw
        self._through_actor = not raw and self._random.random() < 0.5
        self._now = 0.0
        motions = [
            (group, no) for group, count in self._found.motions.items() for no in range(count)
        ]
        self._motions = [*self._random.choices(motions, k=2), self._random.choice(motions)]
        self._shown = False
        self._load()

    def play(self) -> None:
        does: list[Callable[[], None]] = [self._start] * 5 + [self._pass] * 6
        does += [self._express, self._stop, self._resize, self._drag, self._near_the_end]
        does += [self._touch, self._hide, self._show, self._near_the_end]
        for _ in range(self._random.randint(5, 60)):
            self._random.choice(does)()
        if self._random.random() < 0.3:
            self._load()

    def _load(self) -> None:
        from neodeskpet.figure.live2d.framing import PixelBox, Projection, place_model, view_of
        from neodeskpet.figure.live2d.library import cubism_library, new_model
        from neodeskpet.figure.live2d.model_actor import ModelActor

        _say("load")
        if self._raw:
            self._model: Any = cubism_library().Model()
            self._model.LoadFromJsonString(self._found.settings, False, f"{self._found.root}/")
        else:
            self._model = new_model(self._found.settings, str(self._found.root))
        self._shown = False
        self._model.Resize(200, 200)
        view = view_of(PixelBox(0, 0, 200, 200), Projection(self._model.GetMvp(), 200, 200), None)
        self._actor = ModelActor(self._model, self._found, self._random, self._now)
        self._actor.placing = place_model(self._model, view, 200, 200)

    def _start(self) -> None:
        group, no = self._random.choice(self._motions)
        _say(f"start {group} {no}")
        if self._through_actor:
            self._actor.play(group, no, self._now)
        else:
            self._model.StartMotion(group, no, self._random.choice((1, 3, 3)))

    def _stop(self) -> None:
        _say("stop")
        self._model.StopAllMotions()

    def _pass(self) -> None:
        seconds, frames = self._random.choice(_STEPS), self._random.randint(1, 40)
        _say(f"{frames} x {seconds}")
        for _ in range(frames):
            self._frame(seconds)
        if self._shown:
            self._model.Draw()

    def _near_the_end(self) -> None:
        """Start a motion, let it come near its end, and start it again."""
        group, no = self._random.choice(self._motions)
        length = _length(group, no)
        left = self._random.choice((0.02, 0.1, 0.25, 0.5, 1.0))
        _say(f"start {group} {no} again {left} before its end")
        for _ in range(self._random.randint(2, 4)):
            self._model.StartMotion(group, no, 3)
            for _ in range(max(1, int((length - left) / 0.05))):
                self._frame(0.05)
        self._frame(5.0)

    def _frame(self, seconds: float) -> None:
        self._now += seconds
        if self._through_actor:
            self._actor.advance(self._now, seconds)
        else:
            self._model.Update(seconds)

    def _express(self) -> None:
        name = self._random.choice([*self._found.expressions, "no such"])
        _say(f"express {name}")
        if self._random.random() < 0.3:
            self._model.ResetExpression()
        elif self._through_actor:
            self._actor.express(name, self._now)
        else:
            self._model.SetExpression(name)

    def _touch(self) -> None:
        from neodeskpet.figure.poses import Pose

        pose = self._random.choice(list(Pose))
        _say(f"pose {pose.name}")
        if self._through_actor:
            self._actor.pose(pose, self._now)
            self._actor.drag(self._random.uniform(-900, 900), self._now)
            self._actor.speak(self._random.random(), self._now, "A")

    def _resize(self) -> None:
        size = self._random.choice(_SIZES)
        _say(f"resize {size}")
        self._model.Resize(*size)
        self._model.SetScale(self._random.uniform(0.1, 4.0))
        self._model.Rotate(self._random.uniform(-90.0, 90.0))

    def _drag(self) -> None:
        _say("drag")
        self._model.Drag(self._random.uniform(-1e6, 1e6), 10.0)

    def _hide(self) -> None:
        _say("hide")
        self._model.DestroyRenderer()
        self._shown = False

    def _show(self) -> None:
        _say("show")
        if self._gl and not self._shown:
            self._model.CreateRenderer()
            self._shown = True


def play(first: int, count: int, *, gl: bool, raw: bool) -> int:
    """The child process."""
    from neodeskpet.figure.live2d.library import cubism_library, start_gl
    from neodeskpet.figure.live2d.model_renderer import drawing_context

    os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    cubism_library()
    with ExitStack() as stack:
        gl = gl and stack.enter_context(drawing_context())
        if gl:
            start_gl()
        for number in range(first, first + count):
            _say(f"order {number}")
            _Stage(number, gl=gl, raw=raw).play()
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gl", action="store_true")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--from", type=int, dest="first", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    if words.first is not None:
        # Without the interpreter's own end, as the probe ends.
        code = play(words.first, words.count, gl=words.gl, raw=words.raw)
        os._exit(code)
    began = time.monotonic()
    deaths = hunt(words.count, words.seed, gl=words.gl, raw=words.raw)
    for death in deaths:
        print(f"order {death.order} ended with {death.code} after: {'; '.join(death.calls)}")
    print(f"{words.count} orders, {len(deaths)} deaths, {time.monotonic() - began:.0f} s")
    return 1 if deaths else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(main(sys.argv[1:]))
