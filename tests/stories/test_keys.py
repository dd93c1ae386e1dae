"""A key is in the keyring, the environment or its own file, in a header, and nowhere else.

Turns with a marked key, with services that repeat it wherever they can, bugs whose text contains
it, the detailed log, both exports, the terminal; then everything that was written or printed is
searched.
"""

from __future__ import annotations

import base64
import logging
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from neodeskpet.app.crash_reports import log_bug
from neodeskpet.conversation.export_chats.export_format import ExportEntry, ExportFormat
from neodeskpet.conversation.export_chats.html_export import HtmlFormat
from neodeskpet.conversation.export_chats.text_export import JsonFormat, MarkdownFormat
from neodeskpet.core.blocks import ConversationInfo, Message, MessageState, Notice
from neodeskpet.platform.redaction import HIDDEN_MARK
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import key_name
from tests.support import terminal
from tests.support.providers import PROVIDERS
from tests.support.providers.provider import KEY, Call, ProviderServer, Say, Think
from tests.support.services import VARIABLE, Talk, notices, offer, talk_story
from tests.support.sseserver import event

DETAILED = {"data": {"detailed_log": True}}
FORMS = {
    KEY,
    quote(KEY, safe=""),
    quote(KEY),
    quote_plus(KEY),
    base64.b64encode(KEY.encode()).decode(),
    KEY[6:18],
}


@pytest.fixture(params=sorted(PROVIDERS))
def server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ProviderServer]:
    monkeypatch.setenv(VARIABLE, KEY)
    with ProviderServer(PROVIDERS[request.param]()) as running:
        offer(tmp_path, [running])
        yield running


def found_in(words: str) -> set[str]:
    return {form for form in FORMS if form in words}


def search(folder: Path, *, but: str = "") -> dict[str, set[str]]:
    """The files below `folder` (all but one) that contain the key in any form."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != but]
    assert len(files) >= 3
    found = {path.name: found_in(path.read_bytes().decode("latin-1")) for path in files}
    return {name: forms for name, forms in found.items() if forms}


def unread(server: ProviderServer) -> None:
    """The key came in one header and nowhere else."""
    for request in server.requests:
        assert KEY in " ".join(request.headers.values())
        assert not found_in(request.path)
        assert not found_in(str(request.body))


def test_nowhere_in_the_data_folder(
    tmp_path: Path, server: ProviderServer, capfd: pytest.CaptureFixture[str]
) -> None:
    told: list[Message] = []
    echo = f"the key {KEY} is wrong ({quote(KEY, safe='')})"

    async def story(talk: Talk) -> None:
        server.speak(Think("Hm."), Say("Let me see."), Call("calc_evaluate", {"expression": "6*7"}))
        server.speak(Say("It is 42."))
        reply = await talk.say("hello")
        assert (reply.state, reply.text) == (MessageState.DONE, "Let me see.\n\nIt is 42.")
        server.fail(echo, 401)
        assert notices(await talk.say("an error that echoes it")) == ["unauthorized"]
        server.reply(f"<html><body>{echo}</body></html>")
        assert notices(await talk.say("again")) == ["bad_reply"]
        server.speak(Say("Half a"), event(server.provider.error(echo, 400), "error"))
        assert notices(await talk.say("again")) == ["reply_error"]
        server.speak(Say("Half a"), f'data: {{"{echo}\n\n')
        assert notices(await talk.say("again")) == ["stream_broken"]
        server.reply("", status=302, headers={"Location": f"http://127.0.0.1:9/?key={KEY}"})
        assert notices(await talk.say("again")) == ["bad_reply"]
        logging.getLogger("neodeskpet.story").debug("It is %s: %s", KEY, {"key": KEY})
        log_bug(*bug())
        told.extend(await talk.messages())

    talk_story(tmp_path, story, DETAILED)
    unread(server)
    assert search(tmp_path) == {}
    assert not found_in(exported(tmp_path, told))
    out = capfd.readouterr()
    assert not found_in(out.out + out.err)
    assert "RuntimeError" in out.err
    log = (tmp_path / "logs" / "neodeskpet.log").read_text("utf-8")
    assert log.count(HIDDEN_MARK) >= 3
    assert "RuntimeError" in log
    details = [b.detail for m in told for b in m.blocks if isinstance(b, Notice)]
    assert all("is wrong" in detail for detail in details[:3]), "text other than the key is shown"


def exported(folder: Path, told: Sequence[Message]) -> str:
    """The conversation in every text format."""
    written = []
    for name, make in (
        ("a.json", JsonFormat),
        ("a.md", MarkdownFormat),
        ("a.html", lambda path: HtmlFormat(path, lambda formulas: [None for _ in formulas])),
    ):
        form: ExportFormat = make(folder / name)
        form.start(ConversationInfo("c", "Talk", 0.0, 0.0))
        for message in told:
            form.add(ExportEntry(message), {})
        form.finish()
        written.append((folder / name).read_text("utf-8"))
    assert all("It is 42." in one for one in written)
    return "".join(written)


def bug() -> tuple[type[BaseException], BaseException, None]:
    try:
        raise RuntimeError(f"a bug that knows {KEY}")
    except RuntimeError as error:
        return RuntimeError, error, None


def test_a_typed_key_is_only_in_its_own_file(tmp_path: Path) -> None:
    """Without a keyring: a file that only its owner can read."""
    with ProviderServer(PROVIDERS["openai"]()) as server:
        offer(tmp_path, [server])

        async def story(talk: Talk) -> None:
            talk.engine.storage.secrets.allow_file()
            talk.engine.storage.secrets.set(key_name(server.url), KEY)
            server.speak(Say("Hello."))
            assert (await talk.say("hello")).state is MessageState.DONE

        talk_story(tmp_path, story, DETAILED)
        unread(server)
    assert search(tmp_path, but=SECRETS_FILE) == {}
    file = tmp_path / SECRETS_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if sys.platform != "win32":
        assert KEY in file.read_text("utf-8")


@pytest.mark.parametrize("server", ["gemini"], indirect=True)
def test_nowhere_in_the_terminal(tmp_path: Path, server: ProviderServer) -> None:
    """The output of a turn, line by line, and of a failure."""
    server.speak(Say("Hello."))
    answered = terminal.run(tmp_path, "chat", "hello", "--json")
    server.fail(f"the key {KEY} is wrong", 401)
    refused = terminal.run(tmp_path, "chat", "hello", "--json")
    for outcome in (answered, refused):
        assert not found_in(outcome.out + outcome.err)
    assert (answered.code, refused.code) == (0, 1)
    assert refused.result["error"]["type"] == "unauthorized"
    unread(server)
    assert search(tmp_path) == {}
