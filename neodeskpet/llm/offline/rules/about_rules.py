"""Rules for questions about the helper: what it is and can do, how to connect a model; and the
answer to what no rule understands.
"""

from __future__ import annotations

from collections.abc import Iterator

from neodeskpet.llm.offline.request_reader import REFUSAL_TEXTS, OfflineRequest
from neodeskpet.llm.offline.rules.gesture_rules import EXPRESSION, MOTION, show_feeling
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Refuse, Say, Script

_ABOUT = pattern(
    r"\b(?:who|what|how old) are you\b",
    r"\bwhat (?:can|do) you do\b",
    r"^(?:help|commands?)\b",
    r"\bintroduce yourself\b",
    r"\babout (?:you|yourself)\b",
    r"\byour (?:name|abilities|skills)\b",
    r"\bhow do you work\b",
    r"\bhow (?:do|can) (?:i use|you help)\b|\bwho (?:made|created|built) you\b",
    r"\bwhat do you like\b|\byour (?:features|hobbies)\b|\bshow me what you can do\b",
    "男生还是女生|男的还是女的|谁(?:做|造|创造|开发)的?你|你(?:都)?喜欢什么|什么技能|能干[嘛啥吗]|干什么用",
    r"\bare you (?:an? )?(?:ai|bot|robot|real|human|llm|chatgpt|language model)\b",
    r"\bwhat(?:'s| is) (?:this|neodeskpet)\b",
    "你是(?:谁|什么|ai|机器人|真人|人工智能|大?模型|chatgpt)",
    "你叫什么|你几岁|你多大",
    "介绍.{0,4}(?:自己|你)|自我介绍",
    "你都?(?:会|能|可以)(?:做|干|帮我做)?(?:什么|哪些|啥)",
    "有(?:什么|哪些)功能|^帮助$|怎么用|你的?(?:名字|功能|能力)",
)
_CONNECT = pattern(
    r"\b(?:connect|add|set ?up|use|configure|choose|install|plug in|get)\b.*"
    r"\b(?:model|llm|api|key|service|openai|chatgpt|gpt|deepseek|claude|gemini|ollama|qwen)\b",
    r"\bapi key\b|\b(?:ollama|lm studio|openai|deepseek)\b",
    "(?:连接|接入|配置|设置|添加|使用|换|接|选择|填).{0,8}"
    "(?:模型|大模型|服务|密钥|api|key|chatgpt|gpt|ollama|deepseek)",
    "(?:模型|密钥|api|key).{0,6}(?:怎么|如何|在哪)",
    r"\bmake you smarter\b",
    "变聪明|更聪明",
)


def read_about(clause: str, ask: OfflineRequest) -> Script | None:
    return _introduce(ask) if _ABOUT.search(without_polite_words(clause) or clause) else None


def _introduce(ask: OfflineRequest) -> Script:
    yield Say(
        ask.pick(
            f"I'm **{ask.name}**, and I live on your desktop. ",
            f"我是**{ask.name}**，住在你的桌面上。",
        )
    )
    yield from show_feeling(ask, "smile", "joy")
    yield Say(
        ask.pick(
            "What answers you now is the **offline helper**: a handful of rules, no language "
            "model. Nothing leaves this computer. I understand, in English and Chinese:\n\n",
            "现在回答你的是**离线助手**：几条规则，不是语言模型，什么都不会离开这台电脑。"
            "我听得懂中文和英文：\n\n",
        )
        + "\n".join(abilities(ask))
        + ask.pick(
            "\n\nI can't chat freely, write, translate, search the web or see pictures. For that, "
            "connect a model: ",
            "\n\n我不会自由聊天、写文章、翻译、上网搜索或看图片。要这些的话，请连接一个模型：",
        )
        + ask.pick(_WAY[0], _WAY[1])
    )


_WAY = (
    "open **Settings › Models › Services**, choose a service (or a local one such as Ollama) and "
    "enter its key. The next message then goes there.",
    "打开**设置 › 模型 › 服务**，选择一个服务（或者 Ollama 这样的本地服务），填入密钥，"
    "下一条消息就会由它回答。",
)


def abilities(ask: OfflineRequest) -> Iterator[str]:
    """Return a line for each ability whose tool is offered."""
    if EXPRESSION in ask.tools or MOTION in ask.tools:
        yield ask.pick(
            "- **face and body**: “smile”, “wave”", "- **表情和动作**：“笑一个”、“挥挥手”"
        )
    if "time.now" in ask.tools:
        yield ask.pick(
            "- **time and date**: “what time is it in Tokyo?”", "- **时间和日期**：“东京现在几点？”"
        )
    if "timer.set" in ask.tools:
        yield ask.pick(
            "- **timers and reminders**: “remind me in 5 minutes to drink water”, “my timers”, "
            "“cancel the timer”",
            "- **计时和提醒**：“十分钟后提醒我喝水”、“我的提醒”、“取消提醒”",
        )
    if "note.add" in ask.tools:
        yield ask.pick(
            "- **notes and to-dos**: “note: the umbrella is in the hall”, “find notes about "
            "umbrella”, “add milk to my to-do list”",
            "- **笔记和待办**：“记一下：伞在玄关”、“找一下伞的笔记”、“待办：买牛奶”",
        )
    if "calc.evaluate" in ask.tools:
        yield ask.pick(
            "- **sums**: “what is 12*7+3?”, “15% of 80”",
            "- **计算**：“算一下 3.5*(2+1)”、“80的15%”",
        )


def read_connect(clause: str, ask: OfflineRequest) -> Script | None:
    return _explain(ask) if _CONNECT.search(clause) else None


def _explain(ask: OfflineRequest) -> Script:
    yield Say(
        ask.pick(
            f"To connect a language model, {_WAY[0]} A test there tells what the service can do; "
            "if it has no native tools, switch to text mode.",
            f"要连接语言模型，请{_WAY[1]}那里可以测试这个服务能做什么；如果它不支持原生工具，"
            "就切换到文本模式。",
        )
    )


def read_picture(clause: str, ask: OfflineRequest) -> Script | None:
    return _decline_picture(ask) if ask.pictures else None


def _decline_picture(ask: OfflineRequest) -> Script:
    yield Say(
        ask.pick(
            "I can't see pictures: for that a language model with vision has to be connected, in "
            "**Settings › Models › Services**.",
            "我看不了图片：这需要在**设置 › 模型 › 服务**里连接一个能看图的语言模型。",
        )
    )


def fall_back(ask: OfflineRequest) -> Script:
    """Return the answer to a message that no rule reads."""
    if ask.pictures and not ask.words.strip():
        yield from _decline_picture(ask)
        return
    refusal = ask.pick(*REFUSAL_TEXTS)
    if ask.refused:
        yield Refuse(
            refusal + ask.pick(" Say “help” to see what I can do.", "说“帮助”看看我会什么。")
        )
        return
    yield Refuse(f"{refusal} ")
    yield Say(
        ask.pick(
            "I'm only the offline helper, a few rules without a language model. What I do "
            "understand:\n\n",
            "我只是离线助手，几条规则，没有语言模型。我听得懂的有：\n\n",
        )
        + "\n".join(abilities(ask))
        + ask.pick(f"\n\nFor everything else, {_WAY[0]}", f"\n\n其他的事情，请{_WAY[1]}")
    )
