"""Claims of a run: every claim score with its n, answer claims by kind, and what a model found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.metrics.claim_labels import NO_CLAIMS, ClaimKind
from core.metrics.claim_sets import CLAIM_METRICS, JUDGE
from core.metrics.intervals import Rate
from core.metrics.means import mean_rate
from core.metrics.registry import METRICS
from core.metrics.spec import MetricSpec
from core.model import JudgeKind
from core.ranges import range_above, range_below
from core.store import claims as stored
from core.store import matching
from core.store.connection import Connection, Store
from core.store.judges import judge_id
from core.store.scores import ScoreSet, score_sets
from core.workflows import review

_JUDGE_ID = judge_id(JUDGE)
#: Score that is above 0 exactly where a sample has a claim of that kind.
_SCORE_OF_KIND = {
    ClaimKind.RIGHT_SUPPORTED: "supported_precision",
    ClaimKind.WRONG_RELEVANT: "noise_sensitivity_rel",
    ClaimKind.WRONG_IRRELEVANT: "noise_sensitivity_irr",
    ClaimKind.WRONG_UNSUPPORTED: "hallucination",
    ClaimKind.RIGHT_UNSUPPORTED: "self_knowledge",
}


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """One score over the matched samples; ``baseline`` is that of another run."""

    spec: MetricSpec
    rate: Rate
    n_not_applicable: int = 0
    n_error: int = 0
    baseline: Rate | None = None


@dataclass(frozen=True, slots=True)
class ClaimsOfKind:
    """Claims of one kind; ``term`` is the filter that keeps the samples that have any."""

    kind: str
    n_claims: int
    n_samples: int
    term: str | None = None


@dataclass(frozen=True, slots=True)
class LabelledClaims:
    """What the labels of the run's file give.

    ``kinds`` add up to the claims of the answers, but for ``n_open``: those that lack a verdict or
    where nothing was retrieved.
    """

    scores: tuple[ClaimScore, ...]
    kinds: tuple[ClaimsOfKind, ...]
    n_open: int

    @property
    def n_claims(self) -> int:
        """Claims of the answers whose kind is known."""
        return sum(one.n_claims for one in self.kinds)


@dataclass(frozen=True, slots=True)
class JudgedClaims:
    """What a model found: claims of the answers by verdict, and its scores.

    A claim that the contexts neither support nor contradict is "not_found". ``contradicted`` and
    ``not_found`` are mean shares of the samples that have claims.
    """

    model: str
    kinds: tuple[ClaimsOfKind, ...]
    scores: tuple[ClaimScore, ...]
    contradicted: Rate
    not_found: Rate


@dataclass(frozen=True, slots=True)
class ClaimFigures:
    """All that is known of the claims of the matched samples; ``n`` counts these."""

    settings: review.Settings
    n: int
    labelled: LabelledClaims | None
    judged: JudgedClaims | None

    def as_json(self) -> dict[str, Any] | None:
        """The part of the command line's document; None where nothing is known of claims."""
        if self.labelled is None and self.judged is None:
            return None
        found: dict[str, Any] = {"n": self.n}
        if self.labelled is not None:
            found["labelled"] = {
                "scores": _scores_json(self.labelled.scores),
                "claims": {
                    **{one.kind: one.n_claims for one in self.labelled.kinds},
                    "open": self.labelled.n_open,
                },
            }
        if self.judged is not None:
            found["judged"] = {
                "judge": self.judged.model,
                "scores": {
                    **_scores_json(self.judged.scores),
                    "contradicted": self.judged.contradicted.as_json(),
                    "not_found": self.judged.not_found.as_json(),
                },
                "claims": {one.kind: one.n_claims for one in self.judged.kinds},
            }
        return found


def _scores_json(scores: Sequence[ClaimScore]) -> dict[str, Any]:
    return {one.spec.id: one.rate.as_json() for one in scores}


def claim_figures(
    store: Store, run_id: str, view: review.View, baseline_id: str | None = None
) -> ClaimFigures:
    """Claims of the matched samples, and the scores of a baseline under the same filter.

    Raises:
        NotFoundError: no such run or baseline.
    """
    baseline: dict[str, Rate] = {}
    with store.reading() as connection:
        if baseline_id is not None:
            base_view = review.View(wanted=view.wanted, hit_share=view.hit_share)
            base = review.settings(connection, baseline_id, base_view)
            review.match(connection, base, base_view)
            rows = stored.state_counts(connection, base.run.run_id, _JUDGE_ID, CLAIM_METRICS)
            baseline = {name: _mean(rows, name) for name in CLAIM_METRICS}
        found = review.settings(connection, run_id, view)
        review.match(connection, found, view)
        return figures_of_matched(connection, found, baseline)


