"""The cards about the user and about further companions."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.ui.settings.people_pages import OtherCompanionsPage, UserPage
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, until
from tests.unit.ui.settings.doubles import live_settings, section


class Facts:
    def __init__(self) -> None:
        self.number = 12
        self.opened = 0
        self.fails: KnownError | None = None

    async def count(self) -> int:
        if self.fails is not None:
            raise self.fails
        return self.number

    def open(self) -> None:
        self.opened += 1


class Others:
    def __init__(self) -> None:
        self.here: list[str] = []
        self.opened = 0
        self.fails: KnownError | None = None
        self.observers: list[Callable[[], None]] = []

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    async def names(self) -> Sequence[str]:
        if self.fails is not None:
            raise self.fails
        return self.here

    def open(self) -> None:
        self.opened += 1


def test_the_card_of_the_user_counts_the_facts_and_opens_them(qtbot: QtBot, tmp_path: Path) -> None:
    facts = Facts()
    page = UserPage(section("you"), live_settings(tmp_path), facts, LIGHT)
    qtbot.addWidget(page)

    async def scenario() -> None:
        page.retranslate()
        assert page.facts_row.title.text() == "What Neo knows about you"
        page.show()
        await until(lambda: page.facts_row.note.text() == "12 facts")
        page.open.click()
        assert facts.opened == 1
        page.hide()
        facts.fails = ModelFileError("the disk is broken", file="memory.db")
        page.show()
        await until(page.facts_row.error_label.isVisible)
        await page.aclose()

    play(scenario())


def test_the_card_of_the_others_names_who_is_here(qtbot: QtBot, tmp_path: Path) -> None:
    others = Others()
    page = OtherCompanionsPage(section("guests"), live_settings(tmp_path), others, LIGHT)
    qtbot.addWidget(page)

    async def scenario() -> None:
        page.retranslate()
        assert page.invite_row.title.text() == "Nobody else is here"
        page.show()
        others.here = ["Mochi", "Luna"]
        for tell in tuple(others.observers):
            tell()
        await until(lambda: page.invite_row.title.text() == "Here now: Mochi, Luna")
        page.invite.click()
        assert others.opened == 1
        others.fails = ModelFileError("it is broken", file="a.png")
        others.observers[0]()
        await until(page.invite_row.error_label.isVisible)
        await page.aclose()

    play(scenario())
    assert others.observers == []
