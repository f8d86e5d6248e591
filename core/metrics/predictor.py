"""Can an outcome that people judge be told from scores and tags? Classifiers on held-out samples.

The second claim of ASTRID: that the triad predicts human outcomes such as harm or helpfulness.
scikit-learn is imported when a prediction is made, because it takes a second to load.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.prediction import Codes, ModelScore, Prediction, score_of

LEAST_PER_CLASS = 20
"""With fewer samples of one class neither the search nor the held-out part says anything."""

HELD_OUT = 0.25
MAX_TRAINED = 4_000
"""More samples than this are not trained on: the search would take minutes and find the same."""

MAX_CLASSES = 3
_FOLDS = 3
_IMPORTANCE_REPEATS = 10

Matrix = NDArray[np.float64]
Progress = Callable[[int, int, str], bool]


@dataclass(frozen=True, slots=True)
class Table:
    """Samples × features: numbers with NaN where there is none, and texts with "" likewise.

    ``outcome`` are class names; ``groups`` are ids of questions, which stay in one part.
    """

    numbers: Matrix
    number_names: tuple[str, ...]
    texts: NDArray[np.object_]
    text_names: tuple[str, ...]
    outcome: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All features, numbers first."""
        return (*self.number_names, *self.text_names)


class Stopped(Exception):  # noqa: N818 - nothing went wrong: somebody asked for it
    """The caller has asked to stop."""


def why_not(outcome: Sequence[str], groups: Sequence[str]) -> str | None:
    """Why an outcome cannot be predicted; None if it can.

    >>> why_not(["yes"] * 50, [str(i) for i in range(50)])
    'all 50 samples have the outcome yes, so there is nothing to predict'
    """
    counts = Counter(outcome)
    if not counts:
        return "no sample has the outcome and the features"
    if len(counts) == 1:
        return (
            f"all {len(outcome)} samples have the outcome {outcome[0]}, so there is nothing to "
            "predict"
        )
    if len(counts) > MAX_CLASSES:
        return f"the outcome has {len(counts)} classes, more than {MAX_CLASSES}; cut it into fewer"
    for name, n in sorted(counts.items(), key=lambda item: (item[1], item[0])):
        n_groups = len({g for g, o in zip(groups, outcome, strict=True) if o == name})
        if n < LEAST_PER_CLASS or n_groups < LEAST_PER_CLASS:
            of_questions = f" of {n_groups} questions" if n_groups < n else ""
            return (
                f"only {n} samples{of_questions} have the outcome {name}; "
                f"at least {LEAST_PER_CLASS} are needed of each"
            )
    return None


def predict(table: Table, *, seed: int = 0, progress: Progress | None = None) -> Prediction:
    """Train four classifiers on three quarters of the questions and measure them on the rest.

    Random forest, support vectors (radial), Gaussian naive Bayes and a multi-layer perceptron, each
    with a small grid that is searched inside the training part by mean F1 over folds that keep
    questions together. Missing numbers become the training median with a mark of their own; texts
    become one column per value seen in training. The same seed gives the same numbers.

    ``progress`` is told (steps done, steps, what comes next) and may return False to stop.

    Raises:
        Stopped: ``progress`` returned False.
    """
    counts = tuple(sorted(Counter(table.outcome).items()))
    reason = why_not(table.outcome, table.groups)
    if reason is None and not table.names:
        reason = "there is no feature to predict from"
    if reason is not None:
        return Prediction(counts, reason=reason)
    names = [name for name, _ in counts]
    # Numbers, not names: a class named "1" is taken for the number 1 on the way.
    y, groups = np.searchsorted(names, table.outcome), np.asarray(table.groups)
    train, test = _split(y, groups, seed)
    notes = ["The best of four models is chosen on the held-out samples, so it looks a bit better."]
    if len(train) > MAX_TRAINED:
        train = np.sort(np.random.default_rng(seed).permutation(train)[:MAX_TRAINED])
        notes.append(f"Trained on {MAX_TRAINED} samples drawn from the training part.")
    missing = [name for i, name in enumerate(names) if i not in y[train] or i not in y[test]]
    if missing:
        return Prediction(counts, reason=f"one part has no sample with the outcome {missing[0]}")
    columns = _columns(table)
    plan = _plan(seed)
    steps = len(plan)
    models = []
    for done, (name, estimator, grid) in enumerate(plan):
        if progress is not None and not progress(done, steps, name):
            raise Stopped
        models.append(
            _fitted(name, estimator, grid, table, columns, y, groups, train, test, names, seed)
        )
    if progress is not None:
        progress(steps, steps, "")
    majority = int(np.bincount(y[train]).argmax())
    said = np.full(len(test), majority)
    return Prediction(
        counts,
        len(train),
        len(test),
        score_of(f"always {names[majority]}", y[test], said, names, groups[test], seed),
        tuple(models),
        notes=tuple(notes),
    )


