"""Predicting an outcome that people judged from the scores and tags of one or several runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from core.errors import BadInputError
from core.metrics.prediction import ClassScore, ModelScore, Prediction
from core.metrics.predictor import Matrix, Progress, Table, predict
from core.model import TRIAD, Axis
from core.store import calibration as reads
from core.store import parts
from core.store.connection import Connection, Store
from core.workflows import review

HIT = "hit"
#: Scores that an outcome may be predicted from, in the order in which pages offer them.
SCORES = (*(axis.value for axis in TRIAD), Axis.ADHERENCE.value, Axis.REFUSAL.value, HIT)
DEFAULT = SCORES[:5]
_MOST_TAG_VALUES = 30


@dataclass(frozen=True, slots=True)
class PredictionRequest:
    """What to predict from what: ``scores`` among ``SCORES``, and names of tags.

    A rating is cut at ``label_cut``; without it every answer is a class of its own.
    """

    run_ids: tuple[str, ...]
    label: str
    label_cut: float | None = None
    scores: tuple[str, ...] = DEFAULT
    tags: tuple[str, ...] = ()
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """A document that ``from_json`` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "PredictionRequest":
        """The request of a document."""
        values = dict(document)
        for name in ("run_ids", "scores", "tags"):
            values[name] = tuple(values[name])
        return cls(**values)


def predict_outcome(
    store: Store, request: PredictionRequest, progress: Progress | None = None
) -> Prediction:
    """Read the samples of the runs and predict; runs are pooled, questions stay in one part.

    Raises:
        NotFoundError: no such run.
        BadInputError: no such label, or a score that cannot be predicted from.
        Stopped: ``progress`` returned False.
    """
    table, n_closed = read_table(store, request)
    found = predict(table, seed=request.seed, progress=progress)
    if not n_closed:
        return found
    note = f"Left out: {n_closed} samples of the closed test part of the labels."
    return replace(found, notes=(*found.notes, note))


def read_table(store: Store, request: PredictionRequest) -> tuple[Table, int]:
    """Samples of the runs that have the outcome, with their features; and how many are hidden.

    Hidden are those of a closed test part: they would tell how well the outcome is predicted there.
    A tag with more than 30 values, and a score that no sample has, is no feature.

    Raises:
        NotFoundError: no such run.
        BadInputError: no such label, or a score that cannot be predicted from.
    """
    unknown = [name for name in request.scores if name not in SCORES]
    if unknown:
        raise BadInputError(f"There is no score {unknown[0]!r}; scores: {', '.join(SCORES)}.")
    rows: list[tuple[list[float], list[str], str, str]] = []
    n_closed = 0
    with store.reading() as connection:
        for run_id in request.run_ids:
            mine, hidden = _rows_of(connection, run_id, request)
            rows += mine
            n_closed += hidden
    numbers = np.array([row[0] for row in rows], dtype=np.float64).reshape(
        len(rows), len(request.scores)
    )
    texts = np.array([row[1] for row in rows], dtype=object).reshape(len(rows), len(request.tags))
    has_numbers = [i for i in range(len(request.scores)) if not np.isnan(numbers[:, i]).all()]
    has_texts = [
        i for i in range(len(request.tags)) if 1 < len(set(texts[:, i])) <= _MOST_TAG_VALUES
    ]
    kept: Matrix = numbers[:, has_numbers]
    table = Table(
        numbers=kept,
        number_names=tuple(request.scores[i] for i in has_numbers),
        texts=texts[:, has_texts],
        text_names=tuple(request.tags[i] for i in has_texts),
        outcome=tuple(row[2] for row in rows),
        groups=tuple(row[3] for row in rows),
    )
    return table, n_closed


def _rows_of(
    connection: Connection, run_id: str, request: PredictionRequest
) -> tuple[list[tuple[list[float], list[str], str, str]], int]:
    view = review.View()
    settings = review.settings(connection, run_id, view)
    run_id = settings.run.run_id
    review.match(connection, settings, view)
    reads.keep(connection, run_id, only_matched=True)
    outcomes = _outcomes(connection, run_id, request)
    closed: set[int] = set()
    if request.label not in parts.opened_tests(connection, run_id):
        closed = parts.positions_of(connection, run_id, request.label, "test") & set(outcomes)
    tags = [reads.tag_of_samples(connection, run_id, tag) for tag in request.tags]
    adherence = settings.choices.get(Axis.ADHERENCE)
    # Groundedness that stands in for adherence would be the same feature twice.
    absent = {Axis.ADHERENCE.value} if adherence is not None and adherence.is_proxy else set()
    rows = [
        (
            [
                np.nan if name in absent or row[name] is None else row[name]
                for name in request.scores
            ],
            [values.get(row["position"], "") for values in tags],
            outcomes[row["position"]],
            row["sample_id"],
        )
        for row in reads.features(connection, run_id)
        if row["position"] in outcomes and row["position"] not in closed
    ]
    return rows, len(closed)


def _outcomes(connection: Connection, run_id: str, request: PredictionRequest) -> dict[int, str]:
    found = reads.current_labels(connection, run_id, request.label)
    if not found:
        known = ", ".join(dict.fromkeys(a.criterion for a in reads.answers(connection, run_id)))
        raise BadInputError(
            f"No sample has a label {request.label!r}. Labels here: {known or 'none'}."
        )
    if request.label_cut is None:
        return {
            position: category if category is not None else f"{value:g}"
            for position, value, category in found
            if category is not None or value is not None
        }
    cut = request.label_cut
    return {
        position: f"≥ {cut:g}" if value >= cut else f"< {cut:g}"
        for position, value, _ in found
        if value is not None
    }


def feature_name(name: str) -> str:
    """A feature in words: ``context_relevance`` is "context relevance"."""
    return name.replace("_", " ") if name in SCORES else f"tag {name}"


def prediction_json(found: Prediction) -> dict[str, Any]:
    """A prediction as a document; ``prediction_from_json`` reads it."""
    return asdict(found)


def prediction_from_json(document: Mapping[str, Any]) -> Prediction:
    """The prediction of a document."""
    return Prediction(
        class_counts=tuple((name, n) for name, n in document["class_counts"]),
        n_train=document["n_train"],
        n_test=document["n_test"],
        baseline=_model(document["baseline"]) if document["baseline"] else None,
        models=tuple(_model(model) for model in document["models"]),
        reason=document["reason"],
        notes=tuple(document["notes"]),
    )


def _model(document: Mapping[str, Any]) -> ModelScore:
    values = dict(document)
    values["classes"] = tuple(ClassScore(**one) for one in document["classes"])
    values["importance"] = tuple((name, mean, sd) for name, mean, sd in document["importance"])
    return ModelScore(**values)
