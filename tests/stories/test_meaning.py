"""Messages are found by similarity once an embedding model is chosen; they are sent to no other
service, and not at all if the user doesn't want it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest import TempPathFactory

from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

Play = Callable[..., None]

ANIMALS = ("kitten", "animals", "puppy")


def offer(home: Path, url: str, *, chosen: bool = True) -> None:
    document = {
        "endpoints": [{"name": "e", "protocol": "openai", "base_url": url}],
        "models": [{"endpoint": "e", "id": name} for name in ("talker", "embed-1", "embed-2")],
        "purposes": {"chat": "talker", **({"embedding": "embed-1"} if chosen else {})},
    }
    (home / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")


class Embeddings:
    """Animals are on one side, everything else on the other. `down`: it fails."""

    def __init__(self, server: ScriptedServer) -> None:
        self.down = False
        self.read: list[tuple[str, str]] = []
        server.inspect = self._answer

    def _answer(self, request: Request) -> Reply | None:
        if not request.path.endswith("/embeddings"):
            return None
        if self.down:
            return Reply([{"error": {"message": "no such thing"}}], status=400)
        texts = request.body["input"]
        self.read += [(request.body["model"], one) for one in texts]
        rows: list[dict[str, Any]] = [
            {"index": at, "embedding": [1.0, 0.25] if _animal(one) else [0.0, 1.0]}
            for at, one in enumerate(texts)
        ]
        return Reply([{"data": rows, "model": request.body["model"]}])

    def texts(self, model: str = "embed-1") -> list[str]:
        return [one for name, one in self.read if name == model]


def _animal(said: str) -> bool:
    return any(word in said for word in ANIMALS)


async def ask(person: DeskStory, server: ScriptedServer, words: str) -> str:
    """Return what the model was sent with this message, in a new conversation."""
    engine = person.desk.engine
    await engine.memory.indexer.catch_up_changes()
    await engine.chat.open_new()
    server.reply(text("Hm."), *end())
    person.type(words)
    await person.idle()
    talks = [one for one in server.requests if not one.path.endswith("/embeddings")]
    return json.dumps(talks[-1].body, ensure_ascii=False)


def test_it_is_found_by_its_meaning_and_deleted_with_it(
    tmp_path: Path, desk_story: Play, server: ScriptedServer
) -> None:
    offer(tmp_path, server.url)
    service = Embeddings(server)
    question = "Which animals live here?"

    async def story(person: DeskStory) -> None:
        engine = person.desk.engine
        await ask(person, server, "Biscuit is my kitten")
        await ask(person, server, "Our roof leaks again")
        await engine.memory.indexer.catch_up_changes()
        await person.until(lambda: "Our roof leaks again" in service.texts())
        await ask(person, server, question)
        await person.until(lambda: service.texts().count(question) >= 1)
        assert "Biscuit is my kitten" in await ask(person, server, question)
        assert engine.memory.embeddings.messages.progress.model == "embed-1"

        (found, *_) = await engine.memory.store.search("kitten", engine.memory.indexer.clock(), 1)
        await engine.forget([found.item.id])
        assert found.item.id not in await engine.memory.store.vectors.list_marks()
        assert "Biscuit" not in await ask(person, server, question)

        service.down = True
        assert "Our roof leaks" in await ask(person, server, "What about the roof then?")

    desk_story(story)
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"Biscuit" in one for one in kept)


def test_nothing_is_sent_without_a_request(
    tmp_path: Path, desk_story: Play, server: ScriptedServer
) -> None:
    offer(tmp_path, server.url, chosen=False)
    service = Embeddings(server)

    async def story(person: DeskStory) -> None:
        await ask(person, server, "Biscuit is my kitten")
        await ask(person, server, "Which animals live here?")
        await person.desk.engine.memory.embeddings.messages.index_missing()
        assert service.read == []

    desk_story(story)


def test_another_model_reads_everything_again_and_off_is_off(
    tmp_path: Path, desk_story: Play, server: ScriptedServer
) -> None:
    offer(tmp_path, server.url)
    service = Embeddings(server)

    async def story(person: DeskStory) -> None:
        engine = person.desk.engine
        await ask(person, server, "Biscuit is my kitten")
        await engine.memory.indexer.catch_up_changes()
        await person.until(lambda: "Biscuit is my kitten" in service.texts())
        document = json.loads((tmp_path / "llm-config.json").read_text(encoding="utf-8"))
        document["purposes"]["embedding"] = "embed-2"
        (tmp_path / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")
        engine.models.catalog_file.refresh()
        await person.until(lambda: "Biscuit is my kitten" in service.texts("embed-2"))
        await person.until(lambda: engine.memory.embeddings.messages.progress.is_complete)

        engine.settings.change("memory", "recall", False)
        before = len(service.read)
        await ask(person, server, "The puppy ran away")
        await engine.memory.indexer.catch_up_changes()
        await engine.memory.embeddings.messages.index_missing()
        assert len(service.read) == before

    desk_story(story)


def test_documents_are_found_by_their_meaning_and_leave_nothing(
    tmp_path: Path, desk_story: Play, server: ScriptedServer, tmp_path_factory: TempPathFactory
) -> None:
    offer(tmp_path, server.url)
    service = Embeddings(server)
    papers = tmp_path_factory.mktemp("papers")
    for at, said in enumerate(("A shed.", "A pond.", "A gate.", "A wall.", "A well.")):
        (papers / f"{at}.txt").write_text(said, encoding="utf-8")
    (papers / "barn.txt").write_text("Rollo the puppy guards the barn.", encoding="utf-8")
    question = "Which animals live here?"

    async def story(person: DeskStory) -> None:
        engine = person.desk.engine
        source = await engine.memory.knowledge.indexer.add_path(papers)
        known = engine.memory.embeddings.documents
        await person.until(lambda: known.progress.is_complete and known.progress.done == 6)
        await ask(person, server, question)
        await person.until(lambda: question in service.texts())
        assert "Rollo the puppy" in await ask(person, server, question)
        await engine.memory.knowledge.indexer.remove(source)
        assert await engine.memory.knowledge.store.vectors.list_marks() == {}
        assert "Rollo" not in await ask(person, server, question)

    desk_story(story)
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"Rollo" in one for one in kept)
