"""The offline helper: it answers by rules, with real tools, through the same turn engine.

It is no language model and says so. `request.py` reads what a model is sent, `rules/` holds one
file for each ability, `scripts.py` plays their scripts, `speech.py` writes them on the wire.
A new rule is a function in `rules/` and one line in its table.
"""

from neodeskpet.llm.offline.demo_model import DemoModel, demo_model
from neodeskpet.llm.offline.offline_model import OfflineModel

__all__ = ["DemoModel", "OfflineModel", "demo_model"]
