"""Builds Neo's short sounds: ``python -m companion.sounds [--out DIR]`` from ``assets/``. Without
arguments it writes them into ``sounds/character``.

A voiced sound is a sum of harmonics. Each harmonic is as loud as the formants of the vowel at that
moment make it, so no filter is needed and nothing rings after the end.
"""

import argparse
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

RATE = 22_050
_OUT = Path(__file__).parent.parent / "sounds" / "character"
_LOUDNESS = 10 ** (-18 / 20)
"""Root mean square of the loudest ``_WINDOW`` seconds of a sound, of full scale."""
_WINDOW = 0.06
_MOST_PEAK = 10 ** (-6 / 20)
_LOWEST, _HIGHEST = 70.0, 8_500.0
"""Hertz. Nothing is left below, so no sound has an offset; above is what the rate can't hold."""
_EDGE_SECONDS = 0.006

Samples: TypeAlias = NDArray[np.float64]
Curve: TypeAlias = Sequence[tuple[float, float]]
"""Points of time (as a share of the duration) and value."""

_FORMANTS = {
    "a": ((1_050, 1.0), (1_750, 0.55), (3_700, 0.16)),
    "e": ((720, 1.0), (2_500, 0.45), (3_900, 0.18)),
    "i": ((480, 1.0), (3_000, 0.4), (4_300, 0.2)),
    "o": ((740, 1.0), (1_180, 0.6), (3_500, 0.07)),
    "u": ((520, 1.0), (980, 0.35), (3_300, 0.04)),
    "m": ((400, 1.0), (1_300, 0.1), (3_000, 0.03)),
}
"""Hertz and loudness of the resonances of a small mouth. "m" is a closed one."""


@dataclass(frozen=True, slots=True)
class Syllable:
    """A piece of voice. ``pitch`` in hertz, ``vowels`` with the share of the duration at which each
    is reached, ``loud`` from 0 to 1, ``breath``: the share of noise.
    """

    seconds: float
    pitch: Curve
    vowels: Sequence[tuple[float, str]]
    loud: Curve = ((0.0, 0.0), (0.16, 1.0), (0.6, 0.85), (1.0, 0.0))
    breath: float = 0.03
    vibrato: float = 0.008


def _along(seconds: float, curve: Curve) -> Samples:
    """Return the values of a curve, with soft turns at its points."""
    at = np.arange(round(seconds * RATE)) / (seconds * RATE)
    times, values = (np.array(column) for column in zip(*curve, strict=True))
    place = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(0, len(times) - 2))
    if len(times) == 1:
        return np.full(len(at), values[0])
    share = np.clip((at - times[place]) / (times[place + 1] - times[place]), 0.0, 1.0)
    eased = (1.0 - np.cos(np.pi * share)) / 2.0
    return np.asarray(values[place] + (values[place + 1] - values[place]) * eased)


def _resonance(hertz: Samples, vowel: str) -> Samples:
    """Return how loud a harmonic of this frequency is in a vowel."""
    loud = np.full(len(hertz), 0.006)
    for middle, gain in _FORMANTS[vowel]:
        width = 0.11 * middle + 110.0
        loud += gain / (1.0 + ((hertz - middle) / width) ** 2)
    return loud


def _weights(seconds: float, vowels: Sequence[tuple[float, str]]) -> list[tuple[str, Samples]]:
    """Return the share of each vowel at each sample."""
    weights = []
    for turn, (_, vowel) in enumerate(vowels):
        points = [(at, float(turn == other)) for other, (at, _) in enumerate(vowels)]
        weights.append((vowel, _along(seconds, points)))
    return weights


