"""Markdown of models becomes HTML, and nothing that Markdown doesn't allow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.conversation.export_chats.html_export import html_from_markdown, join_html


def shown(text: str) -> str:
    return join_html(
        html_from_markdown(text), lambda formulas: [f"<svg>{one.tex}</svg>" for one in formulas]
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a **b** `c`", '<p dir="auto">a <strong>b</strong> <code>c</code></p>'),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("[a](javascript:alert(1))", "<span>a</span>"),
        ("[a](file:///etc/passwd)", "<span>a</span>"),
        ("[a](https://b.c/?x=1&y)", 'href="https://b.c/?x=1&amp;y" rel="noopener noreferrer"'),
        ("see https://b.c/d.", "https://b.c/d</a>."),
        ("![cat](http://x/y.png)", "[cat: http://x/y.png]"),
        ("![](http://x/y.png)", "[http://x/y.png]"),
        ("```html\n<b>\n```", '<p class="language">html</p><pre><code>&lt;b&gt;</code></pre>'),
        ("- [ ] one\n- [x] two", "☐ one"),
        ("- [ ] one\n- [x] two", "☑ two"),
        ("a $x$ b", "a <svg>x</svg> b"),
        ("$$\nx\n$$", '<p class="display"><svg>x</svg></p>'),
        ("$$\nx", "<code>$$\nx</code>"),
        ("a[^1]\n\n[^1]: note", "<sup>1</sup>"),
        ("|a|b|\n|-|-|\n|1|<i>|", "&lt;i&gt;</td>"),
        ("> a\n>> b", "<blockquote"),
        ("**重点：**然后", "<strong>重点：</strong>"),
        ("- a\n  ```\n  b\n  ```", "margin-left: 1.6em"),
    ],
)
def test_markdown(text: str, wanted: str) -> None:
    assert wanted in shown(text).replace("\u200b", "")


def test_text_that_was_cut_for_the_window_is_exported_whole() -> None:
    code = "\n".join(f"line {n}" for n in range(300))
    assert shown(f"```\n{code}\n```").count("<pre>") == 1
    rows = "\n".join(f"|{n}|x|" for n in range(60))
    assert shown(f"|a|b|\n|-|-|\n{rows}").count("<table") == 1
    assert shown(f"|a|b|\n|-|-|\n{rows}").count("<tr>") == 61
    assert shown("word " * 2000).count("<p ") == 1
    assert "&lt;7&gt;" in shown("\n".join(f"{n}. <{n}>" for n in range(1, 40)))
    assert shown("word " * 9000).count("<p ") > 1, "but within a limit"


def test_a_private_use_character_is_no_formula() -> None:
    assert shown("a \U000f0000 b") == '<p dir="auto">a \ufffd b</p>\n'


ALLOWED = re.compile(
    r"</?(?:p|strong|em|s|a|span|sup|code|pre|div|h[1-6]|ul|ol|li|blockquote|table|thead|tbody|tr|"
    r"th|td|hr|br|svg)(?: (?:href|rel|dir|class|style|start)=\"[^\"<>]*\")* ?/?>"
)


@given(st.text(alphabet="<>&\"'`*_[]()!#|-$\\ \n\tabc:/1.~^", max_size=200))
def test_no_other_html_is_possible(text: str) -> None:
    left = ALLOWED.sub(
        "", join_html(html_from_markdown(text), lambda formulas: [None for _ in formulas])
    )
    assert "<" not in left and ">" not in left
