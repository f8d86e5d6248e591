"""What the page Answers reads."""

from core.metrics.intervals import Rate
from core.workflows import answers
from core.workflows.review import View
from dashboard.access.store import kept, ready_store


@kept(32)
def load_answers(run_id: str, view: View) -> answers.Answers:
    """Outcomes, sources of correctness, refusals and comparisons of the samples in view."""
    return answers.load_answers(ready_store(), run_id, view)


@kept(32)
def load_score_view(run_id: str, view: View, name: str) -> answers.ScoreView:
    """One comparison, or correctness, in detail."""
    return answers.score_view(ready_store(), run_id, view, name)


@kept(32)
def load_score_slices(run_id: str, view: View, name: str, tag: str) -> list[tuple[str, Rate]]:
    """One comparison, or correctness, by the values of a tag."""
    return answers.score_slices(ready_store(), run_id, view, name, tag)
