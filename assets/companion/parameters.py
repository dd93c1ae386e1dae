"""All parameters of the model: ranges, and names in English and Chinese."""

from dataclasses import dataclass

from companion.moc_model import Parameter


@dataclass(frozen=True, slots=True)
class Named:
    """A parameter with its group and its display names."""

    parameter: Parameter
    group: str
    english: str
    chinese: str


GROUPS = {
    "ParamGroupHead": ("Head", "头部"),
    "ParamGroupEyes": ("Eyes", "眼睛"),
    "ParamGroupBrows": ("Brows", "眉毛"),
    "ParamGroupMouth": ("Mouth", "嘴"),
    "ParamGroupBody": ("Body", "身体"),
    "ParamGroupArms": ("Arms", "手臂"),
    "ParamGroupSway": ("Sway", "摇动"),
    "ParamGroupMood": ("Mood", "情绪"),
    "ParamGroupWorn": ("Worn", "配饰"),
}

_TABLE = """
Head | ParamAngleX | -30 30 0 | Head angle X | 头部角度 X
Head | ParamAngleY | -30 30 0 | Head angle Y | 头部角度 Y
Head | ParamAngleZ | -30 30 0 | Head angle Z | 头部角度 Z
Head | ParamCheek | 0 1 0 | Blush | 脸红
Eyes | ParamEyeLOpen | 0 1.3 1 | Left eye open | 左眼开闭
Eyes | ParamEyeLSmile | 0 1 0 | Left eye smile | 左眼微笑
Eyes | ParamEyeROpen | 0 1.3 1 | Right eye open | 右眼开闭
Eyes | ParamEyeRSmile | 0 1 0 | Right eye smile | 右眼微笑
Eyes | ParamEyeForm | -1 1 0 | Eyes, sad to angry | 眼形（悲伤到生气）
Eyes | ParamEyeBallX | -1 1 0 | Gaze X | 眼珠 X
Eyes | ParamEyeBallY | -1 1 0 | Gaze Y | 眼珠 Y
Eyes | ParamEyeBallForm | -1 1 0 | Pupil size | 瞳孔大小
Brows | ParamBrowLY | -1 1 0 | Left brow Y | 左眉上下
Brows | ParamBrowRY | -1 1 0 | Right brow Y | 右眉上下
Brows | ParamBrowLX | -1 1 0 | Left brow X | 左眉左右
Brows | ParamBrowRX | -1 1 0 | Right brow X | 右眉左右
Brows | ParamBrowLAngle | -1 1 0 | Left brow angle | 左眉角度
Brows | ParamBrowRAngle | -1 1 0 | Right brow angle | 右眉角度
Brows | ParamBrowLForm | -1 1 0 | Left brow form | 左眉变形
Brows | ParamBrowRForm | -1 1 0 | Right brow form | 右眉变形
Mouth | ParamMouthForm | -1 1 0 | Mouth form | 嘴形
Mouth | ParamMouthOpenY | 0 1 0 | Mouth open | 嘴开闭
Mouth | ParamA | 0 1 0 | Vowel A | 元音 A
Mouth | ParamI | 0 1 0 | Vowel I | 元音 I
Mouth | ParamU | 0 1 0 | Vowel U | 元音 U
Mouth | ParamE | 0 1 0 | Vowel E | 元音 E
Mouth | ParamO | 0 1 0 | Vowel O | 元音 O
Body | ParamBodyAngleX | -10 10 0 | Body angle X | 身体角度 X
Body | ParamBodyAngleY | -10 10 0 | Body angle Y | 身体角度 Y
Body | ParamBodyAngleZ | -10 10 0 | Body angle Z | 身体角度 Z
Body | ParamBreath | 0 1 0 | Breath | 呼吸
Body | ParamBaseX | -10 10 0 | Whole X | 整体左右
Body | ParamBaseY | -10 10 0 | Whole Y | 整体上下
Body | ParamBaseAngle | -45 45 0 | Whole angle | 整体倾斜
Body | ParamShoulder | -1 1 0 | Shoulders, down to up | 肩膀（垂下到耸起）
Body | ParamLegs | -1 1 0 | Legs, tucked to dangling | 腿（收起到垂下）
Body | ParamStepL | -1 1 0 | Left step | 左脚步
Body | ParamStepR | -1 1 0 | Right step | 右脚步
Body | ParamStrideL | -1 1 0 | Left stride | 左脚沿地面移动
Body | ParamStrideR | -1 1 0 | Right stride | 右脚沿地面移动
Body | ParamLiftL | 0 1 0 | Left lift | 左脚抬起
Body | ParamLiftR | 0 1 0 | Right lift | 右脚抬起
Body | ParamCurl | 0 1 0 | Curled up | 蜷睡
Body | ParamPaws | 0 1 0 | Chin on paws | 趴着（下巴搁在爪上）
Body | ParamCrouch | -1 1 0 | Crouch | 身体（伸长到蹲下）
Body | ParamSquash | -1 1 0 | Squash | 拉伸与压缩
Arms | ParamArmLA | -60 150 0 | Left arm | 左臂
Arms | ParamArmLB | -165 170 0 | Left elbow | 左肘
Arms | ParamHandL | -40 40 0 | Left hand | 左手
Arms | ParamReachL | 0 1 0 | Left arm reaches | 左臂伸向脸部
Arms | ParamArmRA | -60 150 0 | Right arm | 右臂
Arms | ParamArmRB | -165 170 0 | Right elbow | 右肘
Arms | ParamHandR | -40 40 0 | Right hand | 右手
Arms | ParamReachR | 0 1 0 | Right arm reaches | 右臂伸向脸部
Sway | ParamHairFront | -1 1 0 | Fringe | 刘海摇动
Sway | ParamHairFluffy | -1 1 0 | Top lock | 头顶毛摇动
Sway | ParamHairSide | -1 1 0 | Cheek fur | 脸颊毛摇动
Sway | ParamEarL | -1 1 0 | Left ear sway | 左耳摇动
Sway | ParamEarR | -1 1 0 | Right ear sway | 右耳摇动
Sway | ParamScarf | -1 1 0 | Scarf end | 围巾摇动
Sway | ParamScarfTip | -1 1 0 | Scarf end tip | 围巾末端摇动
Sway | ParamBell | -1 1 0 | Bell | 铃铛摇动
Sway | ParamTailBase | -1 1 0 | Tail root | 尾根摇动
Sway | ParamTailTip | -1 1 0 | Tail tip | 尾尖摇动
Mood | ParamTailSide | -1 1 1 | Tail side, right to left | 尾巴在哪一侧（右到左）
Mood | ParamTailWag | -1 1 0 | Tail wag | 摇尾
Mood | ParamEarDroopL | -1 1 0 | Left ear droops | 左耳（竖起到下垂）
Mood | ParamEarDroopR | -1 1 0 | Right ear droops | 右耳（竖起到下垂）
Mood | ParamTear | 0 1 0 | Tears | 眼泪
Mood | ParamTearFlow | 0 1 0 | Tears run | 泪流
Mood | ParamSweat | -1 1 0 | Sweat drop | 汗滴
Mood | ParamHeart | 0 1 0 | Hearts | 爱心
Mood | ParamDizzy | 0 1 0 | Spiral eyes | 晕眩眼
Mood | ParamSparkle | 0 1 0 | Sparkles | 闪光
Mood | ParamAnger | 0 1 0 | Anger | 生气符号
Mood | ParamSleepZ | -1 1 0 | Sleeping Z | 睡觉符号
Mood | ParamQuestion | 0 1 0 | Question mark | 问号
Mood | ParamNote | 0 1 0 | Music note | 音符
Mood | ParamSurprise | -1 1 0 | Surprise | 惊讶线
Mood | ParamGloom | 0 1 0 | Gloom | 阴影
Mood | ParamWisp | 0 1 0 | Foxfire | 狐火
Mood | ParamFloat | -1 1 0 | Signs float | 符号飘动
Mood | ParamPanel | 0 1 0 | Light panel | 光屏
Mood | ParamPanelGlow | 0 1 0 | Panel glow | 光屏发光
Mood | ParamKeyboard | 0 1 0 | Keyboard | 键盘
Mood | ParamKeyL | 0 1 0 | Left keys pressed | 按下左侧按键
Mood | ParamKeyR | 0 1 0 | Right keys pressed | 按下右侧按键
Worn | ParamWornSway | -1 1 0 | Worn parts sway | 配饰摇动
Worn | ParamWearGlasses | 0 1 0 | Glasses | 眼镜
Worn | ParamWearRibbon | 0 1 0 | Ribbon | 蝴蝶结
Worn | ParamWearSantaHat | 0 1 0 | Santa hat | 圣诞帽
Worn | ParamWearHeadphones | 0 1 0 | Headphones | 耳机
Worn | ParamWearBeret | 0 1 0 | Beret | 贝雷帽
Worn | ParamWearWitchHat | 0 1 0 | Witch hat | 女巫帽
Worn | ParamWearStrawHat | 0 1 0 | Straw hat | 草帽
Worn | ParamWearFlower | 0 1 0 | Flower | 花
Worn | ParamWearLantern | 0 1 0 | Lantern | 灯笼
Worn | ParamWearUmbrella | 0 1 0 | Umbrella | 雨伞
Worn | ParamWearExamHeadband | 0 1 0 | Exam headband | 考试头带
Worn | ParamWearBirthdayCrown | 0 1 0 | Birthday crown | 生日王冠
"""


def _row(line: str) -> Named:
    group, name, span, english, chinese = (cell.strip() for cell in line.split("|"))
    low, high, default = (float(value) for value in span.split())
    return Named(Parameter(name, low, high, default), f"ParamGroup{group}", english, chinese)


PARAMETERS = tuple(_row(line) for line in _TABLE.strip().splitlines())
