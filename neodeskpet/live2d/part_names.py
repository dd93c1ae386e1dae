"""Names of the bundled figure's expressions and motions on the screen.

Models, cues and tools use the figure's own names, which never change. Names of other figures are
shown as they are.
"""

from __future__ import annotations

from neodeskpet.core.wording import N_
from neodeskpet.language import tr_in

_NAMES = {
    "neutral": N_("neutral"),
    "smile": N_("smile"),
    "joy": N_("joy"),
    "shy": N_("shy"),
    "sad": N_("sad"),
    "cry": N_("cry"),
    "angry": N_("angry"),
    "surprised": N_("surprised"),
    "sleepy": N_("sleepy"),
    "wink": N_("wink"),
    "thinking": N_("pondering"),
    "excited": N_("excited"),
    "proud": N_("proud"),
    "love": N_("in love"),
    "Idle": N_("idle"),
    "Greet": N_("hello"),
    "Wave": N_("goodbye"),
    "Nod": N_("nod"),
    "Shake": N_("head shake"),
    "Happy": N_("hop"),
    "Sorry": N_("bow"),
    "TapHead": N_("head pat"),
    "TapBody": N_("poke"),
    "TapTail": N_("tail touch"),
    "Think": N_("musing"),
    "Work": N_("at work"),
    "Listen": N_("listening"),
    "Sleep": N_("sleep"),
    "Wake": N_("waking"),
    "Dance": N_("dance"),
    "Ask": N_("raised paw"),
    "Shy": N_("squirming"),
    "Surprised": N_("start"),
    "Stretch": N_("stretch"),
    "Sneeze": N_("sneeze"),
    "WalkLeft": N_("walk to the left"),
    "WalkRight": N_("walk to the right"),
    "Sit": N_("sitting"),
    "Fall": N_("fall"),
    "Landing": N_("landing"),
    "Held": N_("hanging"),
    "Dragged": N_("struggling"),
    "Groggy": N_("drowsy waking"),
    "Sleepy": N_("nodding off"),
    "Type": N_("typing along"),
    "Groove": N_("bobbing along"),
    "Lie": N_("lying, chin on paws"),
    "PeekLeft": N_("peek to the left"),
    "PeekRight": N_("peek to the right"),
}


def part_name(own: str, language: str = "") -> str:
    """The name of the expression or group of motions `own` in a language ("": the interface's)."""
    return tr_in(language, _NAMES[own]) if own in _NAMES else own
