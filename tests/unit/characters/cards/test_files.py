"""Cards in files of all kinds: read, refused, written, and read again."""

from __future__ import annotations

import base64
import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from neodeskpet.characters.cards.card_errors import CardFault, CardRefused
from neodeskpet.characters.cards.card_files import (
    SIGNATURE,
    make_portrait,
    read_card,
    read_charx,
    read_file,
    read_png,
    write_card,
    write_png,
)
from neodeskpet.characters.cards.character_card import (
    Card,
    Lorebook,
    LoreEntry,
    app_data_of,
    change_card,
    read_tree,
    with_app_data,
    write_tree,
)
from neodeskpet.characters.cards.reader import read_world_file
from neodeskpet.characters.cards.world_book import merge_books
from neodeskpet.language import translate_error

MIMI: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mimi\u202e\n the cat",
        "description": "{{char}} likes fish.\r\n",
        "personality": None,
        "first_mes": "Miau, {{user}}!",
        "alternate_greetings": ["Purr.", "  "],
        "mes_example": "<START>\n{{user}}: Hi\n{{char}}: Miau",
        "tags": ["cat"],
        "made_up": {"kept": [1, 2.5, None]},
        "extensions": {"other/app": {"x": 1}, "neodeskpet": {"memory": "own"}},
        "character_book": {
            "strange": True,
            "entries": [
                {"keys": ["fish"], "content": "Fish is love.", "insertion_order": 3, "odd": 1}
            ],
        },
    },
    "else": 1,
}


def png(*chunks: tuple[bytes, bytes], size: tuple[int, int] = (1, 1)) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 4)
    parts = ((b"IHDR", head), *chunks, (b"IDAT", data), (b"IEND", b""))
    return SIGNATURE + b"".join(chunk(*one) for one in parts)


def packed(tree: object) -> bytes:
    return base64.b64encode(json.dumps(tree).encode())


def archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return made.getvalue()


def refused(data: bytes) -> str:
    """Return the text that the user reads."""
    with pytest.raises(CardFault) as caught:
        read_card(data)
    return " ".join(translate_error(caught.value.of("x.png")))


def test_a_card_is_the_same_in_a_picture_a_text_and_an_archive() -> None:
    text = json.dumps(MIMI).encode()
    card, _ = read_card(text)
    assert (card.name, card.description) == ("Mimi the cat", "{{char}} likes fish.\n")
    assert card.greetings == ("Miau, {{user}}!", "Purr.")
    assert card.book is not None
    assert card.book.entries[0].keys == ("fish",)
    assert not app_data_of(card), "a card of others decides nothing here"
    for one in (
        png((b"tEXt", b"chara\0" + packed(MIMI))),
        png((b"tEXt", b"ccv3\0" + packed(MIMI)), (b"tEXt", b"chara\0" + packed({"name": "old"}))),
        png((b"tEXt", b"ccv3\0broken"), (b"zTXt", b"chara\0\0" + zlib.compress(packed(MIMI)))),
        png((b"iTXt", b"chara\0\0\0en\0\0" + packed(MIMI))),
        b"\xef\xbb\xbf" + text,
        archive({"card.json": text}),
        b"\xff\xd8\xff a picture before it " + archive({"card.json": text}),
    ):
        assert read_card(one)[0] == card


def test_version_1_is_read_without_a_loss() -> None:
    card, _ = read_card(
        b'{"name": "Bo", "first_mes": "Hm.", "char_greeting": "?", "avatar": "none"}'
    )
    tree = write_tree(card)
    assert (tree["spec"], tree["data"]["first_mes"]) == ("chara_card_v3", "Hm.")
    assert tree["data"]["extensions"] == {"v1": {"char_greeting": "?", "avatar": "none"}}


