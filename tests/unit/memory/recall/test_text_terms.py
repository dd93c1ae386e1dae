"""The terms by which a text is found."""

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.memory.recall.text_terms import (
    JoinedTexts,
    TermText,
    _word_terms,
    count_words,
    is_single_character,
    stem,
    terms_of,
)


def test_words_pairs_characters_code_and_symbols() -> None:
    assert terms_of("Running shoes") == ["run", "shoe"]
    assert terms_of("我喜欢猫") == ["我喜", "喜欢", "欢猫", "我", "喜", "欢", "猫"]
    assert terms_of("parseManifest merge_layers") == [
        "parsemanifest",
        "pars",
        "manifest",
        "merg",
        "layer",
    ]
    assert terms_of("用Zotero存") == ["用", "zotero", "存"]
    assert terms_of("🦊!") == ["e1f98a"]


def test_single_characters_are_no_words() -> None:
    assert count_words(terms_of("我喜欢猫 and é x 7")) == 7
    assert count_words([]) == 0


def test_equal_looking_texts_have_equal_terms() -> None:
    assert terms_of("Zoë's café") == terms_of("zoe cafe")
    assert terms_of("Nguyễn Søren Łódź Œuvre") == terms_of("nguyen soren lodz oeuvre")
    assert terms_of("ＡＢＣ１２") == terms_of("abc12")
    assert terms_of("can’t") == terms_of("cannot") == ["not"]
    assert terms_of("e-mail")[-1:] == terms_of("email")
    assert stem("bought") == stem("buy") == stem("buying")


def test_numbers_are_not_remembered() -> None:
    before = _word_terms.cache_info().currsize
    assert [terms_of(f"{number}") for number in range(10_000, 10_100)] == [
        [f"{number}"] for number in range(10_000, 10_100)
    ]
    assert _word_terms.cache_info().currsize == before


@given(st.text(max_size=80))
def test_any_text_gives_terms_that_the_index_stores_unchanged(text: str) -> None:
    for term in terms_of(text):
        assert term and len(term) <= 80
        assert not any(sign.isspace() or sign in "\"'*()^:" for sign in term)
        assert not is_single_character(term) or len(term) == 1


def test_stored_terms_are_counted_and_stay_readable() -> None:
    text = TermText.of(["fox", "fox", "owl", "\ud83e", "fo"])
    assert text.split() == ["fox", "fox", "owl", "\ud83e", "fo"]
    wanted = frozenset(("owl", "fox", "x", "cat"))
    assert [*text.count(wanted).items()] == [("fox", 2), ("owl", 1)]
    assert not text.count(frozenset(("cat",)))
    assert TermText(b"ow\xff").split() == ["ow\ufffd"]


words = st.sampled_from(("a", "ab", "b", "猫", "猫叫", "叫", "\ud83e", "aa"))


@given(st.dictionaries(st.integers(1, 9), st.lists(words, max_size=6)), words)
def test_joined_texts_are_counted_like_split_ones(said: dict[int, list[str]], word: str) -> None:
    texts = JoinedTexts({number: TermText.of(terms) for number, terms in said.items()})
    counts = {number: terms.count(word) for number, terms in said.items() if word in terms}
    assert texts.count(word) == counts
    among = [*said][:2]
    assert texts.count(word, among) == {one: counts[one] for one in among if one in counts}
    assert texts.count("") == {}
