"""What is read of single samples and of the requests about them."""

from typing import Any

from core.store import calls
from core.workflows import review, sample_views
from dashboard.access.store import kept, ready_store


@kept(8)
def load_sample_ids(run_id: str, view: review.View) -> tuple[str, ...]:
    """Ids of the samples that pass the filter of a view."""
    return sample_views.sample_ids(ready_store(), run_id, view)


@kept(8)
def _load_queue(run_id: str, view: review.View) -> sample_views.Queue:
    return sample_views.queue(ready_store(), run_id, view)


@kept(128)
def load_sample(
    run_id: str, view: review.View, sample_id: str | None
) -> sample_views.SampleView | None:
    """One sample with its place among those that match, or the first of them."""
    return sample_views.sample_view(
        ready_store(), run_id, view, sample_id, _load_queue(run_id, view)
    )


@kept(16)
def load_sample_alone(run_id: str, view: review.View, sample_id: str) -> sample_views.SampleView:
    """One sample under a view, wherever it stands in it."""
    return sample_views.sample_alone(ready_store(), run_id, view, sample_id)


@kept(8)
def load_calls(run_id: str, limit: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What requests about a run came to, and the newest of them without their texts."""
    with ready_store().reading() as connection:
        return calls.call_counts(connection, run_id), calls.call_log(
            connection, run_id, limit=limit
        )


@kept(16)
def load_calls_of(run_id: str, verdict_nos: tuple[int, ...]) -> dict[int, list[dict[str, Any]]]:
    """The requests behind some verdicts with all their texts, by the number of the verdict."""
    if not verdict_nos:
        return {}
    with ready_store().reading() as connection:
        return {number: calls.calls_of(connection, run_id, number) for number in verdict_nos}
