"""The written cases: what has to be found, and what has to come first. How much of it all is found
is printed by `python -m tests.support.recallcases`.
"""

from __future__ import annotations

import asyncio

from tests.support.recallcases import asked, recall_at, remembered


def test_what_is_wanted_is_found_in_every_group() -> None:
    groups = asyncio.run(recall_at(5, asked()))
    assert {name: missed for name, (_, _, missed) in groups.items() if missed} == {}
    assert len(groups) >= 12


def test_what_has_to_come_first_does() -> None:
    async def scene() -> list[str]:
        book = await remembered()
        wrong = []
        for case in asked():
            best = (await book.search(case.text, case.time, 1))[:1]
            if case.first and not {one.item.id for one in best} <= case.wanted:
                wrong.append(case.text)
        await book.close()
        return wrong

    assert asyncio.run(scene()) == []
