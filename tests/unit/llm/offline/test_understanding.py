"""What the offline helper understands: words → calls and answer, the same in both modes."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Talk

Calls = list[tuple[str, dict[str, object]]]


def one(tool: str, /, **arguments: object) -> Calls:
    return [(tool, arguments)]


def face(name: str) -> Calls:
    return one("live2d.expression", name=name)


def motion(group: str) -> Calls:
    return one("live2d.motion", group=group)


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        # The body
        ("smile", face("smile"), "That's my “smile”."),
        ("Can you smile for me, please?", face("smile"), "“smile”"),
        ("please make a happy face", face("smile"), "“smile”"),
        ("make a wink face", face("wink"), "“wink”"),
        ("show me the sleepy expression", face("sleepy"), "“sleepy”"),
        ("go back to normal", face("neutral"), "“neutral”"),
        ("笑一个", face("smile"), "这就是我的“smile”。"),
        ("你能不能大笑一下？", face("joy"), "“joy”"),
        ("换个生气的表情", face("angry"), "“angry”"),
        ("害羞一下", face("shy"), "“shy”"),
        ("表情 thinking", face("thinking"), "“thinking”"),
        ("wave", motion("Wave"), "That was “Wave”."),
        ("wave hello", motion("Wave"), "“Wave”"),
        ("挥挥手", motion("Wave"), "这是“Wave”。"),
        ("点点头吧", motion("Nod"), "“Nod”"),
        ("play TapBody", motion("TapBody"), "“TapBody”"),
        ("dance", motion("TapBody"), "This body can't dance, but watch: "),
        ("跳个舞", motion("TapBody"), "这个身体不会这个动作，不过看这个："),
        ("shake your head", motion("TapBody"), "can't shake its head"),
        ("do something", motion("TapBody"), "Watch: That was “TapBody”."),
        ("what expressions do you have?", [], "`neutral`, `smile`"),
        ("你有哪些动作", [], "`Idle`, `TapBody`, `Wave`, `Nod`"),
        ("make another face", [], "This body has: `neutral`"),
        # The clock
        ("what time is it?", one("time.now"), "It's **15:00** on Friday, 21 November 2025."),
        ("what day is it today?", one("time.now"), "It's **Friday, 21 November 2025**, 15:00."),
        (
            "What's the time in new york",
            one("time.now", timezone="new york"),
            "In New York it's **02:00** on Friday, 21 November 2025.",
        ),
        (
            "what time is it in Japan?",
            one("time.now", timezone="Asia/Tokyo"),
            "In Japan it's **16:00**",
        ),
        ("现在几点了？", one("time.now"), "现在是 **15:00**（2025年11月21日，星期五）。"),
        ("今天星期几", one("time.now"), "今天是 **2025年11月21日，星期五**，15:00。"),
        ("东京现在几点", one("time.now", timezone="Asia/Tokyo"), "东京现在是 **16:00**"),
        (
            "what time is it in Atlantis?",
            one("time.now", timezone="Atlantis"),
            "I don't know that place.",
        ),
        # Sums
        ("what is 12*7+3?", one("calc.evaluate", expression="12*7+3"), "**12×7+3 = 87**"),
        ("12*7", one("calc.evaluate", expression="12*7"), "= 84"),
        ("calculate max(1, 2)+2^3", one("calc.evaluate", expression="max(1, 2)+2^3"), "= 10"),
        ("what's 15% of 80", one("calc.evaluate", expression="15% of 80"), "= 12"),
        ("what is two plus twenty-one", one("calc.evaluate", expression="2 + 21"), "= 23"),
        ("what is the square root of 16", one("calc.evaluate", expression="sqrt(16)"), "= 4"),
        ("what's 5!", one("calc.evaluate", expression="5!"), "5! = 120"),
        ("how much is 3 times 4", one("calc.evaluate", expression="3 * 4"), "= 12"),
        ("算一下 3.5*(2+1)", one("calc.evaluate", expression="3.5*(2+1)"), "**3.5×(2+1) = 10.5**"),
        ("三加五等于几", one("calc.evaluate", expression="3+5"), "3+5 = 8"),
        ("算算一百二十除以八", one("calc.evaluate", expression="120/8"), "= 15"),
        ("百分之十五乘以80等于多少", one("calc.evaluate", expression="15%*80"), "= 12"),
        ("2的10次方是多少", one("calc.evaluate", expression="2^10"), "= 1024"),
        ("100 的 15% 是多少", one("calc.evaluate", expression="100 的 15%"), "= 15"),
        ("what is 1/0", one("calc.evaluate", expression="1/0"), "Nothing can be divided by zero."),
        ("1/0 等于多少", one("calc.evaluate", expression="1/0"), "除数不能是零。"),
        # Timers
        (
            "remind me in 5 minutes to drink water",
            one("timer.set", at="5 minutes", label="drink water"),
            "I'll remind you at **15:05**, in 5 minutes: drink water.",
        ),
        (
            "In 10 minutes, remind me to stand up",
            one("timer.set", at="10 minutes", label="stand up"),
            "at **15:10**",
        ),
        (
            "remind me to call mom at 17:30",
            one("timer.set", at="17:30", label="call mom"),
            "at **17:30**, in 2 hours 30 minutes: call mom.",
        ),
        ("remind me at 7 to cook", one("timer.set", at="at 7", label="cook"), "at **19:00**"),
        (
            "remind me tomorrow at 9 to send the report",
            one("timer.set", at="tomorrow at 9", label="send the report"),
            "**tomorrow 09:00**",
        ),
        (
            "remind me to read in two and a half hours",
            one("timer.set", at="two and a half hours", label="read"),
            "at **17:30**",
        ),
        ("set a 10 minute timer", one("timer.set", at="10 minute"), "The timer rings at **15:10**"),
        ("set an alarm for 6:45 am", one("timer.set", at="6:45 am"), "**tomorrow 06:45**"),
        ("wake me in half an hour", one("timer.set", at="half an hour"), "at **15:30**"),
        (
            "十分钟后提醒我喝水",
            one("timer.set", at="十分钟后", label="喝水"),
            "我会在 **15:10**（10分钟后）提醒你：喝水。",
        ),
        ("提醒我半小时后关火", one("timer.set", at="半小时后", label="关火"), "**15:30**"),
        (
            "一个半小时之后提醒我去接孩子",
            one("timer.set", at="一个半小时之后", label="去接孩子"),
            "（1小时30分钟后）",
        ),
        ("明天早上8点叫我起床", one("timer.set", at="明天早上8点", label="起床"), "**明天 08:00**"),
        ("下午5点半提醒我开会", one("timer.set", at="下午5点半", label="开会"), "**17:30**"),
        ("定个3分钟的倒计时", one("timer.set", at="3分钟"), "计时器会在 **15:03**（3分钟后）响。"),
        ("半小时后叫我", one("timer.set", at="半小时后"), "**15:30**"),
        ("remind me to buy milk", [], "When? Say it in one sentence"),
        ("提醒我买牛奶", [], "什么时候呢？"),
        ("my timers", one("timer.list"), "There are no timers now."),
        ("我的提醒有哪些", one("timer.list"), "现在没有计时器，也没有提醒。"),
        ("cancel the timer", one("timer.list"), "There is no timer to cancel."),
        # Notes
        (
            "note: the umbrella is in the hall, and the key too",
            one("note.add", text="the umbrella is in the hall, and the key too"),
            "Noted (number 1): the umbrella",
        ),
        (
            "remember that I like tea",
            one("note.add", text="I like tea"),
            "Noted (number 1): I like tea",
        ),
        ("记一下，牛奶和鸡蛋", one("note.add", text="牛奶和鸡蛋"), "记下了（第 1 条）：牛奶和鸡蛋"),
        (
            "add milk to my to-do list",
            one("note.add", text="milk", tags=["todo"]),
            "It's on your to-do list (number 1): milk",
        ),
        ("待办：买牛奶", one("note.add", text="买牛奶", tags=["todo"]), "记进待办了（第 1 条）"),
        ("show my notes", one("note.search"), "There is nothing yet."),
        ("我的待办", one("note.search", query="todo"), "还什么都没有。"),
        ("find notes about tea", one("note.search", query="tea"), "There is no note about “tea”."),
        ("找一下关于茶的笔记", one("note.search", query="茶"), "没有关于“茶”的笔记。"),
        ("delete note 7", one("note.delete", id=7), "There is no such note."),
        ("删除第7条笔记", one("note.delete", id=7), "没有这条笔记。"),
        ("delete all notes", [], "Which note? I delete one at a time"),
        ("删掉关于茶的笔记", one("note.search", query="茶"), "没有关于“茶”的笔记。"),
        # Talk
        ("thanks!", face("smile"), "You're welcome!"),
        ("谢谢你", face("smile"), "不客气！"),
        ("I'm so tired", face("sad"), "I'm sorry to hear that."),
        ("我好难过", face("sad"), "我也有点难过"),
        ("你好可爱", face("shy"), "谢谢夸奖！"),
        ("good job", face("shy"), "Thank you, that's kind."),
        ("tell me a joke", face("joy"), "OCT 31 equals DEC 25"),
        ("讲个笑话", face("joy"), "OCT 31 等于 DEC 25"),
        ("ok", motion("Nod"), "Good."),
        ("how are you?", face("smile"), "I'm fine, "),
        ("bye", motion("Wave"), "See you!"),
        ("再见", motion("Wave"), "再见！"),
        ("who are you?", face("smile"), "no language model"),
        ("你会什么？", face("smile"), "不是语言模型"),
        ("how do I connect a model?", [], "open **Settings › Service**"),
        ("怎么接入大模型", [], "打开**设置 › 服务**"),
        ("write me a poem about time", face("thinking"), "a few rules without a language model"),
        ("给我写一首诗", face("thinking"), "没有语言模型"),
    ],
)
def test_words_and_what_comes_of_them(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    reply = talk.say(words)
    assert reply.calls == calls
    assert answer in reply.text.replace("\n", " ").replace("  ", " ") or answer in reply.text
    assert "<<<" not in reply.text


def test_a_greeting_is_a_show(talk: Talk) -> None:
    reply = talk.say("Hi!")
    kinds = ["text", "live2d.expression", "text", "live2d.motion", "text"]
    assert reply.shape == kinds
    assert talk.body.acts == ["smile", "Wave"]
    assert "**offline helper**" in reply.text
    assert reply.message.rounds == 2
    assert "又见面啦" in talk.say("你好").text


@pytest.mark.parametrize(
    ("words", "calls", "answers"),
    [
        (
            "what time is it and calculate 2+2",
            ["time.now", "calc.evaluate"],
            ["It's **15:00**", "**2+2 = 4**"],
        ),
        (
            "你好，算一下1+1，再挥挥手",
            ["live2d.expression", "calc.evaluate", "live2d.motion"],
            ["你好呀！", "**1+1 = 2**", "这是“Wave”。"],
        ),
        (
            "what time is it and remind me in 5 min to stretch and drink",
            ["time.now", "timer.set"],
            ["It's **15:00**", "in 5 minutes: stretch and drink."],
        ),
        (
            "add eggs to my to-do list and what time is it",
            ["note.add", "time.now"],
            ["(number 1): eggs", "It's **15:00**"],
        ),
        ("what is 1+1, and what is 2*3?", ["calc.evaluate"] * 2, ["1+1 = 2", "2×3 = 6"]),
        (
            "hi, hello, what time is it?",
            ["live2d.expression", "time.now"],
            ["Hi! ", "It's **15:00**"],
        ),
    ],
)
def test_several_things_in_one_message(
    talk: Talk, words: str, calls: list[str], answers: list[str]
) -> None:
    reply = talk.say(words)
    assert [name for name, _ in reply.calls] == calls
    places = [reply.text.index(answer) for answer in answers]
    assert places == sorted(places)
    assert reply.message.rounds == 2


def test_timers_from_beginning_to_end(talk: Talk) -> None:
    talk.say("remind me in 5 minutes to drink water")
    talk.say("十分钟后提醒我关火")
    talk.say("set a timer for 2 days")
    listed = talk.say("show my timers").text
    assert "- `t1` **15:05** drink water (in 5 minutes)" in listed
    assert "- `t3` **2025-11-23 15:00** timer (in 2 days)" in listed
    asked = talk.say("cancel the timer")
    assert "Which one? Say for example “cancel t1”." in asked.text
    gone = talk.say("取消关火的提醒")
    assert gone.calls == [("timer.list", {}), ("timer.cancel", {"id": "t2"})]
    assert "已取消：关火" in gone.text
    assert "Cancelled: drink water" in talk.say("cancel t1").text
    talk.say("set a timer for 5 minutes")
    assert "Cancelled: the timer for 15:05, " in talk.say("cancel all timers").text
    assert talk.timers.timers == []
    assert "Which one?" not in talk.say("cancel t9").text


def test_the_only_timer_needs_no_name(talk: Talk) -> None:
    talk.say("半小时后叫我")
    assert "已取消：15:30 的计时器" in talk.say("把闹钟关掉").text


def test_notes_from_beginning_to_end(talk: Talk) -> None:
    talk.say("note: the umbrella is in the hall")
    talk.say("记一下：伞要修")
    talk.say("记一下：牛奶在伞旁边")
    assert talk.say("do you remember where the umbrella is?").text.endswith(
        "Here it is:\n\n- **1** the umbrella is in the hall"
    )
    several = talk.say("删掉关于伞的笔记")
    assert "有好几条" in several.text
    assert [name for name, _ in several.calls] == ["note.search"]
    gone = talk.say("delete the note about umbrella")
    assert [name for name, _ in gone.calls] == ["note.search", "note.delete"]
    assert gone.message.rounds == 3
    assert "Deleted: the umbrella is in the hall" in gone.text
    assert "已删除：伞要修" in talk.say("删除笔记 2").text
    assert talk.say("我的笔记").text.endswith("- **3** 牛奶在伞旁边")


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        ("cancel the timer", "timer.list", "timer.cancel"),
        ("delete the note about tea", "note.search", "note.delete"),
    ],
)
def test_a_chain_that_breaks_is_told(talk: Talk, words: str, first: str, second: str) -> None:
    talk.say("set a timer for 5 minutes and note: tea")
    talk.say("note: tea")
    talk.consent = False
    talk.asks = frozenset({second})
    reply = talk.say(words)
    assert [name for name, _ in reply.calls] == [first, second]
    assert reply.text.endswith("All right, I won't do it.")
    talk.asks = frozenset({first})
    reply = talk.say(words)
    assert [name for name, _ in reply.calls] == [first]
    assert reply.text.endswith("All right, I won't do it.")


@pytest.mark.parametrize("words", ["my timers", "my notes", "good night"])
def test_a_list_that_is_denied(talk: Talk, words: str) -> None:
    talk.consent = False
    talk.asks = frozenset({"timer.list", "note.search", "live2d.motion"})
    assert "All right, I won't do it." in talk.say(words).text


def test_many_notes_are_not_all_read_out(talk: Talk) -> None:
    for number in range(12):
        talk.notes.add(f"n{number}", [])
    text = talk.say("show my notes").text
    assert text.count("- **") == 10
    assert "These are the newest." in text


def test_a_second_fallback_is_short(talk: Talk) -> None:
    talk.say("gibberish of some kind")
    text = talk.say("and more of it").text
    assert "Say “help” for examples" in text
    assert len(text) < 300


def test_every_joke_has_its_turn(talk: Talk) -> None:
    assert len({talk.say("tell me a joke").text for _ in range(3)}) == 3
