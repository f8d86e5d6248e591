"""Parts of the page Context use: accuracy split, quadrants, contradictions, adherence by hit."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.diagnosis.cue_summary import GAPS
from core.diagnosis.modes import Side
from core.diagnosis.quadrants import EXTENDED, PUBLISHED, Extended, Published
from core.metrics.intervals import Rate
from core.model import Axis
from core.workflows.context_use import ContextUseView
from core.workflows.matrix import histogram_range
from dashboard import access, navigation, state
from dashboard.charts.accuracy_split import accuracy_split_figure
from dashboard.charts.matrix import Cell, matrix_figure
from dashboard.charts.mirrored import mirrored_histogram
from dashboard.components.head import current_theme, section
from dashboard.components.words import fingerprint
from dashboard.theme import count, points, rate, share, signed

_SIDES = {
    Published.EFFECTIVE_USE: Side.WORKS,
    Published.INFORMATION_BLINDNESS: Side.GENERATION,
    Published.LUCKY_GUESS: Side.RETRIEVAL,
    Published.CORRECT_REJECTION: Side.REFUSAL,
}
_ROW, _HEADER = 30, 32


def accuracy(found: ContextUseView) -> None:
    """Accuracy as grounded part plus ungrounded part, and the three gaps by name."""
    summary = found.summary
    by_use = summary.correct_by_use
    n = sum(by_use.values())
    if summary.accuracy_in_use.value is None:
        return
    with st.container(border=True):
        section(
            "Accuracy, split by evidence",
            "Only samples whose correctness, hit and adherence are all known.",
        )
        by_hit = summary.correct_by_hit
        figure = access.figure(
            accuracy_split_figure,
            n=n,
            correct=by_use[1, 0] + by_use[1, 1],
            grounded=by_use[1, 1],
            hits=by_hit[0, 1] + by_hit[1, 1],
            effective=by_use[0, 1] + by_use[1, 1],
            theme=current_theme(),
        )
        st.altair_chart(figure, theme=None, key="accuracy_split")
        with st.grid(3, gap="medium"):
            _gap("ungrounded_correct", share(int(summary.ungrounded_correct.k), n), "")
            for name in ("gap_hit", "gap_effective"):
                difference = getattr(summary, name)
                _gap(name, _difference(difference), _interval(difference))


def _gap(name: str, figure: str, ends: str) -> None:
    spec = GAPS[name]
    st.markdown(
        f"**{spec.name}**  \n{figure}  \n:gray[{spec.meaning}]", help=f"{spec.formula}.{ends}"
    )


def _difference(found: Rate) -> str:
    if found.value is None:
        return "—"
    return f"{signed(int(found.k))} of {count(found.n)} ({points(found.value)})"


def _interval(found: Rate) -> str:
    if found.low is None or found.high is None:
        return ""
    low, high = round(100 * found.low), round(100 * found.high)
    return f" 95\u202f% interval {signed(low)} to {signed(high)} points."


def quadrants(found: ContextUseView) -> None:
    """The four published quadrants as tiles, or the extended table; both open their samples."""
    with st.container(border=True):
        with st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        ):
            st.markdown("#### Quadrants", anchors=False, width="content")
            kind = st.segmented_control(
                "Table",
                ["Published (4)", "Extended (10)"],
                default="Extended (10)",
                required=True,
                label_visibility="collapsed",
                key="quadrant_table",
                persist_state="session",
            )
        if kind == "Published (4)":
            _published(found)
        else:
            _extended(found)


def _published(found: ContextUseView) -> None:
    cut = found.settings.cut(Axis.ADHERENCE)
    sign = "A high" if cut.value is None else f"A ≥ {cut.value:g}"
    columns = [f"Adheres · {sign}", "Does not adhere"]
    rows = ["Hit", "No hit"]
    places = {
        Published.EFFECTIVE_USE: (rows[0], columns[0]),
        Published.INFORMATION_BLINDNESS: (rows[0], columns[1]),
        Published.LUCKY_GUESS: (rows[1], columns[0]),
        Published.CORRECT_REJECTION: (rows[1], columns[1]),
    }
    cells = [_tile(found, quadrant, row, column) for quadrant, (row, column) in places.items()]
    figure = access.figure(
        matrix_figure, cells, rows=rows, columns=columns, title="", theme=current_theme(),
        row_labels=True, height=262,
    )  # fmt: skip
    event = st.altair_chart(figure, theme=None, key=state.visit_key("quadrants"), on_select="rerun")
    undetermined = found.summary.published[Published.UNDETERMINED]
    st.caption(
        f"{count(undetermined)} of {count(found.n)} undetermined: hit or adherence is missing. "
        "The published table looks at hit and adherence only, not at correctness or refusal. "
        "Click a cell to open its samples."
    )
    picked = event["selection"].get("cell") or []
    if picked:
        navigation.open_samples(state.current(), f"quadrant=published:{picked[0]['id']}")


def _tile(found: ContextUseView, quadrant: Published, row: str, column: str) -> Cell:
    spec, n = PUBLISHED[quadrant], found.summary.published[quadrant]
    change = ""
    if found.baseline is not None:
        change = f"{signed(n - found.baseline.published[quadrant])} vs baseline"
    side = _SIDES[quadrant]
    part = n / found.n if found.n else 0.0
    return Cell(
        id=quadrant.value,
        row=row,
        column=column,
        name=spec.name,
        code=spec.code,
        count=n,
        share_text=rate(n, found.n) if found.n else "",
        change_text=change,
        change_ink="muted" if change else "",
        family=side.value,
        # A quadrant of context use is larger than a cell of the matrix by nature.
        share=part / 2.5,
        tooltip=share(n, found.n) if found.n else "no sample in view",
        rule=spec.rule,
    )


def _extended(found: ContextUseView) -> None:
    summary = found.summary
    order = sorted(
        (quadrant for quadrant in Extended if summary.extended[quadrant]),
        key=lambda quadrant: -summary.extended[quadrant],
    )
    rows = [_extended_row(found, quadrant) for quadrant in order]
    event = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * max(1, len(rows)),
        key=state.visit_key(f"extended_table_{fingerprint(order)}"),
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Code": st.column_config.TextColumn(width=50),
            "Quadrant": st.column_config.TextColumn(width=212),
            "Samples": st.column_config.NumberColumn(width=66, format="localized"),
            "Share": st.column_config.TextColumn(alignment="right", width=94),
            "Change": st.column_config.TextColumn(alignment="right", width=58),
        },
    )
    picked = event["selection"]["rows"]
    if picked and picked[0] < len(order):
        navigation.open_samples(state.current(), f"quadrant={order[picked[0]].value}")
    with st.expander(
        "What each quadrant means, and what to try", key="quadrant_words", on_change="rerun"
    ) as box:
        for quadrant in order if box.open else ():
            spec = EXTENDED[quadrant]
            fixes = "".join(f"\n{i}. {fix}" for i, fix in enumerate(spec.fixes, 1))
            st.markdown(
                f"**{spec.code} {spec.name}** :gray[· {spec.rule}]  \n{spec.meaning}{fixes}"
            )


def _extended_row(found: ContextUseView, quadrant: Extended) -> Mapping[str, object]:
    spec, n = EXTENDED[quadrant], found.summary.extended[quadrant]
    row: dict[str, object] = {
        "Code": spec.code,
        "Quadrant": spec.name,
        "Samples": n,
        "Share": rate(n, found.n),
    }
    if found.baseline is not None:
        row["Change"] = signed(n - found.baseline.extended[quadrant])
    return row


def disagreements(found: ContextUseView) -> None:
    """Where triad and context use disagree, the most urgent first; a button opens the samples."""
    with st.container(border=True):
        section("Triad and context use disagree", "A sample can stand in several rows.")
        if not found.contradictions:
            st.caption("No disagreement in the samples in view.")
        for spec, n in found.contradictions:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                with st.container(gap=None, width="stretch"):
                    st.markdown(f"**{spec.name}**", help=f"{spec.reading} {spec.step}")
                    st.caption(spec.rule)
                noun = "sample" if n == 1 else "samples"
                if st.button(
                    f"{count(n)} {noun}",
                    icon=":material/arrow_forward:",
                    icon_position="right",
                    key=f"contradiction_{spec.id.value}",
                ):
                    navigation.open_samples(state.current(), f"contradiction={spec.id.value}")


def adherence(found: ContextUseView) -> None:
    """Adherence of the samples with a hit above the line, without one below it."""
    if found.adherence is None or not any(map(sum, found.adherence)):
        return  # no score, or of no sample is it known whether there was a hit
    cut = found.settings.cut(Axis.ADHERENCE)
    lo, hi, _ = histogram_range(cut)
    with st.container(border=True):
        section("Adherence, by hit")
        figure = access.figure(
            mirrored_histogram,
            *found.adherence,
            up_name="evidence found",
            down_name="no evidence",
            cut=cut.value,
            lo=lo,
            hi=hi,
            title="groundedness, in place of adherence" if found.is_proxy else "adherence",
            theme=current_theme(),
        )
        st.altair_chart(figure, theme=None, key="adherence_by_hit")
