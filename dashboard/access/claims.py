"""What the pages say of single claims."""

from core.workflows import claim_figures, review
from dashboard.access.store import kept, ready_store


@kept(32)
def load_claims(
    run_id: str, view: review.View, baseline_id: str | None
) -> claim_figures.ClaimFigures:
    """Claims of the samples in view, with the scores of a baseline."""
    return claim_figures.claim_figures(ready_store(), run_id, view, baseline_id)
