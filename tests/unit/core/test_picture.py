from __future__ import annotations

from neodeskpet.core.attachments import Picture, name_by_content, picture_text


def test_the_same_content_has_the_same_name() -> None:
    assert name_by_content(b"a") == name_by_content(b"a") != name_by_content(b"b")
    assert len(name_by_content(b"")) == 64


def test_the_placeholder_of_a_picture() -> None:
    assert picture_text("a cat\non a mat ") == "[图片:a cat on a mat]"
    assert picture_text("a cat", quoted=True) == "[回复图片:a cat]"


def test_a_log_does_not_contain_the_bytes() -> None:
    assert "secret" not in repr(Picture("d", b"secret", "image/png"))
