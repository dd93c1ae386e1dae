"""Every setting: its type, default, limits and texts, in one place.

To add one, write one field. The file format, the validation, the settings window, its search and
the environment variables are derived from it. Titles and descriptions are English; `tr` translates
them when they are shown.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
)
from pydantic_core import PydanticCustomError

from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_settings import MODE_NAMES, ToolRule
from neodeskpet.language import tr
from neodeskpet.settings.activity_settings import ActivitySettings
from neodeskpet.settings.secrets import holds_password
from neodeskpet.settings.setting_fields import (
    ControlKind,
    Section,
    SectionInfo,
    SettingInfo,
    field_display,
    setting,
)

SingleLine = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
LONGEST_USER_NAME = 60
LONGEST_ABOUT = 2000
UserName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_USER_NAME)]
AboutText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_ABOUT)]


class ServiceSettings(Section):
    """Settings of the model service."""

    protocol: Literal["offline", "openai", "anthropic", "gemini", "openai-responses"] = setting(
        "offline",
        N_("Service"),
        N_("The offline helper needs no network and no key. It isn't a language model."),
        choices={
            "offline": N_("Offline helper"),
            "openai": N_("Model service (OpenAI-compatible)"),
            "anthropic": N_("Anthropic"),
            "gemini": N_("Google Gemini"),
            "openai-responses": N_("OpenAI responses"),
        },
        keywords=("protocol", "provider", "OpenAI", "Ollama", "离线", "协议"),
    )
    base_url: SingleLine = setting(
        "",
        N_("Address"),
        N_("The base URL of the service; most end in /v1."),
        placeholder="https://api.example.com/v1",
        keywords=("base URL", "endpoint", "server", "接口", "网址"),
    )
    model: SingleLine = setting(
        "",
        N_("Model"),
        N_("The model's name at the service."),
        keywords=("model", "模型"),
    )
    stall_timeout: float = setting(
        60.0,
        N_("Response timeout"),
        N_("How long to wait for more data before a reply counts as interrupted."),
        minimum=5,
        maximum=600,
        step=5,
        unit=N_("s"),
        keywords=("timeout", "stall", "超时"),
        folded=True,
    )
    titles: bool = setting(True, N_("Name conversations"), control=ControlKind.HIDDEN)
    plain_hosts: SingleLine = setting(
        "",
        N_("Send keys without encryption to"),
        N_("Computers with an http address. Anyone on the way can read and use the key."),
        placeholder="192.168.1.7, box.lan",
        keywords=("http", "plain", "TLS", "加密", "明文"),
        folded=True,
    )
    local_patience: float = setting(
        600.0,
        N_("Response timeout in your own network"),
        N_("How long a server on this computer or in its network may take to start a reply."),
        minimum=5,
        maximum=7200,
        step=30,
        unit=N_("s"),
        keywords=("timeout", "local", "LAN", "超时", "本地"),
        folded=True,
    )


def _check_budget(text: str) -> str:
    from neodeskpet.core.costs import read_budget  # loaded when a budget is set

    read_budget(text)
    return text


class SpendingSettings(Section):
    """Limits of cost."""

    budget: Annotated[SingleLine, AfterValidator(_check_budget)] = setting(
        "",
        N_("Monthly budget"),
        N_(
            "{name} tells you once at 80 % and once at 100 %; nothing is blocked. Only "
            "models with known prices count."
        ),
        placeholder=N_("For example 20 USD"),
        keywords=("budget", "cost", "money", "warning", "预算", "费用", "花费"),
    )


class LocalModelSettings(Section):
    """Settings of a model that runs on this computer."""

    file: SingleLine = setting(
        "",
        N_("Model file"),
        N_("A language model as a GGUF file."),
        control=ControlKind.HIDDEN,
    )
    source: Literal["https://huggingface.co", "https://hf-mirror.com"] = setting(
        "https://huggingface.co",
        N_("Download from"),
        N_("Both have the same files; the checksum is verified."),
        choices={
            "https://huggingface.co": "huggingface.co",
            "https://hf-mirror.com": "hf-mirror.com",
        },
        keywords=("mirror", "镜像", "下载"),
        folded=True,
    )
    idle_minutes: int = setting(
        10,
        N_("Keep loaded"),
        N_("After this many minutes without a request, the model is removed from memory."),
        minimum=1,
        maximum=240,
        unit=N_("min"),
        keywords=("idle", "unload", "卸载", "空闲"),
        folded=True,
    )
    context: int = setting(
        8192,
        N_("Context"),
        N_("Tokens that it reads at once. More need more memory and time; tools need about 4,000."),
        minimum=2048,
        maximum=65536,
        step=1024,
        keywords=("context", "n_ctx", "上下文", "tokens"),
        folded=True,
    )
    reply: int = setting(
        2048,
        N_("Longest reply"),
        N_("In tokens; a longer reply pauses and can be continued."),
        minimum=16,
        maximum=16384,
        step=16,
        keywords=("max tokens", "长度"),
        folded=True,
    )
    threads: int = setting(
        0,
        N_("Threads"),
        N_("How many processor threads it may use; 0 lets the model's server decide."),
        minimum=0,
        maximum=64,
        keywords=("CPU", "线程"),
        folded=True,
    )


def _read_grant(value: object) -> object:
    """Convert the value of older files, which have only the tool's name."""
    return Grant(value) if isinstance(value, str) else value


