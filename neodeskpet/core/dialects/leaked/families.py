"""All forms of leaked calls, in the order in which they are tried. They are declared in
`families_marks.py`, `families_tags.py` and `families_plain.py`; a new form is one more declaration
(`docs/call-forms.md`).

If two forms begin alike, the first that can read the text is used.
"""

from __future__ import annotations

from neodeskpet.core.dialects.leaked import families_marks as marks
from neodeskpet.core.dialects.leaked import families_plain as plain
from neodeskpet.core.dialects.leaked import families_tags as tags
from neodeskpet.core.dialects.leaked import harmony, minimax_m3, own_blocks
from neodeskpet.core.dialects.leaked.code_fence import fence_of
from neodeskpet.core.dialects.leaked.declaration import Declaration
from neodeskpet.core.dialects.leaked.interpreter import families_of
from neodeskpet.core.dialects.leaked.source import Family

_MARKED = (
    marks.HERMES,
    tags.QWEN3_CODER,
    tags.GLM,
    tags.GLM_JSON,
    tags.GLM_STRIPPED,
    marks.HUNYUAN,
    *tags.HUNYUAN_PAIRS,
    *tags.INVOKE,
    tags.NAMED_TAGS,
    plain.OLMO3,
    marks.DEEPSEEK_V3,
    marks.DEEPSEEK_V31,
    tags.DEEPSEEK_V32,
    tags.STEP3,
    marks.KIMI_K2,
    marks.KIMI_K2_STRIPPED,
    tags.KIMI_K3,
    marks.MISTRAL,
    marks.MISTRAL_STRIPPED,
    plain.LLAMA,
    plain.LFM2,
    marks.APERTUS,
    marks.GRANITE,
    marks.PHI4,
    marks.INTERNLM,
    marks.COMMAND_R,
    tags.MUSE_GLIMMER,
    marks.GIGACHAT,
    marks.INKLING,
    tags.K2_HORIZON,
    tags.SOLAR_OPEN_2,
    marks.PLAMO_3,
    tags.SEED_OSS,
    marks.FUNCTIONARY,
    marks.FUNCTIONARY_ALL,
    marks.FUNCTIONARY_2,
    plain.GEMMA,
)
_PLAIN = (
    plain.TAGGED_JSON,
    marks.QWEN_AGENT,
    plain.BARE_JSON,
    plain.BARE_PYTHON,
    plain.REACT,
    marks.DEEPSEEK_V3_STRIPPED,
    plain.GEMMA_STRIPPED,
    *plain.BARE_NAME,
)


def _families(*declarations: Declaration) -> tuple[Family, ...]:
    return tuple(family for one in declarations for family in families_of(one))


FAMILIES: tuple[Family, ...] = (
    *_families(*marks.THINKING),
    own_blocks.FAMILY,
    *_families(*_MARKED),
    minimax_m3.FAMILY,
    *harmony.FAMILIES,
    *_families(*plain.TOOL_CODE, plain.COMMAND_R_FENCE),
    fence_of((*_MARKED, plain.FENCED_TAGS, plain.BARE_JSON)),
    *_families(*_PLAIN),
)
