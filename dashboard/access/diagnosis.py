"""What the pages of a run's diagnosis read."""

from core.diagnosis.summary import Summary
from core.workflows import context_use, deriving, matrix, overview, retrieving, review, view_choices
from dashboard.access.store import kept, ready_store


@kept(64)
def load_settings(run_id: str, view: review.View) -> review.Settings:
    """Whose verdicts count in a run and under which cuts; the view's filter does not matter."""
    with ready_store().reading() as connection:
        return review.settings(connection, run_id, view)


@kept(64)
def load_matrix(run_id: str, view: review.View, baseline_id: str | None) -> matrix.Matrix:
    """All figures of the failure-mode page."""
    return matrix.matrix(ready_store(), run_id, view, baseline_id)


@kept(64)
def load_overview(run_id: str, view: review.View, baseline_id: str | None) -> overview.Overview:
    """Everything that the overview of a run says."""
    return overview.overview(ready_store(), run_id, view, baseline_id)


@kept(64)
def load_tag_slices(run_id: str, view: review.View, tag: str) -> list[tuple[str, Summary]]:
    """Diagnosis by the values of one tag."""
    return matrix.tag_slices(ready_store(), run_id, view, tag)


@kept(32)
def load_n_underived(run_id: str) -> int:
    """Samples of a run whose hits have not been worked out yet."""
    return deriving.n_underived(ready_store(), run_id)


@kept(32)
def load_context_use(
    run_id: str, view: review.View, baseline_id: str | None
) -> context_use.ContextUseView:
    """All figures of the page Context use."""
    return context_use.context_use(ready_store(), run_id, view, baseline_id)


@kept(32)
def load_retrieval(run_id: str, view: review.View, baseline_id: str | None) -> retrieving.Retrieval:
    """All figures of the page Retrieval."""
    return retrieving.retrieval(ready_store(), run_id, view, None, baseline_id)


@kept(16)
def load_filter_choices(run_id: str) -> view_choices.FilterChoices:
    """Tags, labels and causes that a run can be filtered by."""
    return view_choices.filter_choices(ready_store(), run_id)


@kept(16)
def load_judge_options(run_id: str) -> tuple[view_choices.JudgeOption, ...]:
    """Whose verdicts can feed each axis of a run."""
    return view_choices.judge_options(ready_store(), run_id)
