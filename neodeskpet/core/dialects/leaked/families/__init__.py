"""The forms of calls that leak, one file each, in rooms by what they look like. A new one is a file
and a line here.

The order counts where two begin alike: the first that can read the text does.
"""

from neodeskpet.core.dialects.leaked.families.plain import (
    bare_json,
    bare_name,
    fenced_json,
    qwen_agent,
    react,
    request_slips,
)
from neodeskpet.core.dialects.leaked.families.pythonic import (
    bare_python,
    lfm2,
    llama,
    olmo3,
    tool_code,
)
from neodeskpet.core.dialects.leaked.families.tagged import (
    deepseek_v32,
    glm,
    hunyuan,
    invoke_tags,
    named_tags,
    qwen3_coder,
    seed_oss,
    step3,
    think_tags,
)
from neodeskpet.core.dialects.leaked.families.tokens import (
    apertus,
    command_r,
    deepseek_v3,
    deepseek_v31,
    functionary,
    gemma,
    granite,
    harmony,
    hermes,
    internlm,
    kimi_k2,
    mistral,
    phi4,
)
from neodeskpet.core.dialects.leaked.source import Family

FAMILIES: tuple[Family, ...] = (
    think_tags.FAMILY,
    request_slips.FAMILY,
    hermes.FAMILY,
    qwen3_coder.FAMILY,
    glm.FAMILY,
    glm.STRIPPED,
    hunyuan.LIST,
    hunyuan.PAIRS,
    invoke_tags.FAMILY,
    named_tags.FAMILY,
    olmo3.FAMILY,
    deepseek_v3.FAMILY,
    deepseek_v31.FAMILY,
    deepseek_v32.FAMILY,
    step3.FAMILY,
    kimi_k2.FAMILY,
    kimi_k2.STRIPPED,
    mistral.FAMILY,
    mistral.STRIPPED,
    llama.FAMILY,
    lfm2.FAMILY,
    lfm2.JSON,
    apertus.FAMILY,
    granite.FAMILY,
    phi4.FAMILY,
    internlm.FAMILY,
    command_r.FAMILY,
    command_r.MARKS,
    seed_oss.FAMILY,
    functionary.FAMILY,
    functionary.ALL,
    functionary.RECIPIENT,
    gemma.FAMILY,
    harmony.FAMILY,
    harmony.STRIPPED,
    harmony.WITHIN,
    harmony.HEAD,
    harmony.END,
    tool_code.FAMILY,
    command_r.FENCE,
    fenced_json.FAMILY,
    fenced_json.TAGGED,
    qwen_agent.FAMILY,
    qwen_agent.RETURN,
    bare_json.FAMILY,
    bare_python.FAMILY,
    react.FAMILY,
    deepseek_v3.STRIPPED,
    gemma.STRIPPED,
    bare_name.FAMILY,
)

__all__ = ["FAMILIES"]
