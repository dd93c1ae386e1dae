from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.markdown.plain_sentences import (
    BlockLabels,
    BlockNames,
    SentenceSplitter,
    plain_line,
    plain_text,
)

REPLY = """# 标题 Title

你好！我是 **Neo**。今天（周六）天气不错，3.14 是 π。See [the docs](https://a.b/c?x=1) or \
https://example.com/a?b=c. Dr. Smith said "Hi." Then left!

- first item
- second *item* with `code.x()`; done?
1. one
2. two. three

```python
print("x. y")
```
| a | b |
|---|---|
| 1 | 2 |

> quote: 2 * 3 = 6 and snake_case_name
---
嗯……好吧。OK?好的 😀"""


def split(text: str, *cuts: int) -> list[str]:
    sentences = SentenceSplitter("(link)")
    found: list[str] = []
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for start, end in pairwise(edges):
        found += sentences.feed(text[start:end])
    return found + sentences.end()


def test_a_reply_becomes_plain_sentences() -> None:
    assert split(REPLY) == [
        "\n你好！",
        "我是 Neo。",
        "今天（周六）天气不错，3.14 是 π。",
        "See the docs or (link).",
        ' Dr. Smith said "Hi."',
        " Then left!",
        "\nfirst item",
        "\nsecond item with code.x(); done?",
        "\none",
        "\ntwo.",
        " three",
        "\nquote: 2 * 3 = 6 and snake_case_name",
        "\n嗯……",
        "好吧。",
        "OK?",
        "好的 😀",
    ]


@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_any_split_gives_the_same_sentences(cuts: list[int]) -> None:
    assert split(REPLY, *cuts) == split(REPLY)


@given(
    st.text('ab中。！.!? \n`*_[]()|-#>0123:/~…，,"”', max_size=120),
    st.lists(st.integers(0, 10_000), max_size=12),
)
def test_any_text_gives_the_same_sentences_at_any_split(text: str, cuts: list[int]) -> None:
    assert split(text, *cuts) == split(text)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(sentence.strip() for sentence in split(text))


def test_a_sentence_is_returned_as_soon_as_it_is_complete() -> None:
    sentences = SentenceSplitter()
    assert sentences.feed("你好") == []
    assert sentences.feed("！") == []
    assert sentences.feed("我") == ["你好！"]
    assert sentences.feed("是。\n") == ["我是。"]
    assert sentences.end() == []


def test_a_reader_can_be_used_again_after_the_end() -> None:
    sentences = SentenceSplitter()
    sentences.feed("```\ncode")
    assert sentences.end() == []
    assert [*sentences.feed("Words."), *sentences.end()] == ["Words."]


def test_a_code_block_is_never_spoken() -> None:
    text = "Look:\n~~~~\nfoo. bar\n```\nmore. text\n~~~~\nDone."
    assert "".join(split(text)) == "Look:\nDone."


def test_a_display_formula_with_text_after_it_is_part_of_the_sentence() -> None:
    assert split("$$a$$ is the side. Next.") == [f"{plain_line('$$a$$')} is the side.", " Next."]
    assert split("It is $x. y$ now. Next.") == ["It is x. y now.", " Next."]


def test_long_sentences_are_split_at_a_comma_and_endless_ones_are_cut() -> None:
    clause = "字" * 70 + "，" + "字" * 20 + "。"
    assert split(clause) == ["字" * 70 + "，", "字" * 20 + "。"]
    pieces = split("word " * 300)
    assert len(pieces) > 3
    assert "".join(pieces).split() == ["word"] * 300
    assert "".join(split("x" * 1000)) == "x" * 1000


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("**bold** and *soft* and ~~gone~~", "bold and soft and gone"),
        ("`code` stays", "code stays"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("a_b_c and __init__", "a_b_c and init"),
        ("![a cat](cat.png) here", "a cat here"),
        ("[link](http://x.y 'title')", "link"),
        ("<b>tag</b> &amp; more", "tag & more"),
        ("see <https://a.b/c>", "see (link)"),
        ("说明见https://a.b/c。", "说明见(link)。"),
        ("note[^1]", "note"),
        ("[x] done", "done"),
        ("***", ""),
        ("", ""),
    ],
)
def test_plain_inline_text(markdown: str, words: str) -> None:
    assert plain_line(markdown, "(link)") == words


def test_plain_text() -> None:
    assert plain_text("# Hi\n\nI am **Neo**. Bye!") == "I am Neo. Bye!"


@pytest.mark.parametrize(
    "text",
    [
        "." * 100_000,
        "word " * 100_000,
        "a" * 500_000,
        "-" * 500_000,
        "[a。" * 50_000,
        "> " * 100_000,
    ],
    ids=lambda text: text[:4],
)
def test_endless_lines_are_read_in_linear_time(text: str) -> None:
    """Each of them once blocked the loop for minutes."""
    assert all(len(sentence) <= 401 for sentence in split(text))


def test_the_split_of_an_endless_line_makes_no_difference() -> None:
    text = "- word, and 字。" * 300 + "\n" + "-" * 2_000 + "\n" + " " * 1_000 + "end"
    assert split(text, *range(0, len(text), 7)) == split(text)
    assert split(text)[-1] == "\nend"


