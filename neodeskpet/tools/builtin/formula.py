"""Brings arithmetic as people type it into the one notation the calculator reads. Pure.

`２×（３＋４）`, `1,234÷2`, `2^10`, `80 的 15%`, `15% of 80`, `3²`, `√9`, `5!`, `2(3+4)`, `30°`.
"""

from __future__ import annotations

import re
import unicodedata

from neodeskpet.core.wording import N_, InvalidValue

PERCENT = "percent"
"""The name of one hundredth: `10%` becomes `10*percent`."""

_SIGNS = {
    "×": "*", "✕": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "•": "*",
    "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-", "—": "-", "，": ",", "、": ",",
    "²": "^2", "³": "^3", "π": "pi", "τ": "tau", "[": "(", "]": ")", "{": "(", "}": ")",
    "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "°": "*(pi/180)", "…": "", "。": "", "\\": "",
}  # fmt: skip
_FOREIGN = re.compile(r"[^0-9A-Za-z_+\-*/%().,\s]")
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"


def normalize_formula(text: str) -> str:
    """Python notation with `percent` as a name; "" if nothing is left.

    Raises InvalidValue that names a character which means nothing here.
    """
    out = "".join(_SIGNS.get(char, char) for char in text)
    out = unicodedata.normalize("NFKC", out).strip()
    out = re.sub(r"(?:\s*(?:=|等于(?:多少|几)?|\?))+\s*$", "", out)
    if not re.search(r"[A-Za-z]\s*\(", out):  # in max(1,234) the comma parts arguments
        out = re.sub(r"(?<![\d.])(\d{1,3})((?:,\d{3})+)(?![\d,])", _ungroup, out)
    out = re.sub(rf"√\s*({_NUMBER})", r"sqrt(\1)", out).replace("√", "sqrt")
    out = re.sub(r"(\d+|\([^()]*\))\s*!(?!=)", r"factorial(\1)", out)
    out = out.replace("^", "**")
    out = re.sub(r"(?<=[\d)])(?<!\b0)\s*[xX]\s*(?=[\d(.])", "*", out)
    out = _percents(out)
    out = re.sub(r"的|\bof\b", "*", out)
    out = re.sub(r"\bmod\b", "%", out)
    out = _implied_products(out)
    out = re.sub(r"(?<![\w.])0+(?=\d)", "", out)
    foreign = _FOREIGN.search(out)
    if foreign:
        raise InvalidValue(N_("“{sign}” means nothing in a calculation."), sign=foreign[0])
    return " ".join(out.split())


def _ungroup(found: re.Match[str]) -> str:
    return found[0].replace(",", "")


def _percents(text: str) -> str:
    """`%` with a value behind it is the remainder of a division, else it is a percentage."""
    text = re.sub(r"%\s*(?:of\b|的)\s*", f"*{PERCENT}*", text)
    return re.sub(r"%(?!\s*[\d.(A-Za-z])", f"*{PERCENT}", text)


def _implied_products(text: str) -> str:
    """`2(3)`, `(1)(2)`, `2pi`, `(1)sqrt(4)` → with the `*` they leave out."""
    number = rf"(?<![\w.])((?>{_NUMBER}))\s*(?=[(A-Za-z])"
    return re.sub(r"\)\s*(?=[\d(A-Za-z])", ")*", re.sub(number, r"\1*", text))
