"""Context use of one sample in words: its quadrant, and where the triad disagrees with it."""

import streamlit as st

from core.diagnosis.contradictions import contradictions
from core.diagnosis.cue import CuePattern, assign_quadrants
from core.diagnosis.quadrants import EXTENDED, Extended
from core.diagnosis.thresholds import is_high
from core.diagnosis.triad import Pattern
from core.model import Axis
from core.workflows.sample_views import SampleView


def pattern_of(found: SampleView) -> CuePattern:
    """What is known about the sample's use of its contexts."""
    wide, triad = found.detail.wide, Pattern.from_code(found.flags.code)
    hit = None if wide["n_pieces"] is None else int(wide["n_pieces_held"] > 0)
    adheres = is_high(wide["adherence"], found.settings.cut(Axis.ADHERENCE))
    return CuePattern(hit, None if adheres is None else int(adheres), triad.correct, triad.refusal)


def draw(found: SampleView) -> None:
    """One line for the quadrant, one for each disagreement with its reading."""
    pattern = pattern_of(found)
    use = assign_quadrants(pattern)
    if use.extended is not Extended.UNDETERMINED:
        spec = EXTENDED[use.extended]
        st.caption(f"Context use: {spec.code} {spec.name}", help=f"{spec.rule}. {spec.meaning}")
    for one in contradictions(Pattern.from_code(found.flags.code), pattern):
        st.caption(f":material/compare_arrows: **{one.name}:** {one.reading}", help=one.step)
