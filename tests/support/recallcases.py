"""Written cases of recall: what was said, what is asked later, and what should be found.

They were made up for this. Each group is about one difficulty; all are asked in one memory, among
small talk, so that the groups are noise for one another. `python -m tests.support.recallcases`
prints how much is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem


@dataclass(frozen=True, slots=True)
class Said:
    id: str
    time: datetime
    speaker: str
    text: str

    @property
    def item(self) -> MemoryItem:
        sides = {"assistant": ItemSide.COMPANION, "document": ItemSide.DOCUMENT}
        side = sides.get(self.speaker, ItemSide.PERSON)
        return MemoryItem(self.id, self.speaker, side, self.time, self.text)


@dataclass(frozen=True, slots=True)
class Asked:
    """`first`: the best answer must be among these; `wanted` are all that should be found."""

    group: str
    time: datetime
    text: str
    wanted: frozenset[str]
    first: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What was said, one line each (id, time, speaker, text; ids of corrected ones), and what is
    asked: group, time, text, the ids that should be found, with ">" before them if one must be
    first.
    """

    said: str
    asked: str


FIRST = Written(
    said="""
corrections
c1 2025-03-02T10:00 user My favourite colour is blue.
c2 2025-06-11T18:20 user My favourite colour is green now, I repainted the room.
c3 2025-02-01T09:00 user I work as a nurse at the harbour hospital.
c4 2025-09-14T21:00 user Actually I no longer work as a nurse at the harbour hospital, I teach.
c5 2025-04-03T12:00 user 我的电话尾号是4471。
c6 2025-08-09T12:00 user 更正一下，我的电话尾号改成9920了。
c7 2025-05-05T20:00 user 我住在杭州西湖区文三路。
c8 2025-10-20T20:00 user 我搬到南京了，现在住在鼓楼区。
duplicates
d1 2025-01-10T08:00 user My sister Mia plays the cello.
d2 2025-04-22T19:30 user My sister Mia plays the cello!
d3 2025-05-01T19:30 user Mia's cello concert is in the old church in Lund.
d4 2025-02-10T08:00 user 我妹妹在学古筝。
d5 2025-07-10T08:00 user 我妹妹在学古筝。
d6 2025-07-12T08:00 user 妹妹的古筝老师姓欧阳。
negation
n1 2025-03-15T12:10 user I can't eat peanuts, they make my throat swell.
n2 2025-03-16T12:10 user Cashews are fine, I eat them every day.
n3 2025-03-18T12:10 user 我不吃香菜，闻到就难受。
n4 2025-03-19T12:10 user 我特别爱吃茼蒿，尤其是火锅里的。
n5 2025-03-20T12:10 user Don't ever book the window seat for me, I get dizzy.
n6 2025-03-21T12:10 user The aisle seat at the back is what I like best.
dates
t1 2025-12-31T23:40 user We watched the fireworks from the roof with Jonas.
t2 2026-01-01T00:20 user Jonas lost a glove on the stairs.
t3 2025-12-24T19:00 user Grandma gave me a brass telescope.
t4 2025-12-31T21:00 user 跨年夜我们在江边吃了烤鱼。
t5 2026-01-01T11:00 user 元旦一早去爬了紫金山。
t6 2026-01-03T09:00 user Tomorrow I hand in the tax form.
t7 2025-12-26T15:00 user 上午把自行车送去修了。
t8 2024-11-08T15:00 user The cat we found in the rain is called Biscuit.
time zones
z1 2025-10-25T23:30 user We landed in Anchorage with half of the luggage.
z2 2025-10-26T00:30 user The hotel gave us the room with the moose head.
z3 2025-10-26T02:30 user I can't sleep, the clocks went back tonight.
z4 2025-11-30T23:50 user 飞机晚点，刚过国际日期变更线。
z5 2025-12-01T00:10 user 到斐济了，行李先寄存在码头。
code
k1 2025-06-01T10:00 user The crash comes from parseManifest() in loader/manifest.py, on no entries.
k2 2025-06-01T10:01 assistant Guard it: if not entries, return [] before merge_layers(entries).
k3 2025-06-20T10:00 user 构建时报错 ERR_PNPM_OUTDATED_LOCKFILE，要怎么处理？
k4 2025-06-20T10:01 assistant 运行 pnpm install --no-frozen-lockfile，再把 lock 文件提交上去。
k5 2025-06-22T10:00 user Our staging config lives in deploy/values-staging.yaml, port 8443.
names
a1 2025-07-03T18:00 user Krzysztof lent me his tent for the Tatra hike.
a2 2025-07-04T18:00 user 我同事李嘉怡下个月结婚。
a3 2025-07-05T18:00 user Zoë's café opens at seven.
a4 2025-07-06T18:00 user 欧阳修远是我的高中班主任。
a5 2025-07-07T18:00 user Наталья keeps our spare violin in Riga.
mixed
m1 2025-08-01T10:00 user 我用Notion管理论文，用Zotero存PDF。
m2 2025-08-02T10:00 user 下周要去Berlin参加PyCon，演讲题目是asyncio的取消。
m3 2025-08-03T10:00 user My thesis advisor 王老师 wants the draft by Friday.
one character
o1 2025-08-10T10:00 user 我家的猫只喝流动的水。
o2 2025-08-11T10:00 user 我怕蛇，看到照片都不行。
o3 2025-08-12T10:00 user 茶要喝普洱，别的都睡不着。
o4 2025-08-13T10:00 user 我的伞落在图书馆三楼了。
o5 2025-08-14T10:00 user In C I declare the buffer static.
emoji
e1 2025-08-20T10:00 user 🦊 is my spirit animal, put it on everything
e2 2025-08-21T10:00 user 看到🌶️就想起成都的那顿饭
e3 2025-08-22T10:00 user 🎻 lessons moved to the blue room
e4 2025-08-23T10:00 user 爸爸的生日礼物定了：🎣
e5 2025-08-24T10:00 user Put 🥝🥝 on the shopping list
speakers
s1 2025-09-01T10:00 user I tried three books about the sea last summer.
s2 2025-09-01T10:01 assistant For the sea you could read The Sea Around Us, it is slow and lovely.
s3 2025-09-02T10:00 user 周末想看部电影放松一下。
s4 2025-09-02T10:01 assistant 推荐你看电影《海街日记》，节奏很慢，很治愈。
s5 2025-09-03T10:00 Caroline I signed up for the pottery class in the old mill.
s6 2025-09-03T10:02 Melanie Caroline, pottery sounds great! I would rather run the half marathon.
neighbours
h1 2025-09-10T10:00 assistant What is the name of your dog, by the way?
h2 2025-09-10T10:01 user Pumpernickel!
h3 2025-09-11T10:00 assistant 你们公司年会定在哪儿了？
h4 2025-09-11T10:01 user 定在莫干山。
asked before
b1 2025-08-01T10:00 user The gate opens with 7731 backwards.
b2 2025-11-01T10:00 user What opens the gate?
b3 2025-08-02T10:00 user 车位在地下二层C区88号。
b4 2025-11-02T10:00 user 我的车位在地下几层？
a year ago
y1 2024-12-01T10:00 user The spare key lies under the third flowerpot.
y2 2024-12-02T10:00 user 保险箱的密码写在《辞海》第88页。
""",
    asked="""
corrections 2026-01-04T09:00 What is my favourite colour? > c2
corrections 2026-01-04T09:00 What was my favourite colour before? > c1
corrections 2026-01-04T09:00 Where do I work? > c4
corrections 2026-01-04T09:00 我的电话尾号是多少？ > c6
corrections 2026-01-04T09:00 我以前的电话尾号是什么？ > c5
corrections 2026-01-04T09:00 我现在住在哪里？ > c8
duplicates 2026-01-04T09:00 Which instrument does my sister play? > d2
duplicates 2026-01-04T09:00 Where is Mia's cello concert? d3
duplicates 2026-01-04T09:00 妹妹在学什么乐器，古筝吗？ d5
duplicates 2026-01-04T09:00 妹妹的古筝老师姓什么？ > d6
duplicates 2026-01-04T09:00 Who plays the cello? > d2
negation 2026-01-04T09:00 Which nuts can't I eat? Peanuts? > n1
negation 2026-01-04T09:00 Do I eat cashews? > n2
negation 2026-01-04T09:00 我不吃什么菜？香菜吗？ > n3
negation 2026-01-04T09:00 火锅里我爱吃什么？ > n4
negation 2026-01-04T09:00 Which seat should you not book for me? n5
dates 2026-01-01T10:00 What did I tell you yesterday? t1 t4
dates 2026-01-02T10:00 What happened on New Year's Eve? t1 t4
dates 2026-01-02T10:00 昨天我做了什么？ t5 t2
dates 2026-01-05T10:00 跨年夜吃了什么？ > t4
dates 2026-01-06T10:00 What did I have to do on 4 January? > t6
dates 2026-01-04T10:00 What did grandma give me at Christmas Eve? > t3
dates 2026-01-01T10:00 上周五我把什么送去修了？ > t7
dates 2026-01-04T10:00 What did I find in November 2024? t8
dates 2026-01-04T10:00 元旦那天爬了什么山？ > t5
time zones 2025-10-26T09:00 What did I tell you yesterday about the luggage? > z1
time zones 2025-10-26T23:59 What happened today? z2 z3
time zones 2025-10-27T00:01 Which room did the hotel give us yesterday? > z2
time zones 2025-10-27T09:00 What did I say yesterday about the clocks? > z3
time zones 2025-12-01T08:00 昨天飞机怎么了？ > z4
time zones 2025-12-02T08:00 昨天行李寄存在哪里？ > z5
code 2026-01-04T09:00 where does parseManifest crash > k1
code 2026-01-04T09:00 which port is in values-staging.yaml? > k5
code 2026-01-04T09:00 merge_layers fix for empty entries > k2
code 2026-01-04T09:00 ERR_PNPM_OUTDATED_LOCKFILE 是怎么解决的 k3 k4
code 2026-01-04T09:00 你说的pnpm命令是什么 > k4
names 2026-01-04T09:00 What did Krzysztof lend me? > a1
names 2026-01-04T09:00 李嘉怡什么时候结婚？ > a2
names 2026-01-04T09:00 When does Zoe's cafe open? > a3
names 2026-01-04T09:00 我高中班主任叫什么？ > a4
names 2026-01-04T09:00 Where does Наталья keep the violin? > a5
names 2026-01-04T09:00 欧阳修远是谁？ > a4
mixed 2026-01-04T09:00 我用什么存PDF？ > m1
mixed 2026-01-04T09:00 What do I use Zotero for? > m1
mixed 2026-01-04T09:00 PyCon我要讲什么？ > m2
mixed 2026-01-04T09:00 王老师要我什么时候交draft？ > m3
mixed 2026-01-04T09:00 Berlin的演讲是什么题目？ > m2
one character 2026-01-04T09:00 猫 > o1
one character 2026-01-04T09:00 蛇呢？ > o2
one character 2026-01-04T09:00 我喝什么茶？ > o3
one character 2026-01-04T09:00 伞在哪儿 > o4
one character 2026-01-04T09:00 伞？ > o4
one character 2026-01-04T09:00 What do I declare in C? > o5
emoji 2026-01-04T09:00 what about 🦊? > e1
emoji 2026-01-04T09:00 🌶️ > e2
emoji 2026-01-04T09:00 Where are the 🎻 lessons? > e3
emoji 2026-01-04T09:00 🎣是给谁的？ > e4
emoji 2026-01-04T09:00 🥝 > e5
speakers 2026-01-04T09:00 Which book about the sea did you recommend? > s2
speakers 2026-01-04T09:00 你推荐我看哪部电影？ > s4
speakers 2026-01-04T09:00 What did Caroline sign up for? > s5
neighbours 2026-01-04T09:00 What is the name of my dog? h2
neighbours 2026-01-04T09:00 公司年会定在哪儿？ h4
asked before 2026-01-04T09:00 What opens the gate? > b1
asked before 2026-01-04T09:00 我的车位在地下几层？ > b3
a year ago 2026-01-04T09:00 Where is the spare key? > y1
a year ago 2026-01-04T09:00 保险箱的密码写在哪里？ > y2
""",
)


