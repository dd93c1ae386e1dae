"""The content of a downloaded file: the main part of a page, text, formatted JSON; nothing of it
runs.
"""

import pytest

from neodeskpet.documents.web.fetcher import Fetched
from neodeskpet.documents.web.page_child import FetchUnreadable, WebPage, read_page

ADDRESS = "https://example.com/post"
PAGE = """<!doctype html><html><head><title>On tea</title><script>var x = "hidden"</script></head>
<body><nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<article><h1>On tea</h1><p>Tea is a drink that many people in the world like very much.</p>
<p>It is made by pouring hot water over <a href="/leaves">leaves</a> and waiting a while.</p>
<p>茶是一种很多人喜欢的饮料，用热水冲泡茶叶，等一会儿就可以喝了。</p></article>
<footer>Cookies and more cookies</footer></body></html>"""


def read(content: str | bytes, kind: str) -> WebPage:
    raw = content.encode() if isinstance(content, str) else content
    return read_page(Fetched(ADDRESS, raw, kind))


def test_a_page_is_its_main_part_as_markdown() -> None:
    page = read(PAGE, "text/html")
    assert page.title == "On tea"
    assert "pouring hot water" in page.text
    assert "茶是一种" in page.text
    assert "hidden" not in page.text
    assert "Cookies" not in page.text


def test_a_page_without_a_main_part_still_gives_text() -> None:
    assert "Hi there" in read("<html><body><p>Hi there</p>", "text/html").text


def test_text_in_any_encoding_and_formatted_json() -> None:
    assert read("纯文本".encode("gb18030"), "text/plain").text == "纯文本"
    assert read(b"\xff\xfe\xfd", "text/plain").text
    assert read('{"a":[1]}', "application/json").text == '{\n "a": [\n  1\n ]\n}'
    assert read("{broken", "application/json").text == "{broken"


def test_binary_files_are_reported() -> None:
    with pytest.raises(FetchUnreadable, match="application/pdf"):
        read(b"%PDF-1.7", "application/pdf")


@pytest.mark.parametrize("content", [b"", b"\0" * 1000, b"<" * 50_000, b"<div>" * 5_000])
def test_invalid_pages_raise_nothing(content: bytes) -> None:
    assert isinstance(read(content, "text/html").text, str)
