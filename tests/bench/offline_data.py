"""The real runs as cases for ``offline_judge.py``: reading them, scoring them, choosing a cut."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from core.judge.offline import TermWeights, fit, is_refusal, judge_sample
from core.model import Context, SampleText, Status

FIT_SAMPLES = 2_000
ANNOTATOR = "pubmedqa-annotator"
GRID = [n / 100 for n in range(1, 100)]


# --- reading --------------------------------------------------------------------------------------


@dataclass
class Row:
    """One sample with what people and the source said about it."""

    run: str
    sample_id: str
    text: SampleText
    labels: dict[str, float]
    scores: dict[str, float]
    gold: frozenset[str] = frozenset()
    doc_ids: list[str | None] = field(default_factory=list)

    @property
    def is_tune(self) -> bool:
        return int(hashlib.sha256(self.sample_id.encode()).hexdigest()[0], 16) % 2 == 0


def read_runs(folder: Path, name: str) -> dict[str, list[Row]]:
    """Samples of a neutral file by run, as the store would hand them to the judge."""
    raw: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            raw[record["run"]].append(record)
    runs = {}
    for run, records in raw.items():
        has_contexts = any(record["contexts"] for record in records)
        has_answers = any(record["answer"] for record in records)
        runs[run] = [
            _row(at, record, has_contexts, has_answers) for at, record in enumerate(records)
        ]
    return runs


def _row(at: int, record: dict[str, Any], has_contexts: bool, has_answers: bool) -> Row:
    contexts = sorted(record["contexts"], key=lambda one: one["rank"])
    answer = record["answer"] if has_answers else None
    text = SampleText(
        position=at,
        sample_id=record["sample_id"],
        question=record["question"],
        answer=answer,
        contexts=[Context(one["rank"], one["text"]) for one in contexts] if has_contexts else None,
        references=(record["reference"],) if record["reference"] else (),
        refused=None if answer is None else is_refusal(answer).is_refusal,
    )
    return Row(
        record["run"],
        record["sample_id"],
        text,
        record["labels"],
        record["scores"],
        frozenset(record["gold_doc_ids"]),
        [one["doc_id"] for one in contexts],
    )


def run_weights(rows: Sequence[Row]) -> TermWeights:
    """Weights as the product fits them: on the contexts of at most 2,000 samples of the run."""
    chosen = sorted(rows, key=lambda row: hashlib.md5(row.sample_id.encode()).hexdigest())
    return fit(
        context.text or "" for row in chosen[:FIT_SAMPLES] for context in row.text.contexts or ()
    )


def verdict_of(row: Row, weights: TermWeights, metric: str) -> Any:
    return judge_sample(row.text, weights, (metric,))[0]


# --- cases: (run, should be high, score) ----------------------------------------------------------


@dataclass(frozen=True)
class Case:
    run: str
    is_positive: bool
    score: float


def support_cases(
    runs: dict[str, list[Row]], pick: Callable[[Row, Any], float | None]
) -> list[Case]:
    """Groundedness (or what ``pick`` takes of its verdict) against ``faithful``, tune half."""
    cases = []
    for run, rows in runs.items():
        weights = run_weights(rows)
        for row in rows:
            if row.is_tune and "faithful" in row.labels:
                score = pick(row, weights)
                if score is not None:
                    cases.append(Case(run, row.labels["faithful"] == 1, score))
    return cases


def value_of(metric: str) -> Callable[[Row, Any], float | None]:
    def pick(row: Row, weights: TermWeights) -> float | None:
        value: float | None = verdict_of(row, weights, metric).value
        return value

    return pick


def middle_sentence(row: Row, weights: TermWeights) -> float | None:
    """The largest cut at which at least half of the answer's sentences count as supported."""
    verdict = verdict_of(row, weights, "groundedness")
    if verdict.status is not Status.VALUE:
        return None
    supports = sorted((entry["support"] for entry in verdict.detail["sentences"]), reverse=True)
    middle: float = supports[(len(supports) - 1) // 2]
    return middle


def context_cases(runs: dict[str, list[Row]]) -> list[Case]:
    """Score of each context: gold contexts should be high."""
    cases = []
    for run, rows in runs.items():
        if run == ANNOTATOR:  # retrieves its own abstract only: no context that is not gold
            continue
        weights = run_weights(rows)
        for row in rows:
            if row.is_tune and row.text.contexts and row.gold:
                detail = verdict_of(row, weights, "context_relevance").detail
                for doc_id, entry in zip(row.doc_ids, detail["contexts"], strict=True):
                    cases.append(Case(run, doc_id in row.gold, entry["score"]))
    return cases


def answer_cases(runs: dict[str, list[Row]]) -> list[Case]:
    """An answer with its own question (high) and with the next sample's question (low)."""
    cases = []
    for run, rows in runs.items():
        if run == ANNOTATOR:  # answers yes, no or maybe, which fits many questions
            continue
        weights = run_weights(rows)
        chosen = [
            row
            for row in sorted(rows, key=lambda one: hashlib.sha256(one.sample_id.encode()).digest())
            if row.is_tune and row.text.answer and not row.text.refused
        ]
        for row, other in zip(chosen, [*chosen[1:], *chosen[:1]], strict=True):
            for question, is_own in ((row.text.question, True), (other.text.question, False)):
                text = SampleText(0, row.sample_id, question, row.text.answer, None)
                score = judge_sample(text, weights, ("answer_relevance",))[0].value
                if score is not None:
                    cases.append(Case(run, is_own, score))
    return cases


def correctness_cases(runs: dict[str, list[Row]], is_tune: bool) -> list[Case]:
    """Correctness against ``correct``, without answers that people call refusals."""
    cases = []
    for run, rows in runs.items():
        weights = fit([])
        for row in rows:
            if row.is_tune == is_tune and "correct" in row.labels and not row.labels.get("refused"):
                score = verdict_of(row, weights, "correctness").value
                if score is not None:
                    cases.append(Case(run, row.labels["correct"] == 1, score))
    return cases


# --- choosing a cut -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    value: float
    j: float
    tpr: float
    fpr: float
    n: int
    n_positive: int


def choose(groups: Sequence[list[Case]]) -> Choice:
    """The hundredth with the largest mean of Youden's J; of equals the highest.

    The mean is taken over the runs of a data set, then over the data sets (``groups``), so that
    neither a large run nor a large data set decides alone. Runs with one class are left out.
    """
    tables = []
    for cases in groups:
        by_run: dict[str, list[Case]] = defaultdict(list)
        for case in cases:
            by_run[case.run].append(case)
        rates = [_rates(of_run) for of_run in by_run.values() if _has_both(of_run)]
        tables.append(np.mean(rates, axis=0))
    tpr, fpr = np.mean(tables, axis=0)
    best = max(range(len(GRID)), key=lambda at: (round(tpr[at] - fpr[at], 9), at))
    everything = [case for cases in groups for case in cases]
    return Choice(
        GRID[best],
        float(tpr[best] - fpr[best]),
        float(tpr[best]),
        float(fpr[best]),
        len(everything),
        sum(case.is_positive for case in everything),
    )


def _has_both(cases: Iterable[Case]) -> bool:
    return len({case.is_positive for case in cases}) == 2


def _rates(cases: Sequence[Case]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    grid = np.array(GRID)[:, None]
    positive = np.array([case.score for case in cases if case.is_positive])
    negative = np.array([case.score for case in cases if not case.is_positive])
    return (positive >= grid).mean(axis=1), (negative >= grid).mean(axis=1)
