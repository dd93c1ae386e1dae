"""Documents with known text, made from a seed: flat OpenDocument files, which LibreOffice converts
to the other kinds, Word files as other programs write them, books and pages.
"""

from __future__ import annotations

import random
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

_WORDS = (
    "river",
    "window",
    "letter",
    "morning",
    "village",
    "answer",
    "copper",
    "garden",
    "silver",
    "engine",
    "market",
    "winter",
    "station",
    "bridge",
    "lantern",
    "harbour",
    "orchard",
    "天气",
    "会议",
    "文件",
    "价格",
    "合同",
    "明天",
    "客户",
    "部门",
    "计划",
    "数量",
    "naïve",
    "Straße",
    "façade",
    "señor",
    "Ελλάδα",
    "Москва",
    "東京",
    "서울",
)


@dataclass(slots=True)
class Made:
    """`text` is all that a reader must find; no reader may find `gone`."""

    name: str
    text: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


class Writer:
    """Random words; each sentence has a unique number."""

    def __init__(self, name: str, seed: int) -> None:
        self.made = Made(name)
        self._random = random.Random(seed)
        self._seed = seed
        self._count = 0

    def said(self, words: int = 8, *, gone: bool = False) -> str:
        """A sentence, escaped for XML."""
        self._count += 1
        mark = f"{'D' if gone else 'T'}{self._seed}Q{self._count}"
        text = " ".join([mark, *self._random.choices(_WORDS, k=words)])
        (self.made.gone if gone else self.made.text).append(text)
        return escape(text)


_SPACES = (
    "".join(
        f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("draw", "drawing"),
            ("style", "style"),
            ("presentation", "presentation"),
            ("svg", "svg-compatible"),
            ("fo", "xsl-fo-compatible"),
        )
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def _flat(kind: str, body: str, styles: str = "") -> str:
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{_SPACES} office:version="1.3" '
        f'office:mimetype="{mime}">{styles}<office:body>{body}</office:body></office:document>'
    )


