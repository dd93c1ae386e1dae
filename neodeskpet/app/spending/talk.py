"""Says, once each, that most of the month's budget is gone, and that all of it is. Nothing is
stopped by it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from PySide6.QtCore import QObject, Signal

from neodeskpet.core.errors import KnownError
from neodeskpet.core.spending.budget import MonthlyBudget, due_budget_warning, read_budget
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import format_price
from neodeskpet.ui.pet.companion import CompanionPresenter
from neodeskpet.ui.spending.words import format_budget
from neodeskpet.ui.work import TaskRunner

_BUDGET_TOLD_KEY = "spending.told"
_BUDGET_NOTICE = "budget"
_BUDGET_SETTING = ("spending", "budget")


class BudgetNotifier(QObject):
    """`costs_requested()`: the person wants to see them. `failed` is told what went wrong."""

    costs_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        failed: Callable[[KnownError], None],
        parent: QObject | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._today = today
        self._cost = 0.0
        self._work = TaskRunner("budget", failed=failed)
        self._ends = (
            engine.store.spending.subscribe(lambda _conversation: self._check()),
            engine.settings.subscribe(self._on_setting_changed),
        )
        companion.answered.connect(self._answered)

    def start(self) -> None:
        """The windows are there."""
        self._check()

    async def close(self) -> None:
        for end in self._ends:
            end()
        await self._work.aclose()

    def budget(self) -> MonthlyBudget | None:
        return read_budget(self._engine.settings.settings.spending.budget)

    def summary_line(self) -> str:
        """How much of it is gone, as it was known last; "" where none is set."""
        budget = self.budget()
        return format_budget(budget, self._cost) if budget is not None else ""

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        if (section, name) == _BUDGET_SETTING:
            self._check()

    def _check(self) -> None:
        self._work.replace("look", self._compare)

    async def _compare(self) -> None:
        budget = self.budget()
        if budget is None:
            self._companion.withdraw(_BUDGET_NOTICE)
            return
        store, today = self._engine.store, self._today()
        self._cost = await store.spending.get_cost(today.year, today.month, budget.currency)
        before = await store.get_state(_BUDGET_TOLD_KEY) or ""
        step, told = due_budget_warning(budget, self._cost, f"{today:%Y-%m}", before)
        if step:
            self._show(budget, step)  # first: better twice than never
        if told != before:
            await store.set_state(_BUDGET_TOLD_KEY, told)

    def _show(self, budget: MonthlyBudget, step: int) -> None:
        sums = {
            "budget": format_price(budget.amount, budget.currency),
            "cost": format_price(self._cost, budget.currency),
        }
        words = tr("{cost} of this month's budget of {budget} are gone: most of it.", **sums)
        if step == 100:
            words = tr(
                "This month's budget of {budget} is used up ({cost}). Nothing is stopped by it.",
                **sums,
            )
        choices = (("done", tr("All right")), ("open", tr("Show the costs")))
        self._companion.ask(_BUDGET_NOTICE, words, choices, sign="warning")

    def _answered(self, key: str, choice: str) -> None:
        if key != _BUDGET_NOTICE:
            return
        self._companion.withdraw(_BUDGET_NOTICE)
        if choice == "open":
            self.costs_requested.emit()
