"""XTML channels: `<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>` with
`<|open|>argument key="a" type="number"<|sep|>1<|close|>argument<|sep|>` or one block of JSON, and
channels around thinking and answer: Kimi K3.

Moonshot's `encoding_k3.py`; TensorRT-LLM and SGLang `kimi_k3` parsers. Values of the type string
stand as they are, others are JSON; only attributes are written with entities.
"""

from neodeskpet.core.dialects.leaked.declared import Declaration, families_of


def _opened(channel: str) -> str:
    return f"<|open|>{channel}<|sep|>"


def _closed(channel: str) -> str:
    return f"<|close|>{channel}<|sep|>"


DECLARATION = Declaration(
    name="kimi_k3",
    begin=(_opened("tools"),),
    end=(_closed("tools"),),
    call='<|open|>call tool="{name}"{any}<|sep|>',
    call_end=_closed("call"),
    argument='<|open|>argument key="{key}"{type}<|sep|>{value}<|close|>argument<|sep|>',
    body="<|open|>json{any}<|sep|>{json}<|close|>json<|sep|>",
    thinking=(_opened("think"), _closed("think")),
    hidden=(
        *(_opened("response"), _closed("response"), _opened("message"), _closed("message")),
        *(_closed("tools"), _closed("think"), "<|end_of_msg|>"),
    ),
    escaped=True,
)
FAMILIES = families_of(DECLARATION)
