"""Offers hundreds of tools in 500 tokens: if there are many, the model gets the names of the tool
families and a search; found tools are offered from then on.

Those of the app's own tools that match the user's words are offered at once, within the token
budget: a timer needs no search first. The toolbox of a turn depends only on what its conversation
has found and called so far, so a conversation that is continued after a restart offers the same
tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import Field

from neodeskpet.core.blocks import Message, Role, Text, ToolUse
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.tool_result import ShownList, ToolResult, count_brief
from neodeskpet.core.toolspec import APP_SOURCE, Risk, Toolbox, ToolOffer, ToolSpec
from neodeskpet.toolkit.executor import run_tool
from neodeskpet.toolkit.large_results import READ_TOOL
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.toolkit.toolbox import ExtraTool, OfferWithExtraTool
from neodeskpet.tools.tool_index import ToolIndex, families

MOST_SENT_TOOLS = 30
"""With more external tools than this, tools are found by search instead of sent. The app's own
tools aren't counted: they are few and known.
"""
TOOL_TOKEN_SHARE = 0.25
"""Share of the conversation's tokens (about half of what a model reads) that tools may take before
search is used instead.
"""
SEARCH_TOKEN_BUDGET = 500
"""Tokens of the tools that are sent with the search before anything is found."""
FIND_TOOL = "tools.find"
_FOUND = 5
_GUESSED = 3
"""Most tools of the app that are chosen by the user's words."""
_GESTURES = 320
"""Tokens for gestures, which come before tools chosen by the user's words."""
_FAMILIES = 160
"""Tokens for the list of families; of the rest only the number is given."""
_NAMED = {READ_TOOL, "task.result", "task.cancel"}
"""Tools that a shortened result or a started task refers to. They are offered only while they have
something to return.
"""
_INDEXES = 3
_LINE = 160
"""Characters of one tool's description in a search result."""


_tokens: dict[str, tuple[ToolSpec, int]] = {}
"""Cached token counts by tool name; each round needs them."""
_KNOWN = 5_000


def spec_tokens(spec: ToolSpec) -> int:
    """Return the estimated tokens of a tool in a request."""
    known = _tokens.get(spec.name)
    if known is not None and _has_same_text(known[0], spec):
        return known[1]
    record = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    tokens = estimate_tokens(json.dumps(record, ensure_ascii=False))
    if len(_tokens) >= _KNOWN:
        _tokens.clear()
    _tokens[spec.name] = spec, tokens
    return tokens


def _has_same_text(one: ToolSpec, other: ToolSpec) -> bool:
    """Return whether both are sent to a model as the same text. Schemas are compared by
    identity.
    """
    return one.parameters is other.parameters and one.description == other.description


_indexes: list[ToolIndex] = []
"""The last indexes: of the app's own tools, and of all."""


def index_of(specs: Sequence[ToolSpec]) -> ToolIndex:
    """Return an index of `specs`. The last ones are cached, because there is a round every few
    seconds.
    """
    for made in tuple(_indexes):
        if made.covers(specs):
            return made
    made = ToolIndex(specs)
    _indexes.insert(0, made)
    del _indexes[_INDEXES:]
    return made


def needs_search(specs: Sequence[ToolSpec], context: int) -> bool:
    """Return whether to use search instead of sending all `specs` to a model with a context of
    `context` tokens.
    """
    others = sum(spec.source != APP_SOURCE for spec in specs)
    return others > MOST_SENT_TOOLS or sum(map(spec_tokens, specs)) > TOOL_TOKEN_SHARE * context


def tools_found_in(history: Iterable[Message]) -> list[str]:
    """Return the names of the tools that a conversation has found or called."""
    names: dict[str, None] = {}
    for message in history:
        for block in message.blocks:
            if not isinstance(block, ToolUse):
                continue
            if block.name != FIND_TOOL:
                names[block.name] = None
            elif isinstance(block.data, Mapping) and isinstance(block.data.get("tools"), list):
                names.update(dict.fromkeys(map(str, block.data["tools"])))
    return list(names)