def _split(
    y: Codes, groups: NDArray[np.str_], seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    from sklearn.model_selection import StratifiedGroupKFold

    folds = StratifiedGroupKFold(round(1 / HELD_OUT), shuffle=True, random_state=seed)
    train, test = next(folds.split(np.zeros(len(y)), y, groups))
    return train, test


def _columns(table: Table) -> NDArray[np.object_]:
    """All features side by side; the pipeline takes them apart again by their place."""
    joined = np.empty((len(table.outcome), len(table.names)), dtype=object)
    n = len(table.number_names)
    joined[:, :n] = table.numbers
    joined[:, n:] = table.texts
    return joined


def _plan(seed: int) -> list[tuple[str, Any, dict[str, list[Any]]]]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC

    return [
        (
            "Random forest",
            RandomForestClassifier(100, class_weight="balanced", random_state=seed),
            {"max_depth": [3, 8, None], "min_samples_leaf": [1, 5]},
        ),
        (
            "Support vectors",
            SVC(class_weight="balanced", random_state=seed),
            {"C": [0.1, 1.0, 10.0], "gamma": ["scale", 0.1]},
        ),
        ("Naive Bayes", GaussianNB(), {"var_smoothing": [1e-9, 1e-3, 1e-1]}),
        (
            "Multi-layer perceptron",
            MLPClassifier(max_iter=300, random_state=seed),
            {"hidden_layer_sizes": [(8,), (32,)], "alpha": [1e-4, 1e-1]},
        ),
    ]


def _pipeline(table: Table, estimator: Any) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    n = len(table.number_names)
    numbers = Pipeline([
        ("float", FunctionTransformer(_as_floats)),
        ("fill", SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)),
        ("scale", StandardScaler()),
    ])  # fmt: skip
    texts = OneHotEncoder(handle_unknown="ignore", sparse_output=False, min_frequency=5)
    parts = [("numbers", numbers, list(range(n)))] if n else []
    if table.text_names:
        parts.append(("texts", texts, list(range(n, n + len(table.text_names)))))
    return Pipeline([("features", ColumnTransformer(parts)), ("model", estimator)])


def _as_floats(values: Any) -> Matrix:
    return np.asarray(values, dtype=np.float64)


def _fitted(
    name: str,
    estimator: Any,
    grid: Mapping[str, list[Any]],
    table: Table,
    columns: NDArray[np.object_],
    y: Codes,
    groups: NDArray[np.str_],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    names: Sequence[str],
    seed: int,
) -> ModelScore:
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold

    folds = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(
        _pipeline(table, estimator),
        {f"model__{key}": values for key, values in grid.items()},
        scoring="f1_macro",
        cv=folds,
    )
    with warnings.catch_warnings():
        # A perceptron that stops at its limit, a class that a fold never predicts, a tag value that
        # is rare in training: all of that shows in the figures.
        warnings.simplefilter("ignore")
        search.fit(columns[train], y[train], groups=groups[train])
        said = search.predict(columns[test])
        shuffled = permutation_importance(
            search.best_estimator_,
            columns[test],
            y[test],
            scoring="f1_macro",
            n_repeats=_IMPORTANCE_REPEATS,
            random_state=seed,
        )
    found = score_of(name, y[test], said, names, groups[test], seed)
    falls = zip(table.names, shuffled.importances_mean, shuffled.importances_std, strict=True)
    return ModelScore(
        name,
        found.classes,
        found.precision,
        found.recall,
        found.f1,
        found.low,
        found.high,
        {key.removeprefix("model__"): value for key, value in search.best_params_.items()},
        tuple(
            sorted(
                ((feature, float(mean), float(sd)) for feature, mean, sd in falls),
                key=lambda one: -one[1],
            )
        ),
    )
