"""Agreement: raters of a file side by side, scales that have to be named, judges, every state."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.importing import Options, import_file

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
Jsonl = Callable[..., Path]
Opened = Callable[..., AppTest]

TABLE = "11-1 2232 3333 3333 2222 1234 4444 1121 2222 -555 --11 --3-".split()


def sample(i: int, ratings: dict[str, Any], criterion: str = "quality") -> dict[str, Any]:
    return {
        "run": "rated",
        "sample_id": f"s{i}",
        "question": f"Question {i}?",
        "answer": "An answer.",
        "scores": {"faithfulness": (i % 5) / 5},
        "tags": {"topic": "a" if i < 6 else "b"},
        "human_labels": [
            {"criterion": criterion, "rater": rater, "value": value}
            for rater, value in ratings.items()
        ],
    }


def published() -> list[dict[str, Any]]:
    return [
        sample(i, {f"rater {r}": int(m) for r, m in enumerate(row, 1) if m != "-"})
        for i, row in enumerate(TABLE)
    ]


@pytest.fixture
def opened(store_of: StoreOf, start: Start, jsonl: Jsonl) -> Opened:
    def open_page(*records: dict[str, Any], **parameters: Any) -> AppTest:
        store = store_of("empty")
        assert import_file(store, jsonl(*records, name="rated"), Options()).is_stored
        app = start("agreement", parameters)
        assert [error.value for error in app.exception] == []
        return app

    return open_page


def widget(app: AppTest, kind: str, name: str) -> Any:
    """The widget of a name, which has another number on each visit of a page."""
    (found,) = [one for one in app.get(kind) if str(one.key).rpartition(".")[0] == name]
    return found


def metric(app: AppTest, label: str) -> str:
    (found,) = [one.value for one in app.metric if one.label == label]
    return str(found)


def test_published_table_is_shown_with_its_coefficients(opened: Opened, text_of: TextOf) -> None:
    app = opened(*published(), w="quadratic")

    assert metric(app, "Gwet's AC2 (quadratic)") == "0.91"
    assert metric(app, "Gwet's AC1") == "0.78"
    assert metric(app, "All raters equal") == "73\u202f%"
    text = text_of(app)
    assert "The agreement of 4 raters on quality is excellent: AC2 (quadratic) 0.91" in text
    assert "They are equal on 8 of 11 samples that two or more rated" in text
    assert "assumed, because all ratings are whole numbers from 1 to 5" in text
    assert "words of one published radiology study" in text


def test_samples_on_which_raters_differ_are_opened(opened: Opened) -> None:
    app = opened(*published())
    labels = {one.key: one.label for one in app.button}
    assert labels["open_differ"] == "3 on which raters differ →"
    assert labels["open_equal"] == "8 on which all are equal →"

    app.button(key="open_differ").click().run()

    assert app.session_state["address"].terms == ("raters.quality=differ",)


def test_criteria_stand_side_by_side_and_name_the_one_in_view(opened: Opened) -> None:
    rows = published()
    for i, row in enumerate(rows):
        row["human_labels"].append({"criterion": "safe", "rater": "rater 1", "value": i % 2})
        row["human_labels"].append({"criterion": "words", "rater": "rater 1", "value": "fair"})
    app = opened(*rows)
    (table,) = [one.value for one in app.dataframe if "Criterion" in one.value.columns]
    assert list(table["Criterion"]) == ["quality ●", "safe", "words"]
    assert table["AC1 (95\u202f% interval)"][0] == "0.78 (0.46 to 1.00)"
    assert table["Rated"][0] == "12 samples"
    assert table["Mean (95\u202f% interval)"][1].startswith("0.50 (")
    assert table["In words"][1] == "one rating each"
    # What has no scale has no figure, and says how to get one.
    assert table["Scale"][2] == "not known"
    assert table["In words"][2] == "open it and name its answers"
    assert set(table.iloc[2, 2:-1]) == {"—"}
    assert "quality (4 raters, 12 samples)" in [
        option for one in app.selectbox for option in one.options
    ]


def test_agreement_that_is_low_sends_the_raters_back_to_the_criterion(
    opened: Opened, text_of: TextOf
) -> None:
    # Equal on half of 20: pa = 1/2, both categories as common, so AC1 = 0.
    app = opened(*(sample(i, {"a": i % 2, "b": int(i % 4 > 1)}) for i in range(20)))
    assert "The agreement of 2 raters on quality is low: AC1 0.00" in text_of(app)
    assert "Talk the criterion over before a judge is measured against it" in text_of(app)


def test_weights_and_scale_stand_in_the_address(opened: Opened, text_of: TextOf) -> None:
    app = opened(*published())
    assert not [one for one in app.metric if one.label.startswith("Gwet's AC2")]

    widget(app, "selectbox", "agree_w").select("linear").run()
    widget(app, "text_input", "agree_scale").input("1..7").run()

    assert metric(app, "Gwet's AC2 (linear)") != "0.86"
    assert "Scale 1 to 7, as given" in text_of(app)
    assert dict(app.session_state["address"].options) == {"w": "linear", "scale": "1..7"}


def test_unknown_scale_is_asked_for_and_then_used(opened: Opened, text_of: TextOf) -> None:
    app = opened(*(sample(i, {"a": 0.5 * (i % 3), "b": 1}) for i in range(6)))
    assert "The scale of 'quality' is not known. Its answers: 0, 0.5, 1." in text_of(app)
    assert [one.label for one in app.metric] == []

    widget(app, "text_input", "agree_scale").input("0..1/0.5").run()

    assert metric(app, "Gwet's AC1")


def test_one_rater_has_a_mean_but_no_agreement(opened: Opened, text_of: TextOf) -> None:
    app = opened(*(sample(i, {"ann": i % 2}) for i in range(6)))
    assert "Only one rater (ann) has rated quality" in text_of(app)
    assert metric(app, "Gwet's AC1") == "—"
    assert metric(app, "Mean rating") == "0.50"


def test_run_without_labels_says_so(opened: Opened, text_of: TextOf) -> None:
    rows = [sample(i, {}) for i in range(3)]
    app = opened(*rows)
    assert "No labels in this run" in text_of(app)
    assert "several people's labels of the same samples" in text_of(app)


def test_filter_that_leaves_no_rating_says_so(opened: Opened, text_of: TextOf) -> None:
    app = opened(*published(), f=["text=zebra"])
    assert "No sample matches these filters" in text_of(app)


def test_slices_are_compared_by_the_tag_of_the_address(opened: Opened, text_of: TextOf) -> None:
    app = opened(*published(), by="topic")
    assert "quality by topic" in text_of(app)
    assert "Kruskal–Wallis" in text_of(app)
    assert "over 2 groups" in text_of(app)


def test_judge_is_compared_and_says_that_it_judged_once(opened: Opened, text_of: TextOf) -> None:
    app = opened(*published())
    (table,) = [one.value for one in app.dataframe if "Coefficient" in one.value.columns]
    assert list(table["Coefficient"]) == ["Pearson", "Spearman", "Kendall"]
    assert "groundedness against the people" in text_of(app)
    assert "The judge judged once" in text_of(app)