def _read_motion(value: object) -> object:
    """Convert the value of older files, which have only true and false; false was the default, so
    it becomes "system".
    """
    return {True: "on", False: "system"}.get(value, value) if isinstance(value, bool) else value


DIALECT_NAMES = {
    "tool_request": "TOOL_REQUEST",
    "tool_call": "<tool_call>",
    "tool_tag": "<item> <tool>",
}


ASK_NAMES = {
    "true": N_("Before every change"),
    "false": N_("When it touches your things"),
}


class ToolModeSettings(Section):
    """How tools are called."""

    mode: Literal["native", "text", "auto"] = setting(
        "auto",
        N_("Tool calls"),
        N_("The mode of all services; in the mode “Auto” each service can have its own."),
        choices=MODE_NAMES,
        control=ControlKind.HIDDEN,
    )
    native_services: SingleLine = setting(
        "", N_("Services in native mode"), control=ControlKind.HIDDEN
    )
    toolless_services: SingleLine = setting(
        "", N_("Services without tools"), control=ControlKind.HIDDEN
    )
    text_services: SingleLine = setting("", N_("Services in text mode"), control=ControlKind.HIDDEN)
    dialect: Literal["tool_request", "tool_call", "tool_tag"] = setting(
        "tool_request",
        N_("Text format"),
        N_("How a model writes a call in text mode."),
        choices=DIALECT_NAMES,
        control=ControlKind.HIDDEN,
    )
    ask_before_every_change: bool = setting(
        False,
        N_("{name} asks first"),
        N_(
            "Your things are files, programs and the screen. “Before every change” includes "
            "notes, to-dos and timers, which can be undone."
        ),
        choices=ASK_NAMES,
        keywords=("approval", "permission", "ask before every change", "允许", "确认", "询问"),
    )
    apps: bool = setting(
        True,
        N_("Apps"),
        N_("{name} can open notes, timers and other apps as windows and work in them."),
        keywords=("windows", "launcher", "窗口", "应用"),
    )
    read_leaks: bool = setting(
        True,
        N_("Detect tool calls in text"),
        N_(
            "Some services leave tool calls in the text. They are run, too; those that "
            "change something always ask first."
        ),
        keywords=("leak", "raw", "tool_call", "泄漏", "原文"),
        folded=True,
    )
    parallel_tools: bool = setting(
        False,
        N_("Run in parallel"),
        N_(
            "If a reply calls several tools, they run at the same time instead of one"
            " after another."
        ),
        keywords=("parallel", "并行"),
        folded=True,
    )
    max_rounds: int = setting(
        12,
        N_("Maximum tool rounds"),
        N_("After this many rounds, an unfinished reply fails; you can continue it."),
        minimum=1,
        maximum=100,
        keywords=("limit", "轮数"),
        folded=True,
    )
    max_tag_rounds: int = setting(
        3,
        N_("Tool rounds in the format <item> <tool>"),
        N_("The limit for this text format, which is meant for short exchanges."),
        minimum=1,
        maximum=100,
        keywords=("limit", "tool_tag", "轮数"),
        control=ControlKind.HIDDEN,
    )
    max_calls: int = setting(
        40,
        N_("Maximum calls"),
        N_("After this many calls, a reply pauses and asks whether to continue."),
        minimum=1,
        maximum=500,
        keywords=("limit", "次数"),
        folded=True,
    )
    answer_patience: float = setting(
        600.0,
        N_("Approval timeout"),
        N_("A question that isn't answered within this time counts as denied."),
        minimum=5,
        maximum=7200,
        step=30,
        unit=N_("s"),
        keywords=("approval", "timeout", "允许", "超时"),
        folded=True,
    )
    shell: bool = setting(
        False,
        N_("Commands"),
        N_("Lets {name} run commands in your shell. It asks each time."),
        keywords=("shell", "terminal", "命令", "终端"),
    )
    variables: SingleLine = setting(
        "",
        N_("Environment variables for programs"),
        N_(
            "Commands and tool servers can read the usual ones and those listed here, "
            "such as SSH_AUTH_SOCK for “git push”."
        ),
        placeholder="SSH_AUTH_SOCK",
        keywords=("environment", "env", "MCP", "环境变量"),
        folded=True,
    )
    task_end: Literal["wake", "next"] = setting(
        "wake",
        N_("When a background task ends"),
        N_("{name} answers by itself, or gets the result with your next message."),
        choices={"wake": N_("Answer at once"), "next": N_("Wait for my next message")},
        keywords=("background", "async", "task", "后台", "任务", "异步"),
        folded=True,
    )
    due: Literal["errand", "chat"] = setting(
        "errand",
        N_("When a scheduled task is due"),
        N_(
            "In the bubble it knows only the appointment and has only the tools that it "
            "allows; in the chat it has all."
        ),
        choices={"errand": N_("Show in the speech bubble"), "chat": N_("Answer in the chat")},
        keywords=("appointment", "reminder", "errand", "日程", "提醒"),
        folded=True,
    )
    new_tools: Literal["source", "ask", "off"] = setting(
        "ask",
        N_("New tools of a server"),
        N_("The rule for tools that a server adds later."),
        choices={
            "source": N_("Same as the rest"),
            "ask": N_("Ask each time"),
            "off": N_("Off"),
        },
        keywords=("MCP", "server", "新工具", "服务器"),
        folded=True,
    )
    always_allowed: tuple[Annotated[Grant, BeforeValidator(_read_grant)], ...] = setting(
        (),
        N_("Always allowed"),
        N_("Calls for which you chose “always”."),
        keywords=(
            "approval",
            "allowed tools",
            "always",
            "never",
            "permissions",
            "revoke",
            N_("Take back"),
            "总是允许",
            "一直允许",
            "收回",
            "撤销授权",
            "授权",
        ),
    )
    tool_rules: dict[str, ToolRule] = setting({}, N_("Tools"))
    source_rules: dict[str, ToolRule] = setting({}, N_("Sources of tools"))
    hidden_lists: tuple[str, ...] = setting(
        (),
        N_("Hidden lists"),
        N_("Lists of the window “Today” that the companion doesn't see."),
        control=ControlKind.HIDDEN,
    )
    met_tools: dict[str, tuple[str, ...]] = setting(
        {}, N_("Known tools"), N_("The tools of each source when it was first approved.")
    )
    tool_files: bool = setting(False, N_("Tools of your own"), control=ControlKind.HIDDEN)
    allowed_tool_files: dict[str, str] = setting({}, N_("Allowed tool files"))


