"""Context use of one sample in words: its quadrant, and where the triad disagrees with it."""

import streamlit as st

from core.diagnosis.contradictions import contradictions
from core.diagnosis.cue import CuePattern, assign_quadrants
from core.diagnosis.quadrants import EXTENDED, Extended
from core.diagnosis.thresholds import is_high
from core.diagnosis.triad import Pattern
from core.model import Axis
from core.workflows.review import parse_policy
from core.workflows.sample_views import SampleView
from dashboard import state


def pattern_of(found: SampleView) -> CuePattern:
    """What is known about the sample's use of its contexts."""
    wide, triad = found.detail.wide, Pattern.from_code(found.flags.code)
    policy = parse_policy(state.current().option("hit"))
    n_pieces, n_held = wide["n_pieces"], wide["n_pieces_held"]
    hit = None if n_pieces is None else int(policy.is_met(n_held, n_pieces))
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
