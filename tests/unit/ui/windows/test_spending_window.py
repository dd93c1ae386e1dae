"""The page of a month: its sums by day, model and conversation, and the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.costs import CostGroup, CostSum, MonthlyBudget, MonthlyCosts
from neodeskpet.core.errors import StoreError
from neodeskpet.language import set_language
from neodeskpet.ui.formatting import format_costs, format_sum
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.windows.spending_window import SpendingWindow
from tests.support.scenario import play, until

PAID = CostSum(2, 1000, 200, 0, 3.0, 2, {"USD": 4.0})
MIXED = CostSum(3, 10, 5, 0, 1.0, 1, {"CNY": 1.0})
NOVEMBER = MonthlyCosts(
    [CostGroup("2026-11-01", PAID), CostGroup("2026-11-23", MIXED)],
    [CostGroup("fine-model", PAID), CostGroup("", MIXED)],
    [
        CostGroup("c", PAID, "Cats"),
        CostGroup("d", MIXED, ""),
        CostGroup("gone", MIXED),
        CostGroup("", MIXED, purpose="title"),
        CostGroup("", MIXED, purpose="other"),
    ],
)


class Ledger:
    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []
        self.broken = False
        self.hear: Callable[[str], object] = lambda _conversation: None

    async def get_month(self, year: int, month: int) -> MonthlyCosts:
        self.asked.append((year, month))
        if self.broken:
            raise StoreError
        return NOVEMBER if month == 11 else MonthlyCosts()

    def subscribe(self, hear: Callable[[str], object]) -> Callable[[], None]:
        self.hear = hear
        return lambda: None


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def budgets() -> list[MonthlyBudget]:
    return []


@pytest.fixture
def window(qtbot: QtBot, ledger: Ledger, budgets: list[MonthlyBudget]) -> Iterator[SpendingWindow]:
    made = SpendingWindow(
        LIGHT, ledger, lambda: budgets[-1] if budgets else None, lambda: date(2026, 11, 23)
    )
    qtbot.addWidget(made)
    yield made
    made.close()


def test_sums_in_words() -> None:
    assert format_sum(PAID) == "2 requests · 1,200 tokens · 3.0 s · $4.00"
    assert format_costs(MIXED) == "≥ ¥1.00"
    assert format_costs(PAID + MIXED) == "≥ ¥1.00 + $4.00"
    assert format_costs(CostSum(1)) == "—"
    assert format_sum(CostSum(1, 1, 1)).startswith("one request")


def test_by_day_by_model_and_by_conversation(
    window: SpendingWindow, ledger: Ledger, budgets: list[MonthlyBudget]
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
        assert window.total_label.text().startswith("5 requests")
        assert [row[1:] for row in window.rows()][1] == [
            "2",
            "1,000",
            "200",
            "3.0 s",
            "$4.00",
        ]
        assert not window.next_button.isEnabled()
        assert window.budget_bar.isHidden()
        window.views.button("models").click()
        assert [row[0] for row in window.rows()] == ["fine-model", "—"]
        window.views.button("conversations").click()
        assert [row[0] for row in window.rows()] == [
            "Cats",
            "New conversation",
            "(A deleted conversation)",
            "Titles of conversations",
            "Other requests",
        ]
        wanted: list[str] = []
        window.conversation_requested.connect(wanted.append)
        for at in range(5):
            row = window.table.topLevelItem(at)
            assert row is not None
            window.table.itemActivated.emit(row, 0)
        assert wanted == ["c", "d"]

        budgets.append(MonthlyBudget(5, "USD"))
        ledger.hear("c")
        await until(lambda: "80 %" in window.budget_label.text())
        assert window.budget_bar.value() == 80
        window.set_theme(DARK)
        window.retranslate()
        window.previous_button.click()
        await until(lambda: window.total_label.text() == "There were no requests in this month.")
        assert window.name.text() == "October 2026"
        assert window.next_button.isEnabled()
        ledger.broken = True
        window.next_button.click()
        await until(lambda: "month" not in window.total_label.text())
        await window.aclose()

    play(scenario())


def test_nothing_is_read_while_it_is_hidden(window: SpendingWindow, ledger: Ledger) -> None:
    ledger.hear("c")
    assert ledger.asked == []


def test_large_text_leaves_out_columns_instead_of_a_scroll_bar(
    window: SpendingWindow, ledger: Ledger
) -> None:
    async def scenario() -> None:
        head = window.table.header()
        window.set_theme(LIGHT.sized(28))
        window.show()
        await until(lambda: len(window.rows()) == 2)
        for width, whole in ((window.minimumWidth(), False), (1200, True)):
            window.resize(width, 520)
            await until(lambda whole=whole: (head.hiddenSectionCount() == 0) is whole)  # type: ignore[misc]
            assert head.length() <= window.table.viewport().width()
            assert not head.isSectionHidden(0) and not head.isSectionHidden(5)
        window.resize(window.minimumSize())
        first = window.table.topLevelItem(0)
        assert first is not None
        table = window.table
        await until(lambda: table.viewport().rect().contains(table.visualItemRect(first).center()))
        assert "tokens" in first.toolTip(5)

    play(scenario())
