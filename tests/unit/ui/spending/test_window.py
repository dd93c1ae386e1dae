"""The page of a month: its sums by day, model and conversation, and the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import StoreError
from neodeskpet.core.spending.budget import Budget
from neodeskpet.core.spending.sums import Month, Part, Sum
from neodeskpet.language import set_language
from neodeskpet.ui.spending.window import SpendingWindow
from neodeskpet.ui.spending.words import costs, sum_line
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, until

PAID = Sum(2, 1000, 200, 0, 3.0, 2, {"USD": 4.0})
MIXED = Sum(3, 10, 5, 0, 1.0, 1, {"CNY": 1.0})
NOVEMBER = Month(
    [Part("2026-11-01", PAID), Part("2026-11-23", MIXED)],
    [Part("fine-model", PAID), Part("", MIXED)],
    [
        Part("c", PAID, "Cats"),
        Part("d", MIXED, ""),
        Part("gone", MIXED),
        Part("", MIXED, purpose="title"),
        Part("", MIXED, purpose="other"),
    ],
)


class Ledger:
    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []
        self.broken = False
        self.hear: Callable[[str], object] = lambda _conversation: None

    async def month(self, year: int, month: int) -> Month:
        self.asked.append((year, month))
        if self.broken:
            raise StoreError
        return NOVEMBER if month == 11 else Month()

    def observe(self, hear: Callable[[str], object]) -> Callable[[], None]:
        self.hear = hear
        return lambda: None


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def budgets() -> list[Budget]:
    return []


@pytest.fixture
def window(qtbot: QtBot, ledger: Ledger, budgets: list[Budget]) -> Iterator[SpendingWindow]:
    made = SpendingWindow(
        LIGHT, ledger, lambda: budgets[-1] if budgets else None, lambda: date(2026, 11, 23)
    )
    qtbot.addWidget(made)
    yield made
    made.close()


def test_sums_in_words() -> None:
    assert sum_line(PAID) == "2 requests · 1,200 tokens · 3.0 s · $4.00"
    assert costs(MIXED) == "≥ ¥1.00"
    assert costs(PAID + MIXED) == "≥ ¥1.00 + $4.00"
    assert costs(Sum(1)) == "—"
    assert sum_line(Sum(1, 1, 1)).startswith("one request")


def test_by_day_by_model_and_by_conversation(
    window: SpendingWindow, ledger: Ledger, budgets: list[Budget]
) -> None:
    async def scenario() -> None:
        window.show()
        await until(lambda: len(window.rows()) == 2)
        set_language("zh_CN")
        window.retranslate()
        assert window.name.text() == "2026年11月"
        set_language("en")
        window.retranslate()
        assert window.name.text() == "November 2026"
        assert window.total.text().startswith("5 requests")
        assert [row[1:] for row in window.rows()][1] == [
            *("2", "1,000", "200", "3.0 s", "$4.00"),
        ]
        assert not window.after.isEnabled()
        assert window.gone.isHidden()
        window.views.button("models").click()
        assert [row[0] for row in window.rows()] == ["fine-model", "—"]
        window.views.button("conversations").click()
        assert [row[0] for row in window.rows()] == [
            *("Cats", "New conversation", "(A deleted conversation)"),
            *("Titles of conversations", "Other requests"),
        ]
        wanted: list[str] = []
        window.conversation_wanted.connect(wanted.append)
        for at in range(5):
            row = window.table.topLevelItem(at)
            assert row is not None
            window.table.itemActivated.emit(row, 0)
        assert wanted == ["c", "d"]

        budgets.append(Budget(5, "USD"))
        ledger.hear("c")
        await until(lambda: "80 %" in window.of_budget.text())
        assert window.gone.value() == 80
        window.set_theme(DARK)
        window.retranslate()
        window.before.click()
        await until(lambda: window.total.text() == "No model was asked in this month.")
        assert window.name.text() == "October 2026"
        assert window.after.isEnabled()
        ledger.broken = True
        window.after.click()
        await until(lambda: "month" not in window.total.text())
        await window.finish()

    play(scenario())


def test_nothing_is_read_while_it_is_not_to_be_seen(window: SpendingWindow, ledger: Ledger) -> None:
    ledger.hear("c")
    assert ledger.asked == []
