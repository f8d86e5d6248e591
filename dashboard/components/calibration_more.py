"""What follows from a curve: cuts to choose, what errors cost, corrected rate, reliability."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.metrics.operating import (
    Point,
    Rule,
    cheapest,
    confusion_at,
    first_with_tpr,
    mean_cost,
    reliability,
)
from core.metrics.planning import CorrectedRate
from core.metrics.statistic_words import explain
from core.workflows.calibrating import Ranking, difference
from core.workflows.calibration_json import ASSUMPTIONS
from core.workflows.labelled_scores import Paired, Question
from dashboard import access
from dashboard.charts.reliability import reliability_figure
from dashboard.components import calibration_cut
from dashboard.components.calibration_controls import Asked, score_name
from dashboard.components.calibration_cut import CutInUse
from dashboard.components.calibration_panels import pair_view
from dashboard.components.head import current_theme, section
from dashboard.theme import (
    count,
    counted,
    escape_line,
    interval,
    number,
    p_value,
    percent,
    signed,
)


def suggestions(paired: Paired, ranking: Ranking, asked: Asked, cut: CutInUse) -> None:
    """Cuts that suit a purpose, with their rates; choosing one moves everything."""
    cuts = ranking.cuts
    if cuts is None:
        return
    with st.container(border=True):
        section(
            "Choose the cut on purpose",
            "Every cut here is chosen and measured on the same labels, so its rates look a little "
            "better than they will be on new ones. TPR is the true positive rate, FPR the share of "
            "false alarms among the other side.\n\n" + explain("youden"),
        )
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            good, bad = paired.target.names
            missed = st.number_input(
                "Cost of one missed", 0.0, value=5.0, step=1.0, key="cost_miss", width=130,
                persist_state="session", help=f"A high score, but {bad}.",
            )  # fmt: skip
            alarm = st.number_input(
                "of a false alarm", 0.0, value=1.0, step=1.0, key="cost_alarm", width=130,
                persist_state="session", help=f"A low score, but {good}.",
            )  # fmt: skip
            target = st.number_input(
                "Find at least (%)", 1, 100, value=90, step=5, key="target_tpr",
                persist_state="session", width=130,
            )  # fmt: skip
        # To overlook the good side is the false alarm where that side is what is looked for.
        costs = (alarm, missed) if paired.rule.event == 1 else (missed, alarm)
        offers = [
            ("Youden: largest difference of true and false positive rate", ranking.youden),
            (
                f"Finds {target}\u202f% of {paired.target.event_name}",
                first_with_tpr(cuts, target / 100),
            ),
            (f"Cheapest at {missed:g} to {alarm:g}", cheapest(cuts, *costs)),
        ]
        for i, (name, point) in enumerate(offers):
            _offer(i, name, point, paired, asked, cut, costs)
        if cut.value is not None:
            _price(paired, cut.value, missed, alarm)


def _price(paired: Paired, cut: float, missed: float, alarm: float) -> None:
    """What the errors cost at the cut in use."""
    matrix = confusion_at(paired.scores, paired.labels, cut, Rule(paired.rule.sign, 1))
    price = mean_cost(matrix, alarm, missed)
    if price is not None:
        alarms = matrix.false_negative
        st.caption(
            f"At the cut in use, {cut:.3g}, errors cost {price:.2f} per sample: "
            f"{count(matrix.false_positive)} missed, "
            f"{count(alarms)} false {'alarm' if alarms == 1 else 'alarms'}."
        )


def _offer(
    place: int,
    name: str,
    point: Point | None,
    paired: Paired,
    asked: Asked,
    cut: CutInUse,
    costs: tuple[float, float],
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = st.container(gap=None, width="stretch")
        text.markdown(f"**{name}**")
        if point is None or point.threshold is None or point.tpr == point.fpr == 0:
            text.caption("No cut does better than to flag nothing or everything.")
            return
        matrix = confusion_at(paired.scores, paired.labels, point.threshold, paired.rule)
        price = mean_cost(matrix, *costs)
        text.caption(
            f"TPR {percent(point.tpr)}, FPR {percent(point.fpr)}"
            + (f", cost {price:.2f} per sample" if price is not None else "")
            + " · optimistic"
        )
        if st.button(
            f"Try {point.threshold:.3g}",
            key=f"try_{place}",
            disabled=point.threshold == cut.value,
        ):
            calibration_cut.move(asked, float(point.threshold))
            st.rerun()


def corrected(rate: CorrectedRate | None, paired: Paired) -> None:
    """The rate of the good side three ways: by the score, corrected, by people alone."""
    if rate is None:
        return
    good = paired.target.names[0]
    with st.container(border=True):
        section(
            f"How many have {good}?",
            "The score errs; its errors on the labelled samples tell how far its rate is off.\n\n"
            + explain("corrected_rate"),
        )
        raw, human = rate.raw, rate.human
        source = "by Rogan and Gladen" if rate.corrected is not None else rate.reason or ""
        one, two, three = st.columns(3, gap="small")
        with one:
            _figure("By the score", raw.value, raw.low, raw.high, f"of {count(raw.n)} scored")
        with two:
            _figure("Corrected", rate.corrected, rate.low, rate.high, source)
        with three:
            labelled = f"of {count(human.n)} labelled"
            _figure("By people alone", human.value, human.low, human.high, labelled)
        if rate.corrected is not None:
            st.caption("The correction holds if " + "; ".join(ASSUMPTIONS) + ".")


def _figure(
    label: str, value: float | None, low: float | None, high: float | None, note: str
) -> None:
    with st.container(gap=None):
        st.metric(label, percent(value))
        ends = f"95\u202f% interval {interval(low, high)}  \n" if low is not None else ""
        st.caption(ends + escape_line(note))


def has_reliability(paired: Paired, cut: CutInUse) -> bool:
    """Whether a score of 0..1 is there that could be read as a probability."""
    return calibration_cut.is_unit(cut, paired) and paired.n > 0


def reliability_panel(paired: Paired, asked: Asked, cut: CutInUse) -> None:
    """Whether a score can be read as a probability; only for scores of 0..1."""
    if not has_reliability(paired, cut):
        return
    with st.container(border=True):
        good = paired.target.names[0]
        section(
            "Can the score be read as a probability?",
            "Dots on the diagonal: of the samples with a score of 0.8, 80 in 100 bear the label.",
        )
        st.altair_chart(
            access.figure(
                reliability_figure,
                reliability(paired.scores, paired.labels),
                x_title=f"mean {asked.score_name} of a step",
                y_title=good,
                theme=current_theme(),
            ),
            theme=None,
            key="reliability",
        )


def correlations(ranking: Ranking, asked: Asked, paired: Paired) -> None:
    """Pearson, Spearman and Kendall of the score, and of those set beside, with the label."""
    rows = [_correlation_row(asked.score_name, ranking)]
    for score in asked.also:
        question = _about(asked, score.name)
        found, _ = access.load_ranking(asked.run_ids, question, pair_view())
        rows.append(_correlation_row(score_name(score), found))
    section(
        f"Correlation with {paired.target.criterion}",
        "With the label as it was given; a rating is not cut here.\n\n"
        + explain("correlation", "auc"),
    )
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=30,
        column_config={
            name: st.column_config.TextColumn(alignment="right") for name in list(rows[0])[1:]
        },
    )
    reasons = {one.reason for one in ranking.correlations if one.value is None and one.reason}
    methods = {one.method for one in ranking.correlations if one.method}
    notes = [f"Not defined: {reason}." for reason in sorted(reasons)]
    if methods:
        notes.append(f"95\u202f% intervals: {', '.join(sorted(methods))}.")
    st.caption(escape_line(" ".join(notes)))
    for score in asked.also:
        _difference_line(asked, score.name, score_name(score), paired)


def _about(asked: Asked, score: str) -> Question:
    return replace(asked.question, score=score)


def _correlation_row(name: str, ranking: Ranking) -> dict[str, str]:
    row = {"Score": name}
    for one in ranking.correlations:
        ends = f" ({number(one.low)} to {number(one.high)})" if one.low is not None else ""
        row[one.kind.capitalize()] = f"{number(one.value)}{ends}" if one.value is not None else "—"
    row["AUC"] = number(ranking.auc.value)
    row["n"] = count(ranking.auc.n)
    return row


def _difference_line(asked: Asked, score: str, name: str, paired: Paired) -> None:
    other = access.load_pairs(asked.run_ids, _about(asked, score), pair_view())
    found = difference(paired, other).difference
    if found.p is None:
        st.markdown(escape_line(f"{asked.score_name} against {name}: no test, {found.reason}."))
        return
    ends = f"{signed(found.low, digits=2)} to {signed(found.high, digits=2)}"
    st.markdown(
        escape_line(
            f"{asked.score_name} against {name} on the same {counted(found.n, 'sample')}: AUC "
            f"{signed(found.value, digits=2)} ({ends}), {p_value(found.p)}, paired DeLong test."
        )
    )


def warning_lines(texts: Sequence[str]) -> None:
    """What has to be known beside the figures."""
    for text in texts:
        st.warning(escape_line(text), icon=":material/info:")
