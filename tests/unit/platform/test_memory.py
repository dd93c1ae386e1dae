"""The memory use of a process, and methods that dataclasses share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.platform.process_memory import process_memory, share_dataclass_methods


def fake_proc(folder: Path) -> Path:
    (folder / "7").mkdir()
    (folder / "7" / "status").write_text("Name:\tx\nVmPeak:\t 9 kB\nVmRSS:\t  2048 kB\n")
    return folder


def test_values_of_proc(tmp_path: Path) -> None:
    proc = fake_proc(tmp_path)
    assert process_memory(7, proc) == 2048 * 1024


def test_an_ended_process_has_no_value(tmp_path: Path) -> None:
    assert process_memory(8, fake_proc(tmp_path)) is None
    (tmp_path / "7" / "status").write_text("State: Z (zombie)\n")
    assert process_memory(7, tmp_path) is None


def test_this_process_has_a_value() -> None:
    assert (process_memory(os.getpid()) or 0) > 1_000_000


def test_without_proc_there_is_no_value(tmp_path: Path) -> None:
    assert process_memory(-1, tmp_path / "none") is None


@pytest.fixture
def shared() -> Iterator[None]:
    import dataclasses

    before = dict(vars(dataclasses))
    share_dataclass_methods()
    yield
    vars(dataclasses).update(before)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("slots", [False, True])
def test_dataclasses_with_shared_methods_act_as_usual(slots: bool) -> None:
    @dataclass(frozen=True, slots=slots)
    class Point:
        x: int
        hidden: str = field(default="h", repr=False)

    @dataclass(frozen=True, slots=slots)
    class Named(Point):
        name: object = None

    class Plain(Named):
        """May have attributes of its own."""

    point, named, plain = Point(1), Named(2, name="n"), Plain(3)
    assert repr(point).endswith("Point(x=1)")
    assert repr(named).endswith("Named(x=2, name='n')")
    assert point == Point(1)
    assert hash(point) == hash(Point(1))
    for one in (point, named, plain):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
            setattr(one, "x", 5)  # noqa: B010
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
            delattr(one, "x")
    for one in (point, named):
        with pytest.raises(FrozenInstanceError):
            setattr(one, "other", 5)  # noqa: B010
    own: Any = plain
    own.other = 5
    assert own.other == 5
    del own.other
    assert not hasattr(own, "other")
    if sys.version_info < (3, 13):
        assert vars(Point)["__setattr__"] is vars(Named)["__setattr__"]


@pytest.mark.usefixtures("shared")
def test_the_repr_of_a_dataclass_that_contains_itself_ends() -> None:
    @dataclass
    class Node:
        next: object = None

    node = Node()
    node.next = node
    assert repr(node).endswith("Node(next=...)")


@pytest.mark.usefixtures("shared")
def test_a_frozen_dataclass_keeps_the_rules_of_its_base() -> None:
    class Base:
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, f"<{value}>")

    @dataclass(frozen=True)
    class Frozen(Base):
        x: int = 1

    class Plain(Frozen):
        pass

    plain: Any = Plain()
    plain.y = 2
    assert plain.y == "<2>"
