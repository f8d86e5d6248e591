"""The key ``claims`` of the neutral format, and the states of the scores that it gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.metrics.claim_sets import AD, AG, GD, ClaimSet, Entailment, score_states, useful_states
from core.store.connection import Store
from core.workflows import exporting, review
from core.workflows.importing import Options, import_file

Y, N = Entailment.ENTAILED, Entailment.NEUTRAL
CLAIMS = {
    "answer": ["It is red.", "It flies."],
    "reference": ["It is red."],
    "answer_by_reference": ["entailed", False],
    "reference_by_answer": [True],
    "answer_by_context": [["entailed", "neutral"], ["contradicted", None]],
    "reference_by_context": [["neutral", "entailed"]],
}


def row(claims: Any, **more: Any) -> dict[str, Any]:
    contexts = [{"doc_id": "a", "text": "Red."}, {"doc_id": "b", "text": "Blue."}]
    answer = "It is red. It flies."
    return {
        "sample_id": "1", "question": "What?", "answer": answer, "contexts": contexts,
        "claims": claims, **more,
    }  # fmt: skip


def written(tmp_path: Path, *rows: dict[str, Any], name: str = "claims.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def exported(store: Store, run: str) -> list[dict[str, Any]]:
    return list(exporting.records(store, run, review.View()))


def test_only_contexts_were_looked_at_so_the_rest_is_not_scored() -> None:
    found = ClaimSet(answer=("a", "b"), answer_by_context=((Y,), (N,)))
    states = score_states(found, 1)
    assert {name: state.value for name, state in states.items()} == {"faithfulness": 0.5}


@pytest.mark.parametrize(
    ("found", "n_contexts", "name", "cause"),
    [
        (ClaimSet(answer=(), answer_by_context=()), 1, "faithfulness", "no_claims"),
        (ClaimSet(answer=("a",), answer_by_context=((),)), 0, "faithfulness", "no_contexts"),
        (
            ClaimSet(answer=("a",), answer_by_context=((),)),
            None,
            "faithfulness",
            "contexts_not_recorded",
        ),
        (
            ClaimSet(answer=("a",), answer_by_context=((),)),
            2,
            "faithfulness",
            "absent_in_file",
        ),
        (
            ClaimSet(reference=("a",), reference_by_context=((),)),
            0,
            "context_precision_chunks",
            "no_contexts",
        ),
        (ClaimSet(answer=("a",), answer_by_reference=(None,)), 1, "precision", "absent_in_file"),
    ],
)
def test_an_undefined_score_says_why(
    found: ClaimSet, n_contexts: int | None, name: str, cause: str
) -> None:
    state = score_states(found, n_contexts)[name]
    assert (state.value, state.cause) == (None, cause)


def test_one_claim_is_enough_for_a_useful_context_and_a_gap_for_none() -> None:
    found = ClaimSet(reference=("a", "b"), reference_by_context=((Y, None, N), (None, N, N)))
    states = useful_states(found, 3)
    assert [state.value for state in states] == [1.0, None, 0.0]
    assert states[1].cause == "absent_in_file"


def test_claims_come_back_from_an_export_as_they_were(tmp_path: Path, fresh_store: Store) -> None:
    import_file(fresh_store, written(tmp_path, row(CLAIMS)))
    (first,) = exported(fresh_store, "claims")
    assert first["claims"] == {
        **CLAIMS,
        "answer_by_reference": ["entailed", "not_entailed"],
        "reference_by_answer": ["entailed"],
    }
    for ending in (".jsonl", ".csv", ".parquet"):
        path = tmp_path / f"again{ending}"
        exporting.export(fresh_store, "claims", review.View(), path)
        report = import_file(fresh_store, path, Options(run_name=f"again{ending}"))
        assert report.is_stored
        (second,) = exported(fresh_store, f"again{ending}")
        assert second["claims"] == first["claims"]
        assert second["verdicts"] == first["verdicts"]
        assert second["scores"] == first["scores"]
        assert not report.notices


def test_faithfulness_names_the_claims_that_no_context_has(
    tmp_path: Path, fresh_store: Store
) -> None:
    claims = {**CLAIMS, AD: [["entailed", "neutral"], ["neutral", "contradicted"]]}
    import_file(fresh_store, written(tmp_path, row(claims)))
    (found,) = exported(fresh_store, "claims")
    (verdict,) = [one for one in found["verdicts"] if one["metric"] == "faithfulness"]
    assert verdict["reasoning"] == "1 of 2 claims are in a context."
    assert verdict["detail"] == {"unsupported_claims": ["It flies."]}


def test_contexts_out_of_order_take_their_verdicts_along(
    tmp_path: Path, fresh_store: Store
) -> None:
    contexts = [{"text": "Red.", "rank": 2}, {"text": "Blue.", "rank": 1}]
    import_file(fresh_store, written(tmp_path, row(CLAIMS, contexts=contexts)))
    (found,) = exported(fresh_store, "claims")
    assert [one["text"] for one in found["contexts"]] == ["Blue.", "Red."]
    assert found["claims"][AD] == [["neutral", "entailed"], [None, "contradicted"]]
    assert found["claims"][GD] == [["entailed", "neutral"]]
    useful = {v["context_rank"]: v["value"] for v in found["verdicts"] if "context_rank" in v}
    assert useful == {1: 1.0, 2: 0.0}


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({**CLAIMS, AG: ["entailed"]}, "has 1 entries, and claims.answer has 2 claims"),
        ({**CLAIMS, AG: ["entailed", "maybe"]}, 'claims.answer_by_reference[1] is "maybe"; write'),
        ({**CLAIMS, AD: [["neutral"] * 3, []]}, "about 3 contexts, and the sample has 2"),
        ({**CLAIMS, AD: ["neutral", "neutral"]}, "one list per claim"),
        ({AD: [["neutral"]]}, "needs the texts of its claims in claims.answer"),
        ({"answers": ["a"]}, "has the key 'answers'; known are answer, reference"),
        ({"answer": [1]}, "must be a list of texts"),
    ],
)
def test_claims_that_do_not_fit_are_refused_by_row_with_the_way_out(
    tmp_path: Path, fresh_store: Store, claims: Any, told: str
) -> None:
    good = {**row(None), "sample_id": "0"}
    report = import_file(fresh_store, written(tmp_path, good, row(claims)))
    assert not report.is_stored
    (problem,) = report.problems
    assert problem.row == 2
    assert told in problem.problem


def test_a_list_called_claims_is_somebody_elses_and_stays_extra(
    tmp_path: Path, fresh_store: Store
) -> None:
    report = import_file(fresh_store, written(tmp_path, row(["It is red."])))
    assert report.is_stored
    assert [notice.n for notice in report.notices if "kept as extra" in notice.notice] == [1]
    (found,) = exported(fresh_store, "claims")
    assert found["extra"] == {"claims": ["It is red."]}


def test_claims_of_a_deleted_run_and_of_left_out_rows_are_gone(
    tmp_path: Path, fresh_store: Store
) -> None:
    bad = {**row({"answer": [1]}), "sample_id": "2"}
    path = written(tmp_path, row(CLAIMS), {**row(CLAIMS), "sample_id": "1"}, bad)
    report = import_file(fresh_store, path, Options(skip_bad_rows=True))
    assert report.is_stored
    with fresh_store.reading() as connection:
        assert connection.execute("select count(*) from claim_set").fetchall() == [(1,)]
    from core.store import writes

    with fresh_store.writing() as connection:
        writes.delete_run(connection, report.runs[0].run_id)
    with fresh_store.reading() as connection:
        assert connection.execute("select count(*) from claim_set").fetchall() == [(0,)]
