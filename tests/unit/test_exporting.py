"""What an export says, beyond that it imports to an equal run (tests/property)."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError, NotFoundError
from core.filters import from_terms
from core.model import JudgeKind, JudgeSpec, Status, Verdict
from core.store import queries, writes
from core.store.connection import Store
from core.store.judges import FILE_JUDGE, judge_id
from core.workflows.exporting import export, records, snapshot
from core.workflows.importing import import_file
from core.workflows.review import View

Writer = Callable[..., Path]
LLM = JudgeSpec(JudgeKind.LLM, "m-1", prompt_id="g-1", prompt_sha256="a" * 64)


def sample(number: int, **more: Any) -> dict[str, Any]:
    return {
        "run": "r", "sample_id": f"s{number}", "question": f"q{number}", "answer": f"a{number}",
        **more,
    }  # fmt: skip


def append(store: Store, *verdicts: Verdict, judge: JudgeSpec = LLM) -> None:
    with store.writing() as connection:
        run = queries.find_run(connection, "r")
        writes.append_verdicts(connection, run.run_id, judge, verdicts)


def test_plain_scores_labels_and_tags_stand_where_the_format_has_them(
    fresh_store: Store, jsonl: Writer
) -> None:
    record = sample(
        1, reference="ref", contexts=[{"doc_id": "d", "text": "t", "rank": 1, "score": 0.5}],
        gold_doc_ids=["d"], scores={"m": 0.25}, labels={"correct": 1.0}, tags={"t": "x"},
    )  # fmt: skip
    import_file(fresh_store, jsonl(record))

    (found,) = records(fresh_store, "r", View())

    # The refusal by pattern is a verdict of ours, and its value the current one.
    assert [v["metric"] for v in found.pop("verdicts")] == ["refusal"]
    assert found.pop("scores") == {"m": 0.25, "refusal": 0.0}
    info = found.pop("run_info")
    assert found == {key: value for key, value in record.items() if key != "scores"}
    assert info["name"] == "r"
    assert info["metrics"]["m"] == {"lo": 0.0, "hi": 1.0, "direction": "higher", "cut": None}


def test_scores_hold_the_value_of_the_selected_judge(fresh_store: Store, jsonl: Writer) -> None:
    """The file says 2, the model 5: by default a complete model goes before a file."""
    import_file(fresh_store, jsonl(sample(1, scores={"groundedness_rubric": 2})))
    append(fresh_store, Verdict(0, "groundedness_rubric", Status.VALUE, 5.0))
    axis = "groundedness"

    def score() -> float:
        (found,) = records(fresh_store, "r", View())
        return float(found["scores"]["groundedness_rubric"])

    assert score() == 5.0
    with fresh_store.writing() as connection:
        run = queries.find_run(connection, "r")
        writes.set_choice(connection, run.run_id, axis, "groundedness_rubric", judge_id(FILE_JUDGE))
    assert score() == 2.0


def test_b09_b14_missing_score_is_absent_and_its_error_a_verdict(
    fresh_store: Store, jsonl: Writer
) -> None:
    # json.dumps writes NaN, as the tools do that files come from.
    nan = sample(2, scores={"m": float("nan")})
    import_file(fresh_store, jsonl(sample(1, scores={"m": 0}), nan))

    first, second = records(fresh_store, "r", View())

    assert first["scores"]["m"] == 0.0
    assert "m" not in second["scores"]
    (verdict,) = [v for v in second["verdicts"] if v["metric"] == "m"]
    assert (verdict["status"], verdict["cause"], verdict["raw"]) == (
        "error", "absent_in_file", "nan",
    )  # fmt: skip
    assert "value" not in verdict


def test_labels_of_people_are_told_apart_from_those_of_the_file(
    fresh_store: Store, jsonl: Writer
) -> None:
    import_file(fresh_store, jsonl(sample(1, labels={"correct": 0})))
    with fresh_store.writing() as connection:
        run = queries.find_run(connection, "r")
        writes.append_label(
            connection, run.run_id, "s1", 0, criterion="correct", rater="me", value=1.0,
            note="the file is wrong", tags=["typo"], is_blind=True,
        )  # fmt: skip
        writes.append_label(
            connection, run.run_id, "s1", 0, criterion="correct", rater="you", value=1.0
        )

    (found,) = records(fresh_store, "r", View())

    assert found["labels"] == {"correct": 0.0}
    label, other = found["human_labels"]
    assert (other["rater"], other["value"]) == ("you", 1.0)
    assert label.pop("labelled_at").endswith("Z")
    assert label == {
        "criterion": "correct", "rater": "me", "value": 1.0, "note": "the file is wrong",
        "tags": ["typo"], "blind": True,
    }  # fmt: skip


def test_newest_of_two_unfinished_judges_is_still_the_newest_after_import(
    fresh_store: Store, demo_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    """The first judged samples 1 and 2, then the second only 1; in the file 2 stands last."""
    second = replace(LLM, prompt_sha256="b" * 64)
    import_file(fresh_store, jsonl(sample(1), sample(2), sample(3)))
    metric = "groundedness_rubric"
    append(fresh_store, *(Verdict(n, metric, Status.VALUE, 2.0) for n in (0, 1)))
    append(fresh_store, Verdict(0, metric, Status.VALUE, 5.0), judge=second)

    export(fresh_store, "r", View(), tmp_path / "out.jsonl")
    import_file(demo_store, tmp_path / "out.jsonl")

    for store in (fresh_store, demo_store):
        assert [found["scores"].get(metric) for found in records(store, "r", View())] == [
            5.0, None, None,
        ]  # fmt: skip


def test_filter_keeps_a_part_and_its_first_sample_describes_the_run(demo_store: Store) -> None:
    with demo_store.reading() as connection:
        run_id = queries.runs(connection)[0].run_id
    everything = list(records(demo_store, run_id, View()))

    part = list(records(demo_store, run_id, View(wanted=from_terms(["mode=hallucination"]))))

    assert 0 < len(part) < len(everything)
    assert ["run_info" in record for record in part] == [True] + [False] * (len(part) - 1)
    ids = [record["sample_id"] for record in part]
    assert ids == [record["sample_id"] for record in everything if record["sample_id"] in ids]


def test_export_shows_one_moment(fresh_store: Store, jsonl: Writer) -> None:
    """What is judged or labelled while it is written belongs to the next export."""
    import_file(fresh_store, jsonl(sample(1)))
    before = list(records(fresh_store, "r", View()))
    found = snapshot(fresh_store, "r", View())

    append(fresh_store, Verdict(0, "groundedness_rubric", Status.VALUE, 5.0))
    with fresh_store.writing() as connection:
        run = queries.find_run(connection, "r")
        writes.append_label(
            connection, run.run_id, "s1", 0, criterion="correct", rater="me", value=1.0
        )

    assert list(found.records()) == before
    assert list(records(fresh_store, "r", View())) != before


def test_run_that_is_deleted_while_it_is_exported_is_named(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    import_file(fresh_store, jsonl(sample(1)))
    found = snapshot(fresh_store, "r", View())
    with fresh_store.writing() as connection:
        writes.delete_run(connection, found.run.run_id)

    with pytest.raises(NotFoundError, match="'r' was deleted while it was exported"):
        list(found.records())


# --- tables ---------------------------------------------------------------------------------------


def test_b74_no_cell_of_a_csv_begins_like_a_formula(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    formulas = ["=1+1", "+49 30", "-x", "@a", "\t=1", "\r=1", "'=1"]
    import_file(
        fresh_store,
        jsonl(*[
            sample(i, question=text, answer=text, reference=text, tags={"=t": text},
                   labels={"tone": text}, error=text)
            for i, text in enumerate(formulas)
        ]),
    )  # fmt: skip

    export(fresh_store, "r", View(), tmp_path / "out.csv")

    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as handle:
        cells = [cell for row in csv.reader(handle) for cell in row]
    assert [cell for cell in cells if cell[:1] in tuple("=+@\t\r") or cell[:2] == "-x"] == []
    assert "'=1+1" in cells


def test_parquet_holds_scores_as_numbers_and_texts_as_texts(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    import_file(fresh_store, jsonl(sample(1, scores={"m": 1}, answer="NA", latency=2)))

    export(fresh_store, "r", View(), tmp_path / "out.parquet")

    (row,) = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert (row["score.m"], row["answer"], row["latency"], row["contexts"]) == (
        1.0, "NA", 2.0, None,
    )  # fmt: skip


def test_half_written_file_never_stands_in_the_place_of_the_whole(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    import_file(fresh_store, jsonl(sample(1)))
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "out.csv").mkdir()

    with pytest.raises(BadInputError, match="could not be written"):
        export(fresh_store, "r", View(), folder / "out.csv")

    assert [path.name for path in folder.iterdir()] == ["out.csv"]


def test_one_record_a_line_whatever_the_texts_hold(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    import_file(fresh_store, jsonl(sample(1, answer="a\nb\r\nc\u2028d")))

    export(fresh_store, "r", View(), tmp_path / "out.jsonl")

    content = (tmp_path / "out.jsonl").read_bytes()
    assert content.count(b"\n") == 1
    assert json.loads(content)["answer"] == "a\nb\r\nc\u2028d"
