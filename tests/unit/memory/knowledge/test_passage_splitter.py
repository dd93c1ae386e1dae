"""Documents are split at their structure, and no text is lost."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.memory.knowledge.passage_splitter import MAX_TOKENS, split_passages

SAID = "The kettle stands in the kitchen and is never switched off by anybody at all. " * 3

PIECES = st.sampled_from(
    [
        "# One\n",
        "## Two\n",
        "Title\n===\n",
        "\n\n",
        "\f",
        " ",
        "```\n",
        "\r\n",
        "\x85",
        "def f(x):\n    pass\n",
        "@decorated\n",
        "class A:\n",
        "水壶在厨房里。",
        "a" * 50,
        SAID,
        "🫖",
        "word ",
        "- point\n",
        "x = 1;\n",
        "\ud800",
        "“Said.” ",
    ]
)
TEXTS = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=60).map("".join),
    st.tuples(PIECES, st.integers(1, 4000)).map(lambda one: one[0] * one[1] if one[0] else ""),
)


@given(TEXTS, st.booleans(), st.booleans())
@example("", False, False)
@example("字" * 5000, False, False)
@example("a" * 20_000, True, True)
def test_no_text_is_lost_and_no_passage_is_too_large(text: str, code: bool, paged: bool) -> None:
    passages = split_passages(text, code=code, paged=paged)
    assert "".join(one.text for one in passages) == text
    at = 0
    for one in passages:
        assert one.text
        assert one.start == at
        assert estimate_tokens(one.text) <= MAX_TOKENS
        at += len(one.text)
        before = text[: one.start] + one.text[: len(one.text) - len(one.text.lstrip())]
        assert one.line == before.count("\n") + 1
        assert one.page == (before.count("\f") + 1 if paged else 0)


def test_a_section_begins_a_passage_and_is_named_with_its_parents() -> None:
    text = f"# House\n\n{SAID}\n\n## Kitchen\n\n{SAID}\n\n## Cellar\n\n{SAID}\n\n# Garden\n\n{SAID}"
    found = split_passages(text)
    assert [one.heading for one in found] == [
        "House",
        "House › Kitchen",
        "House › Cellar",
        "Garden",
    ]
    assert found[1].text.startswith("## Kitchen")
    assert found[1].line == text[: text.index("## Kitchen")].count("\n") + 1


def test_a_heading_without_text_belongs_to_the_next_passage() -> None:
    (one,) = split_passages(f"# House\n\n## Kitchen\n\n{SAID}")
    assert one.heading == "House"


def test_underlined_titles_are_headings_and_tables_are_not() -> None:
    text = f"House\n=====\n\n{SAID}\n\nKitchen\n-------\n\n{SAID}\n\n| a |\n| --- |\n| b |\n"
    assert [one.heading for one in split_passages(text)] == ["House", "House › Kitchen"]


def test_marks_in_code_are_no_headings() -> None:
    text = f"# House\n\n{SAID}\n\n```\n# not one\n\n# nor this\n```\n\n{SAID}"
    assert {one.heading for one in split_passages(text)} == {"House"}


def test_paragraphs_are_not_split_if_there_is_room() -> None:
    paragraphs = [f"Number {n}. {SAID}" for n in range(8)]
    found = split_passages("\n\n".join(paragraphs))
    assert len(found) > 2
    for paragraph in paragraphs:
        assert sum(paragraph in one.text for one in found) == 1


def test_each_page_is_a_passage_of_its_own_and_numbered() -> None:
    found = split_passages("One.\fTwo.\f\fFour.", paged=True)
    assert [(one.page, one.text.strip("\f ")) for one in found] == [
        (1, "One."),
        (2, "Two."),
        (4, "Four."),
    ]


def test_a_definition_begins_a_passage_with_its_decorators() -> None:
    body = "".join(f"    value_{n} = compute({n}) + another_thing({n})\n" for n in range(8))
    text = f"import os\n\n\ndef first(a):\n{body}\n\n@cached\n@other\ndef second(b):\n{body}\n"
    text += f"class Third:\n{body}"
    found = split_passages(text, code=True)
    assert [one.heading for one in found] == ["", "def second", "class Third"]
    assert found[0].text.startswith("import os")
    assert found[1].text.startswith("@cached")


def test_other_languages_have_definitions_too() -> None:
    body = "  let x = do_something(with_this, and_that, and_more);\n" * 6
    text = f"pub fn first(a: u8) {{\n{body}}}\n\nexport async function second() {{\n{body}}}\n"
    assert [one.heading for one in split_passages(text, code=True)] == [
        "fn first",
        "function second",
    ]


def test_comments_of_code_are_no_headings() -> None:
    assert {one.heading for one in split_passages("# a\nx = 1\n# b\ny = 2\n", code=True)} == {""}


def test_long_paragraphs_are_split_between_sentences() -> None:
    text = " ".join(f"Sentence number {n} is about the house." for n in range(200))
    for one in split_passages(text)[:-1]:
        assert one.text.endswith(". ")
