"""Keeps the sound that is played and the microphone at a constant distance, for echo cancellation.

Loudspeaker and microphone have clocks of their own, and call back in pieces. The distance is
measured with the times of the callbacks. Small deviations are removed sample by sample, large ones
(a frame was lost) at once.
"""

from __future__ import annotations

from array import array
from statistics import median

from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE

_FRAME = FRAME_BYTES // 2
_WINDOW = 25
"""Frames of the microphone for which one distance is measured: 250 ms."""
_EXACT = 8
"""Samples of deviation that need no correction."""
_LARGE = LISTEN_RATE * 6 // 1000
"""Samples of deviation from which the correction is made at once."""
_MOST_SLIPS = 12
"""Samples that are added or left out in a window."""
_MOST_WAITING = LISTEN_RATE * 10
"""Samples that wait for the microphone. It may be read late, so these are ten seconds."""


class EchoReference:
    """The caller holds a lock around each call: `add` is called by the loudspeaker's thread, `take`
    by the microphone's. Times are in seconds, of the same clock.
    """

    def __init__(self) -> None:
        self._waiting: array[int] = array("h")
        self._added_at = 0.0
        self._largest = _FRAME
        """The largest piece of the loudspeaker."""
        self._distances: list[float] = []
        self._slips = 0
        self._idle_frames = 0
        self._wanted: float | None = None
        """The distance that is kept, None until it was measured."""
        self._is_realigned = False
        """Whether the distance was corrected by `realign`: it may be larger then."""
        self.follows_clock = True
        """Whether a large deviation of the distance is corrected. On a loaded computer the times of
        the callbacks are wrong by more than a frame: while the delay of the echo is measured, only
        `realign` moves the sound.
        """

    @property
    def waiting_bytes(self) -> int:
        """Sound that was not compared with the microphone yet."""
        return 2 * len(self._waiting)

    def add(self, pcm: bytes, at: float) -> None:
        """The loudspeaker takes this sound, at LISTEN_RATE."""
        self._waiting.frombytes(pcm)
        self._added_at = at
        self._idle_frames = 0
        self._largest = max(self._largest, len(pcm) // 2)
        del self._waiting[: max(0, len(self._waiting) - _MOST_WAITING)]

    def take(self, at: float) -> bytes:
        """Return the sound for the frame that the microphone gave at the time `at`."""
        self._idle_frames += 1
        if self._idle_frames > _WINDOW:
            self._restart()
        else:
            self._measure(at)
            self._fill_up(at)
        count = _FRAME
        step = (self._slips > 0) - (self._slips < 0)
        if step and len(self._waiting) >= _FRAME + step:
            self._slips -= step
            count += step
        taken = self._waiting[:count]
        del self._waiting[:count]
        if len(taken) == count != _FRAME:
            taken = _stretched(taken)
        return taken.tobytes().ljust(FRAME_BYTES, b"\0")

    def realign(self, later: int) -> None:
        """Change the distance because the echo comes `later` samples later than before (negative:
        earlier). From then on the new distance is kept.
        """
        self._distances.clear()
        self._slips = 0
        self._wanted = None
        self._is_realigned = True
        self._shift(-later)

    def _distance(self, at: float) -> float:
        """Return the samples between loudspeaker and microphone. Between two pieces the
        loudspeaker's need grows steadily: that makes the distance exact, although whole pieces
        come.
        """
        since = min(max(0.0, at - self._added_at) * LISTEN_RATE, 2.0 * self._largest)
        return len(self._waiting) + since

    def _measure(self, at: float) -> None:
        self._distances.append(self._distance(at))
        if len(self._distances) < _WINDOW:
            return
        measured = median(self._distances)
        self._distances.clear()
        if self._wanted is None:
            most = measured if self._is_realigned else self._largest + _FRAME
            self._wanted = min(measured, most)
        surplus = round(measured - self._wanted)
        if abs(surplus) >= _LARGE:
            self._slips = 0
            if self.follows_clock:
                self._shift(surplus)
        elif abs(surplus) > _EXACT:
            self._slips = max(-_MOST_SLIPS, min(_MOST_SLIPS, surplus // 2))

    def _fill_up(self, at: float) -> None:
        """Insert silence if too little waits: a frame came twice, or the distance is too small for
        pieces of this size.
        """
        missing = _FRAME - len(self._waiting)
        if missing <= 0:
            return
        if self._wanted is not None and self._distance(at) > self._wanted - _LARGE:
            most = max(self._wanted, self._largest + _FRAME)
            self._wanted = min(self._wanted + missing, most)
        self._distances.clear()
        self._shift(-missing)

    def _shift(self, surplus: int) -> None:
        if surplus > 0:
            del self._waiting[:surplus]
        else:
            self._waiting = array("h", bytes(-2 * surplus)) + self._waiting

    def _restart(self) -> None:
        """The loudspeaker is closed."""
        self._distances.clear()
        self._slips = 0
        self._largest = _FRAME
        self._wanted = None
        self._is_realigned = False


def _stretched(samples: array[int]) -> array[int]:
    """Return the samples of a frame, interpolated from one sample more or less."""
    last = len(samples) - 1
    made = array("h")
    for at in range(_FRAME):
        index, rest = divmod(at * last, _FRAME - 1)
        left = samples[index]
        right = samples[min(index + 1, last)]
        made.append(left + (right - left) * rest // (_FRAME - 1))
    return made
