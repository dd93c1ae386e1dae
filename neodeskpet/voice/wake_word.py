"""Finds the wake word in the sound of the microphone: an English word that microWakeWord knows, or
a name that the user has recorded.

The English words have models of their own (`pymicro-wakeword`, Apache-2.0). A recorded name is a
series of features: Google's speech embedding (96 numbers each 80 ms, about the last 775 ms) from
`pyopen-wakeword`. Dynamic time warping compares it with the last seconds, so that it may be spoken
faster or more slowly. Only these numbers are stored, no sound.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.ports import FRAME_BYTES, FRAME_MS, VoiceError, VoicePackageMissing
from neodeskpet.platform.installation import extra_command
from neodeskpet.platform.private_files import write_private

if TYPE_CHECKING:
    from neodeskpet.voice.listener import ReferencedJudge

RECORDED = "recorded"
"""The wake word is the recorded name."""
RECORDINGS = 3
"""How often the user speaks a name to record it."""
NAME_EXTRA = "wake-name"
"""The extra that recorded names need."""
FILE_NAME = "wake_word.json"
"""The file of the recorded name, in the data folder."""
_LIMIT = 0.16
"""Mean distance below which it is the recorded name."""
_PAUSE_FRAMES = 2_000 // FRAME_MS
"""Frames after a wake word in which no further one is found."""
_STEP_FRAMES = 8
_BEFORE_STEPS, _AFTER_STEPS = 1, 2
"""Steps before and after the speech of a recording that belong to the name."""
_LEAST_MS, _MOST_MS = 250, 2_000
"""The length of a name."""


class NoWakeWord(VoiceError):
    code = "no_wake_word"
    what = N_("No wake word is recorded.")
    hint = N_("Record it under Settings › Voice & sounds › Voice, or choose another one.")


class WakeWordNotHeard(VoiceError):
    code = "wake_word_not_heard"
    what = N_("Nothing was spoken, or it was too short or too long for a wake word.")
    hint = N_("Say a name of two or three syllables, close to the microphone.")


class WordFinder(Protocol):
    def found(self, features: Any) -> bool:
        """Add the next features; return whether the word ended there."""
        ...


Features = Callable[[bytes], Iterable[Any]]
"""Gets the next frame of the microphone; returns the features that end with it."""


def load_features() -> Features:
    """Return the features of recorded names. Raises VoicePackageMissing."""
    try:
        from pyopen_wakeword import OpenWakeWordFeatures
    except ImportError:
        raise VoicePackageMissing(command=extra_command(NAME_EXTRA)) from None
    library: Any = OpenWakeWordFeatures.from_builtin()
    # It begins with eight seconds of silence, which are not judged.
    list(library.process_streaming(bytes(FRAME_BYTES)))

    def features(frame: bytes) -> list[Any]:
        return [one.reshape(-1) for one in library.process_streaming(frame)]

    return features


def load_wake_word(word: str, recorded: Path) -> tuple[WordFinder, Features]:
    """`word` is RECORDED or a word of microWakeWord, `recorded` the file of the recorded name.
    Raises NoWakeWord, VoicePackageMissing.
    """
    if word == RECORDED:
        return RecordedWord(read_examples(recorded)), load_features()
    try:
        from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures, Model
    except ImportError:
        raise VoicePackageMissing(command=extra_command("voice")) from None
    features: Any = MicroWakeWordFeatures()
    return BuiltInWord(MicroWakeWord.from_builtin(Model(word))), features.process_streaming


class WakeWordJudge:
    """Speech detection that also finds the wake word (`voice.listener.WakingJudge`)."""

    def __init__(self, judge: ReferencedJudge, finder: WordFinder, features: Features) -> None:
        self._judge = judge
        self._finder = finder
        self._features = features
        self._woken = False
        self._pause = 0
        """Frames in which no wake word is found."""

    def reference(self, pcm: bytes, at: float | None = None) -> None:
        self._judge.reference(pcm, at)

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]:
        clean, judged = self._judge.process(frame, at)
        self._pause = max(0, self._pause - 1)
        for features in self._features(clean):
            if self._finder.found(features) and not self._pause:
                self._pause = _PAUSE_FRAMES
                self._woken = True
        return clean, judged

    def take_woken(self) -> bool:
        """Return whether the wake word was heard since the last call."""
        woken, self._woken = self._woken, False
        return woken


class BuiltInWord:
    """A word of microWakeWord. `model` is the model of `pymicro_wakeword`."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def found(self, features: Any) -> bool:
        return bool(self._model.process_streaming(features))


