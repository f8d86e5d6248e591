"""The review of a run as a document: complete, self-contained, and deaf to what names hold."""

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.diagnosis.headline import HeadlineId
from core.diagnosis.modes import Side
from core.errors import BadInputError
from core.filters import SampleFilter
from core.store import queries, writes
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.overview import overview
from core.workflows.report import review_document, tool_version, write_text
from core.workflows.report_document import (
    Bar,
    Document,
    Section,
    Table,
    as_html,
    as_markdown,
)
from core.workflows.review import View
from core.workflows.setup import ensure_store
from dashboard.theme import DARK, LIGHT

GOLDEN = Path(__file__).parents[1] / "golden" / "overview_runs.jsonl"
BEFORE, AFTER = "overview before", "overview after"
NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
NASTY = '<script>alert(1)</script> "x" & `y` | *z* [l](http://a.b) <!-- \u202e www.c.d'
VOID = {"meta", "br", "link", "img", "hr", "input"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made, _ = ensure_store(tmp_path_factory.mktemp("report") / "store.duckdb")
    assert import_file(made, GOLDEN, Options()).is_stored
    return made


class Page(HTMLParser):
    """What a browser would see: the elements with their attributes, and the text by element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def test_document_says_everything_that_the_overview_says(store: Store) -> None:
    _, document = review_document(store, AFTER, View(), BEFORE, now=NOW)
    assert [section.title for section in document.sections] == [
        "Headline rates",
        "What went wrong, and on which side",
        "Fix first",
        "Worst slices",
        "Can these numbers be trusted?",
        "How it was judged",
        "Latency and cost",
        "What was decided, and when",
        "Where this comes from",
    ]
    text = as_markdown(document)
    # 6 of 11 = 54.5 %, Wilson 28 to 79; baseline 3 of 11 = 27 %
    assert "| Success | 55\u202f% | 28–79 | 6 of 11 decided; 50–58\u202f% if all others" in text
    assert "| 27\u202f% | +27 points, " in text
    assert "| Generation side | ●○● Hallucination | 2 | 17\u202f% (5–45) | −3 |" in text
    assert "| topic: b | 4 of 5 | 80\u202f% (38–96) | +80 points | Hallucination 2 |" in text
    assert "half within 2.5 s, 95\u202f% within 8.9 s (4 of 12 samples)" in text
    assert "- **Cost:** \\$0.04 (2 of 12 samples)" in text
    assert "≥ 4 (the default)" in text


def test_report_names_where_it_comes_from(store: Store) -> None:
    # What an auditor asks for: file and its hash, judges, cuts, filter, tool and time.
    view = View(wanted=SampleFilter(tags=(("topic", "b"),)))
    found, document = review_document(store, AFTER, view, now=NOW)
    run = found.matrix.settings.run
    facts = dict(document.sections[-1].facts)
    assert facts["Run"].startswith(f"{AFTER} ({run.run_id}")
    assert facts["File"] == "overview_runs.jsonl"
    assert facts["SHA-256 of the file"] == run.file_sha256
    assert facts["Filter"] == "topic: b"
    assert facts["Baseline"] == "none"
    assert facts["This report"] == f"RAG Triage {tool_version()}, 30 Nov 2026, 14:05 UTC"
    assert document.subtitle == "Review of 6 of 12 samples (topic: b)."


def test_report_says_what_was_decided_and_when(tmp_path: Path) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    assert import_file(store, GOLDEN, Options()).is_stored
    with store.reading() as connection:
        run_id = queries.find_run(connection, AFTER).run_id
    with store.writing() as connection:
        writes.set_threshold(connection, run_id, "groundedness_rubric", "0123456789ab", 3.0)
        writes.set_note(connection, run_id, "Looked at by two people.")

    _, document = review_document(store, run_id, View(), now=NOW)

    (section,) = [one for one in document.sections if one.title == "What was decided, and when"]
    assert section.table is not None
    # The newest first: what, from, to.
    assert section.table.rows[-1][2] == "Imported"
    assert [tuple(row[2:5]) for row in section.table.rows[:-1]] == [
        ("Note changed", "\u2014", "Looked at by two people."),
        ("Cut stored", "groundedness_rubric = default", "groundedness_rubric = 3.0"),
    ]


def test_html_has_nothing_to_fetch_and_nothing_to_run(store: Store) -> None:
    _, document = review_document(store, AFTER, View(), BEFORE)
    page = Page(as_html(document))
    assert page.open == []
    tags = {tag for tag, _ in page.elements}
    assert tags <= {
        *("html", "head", "meta", "title", "style", "body", "main", "section"),
        *("h1", "h2", "p", "strong", "div", "table", "thead", "tbody", "tr", "th", "td"),
        *("dl", "dt", "dd", "span"),
    }
    attributes = {name for _, attrs in page.elements for name in attrs}
    assert attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "style"}
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in page.elements
    (style,) = page.texts["style"]
    assert "url(" not in style
    assert "@import" not in style


POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@pytest.fixture
def nasty() -> Document:
    table = Table([NASTY, "n"], [[NASTY, "1"]], frozenset({1}), [Bar(0.5, 0.25, 1, Side.RETRIEVAL)])
    sections = [Section(NASTY, table, facts=((NASTY, NASTY),), note=NASTY)]
    return Document(NASTY, NASTY, NASTY, NASTY, sections)


def test_names_stay_text_in_html(nasty: Document) -> None:
    page = Page(as_html(nasty))
    assert {tag for tag, _ in page.elements} & {"script", "a", "img"} == set()
    assert page.texts["h1"] == [NASTY]
    assert page.texts["dd"] == [NASTY]
    assert page.texts["td"][0] == NASTY
    assert page.texts["title"] == [NASTY]


def test_names_stay_text_in_markdown(nasty: Document) -> None:
    text = as_markdown(nasty)
    # Every mark that would begin something stands behind a backslash, and no address is whole.
    inside = text.replace("**", "").replace("| ", "").replace(" |", "")
    for line in inside.splitlines():
        assert re.search(r"(?<!\\)[<>`*\[\]|]", line.removeprefix("# ")) is None, line
    assert "://" not in text
    assert "www." not in text
    # The bar of the name is escaped, so that the row keeps its two columns.
    (row,) = [line for line in text.splitlines() if line.endswith("| 1 |")]
    assert row.replace("\\|", "").count("|") == 3


def test_line_breaks_in_a_name_break_no_line() -> None:
    document = Document("a\n# b", "c", "d", "e", [Section("f\n- g", Table(["h"], [["i\nj | k"]]))])
    assert [line for line in as_markdown(document).splitlines() if line] == [
        "# a \\# b",
        "c",
        "**d** e",
        "## f - g",
        "| h |",
        "| --- |",
        "| i j \\| k |",
    ]


def test_bar_is_as_long_as_its_share(nasty: Document) -> None:
    html = as_html(nasty)
    assert 'class="fill retrieval" style="width:50.0%"' in html
    assert 'style="left:25.0%;width:75.0%"' in html


def test_sides_have_the_colours_of_the_dashboard(nasty: Document) -> None:
    (style,) = Page(as_html(nasty)).texts["style"]
    light, dark = style.split("prefers-color-scheme: dark")
    for side in Side:
        assert f"--{side.value}: {LIGHT.family_fill(side.value)}" in light
        assert f"--{side.value}: {DARK.family_fill(side.value)}" in dark
    for name in ("ground", "ink", "muted", "border", "grid"):
        assert f"--{name}: {getattr(LIGHT, name)}" in light
        assert f"--{name}: {getattr(DARK, name)}" in dark


@pytest.mark.parametrize("text", ["zebra", "Question"])
def test_every_view_has_a_report(store: Store, text: str) -> None:
    _, document = review_document(store, BEFORE, View(wanted=SampleFilter(text=text)), AFTER)
    assert Page(as_html(document)).open == []
    assert as_markdown(document).startswith("# overview before\n")


def test_run_without_scores_has_a_report(tmp_path: Path) -> None:
    file = tmp_path / "bare.jsonl"
    file.write_text('{"sample_id": "1", "question": "q", "answer": "a"}\n', encoding="utf-8")
    made, _ = ensure_store(tmp_path / "store.duckdb")
    import_file(made, file, Options())
    _, document = review_document(made, "bare", View())
    text = as_markdown(document)
    assert "| Success | — | — | not defined: no sample could be diagnosed |" in text
    assert "No decided sample fails." in text


# --- files and the command line -------------------------------------------------------------------


def test_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_text(path, "first")
    write_text(path, "second – ■")
    assert path.read_text(encoding="utf-8") == "second – ■"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no folder"):
        write_text(tmp_path / "nowhere" / "report.html", "text")


def test_command_writes_both_files_and_prints_the_figures(store: Store, tmp_path: Path) -> None:
    html, markdown = tmp_path / "r.html", tmp_path / "r.md"
    result = CliRunner().invoke(
        app,
        [
            *("report", AFTER, "--baseline", BEFORE, "--store", str(store.path), "--json"),
            *("--html", str(html), "--markdown", str(markdown)),
        ],
    )
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    expected = overview(store, AFTER, View(), BEFORE)
    assert printed["headline"]["pass"]["value"] == expected.headline(HeadlineId.PASS).rate.value
    assert (printed["html"], printed["markdown"]) == (str(html), str(markdown))
    assert html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert markdown.read_text(encoding="utf-8").startswith("# overview after\n")


def test_command_prints_markdown_where_no_file_is_named(store: Store) -> None:
    result = CliRunner().invoke(
        app, ["report", AFTER, "--store", str(store.path), "--filter", "tag.topic=a"]
    )
    assert result.exit_code == 0, result.output
    assert "Review of 6 of 12 samples (topic: a)." in result.stdout


def test_command_says_what_it_does_not_find(store: Store) -> None:
    result = CliRunner().invoke(app, ["report", "no such run", "--store", str(store.path)])
    assert result.exit_code == 2
    assert "There is no run 'no such run' in the store." in result.stderr
