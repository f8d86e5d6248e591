"""The pictures of Calibration: the curve, scores by label, the matrix whose cells open samples."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.errors import BadInputError
from core.filters import PARTS, range_above, range_below, range_from, range_up_to
from core.metrics.curves import Confusion
from core.metrics.intervals import Rate
from core.metrics.operating import (
    Band,
    Rule,
    confusion_at,
    confusion_kappa,
    f1_interval,
    histograms,
)
from core.workflows.calibrating import Ranking
from core.workflows.labelled_scores import Paired
from core.workflows.review import View
from core.workflows.trust_choices import ScoreChoice
from core.workflows.trust_findings import NO_QUALITY
from dashboard import access, navigation, state
from dashboard.charts.confusion import ConfusionTile, confusion_figure
from dashboard.charts.label_histogram import label_histogram
from dashboard.charts.roc import Mark, RocLine, RocPoint, auc_words, pr_figure, roc_figure
from dashboard.components import words
from dashboard.components.calibration_controls import Asked, score_name
from dashboard.components.calibration_cut import CutInUse
from dashboard.components.head import current_theme, section
from dashboard.theme import count, escape_line, number, percent, rate

_CURVE_POINTS = 600
_CURVES = {"roc": "ROC", "pr": "Precision and recall"}


def curve(asked: Asked, paired: Paired, ranking: Ranking, band: Band, cut: CutInUse) -> None:
    """ROC or precision-recall, with the cut in use, suggestions, and other scores beside."""
    with st.container(horizontal=True, vertical_alignment="center"):
        section("ROC curve" if _shown() == "roc" else "Precision and recall")
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
        figure = roc_figure(
            main,
            others=others,
            band=band,
            marks=marks,
            x_title=f"false alarms: {other}, score {flagged}",
            y_title=f"found: {event}, score {flagged}",
            facts=facts if ranking.cuts is not None else (),
            theme=current_theme(),
        )
    else:
        area = ranking.average_precision
        figure = pr_figure(
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
    bits = ["95\u202f% interval by DeLong"]
    boot = ranking.bootstrap
    if boot.low is not None:
        bits.append(f"bootstrap by question {number(boot.low)}–{number(boot.high)}")
    elif ranking.auc.value is not None and boot.reason:
        bits.append(f"no bootstrap: {boot.reason}")
    if ranking.auc.value is not None and ranking.auc.low is None:
        bits[0] = f"no interval by DeLong: {ranking.auc.reason}"
    if band.reason and ranking.cuts is not None:
        bits.append(band.reason)
    if ranking.auc.value is not None:
        st.caption(escape_line("; ".join(bits) + "."))


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
        section("Scores by human label")
        lo, hi = cut.ends
        up, down = histograms(paired.scores, paired.labels, lo, hi, cut.n_bins)
        sides = ("low", "high") if paired.rule.sign == 1 else ("high", "low")
        st.altair_chart(
            label_histogram(
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


def matrix(paired: Paired, cut: CutInUse) -> None:
    """The 2×2 matrix; each cell opens exactly its samples."""
    with st.container(border=True):
        section("At this cut", "Rows are what people said, columns what the score says.")
        if cut.value is None:
            st.caption(escape_line(f"No matrix: {paired.no_cut_reason}."))
            return
        good = confusion_at(paired.scores, paired.labels, cut.value, Rule(paired.rule.sign, 1))
        tiles, rows, columns = _tiles(paired, cut, good)
        event = st.altair_chart(
            confusion_figure(tiles, rows=rows, columns=columns, theme=current_theme()),
            theme=None,
            # Another cut has other tiles: a click that comes late means nothing to them.
            key=state.visit_key(f"confusion_{words.fingerprint(_facts(tiles, cut))}"),
            on_select="rerun",
        )
        picked = event["selection"].get("cell") or []
        if picked:
            _open(paired, cut, str(picked[0]["id"]))
        _buttons(paired, cut, tiles)
        _rates(paired, good)


def _facts(tiles: Sequence[ConfusionTile], cut: CutInUse) -> list[str]:
    return [f"{cut.value!r}", *(f"{tile.row} {tile.count}" for tile in tiles)]


def _tiles(
    paired: Paired, cut: CutInUse, good: Confusion
) -> tuple[list[ConfusionTile], list[str], list[str]]:
    names = paired.target.names
    rows = [names[1].replace(" ", "|", 1), names[0].replace(" ", "|", 1)]
    low = f"Score low, {cut.low_sign} {cut.value:.3g}"
    high = f"Score high, {cut.high_sign} {cut.value:.3g}"
    texts = (
        {"tn": "Both low", "fp": "Only score high", "fn": "Only score low", "tp": "Both high"}
        if paired.target.criterion in NO_QUALITY
        else {"tn": "Caught", "fp": "Missed", "fn": "False alarm", "tp": "Rightly passed"}
    )
    n_good = good.true_positive + good.false_negative
    n_bad = good.n - n_good
    cells = [
        ("tn", rows[0], low, good.true_negative, n_bad, False),
        ("fp", rows[0], high, good.false_positive, n_bad, True),
        ("fn", rows[1], low, good.false_negative, n_good, True),
        ("tp", rows[1], high, good.true_positive, n_good, False),
    ]
    tiles = [
        ConfusionTile(cell, row, column, texts[cell], n, _share(n, of), is_error)
        for cell, row, column, n, of, is_error in cells
    ]
    return tiles, rows, [low, high]


def _share(n: int, of: int) -> str:
    return f"{percent(n / of)} of {count(of)}" if of else "nothing on this side"


def _buttons(paired: Paired, cut: CutInUse, tiles: Sequence[ConfusionTile]) -> None:
    """The same four ways on, for the keyboard."""
    if paired.is_pooled:
        st.caption("Cells of pooled runs open no samples: look at one run for that.")
        return
    with st.container(horizontal=True, gap="xsmall", key="confusion_buttons"):
        for tile in tiles:
            if st.button(
                f"{count(tile.count)} {_plural(tile)} →",
                key=f"open_{tile.id}",
                disabled=not tile.count,
                type="tertiary",
            ):
                _open(paired, cut, tile.id)


def _plural(tile: ConfusionTile) -> str:
    return "false alarms" if tile.name == "False alarm" and tile.count != 1 else tile.name.lower()


def _open(paired: Paired, cut: CutInUse, cell: str) -> None:
    """Open the samples of one cell in Triage."""
    if paired.is_pooled or cut.value is None:
        return
    address = state.current()
    target = paired.target
    is_good, is_high = cell in ("tp", "fn"), cell in ("tp", "fp")
    prefix = f"label.{target.criterion}="
    filtered = {term.removeprefix(prefix) for term in address.terms if term.startswith(prefix)}
    answers = target.good if is_good else target.bad
    # Answers of one label are alternatives, so those of the filter have to be narrowed, not added.
    labels = [answer for answer in answers if not filtered or answer in filtered]
    at_or_above = is_high == (paired.rule.sign == 1)
    if paired.rule.sign == 1:
        span = range_from(cut.value) if at_or_above else range_below(cut.value)
    else:
        span = range_above(cut.value) if at_or_above else range_up_to(cut.value)
    terms = [
        *(f"{prefix}{answer}" for answer in labels),
        f"metric.{paired.sources[0].score.name}={span}",
    ]
    replaced = [prefix]
    if paired.part in PARTS:
        terms.append(f"part.{target.criterion}={paired.part}")
        replaced.append(f"part.{target.criterion}=")
    kept = tuple(term for term in address.terms if not term.startswith(tuple(replaced)))
    navigation.open_page(navigation.TRIAGE, replace(address, terms=(*kept, *terms), sample=None))


def _rates(paired: Paired, good: Confusion) -> None:
    """True positive and negative rate, precision, F1 and kappa, each with its interval."""
    event = (
        good
        if paired.rule.event == 1
        else Confusion(
            good.true_negative, good.false_positive, good.false_negative, good.true_positive
        )
    )
    kappa, f1 = confusion_kappa(event), f1_interval(event)
    parts = [
        f"True positive rate **{_rate(event.tpr)}**",
        f"True negative rate **{_rate(event.tnr)}**",
        f"Precision **{_rate(event.precision)}**",
        f"F1 **{_coefficient(f1.value, f1.low, f1.high)}**",
        f"κ **{_coefficient(kappa.value, kappa.low, kappa.high)}**",
    ]
    st.markdown("\u2003".join(part.replace(" ", "\u00a0") for part in parts))
    base = percent(paired.n_event / paired.n) if paired.n else "—"
    text = f"Positive: {paired.target.event_name}, base rate {base} of {count(paired.n)}."
    if kappa.value is None and kappa.reason:
        text += f" κ not defined: {kappa.reason}."
    st.caption(escape_line(text))


def _rate(found: Rate) -> str:
    return rate(int(found.k), found.n) if found.n else "—"


def _coefficient(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None:
        return number(value)
    # A dash between two numbers of which one is negative would be read as a second minus.
    between = " to " if low < 0 else "–"
    return f"{number(value)} ({number(low)}{between}{number(high)})"


def left_out_line(paired: Paired) -> str:
    """How many samples are pairs, and why the others are none."""
    named = [f"{count(n)} {_WORDS.get(why, '') or words.cause(why)}" for why, n in paired.left_out]
    text = f"{count(paired.n)} of {count(paired.n_samples)} samples have both"
    return text + (f"; left out: {', '.join(named)}." if named else ".")


_WORDS = {
    "no_label": "without the label",
    "label_unclear": "whose label is a tie or another answer",
    "no_score": "without a score",
    "not_scored": "not scored",
}
