"""What the pages say of the hits of a run."""

from core.metrics.hit_rule import HitRule
from core.workflows import hit_rules, retrieval_slices, review
from dashboard.access.store import kept, ready_store


@kept(32)
def load_hit_state(run_id: str, view: review.View) -> hit_rules.HitRuleState:
    """The hit rule of a run and what it changes for the samples in view."""
    return hit_rules.hit_rule_state(ready_store(), run_id, view)


@kept(32)
def load_hit_rule(run_id: str) -> HitRule:
    """The hit rule of a run."""
    return hit_rules.rule_of(ready_store(), run_id)


@kept(256)
def load_marked(run_id: str, position: int) -> dict[int, bool]:
    """By rank what the marks say that the hit rule of a run believes; empty if it believes none."""
    return hit_rules.marked_contexts(ready_store(), run_id, position)


@kept(32)
def load_retrieval_slices(
    run_id: str, view: review.View, tag: str, baseline_id: str | None
) -> list[retrieval_slices.RetrievalSlice]:
    """What was found, by the values of a tag."""
    return retrieval_slices.retrieval_slices(ready_store(), run_id, view, tag, baseline_id)


@kept(32)
def load_cue_slices(
    run_id: str, view: review.View, tag: str, baseline_id: str | None
) -> list[retrieval_slices.CueSlice]:
    """Context use by the values of a tag."""
    return retrieval_slices.cue_slices(ready_store(), run_id, view, tag, baseline_id)
