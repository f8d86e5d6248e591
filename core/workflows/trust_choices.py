"""What the pages Calibration and Agreement can be asked about a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.metrics.registry import METRICS
from core.model import Axis, JudgeKind
from core.store import calibration as reads
from core.store import parts, queries
from core.store.calibration import Answer
from core.store.connection import Store
from core.store.scores import score_sets
from core.workflows import review
from core.workflows.labelled_scores import axis_fed
from core.workflows.overview import CALIBRATION_TARGETS

LabelKind = Literal["binary", "rating", "category"]
_FIRST_LABELS = (*CALIBRATION_TARGETS, "correct", "triage")


@dataclass(frozen=True, slots=True)
class ScoreChoice:
    """Scores by the name that ``--score`` takes; ``axis`` if they feed one under the selection."""

    name: str
    metric: str
    model: str
    kind: JudgeKind
    n_value: int
    axis: Axis | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that a link may call these scores by."""
        return self.name, self.metric, f"{self.metric}@{self.model}"


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """A criterion: who labelled, how many samples, and which answers occur."""

    name: str
    kind: LabelKind
    n: int
    raters: tuple[str, ...]
    values: tuple[float, ...]
    categories: tuple[str, ...]
    of_contexts: bool = False


@dataclass(frozen=True, slots=True)
class TrustChoices:
    """Scores with values, labels, the split of each label, and tags of a run."""

    run: queries.RunRow
    scores: tuple[ScoreChoice, ...]
    labels: tuple[LabelChoice, ...]
    parts: Mapping[str, Mapping[str, int]]
    opened: frozenset[str]
    tags: tuple[str, ...]

    @property
    def sample_labels(self) -> tuple[LabelChoice, ...]:
        """Labels of samples, not of contexts; only these can be compared with a score."""
        return tuple(label for label in self.labels if not label.of_contexts)

    def score(self, name: str | None) -> ScoreChoice | None:
        """The score of that name, else groundedness, else the first."""
        named = [one for one in self.scores if name in one.names]
        grounded = [one for one in self.scores if one.axis is Axis.GROUNDEDNESS]
        others = sorted(self.scores, key=_is_rarely_asked)
        return next(iter((*named, *grounded, *others)), None)

    def label(self, name: str | None) -> LabelChoice | None:
        """The label of that name, else the one that most likely says what is right."""
        known = {one.name: one for one in self.sample_labels}
        wanted = [known[n] for n in (name, *_FIRST_LABELS) if n is not None and n in known]
        binary = [one for one in self.sample_labels if one.kind == "binary"]
        return next(iter((*wanted, *binary, *self.sample_labels)), None)

    def criterion(self, name: str | None) -> LabelChoice | None:
        """The criterion of that name, else the one with most raters."""
        named = [one for one in self.labels if one.name == name]
        first = {label: place for place, label in enumerate(_FIRST_LABELS)}
        ranked = sorted(
            self.labels,
            key=lambda one: (-len(one.raters), first.get(one.name, len(first)), -one.n, one.name),
        )
        return next(iter((*named, *ranked)), None)


def _is_rarely_asked(one: ScoreChoice) -> tuple[bool, bool, bool]:
    """Order of what stands in where nothing is asked for.

    Every run with answers has their lengths, which judge nothing, the refusal patterns, and
    comparisons of words; any score that somebody gave comes before them.
    """
    spec = METRICS.get(one.metric)
    is_length = spec is not None and not spec.scale.is_known
    is_comparison = one.axis is None and one.kind is JudgeKind.OFFLINE
    return is_length, one.axis is Axis.REFUSAL, is_comparison


def trust_choices(store: Store, run_id: str, view: review.View) -> TrustChoices:
    """Everything that can be chosen for a run under a view's judge selection.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        settings = review.settings(connection, run_id, view)
        run_id = settings.run.run_id
        scores = []
        for one in score_sets(connection, run_id):
            axis = axis_fed(settings, one)
            if one.n_value:
                name = axis.value if axis is not None else one.name
                scores.append(ScoreChoice(name, one.metric, one.model, one.kind, one.n_value, axis))
        answers = reads.answers(connection, run_id)
        raters = reads.raters(connection, run_id)
        dealt = parts.part_counts(connection, run_id)
        opened = parts.opened_tests(connection, run_id)
        tags = dict.fromkeys(name for name, _, _ in queries.tag_values(connection, run_id))
    names = dict.fromkeys(rater.criterion for rater in raters)
    order = list(Axis)
    return TrustChoices(
        run=settings.run,
        scores=tuple(
            sorted(
                scores,
                key=lambda one: (
                    order.index(one.axis) if one.axis is not None else len(order),
                    one.metric,
                    one.model,
                ),
            )
        ),
        labels=tuple(_label(name, answers, raters) for name in names),
        parts={name: {count.part: count.n for count in counts} for name, counts in dealt.items()},
        opened=frozenset(opened),
        tags=tuple(tags),
    )


def _label(name: str, answers: list[Answer], raters: list[reads.Rater]) -> LabelChoice:
    mine = [answer for answer in answers if answer.criterion == name]
    named = [rater for rater in raters if rater.criterion == name]
    of_contexts = all(rater.is_context for rater in named)
    values = sorted({a.value for a in mine if a.value is not None})
    categories = sorted({a.category for a in mine if a.value is None and a.category is not None})
    kind: LabelKind = "rating"
    if values and set(values) <= {0.0, 1.0}:
        kind = "binary"
    elif not values:
        kind = "category"
    kept = [rater for rater in named if rater.is_context == of_contexts]
    return LabelChoice(
        name=name,
        kind=kind,
        n=max((rater.n_of_all for rater in kept), default=0),
        raters=tuple(dict.fromkeys(rater.name for rater in kept)),
        values=tuple(values),
        categories=tuple(categories),
        of_contexts=of_contexts,
    )