def _noise(count: int, low: float, high: float, seed: int) -> Samples:
    """Return noise of one loudness between two frequencies, with soft ends of the band."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(count))
    hertz = np.fft.rfftfreq(count, 1 / RATE)
    rises = 1.0 / (1.0 + (low / np.maximum(hertz, 1.0)) ** 6)
    falls = 1.0 / (1.0 + (hertz / high) ** 6)
    made = np.fft.irfft(spectrum * rises * falls, count)
    return np.asarray(made / np.sqrt(np.mean(made**2)))


def _voice(one: Syllable, seed: int = 1) -> Samples:
    count = round(one.seconds * RATE)
    at = np.arange(count) / RATE
    unsteady = _noise(count, 2.0, 14.0, seed) * 0.004
    sways = one.vibrato * np.sin(2 * np.pi * 6.2 * at) * np.minimum(1.0, at / 0.15)
    pitch = _along(one.seconds, one.pitch) * (1.0 + sways + unsteady)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    weights = _weights(one.seconds, one.vowels)
    sound = np.zeros(count)
    for order in range(1, int(_HIGHEST / pitch.min()) + 1):
        hertz = pitch * order
        loud = sum((share * _resonance(hertz, vowel) for vowel, share in weights), np.zeros(count))
        loud *= order**-0.75 * np.clip((_HIGHEST - hertz) / 1_500.0, 0.0, 1.0)
        # Harmonics that all start with the same phase sound like a buzzer.
        sound += loud * np.sin(order * phase + 0.7 * order**2)
    sound /= np.sqrt(np.mean(sound**2))
    breathes = _noise(count, 1_400.0, 6_000.0, seed + 50) * one.breath
    return np.asarray((sound + breathes) * _along(one.seconds, one.loud))


def _put(*pieces: tuple[float, Samples]) -> Samples:
    """Return pieces that start at these times, added together."""
    whole = np.zeros(max(round(at * RATE) + len(piece) for at, piece in pieces))
    for at, piece in pieces:
        start = round(at * RATE)
        whole[start : start + len(piece)] += piece
    return whole


def _air(seconds: float, low: float, high: float, loud: Curve, seed: int) -> Samples:
    return _noise(round(seconds * RATE), low, high, seed) * _along(seconds, loud)


_SWELL: Curve = ((0.0, 0.0), (0.35, 1.0), (1.0, 0.0))


def _hello() -> Samples:
    first = Syllable(0.2, ((0, 560), (0.5, 650), (1, 600)), ((0, "a"), (1, "e")), breath=0.08)
    second = Syllable(
        0.38, ((0, 690), (0.4, 860), (1, 640)), ((0, "o"), (0.7, "o"), (1, "u")), vibrato=0.012
    )
    return _put((0.0, 0.7 * _voice(first)), (0.17, _voice(second)))


def _hm() -> Samples:
    return _voice(Syllable(0.36, ((0, 470), (0.35, 430), (1, 640)), ((0, "m"), (1, "m"))))


def _ah() -> Samples:
    loud: Curve = ((0.0, 0.0), (0.12, 1.0), (0.5, 0.8), (1.0, 0.0))
    return _voice(
        Syllable(0.4, ((0, 520), (0.3, 880), (1, 720)), ((0, "e"), (0.25, "a"), (1, "a")), loud)
    )


def _yay() -> Samples:
    loud: Curve = ((0.0, 0.0), (0.15, 0.8), (0.4, 1.0), (0.75, 0.8), (1.0, 0.0))
    pitch: Curve = ((0, 560), (0.4, 960), (0.7, 900), (1, 820))
    vowels = ((0, "i"), (0.25, "a"), (0.6, "e"), (1, "i"))
    return _voice(Syllable(0.58, pitch, vowels, loud, vibrato=0.02))


def _oh() -> Samples:
    return _voice(Syllable(0.36, ((0, 620), (0.2, 680), (1, 480)), ((0, "o"), (1, "u"))))


def _yawn() -> Samples:
    loud: Curve = ((0.0, 0.0), (0.3, 0.7), (0.5, 1.0), (0.8, 0.5), (1.0, 0.0))
    pitch: Curve = ((0, 430), (0.4, 690), (0.7, 520), (1, 330))
    vowels = ((0, "u"), (0.35, "a"), (0.7, "a"), (1, "u"))
    return _voice(Syllable(0.95, pitch, vowels, loud, breath=0.12, vibrato=0.004))


def _sneeze() -> Samples:
    rises: Curve = ((0.0, 0.0), (0.8, 1.0), (1.0, 0.0))
    gasp = Syllable(0.24, ((0, 470), (1, 640)), ((0, "a"), (1, "e")), rises, breath=0.6)
    snaps: Curve = ((0.0, 0.0), (0.1, 1.0), (0.4, 0.5), (1.0, 0.0))
    burst = Syllable(0.2, ((0, 1_020), (1, 600)), ((0, "i"), (1, "i")), snaps, breath=0.15)
    spray = _air(0.13, 2_600.0, 7_000.0, snaps, 7)
    return _put((0.0, 0.4 * _voice(gasp)), (0.33, 0.8 * spray), (0.37, _voice(burst)))


def _purr() -> Samples:
    def breath_of(seconds: float, pitch: float, rate: float, seed: int) -> Samples:
        loud: Curve = ((0.0, 0.0), (0.3, 1.0), (0.7, 0.9), (1.0, 0.0))
        made = _voice(
            Syllable(seconds, ((0, pitch), (1, pitch)), ((0, "m"), (1, "m")), loud, 0.25), seed
        )
        at = np.arange(len(made)) / RATE
        return np.asarray(made * ((1.0 - np.cos(2 * np.pi * rate * at)) / 2.0) ** 1.4)

    return _put(
        (0.0, breath_of(0.46, 128.0, 25.0, 3)), (0.44, 0.85 * breath_of(0.42, 112.0, 23.0, 4))
    )


def _ring(seconds: float, hertz: float) -> Samples:
    at = np.arange(round(seconds * RATE)) / RATE
    partials = ((1.0, 1.0, 6.0), (2.01, 0.5, 9.0), (2.74, 0.3, 13.0), (3.9, 0.12, 20.0))
    sound = np.zeros(len(at))
    for ratio, gain, decay in partials:
        sound += gain * np.exp(-decay * at) * np.sin(2 * np.pi * hertz * ratio * at)
    return np.asarray(sound * np.minimum(1.0, at / 0.008) * np.minimum(1.0, (seconds - at) / 0.15))


def _bell() -> Samples:
    return _put((0.0, 0.8 * _ring(0.4, 1_680.0)), (0.11, _ring(0.54, 1_760.0)))


def _giggle() -> Samples:
    pieces = []
    for turn, pitch in enumerate((800.0, 920.0, 860.0, 790.0, 700.0)):
        arc: Curve = ((0, pitch * 0.88), (0.35, pitch), (1, pitch * 0.84))
        vowels = ((0, "e"), (0.5, "i"), (1, "e"))
        voiced = _voice(Syllable(0.1, arc, vowels, _SWELL, breath=0.06), turn)
        puff = _air(0.06, 1_800.0, 5_500.0, _SWELL, 20 + turn)
        at = 0.125 * turn
        pieces += [(at, 0.1 * puff), (at + 0.03, voiced * (1.0 - 0.13 * turn))]
    return _put(*pieces)


def _huh() -> Samples:
    loud: Curve = ((0.0, 0.0), (0.25, 0.8), (0.7, 1.0), (1.0, 0.0))
    pitch: Curve = ((0, 500), (0.4, 520), (1, 800))
    voiced = _voice(Syllable(0.28, pitch, ((0, "a"), (1, "e")), loud, breath=0.08))
    return _put((0.0, 0.16 * _air(0.09, 1_500.0, 5_000.0, _SWELL, 5)), (0.04, voiced))


def _hum() -> Samples:
    pitch: Curve = ((0, 520), (0.22, 523), (0.34, 659), (0.56, 659), (0.7, 587), (1, 580))
    loud: Curve = ((0, 0), (0.1, 1), (0.28, 0.6), (0.4, 1), (0.62, 0.6), (0.74, 0.9), (1, 0))
    return _voice(Syllable(0.9, pitch, ((0, "m"), (1, "m")), loud, vibrato=0.01))


def _surprised() -> Samples:
    loud: Curve = ((0.0, 0.0), (0.15, 1.0), (0.5, 0.8), (1.0, 0.0))
    pitch: Curve = ((0, 640), (0.35, 1_150), (1, 980))
    return _voice(Syllable(0.34, pitch, ((0, "u"), (0.3, "i"), (1, "e")), loud))


def _sigh() -> Samples:
    loud: Curve = ((0.0, 0.0), (0.25, 1.0), (1.0, 0.0))
    pitch: Curve = ((0, 560), (0.2, 600), (1, 370))
    return _voice(Syllable(0.6, pitch, ((0, "a"), (0.5, "o"), (1, "u")), loud, breath=0.22))


def _pop() -> Samples:
    seconds = 0.13
    at = np.arange(round(seconds * RATE)) / RATE
    hertz = 420.0 + 620.0 * (at / seconds) ** 0.6
    tone = np.sin(2 * np.pi * np.cumsum(hertz) / RATE)
    return np.asarray(tone * np.minimum(1.0, at / 0.008) * np.exp(-26.0 * at))


def _goodnight() -> Samples:
    first = Syllable(0.34, ((0, 600), (0.3, 640), (1, 540)), ((0, "u"), (1, "m")), breath=0.06)
    second = Syllable(
        0.5, ((0, 520), (0.25, 540), (1, 390)), ((0, "a"), (0.5, "u"), (1, "m")), breath=0.1
    )
    return _put((0.0, 0.9 * _voice(first)), (0.31, _voice(second)))


SOUNDS: dict[str, Callable[[], Samples]] = {
    "ah": _ah,
    "bell": _bell,
    "giggle": _giggle,
    "goodnight": _goodnight,
    "hello": _hello,
    "hm": _hm,
    "huh": _huh,
    "hum": _hum,
    "oh": _oh,
    "pop": _pop,
    "purr": _purr,
    "sigh": _sigh,
    "sneeze": _sneeze,
    "surprised": _surprised,
    "yawn": _yawn,
    "yay": _yay,
}


def finish(sound: Samples) -> NDArray[np.int16]:
    """Return a sound without offset, with soft ends, and as loud as all others."""
    spectrum = np.fft.rfft(np.concatenate([sound, np.zeros(RATE // 4)]))
    hertz = np.fft.rfftfreq(len(sound) + RATE // 4, 1 / RATE)
    spectrum *= 1.0 / (1.0 + (_LOWEST / np.maximum(hertz, 0.01)) ** 8)
    sound = np.fft.irfft(spectrum, len(sound) + RATE // 4)[: len(sound)]
    edge = np.minimum(1.0, np.arange(len(sound)) / (_EDGE_SECONDS * RATE))
    sound = sound * edge * edge[::-1]
    window = round(_WINDOW * RATE)
    power = np.convolve(sound**2, np.ones(window) / window, "same")
    scale = min(_LOUDNESS / np.sqrt(power.max()), _MOST_PEAK / np.abs(sound).max())
    return np.asarray(np.round(sound * scale * 32_767.0), np.int16)


def build(out: Path = _OUT) -> None:
    """Write every sound into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    for name, make in SOUNDS.items():
        samples = finish(make())
        with wave.open(str(out / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(samples.astype("<i2").tobytes())
    size = sum(file.stat().st_size for file in out.glob("*.wav"))
    print(f"{len(SOUNDS)} sounds, {size / 1000:.0f} KB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build Neo's sounds.")
    parser.add_argument("--out", type=Path, default=_OUT)
    build(parser.parse_args().out)