def figures_of_matched(
    connection: Connection, found: review.Settings, baseline: dict[str, Rate] | None = None
) -> ClaimFigures:
    """The same for the samples that are matched already."""
    run_id = found.run.run_id
    sets = score_sets(connection, run_id)
    kinds = {one.kind: one for one in stored.kind_counts(connection, run_id)}
    labelled = None
    if any(one.judge_id == _JUDGE_ID for one in sets):
        rows = stored.state_counts(connection, run_id, _JUDGE_ID, CLAIM_METRICS)
        labelled = LabelledClaims(
            scores=_scores(rows, CLAIM_METRICS, baseline or {}),
            kinds=tuple(_labelled_kind(kind, kinds.get(kind)) for kind in ClaimKind),
            n_open=kinds["open"].n_claims if "open" in kinds else 0,
        )
    n = matching.matched_count(connection)
    return ClaimFigures(found, n, labelled, _judged(connection, run_id, sets))


def _labelled_kind(kind: ClaimKind, known: stored.KindCount | None) -> ClaimsOfKind:
    if known is None:
        return ClaimsOfKind(kind, 0, 0)
    term = f"metric.{_SCORE_OF_KIND[kind]}@{JUDGE.model}={range_above(0.0)}"
    return ClaimsOfKind(kind, known.n_claims, known.n_samples, term)


def _scores(
    rows: Sequence[stored.StateCount], metrics: Sequence[str], baseline: dict[str, Rate]
) -> tuple[ClaimScore, ...]:
    return tuple(
        ClaimScore(
            METRICS[name],
            _mean(rows, name),
            _n_with(rows, name, "not_applicable"),
            _n_with(rows, name, "error"),
            baseline.get(name),
        )
        for name in metrics
    )


def _mean(rows: Sequence[stored.StateCount], metric: str) -> Rate:
    values = [
        one.value
        for one in rows
        if one.metric == metric and one.value is not None
        for _ in range(one.n)
    ]
    return mean_rate(values, reason=NO_CLAIMS)


def _n_with(rows: Sequence[stored.StateCount], metric: str, status: str) -> int:
    return sum(one.n for one in rows if (one.metric, one.status) == (metric, status))


def _judged(connection: Connection, run_id: str, sets: Sequence[ScoreSet]) -> JudgedClaims | None:
    """The claims by the model that judged them last."""
    mine = [one for one in sets if one.kind is JudgeKind.LLM and one.metric == "faithfulness"]
    if not mine:
        return None
    chosen = max(mine, key=lambda one: one.newest_no)
    contrary = {one.judge_id: one for one in sets if one.metric == "faithfulness_contradiction"}
    beside = contrary.get(chosen.judge_id)
    counts = stored.judged_counts(
        connection,
        run_id,
        chosen.judge_id,
        has_contradictions=beside is not None and beside.n_any_status >= chosen.n_any_status,
    )
    metrics = ["faithfulness", *(["faithfulness_contradiction"] if beside is not None else [])]
    rows = stored.state_counts(connection, run_id, chosen.judge_id, metrics)
    recall = [one for one in sets if one.kind is JudgeKind.LLM and one.metric == "context_recall"]
    if recall:
        # A contract of its own, and so a judge of its own.
        asked = max(recall, key=lambda one: one.newest_no).judge_id
        rows += stored.state_counts(connection, run_id, asked, ["context_recall"])
        metrics.append("context_recall")
    not_found = [(one, one.n_claims - one.n_supported - one.n_contradicted) for one in counts]
    below = f"@{chosen.judge_id}={range_below(1.0)}"
    return JudgedClaims(
        model=chosen.model,
        kinds=(
            ClaimsOfKind(
                "supported",
                sum(one.n * one.n_supported for one in counts),
                sum(one.n for one in counts if one.n_supported),
                f"metric.faithfulness@{chosen.judge_id}={range_above(0.0)}",
            ),
            ClaimsOfKind(
                "contradicted",
                sum(one.n * one.n_contradicted for one in counts),
                sum(one.n for one in counts if one.n_contradicted),
                f"metric.faithfulness_contradiction{below}" if beside is not None else None,
            ),
            ClaimsOfKind(
                "not_found",
                sum(one.n * n for one, n in not_found),
                sum(one.n for one, n in not_found if n),
            ),
        ),
        scores=_scores(rows, metrics, {}),
        contradicted=_share([(one.n_contradicted, one) for one in counts]),
        not_found=_share([(n, one) for one, n in not_found]),
    )


def _share(counts: Sequence[tuple[int, stored.JudgedCount]]) -> Rate:
    values = [part / one.n_claims for part, one in counts for _ in range(one.n)]
    return mean_rate(values, reason=NO_CLAIMS)
