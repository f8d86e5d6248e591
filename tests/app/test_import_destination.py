"""An upload becomes a run, more samples of one, or scores for the samples of one."""

import json
from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.importing import import_file
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
SAMPLES = [
    {"run": "base", "sample_id": "a", "question": "What is x?", "answer": "x is 1"},
    {"run": "base", "sample_id": "b", "question": "What is y?", "answer": "y is 2"},
]


def with_run(store: Store, folder: Any) -> str:
    path = folder / "base.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in SAMPLES))
    return import_file(store, path).runs[0].run_id


def upload(app: AppTest, name: str, content: str) -> AppTest:
    app.file_uploader[0].set_value((name, content.encode(), "text/plain"))
    return app.run()


def box(app: AppTest, label: str) -> Any:
    return next(one for one in app.selectbox if one.label == label)


def kind(app: AppTest) -> Any:
    return next(one for one in app.button_group if one.label == "Take it in as")


def rows(store: Store, statement: str) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(statement).fetchall()


VERDICTS = (
    "select sample_id, metric, value from verdict join sample using (run_id, position) "
    "join judge using (judge_id) where kind = 'imported' order by verdict_no"
)


def test_a_table_of_scores_is_joined_and_says_how_many_rows_match(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Any
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path)
    app = upload(start("runs"), "s.csv", "question,my_score\nWhat is y?,0.25\nWhat is q?,1\n")

    # Only scores: that is what they are taken for, and the run has to be named.
    assert kind(app).value == "join"
    assert not [one for one in app.button if one.label == "Import"]
    box(app, "Run").select(run_id).run()
    assert not app.exception
    text = text_of(app)
    assert "A sample was found for 1 of 2 rows (50\u202f%) in base, by the question" in text
    assert "row 2: The run has no sample with the question 'What is q?'." in text
    found = next(one.value for one in app.dataframe if "Score or label" in one.value.columns)
    assert found.to_numpy().tolist() == [["my_score", "1 of 1", "0", "0"]]
    button = app.button(key="import_file")
    assert button.disabled
    assert rows(store, VERDICTS) == []

    app.checkbox(key="skip_bad_rows").check().run()
    app.button(key="import_file").click().run()
    assert not app.exception
    assert rows(store, VERDICTS) == [("b", "my_score", 0.25)]
    assert "Imported: scores of 1 sample of base" in text_of(app)


def test_a_file_that_matches_nothing_cannot_be_joined(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Any
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path)
    app = upload(start("runs"), "s.csv", "sample_id,question,my_score\n7,What is y?,0.25\n")
    box(app, "Run").select(run_id).run()
    assert "found for 0 of 1 row (0\u202f%)" in text_of(app)
    assert app.checkbox(key="skip_bad_rows").disabled
    assert app.button(key="import_file").disabled

    # Ids that mean nothing here, but the questions are the same.
    box(app, "Rows find their sample by").select("question").run()
    assert "found for 1 of 1 row (100\u202f%)" in text_of(app)
    app.button(key="import_file").click().run()
    assert rows(store, VERDICTS) == [("b", "my_score", 0.25)]


def test_scores_of_a_known_format_can_be_joined_too(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Any
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path)
    content = "user_input,response,faithfulness\nWhat is x?,x is 1,0.5\nWhat is y?,y is 2,1\n"
    app = upload(start("runs"), "ragas.csv", content)
    assert kind(app).value == "new"
    kind(app).set_value("join").run()
    box(app, "Run").select(run_id).run()
    assert "found for 2 of 2 rows (100\u202f%)" in text_of(app)
    app.button(key="import_file").click().run()
    assert not app.exception
    assert rows(store, VERDICTS) == [("a", "faithfulness", 0.5), ("b", "faithfulness", 1.0)]
    assert [row.run.run_id for row in run_list(store)] == [run_id]


def test_a_run_takes_more_samples(
    store_of: StoreOf, start: Start, text_of: TextOf, tmp_path: Any
) -> None:
    store = store_of("empty")
    run_id = with_run(store, tmp_path)
    more = json.dumps({"sample_id": "c", "question": "What is z?", "answer": "z is 3"})
    app = upload(start("runs"), "more.jsonl", more)
    kind(app).set_value("append").run()
    box(app, "Run").select(run_id).run()
    assert "1 sample" in text_of(app)
    app.button(key="import_file").click().run()
    assert not app.exception
    assert [(row.run.run_id, row.run.n_samples) for row in run_list(store)] == [(run_id, 3)]


def test_the_first_file_of_a_store_can_only_be_a_run(store_of: StoreOf, start: Start) -> None:
    store_of("empty")
    app = upload(start("runs"), "base.jsonl", json.dumps(SAMPLES[0]))
    assert not [one for one in app.button_group if one.label == "Take it in as"]
    assert not app.button(key="import_file").disabled
