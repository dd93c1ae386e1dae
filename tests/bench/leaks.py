"""Random replies at random splits through the reader of leaked calls.

    ./run bench leaks [--count N] [--seed N]

Half are made of whole marks, half of single letters. Each is read whole and in two random ways;
what comes out must be the same, no text without a mark may be lost, and nothing may crash.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from itertools import pairwise

from tests.unit.core.dialects.leaked.leaking import Heard, read
from tests.unit.core.dialects.leaked.test_reader import PIECES, WHOLE, may_hide

_LETTERS = "ab <>[]{}()`'\":=,\n\\|｜▁你"
_WORDS = (*PIECES, *PIECES, *WHOLE, *WHOLE, *WHOLE, "I think ", "so. ", "\n\n", "- item\n")


def reply(chance: random.Random) -> str:
    source: Sequence[str] = _WORDS if chance.random() < 0.5 else _LETTERS
    return "".join(chance.choices(source, k=chance.randrange(1, 40)))


def split(text: str, chance: random.Random) -> list[str]:
    cuts = sorted(chance.choices(range(len(text) + 1), k=chance.randrange(0, 12)))
    return [text[a:b] for a, b in pairwise([0, *cuts, len(text)])]


def faults(text: str, chance: random.Random) -> list[str]:
    """Return the differences between the ways to read `text`."""
    whole = read([text])
    wrong = [f"other at {one!r}" for one in (split(text, chance), list(text)) if read(one) != whole]
    plain = not (whole.calls or whole.broken or may_hide(text))
    if plain and whole != Heard(text):
        wrong.append(f"lost: {whole.text!r}")
    return wrong


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args(arguments)
    chance = random.Random(words.seed)
    began = time.monotonic()
    calls = bad = 0
    for _ in range(words.count):
        text = reply(chance)
        wrong = faults(text, chance)
        calls += bool(read([text]).calls)
        bad += bool(wrong)
        for one in wrong:
            print(f"WRONG {text!r}: {one}")
    seconds = time.monotonic() - began
    print(f"{words.count} replies in {seconds:.0f} s, {calls} with calls, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
