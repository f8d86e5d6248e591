"""The pictures of Agreement: coefficients, raters, ratings by slice and rank, the judge."""

from typing import Any

import pandas as pd
import streamlit as st

from core.filters import escape_name
from core.metrics.agreement import Agreement, band
from core.metrics.statistic_words import explain
from core.workflows.agreeing import (
    LEAST_IN_SLICE,
    MOST_SLICES,
    AgreementReport,
    JudgeLine,
    Slices,
)
from core.workflows.agreement_json import BAND_SOURCE
from dashboard import access, navigation, state
from dashboard.charts.interval_rows import IntervalRow, interval_rows
from dashboard.components.head import current_theme, section
from dashboard.theme import (
    count,
    counted,
    escape_line,
    interval,
    number,
    p_value,
    percent,
    share,
)


def coefficients(report: AgreementReport) -> None:
    """Agreement beyond chance, raw agreement, and the mean, each with its interval."""
    cards = [(one.name, one) for one in (report.ac2, report.ac1) if one is not None]
    columns = st.columns(len(cards) + 4, gap="small")
    for column, (name, one) in zip(columns, cards, strict=False):
        with column:
            _coefficient(f"Gwet's {name}", one, explain("gwet"))
    rest = columns[len(cards) :]
    with rest[0]:
        _coefficient("Cohen's κ", report.kappa, explain("kappa"))
    with rest[1]:
        _coefficient("Krippendorff's α", report.alpha, explain("alpha"))
    equal = report.absolute
    with rest[2], st.container(border=True, gap="xsmall", height="stretch"):
        st.metric(
            "All raters equal", percent(equal.value), help=explain("absolute_agreement", "interval")
        )
        st.caption(
            f"{interval(equal.low, equal.high)}  \n{count(int(equal.k))} of {count(equal.n)}"
            if equal.value is not None
            else "Not defined: no sample has two ratings"
        )
    with rest[3], st.container(border=True, gap="xsmall", height="stretch"):
        mean = report.mean
        st.metric("Mean rating", number(mean.value), help=explain("mean_rating", "interval"))
        ends = f"{number(mean.low)}–{number(mean.high)}  \n" if mean.low is not None else ""
        st.caption(f"{ends}SD {number(report.sd)}, {count(mean.n)} ratings")
    note = f" Low, moderate and so on are {BAND_SOURCE}." if report.reason is None else ""
    st.caption(
        escape_line(
            f"95\u202f% intervals over samples; all ratings of one sample count together. Scale "
            f"{report.scale.text}, {report.scale.source_text}." + note
        )
    )


def open_units(report: AgreementReport) -> None:
    """The ways to the samples on which the raters are equal or differ."""
    equal = report.absolute
    # A scale of words may leave answers out that the filter does not know to be none.
    if equal.value is None or (report.scale.names and report.n_left_out):
        return
    n = {"differ": equal.n - int(equal.k), "equal": int(equal.k)}
    words = {"differ": "on which raters differ", "equal": "on which all are equal"}
    with st.container(horizontal=True, gap="xsmall", key="rater_buttons"):
        for relation, of in n.items():
            # Contexts are counted, samples are opened.
            what = (
                f"Samples {words[relation]}"
                if report.is_of_contexts
                else (f"{count(of)} {words[relation]}")
            )
            if report.is_of_contexts and relation == "equal":
                what = "Samples on which all contexts are rated alike"
            if st.button(f"{what} →", key=f"open_{relation}", type="tertiary", disabled=not of):
                term = f"raters.{escape_name(report.criterion)}={relation}"
                navigation.open_samples(state.current(), term)


def _coefficient(label: str, one: Agreement, meaning: str) -> None:
    with st.container(border=True, gap="xsmall", height="stretch"):
        st.metric(label, number(one.value), help=meaning)
        if one.value is None:
            st.caption(escape_line(f"Not defined: {one.reason}"))
            return
        ends = f"{number(one.low)}–{number(one.high)}, " if one.low is not None else ""
        note = f"  \n{escape_line(one.note)}" if one.note else ""
        st.caption(f"{ends}{band(one.value)}{note}")


