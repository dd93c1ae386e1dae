"""The language of a text, detected from its beginning."""

import pytest

from neodeskpet.core.text_language import CHINESE, ENGLISH, SAMPLE_CHARACTERS, language_of


@pytest.mark.parametrize(
    "text",
    [
        "你好！",
        "好",
        "请看 README，再运行 pip install neodeskpet",
        "```python\nfor name in names_of_everything: print(name)\n```\n这是代码",
        "见 https://example.org/a/long/path/of/words",
    ],
)
def test_chinese_text(text: str) -> None:
    assert language_of(text) == CHINESE


@pytest.mark.parametrize(
    "text", ["Hi!", "I", "The word 你好 means hello.", "Guten Tag", "Run `中文` now, please"]
)
def test_english_text(text: str) -> None:
    assert language_of(text) == ENGLISH


@pytest.mark.parametrize(
    "text", ["", "🙂 123 + 4", "`code`", "こんにちは、元気", "안녕", "```\nopen"]
)
def test_text_without_a_language(text: str) -> None:
    assert language_of(text) == ""


def test_the_beginning_decides() -> None:
    assert (
        language_of("Some English words. " * (SAMPLE_CHARACTERS // 20) + "中文" * SAMPLE_CHARACTERS)
        == ENGLISH
    )
