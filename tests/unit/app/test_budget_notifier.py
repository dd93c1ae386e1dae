"""The user is warned at 80 % and at 100 % of the budget, once each, also after a restart."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from neodeskpet.app.engine import Engine
from neodeskpet.app.notifiers import BudgetNotifier
from neodeskpet.core.costs import RequestCost
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from tests.support.noon import noon
from tests.support.scenario import until
from tests.unit.app.engines import with_engine

__all__ = ["noon"]
pytestmark = pytest.mark.usefixtures("noon")
"""A budget is for a month: none ends here."""


class Mouth(QObject):
    """The companion, as far as questions are concerned."""

    answered = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.open = False

    def ask(
        self,
        key: str,
        words: str,
        choices: Any,
        *,
        sign: str,
        dismiss_choice: str,
        rank: BubbleRank,
    ) -> None:
        assert rank is BubbleRank.NOTICE  # nothing waits for the answer
        self.asked.append(words)
        self.open = True

    def withdraw(self, key: str) -> None:
        self.open = False


def begin(engine: Engine, mouth: Mouth) -> BudgetNotifier:
    talk = BudgetNotifier(
        engine, cast(CompanionPresenter, mouth), lambda _error: None, None, date.today
    )
    talk.start()
    return talk


def spend(engine: Engine, cost: float) -> None:
    engine.storage.store.spending.add(RequestCost("m", "chat", cost=cost, currency="usd"))


def test_each_warning_is_given_once(qapp: QApplication, tmp_path: Path) -> None:
    async def first(engine: Engine) -> None:
        mouth = Mouth()
        talk = begin(engine, mouth)
        spend(engine, 7.9)
        assert talk.summary_line() == ""
        engine.settings.change("spending", "budget", "10 USD")
        await until(lambda: "79 %" in talk.summary_line())
        assert mouth.asked == []
        spend(engine, 0.1)
        await until(lambda: bool(mouth.asked))
        assert mouth.asked == ["You have spent $8.00 of this month's budget of $10.00."]
        wanted: list[bool] = []
        talk.costs_requested.connect(lambda: wanted.append(True))
        mouth.answered.emit("other", "open")
        assert mouth.open
        mouth.answered.emit("budget", "open")
        assert (wanted, mouth.open) == ([True], False)
        spend(engine, 1.0)
        await until(lambda: "90 %" in talk.summary_line())
        await talk._work.wait_until_idle()
        assert len(mouth.asked) == 1
        await talk.close()

    async def second(engine: Engine) -> None:
        mouth = Mouth()
        talk = begin(engine, mouth)
        await until(lambda: "90 %" in talk.summary_line())
        await talk._work.wait_until_idle()
        assert mouth.asked == []
        spend(engine, 3.0)
        await until(lambda: bool(mouth.asked))
        assert "is used up ($12.00)" in mouth.asked[0]
        engine.settings.change("spending", "budget", "")
        await until(lambda: not mouth.open)
        await talk.close()

    with_engine(tmp_path, first)
    with_engine(tmp_path, second)
