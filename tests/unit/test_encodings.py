"""Text is read in whatever encoding it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.encodings import decode_text

_TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@given(text=_TEXTS)
def test_unicode_is_read_as_it_was_written(encoding: str, text: str) -> None:
    assert decode_text(text.encode(encoding))[0] == text


def test_older_chinese_files_are_read() -> None:
    assert decode_text("你好，世界".encode("gbk")) == ("你好，世界", "gb18030")


@given(st.binary())
def test_any_bytes_are_some_text_and_the_named_encoding_reads_them(content: bytes) -> None:
    text, encoding = decode_text(content)
    assert content.decode(encoding) == text