@pytest.mark.parametrize("suffix", [".png", ".json", ".charx"])
def test_an_export_contains_everything_that_others_stored_in_the_card(suffix: str) -> None:
    card, _ = read_card(json.dumps(MIMI).encode())
    picture = make_portrait(png())
    written = write_card(with_app_data(card, {"memory": "own"}), picture, suffix)
    again, found = read_card(written)
    assert replace_assets(write_tree(again)) == replace_assets(write_tree(card))
    data = write_tree(again)["data"]
    assert data["made_up"] == {"kept": [1, 2.5, None]}
    assert data["extensions"] == {"other/app": {"x": 1}}
    assert data["character_book"]["strange"] is True
    assert data["character_book"]["entries"][0]["odd"] == 1
    assert write_tree(again)["else"] == 1
    if suffix != ".json":
        assert make_portrait(found) == picture if suffix == ".charx" else make_portrait(found)


def replace_assets(tree: dict[str, Any]) -> dict[str, Any]:
    return {**tree, "data": {k: v for k, v in tree["data"].items() if k != "assets"}}


def test_a_picture_holds_one_card_for_old_and_one_for_new_readers_and_no_third() -> None:
    card = Card("Mo", description="calm")
    once = write_png(card, png((b"tEXt", b"chara\0" + packed(MIMI)), (b"tEXt", b"Author\0me")))
    assert once.count(b"tEXtchara\0") == once.count(b"tEXtccv3\0") == 1
    assert b"Author\0me" in once
    assert read_png(once).name == "Mo"
    with Image.open(io.BytesIO(once)) as found:
        old = json.loads(base64.b64decode(found.text["chara"]))
    assert (old["spec"], old["data"]["name"]) == ("chara_card_v2", "Mo")
    assert write_card(card, b"", ".png").startswith(SIGNATURE)


def data_of(**values: object) -> bytes:
    return json.dumps({"data": {"name": "x", **values}}).encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "damaged"),
        (b"hello", "neither"),
        (b"\xff\xfe\0x", "neither"),
        (b"[]", "neither"),
        (b"{", "not valid JSON (1:2)"),
        (b'{"data": {"name": "x", "a": NaN}}', "not valid JSON (NaN)"),
        (b'{"data": {"name": "x", "a": 1e999}}', "not valid JSON (1e999)"),
        (b'{"data": {"name": "x", "a": ' + b"9" * 5000 + b"}}", "not valid JSON"),
        (b'{"data": ' + b"[" * 100 + b"]" * 100 + b"}", "nested"),
        (b'{"a": ' + b"[" * 500_000, "nested"),
        (b"{}", "does not have the fields"),
        (b'{"data": []}', "does not have the fields"),
        (b'{"data": {"name": " "}}', "no name"),
        (b'{"entries": {"0": {"key": ["x"]}}}', "world book"),
        (b'{"x": "' + b"x" * 16_000_001 + b'"}', "16 MB"),
        (png(), "no character card"),
        (png((b"tEXt", b"chara\0%%%")), "damaged"),
        (png((b"tEXt", b"chara\0" + packed([1]))), "does not have the fields"),
        (png((b"zTXt", b"chara\0\0" + b"no zlib")), "damaged"),
        (png((b"zTXt", b"chara\0\0" + zlib.compress(b" " * 25_000_000))), "24 MB"),
        (png((b"tEXt", b"chara\0" + b"A" * 24_000_001)), "24 MB"),
        (png(size=(60_000, 60_000)), "60000 × 60000"),
        (SIGNATURE + b"\0\0\0\1IHDR\0\0\0\0\0", "damaged"),
        (png()[:-8], "damaged"),
        (SIGNATURE + b"\x7f\xff\xff\xffIHDR" + b"\0" * 40, "damaged"),
        (archive({"other.json": b"{}"}), "neither"),
        (archive({"card.json": b"{}", "../../evil": b"x"}), "paths outside of it"),
        (archive({"card.json": b"{}", "C:\\evil": b"x"}), "paths outside of it"),
        (archive({"/etc/x": b"x"}), "paths outside of it"),
        (archive({"card.json": b" " * 16_000_001}), "16 MB"),
        (archive({str(n): b"" for n in range(5001)}), "5000"),
        (archive({"card.json": b"{}"})[:60], "damaged"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_files_are_refused_with_the_reason_and_the_advice(data: bytes, reason: str) -> None:
    told = refused(data)
    assert reason in told
    assert told.startswith("x.png can't be imported")
    assert told.endswith("Nothing was changed.")


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"description": 3}, "data.description"),
        ({"description": "x" * 100_001}, "data.description"),
        ({"alternate_greetings": {}}, "data.alternate_greetings"),
        ({"alternate_greetings": ["x"] * 101}, "data.alternate_greetings"),
        ({"alternate_greetings": ["x" * 100_001]}, "data.alternate_greetings"),
        ({"character_book": []}, "data.character_book"),
        ({"character_book": {"entries": 5}}, "data.character_book.entries"),
        ({"character_book": {"entries": [{}] * 5001}}, "data.character_book.entries"),
        ({"character_book": {"entries": [1, {}]}}, "data.character_book.entries.0"),
        ({"character_book": {"entries": [{"keys": [1]}]}}, "data.character_book.entries.0.keys"),
    ],
)
def test_an_invalid_part_is_named_and_kept_in_the_card(
    values: dict[str, object], place: str
) -> None:
    card, _ = read_card(data_of(**values, personality="kind"))
    assert (card.name, card.personality) == ("x", "kind")
    assert [one.params["place"] for one in card.problems] == [place]
    key, value = next(iter(values.items()))
    written = write_card(card, b"", ".json")
    assert json.loads(written)["data"][key] == value, "nothing of it is lost"
    assert change_card(card, personality="calm").problems == card.problems


