"""Three histograms with a slider under each, and what moving them does."""

from collections.abc import Mapping

import streamlit as st

from core.diagnosis.modes import MODES
from core.diagnosis.thresholds import Cut
from core.diagnosis.triad import TABLE
from core.model import TRIAD, Axis, Mode
from core.store import writes
from core.workflows.matrix import Matrix
from dashboard import access, state
from dashboard.charts.histogram import score_histogram
from dashboard.components import words
from dashboard.components.head import current_theme
from dashboard.theme import count, escape_line

_SHORT = {
    Axis.CONTEXT_RELEVANCE: "CR",
    Axis.GROUNDEDNESS: "G",
    Axis.ANSWER_RELEVANCE: "AR",
}


def box(matrix: Matrix) -> None:
    """The box of cuts; a moved slider changes the address, so everything follows at once."""
    with st.container(border=True, key="thresholds"):
        columns = st.columns([1, 1, 1, 1.15], gap="medium", vertical_alignment="bottom")
        for column, axis in zip(columns, TRIAD, strict=False):
            with column:
                _axis(matrix, axis)
        with columns[3]:
            _moved(matrix)


def _axis(matrix: Matrix, axis: Axis) -> None:
    cut = matrix.settings.cut(axis)
    title = f"{words.axis(axis)} ({_SHORT[axis]})"
    if not next(row.n_value for row in matrix.coverage if row.axis is axis):
        st.markdown(f"**{title}**")
        st.caption("No cut: nobody has scored it.")
        return
    ends = matrix.ends.get(axis)
    if ends is not None:
        st.altair_chart(
            access.figure(
                score_histogram,
                matrix.histograms[axis],
                cut=cut.value,
                lo=ends[0],
                hi=ends[1],
                direction=cut.direction,
                theme=current_theme(),
            ),
            theme=None,
            key=f"histogram_{axis.value}",
        )
    label = f"{title} is high from"
    if ends is None or cut.value is None:
        _first_cut(axis, cut, label)
    else:
        _slider(axis, cut, label, *ends)


def _first_cut(axis: Axis, cut: Cut, label: str) -> None:
    """Asks for a cut where none can be known; once there is one, a slider takes its place."""
    key = state.visit_key(f"first_cut_{axis.value}")
    st.session_state[key] = cut.value

    def said() -> None:
        others = tuple(item for item in state.current().cuts if item[0] is not axis)
        value = st.session_state[key]
        state.change(cuts=others if value is None else (*others, (axis, float(value))))

    st.number_input(
        label, value=None, step=0.1, format="%g", key=key, on_change=said, placeholder="no cut",
        help=f"{_help(axis)} The scale of these scores is not known, so the cut is yours to say.",
    )  # fmt: skip


def _slider(axis: Axis, cut: Cut, label: str, lo: float, hi: float) -> None:
    key = state.visit_key(f"cut_{axis.value}")
    is_stepped = hi - lo > 1 and float(hi - lo).is_integer()
    value = min(max(float(cut.value or lo), lo), hi)
    shown = round(value) if is_stepped else value
    # Set again, what the slider holds would be sent back over a key that is pressed meanwhile.
    if st.session_state.get(key) != shown:
        st.session_state[key] = shown

    def moved() -> None:
        others = tuple(item for item in state.current().cuts if item[0] is not axis)
        state.change(cuts=(*others, (axis, float(st.session_state[key]))))

    if is_stepped:
        st.slider(label, int(lo), int(hi), step=1, key=key, on_change=moved, help=_help(axis))
    else:
        st.slider(
            label, float(lo), float(hi), step=0.01, key=key, on_change=moved, help=_help(axis)
        )


def _help(axis: Axis) -> str:
    return f"{words.axis_help(axis)} A score at the cut counts as high."


def _moved(matrix: Matrix) -> None:
    if all(matrix.settings.cut(axis).value is None for axis in TRIAD):
        return  # nothing can be moved, nothing is stored
    n = sum(moved for _, _, moved in matrix.moved)
    stored = " · ".join(
        "–" if matrix.settings.stored_cut(axis).value is None
        else f"{matrix.settings.stored_cut(axis).value:g}"
        for axis in TRIAD
    )  # fmt: skip
    is_changed = bool(state.current().cuts)
    moves = _largest_moves(matrix.moved)
    text = f"{escape_line(moves)}." if moves else f"The stored cuts are {escape_line(stored)}."
    noun = "sample" if n == 1 else "samples"
    st.markdown(f"**{count(n)} {noun} moved**  \n:gray[{text}]")
    with st.container(horizontal=True, gap="small"):
        if st.button("Reset", disabled=not is_changed, key="reset_cuts"):
            state.change(cuts=())
            st.rerun()
        if st.button(
            "Save cuts",
            disabled=not is_changed,
            key="save_cuts",
            help="Stores these cuts for the run; the change is logged.",
        ):
            _save(matrix)
            st.rerun()


def _largest_moves(moved: tuple[tuple[int, int, int], ...], limit: int = 3) -> str:
    pairs: dict[tuple[Mode, Mode], int] = {}
    for old, new, n in moved:
        change = TABLE[old].mode, TABLE[new].mode
        if change[0] is not change[1]:
            pairs[change] = pairs.get(change, 0) + n
    largest = sorted(pairs.items(), key=lambda item: -item[1])[:limit]
    return ", ".join(f"{n} {MODES[a].name} → {MODES[b].name}" for (a, b), n in largest)


def _save(matrix: Matrix) -> None:
    settings = matrix.settings
    cuts: Mapping[Axis, float] = dict(state.current().cuts)
    with access.ready_store().writing() as connection:
        for axis, cut in cuts.items():
            choice = settings.choices.get(axis)
            if choice is not None:
                writes.set_threshold(
                    connection, settings.run.run_id, choice.metric, choice.judge_id, cut
                )
    state.change(cuts=())
