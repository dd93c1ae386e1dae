"""What is decoded waits for what was asked before it; a failure is told and holds up nothing."""

import asyncio

import pytest

from neodeskpet.ui.chat.picture_queue import in_turn


def test_in_the_order_asked() -> None:
    done: list[int] = []

    async def main() -> None:
        await asyncio.gather(*(in_turn(lambda n=n: done.append(n)) for n in range(9)))

    asyncio.run(main())
    assert done == list(range(9))


def test_a_failure_is_told_and_holds_up_nothing() -> None:
    def fail() -> int:
        raise ValueError("no picture")

    async def main() -> int:
        with pytest.raises(ValueError, match="no picture"):
            await in_turn(fail)
        return await in_turn(lambda: 1)

    assert asyncio.run(main()) == 1
