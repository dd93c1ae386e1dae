"""Facts as the app uses them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from neodeskpet.memory.facts import fact_rows
from neodeskpet.memory.facts.fact import Fact, FactClaim, FactOutcome, FactSource, StoredFact
from neodeskpet.memory.facts.fact_extraction import find_claim
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from tests.unit.memory.recall.test_memory_store import NOW, SECRET, copy_aside, holds, item, play


async def keep(book: MemoryStore, text: str, message: str = "", **more: int) -> StoredFact:
    source = FactSource(message, "c") if message else None
    return await book.facts.add(text, find_claim(text), source, NOW + timedelta(**more))


async def texts(book: MemoryStore, query: str = "") -> list[str]:
    return [fact.text for fact in await book.facts.list_facts(query)]


def test_a_repeated_statement_is_one_fact() -> None:
    async def scene(book: MemoryStore) -> None:
        heard: list[int] = []
        end = book.facts.subscribe(lambda: heard.append(1))
        first = await keep(book, "I live in Munich", "m1")
        again = await keep(book, "Actually I live in Munich", "m2", days=1)
        assert (first.outcome, again.outcome) == (FactOutcome.NEW, FactOutcome.KNOWN)
        assert again.fact.sources == (FactSource("m1", "c"), FactSource("m2", "c"))
        (fact,) = await book.facts.list_facts()
        assert fact.time == NOW + timedelta(days=1) and fact.sources == again.fact.sources
        await keep(book, "I have two kids", "m1")
        assert (await keep(book, "i have two kids!", "m3")).outcome is FactOutcome.KNOWN
        assert await texts(book, "KIDS two") == ["I have two kids"]
        await book.facts.set_pinned(first.fact.id, True)
        assert [fact.pinned for fact in await book.facts.list_facts()] == [True, False]
        assert await book.facts.list_relevant("How are the kids?", 1) == [await _first(book)]
        end()
        assert len(heard) == 5

    play(None, scene)


async def _first(book: MemoryStore) -> Fact:
    return (await book.facts.list_facts())[0]


def test_a_contradiction_waits_for_the_user() -> None:
    async def scene(book: MemoryStore) -> None:
        old = (await keep(book, "I live in Munich", "m1")).fact
        kept = await keep(book, "I live in Berlin", "m2")
        assert (kept.outcome, kept.conflicting_fact, kept.fact.conflicting_id) == (
            FactOutcome.CONTRADICTS,
            old,
            old.id,
        )
        assert sorted(await texts(book)) == ["I live in Berlin", "I live in Munich"]
        await book.facts.resolve_conflict(kept.fact.id, old.id)
        (fact,) = await book.facts.list_facts()
        assert (fact.text, fact.conflicting_id) == ("I live in Berlin", "")
        likes = await keep(book, "I love coffee", "m3")
        hates = await keep(book, "I hate coffee", "m4")
        assert hates.conflicting_fact == likes.fact
        await book.facts.keep_both(hates.fact.id)
        assert not any(fact.conflicting_id for fact in await book.facts.list_facts())
        third = await keep(book, "I live in Rome", "m5")
        await book.facts.delete([third.fact.conflicting_id])
        assert not any(fact.conflicting_id for fact in await book.facts.list_facts())

    play(None, scene)


def test_a_new_statement_resolves_a_contradiction() -> None:
    async def scene(book: MemoryStore) -> None:
        old = (await keep(book, "I live in Munich", "m1")).fact
        await keep(book, "I live in Berlin", "m2")
        said = "I live in Ulm"
        revised = await book.facts.replace(
            old.id, said, find_claim(said), FactSource("m3", "c"), NOW
        )
        assert revised is not None and await texts(book) == ["I live in Ulm"]
        assert (
            await book.facts.replace("nobody", said, FactClaim(), FactSource("m3", "c"), NOW)
            is None
        )
        new = (await keep(book, "I live in Rome", "m4")).fact
        await book.facts.replace(new.id, said, find_claim(said), FactSource("m5", "c"), NOW)
        assert await texts(book) == ["I live in Ulm"]

    play(None, scene)


def test_a_fact_is_deleted_with_its_source() -> None:
    async def scene(book: MemoryStore) -> None:
        await keep(book, "I live in Munich", "m1")
        await keep(book, "I live in Munich", "m2")
        await keep(book, "I have two kids", "m1")
        pinned = await keep(book, "I hate mushrooms", "m1")
        await book.facts.set_pinned(pinned.fact.id, True)
        await book.facts.add("I own a bike", FactClaim(), None, NOW, own=True)
        await book.delete_messages(["m1"])  # deleted in the conversation
        assert sorted(await texts(book)) == ["I hate mushrooms", "I live in Munich", "I own a bike"]
        await keep(book, "I hate mushrooms", "m2")
        await book.delete(["m2"])  # Deleted permanently: nothing of it is left.
        assert await texts(book) == ["I own a bike"]
        await book.expire(NOW + timedelta(days=9))
        assert await texts(book) == ["I own a bike"]
        await keep(book, "I like jazz", "m3")
        await book.expire(NOW + timedelta(days=9))
        await keep(book, "I like jazz", "m4")
        assert await book.clear() == 2 and await texts(book) == []

    play(None, scene)


def test_a_deleted_fact_is_in_no_byte_and_not_read_again(tmp_path: Path) -> None:
    async def told(book: MemoryStore) -> None:
        kept = await keep(book, f"My cat is called {SECRET}", "m1")
        await book.facts.record_recalled("r", [kept.fact.id])
        assert await book.facts.recalled_for("r") == [kept.fact]
        changed = await keep(book, f"I work at {SECRET}", "m2")
        assert await book.facts.unread_messages(["m1", "m2"]) == ["m1", "m2"]
        await book.facts.mark_read(["m2"])
        assert await book.facts.unread_messages(["m1", "m2"]) == ["m1"]
        await book.facts.update(changed.fact.id, "I work at Siemens", NOW)

    async def forgot(book: MemoryStore) -> None:
        (cat,) = await book.facts.list_facts("cat")
        copy_aside(tmp_path)
        assert await book.facts.delete([cat.id, "nobody"]) == ["m1"]
        assert await book.facts.recalled_for("r") == []
        assert await book.facts.unread_messages(["m1"]) == []
        assert await book.facts.update("nobody", "x", NOW) is None
        (work,) = await book.facts.list_facts()
        assert work.by_user and work.claim == FactClaim("employer", "siemens")
        assert holds(tmp_path, SECRET) == []

    play(tmp_path / MEMORY_FILE, told, forgot)
    assert holds(tmp_path, SECRET) == []


def test_only_literal_quotes_of_the_user_are_found() -> None:
    async def scene(book: MemoryStore) -> None:
        await book.add(
            [
                item("m1", "Oh, and I’m a nurse. See you", message="m1"),
                item("m2", "> I am a pirate\nfunny", message="m2"),
                item("no", "I am a dentist"),
            ]
        )

        async def said(quote: str) -> str | None:
            found = await book.find_quote(quote, lambda one: one.message != "m0")
            return found[1] if found else None

        assert await said("i'm a nurse") == "Oh, and I’m a nurse."
        assert (
            await said("I am a pirate") is await said("I am a dentist") is await said("?") is None
        )
        assert await book.find_quote("I'm a nurse", lambda one: False) is None

    play(None, scene)


def test_an_export_contains_the_facts(tmp_path: Path) -> None:
    there = tmp_path / "out.jsonl"

    async def out(book: MemoryStore) -> None:
        await book.add([item("m1", "I live in Munich", message="m1")])
        await keep(book, "I live in Munich", "m1")
        assert await book.export_file(there) == 2

    async def back(book: MemoryStore) -> None:
        assert await book.import_file(there) == 2
        assert await book.import_file(there) == 1
        (fact,) = await book.facts.list_facts()
        assert fact.claim == FactClaim("home", "munich") and fact.sources == (
            FactSource("m1", "c"),
        )

    play(None, out)
    play(None, back)


def test_if_there_are_too_many_the_oldest_are_deleted() -> None:
    async def scene(book: MemoryStore) -> None:
        for number in range(3):
            await keep(book, f"I have {number + 1} cats", f"m{number}", days=number)
        await book._database.change(lambda db: fact_rows.delete_oldest_facts(db, most=2))
        assert await texts(book) == ["I have 3 cats", "I have 2 cats"]

    play(None, scene)


def test_a_correction_holds_and_stays(tmp_path: Path) -> None:
    async def scene(book: MemoryStore) -> None:
        said = item("a", "the kettle is red")
        await book.add([said])
        await book.set_pinned("a", True)
        assert await book.correct("a", "the kettle is blue")
        assert not await book.correct("nobody", "x")
        await book.add([said])  # read again
        (found,) = await book.get(["a"])
        assert (found.text, found.corrected, found.pinned) == ("the kettle is blue", True, True)
        assert [one.item.text for one in await book.search("kettle", NOW)] == [found.text]
        assert await book.expire(NOW + timedelta(days=1)) == 0
        await book.export_file(tmp_path / "out.jsonl")
        elsewhere = await MemoryStore.open(None)
        await elsewhere.import_file(tmp_path / "out.jsonl")
        assert await elsewhere.get(["a"]) == [replace(found, untrusted=True)]
        await elsewhere.correct("a", "the kettle is red")  # its own words are there too
        assert [one.corrected for one in await elsewhere.get(["a"])] == [False]
        await elsewhere.aclose()
        await book.correct("a", "the kettle is red")
        assert (await book.get(["a"]))[0].corrected is False
        await book.correct("a", "the kettle is green")
        await book.add([item("a", "another text")])
        assert (await book.get(["a"]))[0].text == "another text"

    play(tmp_path / MEMORY_FILE, scene)
