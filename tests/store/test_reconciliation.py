"""B69: the figures of a run are those that anybody counts who has only its export and the rules.

Nothing here uses the code that made the figures: the rules are written down a second time.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.store import queries
from core.store.connection import Store
from core.workflows.diagnosing import diagnose
from core.workflows.exporting import export
from core.workflows.importing import import_file
from core.workflows.judging import Request, judge_run
from core.workflows.review import View

Level = int | None
# Context relevance, groundedness, answer relevance: 1 high, 0 low.
TRIAD = {
    (1, 1, 1): "success",
    (1, 1, 0): "off_target_answer",
    (1, 0, 1): "hallucination",
    (1, 0, 0): "generation_breakdown",
    (0, 1, 1): "score_conflict",
    (0, 1, 0): "retrieval_failure",
    (0, 0, 0): "pipeline_failure",
}
# Low, low, high splits by correctness.
LUCKY = {1: "lucky_guess", 0: "confabulation", None: "ungrounded_answer"}
AXES = ("context_relevance", "groundedness", "answer_relevance")
CORRECTNESS_CUT = 0.73  # of lexical-v1, see Definitions


def level(score: float | None, cut: float | None) -> Level:
    return None if score is None or cut is None else int(score >= cut)


def is_same_list(record: Mapping[str, Any]) -> bool:
    return any(
        verdict["metric"] == "list_component_f1" and (verdict.get("detail") or {}).get("settles")
        for verdict in record.get("verdicts", ())
    )


def mode_of(
    record: Mapping[str, Any], axes: Mapping[str, Any], has_contexts: bool
) -> dict[str, Any]:
    scores, labels = record["scores"], record["labels"]
    levels = [level(scores.get(axes[axis]["metric"]), axes[axis]["cut"]) for axis in AXES]
    if levels[0] is None and has_contexts and record["contexts"] == []:
        levels[0] = 0
    refused = labels.get("refused", scores.get("refusal"))
    correct = labels.get("correct", scores.get("choice_match"))
    if correct is None and (scores.get("exact_match") == 1 or is_same_list(record)):
        correct = 1
    if correct is None:
        correct = level(scores.get("correctness"), CORRECTNESS_CUT)
    answerable = labels.get("answerable")
    relevance = levels[0]
    flags = set()
    if refused == 1:
        if relevance == 0 or answerable == 0:
            mode = "correct_refusal"
        elif relevance == 1 or answerable == 1:
            mode = "over_refusal"
        else:
            mode = "refusal_unverified"
        if mode == "correct_refusal" and relevance == 0 and answerable == 1:
            flags.add("retrieval_gap")
    else:
        if refused == 0 and answerable == 0:
            flags.add("missed_refusal")
        if None in levels:
            mode = "undetermined"
        elif levels == [0, 0, 1]:
            mode = LUCKY[correct]
        else:
            mode = TRIAD[levels[0], levels[1], levels[2]]  # type: ignore[index]
    outcome = "refused" if refused == 1 else {1: "correct", 0: "incorrect"}.get(correct)
    return {"mode": mode, "flags": flags, "outcome": outcome}


def recount(records: Sequence[Mapping[str, Any]], axes: Mapping[str, Any]) -> dict[str, Any]:
    has_contexts = any(record["contexts"] for record in records)
    found = [mode_of(record, axes, has_contexts) for record in records]
    modes = Counter(row["mode"] for row in found)
    open_ = modes["undetermined"] + modes["refusal_unverified"]
    passed = modes["success"] + modes["correct_refusal"]
    return {
        "modes": modes,
        "flags": Counter(flag for row in found for flag in row["flags"]),
        "outcomes": Counter(row["outcome"] for row in found if row["outcome"]),
        "pass": passed,
        "open": open_,
        "fail": len(found) - passed - open_,
        "by_id": {r["sample_id"]: row["mode"] for r, row in zip(records, found, strict=True)},
    }


def reconcile(store: Store, run_id: str, tmp_path: Path) -> None:
    shown = diagnose(store, run_id, View(), samples=True)
    export(store, run_id, View(), tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    records = [json.loads(line) for line in lines]

    counted = recount(records, shown["axes"])

    assert {mode: n for mode, n in {**shown["triad"], **shown["refusals"]}.items() if n} == dict(
        counted["modes"]
    )
    for flag in ("missed_refusal", "retrieval_gap"):
        assert shown["flags"][flag] == counted["flags"][flag]
    head = shown["headline"]
    assert (head["pass"], head["fail"], head["open"]) == (
        counted["pass"], counted["fail"], counted["open"],
    )  # fmt: skip
    for outcome in ("correct", "incorrect", "refused"):
        assert head[outcome] == counted["outcomes"][outcome]
    decided = counted["pass"] + counted["fail"]
    assert head["pass_rate"]["n"] == decided
    if decided:
        assert head["pass_rate"]["value"] == counted["pass"] / decided
    assert {row["sample_id"]: row["mode"] for row in shown["samples"]} == counted["by_id"]
    assert [record["run_info"]["name"] for record in records[:1]] == [shown["name"]]


def test_figures_of_the_demo_are_those_of_its_export(demo_store: Store, tmp_path: Path) -> None:
    with demo_store.reading() as connection:
        runs = [run.run_id for run in queries.runs(connection)]
    assert len(runs) == 2
    for run_id in runs:
        reconcile(demo_store, run_id, tmp_path)


@pytest.mark.parametrize(
    ("file", "run"),
    [
        ("mtrag_human", "mtrag-llama-3.1-405b-instruct"),
        ("xquad_de_bm25", "xquad-de-bm25-window3"),
        ("delucionqa", "delucionqa-ensemble"),
    ],
)
def test_figures_of_a_real_run_are_those_of_its_export(
    file: str, run: str, data_dir: Path, fresh_store: Store, tmp_path: Path
) -> None:
    report = import_file(fresh_store, data_dir / f"{file}.jsonl")
    run_id = next(found.run_id for found in report.runs if found.name == run)
    reconcile(fresh_store, run_id, tmp_path)

    judge_run(fresh_store, run_id, Request())

    reconcile(fresh_store, run_id, tmp_path)
