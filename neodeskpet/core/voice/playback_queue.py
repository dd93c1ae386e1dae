"""The queue of the sound that an output must still play. Two threads may use it: the app appends
and stops, the device's thread takes samples. The owner holds a lock around each call.
"""

from __future__ import annotations

from array import array
from collections import deque


class PlaybackQueue:
    def __init__(self) -> None:
        self._generation = 0
        self._pieces: deque[array[int]] = deque()
        self._offset = 0
        self.played = 0
        """Samples of the current generation that were taken."""
        self.volume = 1.0

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def is_empty(self) -> bool:
        return not self._pieces

    @property
    def waiting(self) -> bytes:
        """The sound of the current generation that was not taken."""
        pcm = b"".join(piece.tobytes() for piece in self._pieces)
        return pcm[2 * self._offset :]

    def add(self, generation: int, pcm: bytes) -> bool:
        """Append sound; return False if it is of an older generation, which is never played."""
        if generation < self._generation:
            return False
        if generation > self._generation:
            self._clear(generation)
        samples = array("h")
        samples.frombytes(pcm[: len(pcm) // 2 * 2])
        if samples:
            self._pieces.append(samples)
        return True

    def stop(self) -> int:
        """Drop everything; return the generation that is allowed from now on."""
        self._clear(self._generation + 1)
        return self._generation

    def take(self, count: int) -> bytes:
        """Return the next `count` samples, filled up with silence."""
        taken: array[int] = array("h")
        while self._pieces and len(taken) < count:
            first = self._pieces[0]
            part = first[self._offset : self._offset + count - len(taken)]
            self._offset += len(part)
            taken.extend(part)
            if self._offset >= len(first):
                self._pieces.popleft()
                self._offset = 0
        self.played += len(taken)
        if self.volume != 1.0:
            taken = array("h", (int(sample * self.volume) for sample in taken))
        return taken.tobytes() + bytes(2 * (count - len(taken)))

    def _clear(self, generation: int) -> None:
        self._generation = generation
        self._pieces.clear()
        self._offset = 0
        self.played = 0
