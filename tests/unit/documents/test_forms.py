"""All text of each kind of file is read, and omissions are named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
)

from neodeskpet.core.attachments import Omission, Omitted
from neodeskpet.documents.document import omission_words
from neodeskpet.documents.pdf import TextSegment, ordered_text
from neodeskpet.documents.reader_child import read_file
from neodeskpet.documents.reader_types import ReaderRefusal, ReadOptions
from tests.bench.documents.sources import book, page, word

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_R = f'xmlns:r="{_REL}"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def packed(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def related(*pairs: tuple[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{number}" Type="{_REL}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(pairs, 1)
    )
    return f"<Relationships>{rows}</Relationships>"


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def word_file(path: Path, body: str, **parts: str) -> Path:
    """`parts` by the last word of their relationship's type."""
    pairs = [(kind, f"{kind}.xml") for kind in parts]
    return packed(
        path,
        {
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": related(*pairs),
        }
        | {f"word/{kind}.xml": text for kind, text in parts.items()},
    )


def test_a_word_file_from_a_bug_report() -> None:
    text = read_file(Path(__file__).with_name("boxes_and_changes.docx")).text
    for said in ("BOX-TEXT", "CONTROL-TEXT", "INSERTED-750", "FOOTNOTE-TEXT"):
        assert text.count(said) == 1
    assert "DELETED-900" not in text


@pytest.mark.parametrize("seed", range(4))
def test_word_files_of_other_programs(tmp_path: Path, seed: int) -> None:
    made = word(tmp_path, seed)
    found = read_file(tmp_path / made.name)
    assert [one for one in made.text if found.text.count(one) != 1] == []
    assert [one for one in made.gone if one in found.text] == []
    assert found.omitted == ()


def test_headings_lists_and_numbers_of_word(tmp_path: Path) -> None:
    styles = (
        f'<w:styles {_W}><w:style w:styleId="H"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="L"><w:name w:val="List Bullet"/></w:style></w:styles>'
    )
    levels = "".join(
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for place, (form, text) in enumerate(
            [("decimal", "%1."), ("lowerRoman", "%1.%2"), ("bullet", "x"), ("upperLetter", "%4)")]
        )
    )
    numbering = (
        f'<w:numbering {_W}><w:abstractNum w:abstractNumId="5">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num></w:numbering>'
    )

    def numbered(level: int) -> str:
        number = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
        return paragraph("x", f"<w:pPr>{number}</w:pPr>")

    body = paragraph("Head", '<w:pPr><w:pStyle w:val="H"/></w:pPr>')
    body += paragraph("entry", '<w:pPr><w:pStyle w:val="L"/></w:pPr>')
    body += "".join(map(numbered, (0, 1, 1, 0, 1, 2, 3)))
    found = read_file(word_file(tmp_path / "a.docx", body, styles=styles, numbering=numbering))
    lines = found.text.split("\n\n")
    assert lines[:2] == ["## Head", "- entry"]
    assert lines[2:] == ["1. x", "1.i x", "1.ii x", "2. x", "2.i x", "- x", "A) x"]


