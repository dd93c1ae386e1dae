"""Company: somebody wants to talk, or to be encouraged; and what only a language model can do."""

from __future__ import annotations

from neodeskpet.llm.offline.request import OfflineRequest
from neodeskpet.llm.offline.rules.gestures import make_move, show_feeling
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Refuse, Say, Script

_CHAT = pattern(
    r"\b(?:talk|chat|speak) (?:to|with) (?:me|someone|somebody)\b",
    r"\b(?:let'?s|can we|shall we|want to|wanna) (?:talk|chat)\b|^(?:chat|talk)$",
    r"\bkeep me company\b|\bsay something$|\bentertain me\b|\bi'?m (?:so |really |very )?bored\b",
    r"聊聊|聊天|聊会儿?|聊点|聊一聊|说说话|说会儿?话|找人说话|陪陪我|陪我(?!专注|学习|\d)|无聊|没人陪|唠[唠嗑]",
)
_CHEER = pattern(
    r"\b(?:cheer me up|encourage me|motivate me|pep talk|wish me luck|comfort me)\b",
    r"\bsay something nice\b|\b(?:give|send) me an? (?:hug|compliment|pep talk)\b"
    r"|\bhug me\b|^hugs?$",
    r"\bi (?:have|'ve got|got) (?:an?|my) (?:big |final )?(?:exam|interview|test|presentation)\b",
    r"\bi can'?t (?:do (?:this|it)|go on|take it)\b",
    "加油|鼓励|夸夸?我|打气|祝我好运|好运|说点好听|安慰|抱抱|坚持不下去|撑不住",
    "我.{0,4}(?:要|有).{0,4}(?:考试|面试|答辩|比赛)|我.{0,3}考试$",
)
_OUTSIDE = pattern(
    r"\b(?:weather|forecast|rain|snow|temperature)\b|\bnews\b|\bstocks?\b|\bstock market\b",
    r"\b(?:write|draft|compose)\b.*\b(?:poem|email|letter|essay|code|script|story|song)\b",
    r"\btranslate\b|\btell me a (?:story|tale)\b|\b(?:search|google|look up)\b.*\b(?:web"
    r"|online|internet)\b",
    r"\bplay (?:some |a )?(?:music|songs?)\b|\bsing\b|\brecommend\b|\bsummari[sz]e\b|^explain\b",
    "天气|下雨|下雪|气温|新闻|股票|股市|翻译|推荐|解释一下|总结一下|唱(?:首|个)?歌|放(?:首|点|个)?(?:歌|音乐)",
    "写(?:一?[首篇封段个])?.{0,6}(?:诗|邮件|信|文章|作文|代码|故事|小说|文案|程序|歌)|讲(?:个|一个)?故事|搜(?:一下|索)?(?!.{0,8}笔记)",
)


def read_chat(clause: str, ask: OfflineRequest) -> Script | None:
    return _chat(ask) if _CHAT.search(without_polite_words(clause)) and len(clause) < 40 else None


def _chat(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("I'm here. ", "我在呢。"))
    yield from show_feeling(ask, "smile", "joy")
    lines = (
        (
            "I only know a few rules, so I'm better at listening: how was your day? A joke, a coin "
            "to flip or a pomodoro I can do too.",
            "我只会几条规则，更擅长听：今天过得怎么样？想听笑话、抛个硬币，或者开个番茄钟也行。",
        ),
        (
            "Tell me one good thing that happened today. I can keep it as a note.",
            "说一件今天发生的好事吧，我可以帮你记下来。",
        ),
        (
            "When did you last look out of the window? Let's both do that for a minute.",
            "上一次看窗外是什么时候？我们一起看一分钟吧。",
        ),
    )
    yield Say(ask.pick(*lines[ask.turn % len(lines)]))


def read_cheer(clause: str, ask: OfflineRequest) -> Script | None:
    return _cheer(ask) if _CHEER.search(without_polite_words(clause)) and len(clause) < 60 else None


def _cheer(ask: OfflineRequest) -> Script:
    lines = (
        ("You can do it. One small step at a time.", "你可以的，一步一步来就好。"),
        ("You came this far by yourself. Keep going!", "能走到这里都是你自己的本事，加油！"),
        ("Take a deep breath. Good luck!", "深呼吸一下，祝你顺利！"),
    )
    yield Say(ask.pick(*lines[ask.turn % len(lines)]) + " ")
    yield from make_move(ask, "nod")


def read_outside(clause: str, ask: OfflineRequest) -> Script | None:
    return (
        _decline(ask)
        if _OUTSIDE.search(without_polite_words(clause)) and len(clause) < 80
        else None
    )


def _decline(ask: OfflineRequest) -> Script:
    yield Refuse(
        ask.pick(
            "I can't do that offline: connect a language model in **Settings › Service**.",
            "离线时我做不到这个，请在**设置 › 服务**里连接一个语言模型。",
        )
    )
