"""A conversation as one web page that needs nothing else: no scripts, pictures inside, and a policy
that forbids the browser to load anything or to run anything.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from pathlib import Path

from neodeskpet.conversation.takeout.body import MessageHtml
from neodeskpet.conversation.takeout.form import ExportEntry, PictureData
from neodeskpet.conversation.takeout.prose import DrawFormulas, join_html
from neodeskpet.conversation.takeout.target import TargetFile
from neodeskpet.core.blocks import Image
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import language, tr

CONTENT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})

PAGE_STYLE = """
:root { color-scheme: light dark; --text: #1f2430; --muted: #667085; --line: #d9dee7;
  --back: #ffffff; --own: #eef3fb; --code: #f5f6f8; --accent: #2f5fb3; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e6ec; --muted: #98a1b3; --line: #3a4150;
  --back: #1b1e25; --own: #262d3a; --code: #232730; --accent: #8db4f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; background: var(--back);
  color: var(--text); font: 16px/1.6 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC",
  "Microsoft YaHei", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 1.5rem; }
.own, .reply { margin: 0 0 1.75rem; }
.own { background: var(--own); border-radius: 12px; padding: .6rem 1rem; }
.own > :last-child, .reply > :last-child { margin-bottom: 0; }
.reply h1, .own h1 { font-size: 1.35rem; } .reply h2, .own h2 { font-size: 1.2rem; }
.reply h3, .own h3 { font-size: 1.08rem; }
.reply h1, .reply h2, .reply h3, .own h1 { margin: 1.2em 0 .4em; line-height: 1.3; }
p { margin: 0 0 .75em; }
.head { margin-bottom: .3em; } .time, .model, .small, .language { color: var(--muted);
  font-size: .8rem; }
a { color: var(--accent); }
pre, code { font: .875em/1.5 "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
  "Noto Sans Mono CJK SC", monospace; }
code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--code); border-radius: 8px; padding: .75rem 1rem; margin: 0 0 .75em;
  overflow-x: auto; white-space: pre; overflow-wrap: normal; }
pre code { background: none; padding: 0; font-size: 1em; }
.code { margin: 0 0 .75em; } .language { margin: 0 0 .2em; }
blockquote { margin: 0 0 .75em; padding: .1em 1em; border-inline-start: 3px solid var(--line);
  color: var(--muted); }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 0 0 .75em; }
th, td { border: 1px solid var(--line); padding: .35em .7em; text-align: start;
  overflow-wrap: normal; }
th { background: var(--code); }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.25em 0; }
img { max-width: 100%; border-radius: 8px; }
svg { fill: currentColor; stroke: none; overflow: visible; max-width: 100%; }
.display { text-align: center; overflow-x: auto; padding: .3em 0; }
details { border: 1px solid var(--line); border-radius: 8px; padding: .4em .8em;
  margin: 0 0 .75em; } summary { cursor: pointer; color: var(--muted); }
details pre { white-space: pre-wrap; overflow-wrap: anywhere; margin-top: .5em; }
.notice { border-inline-start: 3px solid #c9892b; padding-inline-start: .8em; }
@media print { body { max-width: none; } pre { white-space: pre-wrap; } }
"""


class HtmlFormat:
    all_versions = False

    def __init__(
        self, path: Path, drawn: DrawFormulas, name: str = "", title: Callable[[str], str] = str
    ) -> None:
        self._out = TargetFile(path)
        self._drawn = drawn
        self._body = MessageHtml(name, title, fold=True)

    def start(self, info: ConversationInfo) -> None:
        self._out.write(page_head(" ".join(info.title.split()) or tr("Conversation")))

    def add(self, entry: ExportEntry, pictures: PictureData) -> None:
        prose = self._body.render(entry.message, lambda image: _embedded_image(image, pictures))
        self._out.write(join_html(prose, self._drawn))

    def finish(self) -> None:
        self._out.write("</body>\n</html>\n")
        self._out.finish()

    def abort(self) -> None:
        self._out.abort()


def page_head(title: str) -> str:
    """How a page begins."""
    shown = escape(title)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language().replace("_", "-"))}">\n<head>\n'
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{shown}</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n"
        f'<h1 dir="auto">{shown}</h1>\n'
    )


def _embedded_image(image: Image | ResultImage, pictures: PictureData) -> str:
    data = pictures.get(image.digest)
    if data is None or image.media_type not in _EMBEDDED_TYPES:
        return ""
    packed = base64.b64encode(data).decode()
    alt = escape(image.name or tr("Picture"))
    return f'<img alt="{alt}" src="data:{image.media_type};base64,{packed}">'