class RecordedWord:
    """A name that the user has recorded: `examples` are its embeddings, spoken several times."""

    def __init__(self, examples: Sequence[Any], limit: float = _LIMIT) -> None:
        """`limit`: the largest mean distance at which it is the same word."""
        import numpy

        self._numpy: Any = numpy
        self._examples = [_normalized(numpy, numpy.array(one)) for one in examples]
        self._limit = limit
        longest = max(len(one) for one in self._examples)
        self._recent: deque[Any] = deque(maxlen=2 * longest)

    def found(self, features: Any) -> bool:
        return self.distance(features) < self._limit

    def distance(self, embedding: Any) -> float:
        """Add an embedding. Return how far the sound that ends with it is from the name: 0 for the
        same, about 0.3 for other words, infinity while too little was heard.
        """
        numpy = self._numpy
        self._recent.append(_normalized(numpy, embedding.reshape(1, -1))[0])
        if len(self._recent) < 4:
            return float("inf")
        heard = numpy.array(self._recent)
        distances = sorted(warped_distance(numpy, one, heard) for one in self._examples)
        return distances[len(distances) // 2]


def warped_distance(numpy: Any, example: Any, heard: Any) -> float:
    """Return the mean distance of the example from the part of `heard` that fits best and ends with
    its last row. All rows have the length 1.
    """
    costs = 1.0 - example @ heard.T
    before = numpy.zeros(len(heard) + 1)
    before[0] = numpy.inf
    first = True
    for row in costs:
        present = numpy.full(len(heard) + 1, numpy.inf)
        for at, cost in enumerate(row, 1):
            if first:
                present[at] = cost
            else:
                present[at] = cost + min(before[at], before[at - 1], present[at - 1] + 0.5 * cost)
        first = False
        before = present
    return float(before[-1]) / len(example)


def _normalized(numpy: Any, rows: Any) -> Any:
    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return rows / numpy.maximum(lengths, 1e-9)


def example_of(
    frames: Sequence[bytes], speech: Sequence[int], features: Features
) -> list[list[float]]:
    """Return the embeddings of the name in `frames`; `speech` are the numbers of the frames with
    speech. Raises WakeWordNotHeard.
    """
    embeddings = [(number, one) for number, frame in enumerate(frames) for one in features(frame)]
    if not speech or not _LEAST_MS <= (speech[-1] - speech[0]) * FRAME_MS <= _MOST_MS:
        raise WakeWordNotHeard
    first = speech[0] + _BEFORE_STEPS * _STEP_FRAMES
    last = speech[-1] + _AFTER_STEPS * _STEP_FRAMES
    kept = [one for number, one in embeddings if first <= number <= last]
    return [[round(float(value), 3) for value in one] for one in kept]


def save_examples(path: Path, examples: Sequence[Sequence[Sequence[float]]]) -> None:
    """Store a recorded name. Raises VoiceError."""
    try:
        write_private(path, json.dumps({"version": 1, "examples": examples}))
    except OSError as error:
        raise VoiceError(str(error)) from None


def read_examples(path: Path) -> list[list[list[float]]]:
    """Raises NoWakeWord."""
    try:
        stored = json.loads(path.read_text("utf-8"))
        examples = [[[float(value) for value in row] for row in one] for one in stored["examples"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise NoWakeWord from None
    if not examples or not all(examples):
        raise NoWakeWord
    return examples
