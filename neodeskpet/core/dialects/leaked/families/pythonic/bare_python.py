"""`[f(a=1), g(b='x')]`, bare: Llama 3.2 and 4, ToolACE, and what others' marks are stripped to.

Meta's prompt formats; vLLM `pythonic_tool_parser.py`, SGLang `pythonic_detector.py`.
"""

from neodeskpet.core.dialects.leaked.literals import listed
from neodeskpet.core.dialects.leaked.source import Family

FAMILY = Family("pythonic", ("[",), listed, weak=True)