def test_numbers_that_a_style_of_word_gives(tmp_path: Path) -> None:
    properties = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = (
        f'<w:styles {_W}><w:style w:styleId="N"><w:name w:val="List Number"/>{properties}</w:style>'
        '<w:style w:styleId="B"><w:name w:val="Mine"/><w:basedOn w:val="N"/></w:style>'
        '<w:style w:styleId="C"><w:name w:val="Circle"/><w:basedOn w:val="C"/></w:style></w:styles>'
    )
    numbering = (
        f'<w:numbering {_W}><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start '
        'w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num></w:numbering>'
    )
    body = "".join(
        paragraph("x", f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>') for style in "NBCZ"
    )
    body += paragraph(
        "y", '<w:pPr><w:pStyle w:val="N"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>'
    )
    found = read_file(word_file(tmp_path / "a.docx", body, styles=styles, numbering=numbering))
    assert found.text.split("\n\n") == ["1. x", "2. x", "x", "x", "- y"]


def test_special_characters_of_word(tmp_path: Path) -> None:
    run = (
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:noBreakHyphen/>"
        '<w:sym w:font="Symbol" w:char="03B1"/></w:r>'
        "<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r>"
        "</w:rubyBase></w:ruby></w:r></w:p>"
    )
    assert read_file(word_file(tmp_path / "a.docx", run)).text == "a\tb\n\u2011α漢(かん)"


def test_a_novel_is_not_slowed_down_by_its_styles(tmp_path: Path) -> None:
    """The styles are read once, not for each paragraph."""
    styles = "".join(
        f'<w:style w:styleId="s{n}"><w:name w:val="n{n}"/></w:style>' for n in range(300)
    )
    body = "".join(
        paragraph(f"p{n}", '<w:pPr><w:pStyle w:val="s299"/></w:pPr>') for n in range(9000)
    )
    path = word_file(tmp_path / "a.docx", body, styles=f"<w:styles {_W}>{styles}</w:styles>")
    assert read_file(path).text.endswith("p8999")


def test_objects_in_a_word_file_are_named(tmp_path: Path) -> None:
    path = word_file(tmp_path / "a.docx", paragraph("x"), package="", chart=f"<c {_A}/>")
    assert read_file(path).omitted == (Omitted(Omission.EMBEDDED, 1),)


def sheet_file(path: Path, rows: str) -> Path:
    return packed(
        path,
        {
            "xl/workbook.xml": f'<workbook {_S} {_R}><sheets><sheet name="Sums" r:id="r1"/>'
            "</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": related(
                ("worksheet", "worksheets/one.xml"),
                ("sharedStrings", "strings.xml"),
                ("styles", "styles.xml"),
            ),
            "xl/strings.xml": f"<sst {_S}><si><t>tea</t></si><si><r><t>ri</t></r><r><t>ch</t></r>"
            "<rPh><t>no</t></rPh></si></sst>",
            "xl/styles.xml": f'<styleSheet {_S}><numFmts><numFmt numFmtId="200" '
            'formatCode="&quot;on&quot; yyyy/mm/dd;@"/><numFmt numFmtId="201" '
            'formatCode="[$$-409]#,##0.00"/><numFmt numFmtId="202" '
            'formatCode="0.0\\ &quot;kg&quot;"/>'
            '</numFmts><cellXfs><xf numFmtId="0"/>'
            '<xf numFmtId="200"/><xf numFmtId="10"/><xf numFmtId="20"/><xf numFmtId="4"/>'
            '<xf numFmtId="201"/><xf numFmtId="202"/><xf numFmtId="12"/><xf numFmtId="11"/>'
            "</cellXfs></styleSheet>",
            "xl/worksheets/one.xml": f"<worksheet {_S}><sheetData>{rows}</sheetData></worksheet>",
            "xl/worksheets/_rels/one.xml.rels": related(
                ("comments", "../comments.xml"), ("drawing", "../drawing.xml")
            ),
            "xl/comments.xml": f"<comments {_S}><commentList><comment><text><t>why</t></text>"
            "</comment></commentList></comments>",
            "xl/drawing.xml": f"<d {_A}><a:p><a:r><a:t>boxed</a:t></a:r></a:p></d>",
        },
    )


def test_values_of_a_sheet_are_written_as_displayed(tmp_path: Path) -> None:
    rows = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>'
        '<row><c r="A2" s="1"><v>45000</v></c><c r="B2" s="2"><v>0.125</v></c>'
        '<c r="C2" s="3"><v>0.5</v></c><c r="D2" s="4"><v>1234.5</v></c></row>'
        '<row><c t="b"><v>1</v></c><c t="inlineStr"><is><t>in</t></is></c><c><v>0.1</v></c>'
        '<c t="str"><f>A1</f><v>made</v></c><c><f>B1</f></c></row>'
    )
    found = read_file(sheet_file(tmp_path / "a.xlsx", rows))
    assert found.text.split("\n\n") == [
        "## Sums",
        "| tea |  | rich |\n| 2023-03-15 | 12.50% | 12:00 | 1,234.50 |\n| TRUE | in | 0.1 | made |",
        "[Comment] why",
        "boxed",
    ]
    assert found.omitted == (Omitted(Omission.FORMULAS, 1),)


def test_currencies_units_fractions_and_powers_of_a_sheet(tmp_path: Path) -> None:
    values = ((5, -1234.5), (6, 2.25), (7, 2.75), (7, -0.5), (7, 3), (8, 12345))
    cells = "".join(f'<c s="{style}"><v>{value}</v></c>' for style, value in values)
    found = read_file(sheet_file(tmp_path / "a.xlsx", f"<row>{cells}</row>"))
    assert "| -$1,234.50 | 2.2 kg | 2 3/4 | -1/2 | 3 | 1.23E+04 |" in found.text