def flat_text(folder: Path, seed: int) -> Made:
    """A text with headings, lists, tables, notes, comments, a text box, changes, a header."""
    w = Writer(f"text{seed}.fodt", seed)
    deleted = w.said(gone=True)
    changes = (
        '<text:tracked-changes text:track-changes="true"><text:changed-region xml:id="c1" '
        'text:id="c1"><text:deletion><office:change-info><dc:creator>A</dc:creator>'
        "<dc:date>2026-01-01T00:00:00</dc:date></office:change-info>"
        f"<text:p>{deleted}</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    )
    parts = [f'<text:h text:outline-level="1">{w.said(4)}</text:h>']
    for number in range(6 + seed % 5):
        parts.append(f"<text:p>{w.said(20)}</text:p>")
        if number % 3 == seed % 3:
            kind = "footnote" if seed % 2 else "endnote"
            parts.append(
                f'<text:p>{w.said()}<text:note text:note-class="{kind}">'
                f"<text:note-citation>{number + 1}</text:note-citation><text:note-body>"
                f"<text:p>{w.said()}</text:p></text:note-body></text:note> {w.said()}</text:p>"
            )
        if number % 4 == 1:
            parts.append(
                f"<text:list><text:list-item><text:p>{w.said()}</text:p></text:list-item>"
                f"<text:list-item><text:p>{w.said()}</text:p></text:list-item></text:list>"
            )
    parts.append(
        f"<text:p>{w.said()}<office:annotation><dc:creator>B</dc:creator>"
        f"<text:p>{w.said()}</text:p></office:annotation></text:p>"
    )
    parts.append(
        '<text:p><draw:frame draw:name="F" text:anchor-type="paragraph" svg:width="8cm" '
        f'svg:height="3cm"><draw:text-box><text:p>{w.said()}</text:p></draw:text-box></draw:frame>'
        f"{w.said()}</text:p>"
    )
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row = "<table:table-row>{}</table:table-row>"
    rows = "".join(row.format("".join(cell.format(w.said(2)) for _ in range(3))) for _ in range(3))
    columns = '<table:table-column table:number-columns-repeated="3"/>'
    parts.append(f'<table:table table:name="T">{columns}{rows}</table:table>')
    parts.append(f'<text:p>{w.said()}<text:change text:change-id="c1"/>{w.said()}</text:p>')
    header = f"<style:header><text:p>{w.said(3)}</text:p></style:header>"
    footer = f"<style:footer><text:p>{w.said(3)}</text:p></style:footer>"
    layout = (
        '<office:automatic-styles><style:page-layout style:name="L"><style:header-style>'
        '<style:header-footer-properties fo:min-height="1cm"/></style:header-style>'
        '<style:footer-style><style:header-footer-properties fo:min-height="1cm"/>'
        "</style:footer-style></style:page-layout></office:automatic-styles>"
    )
    master = (
        '<office:master-styles><style:master-page style:name="Standard" '
        f'style:page-layout-name="L">{header}{footer}</style:master-page></office:master-styles>'
    )
    body = f"<office:text>{changes}{''.join(parts)}</office:text>"
    (folder / w.made.name).write_text(_flat("text", body, layout + master), encoding="utf-8")
    return w.made


def flat_sheet(folder: Path, seed: int) -> Made:
    """Two sheets of texts, numbers and a comment."""
    w = Writer(f"sheet{seed}.fods", seed)
    tables = []
    for sheet in ("First", "第二"):
        rows = []
        for number in range(12):
            amount = seed * 1000 + number * 7 + 3
            w.made.text += [str(amount)]
            comment = f"<office:annotation><text:p>{w.said(3)}</text:p></office:annotation>"
            cells = (
                ('office:value-type="string"', f"<text:p>{w.said(3)}</text:p>"),
                (
                    f'office:value-type="float" office:value="{amount}"',
                    f"<text:p>{amount}</text:p>",
                ),
                ("", ""),
                ('office:value-type="string"', f"{comment}<text:p>{w.said(2)}</text:p>"),
            )
            row = "".join(
                f"<table:table-cell {kind}>{inside}</table:table-cell>" for kind, inside in cells
            )
            rows.append(f"<table:table-row>{row}</table:table-row>")
        w.made.text.append(sheet)
        tables.append(f'<table:table table:name="{sheet}">{"".join(rows)}</table:table>')
    body = f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet>"
    (folder / w.made.name).write_text(_flat("spreadsheet", body), encoding="utf-8")
    return w.made


def flat_slides(folder: Path, seed: int) -> Made:
    """Slides with boxes, groups and notes."""
    w = Writer(f"slides{seed}.fodp", seed)
    box = (
        '<draw:frame svg:x="1cm" svg:y="{}cm" svg:width="24cm" svg:height="2cm"><draw:text-box>'
        "<text:p>{}</text:p></draw:text-box></draw:frame>"
    )
    pages = []
    for number in range(3 + seed % 4):
        boxes = "".join(box.format(1 + 3 * place, w.said(4)) for place in range(3))
        group = f"<draw:g>{box.format(11, w.said(3))}</draw:g>"
        notes = (
            '<presentation:notes><draw:frame presentation:class="notes" svg:x="1cm" svg:y="15cm" '
            'svg:width="15cm" svg:height="9cm"><draw:text-box>'
            f"<text:p>{w.said(4)}</text:p></draw:text-box></draw:frame></presentation:notes>"
        )
        about = f'draw:name="p{number}" draw:master-page-name="M"'
        pages.append(f"<draw:page {about}>{boxes}{group}{notes}</draw:page>")
    master = (
        '<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties '
        'fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles>'
        '<office:master-styles><style:master-page style:name="M" style:page-layout-name="L"/>'
        "</office:master-styles>"
    )
    body = f"<office:presentation>{''.join(pages)}</office:presentation>"
    (folder / w.made.name).write_text(_flat("presentation", body, master), encoding="utf-8")
    return w.made


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_WPS = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"


def word(folder: Path, seed: int) -> Made:
    """A Word file with what programs other than LibreOffice write: content controls, moved text,
    text boxes in both forms, tables in controls, several headers.
    """
    w = Writer(f"word{seed}.docx", seed)
    run = "<w:r><w:t>{}</w:t></w:r>"
    paragraph = "<w:p>{}</w:p>"
    body = []
    for number in range(4 + seed % 3):
        boxed = f"<w:txbxContent>{paragraph.format(run.format(w.said()))}</w:txbxContent>"
        body += [
            paragraph.format(run.format(w.said(15))),
            f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph.format(run.format(w.said()))}"
            "</w:sdtContent></w:sdt>",
            paragraph.format(
                f"<w:ins w:id='{number}' w:author='A'>{run.format(w.said())}</w:ins>"
                f"<w:del w:id='9{number}' w:author='A'><w:r><w:delText>{w.said(gone=True)}"
                "</w:delText></w:r></w:del>"
                f"<w:moveTo w:id='8{number}'>{run.format(w.said())}</w:moveTo>"
                f"<w:hyperlink>{run.format(w.said())}</w:hyperlink>"
                f"<w:fldSimple w:instr='MERGEFIELD a'>{run.format(w.said())}</w:fldSimple>"
            ),
            paragraph.format(
                "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:wsp><wps:txbx>"
                f"{boxed}</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict>{boxed}"
                f"</w:pict></mc:Fallback></mc:AlternateContent></w:r>{run.format(w.said())}"
            ),
        ]
    cell = "<w:tc><w:tcPr/>{}</w:tc>"
    cells = "".join(cell.format(paragraph.format(run.format(w.said(2)))) for _ in range(2))
    held = "<w:sdt><w:sdtContent>" + cell.format(paragraph.format(run.format(w.said(2))))
    body.append(f"<w:tbl><w:tr>{cells}{held}</w:sdtContent></w:sdt></w:tr></w:tbl>")
    notes = "".join(f'<w:{kind}Reference w:id="2"/>' for kind in ("footnote", "endnote", "comment"))
    body.append(paragraph.format(f"{run.format(w.said())}<w:r>{notes}</w:r>"))
    parts = {
        kind: f'<w:{kind}s {{}}><w:{kind} w:id="2">{paragraph.format(run.format(w.said()))}'
        f"</w:{kind}></w:{kind}s>"
        for kind in ("footnote", "endnote", "comment")
    }
    header = f"<w:hdr {{}}>{paragraph.format(run.format(w.said(3)))}</w:hdr>"
    space = _STRICT if seed % 4 == 3 else _W
    spaces = f'xmlns:w="{space}" xmlns:mc="{_MC}" xmlns:wps="{_WPS}"'
    related = [(f"{kind}s", f"{kind}s.xml") for kind in parts] + [("header", "header1.xml")]
    with zipfile.ZipFile(folder / w.made.name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", _relations([("officeDocument", "word/document.xml")]))
        archive.writestr("word/_rels/document.xml.rels", _relations(related))
        archive.writestr("[Content_Types].xml", _types([name for _, name in related]))
        document = f"<w:document {spaces}><w:body>{''.join(body)}<w:sectPr/></w:body></w:document>"
        archive.writestr("word/document.xml", document)
        for kind, text in parts.items():
            archive.writestr(f"word/{kind}s.xml", text.format(spaces))
        archive.writestr("word/header1.xml", header.format(spaces))
    return w.made


def _relations(pairs: list[tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{_REL}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(pairs)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


def _types(names: list[str]) -> str:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml."
    rows = "".join(
        f'<Override PartName="/word/{name}" ContentType="{kind}{name.rstrip("1.xml")}+xml"/>'
        for name in names
    )
    main = f'<Override PartName="/word/document.xml" ContentType="{kind}document.main+xml"/>'
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    rels = f'<Default Extension="rels" ContentType="{relations}"/>'
    return f'<Types xmlns="{_PACKAGE}/content-types">{rels}{main}{rows}</Types>'


def _page(w: Writer) -> str:
    rows = "".join(f"<tr><td>{w.said(2)}</td><th>{w.said(2)}</th></tr>" for _ in range(3))
    return (
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>t</title><style>p{}</style>"
        f"<script>x()</script></head><body><nav><ul><li>{w.said(2)}</li></ul></nav>"
        f"<h1>{w.said(3)}</h1><div>{w.said()}<p>{w.said(20)} <b>{w.said()}</b></p>{w.said()}</div>"
        f"<table>{rows}</table><pre>{w.said()}\n  {w.said()}</pre><aside>{w.said()}</aside>"
        f"<footer>{w.said()}</footer></body></html>"
    )


def page(folder: Path, seed: int) -> Made:
    w = Writer(f"page{seed}.html", seed)
    (folder / w.made.name).write_text(_page(w), encoding="utf-8")
    return w.made


def book(folder: Path, seed: int) -> Made:
    """A book whose chapters lie beside its package's folder."""
    w = Writer(f"book{seed}.epub", seed)
    chapters = [f"c{number}.xhtml" for number in range(3)]
    manifest = "".join(f'<item id="{one}" href="../text/{one}"/>' for one in chapters)
    spine = "".join(f'<itemref idref="{one}"/>' for one in chapters)
    with zipfile.ZipFile(folder / w.made.name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>',
        )
        package = f"<package><manifest>{manifest}</manifest><spine>{spine}</spine></package>"
        archive.writestr("OPS/p.opf", package)
        for one in chapters:
            archive.writestr(f"text/{one}", _page(w))
    return w.made
