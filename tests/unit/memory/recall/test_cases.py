"""The written cases: what must be found, and what must come first. The rates are printed by `python
-m tests.support.recallcases`.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.support.morerecallcases import MORE
from tests.support.recallcases import FIRST, Written, asked, recall_at, remembered
from tests.support.replycases import REPLIES
from tests.support.talkcases import TALK

each = pytest.mark.parametrize(
    "written", [FIRST, MORE, TALK, REPLIES], ids=["first", "more", "talk", "replies"]
)


@each
def test_expected_items_are_found_in_every_group(written: Written) -> None:
    groups = asyncio.run(recall_at(5, written))
    assert {name: missed for name, (_, _, missed) in groups.items() if missed} == {}
    assert len(groups) >= 3


@each
def test_expected_items_come_first(written: Written) -> None:
    async def scene() -> list[str]:
        book = await remembered(written)
        wrong = []
        for case in asked(written):
            best = (await book.search(case.text, case.time, 1))[:1]
            if case.first and not {one.item.id for one in best} <= case.wanted:
                wrong.append(case.text)
        await book.aclose()
        return wrong

    assert asyncio.run(scene()) == []
