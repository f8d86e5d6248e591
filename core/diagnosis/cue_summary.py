"""From counted patterns to the figures of context use: quadrants, headline rates and gaps.

Accuracy says how many answers are right, not why. The three gaps compare it with what was
retrieved and used; they are different figures and none stands for another.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from core.diagnosis.cue import CUE_TABLE, CuePattern, Extended, Published
from core.metrics.intervals import Rate, paired_difference, undefined_rate, wilson

NO_HITS = "no sample has gold evidence to compare the contexts with"
NO_OUTCOME = "no answer has known correctness beside what the figure compares it with"
NO_QUADRANT = "no sample has both a hit result and an adherence score"


@dataclass(frozen=True, slots=True)
class GapSpec:
    """One headline figure of context use in words; H hit, A adherence high, C correct."""

    id: str
    name: str
    formula: str
    meaning: str


_SPECS = (
    GapSpec(
        "hit_share",
        "Hit share",
        "P(H)",
        "Samples whose contexts hold the evidence.",
    ),
    GapSpec(
        "effective_use",
        "Effective use",
        "P(H and A)",
        "Samples whose evidence was retrieved and whose answer keeps to the contexts, right or "
        "wrong: the published quadrant.",
    ),
    GapSpec(
        "gap_hit",
        "Accuracy above hits",
        "P(C) - P(H)",
        "How far accuracy exceeds what retrieval explains. The least possible share of correct "
        "answers without a hit; below 0 where more evidence was found than used well.",
    ),
    GapSpec(
        "gap_effective",
        "Accuracy above effective use",
        "P(C) - P(H and A)",
        "How far accuracy exceeds effective use. The least possible share of correct answers "
        "without evidence in use; it can be below 0.",
    ),
    GapSpec(
        "ungrounded_correct",
        "Correct without evidence",
        "P(C and not (H and A))",
        "Correct answers that rest on no verified evidence, counted sample by sample: right, with "
        "nothing to rely on next time.",
    ),
)
GAPS: Mapping[str, GapSpec] = MappingProxyType({spec.id: spec for spec in _SPECS})


class CueCount(NamedTuple):
    """``n`` samples with the same code of context use."""

    code: int
    n: int


@dataclass(frozen=True, slots=True)
class CueSummary:
    """Counts of a set of samples; every quadrant has its entry, also at 0.

    ``correct_by_hit`` and ``correct_by_use`` count the samples whose hit and outcome are known: by
    (correct, hit) and, where adherence is known too or the sample is a refusal, by (correct, hit
    and adherent). A refusal is not correct and needs no adherence; without any answer among them
    whose correctness is known, accuracy and what is compared with it are undefined.
    """

    n: int
    published: Mapping[Published, int]
    extended: Mapping[Extended, int]
    n_hit: int
    n_hit_known: int
    correct_by_hit: Mapping[tuple[int, int], int]
    correct_by_use: Mapping[tuple[int, int], int]
    n_answers_by_hit: int
    n_answers_by_use: int

    @property
    def hit_share(self) -> Rate:
        """Samples with a hit of those whose hit is known."""
        return wilson(self.n_hit, self.n_hit_known, NO_HITS)

    @property
    def effective_use(self) -> Rate:
        """Samples in the published quadrant of those in one of the four."""
        known = self.n - self.published[Published.UNDETERMINED]
        return wilson(self.published[Published.EFFECTIVE_USE], known, NO_QUADRANT)

    @property
    def gap_hit(self) -> Rate:
        """Accuracy minus hit share, samples paired; -1..1."""
        return _gap(self.correct_by_hit, self.n_answers_by_hit)

    @property
    def gap_effective(self) -> Rate:
        """Accuracy minus effective use, samples paired; -1..1."""
        return _gap(self.correct_by_use, self.n_answers_by_use)

    @property
    def ungrounded_correct(self) -> Rate:
        """Correct answers without a hit in use, of the samples where all of it is known."""
        return self._share(self.correct_by_use[1, 0])

    @property
    def grounded_correct(self) -> Rate:
        """Correct answers with a hit in use; with ``ungrounded_correct`` their accuracy."""
        return self._share(self.correct_by_use[1, 1])

    @property
    def accuracy_in_use(self) -> Rate:
        """Accuracy of the samples where hit and adherence are known: the two parts together."""
        return self._share(self.correct_by_use[1, 0] + self.correct_by_use[1, 1])

    def _share(self, k: int) -> Rate:
        if not self.n_answers_by_use:
            return undefined_rate(NO_OUTCOME)
        return wilson(k, sum(self.correct_by_use.values()))

    def as_json(self) -> dict[str, Any]:
        """What ``ragtriage diagnose`` says about context use; the headline keys join the others."""
        return {
            "cue_published": {str(quadrant): n for quadrant, n in self.published.items()},
            "cue_extended": {str(quadrant): n for quadrant, n in self.extended.items()},
            "headline": {name: getattr(self, name).as_json() for name in GAPS},
        }


def _gap(counts: Mapping[tuple[int, int], int], n_answers: int) -> Rate:
    n = sum(counts.values())
    found = paired_difference(counts[1, 1], counts[1, 0], counts[0, 1], counts[0, 0])
    if found is None or not n_answers:
        return undefined_rate(NO_OUTCOME)
    return Rate(found.value, found.low, found.high, n, counts[1, 0] - counts[0, 1])


def summarise_cue(rows: Iterable[CueCount]) -> CueSummary:
    """Add up counted patterns.

    >>> right, wrong = CuePattern(1, 1, 1, 0), CuePattern(0, 1, 0, 0)
    >>> summary = summarise_cue([CueCount(right.code, 3), CueCount(wrong.code, 1)])
    >>> summary.hit_share.value, summary.gap_hit.value, summary.published[Published.LUCKY_GUESS]
    (0.75, 0.0, 1)
    """
    published: Counter[Published] = Counter()
    extended: Counter[Extended] = Counter()
    by_hit: Counter[tuple[int, int]] = Counter()
    by_use: Counter[tuple[int, int]] = Counter()
    total: Counter[str] = Counter()
    for code, n in rows:
        use, pattern = CUE_TABLE[code], CuePattern.from_code(code)
        published[use.published] += n
        extended[use.extended] += n
        total["n"] += n
        if pattern.hit is None:
            continue
        total["hit_known"] += n
        total["hit"] += n * pattern.hit
        correct = 0 if pattern.refusal == 1 else pattern.correct
        if correct is None:
            continue
        is_answer = pattern.refusal != 1
        by_hit[correct, pattern.hit] += n
        total["answers_by_hit"] += n * is_answer
        if not is_answer or pattern.adherence is not None:
            by_use[correct, int(pattern.hit == 1 and pattern.adherence == 1)] += n
            total["answers_by_use"] += n * is_answer
    cells = [(correct, there) for correct in (0, 1) for there in (0, 1)]
    return CueSummary(
        n=total["n"],
        published={quadrant: published[quadrant] for quadrant in Published},
        extended={quadrant: extended[quadrant] for quadrant in Extended},
        n_hit=total["hit"],
        n_hit_known=total["hit_known"],
        correct_by_hit={cell: by_hit[cell] for cell in cells},
        correct_by_use={cell: by_use[cell] for cell in cells},
        n_answers_by_hit=total["answers_by_hit"],
        n_answers_by_use=total["answers_by_use"],
    )


def joint_bounds(k_one: int, k_other: int, n: int) -> tuple[int, int]:
    """Least and most samples with both of two properties, if only their counts are known.

    max(0, k_one + k_other - n) .. min(k_one, k_other)

    Source: Fréchet (1935), Fundamenta Mathematicae 25, 379-387.

    Raises:
        ValueError: a count is not between 0 and n.

    >>> joint_bounds(42, 59 - 29, 59)   # correct, and not in effective use
    (13, 30)
    """
    if not (0 <= k_one <= n and 0 <= k_other <= n):
        raise ValueError(f"{k_one} and {k_other} of {n} are no counts")
    return max(0, k_one + k_other - n), min(k_one, k_other)
