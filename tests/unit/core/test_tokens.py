"""Terms are tokens of SQLite's own tokenizer, for any characters."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable

import pytest

from neodeskpet.core.text_search import SearchQuery, as_token, index_text, is_token
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_MIGRATIONS as KNOWLEDGE
from neodeskpet.memory.message_search import SEARCH_MIGRATIONS as FIND
from neodeskpet.memory.recall.memory_schema import MEMORY_MIGRATIONS as MEMORY
from neodeskpet.memory.recall.recall_query import build_query
from neodeskpet.memory.recall.text_terms import terms_of
from tests.unit.memory.recall.test_memory_store import NOW

_BLOCKS = ("CJK UNIFIED", "CJK COMPAT", "HANGUL SYLLABLE", "TANGUT", "NUSHU", "EGYPTIAN")
_EACH = 61


def _is_tried(code: int) -> bool:
    char = chr(code)
    if unicodedata.category(char) in ("Cn", "Cs", "Co"):
        return False
    in_block = unicodedata.name(char, "").startswith(_BLOCKS)
    return code % _EACH == 0 if in_block or code > 0x2FFFF else code < 0x3000 or code % 3 == 0


CHARS = [chr(code) for code in range(1, 0x110000) if _is_tried(code)]
"""Characters of all of Unicode: all of the first blocks, samples of the others."""
RECALLED = 'unicode61 remove_diacritics 0"'


def tokens_of(terms: Iterable[str]) -> dict[str, int]:
    """Return how many tokens FTS5 makes of each term, with the tokenizer of memory and
    knowledge.
    """
    listed = list(dict.fromkeys(terms))
    db = sqlite3.connect(":memory:")
    db.execute('CREATE VIRTUAL TABLE f USING fts5 (t, tokenize = "unicode61 remove_diacritics 0")')
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab (f, instance)")
    db.executemany("INSERT INTO f (rowid, t) VALUES (?, ?)", enumerate(listed, 1))
    counts = Counter(doc for (doc,) in db.execute("SELECT doc FROM v"))
    db.close()
    return {term: counts[number] for number, term in enumerate(listed, 1)}


def test_the_tables_use_the_tested_tokenizer() -> None:
    for migrations in (MEMORY, KNOWLEDGE):
        assert sum(RECALLED in script for script in migrations.values()) == 1
    assert any('unicode61 remove_diacritics 2"' in script for script in FIND.values())


@pytest.mark.parametrize("form", ["{}", "q{}Zed", "q'{}", "Aa{0}{0}", "你{}好"])
def test_every_term_of_an_indexed_text_is_one_token(form: str) -> None:
    terms = (term for char in CHARS for term in terms_of(form.format(char)))
    assert {term: count for term, count in tokens_of(terms).items() if count != 1} == {}


def test_every_term_of_a_question_is_one_token() -> None:
    batches = (CHARS[at : at + 24] for at in range(0, len(CHARS), 24))
    queries = (
        build_query(" ".join(f"{char}q你{char}" for char in batch), NOW) for batch in batches
    )
    terms = (term for query in queries for term in (*query.weights, *query.synonyms))
    assert {term: count for term, count in tokens_of(terms).items() if count != 1} == {}


def test_a_term_that_is_a_token_is_unchanged() -> None:
    assert [as_token(word) for word in ("tea", "茶", "x2", "")] == ["tea", "茶", "x2", ""]
    assert as_token("a'b") == "au27b"
    assert not is_token("") and not is_token("a'b") and not is_token("a b") and is_token("é")
    assert all(is_token(as_token(f"a{char}")) for char in CHARS[::97])


def test_conversation_search_finds_every_word_that_is_in_a_text() -> None:
    """A word without any token must not match nothing, nor drop the other words."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE found USING fts5 (terms, content = '', columnsize = 0, "
        "prefix = '2 3', tokenize = \"unicode61 remove_diacritics 2\")"
    )
    chars = CHARS[::13]
    texts = [f"kettle x{char}y 你{char}好 {char}" for char in chars]
    db.executemany(
        "INSERT INTO found (rowid, terms) VALUES (?, ?)",
        ((number, index_text(text)) for number, text in enumerate(texts, 1)),
    )
    missed = []
    for number, (char, text) in enumerate(zip(chars, texts, strict=True), 1):
        question = SearchQuery.of(text)
        query = "SELECT 1 FROM found WHERE found MATCH ? AND rowid = ?"
        if not db.execute(query, (question.match, number)).fetchone():
            missed.append(char)
    assert missed == []
