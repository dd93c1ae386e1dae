"""The rules of the offline helper: one file for each ability, one line for each rule.

The first rule that reads a clause is used; the rules that take the rest of the message (`begins`)
come first, so that a note may contain anything.
"""

from neodeskpet.llm.offline.rules import (
    about_rules,
    arithmetic_rules,
    chance_rules,
    clock_rules,
    gesture_rules,
    note_rules,
    smalltalk,
    timer_rules,
    todo_rules,
)
from neodeskpet.llm.offline.rules import (
    smalltalk as company,
)
from neodeskpet.llm.offline.rules.about_rules import fall_back
from neodeskpet.llm.offline.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule("pomodoro", timer_rules.read_pomodoro),
    Rule("timer.list", timer_rules.read_list),
    Rule("timer.cancel", timer_rules.read_cancel),
    Rule("timer.change", timer_rules.read_change),
    Rule("days_until", clock_rules.read_days_until),
    Rule("timer.set", timer_rules.read_set, begins=timer_rules.begins_reminder),
    Rule("todo.delete", todo_rules.read_delete),
    Rule("todo.due", todo_rules.read_due_date),
    Rule("todo.done", todo_rules.read_done),
    Rule("todo.add", todo_rules.read_add, begins=todo_rules.begins_todo, reach=2_000),
    Rule("todo.list", todo_rules.read_list),
    Rule("note.delete", note_rules.read_delete),
    Rule("note.search", note_rules.read_search),
    Rule("note.add", note_rules.read_add, begins=note_rules.begins_note, reach=20_000),
    Rule("sum", arithmetic_rules.read_sum, begins=arithmetic_rules.begins_sum),
    Rule("chance", chance_rules.read_chance, begins=chance_rules.begins_chance),
    Rule("clock", clock_rules.read_clock, once=True),
    Rule("connect", about_rules.read_connect, once=True),
    Rule("names", gesture_rules.read_names, once=True),
    Rule("expression", gesture_rules.read_expression),
    Rule("motion", gesture_rules.read_motion),
    Rule("greeting", smalltalk.read_greeting, once=True),
    Rule("about", about_rules.read_about, once=True),
    Rule("joke", smalltalk.read_joke, once=True),
    Rule("chat", company.read_chat, once=True),
    Rule("cheer", company.read_cheer, once=True),
    Rule("feelings", smalltalk.read_feelings, once=True),
    Rule("outside", company.read_outside, once=True),
    Rule("picture", about_rules.read_picture, once=True),
)

__all__ = ["RULES", "Rule", "fall_back"]