def raters(report: AgreementReport) -> None:
    """Who rated how many, how high, and how each pair agrees."""
    with st.container(border=True):
        section("Raters")
        rows = [
            {"Rater": r.name, "Rated": count(r.n), "Mean": number(r.mean), "SD": number(r.sd)}
            for r in report.raters
        ]
        st.dataframe(
            pd.DataFrame(rows, columns=["Rater", "Rated", "Mean", "SD"]),
            hide_index=True,
            row_height=30,
            column_config=_right("Rated", "Mean", "SD"),
        )
        if len(report.kappas) > 1:
            pairs = [
                {
                    "Pair": f"{one} – {other}",
                    "Both": count(kappa.n),
                    "κ": number(kappa.value),
                    "95\u202f% interval": f"{number(kappa.low)} to {number(kappa.high)}"
                    if kappa.low is not None else "—",
                }
                for one, other, kappa in report.kappas
            ]  # fmt: skip
            st.dataframe(
                pd.DataFrame(pairs),
                hide_index=True,
                row_height=30,
                column_config=_right("Both", "κ", "95\u202f% interval"),
            )
        if report.n_left_out:
            st.caption(f"{counted(report.n_left_out, 'answer')} left out: none of the scale.")


def _right(*names: str) -> dict[str, Any]:
    return {name: st.column_config.TextColumn(alignment="right") for name in names}


def slices(report: AgreementReport) -> None:
    """Means by the values of a tag, with one test over all and one per pair."""
    found = report.slices
    if found is None:
        return
    with st.container(border=True):
        section(
            f"{report.criterion} by {found.tag}",
            "One mean rating per sample.\n\n" + explain("slice_test"),
        )
        lo, hi = report.scale.values[0], report.scale.values[-1]
        st.altair_chart(
            access.figure(
                interval_rows,
                [IntervalRow(line.value, line.mean) for line in found.lines],
                lo=lo,
                hi=hi,
                title=f"mean {report.criterion}",
                theme=current_theme(),
            ),
            theme=None,
            key="slice_means",
        )
        st.markdown(escape_line(_test_line(found)))
        clear = [(one, other, p) for one, other, p in found.pairs if p < 0.05]
        if clear:
            named = "; ".join(f"{one} and {other} ({p_value(p)})" for one, other, p in clear[:6])
            st.caption(escape_line(f"Pairs that differ beyond chance: {named}."))
        elif found.pairs:
            st.caption("No pair differs beyond chance after the correction.")
        if found.n_left_out:
            left_out = "value is" if found.n_left_out == 1 else "values are"
            st.caption(
                f"{count(found.n_left_out)} more {left_out} left out: fewer than "
                f"{count(LEAST_IN_SLICE)} rated samples, or not among the {count(MOST_SLICES)} "
                "largest."
            )


def _test_line(found: Slices) -> str:
    if found.test.reason is not None:
        return f"No test: {found.test.reason}."
    return f"{found.test_name}: {p_value(found.test.p)} over {count(found.test.n_groups)} groups."


def by_rank(report: AgreementReport) -> None:
    """Mean rating of the contexts at each rank."""
    if not report.by_rank:
        return
    with st.container(border=True):
        section(f"{report.criterion} by rank", "Labels of contexts, by the rank of the context.")
        rows = [IntervalRow(f"rank {rank}", rate) for rank, rate in report.by_rank]
        st.altair_chart(
            access.figure(
                interval_rows,
                rows,
                lo=report.scale.values[0],
                hi=report.scale.values[-1],
                title=f"mean {report.criterion}",
                theme=current_theme(),
                names=64,
            ),
            theme=None,
            key="rank_means",
        )


def judge(report: AgreementReport, name: str | None) -> None:
    """The judge against the people's mean, and against itself over repeats."""
    found = report.judge
    if found is None or name is None:
        return
    with st.container(border=True):
        section(
            f"{name} against the people",
            "Correlation with the mean rating of each sample.\n\n"
            + explain("correlation", "flip_rate"),
        )
        rows = [
            {
                "Coefficient": one.kind.capitalize(),
                "Value": number(one.value),
                "95\u202f% interval": f"{number(one.low)} to {number(one.high)}"
                if one.low is not None else "—",
                "n": count(one.n),
            }
            for one in found.correlations
        ]  # fmt: skip
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            row_height=30,
            column_config=_right("Value", "95\u202f% interval", "n"),
        )
        reasons = {one.reason for one in found.correlations if one.value is None and one.reason}
        for reason in sorted(reasons):
            st.caption(escape_line(f"Not defined: {reason}."))
        _itself(found)


def _itself(found: JudgeLine) -> None:
    itself = found.itself
    if itself is None:
        st.caption(
            "The judge judged once, or has no cut: nothing can be said about how steady it is. "
            "Judge the run again with repeats to see."
        )
        return
    flips = itself.flips
    ac1 = itself.ac1
    told = (
        share(int(flips.k), flips.n) if flips.value is not None else f"not defined, {flips.reason}"
    )
    st.markdown(
        escape_line(
            f"Over {count(itself.n_repeats)} repeats the side of the cut changes for {told}; "
            f"agreement with itself AC1 {number(ac1.value)}."
        )
    )