class FileSettings(Section):
    """Which of the user's files the companion may use."""

    folders: tuple[str, ...] = setting((), N_("Allowed folders"), control=ControlKind.HIDDEN)


class WebSettings(Section):
    """How the companion searches the web."""

    search: Literal["", "searxng", "brave", "tavily"] = setting(
        "",
        N_("Web search"),
        N_("The service that searches the web. Search queries are sent to it."),
        choices={"": N_("None"), "searxng": "SearXNG", "brave": "Brave", "tavily": "Tavily"},
        keywords=("internet", "搜索", "网页"),
    )
    searxng: SingleLine = setting(
        "",
        N_("Address of SearXNG"),
        N_("A server that returns results as JSON, your own or another one."),
        placeholder="http://127.0.0.1:8080",
    )


class IntegrationSettings(Section):
    """What other programs may do."""

    allowed: bool = setting(
        True,
        N_("Other apps may use {name}"),
        N_(
            "They can show messages and questions, and use notes and timers. Their name "
            "is shown; the same actions need your approval."
        ),
        keywords=("MCP", "agent", "hook", "tell", "script", "Claude Code", "Codex", "智能体"),
    )
    http: bool = setting(
        False,
        N_("Also over HTTP"),
        N_(
            "For programs that can't start an MCP server themselves: MCP on this "
            "computer only, with a token."
        ),
        keywords=("MCP", "port", "token", "端口", "令牌"),
        folded=True,
    )
    port: int = setting(
        47831,
        N_("Port"),
        minimum=1024,
        maximum=65535,
        control=ControlKind.TEXT,
        keywords=("HTTP", "端口"),
        folded=True,
    )
    token: SingleLine = setting(
        "",
        N_("Token"),
        N_("Hash of the token (SHA-256)."),
        control=ControlKind.HIDDEN,
    )


class UserSettings(Section):
    """What the user says about themselves. It is sent to the model of the chat."""

    name: UserName = setting(
        "",
        N_("Your name"),
        N_("What {name} calls you. It is sent to the model."),
        keywords=("name", "nickname", "名字", "称呼", "昵称"),
    )
    about: AboutText = setting(
        "",
        N_("About you"),
        N_("Anything {name} should know about you. It is sent to the model, too."),
        control=ControlKind.PARAGRAPH,
        placeholder=N_("For example: I'm a nurse and learn Japanese. Please keep answers short."),
        keywords=("profile", "custom instructions", "个人资料", "关于我", "自我介绍"),
    )


