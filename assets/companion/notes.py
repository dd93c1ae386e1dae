"""What each expression and motion shows, for language models: four words at most, as every one is
read with every message. A group's motions are told together, in the order of their index.
"""

EXPRESSIONS = {
    "neutral": "calm",
    "smile": "friendly",
    "joy": "laughing",
    "shy": "blushing, looks aside",
    "sad": "ears droop",
    "cry": "streaming tears",
    "angry": "cross frown",
    "surprised": "wide eyes",
    "sleepy": "heavy lids",
    "wink": "teasing",
    "thinking": "paw at chin",
    "excited": "starry eyes",
    "proud": "smug",
    "love": "heart eyes",
}
MOTIONS = {
    "Idle": ("breathes", "looks about", "stretches", "hums", "tail", "sneezes"),
    "Greet": ("waves hello",),
    "Wave": ("waves goodbye",),
    "Nod": ("yes",),
    "Shake": ("no",),
    "Happy": ("hops for joy",),
    "Sorry": ("bows, sorry",),
    "TapHead": ("enjoys a pat", "hides face"),
    "TapBody": ("startled", "giggles"),
    "TapTail": ("yelps",),
    "Think": ("ponders",),
    "Work": ("writes", "searches"),
    "Listen": ("paw at ear",),
    "Sleep": ("falls asleep",),
    "Wake": ("yawns, wakes",),
    "Dance": ("dances",),
}
