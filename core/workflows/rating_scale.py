"""The categories of a rating: from the declared scale, never from what happens to occur."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInputError
from core.metrics.roc import Floats
from core.store.calibration import Answer

ScaleSource = Literal["given", "declared", "binary", "assumed"]
_MOST = 101
_SOURCES = {
    "given": "as given",
    "declared": "as the file declares it",
    "binary": "no other answer occurs",
    "assumed": "assumed, because all ratings are whole numbers from 1 to 5",
}


@dataclass(frozen=True, slots=True)
class RatingScale:
    """Categories in order; ``names`` are theirs where the ratings are words, else empty.

    Words stand for 0, 1, 2 … in the order in which they were given.
    """

    values: tuple[float, ...]
    source: ScaleSource
    names: tuple[str, ...] = ()

    @property
    def is_binary(self) -> bool:
        """True for 0 and 1, and for two words."""
        return len(self.values) == 2

    @property
    def text(self) -> str:
        """The scale in words."""
        if self.names:
            return ", ".join(self.names)
        first, last = self.values[0], self.values[-1]
        if self.is_binary:
            return f"{first:g} or {last:g}"
        step = self.values[1] - first if len(self.values) > 1 else 1.0
        steps = "" if step == 1 else f" in steps of {step:g}"
        return f"{first:g} to {last:g}{steps}"

    @property
    def source_text(self) -> str:
        """Where the scale comes from, in words."""
        return _SOURCES[self.source]

    def numbers(self, values: Floats, categories: NDArray[np.int32]) -> Floats:
        """Ratings as numbers of the scale; NaN for an answer that is none, such as "defer".

        ``categories`` count from 1 into ``names``.
        """
        return np.where(categories > 0, categories - 1.0, np.nan) if self.names else values


def parse_scale(text: str) -> RatingScale:
    """A scale from ``1..5``, ``1..4/0.5`` (in steps) or ``poor,fair,good``.

    Raises:
        BadInputError: not of that form, or with fewer than two or too many categories.

    >>> parse_scale("1..4/0.5").values
    (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
    >>> parse_scale("poor, fair, good").names
    ('poor', 'fair', 'good')
    """
    message = f"The scale {text!r} must look like 1..5, 1..4/0.5 or poor,fair,good."
    if ".." not in text:
        names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
        if len(names) < 2:
            raise BadInputError(message)
        return RatingScale(tuple(float(i) for i in range(len(names))), "given", names)
    low, _, rest = text.partition("..")
    high, _, step = rest.partition("/")
    try:
        ends = float(low), float(high), float(step or 1)
    except ValueError:
        raise BadInputError(message) from None
    return RatingScale(_steps(*ends, message), "given")


def _steps(low: float, high: float, step: float, message: str) -> tuple[float, ...]:
    if not (np.isfinite([low, high, step]).all() and step > 0 and high > low):
        raise BadInputError(message)
    n = (high - low) / step
    if abs(n - round(n)) > 1e-9 or not 1 <= round(n) < _MOST:
        raise BadInputError(message)
    return tuple(round(low + i * step, 9) for i in range(round(n) + 1))


def resolve_rating_scale(
    answers: Iterable[Answer],
    criterion: str,
    *,
    given: str | None = None,
    declared: Mapping[str, object] | None = None,
) -> RatingScale:
    """The scale of a criterion: given, else declared in the file, else 0/1, else a 1–5 rubric.

    Raises:
        BadInputError: no such label, a rating off the scale, or a scale that is not known; the
            message says what occurs and asks for ``--scale``.
    """
    listed = list(answers)
    mine = [answer for answer in listed if answer.criterion == criterion]
    if not mine:
        known = ", ".join(dict.fromkeys(a.criterion for a in listed)) or "none"
        raise BadInputError(f"No sample has a label {criterion!r}. Labels here: {known}.")
    numbers = sorted({a.value for a in mine if a.value is not None})
    words = sorted({a.category for a in mine if a.value is None and a.category is not None})
    if given is not None:
        scale = parse_scale(given)
    else:
        scale = _known(numbers, declared) or _unknown(criterion, numbers, words)
    if not scale.names:
        _check(criterion, numbers, scale)
    elif not set(scale.names) & {a.category for a in mine}:
        raise BadInputError(f"None of {scale.text} occurs among the answers to {criterion!r}.")
    return scale


def _known(numbers: Sequence[float], declared: Mapping[str, object] | None) -> RatingScale | None:
    if declared is not None:
        lo, hi = declared.get("lo"), declared.get("hi")
        if isinstance(lo, float) and isinstance(hi, float) and float(hi - lo).is_integer():
            return RatingScale(_steps(lo, hi, 1.0, "The declared scale is empty."), "declared")
    if numbers and set(numbers) <= {0.0, 1.0}:
        return RatingScale((0.0, 1.0), "binary")
    if numbers and set(numbers) <= {1.0, 2.0, 3.0, 4.0, 5.0}:
        return RatingScale((1.0, 2.0, 3.0, 4.0, 5.0), "assumed")
    return None


def _unknown(criterion: str, numbers: Sequence[float], words: Sequence[str]) -> RatingScale:
    seen = ", ".join([*(f"{number:g}" for number in numbers), *words][:12])
    example = "1..5" if numbers else ",".join(words[:3])
    raise BadInputError(
        f"The scale of {criterion!r} is not known. Its answers: {seen}. Say which categories there "
        f"are, also those that nobody chose: --scale {example}"
    )


def _check(criterion: str, numbers: Sequence[float], scale: RatingScale) -> None:
    off = [number for number in numbers if number not in scale.values]
    if off:
        seen = ", ".join(f"{number:g}" for number in off[:5])
        raise BadInputError(
            f"{criterion!r} has ratings off the scale {scale.text}: {seen}. One stray code would "
            "change every coefficient; correct it or name the scale with --scale."
        )