_SMALL_TALK = (
    "The weather is nice again, isn't it?",
    "I am tired, it was a long day at work.",
    "Lunch was soup and bread, nothing special.",
    "What do you think about the new office?",
    "今天天气不错，适合出去走走。",
    "有点累，想早点睡觉。",
    "中午吃了面条，味道一般。",
    "最近工作特别忙，一直在开会。",
    "I should go running more often.",
    "The train was late and full of people.",
    "Do you like music in the morning?",
    "给我讲个笑话吧。",
    "周末没什么安排，在家休息。",
    "My phone is slow, maybe it needs an update.",
    "I watched a film and fell asleep.",
    "晚上和朋友聊了一会儿天。",
)


def said(written: Written = FIRST) -> Iterator[Said]:
    """All that was said, in order of time, among small talk."""
    found = []
    for line in written.said.strip().splitlines():
        parts = line.split(" ", 3)
        if len(parts) == 4 and parts[1][:2] == "20":
            found.append(Said(parts[0], datetime.fromisoformat(parts[1]), parts[2], parts[3]))
    begin = datetime(2024, 10, 1, 12)
    for number in range(600):
        text = f"{_SMALL_TALK[number % len(_SMALL_TALK)]} {number}"
        time = begin + timedelta(hours=17 * number)
        found.append(Said(f"talk{number}", time, ("user", "assistant")[number % 2], text))
    return iter(sorted(found, key=lambda one: one.time))