class CompanionSettings(Section):
    """The figure on the desktop."""

    model: SingleLine = setting(
        "",
        N_("Figure"),
        N_("A folder with a Live2D model; empty for the one that ships with NeoDeskPet."),
        control=ControlKind.FOLDER,
        keywords=("Live2D", "avatar", "moc3", "形象", "模型"),
    )
    scale: float = setting(
        1.0,
        N_("Size"),
        N_("You can also turn the wheel over the figure while holding Ctrl."),
        minimum=0.3,
        maximum=3.0,
        step=0.05,
        unit="%",
        keywords=("scale", "zoom", "大小", "缩放"),
        card="figure",
    )
    opacity: float = setting(
        1.0,
        N_("Opacity"),
        minimum=0.2,
        maximum=1.0,
        step=0.05,
        unit="%",
        keywords=("transparent", "透明"),
        card="figure",
    )
    wears: Literal[
        "",
        "itself",
        "glasses",
        "ribbon",
        "flower",
        "headphones",
        "beret",
        "straw hat",
        "witch hat",
        "santa hat",
        "birthday crown",
        "exam headband",
        "lantern",
        "umbrella",
    ] = setting(
        "itself",
        N_("Wears"),
        N_(
            "By itself: headphones while music plays, what suits holidays, the season and the "
            "weather that a tool has told, and another part after each hundred replies."
        ),
        choices={
            "": N_("Nothing"),
            "itself": N_("By itself"),
            "glasses": N_("Glasses"),
            "ribbon": N_("Ribbon"),
            "flower": N_("Flower"),
            "headphones": N_("Headphones"),
            "beret": N_("Beret"),
            "straw hat": N_("Straw hat"),
            "witch hat": N_("Witch hat"),
            "santa hat": N_("Santa hat"),
            "birthday crown": N_("Birthday crown"),
            "exam headband": N_("Exam headband"),
            "lantern": N_("Lantern"),
            "umbrella": N_("Umbrella"),
        },
        keywords=("hat", "clothes", "wear", "wardrobe", "配饰", "帽子", "眼镜", "耳机", "衣橱"),
        card="figure",
    )
    always_on_top: bool = setting(
        True,
        N_("Always on top"),
        N_("Above all other windows."),
        keywords=("置顶",),
        card="figure",
    )
    click_through: bool = setting(
        False,
        N_("Click-through"),
        N_(
            "Clicks go to the window behind. To turn it off, use the tray or the chat's "
            "menu, or start NeoDeskPet again."
        ),
        keywords=("mouse", "穿透"),
        card="figure",
        folded=True,
    )
    gaze: bool = setting(
        True,
        N_("Look at the pointer"),
        keywords=("eyes", "cursor", "视线"),
        card="figure",
        folded=True,
    )
    quiet: bool = setting(
        False,
        N_("Quiet"),
        N_("It doesn't move or show speech bubbles by itself; it answers when you write."),
        keywords=("do not disturb", "勿扰", "安静"),
        control=ControlKind.HIDDEN,
    )
    welcome_back: bool = setting(
        True,
        N_("Welcome you on return"),
        N_("It greets you when you return after a long time, at most once in two hours."),
        keywords=("greeting", "away", "return", "回来", "欢迎"),
        card="initiative",
        folded=True,
    )
    click_to_say: bool = setting(
        False,
        N_("Click to write to it"),
        N_(
            "A click on the figure opens an input line beside it. The figure also "
            "reacts to the touch."
        ),
        keywords=("click", "line", "chat", "点击", "输入"),
        card="figure",
    )
    fall: bool = setting(
        False,
        N_("Fall and land"),
        N_("When you release it in mid-air, it falls to the taskbar or the bottom of the screen."),
        keywords=("gravity", "drop", "throw", "重力", "掉落"),
        card="ground",
    )
    perch: bool = setting(
        False,
        N_("Stand on windows"),
        N_("Put it on the upper edge of a window: it stays there and moves with the window."),
        keywords=("window", "edge", "sit", "站", "坐", "窗口"),
        card="ground",
    )
    walk: bool = setting(
        False,
        N_("Walk a little"),
        N_(
            "Every few minutes, never while you use it. “Walking area…” in its menu sets "
            "the limits."
        ),
        keywords=("stroll", "wander", "area", "散步", "走", "范围"),
        card="ground",
    )
    walk_areas: dict[str, tuple[int, int]] = setting(
        {}, N_("Walking areas"), N_("The limits of its walks on each screen.")
    )
    peek: bool = setting(
        False,
        N_("Peek from the edge"),
        N_(
            "Drag it over a side of the screen, or choose “Step aside” in its menu. A "
            "click brings it back."
        ),
        keywords=("aside", "hide", "edge", "探头", "边缘", "躲"),
        card="ground",
    )
    aside: tuple[Literal["left", "right"], int, int] | None = setting(
        None, N_("Peeking position"), N_("The edge from which it peeks, and the height.")
    )
    full_screen: Literal["stay", "quiet", "hide"] = setting(
        "stay",
        N_("While a window is full screen"),
        N_("On the same screen. Messages during this time are listed under “Missed messages…”."),
        choices={"stay": N_("Stay visible"), "quiet": N_("Be quiet"), "hide": N_("Hide")},
        keywords=("film", "game", "presentation", "video", "全屏", "电影", "演示"),
        card="figure",
    )
    start_at_login: bool = setting(
        False,
        N_("Start at login"),
        N_("{name} starts when you log in."),
        keywords=("autostart", "boot", "自启", "开机", "登录"),
        card="start",
    )
    timer_sound: bool = setting(
        True,
        N_("Timer sound"),
        N_("A ringing timer plays a sound until you answer it."),
        keywords=("sound", "alarm", "bell", "声音", "铃声", "提醒"),
        card="sounds",
    )
    character_sounds: bool = setting(
        False,
        N_("Sounds of the character"),
        N_(
            "Short sounds with what {name} does, with the voice’s volume and speaker. Silent "
            "while it speaks or listens, in quiet hours, in full screen and while you share "
            "the screen. A calm {name} makes them only when you touch it."
        ),
        keywords=("chirp", "purr", "bell", "sound", "音效", "叫声", "呼噜", "声音"),
        card="sounds",
    )
    bubble: bool = setting(
        True,
        N_("Speech bubble"),
        N_("What {name} says also appears beside it."),
        keywords=("气泡",),
        card="figure",
    )
    fps_active: int = setting(
        30,
        N_("Frames per second while moving"),
        N_("Without a graphics card, 30 is reduced to 20."),
        minimum=10,
        maximum=60,
        step=5,
        keywords=("FPS", "performance", "帧率"),
        card="appearance",
        folded=True,
    )
    fps_idle: int = setting(
        12,
        N_("Frames per second at rest"),
        N_("Without a graphics card, 12 is reduced to 3, and to 8 while it moves."),
        minimum=1,
        maximum=30,
        keywords=("FPS", "battery", "performance", "帧率", "省电"),
        card="appearance",
        folded=True,
    )
    positions: dict[str, tuple[int, int]] = setting(
        {}, N_("Places"), N_("Its position on each screen.")
    )