def slides_file(path: Path) -> Path:
    def shape(text: str, placeholder: str = "") -> str:
        held = f'<p:nvSpPr><p:nvPr><p:ph type="{placeholder}"/></p:nvPr></p:nvSpPr>'
        return (
            f"<p:sp>{held if placeholder else ''}<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
            "</p:txBody></p:sp>"
        )

    def tree(inside: str) -> str:
        return f"<p:sld {_P} {_A}><p:cSld><p:spTree>{inside}</p:spTree></p:cSld></p:sld>"

    cells = "<a:tc><a:txBody><a:p><a:r><a:t>c1</a:t></a:r></a:p></a:txBody></a:tc>"
    table = f"<p:graphicFrame><a:tbl><a:tr>{cells}</a:tr></a:tbl></p:graphicFrame>"
    return packed(
        path,
        {
            "ppt/presentation.xml": f'<p:presentation {_P} {_R}><p:sldIdLst><p:sldId id="1" '
            'r:id="r2"/><p:sldId id="2" r:id="r1"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": related(("slide", "s/b.xml"), ("slide", "s/a.xml")),
            "ppt/s/a.xml": tree(
                shape("First", "title") + f"<p:grpSp>{shape('in group')}</p:grpSp>"
            ),
            "ppt/s/b.xml": tree(table),
            "ppt/s/_rels/a.xml.rels": related(("notesSlide", "n.xml"), ("slideLayout", "l.xml")),
            "ppt/s/n.xml": tree(shape("say this", "body") + shape("4", "sldNum")),
            "ppt/s/l.xml": tree(shape("Click to edit", "title") + shape("ACME Ltd")),
        },
    )


def test_slides_in_their_order_with_notes(tmp_path: Path) -> None:
    found = read_file(slides_file(tmp_path / "a.pptx"))
    first, second = found.text.split("\f")
    assert first == "First\n\nin group\n\n[Notes] say this"
    assert second.startswith("| c1 |") and second.endswith("ACME Ltd")
    assert "Click to edit" not in found.text
    assert (found.pages, found.pages_read, found.omitted) == (2, 2, ())
    short = read_file(tmp_path / "a.pptx", ReadOptions(longest=10))
    assert (short.pages_read, short.cut) == (1, True)
    assert {one.what: one.count for one in short.omitted} == {
        Omission.AFTER_LIMIT: 10,
        Omission.PAGES_AFTER_LIMIT: 1,
    }


def test_an_open_document(tmp_path: Path) -> None:
    spaces = "".join(
        f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
        for one in ("office", "text", "table", "draw")
    )
    content = (
        f"<office:document-content{spaces}><office:body><office:text><text:tracked-changes>"
        "<text:p>deleted</text:p></text:tracked-changes>"
        '<text:h text:outline-level="2">Head</text:h>'
        '<text:p>one<text:s text:c="2"/>two<text:tab/>three<text:note><text:note-citation>1'
        "</text:note-citation><text:note-body><text:p>foot</text:p></text:note-body></text:note>"
        "<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>"
        "<text:list><text:list-item><text:p>entry</text:p></text:list-item></text:list>"
        '<table:table><table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>c'
        '</text:p></table:table-cell><table:table-cell table:number-columns-repeated="900"/>'
        "</table:table-row></table:table></office:text></office:body></office:document-content>"
    )
    path = packed(tmp_path / "a.odt", {"content.xml": content})
    assert read_file(path).text.split("\n\n") == [
        "## Head",
        "one  two\tthree [^ foot]",
        "boxed",
        "- entry",
        "| c |\n| --- |\n| c |",
    ]
    locked = {"content.xml": content, "META-INF/manifest.xml": "<m><encryption-data/></m>"}
    with pytest.raises(ReaderRefusal, match="encrypted"):
        read_file(packed(tmp_path / "b.odt", locked))


