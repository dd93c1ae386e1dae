"""Writes tests of a turn like a transcript: `>>` is a signal to the turn, `<<` is an event or
command of it.

    assert (
        playbook(Turn("m"))
        >> Begun()
        << TurnStarted("m")
        << RoundStarted(0)
        << CallModel(0)
        >> TextDelta(0, "Hi")
        << BlockStarted(Text(0, 0, "Hi"))
    )

The steps are played when the book is asserted; what differs is shown as a diff of the whole
conversation. A book that is never asserted is an error. After an assert more steps can follow.
"""

from __future__ import annotations

import difflib
import warnings
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from enum import Enum

from neodeskpet.core.blocks import (
    Block,
    MessageState,
    Notice,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.turn.signals import Command, Signal
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
)

Output = Command | TurnEvent


@dataclass(frozen=True, slots=True)
class Wait:
    """A step: the clock, which begins at 0, advances by `seconds`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Card:
    """Stands for any event whose block is tool call `index` in `status`; `fields` must be equal."""

    index: int
    status: ToolStatus
    fields: dict[str, object]

    def fits(self, output: Output) -> bool:
        block = _block_of(output)
        return (
            isinstance(block, ToolUse)
            and block.index == self.index
            and block.status is self.status
            and all(getattr(block, name) == value for name, value in self.fields.items())
        )


@dataclass(frozen=True, slots=True)
class Note:
    """Stands for the start (and, with `ended`, the end) of the notice with this code."""

    code: str
    ended: bool = False

    def fits(self, output: Output) -> bool:
        block = _block_of(output)
        kind = BlockEnded if self.ended else BlockStarted
        return type(output) is kind and isinstance(block, Notice) and block.code == self.code


def card(index: int, status: ToolStatus, **known: object) -> Card:
    return Card(index, status, known)


class playbook:  # noqa: N801 - it reads like a verb in the tests
    """`see` leaves only outputs of these types in the transcript (all of them by default)."""

    def __init__(self, turn: Turn, *, see: tuple[type, ...] = ()) -> None:
        self.turn = turn
        self.now = 0.0
        self.heard: list[Output] = []  # all outputs of the turn, visible or not
        self._see = see
        self._steps: list[Signal | Wait | Output | Card | Note] = []
        self._told: list[bool] = []  # beside _steps: whether it is a `>>`
        self._wanted: list[str] = []
        self._got: list[str] = []

    def __rshift__(self, step: Signal | Wait) -> playbook:
        return self._add(step, told=True)

    def __lshift__(self, step: Output | Card | Note) -> playbook:
        return self._add(step, told=False)

    def _add(self, step: Signal | Wait | Output | Card | Note, *, told: bool) -> playbook:
        self._steps.append(step)
        self._told.append(told)
        return self

    def __bool__(self) -> bool:
        """Play the steps since the last time. Return True, or raise an AssertionError with the
        diff.
        """
        steps = list(zip(self._steps, self._told, strict=True))
        self._steps, self._told = [], []
        wanted: list[object] = []
        said: list[Output] = []
        for step, told in steps:
            if told:
                self._compare(wanted, said)
                wanted, said = [], self._tell(step)
            else:
                wanted.append(step)
        self._compare(wanted, said)
        if self._wanted != self._got:
            diff = "\n".join(difflib.ndiff(self._wanted, self._got))
            raise AssertionError(f"The turn said something else (- wanted, + said):\n{diff}")
        return True

    def __del__(self) -> None:
        if self._steps:
            warnings.warn(f"A playbook was never asserted: {self._steps[0]!r} …", stacklevel=2)

    def _tell(self, step: object) -> list[Output]:
        line = f">> {brief(step)}"
        self._wanted.append(line)
        self._got.append(line)
        if isinstance(step, Wait):
            self.now += step.seconds
            return []
        said = self.turn.receive(step, self.now)  # type: ignore[arg-type]
        self.heard += said
        return [output for output in said if not self._see or isinstance(output, self._see)]

    def _compare(self, wanted: list[object], said: list[Output]) -> None:
        for place, step in enumerate(wanted):
            output = said[place] if place < len(said) else None
            fits = isinstance(step, Card | Note) and output is not None and step.fits(output)
            self._wanted.append(f"<< {brief(output if fits else step)}")
        self._got += [f"<< {brief(output)}" for output in said]


def brief(value: object) -> str:
    """Return `value` in one line; fields with their defaults are left out."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Card):
        known = "".join(f", {name}={brief(v)}" for name, v in value.fields.items())
        return f"card({value.index}, {brief(value.status)}{known})"
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    shown = []
    for field in fields(value):
        content = getattr(value, field.name)
        if field.default is MISSING and field.default_factory is MISSING:
            shown.append(brief(content))
        elif content != _default(field):
            shown.append(f"{field.name}={brief(content)}")
    return f"{type(value).__name__}({', '.join(shown)})"


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _block_of(output: Output) -> Block | None:
    if isinstance(output, BlockStarted | BlockChanged | BlockEnded):
        return output.block
    return None


class Mirror:
    """A listener that rebuilds the blocks from the events alone, as the store and the view do.

    Raises AssertionError when an event doesn't fit what came before it.
    """

    def __init__(self, blocks: tuple[Block, ...] = ()) -> None:
        self.blocks = list(blocks)
        self.state: MessageState | None = None
        self._ended: set[int] = set()

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        assert self.state is None, f"{event!r} after the end"
        match event:
            case BlockStarted(block=block):
                assert block.index == len(self.blocks)
                self.blocks.append(block)
            case TextAppended(index=index, text=text):
                self._grow(index, "text", text)
            case ArgumentsAppended(index=index, json=json):
                self._grow(index, "raw_arguments", json)
            case BlockChanged(block=block) | BlockEnded(block=block):
                self._put(event, block)
            case BlocksRemoved(start=start):
                del self.blocks[start:]
                self._ended = {index for index in self._ended if index < start}
            case TurnEnded(state=state):
                self.state = state
            case _:
                pass

    def _grow(self, index: int, name: str, piece: str) -> None:
        assert piece, "an empty piece is no event"
        assert index not in self._ended, f"block {index} grows after its end"
        block = self.blocks[index]
        self.blocks[index] = replace(block, **{name: getattr(block, name) + piece})

    def _put(self, event: BlockChanged | BlockEnded, block: Block) -> None:
        assert type(block) is type(self.blocks[block.index]), "a block never changes its kind"
        if not isinstance(block, Notice):
            assert block.index not in self._ended, f"block {block.index} changes after its end"
        if isinstance(event, BlockEnded):
            self._ended.add(block.index)
        self.blocks[block.index] = block
