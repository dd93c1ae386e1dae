"""A newer version is searched when the user wants it, and reported; nothing is replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from PySide6.QtWidgets import QPushButton

from neodeskpet.ui.settings.updates_page import UpdatesPage
from tests.support.desk import DeskStory
from tests.support.tlsserver import tls_site
from tests.unit.app.vectors import KEY, NOTE, SIGNATURE

Play = Callable[..., None]


def page_of(person: DeskStory) -> UpdatesPage:
    person.desk.side_windows.show_settings("updates")
    return cast(UpdatesPage, person.desk.side_windows.settings.pages["updates"])


def test_no_request_is_sent_until_the_user_asks(
    desk_story: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {"/latest.json": NOTE, "/latest.json.minisig": SIGNATURE.encode()}

    async def story(person: DeskStory) -> None:
        settings, bubble = person.desk.engine.settings, person.desk.companion.bubble
        page = page_of(person)
        assert not settings.settings.updates.look
        page.look.click()
        await person.until(
            lambda: "has no address for updates" in page.row.error_label.text(),
            "nobody says why not",
        )

        settings.change("updates", "address", f"{site}/latest.json")
        settings.change("updates", "key", KEY)
        page.look.click()
        await person.until(lambda: "0.2.0" in page.row.note.text(), "the release isn't told")
        assert "Figures blink." in page.row.note.text()
        assert not page.get.isHidden()

        settings.change("updates", "look", True)
        await person.until(lambda: "0.2.0" in bubble.page_text, "the companion doesn't tell")
        assert bubble.choices == ["What is new?", "Later"]
        assert "Figures blink." in page.row.note.text()

        pages["/latest.json"] = NOTE.replace(b"0.2.0", b"0.3.0")
        page.look.click()
        await person.until(
            lambda: "not signed" in page.row.error_label.text(), "a forged note is believed"
        )
        assert "changed after it was signed" in page.row.error_label.text()
        assert page.get.isHidden()

    with tls_site(pages) as (site, certificate):
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        desk_story(story)


def test_the_notes_of_a_new_version_are_shown_by_the_companion(
    desk_story: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {"/latest.json": NOTE, "/latest.json.minisig": SIGNATURE.encode()}

    async def story(person: DeskStory) -> None:
        settings, bubble = person.desk.engine.settings, person.desk.companion.bubble
        settings.change("updates", "address", f"{site}/latest.json")
        settings.change("updates", "key", KEY)
        settings.change("updates", "look", True)
        await person.until(lambda: "0.2.0" in bubble.page_text, "the companion doesn't tell")
        show = next(one for one in bubble.findChildren(QPushButton) if one.text() == "What is new?")
        show.click()
        assert not bubble.is_speaking
        page = page_of(person)
        await person.until(page.isVisible, "its page isn't shown")
        assert "Figures blink." in page.row.note.text()
        assert not page.get.isHidden()

    with tls_site(pages) as (site, certificate):
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        desk_story(story)