class GuestSettings(Section):
    """Further companions."""

    talk: bool = setting(
        False,
        N_("Let them talk to each other"),
        N_(
            "Only when you start it in the window “Companions”. Each turn is one request "
            "to the model service, without tools. Without a service they hold bundled dialogues."
        ),
        keywords=("guests", "conversation", "companions", "伙伴", "聊天", "对话"),
        folded=True,
    )
    turns: int = setting(
        6,
        N_("Turns per dialogue"),
        N_("Of all companions together."),
        minimum=2,
        maximum=40,
        keywords=("budget", "预算"),
        folded=True,
    )
    tokens: int = setting(
        8_000,
        N_("Tokens per dialogue"),
        N_("Input and output of all turns. The turn that reaches the limit is the last."),
        minimum=500,
        maximum=50_000,
        step=500,
        keywords=("budget", "cost", "预算", "费用"),
        folded=True,
    )


class ProactiveSettings(Section):
    """When the companion starts a conversation."""

    on: bool = setting(
        False,
        N_("Start conversations"),
        N_(
            "At most 2 an hour and 6 a day, each one small request; never while you type,"
            " in full screen or in a call."
        ),
        keywords=("proactive", "initiative", "主动", "搭话", "说话"),
    )
    idle: bool = setting(
        True,
        N_("When you pause"),
        keywords=("idle", "休息"),
        folded=True,
    )
    time: bool = setting(
        True,
        N_("When a new part of the day begins"),
        keywords=("morning", "greeting", "问候"),
        folded=True,
    )
    task: bool = setting(
        True,
        N_("When a background task has ended"),
        keywords=("task", "后台任务"),
        folded=True,
    )
    silence: bool = setting(
        True,
        N_("When we haven't talked for days"),
        keywords=("silence", "沉默"),
        folded=True,
    )
    memory: bool = setting(
        True,
        N_("When it remembers something you told it"),
        N_("From “What I know about you”."),
        keywords=("memory", "facts", "记忆"),
        folded=True,
    )
    quiet_from: int = setting(
        22,
        N_("Quiet hours"),
        N_("{name} says nothing by itself then. The same hour twice turns them off."),
        minimum=0,
        maximum=23,
        control=ControlKind.HOUR,
        keywords=("quiet hours", "night", "do not disturb", "勿扰", "夜间"),
    )
    quiet_to: int = setting(
        8,
        N_("End of the quiet hours"),
        minimum=0,
        maximum=23,
        control=ControlKind.HOUR,
        keywords=("quiet hours", "morning", "勿扰"),
    )


def _present_wake_word(word: object) -> object:
    """Return the wake word; the usual one for a word that is no longer offered."""
    return "hey_jarvis" if word == "hey_rhasspy" else word


