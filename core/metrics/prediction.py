"""How classifiers did on held-out samples: per class, on average, and with an interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 1_000

Codes = NDArray[np.intp]


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


def score_of(
    name: str,
    truth: Codes,
    said: Codes,
    names: Sequence[str],
    groups: NDArray[np.str_],
    seed: int,
) -> ModelScore:
    """What a classifier said about held-out samples, by codes into the names of the classes."""
    classes = tuple(class_score(name, i, truth, said) for i, name in enumerate(names))
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


def class_score(name: str, code: int, truth: Codes, said: Codes) -> ClassScore:
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
