"""What the companion says when the person comes back: one line that fits the time of day and the
absence, not the same twice in a month, and nothing when they were away only for a while.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from random import Random

from neodeskpet.core.wording import N_

MIN_ABSENCE = 4 * 3600.0
"""Seconds. After a shorter absence nobody greets."""
LONG_ABSENCE = 3 * 86_400.0
_MONTH = 31 * 86_400.0

GREETING_LINES: Mapping[str, tuple[str, ...]] = {
    "morning": (
        N_("Good morning! I kept your place warm."),
        N_("Good morning. One thing at a time today?"),
        N_("Morning! I've already stretched twice."),
        N_("The day is still new. What shall it become?"),
        N_("Good morning! Breakfast first, I hope?"),
        N_("Up early? The screen is still yawning."),
        N_("Good morning. I dreamed of a very long scroll bar."),
        N_("Morning light suits you."),
        N_("A fresh morning. I'm here when you want me."),
    ),
    "day": (
        N_("Hello again! How does the day go?"),
        N_("There you are. I was counting pixels."),
        N_("Good to see you. Had something to drink?"),
        N_("Halfway through the day already. We manage."),
        N_("Hello! My tail is ready, the rest will follow."),
        N_("Back at the desk? Then so am I."),
        N_("A quiet moment before we begin?"),
        N_("Hello! I saved you the best corner of the screen… and sat in it."),
        N_("Shall we make something good of the afternoon?"),
    ),
    "evening": (
        N_("Good evening! The day was long enough."),
        N_("Good evening. Something cosy, or something to finish?"),
        N_("Evening! The windows outside are lit too now."),
        N_("Have you eaten? I ask for a friend. The friend is me."),
        N_("Good evening. Nothing has to be perfect any more today."),
        N_("Nice that you look in this evening."),
        N_("The evening is ours. Or yours, and I watch."),
        N_("Good evening! I kept the light on."),
    ),
    "night": (
        N_("Still awake? I'll be quiet with you."),
        N_("It's late. I keep you company, but not for ever."),
        N_("The night is quiet. So am I."),
        N_("Only the two of us and the fan of the computer."),
        N_("Late hours… your bed sends its regards."),
        N_("Night owl? I'm rather a night fox."),
        N_("A late visit! I whisper, then."),
    ),
    "long": (
        N_("You're back! I've missed you."),
        N_("There you are again. I've kept everything as it was."),
        N_("Long time no see! I practised sitting."),
        N_("Welcome back. Tell me everything, or nothing."),
        N_("You were away for a while. I hope it was good."),
        N_("Back at last! My ears knew it first."),
        N_("Welcome back! The dust on me is only decoration."),
        N_("I wasn't counting the days. All right, I was."),
        N_("So many days without you! Now it is a better one."),
    ),
}
"""By the time of day, and for a long absence; in English."""
_FOX_LINES = frozenset(
    (
        "Hello! My tail is ready, the rest will follow.",
        "Night owl? I'm rather a night fox.",
        "Back at last! My ears knew it first.",
    )
)
"""Those that only the fox-cat can say."""


def choose_greeting(
    now: datetime,
    absence: float,
    said: Mapping[str, float],
    random: Random,
    *,
    neo: bool = True,
) -> str | None:
    """A line in English, None if nothing is to be said. `absence` in seconds; `said` holds the
    lines and when they were said (unix seconds). Whoever isn't Neo has neither tail nor ears.
    """
    if absence < MIN_ABSENCE:
        return None
    kind = "long" if absence >= LONG_ABSENCE else _part_of_day(now.hour)
    recent = {line for line, when in said.items() if now.timestamp() - when < _MONTH}
    left = [
        line
        for line in GREETING_LINES[kind]
        if line not in recent and (neo or line not in _FOX_LINES)
    ]
    return random.choice(left) if left else None


def read_said_lines(text: str | None) -> dict[str, float]:
    """What `write_said_lines` wrote; nothing if it can't be read."""
    try:
        kept = json.loads(text or "{}")
    except ValueError:
        return {}
    if not isinstance(kept, dict):
        return {}
    return {str(line): float(when) for line, when in kept.items() if isinstance(when, int | float)}


def write_said_lines(said: Mapping[str, float], now: float) -> str:
    """As it is kept, without what is older than a month."""
    return json.dumps({line: when for line, when in said.items() if now - when < _MONTH})


def _part_of_day(hour: int) -> str:
    if 5 <= hour < 11:
        return "morning"
    if 11 <= hour < 18:
        return "day"
    return "evening" if 18 <= hour < 23 else "night"
