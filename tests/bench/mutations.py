"""Hundreds of damaged models: none may crash or hang the app, and valid ones load.

`python -m tests.bench.mutations --count 1000 [--seed N] [--old FOLDER]`; FOLDER is a Cubism 2
model, of which none comes with the repository. Each mutation is checked by the guard
(`check_model`) in this process, which therefore must survive first. What the guard accepts is then
loaded, posed, played and drawn by a stand-in for the app: one process for all of them, which must
end normally.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.isolated_check import run_isolated
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_reader import ModelDescription
from neodeskpet.platform.installation import assets_dir

SIDE_BY_SIDE = 2
_STAND_IN_SECONDS = 240.0
_BATCH = 40
_PROBE_SECONDS = 60.0


@dataclass(slots=True)
class Tally:
    """The results. `wrong` contains every failure of the guard: there must be none."""

    loaded: int = 0
    refused: int = 0
    slowest: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


# The bases


def small_neo(target: Path) -> Path:
    """The bundled model with few motions and expressions and a small texture: quick to check."""
    neo = assets_dir() / "companion" / "neo"
    shutil.copytree(neo, target)
    settings = target / "neo.model3.json"
    tree = json.loads(settings.read_text("utf-8"))
    references = tree["FileReferences"]
    references["Expressions"] = references["Expressions"][:2]
    groups = list(references["Motions"])[:2]
    references["Motions"] = {group: references["Motions"][group][:1] for group in groups}
    settings.write_text(json.dumps(tree, indent=1), encoding="utf-8")
    for texture in references["Textures"]:
        with Image.open(target / texture) as picture:
            picture.resize((256, 256)).save(target / texture)
    kept = {target / entry["File"] for entry in references["Expressions"]}
    kept |= {target / one["File"] for group in references["Motions"].values() for one in group}
    for file in [*target.glob("expressions/*"), *target.glob("motions/*")]:
        if file not in kept:
            file.unlink()
    return target


# Mutations: each damages a copy and describes how


Mutation = Callable[[Path, random.Random], str]


def _file(folder: Path, chance: random.Random, *suffixes: str) -> Path:
    """A file; each kind is as likely as any other, however many files it has."""
    kinds: dict[str, list[Path]] = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        if not suffixes or file.name.endswith(suffixes):
            kinds.setdefault("".join(file.suffixes[-2:]), []).append(file)
    return chance.choice(kinds[chance.choice(sorted(kinds))])


def flip_bits(folder: Path, chance: random.Random) -> str:
    file = _file(folder, chance)
    data = bytearray(file.read_bytes())
    count = chance.choice((1, 1, 3, 20, 200))
    for _ in range(count):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    return f"{count} bits of {file.name}"


def truncate(folder: Path, chance: random.Random) -> str:
    file = _file(folder, chance)
    size = chance.choice((0, 1, 4, 64, chance.randrange(file.stat().st_size)))
    file.write_bytes(file.read_bytes()[:size])
    return f"{file.name} cut to {size}"


def take_away(folder: Path, chance: random.Random) -> str:
    file = _file(folder, chance)
    file.unlink()
    if chance.random() < 0.3:
        file.mkdir()
    elif chance.random() < 0.3:
        file.symlink_to(chance.choice(("/dev/zero", "/etc/passwd", file.name, "..")))
    return f"no {file.name}"


def swap(folder: Path, chance: random.Random) -> str:
    first, second = _file(folder, chance), _file(folder, chance)
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    return f"{first.name} and {second.name} exchanged"


def noise(folder: Path, chance: random.Random) -> str:
    file = _file(folder, chance)
    head = file.read_bytes()[: chance.choice((0, 8, 64, 2048))]
    file.write_bytes(head + chance.randbytes(chance.choice((1, 100, 100_000))))
    return f"noise in {file.name}"


def number_in_moc(folder: Path, chance: random.Random) -> str:
    """Extreme numbers that the core trusts: counts, offsets, indices, positions."""
    file = _file(folder, chance, ".moc3", ".moc")
    data = bytearray(file.read_bytes())
    count = chance.choice((1, 1, 2, 8))
    extremes = (0, -1, 1, 0x7FFFFFFF, -0x80000000, 0x7F800000, 0x7FC00000, 65535, 1 << 20)
    for _ in range(count):
        start, end = chance.choice(((0, 64), (64, 704), (1984, 2112), (1984, len(data) - 4)))
        at = min(chance.randrange(start, max(start + 1, end)), len(data) - 4) & ~3
        data[at : at + 4] = chance.choice(extremes).to_bytes(8, "little", signed=True)[:4]
    file.write_bytes(data)
    return f"{count} numbers of {file.name}"


_VALUES: Sequence[Any] = (
    None, True, -1, 0, 1e308, -1e308, 2**63, 10**30, "", "x", "../../etc/passwd", "\0", "x" * 5000,
    [], {}, [[]], [None], {"": None}, [0] * 1000, "NaN", "%s%n", "\ud800",
)  # fmt: skip


def wrong_value(folder: Path, chance: random.Random) -> str:
    """Wrong types and values in any JSON."""
    file = _file(folder, chance, ".json")
    tree = json.loads(file.read_text("utf-8"))
    for _ in range(chance.choice((1, 1, 4))):
        holder, key = chance.choice(_places(tree))
        change = chance.random()
        if change < 0.7:
            holder[key] = chance.choice(_VALUES)
        elif change < 0.85 or not isinstance(holder, list):
            del holder[key]
        else:
            holder.extend([holder[key]] * chance.choice((1, 3000)))
        if not isinstance(tree, dict) or not tree:
            break
    file.write_text(json.dumps(tree), encoding="utf-8", errors="surrogatepass")
    return f"wrong values in {file.name}"


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    left = [tree]
    while left:
        node = left.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                left.append(node[key])
    return found


def odd_json(folder: Path, chance: random.Random) -> str:
    file = _file(folder, chance, ".json")
    text = file.read_text("utf-8")
    odd = chance.choice(
        (
            "[" * 100_000 + "]" * 100_000,
            '{"a":' * 50_000 + "1" + "}" * 50_000,
            text.replace("0", "NaN", 1),
            text.replace("1", "1e999", 1),
            text + text,
            text.replace('"', "'"),
            "null",
            "\x00" + text,
            text.replace("{", '{"Version":', 1),
        )
    )
    file.write_text(odd, encoding="utf-8")
    return f"odd JSON in {file.name}"


def odd_texture(folder: Path, chance: random.Random) -> str:
    file = _file(folder, chance, ".png")
    data = bytearray(file.read_bytes())
    kind = chance.randrange(6)
    if kind == 0:  # a huge size in the header
        data[16:24] = chance.choice((65535, 2**31 - 1, 8193)).to_bytes(4, "big") * 2
        file.write_bytes(data)
    elif kind == 1:
        Image.new(chance.choice(("1", "L", "LA", "P", "I;16")), (64, 64)).save(file)
    elif kind == 2:
        Image.new("RGB", (64, 64)).save(file, format="JPEG")
    elif kind == 3:
        Image.new("RGB", (1, 1)).save(file)
    elif kind == 4:  # small as a file, huge as a picture
        Image.new("L", (8192, 8192)).save(file)
    else:
        Image.new("1", (20_000, 20_000)).save(file)
    return f"texture of kind {kind}"


def harmless(folder: Path, chance: random.Random) -> str:
    """Unusual, but valid: it must load."""
    for file in folder.rglob("*.json"):
        tree = json.loads(file.read_text("utf-8"))
        if chance.random() < 0.7:
            file.write_text(json.dumps(tree, separators=(",", ":")), encoding="utf-8")
        else:
            file.write_text(json.dumps(tree, indent="\t"), encoding="utf-8-sig", newline="\r\n")
    return "one-line JSON"


MUTATIONS: Sequence[tuple[Mutation, int]] = (
    (flip_bits, 6),
    (number_in_moc, 6),
    (wrong_value, 5),
    (truncate, 3),
    (noise, 2),
    (take_away, 2),
    (swap, 1),
    (odd_json, 2),
    (odd_texture, 2),
    (harmless, 1),
)


# The run


async def run(
    count: int, seed: int, bases: Sequence[Path], folder: Path, progress: bool = False
) -> Tally:
    """Damage `count` copies of the bases under `folder`, check them, load what passes."""
    tally = Tally()
    chance = random.Random(seed)
    kinds = [kind for kind, weight in MUTATIONS for _ in range(weight)]
    work: list[tuple[int, Mutation, int, Path]] = [
        (number, chance.choice(kinds), chance.randrange(2**32), chance.choice(bases))
        for number in range(count)
    ]
    seen: set[Path] = set()
    for start in range(0, count, _BATCH):
        batch = work[start : start + _BATCH]
        passed: list[ModelDescription] = []
        gate = asyncio.Semaphore(SIDE_BY_SIDE)
        checks = [_check(one, folder, tally, passed, gate) for one in batch]
        await asyncio.gather(*checks)
        fresh = {found.root: found for found in passed if found.root not in seen}
        seen |= set(fresh)
        await _stand_in(list(fresh.values()), tally)
        if progress:
            print(
                f"{start + len(batch)}: {tally.loaded} loaded, {tally.refused} refused,"
                f" {len(tally.wrong)} wrong, slowest {tally.slowest:.1f} s",
                flush=True,
            )
    return tally


async def _check(
    one: tuple[int, Mutation, int, Path],
    folder: Path,
    tally: Tally,
    passed: list[ModelDescription],
    gate: asyncio.Semaphore,
) -> None:
    number, mutate, seed, base = one
    copy = folder / str(number)
    async with gate:
        await asyncio.to_thread(shutil.copytree, base, copy, symlinks=True)
        said = f"#{number} {base.name}: {mutate(copy, random.Random(seed))}"
        began = time.monotonic()
        try:
            found = await check_model(
                copy, folder / "cache", timeout=_PROBE_SECONDS, kept=sys.maxsize
            )
        except ModelFileError as error:
            tally.refused += 1
            tally.reasons[_kind_of(error.detail)] += 1
            if not error.detail or not error.params.get("file"):
                tally.wrong.append(f"{said}: refused without a reason")
            if mutate is harmless:
                tally.wrong.append(f"{said}: refused though sound: {error.detail}")
        else:
            tally.loaded += 1
            passed.append(found)
        finally:
            await asyncio.to_thread(shutil.rmtree, copy)
        tally.slowest = max(tally.slowest, time.monotonic() - began)


def _kind_of(detail: str) -> str:
    return "".join(letter for letter in detail.split(":")[0] if not letter.isdigit())[:60]


async def _stand_in(models: Sequence[ModelDescription], tally: Tally) -> None:
    """Load them all in one process that stands for the app."""
    if not models:
        return
    roots = [str(model.root) for model in models]
    command = [sys.executable, "-m", "tests.bench.mutations", "--stand-in", *roots]
    try:
        code, output = await run_isolated(command, _STAND_IN_SECONDS)
    except subprocess.TimeoutExpired:
        tally.wrong.append(f"the app hung; it was to load {roots}")
        return
    last = output.decode("utf-8", "replace").splitlines()[-2:]
    if code != 0:
        tally.wrong.append(f"the app ended with {code} after {last}")


def stand_in(roots: Sequence[str]) -> int:
    """What the app does with a model: load, pose, express, play, draw."""
    from neodeskpet.figure.files.model_reader import describe_model
    from neodeskpet.figure.live2d.framing import PixelBox, Projection, place_model, view_of
    from neodeskpet.figure.live2d.library import new_model, start_gl
    from neodeskpet.figure.live2d.model_actor import ModelActor
    from neodeskpet.figure.live2d.model_renderer import drawing_context

    with drawing_context() as ready:
        if ready:
            start_gl()
        for root in roots:
            print(root, flush=True)
            description = describe_model(Path(root) / "model.json")
            model = new_model(description.settings, root, renderer=ready)
            model.Resize(200, 200)
            view = view_of(PixelBox(0, 0, 200, 200), Projection(model.GetMvp(), 200, 200), None)
            actor = ModelActor(model, description, random.Random(1), 0.0)
            actor.placing = place_model(model, view, 200, 200)
            _act(actor, model, ready)
            if ready:
                model.DestroyRenderer()
    return 0


def _act(actor: Any, model: Any, ready: bool) -> None:
    """All poses, expressions and motions, a few frames each."""
    from neodeskpet.figure.poses import Pose

    description = actor.description
    acts: list[tuple[Callable[..., None], tuple[object, ...]]] = [
        *((actor.pose, (pose,)) for pose in Pose),
        *((actor.express, (name,)) for name in description.expressions),
        *((actor.play, (group, None)) for group in description.motions),
    ]
    now = 0.0
    for act, words in acts:
        act(*words, now)
        for _ in range(4):
            now += 0.2
            actor.advance(now, 0.2)
            if ready:
                model.Draw()


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--stand-in"]:
        sys.stderr = sys.stdout  # its last output is reported
        return stand_in(arguments[1:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--old", type=Path, action="append", default=[], metavar="FOLDER")
    words = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bases = [small_neo(folder / "neo"), *words.old]
        tally = asyncio.run(run(words.count, words.seed, bases, folder, progress=True))
    print(f"\n{words.count} models in {time.monotonic() - began:.0f} s")
    print(f"{tally.loaded} loaded, {tally.refused} refused, slowest {tally.slowest:.1f} s")
    for reason, times in tally.reasons.most_common():
        print(f"  {times:5}  {reason}")
    for breach in tally.wrong:
        print(f"WRONG {breach}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