def test_variants_of_other_programs_are_read() -> None:
    entries = {"7": {"keys": "cat, dog，鱼", "content": "c"}, "8": {"keys": ["x"], "content": "d"}}
    data = data_of(
        character_book={"entries": entries}, alternate_greetings="Hi", nickname="n" * 300
    )
    card, _ = read_card(data)
    assert card.book is not None and card.problems == ()
    assert [one.keys for one in card.book.entries] == [("cat", "dog", "鱼"), ("x",)]
    assert card.alternates == ("Hi",) and len(card.nickname) == 60
    unpadded = base64.b64encode(b"\xef\xbb\xbf" + data).rstrip(b"=")
    assert read_card(png((b"tEXt", b"chara\0" + unpadded)))[0].name == "x"
    assert read_card(b"\xef\xbb\xbf" + data)[0] == card


def test_a_card_without_a_name_gets_the_name_of_the_file(tmp_path: Path) -> None:
    for content in (
        data_of(name=""),
        png((b"tEXt", b"chara\0" + packed({"data": {"name": None}}))),
    ):
        file = tmp_path / "The Librarian.card"
        file.write_bytes(content)
        card, _ = read_file(file)
        assert card.name == "The Librarian"
        assert write_tree(card)["data"]["name"] == "The Librarian"


def test_a_change_that_can_not_be_used_completely_is_refused() -> None:
    card, _ = read_card(data_of(description="x" * 100_001))
    with pytest.raises(CardFault, match="longer"):
        change_card(card, scenario="y" * 100_001)


WORLD = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["/drag(on|ons)/i", "wyrm"],
            "keysecondary": ["fire"],
            "comment": "Dragons",
            "content": "They sleep.",
            "constant": False,
            "selective": True,
            "selectiveLogic": 3,
            "order": 7,
            "position": 0,
            "disable": False,
            "scanDepth": 9,
            "caseSensitive": None,
            "matchWholeWords": True,
            "preventRecursion": True,
            "excludeRecursion": False,
        },
        "1": {"uid": 1, "key": ["x"], "content": "Off.", "disable": True, "position": 4},
    }
}


