"""More written cases, made after the ranking: they are about what the first ones didn't cover
(words of one character beside others, letters with accents, a statement repeated forty times, short
sentences that differ in one word). Asked in a memory of their own.
"""

from tests.support.recallcases import Written

MORE = Written(
    said="""
corrections
c1 2025-03-02T10:00 user The dentist appointment is on 14 May at 9:30.
c2 2025-04-20T18:20 user The dentist moved me: the appointment is on 21 May at 15:00 instead.
c3 2025-03-05T10:00 user The dentist on Mill Road is gentle, I like him.
c4 2025-02-01T09:00 user Our wifi password is heron-42.
c5 2025-08-14T21:00 user I changed the wifi password, it is otter-77 now.
c6 2025-08-15T21:00 user The wifi is slow again in the kitchen.
c7 2025-04-03T12:00 user 我的身高是一米七二。
c8 2025-06-03T12:00 user 刚量了，身高其实是一米七四。
c9 2025-05-03T12:00 user 弟弟的身高已经超过爸爸了。
c10 2025-05-05T20:00 user 我们的婚礼定在十月二号。
c11 2025-07-20T20:00 user 婚礼改期了，定在十一月八号。
c12 2025-07-21T20:00 user 婚礼的蛋糕想要草莓的。
c13 2025-01-05T20:00 user I drive a grey Skoda.
c14 2025-09-05T20:00 user Sold the Skoda, I drive a red Mazda now.
c15 2025-03-09T20:00 user 我在学法语，每天半小时。
c16 2025-10-09T20:00 user 法语不学了，改学西班牙语。
duplicates
d1 2025-01-10T08:00 user My blood type is 0 negative.
d2 2025-06-22T19:30 user My blood type is 0 negative.
d3 2025-06-23T19:30 user I gave blood at the town hall and fainted afterwards.
d4 2025-02-10T08:00 user 我爸爸对青霉素过敏。
d5 2025-07-10T08:00 user 我爸爸对青霉素过敏！
d6 2025-07-12T08:00 user 爸爸的体检报告出来了，血压偏高。
negation
n1 2025-03-15T12:10 user I never drink coffee after noon, it keeps me awake.
n2 2025-03-16T12:10 user I drink two coffees every morning before the meeting.
n3 2025-03-17T12:10 user I haven't been to Portugal yet.
n4 2025-03-18T12:10 user I have been to Spain four times.
n5 2025-03-19T12:10 user 我不会游泳，下水就紧张。
n6 2025-03-20T12:10 user 我会滑雪，单板双板都行。
n7 2025-03-21T12:10 user 我从来不吃早饭。
n8 2025-03-22T12:10 user 午饭我一般吃食堂的套餐。
n9 2025-03-23T12:10 user My brother doesn't eat meat, only fish.
n10 2025-03-24T12:10 user My cousin eats meat with every meal.
dates
t1 2024-12-31T22:40 user We burnt the raclette and laughed until midnight.
t2 2025-12-31T22:50 user The power went out in the middle of the countdown.
t3 2026-01-01T09:00 user Cold swim in the lake with Petra, three minutes.
t4 2026-01-01T23:30 user Started reading Middlemarch in the bath.
t5 2025-12-30T20:00 user 同学聚会，老赵唱了一晚上。
t6 2025-12-31T18:00 user 把旧沙发搬下楼扔了。
t7 2026-01-02T08:00 user 早上去火车站送表姐。
t8 2025-12-28T10:00 user My passport expires on 3 February.
t9 2025-12-29T10:00 user 后天要去交房租。
t10 2025-02-10T10:00 user 去年中秋节我们在西塘看的灯。
t11 2025-11-03T10:00 user The boiler man comes next Thursday.
t12 2025-09-13T10:00 user Carried the piano up with four people.
t13 2025-09-20T10:00 user Two blisters from the hike, but the view!
time zones
z1 2026-03-28T23:50 user Missed the last tram in Lisbon and walked home.
z2 2026-03-29T01:30 user Found a ginger cat on the steps.
z3 2026-03-29T03:30 user The alarm rang an hour early because of summer time.
z4 2025-12-31T23:58 user 在东京湾的船上倒数，冻得发抖。
z5 2026-01-01T00:05 user 船上每人发了一碗荞麦面。
code
k1 2025-06-01T10:00 user TypeError: 'NoneType' object in fetch_user_profile after the refactor.
k2 2025-06-01T10:01 assistant The cache gives None on a miss: cache.get(key) or load(key).
k3 2025-06-02T10:00 user The user profile page should have rounder corners.
k4 2025-06-20T10:00 user docker-compose 里 redis 的端口映射成 16379 了。
k5 2025-06-21T10:00 user docker 占了我 80G 的硬盘。
k6 2025-06-22T10:00 user git rebase --onto main feature~3 saved me today.
k7 2025-06-23T10:00 user I use git every day.
k8 2025-06-24T10:00 user const MAX_RETRIES = 7 lives in src/net/backoff.ts
names
a1 2025-07-03T18:00 user Siobhan is our new team lead, she is from Cork.
a2 2025-07-04T18:00 user The old team lead, Marek, went to a bank.
a3 2025-07-05T18:00 user 司马懿行是我的房东，住在楼上。
a4 2025-07-06T18:00 user 房东说下个月要涨房租。
a5 2025-07-07T18:00 user 我的发小叫董小北，在青岛开船厂。
a6 2025-07-08T18:00 user My vet is Dr. Nguyễn, on Harbour Street.
a7 2025-07-09T18:00 user The vet bill was 240 euros.
a8 2025-07-10T18:00 user Jürgen from the choir lends me his van on weekends.
a9 2025-07-11T18:00 user 艾米丽老师教我女儿跳芭蕾。
a10 2025-07-12T18:00 user 女儿的数学老师很严。
mixed
m1 2025-08-01T10:00 user 我的 MacBook 屏幕裂了，AppleCare 还有两个月。
m2 2025-08-02T10:00 user 公司的 OKR 要在周三前填到 Lark 里。
m3 2025-08-03T10:00 user We call our cat 豆包 because she is round.
m4 2025-08-04T10:00 user 我对 deadline 的恐惧大于一切。
m5 2025-08-05T10:00 user 周末在家看了 Severance 第二季，结局没看懂。
m6 2025-08-06T10:00 user iPad 给妈妈用了，她拿来看戏曲。
one character
o1 2025-08-10T10:00 user 家里的狗最怕打雷。
o2 2025-08-11T10:00 user 我养的鱼昨晚跳出来了。
o3 2025-08-12T10:00 user 酒我只喝黄酒，要温的。
o4 2025-08-13T10:00 user 琴放在客厅的窗边，会晒裂的。
o5 2025-08-14T10:00 user 书都捐给社区图书室了。
o6 2025-08-15T10:00 user 盐在灶台左边第二个抽屉。
o7 2025-08-16T10:00 user My favourite vitamin is K, for silly reasons.
emoji
e1 2025-08-20T10:00 user The team's channel for outages is marked with 🚨
e2 2025-08-21T10:00 user 我和阿芸的暗号是🐙🐙
e3 2025-08-22T10:00 user Booked the ⛺ for the last week of June
e4 2025-08-23T10:00 user 今天打了疫苗💉，胳膊有点酸
e5 2025-08-24T10:00 user My flag is 🇧🇷, my wife's is 🇫🇮
speakers
s1 2025-09-01T10:00 user I made a lentil soup with cumin and lemon.
s2 2025-09-01T10:01 assistant Next time try a spoon of tahini in the lentil soup, it gets creamy.
s3 2025-09-02T10:00 user 跑步之后膝盖疼怎么办？
s4 2025-09-02T10:01 assistant 先冰敷十五分钟，再做股四头肌的拉伸。
s5 2025-09-03T10:00 user 我膝盖三年前做过半月板手术。
paraphrase
p1 2025-09-10T10:00 user My grandmother left me her sewing machine, a 1952 Singer.
p2 2025-09-11T10:00 user I'm allergic to bee stings, I carry an EpiPen.
p3 2025-09-12T10:00 user 我女朋友的生日是六月十九号。
p4 2025-09-13T10:00 user 我妈妈的生日是三月二号。
p5 2025-09-14T10:00 user 每周二晚上我在体育馆打羽毛球。
p6 2025-09-15T10:00 user 我的车牌号是苏A·7K219。
p7 2025-09-16T10:00 user We named the baby Ottilie.
p8 2025-09-17T10:00 user 我租的房子月租三千八，押一付三。
p9 2025-09-18T10:00 user My locker at the gym is number 118, the code is 0451.
p10 2025-09-19T10:00 user 我最讨厌的食物是榴莲。
""",
    asked="""
corrections 2026-01-04T09:00 When is my dentist appointment? > c2
corrections 2026-01-04T09:00 what's the wifi password > c5
corrections 2026-01-04T09:00 What was the old wifi password? > c4
corrections 2026-01-04T09:00 我多高？ > c8
corrections 2026-01-04T09:00 婚礼是哪天 c11
corrections 2026-01-04T09:00 婚礼原来定的是哪天？ > c10
corrections 2026-01-04T09:00 Which car do I drive? > c14
corrections 2026-01-04T09:00 我现在在学什么语言？ c16
duplicates 2026-01-04T09:00 Do you remember my blood type? > d2
duplicates 2026-01-04T09:00 我爸对什么药过敏 > d5
duplicates 2026-01-04T09:00 爸爸的血压怎么样？ > d6
negation 2026-01-04T09:00 When do I not drink coffee? n1
negation 2026-01-04T09:00 Which country haven't I been to? n3
negation 2026-01-04T09:00 我会游泳吗？ > n5
negation 2026-01-04T09:00 我早饭吃什么？ > n7
negation 2026-01-04T09:00 Who in my family is vegetarian, no meat? n9
negation 2026-01-04T09:00 我会哪些冬天的运动，滑雪吗 > n6
dates 2026-01-01T08:00 What happened last night? t2 z4
dates 2026-01-03T10:00 What did I do on New Year's Day? t3 t4
dates 2025-06-03T10:00 What did we do on New Year's Eve? > t1
dates 2026-01-02T20:00 前天我扔了什么？ > t6
dates 2026-01-02T20:00 今天早上我去干嘛了 > t7
dates 2026-01-03T10:00 这周三我扔了什么？ > t6
dates 2026-01-10T10:00 when does my passport run out? > t8
dates 2026-01-01T10:00 房租是哪天要交？ > t9
dates 2025-12-20T10:00 去年中秋在哪里看的灯？ > t10
dates 2025-11-12T10:00 Who comes this Thursday? > t11
dates 2025-09-22T10:00 What did I do the weekend before last? t12
dates 2025-09-22T10:00 What did I do last Saturday? t13
time zones 2026-03-29T12:00 What did I find on the steps last night? > z2
time zones 2026-03-29T20:00 what rang early this morning? > z3
time zones 2026-01-02T09:00 跨年那天晚上我在哪儿倒数的？ > z4
time zones 2026-01-02T09:00 元旦吃了什么面？ z5
code 2026-01-04T09:00 How did you fix the NoneType error in fetch_user_profile? k2
code 2026-01-04T09:00 redis 映射到哪个端口？ > k4
code 2026-01-04T09:00 what was that git command with --onto > k6
code 2026-01-04T09:00 where is max retries defined > k8
names 2026-01-04T09:00 Who is Siobhan? > a1
names 2026-01-04T09:00 Who was my team lead before? a2
names 2026-01-04T09:00 我房东叫什么名字？ a3
names 2026-01-04T09:00 董小北在哪里？ > a5
names 2026-01-04T09:00 what is the name of my vet, Nguyen? > a6
names 2026-01-04T09:00 Whose van can I borrow, Jurgen's? > a8
names 2026-01-04T09:00 谁教我女儿跳舞？ > a9
mixed 2026-01-04T09:00 我的电脑屏幕怎么了 > m1
mixed 2026-01-04T09:00 OKR填到哪里？ > m2
mixed 2026-01-04T09:00 Why is the cat called 豆包? > m3
mixed 2026-01-04T09:00 我上次看的美剧Severance怎么样 > m5
mixed 2026-01-04T09:00 妈妈用什么看戏？ > m6
one character 2026-01-04T09:00 狗怕什么？ > o1
one character 2026-01-04T09:00 我的鱼怎么了 > o2
one character 2026-01-04T09:00 我喝什么酒 > o3
one character 2026-01-04T09:00 琴在哪 > o4
one character 2026-01-04T09:00 书呢 > o5
one character 2026-01-04T09:00 盐放哪儿了？ > o6
one character 2026-01-04T09:00 vitamin K > o7
emoji 2026-01-04T09:00 what does 🚨 mean? > e1
emoji 2026-01-04T09:00 🐙是什么意思 > e2
emoji 2026-01-04T09:00 When is the ⛺? > e3
emoji 2026-01-04T09:00 💉 > e4
emoji 2026-01-04T09:00 🇧🇷 > e5
speakers 2026-01-04T09:00 What did you suggest for my soup? > s2
speakers 2026-01-04T09:00 What did I put into the soup? > s1
speakers 2026-01-04T09:00 膝盖疼你建议我怎么做？ s4
paraphrase 2026-01-04T09:00 What did grandma leave me? > p1
paraphrase 2026-01-04T09:00 What am I allergic to? > p2
paraphrase 2026-01-04T09:00 我女朋友哪天生日？ > p3
paraphrase 2026-01-04T09:00 我周几打羽毛球？ > p5
paraphrase 2026-01-04T09:00 我的车牌 > p6
paraphrase 2026-01-04T09:00 What's our baby called? > p7
paraphrase 2026-01-04T09:00 房租一个月多少钱？ p8
paraphrase 2026-01-04T09:00 the code of my locker? > p9
paraphrase 2026-01-04T09:00 我最讨厌吃什么？ > p10
""",
)
