"""A model that plays a fixed conversation of two turns, to show what a reply can contain.

It thinks, talks, changes its expression in the middle of a sentence, calls real tools and shows
their results, a list and a code block. The names of expressions and motions come from the offered
tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import WireEvent
from neodeskpet.language import language as language_now
from neodeskpet.language import tr
from neodeskpet.llm.offline.request_reader import (
    TEXT_DIALECT,
    OfflineRequest,
    ToolAnswer,
    read_request,
)
from neodeskpet.llm.offline.rules.gesture_rules import make_move, show_feeling
from neodeskpet.llm.offline.scripts import (
    Say,
    Script,
    ScriptStep,
    Think,
    UseTool,
    failure_text,
    play_script,
    write_response,
)

_PROMPTS = {
    "en": (
        "Hi Neo! Show me what you can do.",
        "Nice! I have a call in 25 minutes. Remind me, and split a 96.80 bill between four.",
    ),
    "zh_CN": (
        "你好，尼奥！给我看看你会什么吧。",
        "真不错！我 25 分钟后有个会，提醒我一下；再算算 96.80 的账单四个人怎么分。",
    ),
}


_CODE = """\
```python
def share(bill: float, people: int) -> str:
    return f"{bill / people:.2f} each"

print(share(96.80, 4))  # 24.20 each
```

"""


class DemoModel:
    """A model (`core.model.Model`). `prompts` are the user's messages of the two turns."""

    def __init__(
        self,
        language: str,
        known_tools: Callable[[], Sequence[ToolSpec]] = list,
        *,
        delay: float = 0.02,
    ) -> None:
        self.prompts = _PROMPTS.get(language, _PROMPTS["en"])
        self._chinese = language == "zh_CN"
        self._known_tools = known_tools
        self._delay = delay

    @property
    def label(self) -> str:
        return tr("Demo script")

    def offer(self, known_tools: Callable[[], Sequence[ToolSpec]]) -> None:
        """Set the tools for text mode, if they are known only after the model was made."""
        self._known_tools = known_tools

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        situation = read_request(request, self._known_tools)
        ask = OfflineRequest("", self._chinese, situation.ask.tools, turn=situation.ask.turn)
        script = _first(ask) if ask.turn == 0 else _second(ask)
        steps: list[ScriptStep] = play_script(ask, [script], situation.batches)
        textual = request.dialect == TEXT_DIALECT
        for event in write_response(steps, textual=textual, number=len(situation.batches)):
            if self._delay:
                await asyncio.sleep(self._delay)
            yield event


def demo_model(
    language: str | None = None,
    known_tools: Callable[[], Sequence[ToolSpec]] = list,
    *,
    delay: float = 0.02,
) -> DemoModel:
    """Make the demonstration in `language` ("en", "zh_CN"; None: that of the interface). `delay` is
    in seconds per token; `known_tools` as for `OfflineModel`.
    """
    return DemoModel(language or language_now(), known_tools, delay=delay)


def _first(ask: OfflineRequest) -> Script:
    yield Think(
        ask.pick(
            "Someone new! A smile first, then a quick look at the clock, and a note so that "
            "there is something to find later.",
            "有新朋友！先笑一个，再看看时间，然后记一条笔记，等会儿好找得到。",
        )
    )
    yield Say(ask.pick("Hello! ", "你好呀！"))
    yield from show_feeling(ask, "smile", "joy")
    yield Say(
        ask.pick(
            "I'm Neo, and I live on your desktop. While I talk I can use tools; each one shows "
            "as a card you can open. ",
            "我是尼奥，住在你的桌面上。我一边说话一边用工具，每用一次就会出现一张可以打开的卡片。",
        )
    )
    note = ask.pick("Neo said hello for the first time", "尼奥第一次打招呼")
    wanted = [UseTool("time.now", {}), UseTool("note.add", {"text": note, "tags": ["demo"]})]
    offered = [one for one in wanted if one.name in ask.tools]
    results = (yield offered) if offered else []
    failed = next((result for result in results if not result.ok), None)
    if failed is not None:
        yield failure_text(ask, failed)
    elif len(results) == len(wanted):
        clock = str(results[0].data.get("time", ""))[11:16]
        yield Say(
            ask.pick(
                f"It's **{clock}** now, and I've kept a note of our first hello. ",
                f"现在是 **{clock}**，我们的第一次见面也记下来了。",
            )
        )
    yield from make_move(ask, "wave")
    yield Say(
        ask.pick(
            "Things you can ask me:\n\n"
            "- **Remind me** in ten minutes to drink water\n"
            "- **Note** where the umbrella is, and find it again\n"
            "- **Calculate** something, exactly\n"
            "- Smile, nod, wave…",
            "你可以让我：\n\n"
            "- 十分钟后**提醒**你喝水\n"
            "- **记下**伞放在哪儿，以后再找出来\n"
            "- 分毫不差地**计算**\n"
            "- 笑一笑、点点头、挥挥手……",
        )
    )


def _second(ask: OfflineRequest) -> Script:
    yield Think(
        ask.pick(
            "Two things at once: a reminder, and 96.80 divided by 4.",
            "一次两件事：一个提醒，还有 96.80 除以 4。",
        )
    )
    yield Say(ask.pick("Both at once, no problem. ", "两件一起来，没问题。"))
    yield from show_feeling(ask, "wink", "joy", "smile")
    label = ask.pick("Your call", "开会")
    wanted = [
        UseTool("timer.set", {"minutes": 25, "label": label}),
        UseTool("calc.evaluate", {"expression": "96.80 / 4"}),
    ]
    offered = [one for one in wanted if one.name in ask.tools]
    results = (yield offered) if offered else []
    for result in results:
        yield _render(ask, result)
    yield Say(ask.pick("If you want it in Python:\n\n", "想用 Python 算的话：\n\n") + _CODE)
    yield from show_feeling(ask, "love", "joy", "smile")
    yield Say(
        ask.pick(
            "That was the demo script. Connect a model in **Settings › Models › Services** and "
            "I'll talk freely.",
            "以上是演示脚本。在**设置 › 模型 › 服务**里连接一个模型，我就能自由聊天了。",
        )
    )


def _render(ask: OfflineRequest, result: ToolAnswer) -> Say:
    if not result.ok:
        return failure_text(ask, result)
    if result.name == "timer.set":
        return Say(ask.pick("The reminder is set. ", "提醒设好了。"))
    share = result.output.rsplit("= ", 1)[-1]
    return Say(ask.pick(f"Everyone pays **{share}**. ", f"每人 **{share}**。"))
