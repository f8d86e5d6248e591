"""What the page says about a file before it is stored: states, scale and direction per score."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.listing import run_list
from dashboard.components import import_panel

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"

JUDGE = {"kind": "imported", "model": "file"}
NONE = {"metric": "faithfulness", "judge": JUDGE, "status": "not_applicable", "cause": "no_claims"}
ROWS: list[dict[str, Any]] = [
    {"scores": {"faithfulness": 1, "toxicity": 0.25, "groundedness": None, "bleu": 33.5}},
    {"scores": {"faithfulness": 0.5, "toxicity": "?", "groundedness": None, "bleu": 12}},
    {"scores": {"faithfulness": None, "toxicity": None}},
    {"verdicts": [NONE]},
    {},
]


def preview_of(app: AppTest, name: str, content: str) -> AppTest:
    app.file_uploader[0].set_value((name, content.encode(), "text/plain"))
    return app.run()


def scores(app: AppTest) -> dict[str, dict[str, Any]]:
    return {row["Score"]: row for row in app.dataframe[0].value.to_dict("records")}


def test_each_score_shows_its_states_its_scale_and_its_direction(
    store_of: StoreOf, start: Start
) -> None:
    store_of("empty")
    lines = [
        json.dumps({"sample_id": str(n), "question": f"q{n}?", "answer": "a", **row})
        for n, row in enumerate(ROWS)
    ]
    found = scores(preview_of(start("runs"), "states.jsonl", "\n".join(lines)))

    states = ("Values", "Not applicable", "Errors", "Not scored")
    shown = {name: tuple(row[state] for state in states) for name, row in found.items()}
    # Of 5 samples; every row adds up to them.
    assert shown == {
        "faithfulness": (2, 1, 1, 1),
        "toxicity": (1, 0, 2, 2),
        "groundedness": (0, 0, 2, 3),
        "bleu": (2, 0, 0, 3),
    }
    assert {name: (row["Range"], row["Scale"], row["Better"]) for name, row in found.items()} == {
        "faithfulness": ("0.50 to 1.00", "0 to 1", "higher is better"),
        "toxicity": ("0.25 to 0.25", "0 to 1", "lower is better"),
        # An axis is on another scale in every file, and here nothing tells which.
        "groundedness": ("—", "no value yet", "higher is better"),
        "bleu": ("12.00 to 33.50", "unknown", "higher is better"),
    }


def test_a_ragas_score_that_failed_in_every_row_has_its_scale(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store_of("empty")
    content = "user_input,response,faithfulness,answer_correctness,note\n?,a,1,,x\n!,b,0,,y\n"
    app = preview_of(start("runs"), "results.csv", content)
    row = scores(app)["answer_correctness"]
    assert (row["Values"], row["Errors"], row["Scale"]) == (0, 2, "0 to 1")
    text = text_of(app)
    assert "Columns: user_input = question, response = answer, faithfulness = metric" in text
    assert "Kept as extra: note" in text


@pytest.mark.parametrize("name", ["azure_chat_evaluator.jsonl", "halubench_chunks.csv"])
def test_a_saved_map_that_is_loaded_on_the_page_is_what_is_imported(
    store_of: StoreOf, start: Start, name: str
) -> None:
    store = store_of("empty")
    app = preview_of(start("runs"), name, (GOLDEN / "mapped" / name).read_text("utf-8"))
    text = (GOLDEN / "maps" / f"{Path(name).stem}.toml").read_bytes()
    app.file_uploader[1].set_value(("saved.map.toml", text, "application/toml"))
    app.run()
    assert [error.value for error in app.exception] == []
    app.button(key="import_file").click().run()
    (row,) = run_list(store)
    assert row.run.n_samples == {"azure_chat_evaluator.jsonl": 3, "halubench_chunks.csv": 2}[name]
    with store.reading() as connection:
        (count,) = connection.execute("select count(*) from context").fetchall()[0]
    assert count == {"azure_chat_evaluator.jsonl": 3, "halubench_chunks.csv": 5}[name]


def test_the_page_takes_files_up_to_what_the_server_lets_through() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["maxUploadSize"] * 1024**2 == import_panel._MAX_UPLOAD == 524_288_000
