"""The cut of the score: a slider tied to everything below it, and storing it for the run."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.diagnosis.thresholds import Cut
from core.errors import RagTriageError
from core.model import Axis, Direction
from core.store import writes
from core.workflows.calibrating import AtCut, at_cut
from core.workflows.labelled_scores import Paired
from core.workflows.review import View
from dashboard import access, state
from dashboard.components.calibration_controls import Asked
from dashboard.theme import escape, escape_line

_SHARED = (
    Axis.CONTEXT_RELEVANCE, Axis.GROUNDEDNESS, Axis.ANSWER_RELEVANCE, Axis.CORRECTNESS,
)  # fmt: skip
"""Axes whose cut stands in the bar: moving it here moves every page."""


@dataclass(frozen=True, slots=True)
class CutInUse:
    """The cut of the page: ``value`` None for none; ``stored`` is what the run has."""

    value: float | None
    stored: Cut | None
    lo: float
    hi: float
    is_stepped: bool
    sign: int

    @property
    def is_moved(self) -> bool:
        """True if the page has another cut than the run."""
        stored = self.stored.value if self.stored is not None else None
        return self.value is not None and self.value != stored

    @property
    def high_sign(self) -> str:
        """How a high score compares with the cut."""
        return "≥" if self.sign == 1 else "≤"

    @property
    def low_sign(self) -> str:
        """How a low score compares with the cut."""
        return "<" if self.sign == 1 else ">"

    @property
    def n_bins(self) -> int:
        """Steps of a histogram: one per level of a rubric, else 20."""
        return round(self.hi - self.lo) + 1 if self.is_stepped else 20

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the histogram's steps; the bars of a rubric stand on its levels."""
        half = 0.5 if self.is_stepped else 0.0
        return self.lo - half, self.hi + half


def in_use(paired: Paired, asked: Asked) -> CutInUse:
    """The cut of the address, else that of the run."""
    address = state.current()
    axis = asked.score.axis
    stored = _stored(paired, axis)
    moved = dict(address.cuts).get(axis) if axis in _SHARED else address.number("at")
    value = moved if moved is not None else (stored.value if stored is not None else None)
    lo, hi = _range(paired)
    is_stepped = hi - lo > 1 and float(hi - lo).is_integer() and hi - lo <= 20
    return CutInUse(value, stored, lo, hi, is_stepped, paired.rule.sign)


def _stored(paired: Paired, axis: Axis | None) -> Cut | None:
    """The cut without what the address says; the pairs may have been read with that."""
    if axis is None or axis not in _SHARED or paired.is_pooled:
        return paired.cut
    view = View(selection=state.current().selection)
    stored = access.load_settings(paired.sources[0].run_id, view).stored_cut(axis)
    return stored if stored.value is not None else None


def _range(paired: Paired) -> tuple[float, float]:
    """The scale of the score, else the span of its values."""
    cuts = [source.cut for source in paired.sources]
    if all(cut.lo is not None and cut.hi is not None for cut in cuts):
        return (
            min(float(cut.lo) for cut in cuts if cut.lo is not None),
            max(float(cut.hi) for cut in cuts if cut.hi is not None),
        )
    if not len(paired.every_score):
        return 0.0, 1.0
    lo, hi = float(paired.every_score.min()), float(paired.every_score.max())
    return (lo, hi) if hi > lo else (lo, lo + 1.0)


def slider(paired: Paired, asked: Asked, cut: CutInUse) -> None:
    """The slider; without a known cut it starts in the middle and nothing is cut until it moves."""
    key = state.visit_key("calibration_cut")
    middle = (cut.lo + cut.hi) / 2
    value = min(max(cut.value if cut.value is not None else middle, cut.lo), cut.hi)
    side = "above" if paired.rule.sign == -1 else "below"
    label = f"{asked.score_name} is low {side}"

    def moved() -> None:
        move(asked, float(st.session_state[key]))

    help_text = (
        "A score at the cut counts as high. "
        + (
            "No cut is known for this score: move the slider to set one."
            if cut.value is None
            else "The cut of this axis is the same on every page."
            if asked.score.axis in _SHARED
            else ""
        )
    ).strip()
    # Set again, what the slider holds would be sent back over a key that is pressed meanwhile.
    shown = round(value) if cut.is_stepped else value
    if st.session_state.get(key) != shown:
        st.session_state[key] = shown
    if cut.is_stepped:
        st.slider(label, int(cut.lo), int(cut.hi), step=1, key=key, on_change=moved, help=help_text)
    else:
        step = 0.01 if cut.hi - cut.lo <= 2 else float(f"{(cut.hi - cut.lo) / 200:.1g}")
        st.slider(label, cut.lo, cut.hi, step=step, key=key, on_change=moved, help=help_text)


def move(asked: Asked, value: float | None) -> None:
    """Put the cut into the address; None goes back to the run's."""
    axis = asked.score.axis
    if axis is not None and axis in _SHARED:
        others = tuple(item for item in state.current().cuts if item[0] is not axis)
        state.change(cuts=(*others, (axis, value)) if value is not None else others)
    else:
        state.change_options(at=value)


def store_line(paired: Paired, asked: Asked, cut: CutInUse) -> None:
    """Use the cut for the run, or go back to the stored one."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if cut.value is None:
            st.caption("No cut yet: the scale of this score is unknown.", width="stretch")
            return
        stored = cut.stored
        source = {
            "run": "stored for this run",
            "registry": "the default",
        }.get(stored.source if stored is not None else "none", "not stored")
        text = f"The run's cut is {stored.value:g}, {source}." if stored is not None else ""
        st.caption(escape_line(text or "The run has no cut for this score."), width="stretch")
        if cut.is_moved and st.button("Back", key="cut_back", type="tertiary"):
            move(asked, None)
            st.rerun()
        many = len(paired.sources) > 1
        if st.button(
            f"Use {cut.value:g} for {'these runs' if many else 'this run'}",
            key="use_threshold",
            disabled=not cut.is_moved,
            help="Stores the cut; Failure modes and every other page follow. The change is logged.",
        ):
            _store(paired, asked, cut.value)


def _store(paired: Paired, asked: Asked, value: float) -> None:
    try:
        with access.ready_store().writing() as connection:
            for source in paired.sources:
                writes.set_threshold(
                    connection, source.run_id, source.score.metric, source.score.judge_id, value
                )
    except RagTriageError as error:
        st.error(f"Not stored. {escape(str(error))}")
        return
    move(asked, None)
    st.toast(f"Cut {value:g} stored.")
    st.rerun()


def at_this_cut(paired: Paired, cut: CutInUse) -> AtCut | None:
    """Matrix and corrected rate at the cut in use."""
    return at_cut(paired, cut.value) if cut.value is not None else None


def is_unit(cut: CutInUse, paired: Paired) -> bool:
    """True for scores of 0..1 where higher is better, which can be read as probabilities."""
    source = paired.sources[0].cut
    inside = bool(np.all((paired.scores >= 0) & (paired.scores <= 1)))
    return (cut.lo, cut.hi) == (0.0, 1.0) and source.direction is Direction.HIGHER and inside
