"""Text is read in any encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.platform.text_encoding import decode_text, is_encoding

_TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff\0"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@given(text=_TEXTS)
def test_unicode_is_read_as_written(encoding: str, text: str) -> None:
    assert decode_text(text.encode(encoding))[0] == text


def test_older_chinese_files_are_read() -> None:
    assert decode_text("你好，世界".encode("gbk")) == ("你好，世界", "gb18030")


@given(st.binary())
def test_any_bytes_give_text_and_the_named_encoding_reads_them(content: bytes) -> None:
    text, encoding = decode_text(content)
    assert content.decode(encoding) == text


_CASES = {
    "gb18030": ("今天下午三点开会，请带上文件。", "姓名,电话\n王小明,13800138000\n"),
    "big5": ("今天下午三點開會，請帶上文件。", "姓名,電話\n王小明,0912345678,台北市\n"),
    "cp932": (
        "今日の午後三時に会議があります。書類を持ってきてください。",
        "氏名,電話\n山田太郎\n",
    ),
    "euc_jp": ("今日の午後三時に会議があります。書類を持ってきてください。",),
    "euc_kr": ("오늘 오후 세 시에 회의가 있습니다. 서류를 가져오세요.",),
    "cp1252": (
        "name;price\nMüller;12,50 €\nGarçon “naïve” – done\n",
        "José;Málaga\nAna;São Paulo\n",
    ),
    "latin-1": ("Der Fluß fließt über die Brücke, schöne Grüße aus Köln",),
    "cp1251": ("Сегодня в три часа собрание, возьмите документы.",),
    "koi8-r": ("Сегодня в три часа собрание, возьмите документы.",),
    "cp1250": ("Dziś o trzeciej jest zebranie. Zażółć gęślą jaźń.",),
}


@pytest.mark.parametrize("language", ["", "en", "zh_CN"])
@pytest.mark.parametrize("encoding", _CASES)
def test_older_files_of_many_languages_are_read(encoding: str, language: str) -> None:
    for text in _CASES[encoding]:
        assert decode_text(text.encode(encoding), language)[0] == text


def test_the_language_decides_between_equally_fitting_encodings() -> None:
    assert decode_text("你好嗎".encode("big5"), "zh_TW")[0] == "你好嗎"
    assert decode_text("你好吗".encode("gb18030"), "zh_CN")[0] == "你好吗"


def test_the_users_choice_is_used_if_it_reads_everything() -> None:
    content = "中文".encode("big5")
    assert decode_text(content, encoding="big5") == ("中文", "big5")
    assert decode_text("中文".encode(), encoding="ascii") == ("中文", "utf-8")
    assert decode_text(b"a", encoding="rot13")[0] == "a"
    assert is_encoding("BIG5") and not is_encoding("rot13") and not is_encoding("no such")


def test_utf16_without_a_bom_is_read() -> None:
    for name in ("utf-16-le", "utf-16-be"):
        assert decode_text("plain words".encode(name)) == ("plain words", name)


def test_a_long_text_is_judged_by_its_beginning() -> None:
    text = "Grüße aus Köln und schöne Straßen\n" * 4000
    assert decode_text(text.encode("cp1252")) == (text, "cp1252")
