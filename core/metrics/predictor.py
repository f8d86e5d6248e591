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

LEAST_PER_CLASS = 20
"""With fewer samples of one class neither the search nor the held-out part says anything."""

HELD_OUT = 0.25
MAX_TRAINED = 4_000
"""More samples than this are not trained on: the search would take minutes and find the same."""

MAX_CLASSES = 3
_FOLDS = 3
_IMPORTANCE_REPEATS = 10
_RESAMPLES = 1_000

Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]
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


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How one class is found among ``n`` held-out samples of it."""

    name: str
    precision: float
    recall: float
    f1: float
    n: int


@dataclass(frozen=True, slots=True)
class ModelScore:
    """One classifier on the held-out samples; means are over classes, each counting the same.

    ``low`` and ``high`` are the 95 % interval of the mean F1 (bootstrap over held-out questions).
    ``importance`` is how much mean F1 falls when a feature is shuffled, with its spread.
    """

    name: str
    classes: tuple[ClassScore, ...]
    precision: float
    recall: float
    f1: float
    low: float | None = None
    high: float | None = None
    chosen: Mapping[str, Any] | None = None
    importance: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """All classifiers and, for comparison, always saying the most frequent class.

    ``reason`` says why nothing was predicted; then there are no models.
    """

    class_counts: tuple[tuple[str, int], ...]
    n_train: int = 0
    n_test: int = 0
    baseline: ModelScore | None = None
    models: tuple[ModelScore, ...] = ()
    reason: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> ModelScore | None:
        """The model with the largest mean F1 on the held-out samples."""
        return max(self.models, key=lambda model: model.f1, default=None)


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
        _score(f"always {names[majority]}", y[test], said, names, groups[test], seed),
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
    found = _score(name, y[test], said, names, groups[test], seed)
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


def _score(
    name: str,
    truth: Codes,
    said: Codes,
    names: Sequence[str],
    groups: NDArray[np.str_],
    seed: int,
) -> ModelScore:
    classes = tuple(_class_score(name, i, truth, said) for i, name in enumerate(names))
    low, high = _interval(truth, said, len(names), groups, seed)
    return ModelScore(
        name,
        classes,
        float(np.mean([one.precision for one in classes])),
        float(np.mean([one.recall for one in classes])),
        float(np.mean([one.f1 for one in classes])),
        low,
        high,
    )


def _class_score(name: str, code: int, truth: Codes, said: Codes) -> ClassScore:
    """A class that is never predicted has precision 0, as in the published table."""
    both = int(((truth == code) & (said == code)).sum())
    n_true, n_said = int((truth == code).sum()), int((said == code).sum())
    return ClassScore(
        name,
        both / n_said if n_said else 0.0,
        both / n_true if n_true else 0.0,
        2 * both / (n_true + n_said) if n_true + n_said else 0.0,
        n_true,
    )


def _interval(
    truth: Codes,
    said: Codes,
    n_classes: int,
    groups: NDArray[np.str_],
    seed: int,
) -> tuple[float | None, float | None]:
    """Percentile bootstrap of the mean F1 over held-out questions."""
    _, place = np.unique(groups, return_inverse=True)
    n_groups = int(place.max()) + 1
    if n_groups < 2:
        return None, None
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=_RESAMPLES)
    means = np.zeros(_RESAMPLES)
    for code in range(n_classes):
        is_true, is_said = (truth == code), (said == code)
        both, n_true, n_said = (
            drawn @ np.bincount(place, weights=mask, minlength=n_groups)
            for mask in (is_true & is_said, is_true, is_said)
        )
        means += 2 * both / np.maximum(n_true + n_said, 1) / n_classes
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
