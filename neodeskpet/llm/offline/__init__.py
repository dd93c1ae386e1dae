"""The offline helper: it answers by rules, with real tools, through the same turn engine. It is not
a language model and says so.

`request_reader.py` reads the request, `rules/` has one file for each ability, `scripts.py` runs the
scripts of the rules and writes their steps as wire events. To add a rule, write a function in
`rules/` and add a line to its table.
"""

from neodeskpet.llm.offline.demo_model import DemoModel, demo_model
from neodeskpet.llm.offline.offline_model import OfflineModel

__all__ = ["DemoModel", "OfflineModel", "demo_model"]
