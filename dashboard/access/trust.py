"""What the pages Calibration, Agreement and Judge read."""

from core.metrics.agreement import Weights
from core.metrics.resampling import Band, roc_band
from core.store.audit import AuditRow
from core.workflows import (
    agreeing,
    calibrating,
    criteria,
    decisions,
    judge_table,
    labelled_scores,
    trust_choices,
)
from core.workflows.labelled_scores import Paired, Question
from core.workflows.review import View
from core.workflows.targets import Target
from dashboard.access.store import RunIds, kept, ready_store


def load_trust_choices(run_id: str, view: View) -> trust_choices.TrustChoices:
    """Scores, labels, splits and tags of a run; only the view's judge selection matters."""
    return _load_trust_choices(run_id, View(selection=view.selection))


@kept(16)
def _load_trust_choices(run_id: str, view: View) -> trust_choices.TrustChoices:
    return trust_choices.trust_choices(ready_store(), run_id, view)


# Few: at a million samples the pairs of one question take 40 MB, a ranking 25.
@kept(3)
def load_pairs(run_ids: RunIds, question: Question, view: View) -> Paired:
    """Scores and labels of the samples that pass the filter."""
    return labelled_scores.read(ready_store(), run_ids, question, view)


@kept(6)
def load_ranking(
    run_ids: RunIds, question: Question, view: View
) -> tuple[calibrating.Ranking, Band]:
    """Area, curve, suggestions and correlations, and the band around the curve."""
    paired = load_pairs(run_ids, question, view)
    band = roc_band(paired.scores, paired.labels, paired.rule, paired.repeated)
    return calibrating.rank(paired), band


@kept(8)
def load_judge_table(
    run_id: str, question: Question, view: View
) -> tuple[Target, tuple[judge_table.JudgeRow, ...]]:
    """Every judge of a run against a label."""
    return judge_table.judge_table(ready_store(), run_id, question, view)


@kept(16)
def load_agreement(
    run_id: str,
    criterion: str,
    weights: Weights,
    scale: str | None,
    view: View,
    tag: str | None,
    score: str | None,
) -> agreeing.AgreementReport:
    """How far raters agree on a criterion, and a judge with them."""
    return agreeing.agree(
        ready_store(),
        run_id,
        criterion,
        weights=weights,
        scale=scale,
        view=view,
        tag=tag,
        score=score,
    )


@kept(8)
def load_criteria(run_id: str, weights: Weights, view: View) -> criteria.Criteria:
    """What people said, criterion by criterion, and how far they agree."""
    return criteria.criteria(ready_store(), run_id, weights=weights, view=view)


@kept(8)
def load_decisions(run_id: str) -> tuple[AuditRow, ...]:
    """What was decided about a run, the newest first."""
    return decisions.decisions(ready_store(), run_id)
