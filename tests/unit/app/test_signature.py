"""Signatures of minisign are accepted, and nothing else."""

from __future__ import annotations

import pytest

from neodeskpet.app.update_check import SignatureInvalid, verify
from tests.unit.app.vectors import KEY, LEGACY, NOTE, SIGNATURE

_OTHER_KEY = "RWQAAAAAAAAAAKn3UGpkwrm85qm2t0WKVHDvPcjQDopeJhVVEgserkX5"


def test_both_formats_of_minisign_are_understood() -> None:
    assert verify(NOTE, SIGNATURE, KEY) == "NeoDeskPet 0.2.0"
    assert verify(NOTE, LEGACY, f" {KEY}\n") == "old form"
    assert verify(NOTE, SIGNATURE.replace("\n", "\r\n"), KEY) == "NeoDeskPet 0.2.0"


def test_the_untrusted_comment_is_ignored() -> None:
    said = SIGNATURE.replace("signature from minisign secret key", "whatever")
    assert verify(NOTE, said, KEY)


@pytest.mark.parametrize(
    ("content", "signature", "key"),
    [
        (NOTE + b" ", SIGNATURE, KEY),
        (NOTE.replace(b"0.2.0", b"0.3.0"), SIGNATURE, KEY),
        (NOTE, SIGNATURE.replace("NeoDeskPet 0.2.0", "NeoDeskPet 0.2.1"), KEY),
        (NOTE, SIGNATURE.replace("RUTC", "RWTC"), KEY),  # The other format.
        (NOTE, LEGACY.replace("RWTC", "RUTC"), KEY),
        (NOTE, SIGNATURE.replace("RUTC", "QUTC"), KEY),
        (NOTE, SIGNATURE.replace("trusted comment: N", "comment: N"), KEY),
        (NOTE, "\n".join(SIGNATURE.splitlines()[:3]), KEY),
        (NOTE, SIGNATURE.replace("jXDD", "jXD"), KEY),
        (NOTE, "", KEY),
        (NOTE, SIGNATURE, _OTHER_KEY),
        (NOTE, SIGNATURE, KEY.replace("an3U", "an3V")),
        (NOTE, SIGNATURE, KEY[:-4]),
        (NOTE, SIGNATURE, "no key at all"),
        (NOTE, SIGNATURE, ""),
    ],
)
def test_a_changed_note_is_refused(content: bytes, signature: str, key: str) -> None:
    with pytest.raises(SignatureInvalid):
        verify(content, signature, key)
