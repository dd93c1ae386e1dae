"""The offline helper: it answers by rules, with real tools, through the same turn engine.

It is no language model and says so. `request.py` reads what a model is sent, `rules/` holds one
file for each ability, `scripts.py` plays their scripts, `speech.py` writes them on the wire.
A new rule is a function in `rules/` and one line in its table.
"""

from neodeskpet.llm.offline.brain import OfflineModel
from neodeskpet.llm.offline.demo import DemoModel, demo_model

__all__ = ["DemoModel", "OfflineModel", "demo_model"]