def test_closing_punctuation_belongs_to_its_sentence() -> None:
    assert split("他说“好吧.”」」x 然后走了。") == ["他说“好吧.”」」x 然后走了。"]


def test_code_in_a_sentence_is_not_cut() -> None:
    assert split("Use `a. b` now. Well!") == ["Use a. b now.", " Well!"]


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("## Code\n```\nx\n```\n", ""),
        ("So:\n$$\\int_0^1 x\\,dx$$\nThat is it.", "So:\nThat is it."),
        ("So:\n\\[\n\\sum k\n\\]\nThat is it.", "So:\nThat is it."),
        ("The area $E=mc^2$ and \\(\\frac{a}{b}\\).", "The area E=mc^2 and (formula)."),
        ("It costs $5. Then $6.", "It costs $5. Then $6."),
        ("$$ not closed\n\nYes.", "Yes."),
    ],
)
@given(cuts=st.lists(st.integers(0, 200), max_size=4))
def test_no_formula_and_no_heading_is_spoken(markdown: str, words: str, cuts: list[int]) -> None:
    sentences = SentenceSplitter("(link)", "(formula)")
    found: list[str] = []
    edges = [0, *sorted(cut % (len(markdown) + 1) for cut in cuts), len(markdown)]
    for start, end in pairwise(edges):
        found += sentences.feed(markdown[start:end])
    assert "".join(found + sentences.end()).strip() == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The U.S. economy grew. Good.", ["The U.S. economy grew.", " Good."]),
        ("Use tools, e.g. a saw. Go.", ["Use tools, e.g. a saw.", " Go."]),
        ("J. R. R. Tolkien wrote it. Yes.", ["J. R. R. Tolkien wrote it.", " Yes."]),
        ("Well... maybe later. Fine.", ["Well... maybe later.", " Fine."]),
        ("Well… maybe later. Fine.", ["Well… maybe later.", " Fine."]),
        ("Oh no... It broke.", ["Oh no...", " It broke."]),
        ("Wait...\nwhat?", ["Wait...", "\nwhat?"]),
        ("Really...? yes.", ["Really...?", " yes."]),
    ],
)
def test_abbreviations_and_ellipses_do_not_cut_a_sentence(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences
    assert split(text, *range(len(text))) == sentences


@given(cuts=st.lists(st.integers(0, 200), max_size=4))
def test_blocks_are_announced_once_at_their_beginning(cuts: list[int]) -> None:
    markdown = (
        "Look:\n```py\nx = 1\n| no table\n```\nDone.\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "Then.\n| c |\n|---|\n$$\nx^2\n\n\\[ y \\]\nEnd."
    )
    sentences = SentenceSplitter(blocks=BlockNames("CODE", "TABLE", "FORMULA"))
    found: list[str] = []
    edges = [0, *sorted(cut % (len(markdown) + 1) for cut in cuts), len(markdown)]
    for start, end in pairwise(edges):
        found += sentences.feed(markdown[start:end])
    words = " ".join("".join(found + sentences.end()).split())
    assert words == "Look: CODE Done. TABLE Then. TABLE FORMULA FORMULA End."


@given(cuts=st.lists(st.integers(0, 200), max_size=4))
def test_blocks_are_described_when_they_are_complete(cuts: list[int]) -> None:
    markdown = (
        "Look:\n```py title\nx = 1\n\n| no table\n```\nDone.\n"
        "| a \\| b | c |\n|---|---|\n| 1 | 2 |\n"
        "| 3 | 4 |\n\nThen.\n| c |\n|---|\n$$\nx^2\n$$\n| d |\n~~~\nopen\n"
    )
    labels = BlockLabels(
        lambda language, lines: f"CODE({language}, {lines})",
        lambda rows, columns: f"TABLE({rows} × {columns})",
        "FORMULA",
    )
    sentences = SentenceSplitter(blocks=labels)
    found: list[str] = []
    edges = [0, *sorted(cut % (len(markdown) + 1) for cut in cuts), len(markdown)]
    for start, end in pairwise(edges):
        found += sentences.feed(markdown[start:end])
    found += sentences.end()
    assert " ".join("".join(found).split()) == (
        "Look: CODE(py, 3) Done. TABLE(2 × 2) Then. TABLE(1 × 1) FORMULA TABLE(1 × 1) CODE(, 1)"
    )
    assert "".join(sentences.feed("| e |\n") + sentences.end()).strip() == "TABLE(1 × 1)"


@pytest.mark.parametrize("step", [1, 7, 300, 5_000])
def test_the_data_of_a_picture_is_never_said(step: int) -> None:
    data = f"data:image/png;base64,{'iVBORw0KGgo' * 100}"
    text = f"Look: ![a cat]({data}) nice. And ![]({data}) too. Raw {data} end. Bye."
    sentences = SentenceSplitter("(link)", picture="picture")
    found = [
        one for at in range(0, len(text), step) for one in sentences.feed(text[at : at + step])
    ]
    assert found + sentences.end() == [
        "Look: picture a cat nice.",
        " And picture too.",
        " Raw (link) end.",
        " Bye.",
    ]
