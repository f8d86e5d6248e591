"""What a label is compared as: its good side, which a high score predicts, and the event."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInputError
from core.store.calibration import Answer, Rater, ScoredLabels

TargetKind = Literal["binary", "rating", "category"]
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Target:
    """A label with two sides.

    ``event`` is 1 if the positive side is the good one, which a high score predicts, else 0.
    ``positive`` is the answer of the positive side (for a rating 1 at the cut or above, 0 below
    it). ``good`` and ``bad`` are the answers of either side as a filter names them; answers of
    neither side are left out.
    """

    criterion: str
    kind: TargetKind
    positive: float | str
    event: int
    good: tuple[str, ...]
    bad: tuple[str, ...]
    cut: float | None = None
    good_value: float | None = None
    categories: tuple[str, ...] = ()
    n_raters: int = 1

    @property
    def names(self) -> tuple[str, str]:
        """The good and the other side in words: ``faithful = 1``, ``clarity < 3``."""
        if self.kind == "rating":
            return f"{self.criterion} ≥ {self.cut:g}", f"{self.criterion} < {self.cut:g}"
        other = self.bad[0] if len(self.bad) == 1 else f"not {self.good[0]}"
        if self.kind == "binary":
            return f"{self.criterion} = 1", f"{self.criterion} = 0"
        return f"{self.criterion} = {self.good[0]}", f"{self.criterion} = {other}"

    @property
    def event_name(self) -> str:
        """The positive side in words."""
        return self.names[1 - self.event]

    def sides(self, labels: ScoredLabels) -> NDArray[np.int8]:
        """1 for the good side, 0 for the other one, -1 for no usable label."""
        usable = ~np.isnan(labels.label)
        if self.cut is not None:
            found = np.where(usable, labels.label >= self.cut, -1)
        elif self.good_value is not None:
            found = np.where(usable, labels.label == self.good_value, -1)
        elif self.kind == "binary":
            found = np.where(np.isin(labels.label, (0, 1)), labels.label == 1, -1)
        else:
            code = self.categories.index(self.good[0]) + 1
            found = np.where(labels.category > 0, labels.category == code, -1)
        return np.asarray(np.where(labels.is_labelled, found, -1), dtype=np.int8)


def resolve_target(
    answers: Iterable[Answer],
    raters: Iterable[Rater],
    criterion: str,
    *,
    positive: str | None = None,
    label_cut: float | None = None,
) -> Target:
    """How a criterion is compared, from the answers that occur and from what was asked for.

    0/1 labels: 1 is positive, ``positive="0"`` turns label and score. Ratings need a cut, and then
    likewise. Other answers need the positive one by name.

    Raises:
        BadInputError: no such label, or one that has to be cut or whose positive side is unknown;
            the message lists what there is.
    """
    listed = list(answers)
    mine = [answer for answer in listed if answer.criterion == criterion]
    if not mine:
        known = ", ".join(dict.fromkeys(a.criterion for a in listed)) or "none"
        raise BadInputError(f"No sample has a label {criterion!r}. Labels here: {known}.")
    n_raters = len({r.name for r in raters if r.criterion == criterion and not r.is_context})
    numbers = sorted({a.value for a in mine if a.value is not None})
    categories = sorted({a.category for a in mine if a.value is None and a.category is not None})
    if label_cut is not None:
        return _rating(mine, numbers, criterion, positive, label_cut, n_raters)
    if numbers and set(numbers) <= {0.0, 1.0}:
        return _binary(mine, criterion, positive, n_raters)
    if numbers:
        return _two_values(mine, numbers, criterion, positive, n_raters)
    return _category(categories, criterion, positive, n_raters)


def _texts(answers: Sequence[Answer], low: float, high: float) -> tuple[str, ...]:
    """Answers whose number is at least ``low`` and below ``high``, as a filter names them."""
    found = [a for a in answers if a.value is not None and low <= a.value < high]
    return tuple(dict.fromkeys(a.text for a in sorted(found, key=lambda a: (a.value, a.text))))


def _rating(
    mine: Sequence[Answer],
    numbers: Sequence[float],
    criterion: str,
    positive: str | None,
    cut: float,
    n_raters: int,
) -> Target:
    if not numbers:
        raise BadInputError(f"The label {criterion!r} has no numbers that could be cut.")
    if not np.isfinite(cut):
        raise BadInputError(f"The cut of the label {criterion!r} must be a finite number.")
    if positive not in (None, "0", "1"):
        raise BadInputError(
            f"With a cut the positive side is 1 (at {cut:g} or above) or 0 (below), "
            f"not {positive!r}."
        )
    event = 0 if positive == "0" else 1
    return Target(
        criterion, "rating", float(event), event,
        good=_texts(mine, cut, np.inf), bad=_texts(mine, -np.inf, cut), cut=cut, n_raters=n_raters,
    )  # fmt: skip


def _binary(mine: Sequence[Answer], criterion: str, positive: str | None, n_raters: int) -> Target:
    good, bad = _texts(mine, 1, np.inf), _texts(mine, -np.inf, 1)
    if positive is not None and positive not in ("0", "1", *good, *bad):
        raise BadInputError(
            f"The label {criterion!r} is 0 or 1; {positive!r} cannot be its positive side."
        )
    event = 0 if positive == "0" or positive in bad else 1
    return Target(criterion, "binary", float(event), event, good, bad, n_raters=n_raters)


def _two_values(
    mine: Sequence[Answer],
    numbers: Sequence[float],
    criterion: str,
    positive: str | None,
    n_raters: int,
) -> Target:
    values = ", ".join(f"{number:g}" for number in numbers[:_SHOWN])
    if positive is None or len(numbers) != 2:
        raise BadInputError(
            f"The label {criterion!r} has the values {values}: say from which one on it counts as "
            "good, such as --label-cut 3."
        )
    try:
        wanted = float(positive)
    except ValueError:
        wanted = float("nan")
    if wanted not in numbers:
        raise BadInputError(f"The label {criterion!r} has no value {positive!r}, only {values}.")
    good = tuple(dict.fromkeys(a.text for a in mine if a.value == wanted))
    bad = tuple(dict.fromkeys(a.text for a in mine if a.value not in (None, wanted)))
    return Target(
        criterion, "category", wanted, 1, good, bad, good_value=wanted, n_raters=n_raters,
    )  # fmt: skip


def _category(
    categories: Sequence[str], criterion: str, positive: str | None, n_raters: int
) -> Target:
    named = ", ".join(categories[:_SHOWN]) or "none that can be compared"
    if positive is None or positive not in categories:
        asked = f" has no answer {positive!r}" if positive is not None else " is no yes or no"
        raise BadInputError(
            f"The label {criterion!r}{asked}. Its answers: {named}. Name the positive one, such as "
            f"--positive {(categories or ['ANSWER'])[0]}."
        )
    bad = tuple(category for category in categories if category != positive)
    return Target(
        criterion, "category", positive, 1, (positive,), bad,
        categories=tuple(categories), n_raters=n_raters,
    )  # fmt: skip
