"""RAGChecker (FORMATS 4.7), from small files written here as it writes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError
from core.ingest.formats import recognise
from core.ingest.ragchecker import RagcheckerImporter
from core.records import Notices, ParsedRun, ParsedSample, Problem
from core.store.connection import Store
from core.workflows.importing import Options, import_file

E, N, C = "Entailment", "Neutral", "Contradiction"


def item(**more: Any) -> dict[str, Any]:
    """Two claims of the answer and two of the reference over two contexts."""
    return {
        "query_id": "007",
        "query": "How tall is the tower?",
        "gt_answer": "It is 80 m tall and made of brick.",
        "response": "It is 80 m tall and made of steel.",
        "retrieved_context": [
            {"doc_id": "000", "text": "The tower is 80 m tall."},
            {"doc_id": "001", "text": "Steel is an alloy."},
        ],
        "response_claims": [["The tower", "is", "80 m tall"], ["The tower", "is of", "steel"]],
        "gt_answer_claims": ["The tower is 80 m tall.", "The tower is of brick."],
        "answer2response": [E, C],
        "response2answer": [E, N],
        "retrieved2response": [[E, N], [N, N]],
        "retrieved2answer": [[E, N], [N, N]],
        "metrics": {"precision": 0.5, "faithfulness": 0.5, "context_precision": 0.5},
        **more,
    }


def file_of(tmp_path: Path, *items: dict[str, Any], **more: Any) -> Path:
    path = tmp_path / "checked.json"
    path.write_text(json.dumps({"results": list(items), **more}, indent=1), encoding="utf-8")
    return path


class Read:
    """What the importer makes of a file."""

    def __init__(self, path: Path) -> None:
        found = recognise(path)
        assert found.importer.format == "ragchecker"
        self.why, notices = found.why, Notices()
        items = list(RagcheckerImporter().read(path, notices, path.stem))
        self.samples = [one for one in items if isinstance(one, ParsedSample)]
        self.runs = [one for one in items if isinstance(one, ParsedRun)]
        self.problems = [one for one in items if isinstance(one, Problem)]
        self.notices = {notice.notice: notice.n for notice in notices.as_list()}

    @property
    def only(self) -> ParsedSample:
        (sample,) = self.samples
        return sample

    def states(self, kind: str) -> dict[str, float | str | None]:
        """Value or cause of every score of the only sample by one kind of judge."""
        found: dict[str, float | str | None] = {}
        if kind == "imported":
            found = {one.metric: one.cause or one.value for one in self.only.scores}
        for one in self.only.verdicts:
            if one.judge.kind == kind and one.context_rank is None:
                found[one.metric] = one.cause or one.value
        return found


def test_the_output_form_brings_texts_claims_and_scores_under_our_names(tmp_path: Path) -> None:
    found = Read(file_of(tmp_path, item()))
    sample = found.only
    assert "query_id, query, gt_answer, response" in found.why
    assert (sample.sample_id, sample.question) == ("007", "How tall is the tower?")
    assert sample.references == ["It is 80 m tall and made of brick."]
    assert [one.doc_id for one in sample.contexts or ()] == ["000", "001"]
    assert found.states("imported") == {
        "precision": 0.5,
        "faithfulness": 0.5,
        "context_precision_chunks": 0.5,
    }
    assert sample.claims is not None
    labels = json.loads(sample.claims.labels)
    assert labels["answer"] == ["The tower is 80 m tall", "The tower is of steel"]
    assert labels["answer_by_reference"] == ["entailed", "contradicted"]
    assert labels["reference_by_context"] == [["entailed", "neutral"], ["neutral", "neutral"]]
    assert not found.notices


def test_all_scores_are_computed_from_the_claims_and_each_context_is_useful_or_not(
    tmp_path: Path,
) -> None:
    found = Read(file_of(tmp_path, item()))
    # One claim is right and in context 1; the other is wrong and in no context.
    assert found.states("offline") == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "claim_recall": 0.5,
        "context_precision_chunks": 0.5,
        "context_utilization": 1.0,
        "noise_sensitivity_rel": 0.0,
        "noise_sensitivity_irr": 0.0,
        "hallucination": 0.5,
        "self_knowledge": 0.0,
        "faithfulness": 0.5,
        "supported_precision": 0.5,
    }
    useful = {one.context_rank: one.value for one in found.only.verdicts if one.context_rank}
    assert useful == {1: 1.0, 2: 0.0}
    # right and supported, wrong from a relevant or another context or from none, right from none
    assert found.only.claims is not None
    assert found.only.claims[1:] == (2, 2, 0, 1, 0, 0, 1, 0)


def test_the_input_form_has_samples_and_says_what_it_lacks(tmp_path: Path) -> None:
    keys = ("query_id", "query", "gt_answer", "response", "retrieved_context")
    found = Read(file_of(tmp_path, {key: item()[key] for key in keys}))
    assert found.only.claims is None
    assert found.only.scores == found.only.verdicts == []
    assert any("an input of RAGChecker" in notice for notice in found.notices)


@pytest.mark.parametrize("suffix", ["", "_metrics"])
def test_the_means_of_the_file_are_of_100_and_become_0_to_1(tmp_path: Path, suffix: str) -> None:
    groups = {f"overall{suffix}": {"precision": 50.0}, f"retriever{suffix}": {"claim_recall": 25.0}}
    found = Read(file_of(tmp_path, item(), metrics=groups))
    assert found.runs[0].config is not None
    config = json.loads(found.runs[0].config)
    assert config["means_of_the_file"] == {"precision": 0.5, "claim_recall": 0.25}
    assert not found.notices


def test_a_mean_that_is_not_that_of_the_samples_is_told(tmp_path: Path) -> None:
    found = Read(file_of(tmp_path, item(), metrics={"overall": {"precision": 76.4}}))
    (notice,) = found.notices
    assert "76.4 of 100" in notice
    assert "50.0" in notice


def test_a_score_that_is_not_what_its_claims_give_is_told_and_kept(tmp_path: Path) -> None:
    found = Read(file_of(tmp_path, item(metrics={"precision": 0.9, "recall": 0.503})))
    # .503 is .5 but for rounding; .9 is not
    assert list(found.notices) == [
        "precision differs from what the claims of the same sample give; both were kept."
    ]
    assert found.states("imported")["precision"] == 0.9
    assert found.states("offline")["precision"] == 0.5


def test_zeros_without_a_claim_of_the_answer_are_not_applicable(tmp_path: Path) -> None:
    row = item(
        response_claims=[],
        answer2response=[],
        retrieved2response=[],
        metrics={"precision": 0.0, "faithfulness": 0.0, "recall": 0.0, "claim_recall": 0.5},
        response2answer=[N, N],
    )
    found = Read(file_of(tmp_path, row))
    assert found.states("imported") == {
        "precision": "no_claims",
        "faithfulness": "no_claims",
        "recall": 0.0,
        "claim_recall": 0.5,
    }
    assert found.states("offline")["faithfulness"] == "no_claims"
    assert found.states("offline")["recall"] == 0.0
    kept = {one.metric: one.raw for one in found.only.verdicts if one.judge.kind == "imported"}
    assert kept == {"precision": "0.0", "faithfulness": "0.0"}


def test_zeros_without_a_claim_of_the_reference_are_not_applicable(tmp_path: Path) -> None:
    row = item(
        gt_answer_claims=[],
        response2answer=[],
        retrieved2answer=[],
        answer2response=[N, N],
        metrics={"recall": 0.0, "f1": 0.0, "context_precision": 0.0, "precision": 0.0},
    )
    found = Read(file_of(tmp_path, row))
    assert found.states("imported") == {
        "recall": "no_claims",
        "f1": "no_claims",
        "context_precision_chunks": "no_claims",
        "precision": 0.0,
    }


def test_utilization_where_no_claim_was_found_is_not_applicable(tmp_path: Path) -> None:
    row = item(retrieved2answer=[[N, N], [C, N]], metrics={"context_utilization": 0.0})
    found = Read(file_of(tmp_path, row))
    assert found.states("imported") == {"context_utilization": "no_claims"}
    assert found.states("offline")["context_utilization"] == "no_claims"
    assert found.states("offline")["claim_recall"] == 0.0


def test_missing_verdicts_are_missing_and_never_neutral(tmp_path: Path) -> None:
    row = item(retrieved2response=[[E]], answer2response=[E, "Abstain"], metrics={})
    found = Read(file_of(tmp_path, row))
    states = found.states("offline")
    # no claim of the answer has all its verdicts; its precision comes from neither
    assert states["precision"] == states["faithfulness"] == "absent_in_file"
    assert states["recall"] == 0.5
    assert found.only.claims is not None
    assert found.only.claims.n_open == 2
    assert sorted(found.notices) == [
        "A verdict of answer2response is none of Entailment, Neutral, Contradiction: it counts as "
        "missing.",
        "retrieved2response is shorter than response_claims: the verdicts behind its end are "
        "missing.",
        "retrieved2response lacks verdicts about some contexts: they count as missing.",
    ]


def test_more_verdicts_than_claims_are_a_problem_of_their_row(tmp_path: Path) -> None:
    found = Read(file_of(tmp_path, item(), item(query_id="8", response2answer=[E, N, N])))
    (problem,) = found.problems
    assert problem.row == 2
    assert "response2answer has 3 entries, and gt_answer_claims has 2 claims" in problem.problem


def test_a_comparison_of_pairs_is_refused_in_words(tmp_path: Path, fresh_store: Store) -> None:
    path = tmp_path / "meta.json"
    pair = {"instance_id": "1", "model1": "a", "model2": "b", "human_preference": 1}
    path.write_text(json.dumps([pair, pair]), encoding="utf-8")
    with pytest.raises(BadInputError, match="compares the answers of two systems"):
        import_file(fresh_store, path)


def test_preview_and_import_say_the_same(tmp_path: Path, fresh_store: Store) -> None:
    path = file_of(tmp_path, item(), item(query_id="8"))
    seen = import_file(fresh_store, path, Options(is_dry_run=True))
    report = import_file(fresh_store, path)
    assert report.is_stored
    assert seen.runs[0].metrics == report.runs[0].metrics
    assert report.runs[0].metrics["hallucination"]["n"] == 2


def test_the_published_file_is_read_whole(samples_dir: Path, fresh_store: Store) -> None:
    (path,) = (samples_dir / "ragchecker").iterdir()
    report = import_file(fresh_store, path)
    assert report.is_stored
    assert (report.format, report.problems, report.notices) == ("ragchecker", [], [])
    run = report.runs[0]
    assert (run.samples, run.contexts) == (2, 7)
    # 11 scores of the file, and what is right and supported besides
    assert {row["n"] for row in run.metrics.values()} == {2}
    assert len(run.metrics) == 12
