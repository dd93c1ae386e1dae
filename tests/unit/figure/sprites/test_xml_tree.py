"""XML of others."""

from __future__ import annotations

import pytest

from neodeskpet.figure.sprites.shimeji_pack import MOST_BYTES, read_tree

BOMB = '<!DOCTYPE a [<!ENTITY b "lol"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
THEFT = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'


def test_a_tree() -> None:
    root = read_tree('<m:A xmlns:m="x" Name="n"><B/>text<B 名前="走"/></m:A>'.encode())
    assert (root.tag, root.values["Name"]) == ("A", "n")
    assert [child.values for child in root.children] == [{}, {"名前": "走"}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, "document type"),
        (THEFT, "document type"),
        ("", "valid XML"),
        ("<a>", "valid XML"),
        ("<a>&b;</a>", "valid XML"),
        ('<?xml version="1.0" encoding="nonsense"?><a/>', "valid XML"),
        ("<a>" * 50 + "</a>" * 50, "nested"),
        ("<a>" + "<b/>" * 60_001 + "</a>", "too large"),
        ("<a " + " ".join(f'b{n}="1"' for n in range(50)) + "/>", "too large"),
        ("<a>" + " " * MOST_BYTES + "</a>", "too large"),
    ],
)
def test_refused_documents(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_tree(text.encode())