def asked(written: Written = FIRST) -> list[Asked]:
    lines = written.asked.strip().splitlines()
    groups = sorted({line.split(" 20", 1)[0] for line in lines})
    known = {line.split(" ", 1)[0] for line in written.said.strip().splitlines() if " 20" in line}
    found = []
    for line in lines:
        group = next(one for one in groups if line.startswith(f"{one} 20"))
        time, rest = line.removeprefix(f"{group} ").split(" ", 1)
        words = rest.split()
        ids = set()
        while words[-1] in known:
            ids.add(words.pop())
        first = words[-1] == ">"
        text = " ".join(words[:-1] if first else words)
        found.append(Asked(group, datetime.fromisoformat(time), text, frozenset(ids), first))
    return found


async def remembered(written: Written = FIRST) -> MemoryStore:
    """A memory of all of it."""
    book = await MemoryStore.open(None)
    await book.add([one.item for one in said(written)])
    return book


async def recall_at(count: int, written: Written = FIRST) -> dict[str, tuple[int, int, list[str]]]:
    """By group: how many of the wanted are among the first `count`, how many there are, and the
    questions that miss one.
    """
    book = await remembered(written)
    cases = asked(written)
    groups: dict[str, tuple[int, int, list[str]]] = {}
    for case in cases:
        found = {one.item.id for one in await book.search(case.text, case.time, count)}
        hits, all_, missed = groups.get(case.group, (0, 0, []))
        met = len(found & case.wanted)
        if met < len(case.wanted):
            missed = [*missed, f"{case.text} → {sorted(case.wanted - found)}"]
        groups[case.group] = (hits + met, all_ + len(case.wanted), missed)
    await book.aclose()
    return groups


def main() -> None:
    from tests.support.morerecallcases import MORE
    from tests.support.replycases import REPLIES
    from tests.support.talkcases import TALK

    every_set = {"first": FIRST, "more": MORE, "talk": TALK, "replies": REPLIES}
    for name, written in every_set.items():
        for count in (1, 5):
            groups = asyncio.run(recall_at(count, written))
            hits = sum(met for met, _, _ in groups.values())
            wanted = sum(every for _, every, _ in groups.values())
            print(f"{name}: recall@{count}: {hits}/{wanted} = {hits / wanted:.0%}")
            for group, (met, every, missed) in groups.items():
                print(f"  {group:14} {met}/{every}" + "".join(f"\n      {one}" for one in missed))


if __name__ == "__main__":
    main()
