"""What a rule is, and the patterns of rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from neodeskpet.llm.offline.request import OfflineRequest
from neodeskpet.llm.offline.scripts import Script

ReadClause = Callable[[str, OfflineRequest], Script | None]
"""Reads a clause: the script that answers it, None if it says something else."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`begins` makes a rule greedy: where a clause satisfies it, the rule is given everything from
    that clause on. `once` rules answer only the first of several clauses they read. Text longer
    than `reach` characters isn't read: no one asks that way, and patterns would take long.
    """

    name: str
    read: ReadClause
    begins: Callable[[str], bool] | None = None
    once: bool = False
    reach: int = 400


def pattern(*alternatives: str) -> re.Pattern[str]:
    """One pattern that finds any of `alternatives`, whatever the case and the lines."""
    # ASCII: between "set" and 一 is the end of a word.
    flags = re.IGNORECASE | re.DOTALL | re.ASCII
    return re.compile("|".join(f"(?:{one})" for one in alternatives), flags)


_POLITE = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|just|now|ok(?:ay)?|so|hey|neo|"
    r"i(?:'d| would) like you to|i want you to|let'?s|"
    r"尼奥|请问|请|麻烦|你?能不能|可以|你能|帮我|给我|那|好)[\s,，]*)+(?=\S)",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"[\s,，]*(?:please|for me|(?<!from )now|thanks|吧|吗|呢|呀|啊|好吗|好不好|可以吗|谢谢)*"
    r"[\s.!?。！？~～]*$",
    re.IGNORECASE,
)


def without_polite_words(clause: str) -> str:
    """The clause without polite words around it."""
    return _POLITE_END.sub("", _POLITE.sub("", clause.replace("\u3000", " ").strip()), count=1)
