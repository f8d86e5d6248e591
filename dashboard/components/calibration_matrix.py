"""The 2×2 matrix of Calibration: tiles that open their samples, and the rates beneath them."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.filters import PARTS, escape_name
from core.metrics.curves import Confusion
from core.metrics.intervals import Rate
from core.metrics.operating import Rule, confusion_at, confusion_kappa, f1_interval
from core.metrics.statistic_words import explain
from core.ranges import range_above, range_below, range_from, range_up_to
from core.workflows.labelled_scores import Paired
from core.workflows.trust_findings import NO_QUALITY
from dashboard import access, navigation, state
from dashboard.charts.confusion import ConfusionTile, confusion_figure
from dashboard.components import words
from dashboard.components.calibration_cut import CutInUse
from dashboard.components.head import current_theme, section
from dashboard.theme import count, escape_line, number, percent, rate


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
            access.figure(
                confusion_figure, tiles, rows=rows, columns=columns, theme=current_theme()
            ),
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
    criterion = escape_name(target.criterion)
    prefix = f"label.{criterion}="
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
        f"metric.{escape_name(paired.sources[0].score.name)}={span}",
    ]
    replaced = [prefix]
    if paired.part in PARTS:
        terms.append(f"part.{criterion}={paired.part}")
        replaced.append(f"part.{criterion}=")
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
    st.markdown(
        "\u2003".join(part.replace(" ", "\u00a0") for part in parts),
        help=explain("tpr", "tnr", "precision", "f1", "kappa"),
    )
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
