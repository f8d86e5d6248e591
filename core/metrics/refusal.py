"""Did the system decline exactly where it should have? Per sample and for a run."""

from dataclasses import dataclass

from core.metrics.intervals import Rate, wilson


def should_refuse(
    answerable: int | None, is_out_of_scope: bool | None = None, is_cr_high: bool | None = None
) -> int | None:
    """1 if the system should decline: by label, else by scope, else by low context relevance.

    ``answerable`` is the label 1 or 0. None when nothing of this is known.

    >>> should_refuse(answerable=0, is_cr_high=True), should_refuse(None, is_cr_high=True)
    (1, 0)
    """
    if answerable is not None:
        return 1 - answerable
    if is_out_of_scope is not None:
        return int(is_out_of_scope)
    return None if is_cr_high is None else int(not is_cr_high)


def refusal_accuracy(refusal: int | None, should: int | None) -> int | None:
    """1 if the system declined where it should and answered where it should, else 0.

    None when either is not known.
    Source: ASTRID, Findings of ACL 2025, section 3.2.2.

    >>> refusal_accuracy(1, 1), refusal_accuracy(0, 1), refusal_accuracy(None, 1)
    (1, 0, None)
    """
    if refusal is None or should is None:
        return None
    return int(refusal == should)


@dataclass(frozen=True, slots=True)
class RefusalCounts:
    """Samples by what the system did and what it should have done."""

    answered_answerable: int
    refused_answerable: int
    answered_unanswerable: int
    refused_unanswerable: int

    @property
    def n(self) -> int:
        """All samples of the table."""
        return (
            self.answered_answerable
            + self.refused_answerable
            + self.answered_unanswerable
            + self.refused_unanswerable
        )

    @property
    def accuracy(self) -> Rate:
        """Right decisions of all."""
        return wilson(self.answered_answerable + self.refused_unanswerable, self.n)

    @property
    def precision(self) -> Rate:
        """Refusals that were right, of all refusals."""
        refused = self.refused_answerable + self.refused_unanswerable
        return wilson(self.refused_unanswerable, refused, "no sample was refused")

    @property
    def recall(self) -> Rate:
        """Refusals of all samples that should be refused."""
        wanted = self.answered_unanswerable + self.refused_unanswerable
        return wilson(self.refused_unanswerable, wanted, "no sample should be refused")

    @property
    def over_refusal_rate(self) -> Rate:
        """Refusals of all answerable samples: P(refuse | answerable)."""
        answerable = self.answered_answerable + self.refused_answerable
        return wilson(self.refused_answerable, answerable, "no sample is answerable")

    @property
    def missed_refusal_rate(self) -> Rate:
        """Answers of all unanswerable samples: P(answer | unanswerable) = 1 - recall."""
        wanted = self.answered_unanswerable + self.refused_unanswerable
        return wilson(self.answered_unanswerable, wanted, "no sample should be refused")
