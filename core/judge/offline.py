"""The offline judge ``lexical-v1``: evidence for every axis from the words that texts share.

It needs no network, no key and no model file, and gives the same verdict every time. It measures
**similarity and cannot see contradictions**: "the battery lasts five hours" and "the battery does
not last five hours" are nearly the same to it, a paraphrase in other words looks unsupported, and
so does an answer in another language than its contexts. The weights of terms come from the run
itself (``fit``), so a verdict depends on the sample and on these weights only, never on the other
samples of a batch.
"""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from core.judge.correctness import compare
from core.judge.cut_texts import noted
from core.judge.lexical_cuts import SENTENCE_CUT
from core.judge.reasons import (
    adherence_reason,
    answer_reason,
    context_reason,
    correctness_reason,
    groundedness_reason,
    refusal_reason,
)
from core.judge.refusal import RefusalMatch, is_refusal
from core.judge.relevance import FLOOR, kind_fits
from core.judge.support import (
    ANYWHERE_SHARE,
    MAX_UNITS,
    MIN_CONTENT,
    PAIR_SHARE,
    WINDOW,
    Claim,
    Evidence,
    claims,
    coverage,
    pairs,
)
from core.judge.terms import TermWeights, content, fit, stem, terms, words
from core.model import Axis, Cause, JudgeKind, JudgeSpec, SampleText, Status, Verdict
from core.text import tokens

__all__ = [
    "METRICS",
    "SPEC",
    "RefusalMatch",
    "TermWeights",
    "fit",
    "is_refusal",
    "judge_sample",
    "refusal_verdict",
]

METRICS: tuple[str, ...] = tuple(axis.value for axis in Axis)

SPEC = JudgeSpec(
    kind=JudgeKind.OFFLINE,
    model="lexical-v1",
    params={
        "anywhere_share": ANYWHERE_SHARE,
        "pair_share": PAIR_SHARE,
        "window_sentences": WINDOW,
        "min_content_words": MIN_CONTENT,
        "max_context_sentences": MAX_UNITS,
        "sentence_cut": SENTENCE_CUT.value,
    },
)

_READS: Mapping[Axis, tuple[str, ...]] = {
    Axis.CONTEXT_RELEVANCE: ("context",),
    Axis.GROUNDEDNESS: ("answer", "context"),
    Axis.ANSWER_RELEVANCE: ("answer",),
    Axis.ADHERENCE: ("answer", "context"),
    Axis.REFUSAL: ("answer",),
    Axis.CORRECTNESS: ("answer",),
}

MAX_LISTED = 200
"""A verdict lists this many sentences of a longer answer; its value is the mean over all."""
_DIGITS = 6  # so that verdicts are the same on machines whose sums differ in the last bit
_NAMED_WORDS = 3


def judge_sample(
    sample: SampleText, weights: TermWeights, metrics: Collection[str] = METRICS
) -> list[Verdict]:
    """One verdict for each of ``metrics``, in the order of the axes.

    Args:
        sample: texts of the sample; ``refused`` as far as it is known by now.
        weights: term weights of the sample's run, see ``fit``.
        metrics: axis names; other names are passed over.
    """
    case = _Case(sample, weights)
    return [
        noted(case.verdict(Axis(metric)), sample, _READS[Axis(metric)])
        for metric in METRICS
        if metric in metrics
    ]


def refusal_verdict(position: int, answer: str | None) -> Verdict:
    """The refusal verdict of an answer by patterns alone: 1 refuses, 0 answers or only hedges."""
    if answer is None:
        return _undefined(position, Axis.REFUSAL, Cause.NO_ANSWERS)
    match = is_refusal(answer)
    detail: dict[str, Any] = {}
    if match.pattern is not None:
        detail = {"pattern": match.pattern, "language": match.language}
    if match.is_partial:
        detail["partial"] = True
    return Verdict(
        position,
        Axis.REFUSAL.value,
        Status.VALUE,
        value=1.0 if match.is_refusal else 0.0,
        cause=Cause.EMPTY.value if match.is_empty else None,
        reasoning=refusal_reason(match),
        detail=detail or None,
    )


