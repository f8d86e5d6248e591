"""``ragtriage retrieval`` and the page Retrieval: what the retriever found, rank by rank."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.metrics.hit_rule import PLAIN, HitRule
from core.metrics.hits import HitPolicy
from core.metrics.redundancy import (
    Pairs,
    RedundancyFigures,
    redundancy_by_sample,
    redundancy_figures,
)
from core.metrics.retrieval_figures import RetrievalFigures, retrieval_figures
from core.store import derived, matching
from core.store.connection import Connection, Store
from core.store.hit_rules import hit_rule, in_words
from core.workflows import review
from core.workflows.context_usefulness import ContextFigures, context_figures
from core.workflows.deriving import derive
from core.workflows.hit_rules import HitEffect, hit_effect

MAX_DEPTH = 20
"""Ranks that a page shows; the command line goes as deep as it is asked."""
_LISTED = 10


@dataclass(frozen=True, slots=True)
class Useless:
    """A document that is retrieved often and holds no evidence in any of the samples."""

    doc_id: str
    n_retrieved: int
    mean_rank: float


@dataclass(frozen=True, slots=True)
class Repeating:
    """A sample whose two most similar contexts share this much of their words."""

    sample_id: str
    question: str
    largest: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """All figures of one run under a view, and of its baseline under the same filter."""

    settings: review.Settings
    n: int
    figures: RetrievalFigures
    redundancy: RedundancyFigures
    n_underived: int
    repeating: tuple[Repeating, ...]
    useless: tuple[Useless, ...]
    baseline: RetrievalFigures | None = None
    rule: HitRule = PLAIN
    effect: HitEffect | None = None
    contexts: ContextFigures = field(default_factory=ContextFigures)
    baseline_redundancy: RedundancyFigures | None = None

    def as_json(self) -> dict[str, Any]:
        """The document of the command line."""
        return {
            "run_id": self.settings.run.run_id,
            "name": self.settings.run.name,
            **self.figures.as_json(),
            **self.redundancy.as_json(),
            **self.contexts.as_json(),
            **self._rule_as_json(),
        }

    def _rule_as_json(self) -> dict[str, Any]:
        if self.effect is None:
            return {}
        return {
            "hit_rule": {
                "use_reference": self.rule.use_reference,
                "medical_terms": self.rule.terms_name,
                "marks": None if self.rule.marks is None else self.rule.marks.key,
                "words": in_words(self.rule),
                "effect": self.effect.as_json(),
            }
        }


def retrieval(
    store: Store,
    run_id: str,
    view: review.View,
    k: int | None = None,
    baseline_id: str | None = None,
) -> Retrieval:
    """Figures of the matched samples down to rank k, or to the longest list.

    Hits must have been worked out (``deriving.derive``); what is missing is counted.

    Raises:
        NotFoundError: no such run or baseline.
        ValueError: k is below 1.
    """
    baseline, baseline_redundancy = None, None
    if baseline_id is not None:
        base_view = review.View(wanted=view.wanted, hit_share=view.hit_share)
        with review.matched(store, baseline_id, base_view) as (connection, found):
            table = derived.retrieval_table(connection, found.run.run_id)
            pairs = derived.redundancy_pairs(connection, found.run.run_id)
        baseline_redundancy = redundancy_figures(pairs, k)
        baseline = retrieval_figures(table, k, policy=HitPolicy(view.hit_share))
    with review.matched(store, run_id, view) as (connection, found):
        run_id = found.run.run_id
        table = derived.retrieval_table(connection, run_id)
        pairs = derived.redundancy_pairs(connection, run_id)
        n_underived = derived.matched_underived(connection, run_id)
        n = matching.matched_count(connection)
        useless = tuple(
            Useless(*row) for row in derived.useless_documents(connection, run_id, _LISTED)
        )
        repeating = _repeating(connection, run_id, pairs)
        rule = hit_rule(connection, run_id)
        contexts = context_figures(connection, found, k)
        effect = hit_effect(connection, run_id, view.hit_share) if rule.key else None
    return Retrieval(
        settings=found,
        n=n,
        figures=retrieval_figures(table, k, policy=HitPolicy(view.hit_share)),
        redundancy=redundancy_figures(pairs, k),
        n_underived=n_underived,
        repeating=repeating,
        useless=useless,
        baseline=baseline,
        rule=rule,
        contexts=contexts,
        baseline_redundancy=baseline_redundancy,
        effect=effect,
    )


def _repeating(connection: Connection, run_id: str, pairs: Pairs) -> tuple[Repeating, ...]:
    by_sample = redundancy_by_sample(pairs)
    largest = sorted(
        zip(by_sample.largest.tolist(), by_sample.samples.tolist(), strict=True),
        key=lambda item: (-item[0], item[1]),
    )[:_LISTED]
    texts = derived.questions(connection, run_id, [position for _, position in largest])
    return tuple(Repeating(*texts[position], share) for share, position in largest)


def run_retrieval(
    store: Store,
    run_id: str,
    view: review.View,
    k: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Work out what is missing, then the figures as the command line prints them."""
    derive(store, run_id, progress)
    return retrieval(store, run_id, view, k).as_json()