class VoiceSettings(Section):
    """Speaking and listening."""

    speak: Literal["off", "local", "service", "chirp"] = setting(
        "off",
        N_("Speak"),
        N_("Reads aloud what the speech bubble says."),
        choices={
            "off": N_("Off"),
            "local": N_("On this computer"),
            "service": N_("By a service"),
            "chirp": N_("Tones"),
        },
        keywords=("speech", "TTS", "sound", "read aloud", "朗读", "语音", "声音", "说话"),
    )
    voice: SingleLine = setting("alloy", N_("Voice"), control=ControlKind.HIDDEN)
    speed: float = setting(
        1.0,
        N_("Speed"),
        minimum=0.5,
        maximum=2.0,
        step=0.05,
        unit="%",
        keywords=("rate", "语速"),
    )
    pitch: float = setting(
        1.0,
        N_("Pitch"),
        minimum=0.7,
        maximum=1.4,
        step=0.05,
        unit="%",
        keywords=("high", "low", "音高", "音调"),
    )
    volume: float = setting(
        0.8, N_("Volume"), minimum=0.0, maximum=1.0, step=0.05, unit="%", keywords=("loud", "音量")
    )
    listen: Literal["off", "push_to_talk", "hands_free", "wake_word"] = setting(
        "off",
        N_("Listen"),
        N_("Your speech becomes text in the message field."),
        choices={
            "off": N_("Off"),
            "push_to_talk": N_("Push to talk"),
            "hands_free": N_("Hands-free"),
            "wake_word": N_("Wake word"),
        },
        keywords=("microphone", "dictation", "STT", "speech", "麦克风", "听写", "语音输入"),
    )
    wake_word: Annotated[
        Literal["recorded", "hey_jarvis", "hey_mycroft", "okay_nabu", "alexa"],
        BeforeValidator(_present_wake_word),
    ] = setting(
        "hey_jarvis",
        N_("Wake word"),
        N_("After this word, what you say is sent. The microphone stays open to hear it."),
        choices={
            "recorded": N_("A name that you record"),
            "hey_jarvis": "Hey Jarvis",
            "hey_mycroft": "Hey Mycroft",
            "okay_nabu": "Okay Nabu",
            "alexa": "Alexa",
        },
        keywords=("name", "hotword", "microphone", "唤醒词", "唤醒", "名字"),
    )
    wake_word_recorded: int = setting(
        0, N_("Recorded wake words"), minimum=0, maximum=1_000_000, control=ControlKind.HIDDEN
    )
    send_at_once: bool = setting(
        False,
        N_("Send spoken messages at once"),
        N_("When this is off you can correct the text first. Hands-free always sends at once."),
        keywords=("dictation", "microphone", "听写", "发送"),
    )
    remarks: bool = setting(
        True,
        N_("Also speak remarks"),
        N_("Remarks, reminders and messages of other programs are spoken too."),
        keywords=("tell", "notice", "提醒", "朗读"),
        folded=True,
    )
    quiet_hours: bool = setting(
        True,
        N_("Silent in quiet hours"),
        N_("The hours are those in which it makes no remarks. Full screen always silences it."),
        keywords=("night", "quiet", "免打扰", "安静"),
        folded=True,
    )
    address: SingleLine = setting(
        "",
        N_("Address of the speech service"),
        N_("With OpenAI's protocol. Empty: the service of the chat."),
        placeholder="https://api.example.com/v1",
        keywords=("TTS", "URL", "地址"),
        folded=True,
    )
    model: SingleLine = setting(
        "tts-1",
        N_("Speech model"),
        keywords=("TTS", "语音模型"),
        placeholder="tts-1",
        folded=True,
    )
    listen_address: SingleLine = setting(
        "",
        N_("Address of the recognition service"),
        N_(
            "With OpenAI's protocol, or tcp://host:port of a Wyoming server. Empty: the "
            "service of the chat."
        ),
        placeholder="https://api.example.com/v1",
        keywords=("STT", "Whisper", "Wyoming", "URL", "识别", "地址"),
        folded=True,
    )
    listen_model: SingleLine = setting(
        "whisper-1",
        N_("Recognition model"),
        keywords=("STT", "Whisper", "识别模型"),
        placeholder="whisper-1",
        folded=True,
    )
    listen_language: Literal["", "zh", "en"] = setting(
        "",
        N_("Language that you speak"),
        choices={"": N_("Automatic"), "zh": "中文", "en": "English"},
        keywords=("STT", "recognition", "语言", "识别"),
        folded=True,
    )
    output_device: SingleLine = setting("", N_("Speaker"), control=ControlKind.HIDDEN)
    input_device: SingleLine = setting("", N_("Microphone"), control=ControlKind.HIDDEN)


class AppearanceSettings(Section):
    """The windows."""

    theme: Literal["system", "light", "dark"] = setting(
        "system",
        N_("Theme"),
        choices={"system": N_("System default"), "light": N_("Light"), "dark": N_("Dark")},
        keywords=("dark mode", "colour", "深色", "浅色", "主题"),
    )
    language: Literal["system", "en", "zh_CN"] = setting(
        "system",
        N_("Language"),
        choices={"system": N_("System default"), "en": "English", "zh_CN": "简体中文"},
        keywords=("Sprache", "中文", "语言"),
    )
    font_size: int = setting(
        14,
        N_("Text size"),
        minimum=10,
        maximum=28,
        unit=N_("px"),
        keywords=("font", "字体", "字号"),
    )
    contrast: Literal["system", "on", "off"] = setting(
        "system",
        N_("High contrast"),
        choices={"system": N_("System default"), "on": N_("On"), "off": N_("Off")},
        keywords=("accessibility", "contrast", "对比度", "无障碍"),
        folded=True,
    )
    reduced_motion: Annotated[Literal["system", "on", "off"], BeforeValidator(_read_motion)] = (
        setting(
            "system",
            N_("Reduce motion"),
            N_(
                "Windows and cards change without animation, and the figure doesn't move by itself."
            ),
            choices={"system": N_("System default"), "on": N_("On"), "off": N_("Off")},
            keywords=("animation", "accessibility", "动画"),
            folded=True,
        )
    )


class ShortcutSettings(Section):
    """Global shortcuts."""

    show_chat: SingleLine = setting(
        "",
        N_("Show the chat"),
        control=ControlKind.KEYS,
        keywords=("shortcut", "global", "快捷键", "全局", "热键"),
    )
    say: SingleLine = setting(
        "",
        N_("Say something to {name}"),
        N_("Opens an input line beside it; the answer appears in its speech bubble."),
        control=ControlKind.KEYS,
        keywords=("shortcut", "global", "快捷键", "热键"),
    )
    talk: SingleLine = setting(
        "",
        N_("Speak to {name}"),
        N_("Press it once to begin and once more to end. Listening must be switched on."),
        control=ControlKind.KEYS,
        keywords=("microphone", "push to talk", "shortcut", "麦克风", "快捷键", "热键"),
    )
    mute: SingleLine = setting(
        "",
        N_("Silence {name}"),
        N_("The reply that is being read aloud ends; its text stays."),
        control=ControlKind.KEYS,
        keywords=("voice", "quiet", "shortcut", "静音", "快捷键", "热键"),
    )
    answer: SingleLine = setting(
        "",
        N_("Answer the speech bubble"),
        N_("Moves the keyboard to the buttons of the bubble. Esc goes back."),
        control=ControlKind.KEYS,
        keywords=("accessibility", "keyboard", "shortcut", "快捷键", "热键", "气泡"),
        folded=True,
    )
    toggle_pet: SingleLine = setting(
        "",
        N_("Show or hide {name}"),
        control=ControlKind.KEYS,
        keywords=("shortcut", "global", "快捷键", "热键"),
        folded=True,
    )
    take_clicks: SingleLine = setting(
        "",
        N_("End click-through"),
        N_("{name} reacts to clicks again."),
        control=ControlKind.KEYS,
        keywords=("shortcut", "mouse", "快捷键", "热键", "穿透"),
        folded=True,
    )


