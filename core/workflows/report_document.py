"""A document of headings, tables and facts, written as self-contained HTML or as Markdown.

All text is plain and may quote names of the store; both renderings escape it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from core.diagnosis.modes import Side
from core.markdown import escape_sparingly

_HEAD = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    # Nothing is fetched and nothing runs, whatever a name in the file may hold.
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A share in 0..1 with its interval, drawn in the colour of a side."""

    share: float
    low: float
    high: float
    side: Side


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a header; ``numeric`` are the columns aligned to the right.

    ``bars`` are one per row, or none at all; only the HTML draws them.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    bars: Sequence[Bar | None] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One heading with a table, facts as (name, value), and a note below them."""

    title: str
    table: Table | None = None
    facts: Sequence[tuple[str, str]] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report: ``strong`` and ``rest`` are the two halves of its finding."""

    title: str
    subtitle: str
    strong: str
    rest: str
    sections: Sequence[Section] = field(default_factory=tuple)


def as_html(document: Document) -> str:
    """The document as one file without scripts, links or anything to fetch."""
    style = (files("core.workflows") / "report.css").read_text(encoding="utf-8")
    body = [
        f"<h1>{escape(document.title)}</h1>",
        f'<p class="subtitle">{escape(document.subtitle)}</p>',
        f"<p><strong>{escape(document.strong)}</strong> {escape(document.rest)}</p>",
        *(_html_section(section) for section in document.sections),
    ]
    return (
        f"{_HEAD}<title>{escape(document.title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{chr(10).join(body)}\n</main>\n</body>\n</html>\n"
    )


def _html_section(section: Section) -> str:
    parts = [f"<section>\n<h2>{escape(section.title)}</h2>"]
    if section.table is not None:
        parts.append(_html_table(section.table))
    if section.facts:
        facts = "".join(
            f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>\n" for name, value in section.facts
        )
        parts.append(f"<dl>\n{facts}</dl>")
    if section.note:
        parts.append(f'<p class="note">{escape(section.note)}</p>')
    return "\n".join([*parts, "</section>"])


def _html_table(table: Table) -> str:
    head = "".join(_cell("th", text, i, table) for i, text in enumerate(table.header))
    if table.bars:
        head += "<th></th>"
    lines = []
    for i, row in enumerate(table.rows):
        cells = "".join(_cell("td", text, place, table) for place, text in enumerate(row))
        lines.append(f"<tr>{cells}{_html_bar(table.bars[i]) if table.bars else ''}</tr>")
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{chr(10).join(lines)}\n</tbody>\n</table></div>"
    )


def _cell(tag: str, text: str, place: int, table: Table) -> str:
    kind = ' class="number"' if place in table.numeric else ""
    return f"<{tag}{kind}>{escape(text)}</{tag}>"


def _html_bar(bar: Bar | None) -> str:
    if bar is None:
        return "<td></td>"
    return (
        f'<td class="bar"><span class="rail"><span class="fill {bar.side.value}" '
        f'style="width:{100 * bar.share:.1f}%"></span>'
        f'<span class="span" style="left:{100 * bar.low:.1f}%;'
        f'width:{100 * (bar.high - bar.low):.1f}%"></span></span></td>'
    )


def as_markdown(document: Document) -> str:
    """The document as Markdown with pipe tables, readable unrendered too."""
    lines = [
        f"# {escape_sparingly(document.title)}",
        "",
        escape_sparingly(document.subtitle),
        "",
        f"**{escape_sparingly(document.strong)}** {escape_sparingly(document.rest)}".rstrip(),
    ]
    for section in document.sections:
        lines += ["", f"## {escape_sparingly(section.title)}", ""]
        if section.table is not None:
            lines += _markdown_table(section.table)
        lines += [
            f"- **{escape_sparingly(name)}:** {escape_sparingly(value)}"
            for name, value in section.facts
        ]
        if section.note:
            lines += [
                *([""] if section.table is not None or section.facts else []),
                escape_sparingly(section.note),
            ]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Table) -> list[str]:
    rules = ["---:" if i in table.numeric else "---" for i in range(len(table.header))]
    return [
        _markdown_row(table.header),
        f"| {' | '.join(rules)} |",
        *(_markdown_row(row) for row in table.rows),
    ]


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape_sparingly(cell) for cell in cells)} |"
