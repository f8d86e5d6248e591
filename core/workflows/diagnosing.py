"""``ragtriage diagnose``: the modes of a run as figures, and sample by sample."""

from collections.abc import Iterable
from typing import Any

from core.diagnosis.triad import TABLE, severity_by_code
from core.errors import BadInputError
from core.metrics.intervals import wilson
from core.model import Axis, Flag
from core.store import matching
from core.store.connection import Connection, Store
from core.workflows import claim_figures, matrix, review, view_choices
from core.workflows.context_use import cue_summary
from core.workflows.deriving import derive


def parse_cuts(store: Store, run_id: str, pairs: Iterable[str]) -> tuple[tuple[Axis, float], ...]:
    """Cuts from ``metric=cut`` texts; the metric is an axis or what feeds it.

    Raises:
        BadInputError: not of that form, or a metric that feeds no axis of the run.
    """
    wanted = list(pairs)
    if not wanted:
        return ()
    with store.reading() as connection:
        settings = review.settings(connection, run_id, review.View())
    found = []
    for pair in wanted:
        name, separator, text = pair.rpartition("=")
        try:
            cut = float(text)
        except ValueError:
            separator = ""
            cut = 0.0
        if not separator:
            raise BadInputError(f"--set {pair!r} must look like groundedness=0.6.")
        metric = settings.run.metric_called(name.strip())
        found.append((view_choices.metric_name_to_axis(settings.choices, metric), cut))
    return tuple(found)


def diagnose(
    store: Store, run_id: str, view: review.View, *, samples: bool = False
) -> dict[str, Any]:
    """Counts of all modes, flags and headline rates; with ``samples`` one row per sample.

    What hits still miss is worked out first, which happens once per run.

    Raises:
        NotFoundError: no such run.
    """
    derive(store, run_id)
    with review.matched(store, run_id, view) as (connection, found):
        summary = review.summary_of(connection, found)
        axes = matrix.axis_coverage(connection, found.run.run_id)
        result: dict[str, Any] = {
            "run_id": found.run.run_id,
            "name": found.run.name,
            **_with_context_use(summary.as_json(), cue_summary(connection).as_json()),
            "axes": {
                str(row.axis): {
                    "metric": choice.metric if (choice := found.choices.get(row.axis)) else None,
                    "judge": found.models.get(choice.judge_id) if choice else None,
                    "judge_kind": choice.kind.value if choice else None,
                    "cut": found.cut(row.axis).value,
                    "cut_source": found.cut(row.axis).source,
                    "direction": found.cut(row.axis).direction.value,
                    "scored": wilson(row.n_value, row.n).as_json(),
                    "not_applicable": _causes(row, "not_applicable"),
                    "error": _causes(row, "error"),
                    "not_scored": row.n_not_scored,
                }
                for row in axes
            },
        }
        claims = claim_figures.figures_of_matched(connection, found).as_json()
        if claims is not None:
            result["claims"] = claims
        if samples:
            result["samples"] = sample_rows(connection, found)
    return result


def _with_context_use(triad: dict[str, Any], cue: dict[str, Any]) -> dict[str, Any]:
    return {**triad, **cue, "headline": {**triad["headline"], **cue["headline"]}}


def _causes(row: matrix.AxisCoverage, status: str) -> dict[str, int]:
    return {cause or "unknown": n for state, cause, n in row.causes if state == status}


def sample_rows(connection: Connection, found: review.Settings) -> list[dict[str, Any]]:
    """One row per matched sample, the most severe first."""
    rows = []
    for record in matching.matched_rows(connection, severity_by_code()):
        diagnosis = TABLE[record["code"]]
        flags = {flag.value for flag in diagnosis.flags}
        flags |= {flag.value for flag, name in _FLAG_COLUMNS if record[name]}
        rows.append(
            {
                "sample_id": record["sample_id"],
                "mode": diagnosis.mode.value,
                "possible": sorted(mode.value for mode in diagnosis.possible),
                "flags": sorted(flags),
                "context_relevance": record["context_relevance"],
                "groundedness": record["groundedness"],
                "answer_relevance": record["answer_relevance"],
            }
        )
    return rows


_FLAG_COLUMNS = (
    (Flag.NOISY_RETRIEVAL, "is_noisy"),
    (Flag.BORDERLINE, "is_borderline"),
    (Flag.PARTIAL, "is_partial"),
    (Flag.PARTIAL_REFUSAL, "is_partial_refusal"),
    (Flag.UNSTABLE_JUDGE, "is_unstable"),
    (Flag.PROXY_HIT, "is_proxy_hit"),
)
