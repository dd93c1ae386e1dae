"""Written cases with replies as models write them: lists of a dozen items on any subject, and
between them a statement that is asked about later. Asked in a memory of their own.
"""

from tests.support.recallcases import Written

_TIPS = (
    "Here are some tips. 1. Set a goal: write down what you want to reach, and by when. 2. Compare "
    "prices: read reviews of each shop before you buy. 3. Ask friends: neighbours know the best "
    "places for bread, bikes, films and walks. 4. Keep a list: note names, times and addresses. "
    "5. Take breaks: stretch your knees, drink water, look out of the window. 6. Use an app: there "
    "are calendars for birthdays, bills, concerts, choir practice. 7. Book early: trains, hotels "
    "and restaurants fill up on weekends. 8. Begin small: ten minutes a day are enough to learn an "
    "instrument or a language. I hope this helps, would you like more advice?"
)
_TIPS_ZH = (
    "可以这样做：一、定一个目标，写下时间和地点；二、货比三家，先看评价再买；三、问问邻居，"
    "他们知道附近哪家面包好、哪家修车便宜；四、列清单，记下名字、电话和地址；五、多休息，活动膝盖，"
    "喝水；六、用日历提醒生日、账单、音乐会和合唱排练；七、提前订车票、酒店和餐厅；"
    "八、从小处开始，每天十分钟就够学一门乐器。还需要别的建议吗？"
)

REPLIES = Written(
    said=f"""
passing
p1 2025-03-03T19:00 user How do I stop the wardrobe door from squeaking? I fixed the hinge already.
p2 2025-03-03T19:01 assistant {_TIPS}
p3 2025-03-03T19:02 user Okay.
p4 2025-03-03T19:03 assistant {_TIPS}
p5 2025-03-08T19:00 user What to practise? I started the viola with Mrs. Quill in Mill Lane.
p6 2025-03-08T19:01 assistant {_TIPS}
p7 2025-03-08T19:02 user Ha!
p8 2025-03-08T19:03 assistant {_TIPS}
p9 2025-03-12T19:00 user I can't sleep. The neighbour below practises the drums until eleven.
p10 2025-03-12T19:01 assistant {_TIPS}
p11 2025-03-12T19:02 user Lovely.
p12 2025-03-12T19:03 assistant {_TIPS}
p13 2025-03-15T19:00 user 怎么选儿童雨衣？我女儿下个月去桐庐露营。
p14 2025-03-15T19:01 assistant {_TIPS_ZH}
p15 2025-03-15T19:02 user 好。
p16 2025-03-15T19:03 assistant {_TIPS_ZH}
p17 2025-03-18T19:00 user 阳台的灯坏了，我换成了感应灯。
p18 2025-03-18T19:01 assistant {_TIPS_ZH}
p19 2025-03-18T19:02 user 哈哈。
p20 2025-03-18T19:03 assistant {_TIPS_ZH}
alike
a1 2025-04-02T19:00 user We watched a movie about a lighthouse, the ending was dull.
a2 2025-04-03T19:00 user My mum has taken up archery at seventy.
a3 2025-04-04T19:00 user I earn 2,150 a month since spring.
a4 2025-04-05T19:00 user 我爸周末去学了篆刻。
a5 2025-04-06T19:00 user 这个月薪水涨到了六千八。
wishes
w1 2025-05-01T19:00 user I edit my clips in Kdenlive and never got far with its colour wheels.
w2 2025-05-02T19:00 assistant For cutting clips many recommend a second screen and good headphones.
w3 2025-05-03T19:00 user 我做菜从来不放香菜，闻着就难受。
w4 2025-05-04T19:00 assistant 凉拌菜推荐放香菜和蒜末。
""",
    asked="""
passing 2025-07-01T09:00 Where do I have viola lessons? p5
passing 2025-07-01T09:00 Which instrument do I learn, any advice on practising it? p5
passing 2025-07-01T09:00 What did I fix on the wardrobe? > p1
passing 2025-07-01T09:00 Which noise comes from the neighbour below? > p9
passing 2025-07-01T09:00 我女儿去哪里露营？ > p13
passing 2025-07-01T09:00 阳台的灯我换成了什么？ > p17
alike 2025-07-01T09:00 What was the film about? a1
alike 2025-07-01T09:00 What does my mother do in her free time? > a2
alike 2025-07-01T09:00 What is my salary? > a3
alike 2025-07-01T09:00 我父亲在学什么？ > a4
alike 2025-07-01T09:00 我的工资是多少？ > a5
wishes 2025-07-01T09:00 Can you recommend something to learn more about editing clips? > w1
wishes 2025-07-01T09:00 能不能推荐一道菜，要不要放香菜？ w3
""",
)