def test_numbers_of_an_open_document(tmp_path: Path) -> None:
    spaces = "".join(
        f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
        for one in ("office", "text", "style")
    )

    def level(number: int, form: str, more: str = "") -> str:
        return f'text:level="{number}" style:num-format="{form}" {more}'

    shown = 'text:display-levels="2"'
    styles = (
        f"<office:document-styles{spaces}><text:outline-style>"
        f"<text:outline-level-style {level(1, '1')}/>"
        f"<text:outline-level-style {level(2, '1', shown)}/>"
        f"<text:outline-level-style {level(3, '')}/></text:outline-style></office:document-styles>"
    )
    first = level(1, "1", 'style:num-suffix="." text:start-value="3"')
    second = level(2, "a", 'style:num-prefix="(" style:num-suffix=")"')
    headings = "".join(
        f'<text:h text:outline-level="{one}">H</text:h>' for one in (1, 2, 2, 1, 2, 3)
    )
    item = "<text:list-item>{}</text:list-item>"
    entry = item.format("<text:p>e</text:p>")
    inner = f"<text:list>{entry}{entry}</text:list>"
    deep = item.format(f"<text:list>{item.format(inner)}</text:list>")
    content = (
        f"<office:document-content{spaces}><text:list-style style:name='L'>"
        f"<text:list-level-style-number {first}/><text:list-level-style-number {second}/>"
        "<text:list-level-style-bullet text:level='3'/></text:list-style>"
        f"<office:body><office:text>{headings}<text:list text:style-name='L'>{entry}"
        f"{item.format('<text:p>e</text:p>' + inner)}{item.format(inner)}</text:list>"
        f"<text:list text:style-name='L' text:continue-numbering='true'>{entry}</text:list>"
        f"<text:list text:style-name='L'>{deep}"
        "<text:list-item text:start-value='7'><text:p>e</text:p></text:list-item></text:list>"
        "</office:text></office:body></office:document-content>"
    )
    path = packed(tmp_path / "a.odt", {"content.xml": content, "styles.xml": styles})
    blocks = read_file(path).text.split("\n\n")
    assert blocks[:6] == ["# 1 H", "## 1.1 H", "## 1.2 H", "# 2 H", "## 2.1 H", "### H"]
    lists = [one.removesuffix(" e") for one in blocks[6:]]
    assert lists == ["3.", "4.", "(a)", "(b)", "(a)", "(b)", "6.", "-", "-", "7."]


def test_rich_text_is_read_as_text_and_not_as_source(tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(
        rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}}{\header top\par}"
        rb"\f0 caf\u233?, \'c4\'e3\'ba\'c3{\footnote \chftn a note}{\deleted gone}\par "
        rb"{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt boxed\par}}{\shprslt boxed}}"
        rb"{\*\atnid A}{\*\annotation remark}{\pict\bin4 }}{{} end}"
    )
    text = read_file(path).text
    assert "café, 你好 [^" in text and "a note]" in text
    assert text.count("boxed") == 1 and "[Header] top" in text and "remark]" in text
    assert "gone" not in text and "rtf1" not in text and text.endswith("end")
    path.write_bytes(b"no rich text")
    with pytest.raises(ReaderRefusal, match="broken"):
        read_file(path)


@pytest.mark.parametrize("marked", [False, True])
def test_pages_and_books_are_read_completely(tmp_path: Path, marked: bool) -> None:
    for made in (page(tmp_path, 1), book(tmp_path, 2)):
        found = read_file(tmp_path / made.name, ReadOptions(marked=marked))
        assert [one for one in made.text if found.text.count(one) != 1] == []
        assert "x()" not in found.text and found.omitted == ()
        assert ("# " in found.text) == marked


