"""The pictures of Calibration: the curve, and the scores by human label."""

from dataclasses import replace

import streamlit as st

from core.errors import BadInputError
from core.metrics.operating import confusion_at, histograms
from core.metrics.resampling import Band
from core.metrics.statistic_words import explain
from core.workflows.calibrating import Ranking, undefined_because
from core.workflows.labelled_scores import Paired
from core.workflows.review import View
from core.workflows.trust_choices import ScoreChoice
from dashboard import access, state
from dashboard.charts.label_histogram import label_histogram
from dashboard.charts.roc import Mark, RocLine, RocPoint, auc_words, pr_figure, roc_figure
from dashboard.components import words
from dashboard.components.calibration_controls import Asked, score_name
from dashboard.components.calibration_cut import CutInUse
from dashboard.components.head import current_theme, section
from dashboard.theme import count, escape_line, number

_CURVE_POINTS = 600
_CURVES = {"roc": "ROC", "pr": "Precision and recall"}


def curve(asked: Asked, paired: Paired, ranking: Ranking, band: Band, cut: CutInUse) -> None:
    """ROC or precision-recall, with the cut in use, suggestions, and other scores beside."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if _shown() == "roc":
            section("ROC curve", explain("roc", "auc", "interval"))
        else:
            section("Precision and recall", explain("precision", "tpr", "average_precision"))
        st.space("stretch")
        st.segmented_control(
            "Curve",
            list(_CURVES),
            format_func=lambda name: _CURVES[name],
            default="roc",
            key="curve_kind",
            required=True,
            label_visibility="collapsed",
        )
    if ranking.cuts is None:
        st.caption(escape_line(undefined_because(paired, ranking.auc) or "No curve."))
        return
    event, other = _sides(paired)
    flagged = "high" if paired.rule.event == 1 else "low"
    main = RocLine(asked.score_name, _points(ranking))
    others = [_other(asked, asked.run_ids, score) for score in asked.also]
    baseline = state.current().baseline
    if baseline is not None and baseline not in asked.run_ids:
        others += _of_baseline(asked, baseline)
    facts = [
        auc_words(ranking.auc.value, ranking.auc.low, ranking.auc.high),
        f"{count(paired.n_event)} {event}, {count(paired.n - paired.n_event)} {other}",
    ]
    marks = _marks(paired, ranking, cut)
    if _shown() == "roc":
        figure = access.figure(
            roc_figure,
            main,
            others=others,
            band=band,
            marks=marks,
            x_title=f"false alarms: {other}, score {flagged}",
            y_title=f"found: {event}, score {flagged}",
            facts=facts,
            theme=current_theme(),
        )
    else:
        area = ranking.average_precision
        figure = access.figure(
            pr_figure,
            main,
            others=others,
            marks=marks,
            base_rate=paired.n_event / paired.n if paired.n else None,
            x_title=f"found: {event}, score {flagged}",
            y_title=f"{event} among all with a {flagged} score",
            facts=[f"average precision {number(area)}", facts[1]] if area is not None else (),
            theme=current_theme(),
        )
    st.altair_chart(figure, theme=None, key=f"curve_{_shown()}")
    st.caption(escape_line(_intervals_line(ranking, band)))


def _intervals_line(ranking: Ranking, band: Band) -> str:
    """Where the interval of the area comes from, or why there is none."""
    auc, boot = ranking.auc, ranking.bootstrap
    bits = ["95\u202f% interval by DeLong"]
    if auc.low is None:
        bits = [f"No interval by DeLong: {auc.reason}"]
    # A bootstrap that always draws the same says nothing about how far the area may be off.
    if boot.low is not None and boot.low != boot.high:
        bits.append(f"bootstrap by question {number(boot.low)}–{number(boot.high)}")
    elif boot.low is None and boot.reason:
        bits.append(f"no bootstrap: {boot.reason}")
    if band.reason:
        bits.append(band.reason)
    return "; ".join(bits) + "."


def _shown() -> str:
    return str(st.session_state.get("curve_kind") or "roc")


def _sides(paired: Paired) -> tuple[str, str]:
    names = paired.target.names
    return (names[0], names[1]) if paired.rule.event == 1 else (names[1], names[0])


def _points(ranking: Ranking) -> list[RocPoint]:
    cuts = ranking.cuts
    if cuts is None:
        return []
    found = []
    for place in cuts.thinned(_CURVE_POINTS):
        point = cuts.at(place)
        found.append(RocPoint(point.fpr, point.tpr, cuts.precision(place), point.threshold))
    return found


def _other(asked: Asked, run_ids: tuple[str, ...], score: ScoreChoice) -> RocLine:
    question = replace(asked.question, score=score.name)
    ranking, _ = access.load_ranking(run_ids, question, pair_view())
    return RocLine(f"{score_name(score)} {number(ranking.auc.value)}", _points(ranking))


def _of_baseline(asked: Asked, baseline: str) -> list[RocLine]:
    """The same score and label in the baseline, if it has them; its answers are others."""
    question = replace(asked.question, part="")
    view = View(wanted=pair_view().wanted)
    try:
        ranking, _ = access.load_ranking((baseline,), question, view)
    except BadInputError:
        return []
    name = next(run.name for run in access.load_stored_runs() if run.run_id == baseline)
    return [RocLine(f"{name} {number(ranking.auc.value)}", _points(ranking))]


def pair_view() -> View:
    """The view that pairs depend on: cuts matter only where the filter asks for what they make."""
    view = state.current().view()
    if view.wanted.modes or view.wanted.flags:
        return view
    return replace(view, cuts=())


def _marks(paired: Paired, ranking: Ranking, cut: CutInUse) -> list[Mark]:
    found = []
    best = ranking.youden
    is_same = best is not None and best.threshold is not None and best.threshold == cut.value
    if (
        best is not None
        and best.threshold is not None
        and not is_same
        and (best.tpr, best.fpr) != (0, 0)
    ):
        found.append(
            Mark(
                best.fpr,
                best.tpr,
                _precision(paired, best.threshold),
                f"best J at {best.threshold:.3g}, in sample",
                is_filled=False,
            )
        )
    if cut.value is not None and ranking.cuts is not None:
        matrix = confusion_at(paired.scores, paired.labels, cut.value, paired.rule)
        tpr, tnr = matrix.tpr.value, matrix.tnr.value
        if tpr is not None and tnr is not None:
            text = f"cut {cut.value:.3g}" + (", the best J in sample" if is_same else "")
            found.append(Mark(1 - tnr, tpr, matrix.precision.value, text, is_filled=True))
    return found


def _precision(paired: Paired, threshold: float) -> float | None:
    return confusion_at(paired.scores, paired.labels, threshold, paired.rule).precision.value


def histogram(asked: Asked, paired: Paired, cut: CutInUse) -> None:
    """Scores by human label with the cut through both."""
    with st.container(border=True):
        section(
            "Scores by human label",
            "Upwards the samples that people found good, downwards the others, by their score. The "
            "less the two overlap, the better the score tells them apart.",
        )
        lo, hi = cut.ends
        up, down = histograms(paired.scores, paired.labels, lo, hi, cut.n_bins)
        sides = ("low", "high") if paired.rule.sign == 1 else ("high", "low")
        st.altair_chart(
            access.figure(
                label_histogram,
                up,
                down,
                names=paired.target.names,
                sides=sides,
                cut=cut.value,
                lo=lo,
                hi=hi,
                title=asked.score_name,
                theme=current_theme(),
            ),
            theme=None,
            key="label_histogram",
        )


def left_out_line(paired: Paired) -> str:
    """How many samples are pairs, and why the others are none."""
    named = [f"{count(n)} {_WORDS.get(why, '') or words.cause(why)}" for why, n in paired.left_out]
    text = f"{count(paired.n)} of {count(paired.n_samples)} samples have both"
    return text + (f"; left out: {', '.join(named)}." if named else ".")


_WORDS = {
    "no_label": "without the label",
    "label_unclear": "whose label is a tie or another answer",
    "not_scored": "not scored",
}
