"""Which score Calibration and Agreement begin with where nothing is asked for."""

import json
from pathlib import Path

from core.store.connection import Store
from core.workflows.deriving import derive
from core.workflows.importing import Options, import_file
from core.workflows.review import View
from core.workflows.trust_choices import TrustChoices, trust_choices


def choices(store: Store, folder: Path, scores: dict[str, float]) -> TrustChoices:
    path = folder / "run.jsonl"
    rows = [
        {"sample_id": f"s{i}", "question": "Which?", "answer": "red lamp", "reference": "red lamp",
         "scores": scores, "labels": {"faithful": i % 2}}
        for i in range(4)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = import_file(store, path, Options())
    assert report.is_stored, report.problems
    derive(store, report.runs[0].run_id)
    return trust_choices(store, report.runs[0].run_id, View())


def test_a_score_that_somebody_gave_comes_before_what_every_run_has(
    fresh_store: Store, tmp_path: Path
) -> None:
    found = choices(fresh_store, tmp_path, {"zeal": 0.4})
    assert {"answer_words", "exact_match", "refusal", "zeal"} <= {s.metric for s in found.scores}
    chosen = found.score(None)
    assert chosen is not None
    assert chosen.metric == "zeal"


def test_a_length_judges_nothing(fresh_store: Store, tmp_path: Path) -> None:
    chosen = choices(fresh_store, tmp_path, {}).score(None)
    assert chosen is not None
    assert chosen.metric not in ("answer_words", "refusal")


def test_groundedness_comes_first_of_all(fresh_store: Store, tmp_path: Path) -> None:
    chosen = choices(fresh_store, tmp_path, {"zeal": 0.4, "faithfulness": 0.9}).score(None)
    assert chosen is not None
    assert chosen.name == "groundedness"