class MemorySettings(Section):
    """What the companion remembers."""

    recall: bool = setting(
        True,
        N_("Remember earlier conversations"),
        N_("Memories that match your question are sent with it. When this is off, none are sent."),
        keywords=("memory", "recall", "context", "记忆", "回忆", "上下文"),
    )
    facts: bool = setting(
        True,
        N_("Remember facts about you"),
        N_(
            "Name, people close to you, likes, dates, promises: only from your own words."
            " They are sent to the model."
        ),
        keywords=("memory", "facts", "profile", "记忆", "个人信息", "事实"),
    )
    learn: bool = setting(
        True,
        N_("Notice facts automatically"),
        N_(
            "Sentences about yourself are sent to the model for summaries, which chooses "
            "facts. Most messages have none."
        ),
        keywords=("facts", "summary", "tokens", "自动", "总结"),
        folded=True,
    )
    knowledge: bool = setting(
        True,
        N_("Use your knowledge base"),
        N_(
            "Passages of your documents that match your question are sent with it, "
            "with their sources."
        ),
        keywords=("documents", "RAG", "知识库", "文档"),
    )
    knowledge_characters: int = setting(
        3_000_000,
        N_("Characters per document"),
        N_(
            "How much of a document is read. Its entry says what was left out. More needs"
            " more time and memory."
        ),
        minimum=100_000,
        maximum=50_000_000,
        step=1_000_000,
        keywords=("limit", "book", "上限", "字数"),
        folded=True,
    )
    meaning: bool = setting(
        True,
        N_("Also search by meaning"),
        N_(
            "Needs a model for “Embeddings”. Its service gets messages, documents and "
            "questions; a model on this computer sends nothing."
        ),
        keywords=("embedding", "vectors", "semantic", "向量", "语义", "嵌入"),
        folded=True,
    )
    keep: Literal["", "365", "90", "30"] = setting(
        "",
        N_("Remember for"),
        N_("Older memories are deleted at the next start, except pinned ones. Conversations stay."),
        choices={
            "": N_("Forever"),
            "365": N_("A year"),
            "90": N_("90 days"),
            "30": N_("30 days"),
        },
        keywords=("retention", "forget", "保留", "期限", "遗忘"),
    )


def _read_address(value: object) -> object:
    """Refuse an address with a password, because the settings file isn't secret."""
    if isinstance(value, str) and holds_password(value):
        said = tr("The address contains a password. Remove it and enter it below.")
        raise PydanticCustomError("password", "{said}", {"said": said})
    return value


class SyncSettings(Section):
    """Sync between the user's computers."""

    address: Annotated[SingleLine, BeforeValidator(_read_address)] = setting(
        "",
        N_("Server"),
        N_("The database, without the password. Empty turns sync off."),
        placeholder="postgresql://name@computer/database",
        keywords=("PostgreSQL", "DSN", "sync", "database", "同步", "数据库", "多台电脑"),
    )


class DataSettings(Section):
    """Settings of stored data."""

    detailed_log: bool = setting(
        False,
        N_("Detailed log"),
        N_("Writes more details to the log file, for error reports. It never contains keys."),
        keywords=("debug", "日志"),
        folded=True,
    )
    backups: bool = setting(
        True,
        N_("Back up every day"),
        N_(
            "Copies of the last 7 days, in the data folder. What you delete permanently "
            "is removed from them; turning this off deletes them."
        ),
        keywords=("backup", "copy", "restore", "备份", "恢复"),
    )


def _check_secure(text: str) -> str:
    if text and not text.startswith("https://"):
        raise PydanticCustomError("https", tr("It must start with https://."))
    return text


class UpdateSettings(Section):
    """Settings of the check for updates."""

    look: bool = setting(
        False,
        N_("Check for updates"),
        N_(
            "Once a day. No data about you is sent, and nothing is downloaded; you see "
            "one message for each new version."
        ),
        keywords=("update", "release", "更新", "升级"),
    )
    address: Annotated[SingleLine, AfterValidator(_check_secure)] = setting(
        "",
        N_("Update address"),
        N_("Of a signed release note. Empty for the default."),
        placeholder="https://example.org/neodeskpet/latest.json",
        keywords=("update", "URL", "更新", "地址"),
        folded=True,
    )
    key: SingleLine = setting(
        "",
        N_("Publisher's key"),
        N_("It checks the signature (minisign). Empty for the default."),
        placeholder="RW…",
        keywords=("minisign", "signature", "公钥", "签名"),
        folded=True,
    )


