"""What comes from a file is shown as it stands: no formula, no HTML, no markdown, no link."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
# Pieces of the traps that would mean something to a renderer if they arrived as they are.
LIVE = re.compile(
    r"(?<!\\)\$[^$\n]*(?<!\\)\$"  # a formula between two dollar signs
    r"|(?<!\\)<[a-z/!]"  # a tag
    r"|&amp;"  # an entity, where the file has one
    r"|\*\*doc\*\*|\*\*bold\*\*|\*markdown\*|\*name\*|\*x\*"  # emphasis
    r"|(?<!\\)\]\(https?:"  # a link
    r"|https?://trap"  # a bare address
    r"|:material/delete:|:smile:|:red\[red\]"  # Streamlit's own words
)


def rendered(app: AppTest) -> Iterator[str]:
    """Every text of the page that Streamlit reads as markdown."""
    for kind in ("title", "markdown", "caption", "error", "warning", "info", "success"):
        for element in app.get(kind):
            assert not getattr(element, "allow_html", False)
            yield str(element.value)
    for kind in ("button", "selectbox", "multiselect", "text_input", "text_area", "slider"):
        for widget in app.get(kind):
            yield widget.label
            yield widget.help
    yield from (block.proto.popover.label for block in app.get("popover"))
    yield from (block.label for block in app.expander)
    for group in app.get("button_group"):
        yield from group.options


def live(app: AppTest) -> list[str]:
    return [text for text in rendered(app) if LIVE.search(text)]


@pytest.mark.parametrize("page", ["overview", "modes", "runs"])
def test_b62_names_of_runs_and_tags_are_not_rendered(
    page: str, store_of: StoreOf, start: Start
) -> None:
    store_of("traps")

    app = start(page)

    assert [error.value for error in app.exception] == []
    assert live(app) == []


def test_b61_b62_no_sample_is_rendered(store_of: StoreOf, start: Start, text_of: TextOf) -> None:
    n = run_list(store_of("traps"))[0].run.n_samples
    app = start("triage")

    for _ in range(n):
        sample = app.session_state["address"].sample
        assert [error.value for error in app.exception] == [], sample
        assert live(app) == [], sample
        if not app.button(key="next").disabled:
            app.button(key="next").click().run()


@pytest.mark.parametrize(
    ("sample", "shown"),
    [
        ("dollars", "A card for $5 a month costs $60 a year, so $12 buys two months."),
        ("html", '<img src=x onerror="window.trapped = 1"> <a href='),
        ("html", "<iframe src='https://trap.invalid/frame'></iframe>"),
        ("html", "<b>Bold</b> <script>window.trapped = 1</script>"),
        ("markdown", "# A title? **bold** [link](https://trap.invalid/c) ![image]"),
        ("markdown", ":material/delete: :smile: :red[red] https://trap.invalid/e -> done"),
        ("object-question", '{"text": "Is this a question?", "turn": 2}'),
        ("Ünï→図書", "Es sind 40 Plätze. 図書館は十時に開きます。 👍🏽 مرحبا"),
        ("a/b?c=d&e#f %20", "Question · a/b?c=d&e#f %20"),
    ],
)
def test_b61_b62_text_is_shown_character_by_character(
    sample: str, shown: str, store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("traps")

    assert shown in text_of(start("triage", {"sample": sample}))


@pytest.mark.parametrize("page", ["modes", "triage"])
def test_b62_filters_and_links_are_not_rendered(page: str, store_of: StoreOf, start: Start) -> None:
    store_of("traps")
    hostile = ["tag.kind=<i>html</i>", "text=$1 **bold** $2 https://trap.invalid"]

    assert live(start(page, {"f": hostile[:1]})) == []
    assert live(start(page, {"f": hostile})) == []
    assert live(start(page, {"f": ["nonsense $1 <b>*markdown*</b> $2"]})) == []
    assert live(start(page, {"run": "<b>$1 *x* $2</b>"})) == []
    assert live(start("triage", {"sample": "<b>$1 *x* $2</b>"})) == []


def test_b62_names_of_files_and_runs_are_not_rendered_at_import(
    store_of: StoreOf, start: Start
) -> None:
    store_of("empty")
    app = start("runs")
    row = b'{"run": "<b>$1 *x* $2</b>", "question": "q", "answer": "a", "labels": {"*x*": 1}}\n'

    app.file_uploader[0].set_value(("<b>$1 *x* $2<b>.jsonl", row + row[:9], "application/jsonl"))
    app.run()
    assert live(app) == []
    app.checkbox(key="skip_bad_rows").check().run()
    app.button(key="import_file").click().run()

    assert live(app) == []


def test_b63_long_texts_are_cut_with_a_way_to_all_of_them(store_of: StoreOf, start: Start) -> None:
    store_of("traps")

    app = start("triage", {"sample": "long"})

    # Only plain text areas behind a click hold the whole; what is rendered is bounded.
    assert max(len(element.value) for element in app.markdown) < 20_000
    popovers = [block.proto.popover.label for block in app.get("popover")]
    assert "Show all 30\u202f014 characters of the answer" in popovers
    assert "Show all 36\u202f000 characters of context 1" in popovers
    assert any(text.value.endswith("The end of the answer.") for text in app.text)


def test_b66_table_of_runs_has_one_type_per_column(store_of: StoreOf, start: Start) -> None:
    store_of("traps")

    table = start("runs").dataframe[0].value

    assert {column: len(set(map(type, table[column]))) for column in table} == dict.fromkeys(
        table, 1
    )


def test_b63_long_question_is_cut_too(store_of: StoreOf, start: Start) -> None:
    store_of("traps")

    app = start("triage", {"sample": "long"})

    labels = [block.proto.popover.label for block in app.get("popover")]
    assert "Show all 10\u202f000 characters of the question" in labels


def test_verdict_with_a_detail_of_any_shape_opens(
    store_of: StoreOf, start: Start, tmp_path: Path
) -> None:
    details = [7, "text", [1], {"unsupported": [{"text": 1}]}, {"contexts": {"rank": 1}}]
    rows = [
        {
            "sample_id": f"s{place}",
            "question": "q",
            "answer": "a",
            "contexts": ["c"],
            "verdicts": [
                {
                    "metric": metric,
                    "judge": {"kind": "imported", "model": "file"},
                    "status": "value",
                    "value": 1,
                    "detail": detail,
                    "reasoning": "because " * 1_000,
                }
                for metric in ("context_relevance_rubric", "groundedness_rubric")
            ],
        }
        for place, detail in enumerate(details)
    ]
    file = tmp_path / "details.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = import_file(store_of("empty"), file, Options())
    assert report.problems == []
    app = start("triage")

    for _ in rows:
        assert [error.value for error in app.exception] == []
        assert max(len(element.value) for element in app.caption) < 2_500
        if not app.button(key="next").disabled:
            app.button(key="next").click().run()
