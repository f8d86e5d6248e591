"""Context use of a run: quadrants, the gaps behind its accuracy, and where the triad disagrees."""

from dataclasses import dataclass

from core.diagnosis.contradictions import ContradictionSpec, count_contradictions
from core.diagnosis.cue_summary import CueSummary, summarise_cue
from core.model import Axis
from core.store import derived, matching
from core.store.connection import Connection, Store
from core.workflows import matrix, review


@dataclass(frozen=True, slots=True)
class ContextUseView:
    """All figures of the page Context use for one view.

    ``contradictions`` are (kind, samples) in the order of the queue; a sample can be in several.
    ``adherence`` holds the counts with and without a hit, None where its scale is unknown.
    """

    settings: review.Settings
    n: int
    summary: CueSummary
    contradictions: tuple[tuple[ContradictionSpec, int], ...]
    adherence: tuple[list[int], list[int]] | None
    n_underived: int
    baseline: CueSummary | None = None
    paired: tuple[tuple[int, int, int], ...] = ()

    @property
    def is_proxy(self) -> bool:
        """True if groundedness stands in for adherence."""
        choice = self.settings.choices.get(Axis.ADHERENCE)
        return choice is not None and choice.is_proxy


def cue_summary(connection: Connection) -> CueSummary:
    """Context use of the matched samples."""
    return summarise_cue(matching.cue_counts(connection))


def context_use(
    store: Store, run_id: str, view: review.View, baseline_id: str | None = None
) -> ContextUseView:
    """Context use of the matched samples, and of a baseline under the same filter.

    Raises:
        NotFoundError: no such run or baseline.
    """
    with store.reading() as connection:
        baseline = None
        if baseline_id is not None:
            base_view = review.View(wanted=view.wanted, hit_share=view.hit_share)
            base = review.settings(connection, baseline_id, base_view)
            review.match(connection, base, base_view)
            baseline = cue_summary(connection)
            matching.keep_baseline(connection)
        found = review.settings(connection, run_id, view)
        review.match(connection, found, view)
        cut = found.cut(Axis.ADHERENCE)
        return ContextUseView(
            settings=found,
            n=matching.matched_count(connection),
            summary=cue_summary(connection),
            contradictions=count_contradictions(matching.joint_counts(connection))[0],
            adherence=matching.adherence_by_hit(connection, *matrix.histogram_range(cut))
            if cut.lo is not None and cut.hi is not None
            else None,
            n_underived=derived.matched_underived(connection, found.run.run_id),
            baseline=baseline,
            paired=tuple(matching.paired_cue_counts(connection)) if baseline else (),
        )
