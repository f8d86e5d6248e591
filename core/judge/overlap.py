"""The offline judge ``overlap-v1``: an answer against the expected one, without judging either.

It compares words only. None of its scores feeds an axis; the same text, the same list and the same
letter settle correctness where no person did (``core.metrics.correctness``).
"""

from collections.abc import Collection, Sequence

from core.metrics.answers import exact_match, list_component_f1, rouge_l, token_f1
from core.metrics.correctness import LIST_AT, choice_match
from core.metrics.item_lists import items_of
from core.metrics.similarity import TfidfSimilarity, semantic_similarity
from core.model import Cause, JudgeKind, JudgeSpec, SampleText, Status, Verdict
from core.text import tokens

COMPARISONS = (
    "exact_match", "choice_match", "token_f1", "rouge_l", "list_component_f1",
    "semantic_similarity",
)  # fmt: skip
"""What it says about an answer beside its references, in this order."""

METRICS = (*COMPARISONS, "answer_words")
"""What it gives; the length needs no reference."""

FIT_SAMPLES = 2_000
"""Word weights come from the answers and references of so many samples of the run."""

SPEC = JudgeSpec(
    kind=JudgeKind.OFFLINE,
    model="overlap-v1",
    params={"list_at": LIST_AT, "fit_samples": FIT_SAMPLES},
)

_DIGITS = 6  # so that verdicts are the same on machines whose sums differ in the last bit
_UNDEFINED = {
    Cause.NO_ANSWERS: "The run recorded no answers.",
    Cause.NO_REFERENCE: "There is no expected answer to compare with.",
    Cause.EMPTY: "The answer or the expected answer has no word that could be compared.",
}


def compare_answer(
    position: int,
    question: str,
    answer: str,
    references: Sequence[str],
    similarity: TfidfSimilarity,
    metrics: Collection[str] = METRICS,
) -> list[Verdict]:
    """Verdicts about one sample; the best of several references counts.

    A question without options has no ``choice_match`` at all. ``similarity`` has the word weights
    of the run.

    >>> fit = TfidfSimilarity.fit(["red lamp", "blue lamp"])
    >>> [(v.metric, v.value) for v in compare_answer(0, "?", "a red lamp", ["red lamp"], fit)][:2]
    [('exact_match', 1.0), ('token_f1', 1.0)]
    """
    case = _Case(position, question, answer, references, similarity)
    return [
        verdict
        for metric in METRICS
        if metric in metrics and (verdict := case.verdict(metric)) is not None
    ]


def judge_sample(
    sample: SampleText, similarity: TfidfSimilarity, metrics: Collection[str] = METRICS
) -> list[Verdict]:
    """As ``compare_answer``, for a sample as judges read it; without answers nothing applies."""
    if sample.answer is None:
        return [
            _undefined(sample.position, metric, Cause.NO_ANSWERS)
            for metric in METRICS
            if metric in metrics
        ]
    return compare_answer(
        sample.position, sample.question, sample.answer, sample.references, similarity, metrics
    )


def _undefined(position: int, metric: str, cause: Cause) -> Verdict:
    return Verdict(
        position,
        metric,
        Status.NOT_APPLICABLE,
        cause=cause.value,
        reasoning=_UNDEFINED[cause],
    )


class _Case:
    def __init__(
        self,
        position: int,
        question: str,
        answer: str,
        references: Sequence[str],
        similarity: TfidfSimilarity,
    ) -> None:
        self.position = position
        self.question = question
        self.answer = answer
        self.references = references
        self.similarity = similarity

    def verdict(self, metric: str) -> Verdict | None:
        if metric == "choice_match":
            return self._choice()
        if metric != "answer_words" and not self.references:
            return _undefined(self.position, metric, Cause.NO_REFERENCE)
        value = self._value(metric)
        if value is None:
            return _undefined(self.position, metric, Cause.EMPTY)
        is_same_list = metric == "list_component_f1" and value >= LIST_AT and self._settles()
        detail = {"settles": True} if is_same_list else None
        return Verdict(
            self.position, metric, Status.VALUE, value=float(round(value, _DIGITS)), detail=detail
        )

    def _value(self, metric: str) -> float | None:
        match metric:
            case "exact_match":
                return exact_match(self.answer, self.references)
            case "token_f1":
                return token_f1(self.answer, self.references)
            case "rouge_l":
                return rouge_l(self.answer, self.references)
            case "list_component_f1":
                return list_component_f1(self.answer, self.references)
            case "answer_words":
                return len(tokens(self.answer))
            case _:
                return semantic_similarity(self.similarity, self.answer, self.references)

    def _settles(self) -> bool:
        """True if the answer is the same list as a reference that is one."""
        lists = [text for text in self.references if len(items_of(text)) > 1]
        found = list_component_f1(self.answer, lists) if lists else None
        return found is not None and found >= LIST_AT

    def _choice(self) -> Verdict | None:
        found = choice_match(self.answer, self.references, self.question)
        if found is None:
            return None
        return Verdict(self.position, "choice_match", Status.VALUE, value=float(found))
