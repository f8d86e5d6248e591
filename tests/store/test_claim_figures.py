"""Claim figures of a run: from files through the store, under filters, and with their links."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.filters import from_terms
from core.store.connection import Store
from core.workflows.claim_figures import claim_figures
from core.workflows.diagnosing import diagnose
from core.workflows.importing import Options, import_file
from core.workflows.review import View
from core.workflows.sample_claims import claim_tables
from core.workflows.sample_views import sample_ids, sample_view
from core.workflows.wording import diagnosis_lines

CLAIMS = Path(__file__).parents[1] / "app" / "runs" / "claims.jsonl"
# METRICS 4.3, in per cent as printed there.
PUBLISHED = {
    "precision": 76.4,
    "recall": 62.5,
    "f1": 68.3,
    "claim_recall": 61.4,
    "context_precision_chunks": 87.5,
    "context_utilization": 87.5,
    "noise_sensitivity_rel": 19.1,
    "noise_sensitivity_irr": 0.0,
    "hallucination": 4.5,
    "self_knowledge": 27.3,
    "faithfulness": 68.2,
}
WORDS = {"entailed": "Entailment", "neutral": "Neutral", "contradicted": "Contradiction"}


@pytest.fixture
def store(fresh_store: Store) -> Store:
    assert import_file(fresh_store, CLAIMS).is_stored
    return fresh_store


def in_per_cent(scores: dict[str, Any]) -> dict[str, float]:
    return {name: round(100 * rate["value"], 1) for name, rate in scores.items()}


def without_ours(scores: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in scores.items() if name != "supported_precision"}


def as_ragchecker(tmp_path: Path) -> Path:
    """The labelled samples as a file of RAGChecker, with the means that it prints."""

    def words(found: Any) -> Any:
        return [words(one) for one in found] if isinstance(found, list) else WORDS[found]

    rows = [json.loads(line) for line in CLAIMS.read_text(encoding="utf-8").splitlines()]
    items = [
        {
            "query_id": row["sample_id"],
            "query": row["question"],
            "gt_answer": row["reference"],
            "response": row["answer"],
            "retrieved_context": row["contexts"],
            "response_claims": [["it", "is", claim] for claim in row["claims"]["answer"]],
            "gt_answer_claims": row["claims"]["reference"],
            "answer2response": words(row["claims"]["answer_by_reference"]),
            "response2answer": words(row["claims"]["reference_by_answer"]),
            "retrieved2response": words(row["claims"]["answer_by_context"]),
            "retrieved2answer": words(row["claims"]["reference_by_context"]),
        }
        for row in rows
        if "claims" in row
    ]
    names = {"context_precision_chunks": "context_precision"}
    means = {names.get(name, name): value for name, value in PUBLISHED.items()}
    path = tmp_path / "checked.json"
    path.write_text(json.dumps({"results": items, "metrics": {"overall": means}}), encoding="utf-8")
    return path


def test_published_example_to_the_printed_digit_from_the_neutral_format(store: Store) -> None:
    found = diagnose(store, "claims", View())["claims"]
    assert without_ours(in_per_cent(found["labelled"]["scores"])) == PUBLISHED
    assert {rate["n"] for rate in found["labelled"]["scores"].values()} == {2}
    assert found["n"] == 3


def test_published_example_to_the_printed_digit_from_a_file_of_ragchecker(
    tmp_path: Path, fresh_store: Store
) -> None:
    report = import_file(fresh_store, as_ragchecker(tmp_path))
    assert report.is_stored
    found = diagnose(fresh_store, "checked", View())["claims"]["labelled"]
    assert without_ours(in_per_cent(found["scores"])) == PUBLISHED


def test_the_published_file_gives_the_means_that_it_prints(
    samples_dir: Path, fresh_store: Store
) -> None:
    (path,) = (samples_dir / "ragchecker").iterdir()
    assert import_file(fresh_store, path).is_stored
    found = diagnose(fresh_store, path.stem, View())["claims"]["labelled"]
    assert without_ours(in_per_cent(found["scores"])) == PUBLISHED


def test_claims_are_counted_by_kind_and_each_count_opens_its_samples(store: Store) -> None:
    found = claim_figures(store, "claims", View()).labelled
    assert found is not None
    # s0: 2 right in a context, 6 right in none, 2 wrong from relevant ones, 1 from none; s1: 4 and
    # 1 wrong from a relevant one
    assert {one.kind: (one.n_claims, one.n_samples) for one in found.kinds} == {
        "right_supported": (6, 2),
        "wrong_relevant": (3, 2),
        "wrong_irrelevant": (0, 0),
        "wrong_unsupported": (1, 1),
        "right_unsupported": (6, 1),
    }
    assert (found.n_claims, found.n_open) == (16, 0)
    for one in found.kinds:
        assert one.term is not None
        ids = sample_ids(store, "claims", View(wanted=from_terms([one.term])))
        assert len(ids) == one.n_samples, one.kind


def test_what_a_model_found_stands_apart_with_undecided_claims_of_their_own(store: Store) -> None:
    found = claim_figures(store, "claims", View()).judged
    assert found is not None
    assert found.model == "stub/reader"
    counted = {one.kind: (one.n_claims, one.n_samples) for one in found.kinds}
    assert counted == {"supported": (1, 1), "contradicted": (1, 1), "not_found": (1, 1)}
    assert found.contradicted.value == pytest.approx(1 / 3)
    assert found.not_found.value == pytest.approx(1 / 3)
    rates = {one.spec.id: one.rate.value for one in found.scores}
    assert rates == {
        "faithfulness": pytest.approx(1 / 3),
        "faithfulness_contradiction": pytest.approx(2 / 3),
        "context_recall": 1.0,
    }
    for one in found.kinds:
        if one.term is not None:
            ids = sample_ids(store, "claims", View(wanted=from_terms([one.term])))
            assert ids == ("s2",)


def test_faithfulness_alone_is_enough_to_tell_undecided_from_contradicted(
    store: Store, tmp_path: Path
) -> None:
    row = json.loads(CLAIMS.read_text(encoding="utf-8").splitlines()[2])
    row = {**row, "run": "alone", "verdicts": row["verdicts"][:1]}
    path = tmp_path / "alone.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert import_file(store, path).is_stored
    found = claim_figures(store, "alone", View()).judged
    assert found is not None
    assert [(one.kind, one.n_claims) for one in found.kinds] == [
        ("supported", 1),
        ("contradicted", 1),
        ("not_found", 1),
    ]
    assert [one.spec.id for one in found.scores] == ["faithfulness"]


def test_a_filter_narrows_the_claims_and_a_baseline_obeys_it_too(store: Store) -> None:
    view = View(wanted=from_terms(["text=weir"]))
    found = claim_figures(store, "claims", view, "claims")
    assert found.n == 1
    assert found.judged is not None
    assert sum(one.n_claims for one in found.judged.kinds) == 0
    assert found.labelled is not None
    assert found.labelled.n_claims == 5
    precision = found.labelled.scores[0]
    assert precision.rate.value == 0.8
    assert precision.baseline is not None
    assert (precision.baseline.value, precision.baseline.n) == (0.8, 1)


def test_a_run_without_claims_says_nothing_of_them(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    path.write_text('{"question": "Why?", "answer": "So."}\n', encoding="utf-8")
    assert import_file(store, path).is_stored
    assert claim_figures(store, "plain", View()).as_json() is None
    assert "claims" not in diagnose(store, "plain", View())


def test_claims_settle_groundedness_where_nobody_else_did(store: Store, tmp_path: Path) -> None:
    row = json.loads(CLAIMS.read_text(encoding="utf-8").splitlines()[0])
    path = tmp_path / "alone.jsonl"
    lines = [{**row, "run": "alone", "sample_id": str(i)} for i in range(2)]
    lines[1]["scores"] = {"answer_relevance": 0.9}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert import_file(store, path).is_stored
    axis = diagnose(store, "alone", View())["axes"]["groundedness"]
    assert (axis["metric"], axis["judge"], axis["cut"]) == ("faithfulness", "claim-labels-v1", 0.7)
    assert axis["scored"]["value"] == 1.0


def test_claims_of_appended_samples_count_too(store: Store, tmp_path: Path) -> None:
    row = json.loads(CLAIMS.read_text(encoding="utf-8").splitlines()[1])
    path = tmp_path / "more.jsonl"
    path.write_text(json.dumps({**row, "sample_id": "s9"}) + "\n", encoding="utf-8")
    assert import_file(store, path, Options(append_to="claims")).is_stored
    found = claim_figures(store, "claims", View()).labelled
    assert found is not None
    assert found.n_claims == 16 + 5
    assert found.scores[0].rate.n == 3
    opened = sample_view(store, "claims", View(), "s9")
    assert opened is not None
    assert len(claim_tables(opened.detail)[0].lines) == 5


def test_the_command_line_says_the_counts_in_words(store: Store) -> None:
    lines = list(diagnosis_lines(diagnose(store, "claims", View())))
    assert (
        "  claims of the answers, labelled: 6 right supported, 3 wrong relevant, "
        "1 wrong unsupported, 6 right unsupported"
    ) in lines
    assert "  claims of the answers, judged: 1 supported, 1 contradicted, 1 not found" in lines


# --- one sample -----------------------------------------------------------------------------------


def tables_of(store: Store, sample_id: str) -> list[Any]:
    found = sample_view(store, "claims", View(), sample_id)
    assert found is not None
    return claim_tables(found.detail)


def test_b44_claims_that_the_answer_does_not_say_like_this_are_told_apart(store: Store) -> None:
    answer, reference = tables_of(store, "s0")
    assert [line.is_quoted for line in answer.lines] == [True] + [False] * 10
    assert [answer.side, reference.side] == ["answer", "reference"]
    assert answer.lines[8].contexts == ("neutral", "neutral", "entailed", "neutral")
    assert (answer.lines[8].beside, answer.lines[8].kind) == ("contradicted", "wrong_relevant")
    assert reference.lines[0].kind is None


def test_the_number_of_claims_is_the_denominator_of_the_scores(store: Store) -> None:
    found = sample_view(store, "claims", View(), "s0")
    assert found is not None
    scores = {
        one["metric"]: one["value"]
        for one in found.detail.verdicts
        if one["model"] == "claim-labels-v1" and one["context_rank"] is None
    }
    answer, reference = claim_tables(found.detail)
    assert (answer.n_supported, answer.n_counted, len(answer.lines)) == (4, 11, 11)
    assert scores["faithfulness"] == answer.n_supported / answer.n_counted
    assert (reference.n_supported, reference.n_counted) == (5, 22)
    assert scores["claim_recall"] == reference.n_supported / reference.n_counted


def test_a_model_s_claims_stand_against_the_contexts_that_it_named(store: Store) -> None:
    answer, reference = tables_of(store, "s2")
    assert answer.is_judged
    assert [(line.kind, line.contexts) for line in answer.lines] == [
        ("supported", ("entailed", "not_named")),
        ("not_found", ("neutral", "neutral")),
        ("contradicted", ("not_named", "contradicted")),
    ]
    assert [line.is_quoted for line in answer.lines] == [True, False, False]
    assert (answer.n_supported, answer.n_counted) == (1, 3)
    assert (reference.n_supported, reference.n_counted, reference.ranks) == (2, 2, ())


def test_claims_without_a_verdict_are_shown_and_do_not_count(tmp_path: Path, store: Store) -> None:
    row = json.loads(CLAIMS.read_text(encoding="utf-8").splitlines()[1])
    row["claims"]["answer_by_context"][0] = [None]
    path = tmp_path / "ragged.jsonl"
    path.write_text(json.dumps({**row, "run": "ragged"}) + "\n", encoding="utf-8")
    assert import_file(store, path).is_stored
    found = sample_view(store, "ragged", View(), "s1")
    assert found is not None
    answer = claim_tables(found.detail)[0]
    assert (len(answer.lines), answer.n_counted, answer.n_supported) == (5, 4, 4)
    assert answer.lines[0].contexts == ("missing", "missing", "missing")
    assert answer.lines[0].kind is None
    figures = claim_figures(store, "ragged", View()).labelled
    assert figures is not None
    assert (figures.n_claims, figures.n_open) == (4, 1)
