"""Written cases about conversations: answers that leave out the words of the question, people who
are addressed by their names, words written apart or as one, years. Made up for this; asked in a
memory of their own.
"""

from tests.support.recallcases import Written

TALK = Written(
    said="""
answers
a1 2025-05-06T19:00 Nadia Do you keep any animals at home, Tomas?
a2 2025-05-06T19:01 Tomas Two geese and a tortoise!
a3 2025-05-06T19:02 Nadia Tomas, that must be loud! How did you come by the geese?
a4 2025-05-06T19:03 Tomas Won at a village raffle, believe it or not.
a5 2025-05-06T19:04 Nadia Ha, Tomas! My sister would envy you, Tomas.
a6 2025-05-07T20:00 assistant 你小时候最喜欢哪种零食？
a7 2025-05-07T20:01 user 麦芽糖，外婆每周给我带一块。
a8 2025-05-08T20:00 assistant That sounds tiring. And which instrument did you give up as a child?
a9 2025-05-08T20:01 user The oboe. My teeth hurt.
a10 2025-05-09T20:00 assistant 听起来很棒。你最想去哪个国家旅行呢？
a11 2025-05-09T20:01 user 挪威，想看峡湾。
a12 2025-05-10T20:00 user Which country would suit somebody who likes trains?
a13 2025-05-10T20:01 assistant Switzerland, with a pass for the whole week.
unknown
u1 2025-03-01T19:00 user The shed is opened by 7731, turn it left.
u2 2025-03-02T19:00 user What opens the shed?
u3 2025-03-02T19:01 assistant Sorry, I don't know what opens it.
u4 2025-03-05T19:00 user What opens the shed?
u5 2025-03-05T19:01 assistant Hm.
u6 2025-03-06T19:00 user 我的鹦鹉答应“扎祖”这个名字。
u7 2025-03-07T19:00 user 我的鹦鹉叫什么名字？
u8 2025-03-07T19:01 assistant 这个我不知道呢。
u9 2025-03-08T19:00 user 我的鹦鹉叫什么名字？
u10 2025-03-08T19:01 assistant 嗯。
names
n1 2025-06-01T18:00 Tomas I painted the boat house, it took all of Sunday.
n2 2025-06-01T18:01 Nadia Tomas, that is great! You really are good with a brush, Tomas.
n3 2025-06-01T18:02 Tomas Thanks, Nadia! And you, Nadia?
n4 2025-06-01T18:03 Nadia I mended the old accordion of my uncle.
n5 2025-06-01T18:04 Tomas Wow, Nadia, what a week! Say hello to your uncle, Nadia.
joined
j1 2025-07-09T20:00 user Signed up for the co-working space by the canal.
j2 2025-07-10T20:00 user My email to the landlord bounced again.
j3 2025-07-11T20:00 user The space under the stairs is full of boxes.
years
y1 2025-08-10T20:00 user Last year we met an otter with cubs on our canoe trip.
y2 2025-08-12T20:00 user On our canoe trip this summer we met nothing but rain.
y3 2025-08-13T20:00 user 前年我们在海边捡到一只受伤的海鸥。
y4 2025-08-14T20:00 user 今年我们在海边什么也没捡到，只有塑料瓶。
""",
    asked="""
answers 2026-01-04T09:00 Which animals does Tomas keep at home? > a2
answers 2026-01-04T09:00 How did Tomas come by the geese? > a4
answers 2026-01-04T09:00 我小时候最喜欢哪种零食？ > a7
answers 2026-01-04T09:00 Which instrument did I give up as a child? > a9
answers 2026-01-04T09:00 我最想去哪个国家旅行？ > a11
answers 2026-01-04T09:00 Which country did you recommend for trains? > a13
answers 2026-01-04T09:00 What did I ask you about trains? > a12
unknown 2026-01-04T09:00 What opens the shed? > u1
unknown 2026-01-04T09:00 我的鹦鹉叫什么名字？ > u6
names 2026-01-04T09:00 What did Tomas paint? > n1
names 2026-01-04T09:00 What did Nadia mend? > n4
names 2026-01-04T09:00 How was the week of Nadia? n4
joined 2026-01-04T09:00 where is my coworking space > j1
joined 2026-01-04T09:00 Which e-mail bounced? > j2
years 2025-11-01T09:00 What did we meet on our canoe trip last year? > y1
years 2025-11-01T09:00 2023年我们在海边捡到了什么？ > y3
""",
)