_UNDEFINED = {
    Cause.CONTEXTS_NOT_RECORDED: "The run recorded no contexts; there is nothing to compare with.",
    Cause.NO_CONTEXTS: "Nothing was retrieved, so there is nothing that could support the answer.",
    Cause.NO_ANSWERS: "The run recorded no answers.",
    Cause.NO_CLAIMS: "The answer has no sentence with words that could be compared.",
    Cause.REFUSAL: "The answer is a refusal; it claims nothing that contexts could support.",
    Cause.NO_REFERENCE: "There is no reference to compare the answer with.",
    Cause.EMPTY: "The question has no words to compare with.",
}


def _undefined(position: int, axis: Axis, cause: Cause) -> Verdict:
    return Verdict(
        position,
        axis.value,
        Status.NOT_APPLICABLE,
        cause=cause.value,
        reasoning=_UNDEFINED[cause],
    )


class _Case:
    """One sample under judgement; what several axes need is made once."""

    def __init__(self, sample: SampleText, weights: TermWeights) -> None:
        self.sample = sample
        self.weights = weights

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.sample.contexts or (), self.weights)

    @cached_property
    def question_terms(self) -> list[str]:
        return terms(self.sample.question)

    @cached_property
    def answer_words(self) -> list[str]:
        return words(self.sample.answer or "")

    def verdict(self, axis: Axis) -> Verdict:
        match axis:
            case Axis.CONTEXT_RELEVANCE:
                return self._context_relevance()
            case Axis.GROUNDEDNESS:
                return self._groundedness()
            case Axis.ANSWER_RELEVANCE:
                return self._answer_relevance()
            case Axis.ADHERENCE:
                return self._adherence()
            case Axis.REFUSAL:
                return refusal_verdict(self.sample.position, self.sample.answer)
            case Axis.CORRECTNESS:
                return self._correctness()

    def _undefined(self, axis: Axis, cause: Cause) -> Verdict:
        return _undefined(self.sample.position, axis, cause)

    def _value(
        self, axis: Axis, value: float, reasoning: str, detail: Mapping[str, Any] | None
    ) -> Verdict:
        return Verdict(
            self.sample.position,
            axis.value,
            Status.VALUE,
            value=round(value, _DIGITS),
            reasoning=reasoning,
            detail=detail,
        )

    def _context_relevance(self) -> Verdict:
        axis = Axis.CONTEXT_RELEVANCE
        if self.sample.contexts is None:
            return self._undefined(axis, Cause.CONTEXTS_NOT_RECORDED)
        if not self.sample.contexts:
            return Verdict(
                self.sample.position,
                axis.value,
                Status.VALUE,
                value=0.0,
                cause=Cause.NO_CONTEXTS.value,
                reasoning="Nothing was retrieved, so nothing relevant was.",
                detail={"contexts": [], "mean": None},
            )
        if not self.question_terms:
            return self._undefined(axis, Cause.EMPTY)
        scores = [round(score, _DIGITS) for score in self.evidence.per_context(self.question_terms)]
        ranks = self.evidence.ranks
        best = max(range(len(scores)), key=lambda at: (scores[at], -at))
        detail = {
            "contexts": [
                {"rank": rank, "score": score} for rank, score in zip(ranks, scores, strict=True)
            ],
            "mean": round(sum(scores) / len(scores), _DIGITS),
        }
        missing = self._missing_words(self.evidence.all_terms)
        reasoning = context_reason(scores[best], ranks[best], len(scores), missing)
        return self._value(axis, scores[best], reasoning, detail)

    def _no_support(self, axis: Axis) -> Verdict | None:
        """The verdict where support by contexts has no meaning, for want of contexts or words."""
        if self.sample.contexts is None:
            return self._undefined(axis, Cause.CONTEXTS_NOT_RECORDED)
        if self.sample.answer is None:
            return self._undefined(axis, Cause.NO_ANSWERS)
        if not self.sample.contexts:
            return self._undefined(axis, Cause.NO_CONTEXTS)
        return None

    def _groundedness(self) -> Verdict:
        axis = Axis.GROUNDEDNESS
        undefined = self._no_support(axis)
        answer = self.sample.answer or ""
        if undefined is not None:
            return undefined
        if self.sample.refused is True or not answer.strip():
            return self._undefined(axis, Cause.REFUSAL)
        found = claims(answer)
        if not found:
            return self._undefined(axis, Cause.NO_CLAIMS)
        supports = self.evidence.of_claims(found)
        listed: list[dict[str, Any]] = []
        unsupported: list[dict[str, Any]] = []
        n_unsupported = 0
        weakest = min(range(len(found)), key=lambda at: (round(supports[at][0], _DIGITS), at))
        for at, (claim, (support, rank)) in enumerate(zip(found, supports, strict=True)):
            start, end = claim.span
            is_unsupported = round(support, _DIGITS) < SENTENCE_CUT.value
            n_unsupported += is_unsupported
            if at >= MAX_LISTED:
                continue
            entry: dict[str, Any] = {
                "start": start,
                "end": end,
                "support": round(support, _DIGITS),
                "rank": rank,
            }
            absent = self._absent_numbers(claim)
            if absent:
                entry["absent_numbers"] = absent
            listed.append(entry)
            if is_unsupported:
                unsupported.append({"start": start, "end": end, "text": answer[start:end]})
        detail = {
            "n_sentences": len(found),
            "n_unsupported": n_unsupported,
            "sentences": listed,
            "unsupported": unsupported,
        }
        start, end = found[weakest].span
        reasoning = groundedness_reason(len(found), n_unsupported, answer[start:end])
        value = sum(support for support, _ in supports) / len(supports)
        return self._value(axis, value, reasoning, detail)

    def _absent_numbers(self, claim: Claim) -> list[str]:
        """Numbers of a sentence that no context holds: told beside the score, not part of it."""
        numeric = dict.fromkeys(word for word in claim.words if word.isdigit())
        return [word for word in numeric if word not in self.evidence.all_words]

    def _adherence(self) -> Verdict:
        axis = Axis.ADHERENCE
        undefined = self._no_support(axis)
        if undefined is not None:
            return undefined
        if not content(self.answer_words):
            return self._undefined(axis, Cause.NO_CLAIMS)
        value = self.evidence.of_whole(self.answer_words)
        return self._value(axis, value, adherence_reason(value), None)

    def _answer_relevance(self) -> Verdict:
        axis = Axis.ANSWER_RELEVANCE
        if self.sample.answer is None:
            return self._undefined(axis, Cause.NO_ANSWERS)
        if not self.question_terms:
            return self._undefined(axis, Cause.EMPTY)
        found = list(map(stem, self.answer_words))
        there = set(found)
        value = coverage(self.question_terms, there, pairs(found), self.weights, power=2)
        kind = kind_fits(self.sample.question, self.sample.answer)
        detail = {"kind": kind} if kind is not None and value < FLOOR else None
        value = max(value, FLOOR) if kind is not None else value
        reasoning = answer_reason(value, kind if detail else None, self._missing_words(there))
        return self._value(axis, value, reasoning, detail)

    def _missing_words(self, there: set[str]) -> list[str]:
        """The weightiest words of the question that are not there, as they are written."""
        written = {stem(token): token for token in reversed(tokens(self.sample.question))}
        absent = [term for term in content(written) if term not in there]
        absent.sort(key=lambda term: (-self.weights(term), term))
        return [written[term] for term in absent[:_NAMED_WORDS]]

    def _correctness(self) -> Verdict:
        axis = Axis.CORRECTNESS
        answer = self.sample.answer
        if answer is None:
            return self._undefined(axis, Cause.NO_ANSWERS)
        is_refused = self.sample.refused is True or not answer.strip()
        compared = [
            compare(answer, reference, at, is_refused)
            for at, reference in enumerate(self.sample.references)
            if reference.strip()
        ]
        if not compared:
            return self._undefined(axis, Cause.NO_REFERENCE)
        best = max(compared, key=lambda one: (one.value, -one.reference))
        parts = {"words": best.words, "numbers": best.numbers, "same_polarity": best.polarity}
        detail: dict[str, Any] = {
            key: round(part, _DIGITS) if isinstance(part, float) else part
            for key, part in parts.items()
            if part is not None
        }
        if len(compared) > 1:
            detail["reference"] = best.reference
        return self._value(axis, best.value, correctness_reason(best), detail or None)
