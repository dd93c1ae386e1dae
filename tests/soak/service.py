"""The replies of the soak's model service: chosen by the words of the message, at a real pace.

A message is `soak KIND_ROLE NUMBER`. Tools are called natively or in text, as the request offers
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from neodeskpet.platform.installation import assets_dir
from tests.support.replies import calling, end
from tests.support.sseserver import (
    CUT,
    Part,
    Pause,
    Reply,
    Request,
    ScriptedServer,
    text,
    thinking,
    tool_call,
)

_TOKEN = re.compile(r"soak (\w+) (\d+)")

_PROSE = (
    "The forecast for tomorrow says **light rain** in the morning and 9 to 14 °C. ",
    "Take an umbrella, and maybe a coat; the wind comes from the *north-east* at `3 Bft`.\n\n",
    "明天上海小雨转阴，气温九到十四度，东北风三级。出门记得带伞，也要多穿一点衣服。\n\n",
    "1. Look at the sky\n2. Take the umbrella\n   - the blue one\n   - not the broken one\n\n",
    "| City | Weather | °C |\n|---|---|--:|\n| Shanghai | rain | 14 |\n| Berlin | grey | 4 |\n\n",
    "> Whoever carries an umbrella is never surprised.\n\n## And then\n\n",
    "[表情:微笑]See [the map](https://example.org/map) for `more`. [动作:Wave]\n\n",
)
_CODE = {
    "python": "async def sky{n}(city: str) -> bool:\n    return (await look(city)).rain > {n}\n",
    "c": "static int sky_{n}(const char *city) {{\n    return look(city, {n}); /* rain */\n}}\n",
    "typescript": "export const sky{n} = async (city: string) => (await look(city)).rain > {n};\n",
    "json": '{{"city": "Shanghai", "number": {n}, "rain": true, "wind": [1, 2, {n}]}}\n',
    "bash": 'for city in $(seq 1 {n}); do echo "$city" | grep -c rain; done  # look\n',
}


def lasting_motions() -> list[tuple[str, int, float]]:
    """The companion's motions that end by themselves: group, index, seconds."""
    folder = assets_dir() / "companion" / "neo"
    groups = json.loads(next(folder.glob("*.model3.json")).read_text("utf-8"))
    found = []
    for group, motions in groups["FileReferences"]["Motions"].items():
        for index, one in enumerate(motions):
            meta = json.loads((folder / one["File"]).read_text("utf-8"))["Meta"]
            if not meta["Loop"] and meta["Duration"] <= 3.5:
                found.append((group, index, float(meta["Duration"])))
    return found


class Service:
    """Scripts `server`; the same `seed` gives the same run."""

    def __init__(self, server: ScriptedServer, seed: int) -> None:
        self._random = Random(seed)
        self._lasting = lasting_motions()
        self._broken: set[str] = set()
        self._server = server
        server.fallback = self._answer

    def _answer(self, request: Request) -> Reply:
        self._server.requests.clear()  # histories with pictures: they would fill the memory
        kind, number, again = _asked(request.body)
        mode = "native" if request.body.get("tools") else "text"
        if again:
            return Reply([text(f"That was number {number}. "), text("Done."), *end()])
        make: Callable[[str, str], list[Part]] = getattr(self, f"_{kind}", self._talk)
        return Reply(make(mode, number))

    def _talk(self, mode: str, number: str) -> list[Part]:
        parts: list[Part] = [thinking("Umbrellas, then. "), thinking("And the sky.")]
        for piece in self._random.choices(_PROSE, k=9):
            parts += [*(text(word) for word in _pieces(piece, 12)), Pause(0.06)]
        return [*parts, *end()]

    def _tools(self, mode: str, number: str) -> list[Part]:
        calls: list[tuple[str, dict[str, object]]] = [
            ("calc.evaluate", {"expression": f"{number} * 7 + 1"}),
            ("time.now", {}),
            ("note.add", {"text": f"Umbrella {number}"}),
            ("note.search", {"query": "umbrella"}),
            ("timer.set", {"minutes": 600, "label": f"Umbrella {number}"}),
            ("timer.cancel", {"id": "t1"}),
            ("calc.evaluate", {"expression": "1 / 0"}),
        ]
        chosen = self._random.sample(calls, 3)
        return [text("Let me see. "), Pause(0.1), *calling(mode, *chosen), *end("tool_calls")]

    def _motions(self, mode: str, number: str) -> list[Part]:
        """The same motion again, shortly before it ends."""
        group, index, seconds = self._random.choice(self._lasting)
        arguments: dict[str, object] = {"group": group, "index": index}
        parts: list[Part] = []
        for position in range(3):
            if mode == "text":
                parts += calling(mode, ("live2d.motion", arguments))
            else:
                parts.append(
                    tool_call("live2d_motion", arguments, f"m{number}{position}", position)
                )
            parts += [text(" Look! "), Pause(seconds - self._random.uniform(0.0, 0.35))]
        return [*parts, *end("tool_calls")]

    def _dance(self, mode: str, number: str) -> list[Part]:
        faces = ["smile", "joy", "shy", "angry", "wink", "love"]
        group, index, _ = self._random.choice(self._lasting)
        script = [
            {"do": "pulse", "parameter": "ParamAngleX", "to": 20, "seconds": 0.4, "times": 2},
            {"do": "tween", "parameter": "ParamAngleZ", "to": -10, "seconds": 0.5},
        ]
        return [
            *calling(
                mode,
                ("live2d.expression", {"name": self._random.choice(faces)}),
                ("live2d.motion", {"group": group, "index": index}),
                ("live2d.parameters", {"script": script}),
            ),
            *end("tool_calls"),
        ]

    def _code(self, mode: str, number: str) -> list[Part]:
        language = self._random.choice(list(_CODE))
        lines = [_CODE[language].format(n=n) for n in range(self._random.choice((20, 60, 120)))]
        parts: list[Part] = [text(f"Here:\n\n```{language}\n")]
        for at in range(0, len(lines), 6):
            parts += [text("".join(lines[at : at + 6])), Pause(0.05)]
        return [*parts, text("```\n\nThat is all."), *end()]

    def _picture(self, mode: str, number: str) -> list[Part]:
        return [text("A picture of noise, "), Pause(0.2), text("I would say."), *end()]

    def _long(self, mode: str, number: str) -> list[Part]:
        parts: list[Part] = []
        for _ in range(60):
            parts += [text(self._random.choice(_PROSE)), Pause(0.15)]
        return [*parts, *end()]

    def _fault(self, mode: str, number: str) -> list[Part]:
        if number in self._broken:
            return [text("This time it came through."), *end()]
        self._broken.add(number)
        return [text("It breaks "), Pause(0.1), CUT]


def _asked(body: Any) -> tuple[str, str, bool]:
    """Return kind and number of the user's newest message, and whether its reply was
    begun already.
    """
    answers = 0
    for message in reversed(body["messages"]):
        found = _TOKEN.findall(json.dumps(message, ensure_ascii=False))
        if message["role"] == "user" and found:
            kind, number = found[-1]
            return kind, number, answers > 0 and kind != "fault"
        answers += message["role"] == "assistant"
    return "talk", "0", False


def _pieces(words: str, size: int) -> list[str]:
    return [words[at : at + size] for at in range(0, len(words), size)]


def noise(folder: Path, number: int) -> Path:
    """A picture with as much detail as a photograph, another one each time."""
    from PIL import Image

    random = Random(number)
    file = folder / f"noise-{number}.png"
    small = Image.frombytes("RGB", (60, 40), random.randbytes(60 * 40 * 3))
    small.resize((1200, 800)).save(file)
    return file