class SearchableToolbox:
    """A `Toolbox` of one turn: `toolbox` unchanged while its tools are few, else the search and a
    selection.
    """

    def __init__(self, toolbox: Toolbox, history: Iterable[Message], context: int) -> None:
        self._toolbox = toolbox
        self._context = context
        messages = list(history)
        self._found = dict.fromkeys(tools_found_in(messages))
        self._words = _last_words(messages)

    def offer(self) -> ToolOffer:
        offer = self._toolbox.offer()
        if not needs_search(offer.specs, self._context):
            return offer
        return _few_tools(offer, self._found, self._words)


def _few_tools(offer: ToolOffer, found: dict[str, None], words: str) -> ToolOffer:
    """Return the offer of one round: the search, gestures and tools that match the user's words
    within the budget, and the tools found.
    """
    find = _find_tool(offer.specs, found)
    own = [spec for spec in offer.specs if spec.source == APP_SOURCE]
    gestures = [spec for spec in own if spec.risk is Risk.GESTURE]
    chosen = _within(gestures, _GESTURES - spec_tokens(find.spec))
    left = SEARCH_TOKEN_BUDGET - sum(map(spec_tokens, [find.spec, *chosen]))
    found_now = index_of(own).search(words, _GUESSED)
    guessed = [spec for spec in found_now if spec not in chosen]
    chosen += _within(guessed, left)
    names = {spec.name for spec in chosen} | found.keys() | _NAMED
    first = ExtraTool(find.spec, partial(run_tool, find, find.spec), find.read)
    return OfferWithExtraTool(first, offer, (spec for spec in offer.specs if spec.name in names))


def _within(specs: Sequence[ToolSpec], tokens: int) -> list[ToolSpec]:
    """Return the specs that fit into `tokens`, in their order."""
    fitting = []
    for spec in specs:
        cost = spec_tokens(spec)
        if cost <= tokens:
            tokens -= cost
            fitting.append(spec)
    return fitting


def _last_words(messages: Sequence[Message]) -> str:
    """Return the text of the user's last message."""
    for message in reversed(messages):
        if message.role is Role.USER:
            return " ".join(block.text for block in message.blocks if isinstance(block, Text))
    return ""


def _find_tool(specs: Sequence[ToolSpec], found: dict[str, None]) -> Tool:
    @tool(FIND_TOOL, title=N_("Find a tool"), risk=Risk.READ, main_argument="query", timeout=10)
    def find(
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=400,
                description="What it should do, in a few words; best in English.",
            ),
        ],
    ) -> ToolResult:
        """Find the tool for a task; what is found can be called from then on."""
        best = index_of(specs).search(query, _FOUND)
        if not best:
            text = "No tool fits these words. Try others, or answer without one."
            return ToolResult(text, brief=Reason(N_("nothing found")))
        names = [spec.name for spec in best]
        found.update(dict.fromkeys(names))
        lines = [f"- {spec.name}: {_brief(spec.description)}" for spec in best]
        return ToolResult(
            "You can call these now:\n" + "\n".join(lines),
            data={"tools": names},
            shown=ShownList(tuple(names)),
            brief=count_brief(len(names), N_("1 tool"), N_("{count} tools")),
        )

    return _described(find, specs)


def _described(find: Tool, specs: Sequence[ToolSpec]) -> Tool:
    """Add the list of families to the description of the search."""
    return replace(find, description=f"{find.description} There are {_listed(specs)}.")


def _listed(specs: Sequence[ToolSpec]) -> str:
    """Return `12 tools: notes (3), timer (4), …`, the largest families first if not all fit."""
    names: list[str] = []
    left = _FAMILIES
    known = sorted(families(specs), key=lambda family: -family.size)
    for family in known:
        text = f"{family.name[:40]} ({family.size})"
        left -= estimate_tokens(text) + 1
        if left < 0:
            break
        names.append(text)
    more = len(known) - len(names)
    rest = f" and {more} more families" if more else ""
    return f"{len(specs)} tools: {', '.join(names)}{rest}"


def _brief(description: str) -> str:
    line = " ".join(description.split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"


FIND_SPEC = _find_tool((), {}).spec
"""The spec of a search without tools, for windows that show tool cards."""
