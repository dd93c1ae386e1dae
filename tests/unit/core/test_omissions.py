"""Omissions from a file are described, stored and read back."""

from collections import Counter
from dataclasses import asdict

import pytest

from neodeskpet.core.attachments import OMISSION_TEXTS, Omission, Omitted, omitted_of, read_omitted


def test_each_kind_has_a_text_with_its_count() -> None:
    assert set(OMISSION_TEXTS) == set(Omission)
    assert all("1,200" in str(Omitted(one, 1200)) for one in Omission)


def test_only_omissions_are_reported() -> None:
    counts = Counter({Omission.EMBEDDED: 2, Omission.CHAPTERS: 0, Omission.PICTURE_PAGES: 1})
    assert omitted_of(counts) == (Omitted(Omission.PICTURE_PAGES, 1), Omitted(Omission.EMBEDDED, 2))


def test_omissions_are_read_back() -> None:
    omitted = (Omitted(Omission.CHAPTERS, 4),)
    assert read_omitted([asdict(one) for one in omitted]) == omitted
    for broken in ([{"what": "no"}], [{}], [1]):
        with pytest.raises((ValueError, KeyError, TypeError)):
            read_omitted(broken)
