"""The whole engine with a scripted model, a web site on loopback, and a simulated user whose
answers are counted.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.conversation.ports import ApprovalQuestion, Decision
from neodeskpet.core.blocks import Message, ToolUse
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem
from tests.support.services import Talk


@dataclass
class Site:
    """`pages` by path; a page that begins with "http" redirects there. `asked` are the paths that
    were requested.
    """

    url: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@contextmanager
def web_site(pages: Mapping[str, str]) -> Iterator[Site]:
    """A site on loopback; `{url}` in a page is its address."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            site.asked.append(self.path)
            page = site.pages.get(self.path.split("?")[0], "Nothing.")
            moved = page.startswith("http")
            body = b"" if moved else page.encode()
            self.send_response(302 if moved else 200)
            if moved:
                self.send_header("Location", page)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    site.pages = {path: page.replace("{url}", site.url) for path, page in pages.items()}
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Person:
    """Answers each question with `allows`, and remembers it."""

    allows: bool = False
    asked: list[ApprovalQuestion] = field(default_factory=list)

    async def ask(self, question: ApprovalQuestion) -> Decision:
        self.asked.append(question)
        return Decision(self.allows)

    @property
    def names(self) -> list[str]:
        """The tools that asked."""
        return [one.spec.name for one in self.asked]


@dataclass
class Scene:
    engine: Engine
    person: Person
    model: ScriptedModel

    async def say(self, text: str, *responses: Sequence[ScriptItem]) -> Message:
        """Have the user say this, and the model answer with these responses."""
        self.model.add(*responses)
        return await Talk(self.engine).say(text)

    def results(self, reply: Message) -> list[ToolUse]:
        return [block for block in reply.blocks if isinstance(block, ToolUse)]


def flow_scene(
    home: Path,
    work: Callable[[Scene], Awaitable[None]],
    *,
    allows: bool = False,
    recall: bool = False,
    speaks: Callable[[Engine], None] = lambda engine: None,
) -> None:
    """Run `work` with an engine in `home` that may fetch from loopback."""

    async def live() -> None:
        person, model = Person(allows), ScriptedModel()
        options = RunOptions(is_address_allowed=lambda ip: True, memory=recall)
        engine = await open_engine(home, options=options, model=model, approver=person)
        try:
            await engine.chat.open_new()
            speaks(engine)
            await work(Scene(engine, person, model))
        finally:
            await engine.aclose()

    asyncio.run(live())
