"""Which short sound goes with which act of the figure, and when it may be heard. Pure. Times are
seconds of a monotonic clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from neodeskpet.figure.behaviour.idling import Liveliness


@dataclass(frozen=True, slots=True)
class ActSound:
    """The sound of the acts whose names have one of these words. It starts `after` the act, and
    only if there was no such act for `apart` seconds. `is_answer`: the user causes these acts by
    touching the figure.
    """

    sound: str
    words: frozenset[str]
    after: float = 0.1
    apart: float = 60.0
    is_answer: bool = False


def _answer(sound: str, words: str, after: float = 0.1, apart: float = 4.0) -> ActSound:
    return ActSound(sound, frozenset(words.split()), after, apart, is_answer=True)


def _own(sound: str, words: str, after: float = 0.1, apart: float = 60.0) -> ActSound:
    return ActSound(sound, frozenset(words.split()), after, apart)


ACT_SOUNDS = (
    _answer("purr", "purr stroke petted 呼噜 抚摸", after=0.4, apart=20.0),
    _answer("giggle", "giggle laugh 笑", after=0.25),
    _answer("yay", "five", after=0.6),
    _answer("pop", "squish", after=0.15),
    _answer("hum", "pat 摸头", after=0.4),
    _answer("surprised", "start startle startled yelp", after=0.15),
    _answer("oh", "shy blush dizzy 害羞 晕", after=0.3),
    _answer("pop", "land landing shakeoff 落地", after=0.05),
    _own("hello", "greet hello hi wave 招手 挥手", after=0.6, apart=20.0),
    _own("bell", "bell 铃", after=0.4),
    _own("ah", "ah aha idea eureka", after=0.35, apart=20.0),
    _own("hm", "hm hmm", after=0.3, apart=20.0),
    _own("huh", "ask asking question 提问", after=0.2),
    _own("sneeze", "sneeze 喷嚏", after=2.1),
    _own("yawn", "yawn stretch groggy 哈欠 懒腰", after=1.4),
    _own("hum", "hum 哼", after=0.8, apart=120.0),
    _own("goodnight", "sleepy drowse drowsy 困", after=1.2, apart=1_800.0),
    _own("sigh", "sigh sorry bow 抱歉", after=0.6),
    _own("surprised", "surprised surprise jump 惊讶", after=0.15, apart=10.0),
    _own("yay", "celebrate happy hop cheer joy 开心", after=0.35, apart=20.0),
)
"""The first entry that shares a word with the name of the act is used. The times fit the motions of
the bundled figure: its mouth opens then.
"""


class SoundChooser:
    """Chooses the sound of each act. A sound that follows another one within `LEAST_GAP` seconds is
    left out. A purr isn't repeated while the strokes go on.
    """

    LEAST_GAP = 3.0

    def __init__(self) -> None:
        self._acted: dict[ActSound, float] = {}
        self._free_at = -math.inf

    def choose(
        self, words: Iterable[str], now: float, liveliness: Liveliness = Liveliness.NORMAL
    ) -> ActSound | None:
        """Return the sound of an act whose name has these words, None for silence. A calm figure is
        heard only when it is touched.
        """
        named = frozenset(words)
        found = next((one for one in ACT_SOUNDS if one.words & named), None)
        if found is None:
            return None
        before = self._acted.get(found, -math.inf)
        self._acted[found] = now
        is_wanted = found.is_answer or liveliness is not Liveliness.CALM
        if not is_wanted or now - before < found.apart or now + found.after < self._free_at:
            return None
        self._free_at = now + found.after + self.LEAST_GAP
        return found
