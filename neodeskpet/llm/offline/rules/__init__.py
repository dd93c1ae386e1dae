"""What the offline helper understands: one file for each ability, one line for each rule.

The first rule that reads a clause takes it; those that take the rest of the message (`begins`)
come first, so that a note may contain anything.
"""

from neodeskpet.llm.offline.rules import (
    about,
    body,
    chance,
    clock,
    company,
    notes,
    smalltalk,
    sums,
    timers,
    todos,
)
from neodeskpet.llm.offline.rules.about import fall_back
from neodeskpet.llm.offline.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule("pomodoro", timers.read_pomodoro),
    Rule("timer.list", timers.read_list),
    Rule("timer.cancel", timers.read_cancel),
    Rule("timer.change", timers.read_change),
    Rule("days_until", clock.read_days_until),
    Rule("timer.set", timers.read_set, begins=timers.begins_reminder),
    Rule("todo.delete", todos.read_delete),
    Rule("todo.due", todos.read_due_date),
    Rule("todo.done", todos.read_done),
    Rule("todo.add", todos.read_add, begins=todos.begins_todo, reach=2_000),
    Rule("todo.list", todos.read_list),
    Rule("note.delete", notes.read_delete),
    Rule("note.search", notes.read_search),
    Rule("note.add", notes.read_add, begins=notes.begins_note, reach=20_000),
    Rule("sum", sums.read_sum, begins=sums.begins_sum),
    Rule("chance", chance.read_chance, begins=chance.begins_chance),
    Rule("clock", clock.read_clock, once=True),
    Rule("connect", about.read_connect, once=True),
    Rule("names", body.read_names, once=True),
    Rule("expression", body.read_expression),
    Rule("motion", body.read_motion),
    Rule("greeting", smalltalk.read_greeting, once=True),
    Rule("about", about.read_about, once=True),
    Rule("joke", smalltalk.read_joke, once=True),
    Rule("chat", company.read_chat, once=True),
    Rule("cheer", company.read_cheer, once=True),
    Rule("feelings", smalltalk.read_feelings, once=True),
    Rule("outside", company.read_outside, once=True),
    Rule("picture", about.read_picture, once=True),
)

__all__ = ["RULES", "Rule", "fall_back"]
