"""What went wrong and on which side: all samples as one bar, and the modes as rows below it."""

import streamlit as st

from core.diagnosis.modes import MODES, Side
from core.diagnosis.vocabulary import SIDES
from core.metrics.intervals import wilson
from core.model import Mode
from core.workflows.matrix import Matrix
from dashboard import access, navigation, state
from dashboard.charts.composition import Segment, composition_bar, composition_key
from dashboard.charts.mode_rows import ModeGroup, ModeRow, mode_rows_figure
from dashboard.components.head import current_theme, section
from dashboard.components.matrix import change, coverage_line
from dashboard.theme import count, counted, rate, share


def draw(matrix: Matrix) -> None:
    """The bar by side with its key, and a row per mode that occurs; a row opens its samples."""
    summary, theme = matrix.summary, current_theme()
    section("What went wrong, and on which side")
    sides = summary.sides
    segments = [
        Segment(side.value, name, sides[side]) for side, name in SIDES.items() if sides[side]
    ]
    figure = access.figure(composition_bar, segments, theme)
    st.altair_chart(figure, theme=None, key="composition")
    st.markdown(composition_key(segments, theme))
    groups = [
        group
        for side in SIDES
        if side is not Side.WORKS and (group := _group(matrix, side)) is not None
    ]
    if groups:
        event = st.altair_chart(
            access.figure(mode_rows_figure, groups, theme),
            theme=None,
            key=state.visit_key("mode_rows"),
            on_select="rerun",
        )
        _open(event["selection"].get("mode") or [])
    st.caption(f"{_note(matrix, has_rows=bool(groups))} {coverage_line(matrix)}")


def _open(picked: list[dict[str, object]]) -> None:
    if not picked:
        return
    chosen = str(picked[0]["id"])
    modes = [chosen] if chosen in set(Mode) else [mode.value for mode in _modes(Side(chosen))]
    navigation.open_samples(state.current(), *(f"mode={mode}" for mode in modes))


def _modes(side: Side) -> list[Mode]:
    return [mode for mode in Mode if MODES[mode].side is side]


def _group(matrix: Matrix, side: Side) -> ModeGroup | None:
    now, then = matrix.summary.modes, matrix.baseline.modes if matrix.baseline else {}
    modes = _modes(side)
    drawn = [mode for mode in modes if now[mode] or then.get(mode)]
    if not drawn:
        return None
    drawn.sort(key=lambda mode: (-now[mode], MODES[mode].severity))
    n_side = sum(now[mode] for mode in modes)
    text, ink = change(matrix, modes)
    return ModeGroup(
        family=side.value,
        name=SIDES[side],
        count=n_side,
        share_text=rate(n_side, matrix.summary.n),
        rows=[_row(matrix, mode) for mode in drawn],
        change_text=text,
        change_ink=ink,
    )


def _row(matrix: Matrix, mode: Mode) -> ModeRow:
    spec, n, total = MODES[mode], matrix.summary.modes[mode], matrix.summary.n
    found = wilson(n, total)
    base = matrix.baseline
    text, ink = change(matrix, (mode,))
    return ModeRow(
        id=mode.value,
        name=spec.name,
        code=spec.code,
        count=n,
        share=found.value,
        low=found.low,
        high=found.high,
        share_text=rate(n, total),
        tooltip=share(n, total),
        baseline_count=base.modes[mode] if base else None,
        baseline_share=base.modes[mode] / base.n if base and base.n else None,
        change_text=text,
        change_ink=ink,
    )


def _note(matrix: Matrix, *, has_rows: bool) -> str:
    if not has_rows:
        n = matrix.summary.n
        return (
            "The only sample is a success." if n == 1 else f"All {count(n)} samples are a success."
        )
    text = f"Share of {counted(matrix.summary.n, 'sample')} with 95\u202f% interval (line)"
    if matrix.baseline is not None:
        text += (
            ", ◇ baseline. Last column: change in samples, coloured only where the paired interval "
            "excludes zero"
        )
    return f"{text}. Click a row to open its samples."