def test_missing_chapters_are_counted_and_protected_books_named(tmp_path: Path) -> None:
    book(tmp_path, 3)
    parts = {}
    with zipfile.ZipFile(tmp_path / "book3.epub") as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    gone = {name: text for name, text in parts.items() if name != "text/c1.xhtml"}
    assert read_file(packed(tmp_path / "a.epub", gone)).omitted == (Omitted(Omission.CHAPTERS, 1),)

    def protected(algorithm: str, uri: str) -> Path:
        data = (
            f'<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/><CipherData>'
            f'<CipherReference URI="{uri}"/></CipherData></EncryptedData></encryption>'
        )
        return packed(tmp_path / "b.epub", parts | {"META-INF/encryption.xml": data})

    with pytest.raises(ReaderRefusal, match="drm"):
        read_file(protected("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "text/c0.xhtml"))
    assert read_file(protected("http://www.idpf.org/2008/embedding", "fonts/a.otf")).text
    with pytest.raises(ReaderRefusal, match="kindle"):
        read_file(tmp_path / "a.azw3")


def test_scanned_pages_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    Image.new("RGB", (200, 300), "white").save(path)
    with pytest.raises(ReaderRefusal, match="empty"):
        read_file(path)
    from pypdf import PdfWriter

    from tests.support.pdfs import write_pdf

    writer = PdfWriter()
    writer.append(write_pdf(tmp_path / "text.pdf", ["Some words that are a text"]))
    writer.append(path)
    writer.write(tmp_path / "mixed.pdf")
    found = read_file(tmp_path / "mixed.pdf")
    assert found.omitted == (Omitted(Omission.PICTURE_PAGES, 1),)
    assert (found.pages, found.cut) == (2, False)


def column(left: float, name: str, lines: int = 8) -> list[TextSegment]:
    return [
        TextSegment(left, left + 200, 700 - 12 * n, 710 - 12 * n, f"{name} {n} and more words", n)
        for n in range(lines)
    ]


def test_drawn_characters_without_text_are_counted(tmp_path: Path) -> None:
    """Emoji of a browser's PDF: a font of drawings, whose letters are in a marked section."""
    writer = PdfWriter()
    drawing, letters, stream = (DecodedStreamObject() for _ in range(3))
    drawing.set_data(b"1000 0 0 0 750 750 d1 0 0 750 750 re f")
    letters.set_data(
        b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"1 beginbfchar <01> <DB80DFB2> endbfchar endcmap"
    )
    names = {"/sq": writer._add_object(drawing)}
    drawn = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type3"),
        "/FontBBox": ArrayObject([NumberObject(one) for one in (0, 0, 750, 750)]),
        "/FontMatrix": ArrayObject([FloatObject(one) for one in (0.001, 0, 0, 0.001, 0, 0)]),
        "/CharProcs": DictionaryObject({NameObject(one): it for one, it in names.items()}),
        "/Encoding": DictionaryObject(
            {NameObject("/Differences"): ArrayObject([NumberObject(1), NameObject("/sq")])}
        ),
        "/FirstChar": NumberObject(1),
        "/LastChar": NumberObject(1),
        "/Widths": ArrayObject([NumberObject(1000)]),
        "/ToUnicode": writer._add_object(letters),
    }
    plain = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type1"),
        "/BaseFont": NameObject("/Helvetica"),
    }
    fonts = {
        NameObject(name): DictionaryObject({NameObject(key): it for key, it in font.items()})
        for name, font in (("/F1", plain), ("/F2", drawn))
    }
    page = writer.add_blank_page(300, 300)
    page[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/Font"): DictionaryObject(fonts)}
    )
    mark = "/Span << /ActualText <FEFFD83CDDE9D83CDDEA> >> BDC "
    shown = "BT {} /F{} 12 Tf {} {} Td ({}) Tj {} ET "
    # Twice: bold without a bold font.
    pieces = [("", 1, x, 200, "Germany and France", "") for x in (20, 20.2)]
    pieces += [("", 1, 20, 150, "   ", ""), *((mark, 2, 200, y, "\\001", "EMC") for y in (50, 99))]
    stream.set_data("".join(shown.format(*one) for one in pieces).encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    writer.write(tmp_path / "a.pdf")
    found = read_file(tmp_path / "a.pdf")
    assert found.text.split() == ["Germany", "and", "France"]
    assert found.omitted == (Omitted(Omission.UNMAPPED, 4),)


def test_columns_are_read_one_after_the_other() -> None:
    title = TextSegment(50, 520, 740, 755, "A title over both columns", 99)
    across = [one for pair in zip(column(50, "L"), column(320, "R"), strict=True) for one in pair]
    lines = ordered_text([title, *across]).split("\n")
    assert lines[0] == title.text
    assert [line[0] for line in lines[1:]] == ["L"] * 8 + ["R"] * 8


def test_a_table_is_not_taken_for_columns() -> None:
    cells = [
        TextSegment(left, left + width, 700 - 12 * n, 710 - 12 * n, text, n)
        for n in range(8)
        for left, width, text in ((50, 20 + 20 * n, "cell"), (320, 30, "12"))
    ]
    assert ordered_text(cells).split("\n") == ["cell 12"] * 8


def test_omissions_have_texts() -> None:
    omitted = [Omitted(Omission.PICTURE_PAGES, 3), Omitted(Omission.EMBEDDED, 1200)]
    words = "pages that hold only pictures: 3, files and objects inside it: 1,200"
    assert omission_words(omitted) == f"Left out: {words}"
    assert omission_words([]) == ""


def test_columns_of_a_pdf(tmp_path: Path) -> None:
    """The file writes line by line across both columns."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    sheet = writer.add_blank_page(600, 800)
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): named})
    sheet[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    drawn = "".join(
        f"1 0 0 1 {left} {700 - 14 * line} Tm ({name}{line} is a line of running text here) Tj "
        for line in range(10)
        for left, name in ((50, "L"), (320, "R"))
    )
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf {drawn} ET".encode())
    sheet[NameObject("/Contents")] = writer._add_object(stream)
    writer.write(tmp_path / "a.pdf")
    lines = read_file(tmp_path / "a.pdf").text.split("\n")
    assert [line.split()[0] for line in lines] == [f"{n}{i}" for n in "LR" for i in range(10)]