def test_separate_world_books(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    file.write_text(json.dumps(WORLD))
    book, odd = read_world_file(file)
    dragons, off = book.entries
    assert odd == ()
    assert (dragons.keys, dragons.secondary) == (("/drag(on|ons)/i", "wyrm"), ("fire",))
    assert (dragons.name, dragons.order, dragons.at, dragons.depth) == ("Dragons", 7, "before", 9)
    assert (dragons.logic, dragons.regex, dragons.whole, dragons.wakes) == (
        "all",
        True,
        True,
        False,
    )
    assert (off.enabled, off.at) == (False, "end")
    assert merge_books(None, book) is book
    assert merge_books(book, book).entries == book.entries
    assert merge_books(Lorebook((LoreEntry(("a",), "A"),), budget=5), book).budget == 5
    card = change_card(read_card(data_of())[0], book=book)
    again, _ = read_card(write_card(card, b"", ".json"))
    assert again.book == book, "a card holds all of it"


@pytest.mark.parametrize(
    "tree",
    [
        {"spec": "lorebook_v3", "data": {"entries": [{"keys": ["cat"], "content": "c"}]}},
        {"lorebookVersion": 5, "entries": [{"keys": ["cat"], "text": "c", "enabled": True}]},
        {"kind": "memory", "entries": [{"keywords": ["cat"], "entry": "c", "weight": 1}]},
        {"data": {"name": "x", "character_book": {"entries": [{"keys": ["cat"], "content": "c"}]}}},
    ],
)
def test_world_books_of_other_programs(tmp_path: Path, tree: object) -> None:
    file = tmp_path / "world.json"
    file.write_text(json.dumps(tree))
    ((entry,),) = ([*read_world_file(file)[0].entries],)
    assert (entry.keys, entry.content) == (("cat",), "c")


def test_other_files_are_no_world_books(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    for content in (data_of(), b'{"entries": {}}', png((b"tEXt", b"chara\0" + packed(MIMI)))):
        file.write_bytes(content)
        if content.startswith(SIGNATURE):
            assert read_world_file(file)[0].entries
            continue
        with pytest.raises(CardRefused, match="no world book"):
            read_world_file(file)


def test_an_encrypted_archive_is_reported() -> None:
    data = bytearray(archive({"card.json": b"{}"}))
    at = data.index(b"PK\1\2")
    data[at + 8] |= 1
    data[6] |= 1
    assert "encrypted" in refused(bytes(data))


def test_an_archive_with_false_sizes_is_no_bomb() -> None:
    data = bytearray(archive({"card.json": b" " * 4_500_000}))
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = struct.pack("<I", 10)
    with pytest.raises(CardFault):
        read_charx(bytes(data))


def test_the_picture_of_an_archive_is_the_one_that_the_card_names() -> None:
    assets = [
        7,
        {"type": "icon", "uri": "https://example.com/x.png"},
        {"type": "icon", "uri": "embeded://a/b.png"},
    ]
    card = json.dumps({"data": {"name": "x", "assets": assets}}).encode()
    assert read_card(archive({"card.json": card, "a/b.png": b"pic"}))[1] == b"pic"
    assert read_card(archive({"card.json": card}))[1] == b""


def test_a_refused_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(b"nothing")
    with pytest.raises(CardRefused) as caught:
        read_file(file)
    assert caught.value.params["file"] == "a.png"
    with file.open("wb") as grown:
        grown.truncate(60_000_001)
    with pytest.raises(CardRefused, match="60 MB"):
        read_file(file)
    with pytest.raises(CardFault):
        read_card(bytes(60_000_001))


def test_portraits_of_others_are_encoded_again_or_left_out() -> None:
    with Image.open(io.BytesIO(make_portrait(write_card(Card("x"), b"", ".png")))) as found:
        assert (found.format, found.size) == ("PNG", (256, 256))
    assert make_portrait(b"no picture") == b""
    assert make_portrait(png(size=(60_000, 60_000))) == b""
    assert make_portrait(png(size=(7_000, 7_000))) == b""


def test_lone_surrogates_are_replaced_when_written() -> None:
    card, _ = read_card(
        b'{"data": {"name": "x\\ud800", "description": "a\\ud83db", "o": "\\ud800"}}'
    )
    assert card.description == "a\ufffdb"
    assert read_card(write_card(card, b"", ".json"))[0] == card


def test_a_card_is_changed_with_its_tree() -> None:
    card, _ = read_card(json.dumps(MIMI).encode())
    changed = change_card(card, name="Mo", book=None)
    data = write_tree(changed)["data"]
    assert (changed.name, data["name"], data["tags"]) == ("Mo", "Mo", ["cat"])
    assert "character_book" not in data
    assert card.book is not None
    entry = card.book.entries[0]
    more = (replace(entry, content="No fish."), replace(entry, keys=("dog",), content="Wuff"))
    changed = change_card(card, book=replace(card.book, entries=more, budget=9, name="B"))
    book = write_tree(changed)["data"]["character_book"]
    assert [(e["content"], e.get("odd")) for e in book["entries"]] == [
        ("No fish.", 1),
        ("Wuff", None),
    ]
    assert (book["strange"], book["token_budget"], book["name"]) == (True, 9, "B")
    with pytest.raises(CardFault):
        change_card(card, name="\n")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "name",
    "description",
    "first_mes",
    "alternate_greetings",
    "character_book",
    "entries",
    "keys",
    "content",
    "extensions",
    "insertion_order",
    "scan_depth",
    "selectiveLogic",
    "data",
)
ODD = st.recursive(
    JSON,
    lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(ODD)
def test_any_input_is_a_card_or_refused(tree: object) -> None:
    data = {"data": {"name": "x", **(tree if isinstance(tree, dict) else {"a": tree})}}
    for one in (tree, data):
        try:
            card = read_tree(one)
        except CardFault:
            continue
        assert read_tree(write_tree(card)) == read_tree(write_tree(read_tree(write_tree(card))))
        assert card.name


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(min_size=1), JSON, max_size=5), st.text())
def test_unknown_fields_are_written_unchanged(odd: dict[str, object], text: str) -> None:
    odd = {f"x{key}": value for key, value in odd.items()}
    tree = {"data": {"name": "x", "description": text, "extensions": odd, **odd}}
    for suffix in (".json", ".png", ".charx"):
        card, _ = read_card(write_card(read_tree(tree), b"", suffix))
        data = write_tree(card)["data"]
        assert {key: data[key] for key in odd} == odd
        assert data["extensions"] == odd


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", SIGNATURE, b"PK\3\4", b"{", png()[:40]]))
def test_any_bytes_give_at_most_a_refusal(data: bytes, start: bytes) -> None:
    try:
        read_card(start + data)
    except CardFault as refusal:
        assert refusal.reason


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 400), st.integers(0, 255))
def test_a_changed_byte_gives_at_most_a_refusal(at: int, byte: int) -> None:
    makers: list[Callable[[], bytes]] = [
        lambda: png((b"tEXt", b"ccv3\0" + packed(MIMI))),
        lambda: archive({"card.json": json.dumps(MIMI).encode()}),
    ]
    for make in makers:
        data = bytearray(make())
        data[at % len(data)] = byte
        try:
            card, picture = read_card(bytes(data))
        except CardFault:
            continue
        assert card.name
        make_portrait(picture)


def test_nonsensical_numbers_do_no_harm() -> None:
    entry = {"content": "x", "insertion_order": 1e300, "priority": True, "extensions": []}
    book = {"entries": [entry], "scan_depth": -5, "token_budget": 1e300}
    card = read_tree({"data": {"name": "x", "character_book": book}})
    assert card.book is not None
    assert (card.book.depth, card.book.budget) == (0, 10**9)
    assert math.isfinite(card.book.entries[0].order)
