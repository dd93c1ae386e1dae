"""Foreign regular expressions run in linear time, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.platform.untrusted_regex import compile_untrusted, untrusted_matches


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("^(a+)+$", "a" * 100_000 + "!", False),
        ("^(a+)+$", "a" * 100_000, True),
        (r"^\d{4}-\d{2}$", "2026-11", True),
        (r"[\u4e00-\u9fff]+", "你好", True),
        (r"\u{4f60}", "你好", True),
        (r"^\\u4e00$", r"\u4e00", True),
        ("a", "\ud800a", True),
        ("a(?=b)", "ab", None),
        (r"(a)\1", "aa", None),
        ("(", "(", None),
        ("((a{1000}){1000}){1000}", "a", None),
        ("\ud800", "a", None),
        ("a" * 3_000, "a", None),
    ],
)
def test_matches(source: str, text: str, found: bool | None) -> None:
    assert untrusted_matches(source, text) is found


def test_flags() -> None:
    for source, flags, text in (("a", "i", "A"), ("^b", "m", "a\nb"), ("a.b", "s", "a\nb")):
        with_flag = compile_untrusted(source, flags=f"g{flags}u")
        without = compile_untrusted(source)
        assert with_flag is not None
        assert without is not None
        assert with_flag.search(text)
        assert not without.search(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_expression_over_any_text(source: str, text: str) -> None:
    assert untrusted_matches(source, text) in (True, False, None)
