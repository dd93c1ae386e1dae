"""English words without their endings."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from neodeskpet.platform.stemming import stem


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("umbrellas", "umbrella"),
        ("running", "run"),
        ("reminded", "remind"),
        ("weekly", "week"),
        ("", ""),
        ("雨伞", "雨伞"),
        ("naïve", "naïv"),
        ("🙂", "🙂"),
    ],
)
def test_a_word_loses_its_ending(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_threads_stem_in_parallel() -> None:
    words = [f"{letter}{'x' * count}ings" for count in range(1, 40) for letter in "bcdfg"]
    with ThreadPoolExecutor(8) as pool:
        stemmed = list(pool.map(stem, words * 20))
    assert stemmed == [stem(word) for word in words] * 20
    assert stemmed[0] == "bxing"