class Settings(BaseModel):
    """All sections. Take values from here: `settings.service.base_url`."""

    model_config = ConfigDict(frozen=True)

    service: ServiceSettings = Field(default_factory=ServiceSettings)
    spending: SpendingSettings = Field(default_factory=SpendingSettings)
    local: LocalModelSettings = Field(default_factory=LocalModelSettings)
    mode: ToolModeSettings = Field(default_factory=ToolModeSettings)
    files: FileSettings = Field(default_factory=FileSettings)
    web: WebSettings = Field(default_factory=WebSettings)
    programs: IntegrationSettings = Field(default_factory=IntegrationSettings)
    you: UserSettings = Field(default_factory=UserSettings)
    companion: CompanionSettings = Field(default_factory=CompanionSettings)
    guests: GuestSettings = Field(default_factory=GuestSettings)
    initiative: ProactiveSettings = Field(default_factory=ProactiveSettings)
    pastimes: ActivitySettings = Field(default_factory=ActivitySettings)
    voice: VoiceSettings = Field(default_factory=VoiceSettings)
    appearance: AppearanceSettings = Field(default_factory=AppearanceSettings)
    keys: ShortcutSettings = Field(default_factory=ShortcutSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    sharing: SyncSettings = Field(default_factory=SyncSettings)
    updates: UpdateSettings = Field(default_factory=UpdateSettings)
    data: DataSettings = Field(default_factory=DataSettings)


SECTIONS: dict[str, type[Section]] = {
    "service": ServiceSettings,
    "spending": SpendingSettings,
    "local": LocalModelSettings,
    "mode": ToolModeSettings,
    "files": FileSettings,
    "web": WebSettings,
    "programs": IntegrationSettings,
    "you": UserSettings,
    "companion": CompanionSettings,
    "guests": GuestSettings,
    "initiative": ProactiveSettings,
    "pastimes": ActivitySettings,
    "voice": VoiceSettings,
    "appearance": AppearanceSettings,
    "keys": ShortcutSettings,
    "memory": MemorySettings,
    "sharing": SyncSettings,
    "updates": UpdateSettings,
    "data": DataSettings,
}

_PAGES: dict[str, tuple[str, str, str]] = {
    "service": (N_("Services"), N_("Which model answers."), "service"),
    "spending": (
        N_("Costs"),
        N_("Limits of cost. The window “Tokens and costs” in the menu shows the actual costs."),
        "data",
    ),
    "local": (
        N_("Local model"),
        N_("A language model on this computer, without a service and without the network."),
        "computer",
    ),
    "mode": (
        N_("Tools"),
        N_("How {name} calls tools, and what needs your approval."),
        "tools",
    ),
    "files": (N_("Files"), N_("Which of your files {name} may use."), "folder"),
    "web": (N_("Web"), N_("How {name} searches the web."), "search"),
    "programs": (
        N_("Other programs"),
        N_("How coding agents and scripts use {name}."),
        "plug",
    ),
    "companion": (N_("Who it is"), "", "companion"),
    "figure": (N_("Figure"), N_("How {name} looks on the screen."), "companion"),
    "ground": (N_("On the desktop"), N_("What {name} does by itself on the screen."), "computer"),
    "sounds": (N_("Sounds"), "", "voice"),
    "you": (N_("You"), "", "persona"),
    "start": (N_("Start"), "", "power"),
    "guests": (
        N_("Other companions"),
        "",
        "companion",
    ),
    "initiative": (
        N_("How {name} behaves"),
        "",
        "chat",
    ),
    "pastimes": (
        N_("Play"),
        N_("Each one appears in the menu once it is switched on."),
        "play",
    ),
    "voice": (N_("Voice"), N_("How {name} speaks, and how it listens to you."), "voice"),
    "appearance": (N_("Appearance"), N_("How the windows look."), "appearance"),
    "keys": (
        N_("Hot keys"),
        N_(
            "Keys that work in every program. On Wayland, the desktop asks you and "
            "may assign other keys."
        ),
        "keyboard",
    ),
    "memory": (N_("Memory"), N_("What {name} remembers."), "memory"),
    "sharing": (
        N_("Sync"),
        N_(
            "Keeps conversations, memory, notes, calendar and characters the same on your"
            " computers, through your own PostgreSQL server."
        ),
        "computer",
    ),
    "updates": (
        N_("Updates"),
        N_("Whether there is a newer version. Nothing is installed automatically."),
        "refresh",
    ),
    "data": (N_("Data"), N_("Data on this computer."), "data"),
}


@cache
def describe_sections() -> tuple[SectionInfo, ...]:
    """Return the cards in the window's order, without hidden settings."""
    shown: dict[str, list[SettingInfo]] = {name: [] for name in _PAGES}
    for section, kind in SECTIONS.items():
        for info in (setting_info(section, field) for field in kind.model_fields):
            if info.control is not ControlKind.HIDDEN:
                shown[info.card].append(info)
    return tuple(SectionInfo(name, *about, tuple(shown[name])) for name, about in _PAGES.items())


@cache
def setting_info(section: str, name: str) -> SettingInfo:
    """Return the description of a setting. Raises KeyError for an unknown one."""
    return field_display(section, name, SECTIONS[section].model_fields[name])


@cache
def _adapter(section: str, name: str) -> TypeAdapter[Any]:
    field = SECTIONS[section].model_fields[name]
    annotated: Any = Annotated[field.annotation, *field.metadata]
    return TypeAdapter(annotated)


def validate_setting(section: str, name: str, value: object) -> object:
    """Convert `value` to the setting's type. Raises pydantic.ValidationError, and KeyError for an
    unknown setting.
    """
    return _adapter(section, name).validate_python(value)
