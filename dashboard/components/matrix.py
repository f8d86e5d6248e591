"""The failure-mode matrix as clickable tiles."""

from collections.abc import Sequence

import streamlit as st

from core.diagnosis.modes import MODES, Outcome, modes_of
from core.diagnosis.thresholds import Cut
from core.diagnosis.triad import TABLE
from core.metrics.intervals import Difference, paired_difference
from core.model import TRIAD, Direction, Mode
from core.workflows.comparability import judged_differently
from core.workflows.matrix import Matrix
from dashboard import access, navigation, state
from dashboard.charts.matrix import Cell, Change, matrix_figure, strip_figure
from dashboard.components import words
from dashboard.components.head import current_theme
from dashboard.theme import count, rate, share, signed

UNGROUNDED = (Mode.CONFABULATION, Mode.UNGROUNDED_ANSWER, Mode.LUCKY_GUESS)
_GROUP = "ungrounded"
_STRIP = (Mode.CORRECT_REFUSAL, Mode.OVER_REFUSAL, Mode.REFUSAL_UNVERIFIED, Mode.UNDETERMINED)
_FAILING = frozenset(modes_of(Outcome.FAIL))
_PASSING = frozenset(modes_of(Outcome.PASS))


def tiles(matrix: Matrix) -> None:
    """Both grids and the strip; a click opens exactly the samples of its cell in Triage."""
    theme = current_theme()
    cr, g, ar = (matrix.settings.cut(axis) for axis in TRIAD)
    rows = [
        f"Context relevant|{_side('CR', cr, True)}",
        f"Context not relevant|{_side('CR', cr, False)}",
    ]
    columns = [f"Grounded · {_side('G', g, True)}", f"Not grounded · {_side('G', g, False)}"]
    left, right = st.columns([1.236, 1], gap="small")
    with left:
        _draw(
            access.figure(
                matrix_figure,
                [
                    _cell(matrix, (Mode.SUCCESS,), rows[0], columns[0]),
                    _cell(matrix, (Mode.HALLUCINATION,), rows[0], columns[1]),
                    _cell(matrix, (Mode.SCORE_CONFLICT,), rows[1], columns[0]),
                    _cell(matrix, UNGROUNDED, rows[1], columns[1]),
                ],
                rows=rows,
                columns=columns,
                title=f"Answer relevant · {_side('AR', ar, True)}",
                theme=theme,
                row_labels=True,
            ),
            "matrix_relevant",
        )
    with right:
        _draw(
            access.figure(
                matrix_figure,
                [
                    _cell(matrix, (Mode.OFF_TARGET_ANSWER,), rows[0], columns[0]),
                    _cell(matrix, (Mode.GENERATION_BREAKDOWN,), rows[0], columns[1]),
                    _cell(matrix, (Mode.RETRIEVAL_FAILURE,), rows[1], columns[0]),
                    _cell(matrix, (Mode.PIPELINE_FAILURE,), rows[1], columns[1]),
                ],
                rows=rows,
                columns=columns,
                title=f"Answer not relevant · {_side('AR', ar, False)}",
                theme=theme,
                row_labels=False,
            ),
            "matrix_not_relevant",
        )
    strip = [_cell(matrix, (mode,), "", mode.value) for mode in _STRIP]
    _draw(access.figure(strip_figure, strip, theme=theme), "matrix_strip")
    st.caption(
        "Dots read context relevance, groundedness, answer relevance: ● high, ○ low. Shares are of "
        "all samples in view, with the 95\u202f% interval; a deeper ground means a larger share. "
        "Click a cell to open its samples; the table below lists the same figures for the keyboard."
    )


def _side(short: str, cut: Cut, is_high: bool) -> str:
    if cut.value is None:
        return f"{short} {'high' if is_high else 'low'}"
    is_above = is_high != (cut.direction is Direction.LOWER)
    sign = ("≥" if is_above else "≤") if is_high else ("<" if not is_above else ">")
    return f"{short} {sign} {cut.value:g}"


def _draw(figure: object, key: str) -> None:
    event = st.altair_chart(  # type: ignore[call-overload]
        figure, theme=None, key=state.visit_key(key), on_select="rerun"
    )
    picked = event["selection"].get("cell") or []
    if picked:
        chosen = str(picked[0]["id"])
        modes = UNGROUNDED if chosen == _GROUP else (Mode(chosen),)
        navigation.open_samples(state.current(), *(f"mode={mode.value}" for mode in modes))


def _cell(matrix: Matrix, modes: Sequence[Mode], row: str, column: str) -> Cell:
    summary = matrix.summary
    n_mode = sum(summary.modes[mode] for mode in modes)
    spec = MODES[modes[0]]
    is_group = len(modes) > 1
    text, ink = change(matrix, modes)
    name = "Ungrounded answer" if is_group else spec.name
    return Cell(
        id=_GROUP if is_group else modes[0].value,
        row=row,
        column=column,
        name=name,
        code=_group_code(matrix) if is_group else spec.code,
        count=n_mode,
        share_text=rate(n_mode, summary.n) if summary.n else "",
        change_text=f"{text} vs baseline" if text else "",
        change_ink=ink,
        family=spec.side.value,
        share=n_mode / summary.n if summary.n else 0.0,
        tooltip=share(n_mode, summary.n) if summary.n else "no sample in view",
        rule="CR low, G low, AR high" if is_group else spec.rule,
    )


def _group_code(matrix: Matrix) -> str:
    wrong, unknown, right = (matrix.summary.modes[mode] for mode in UNGROUNDED)
    parts = [
        f"{count(n)} {word}"
        for n, word in ((wrong, "wrong"), (right, "right"), (unknown, "unknown"))
        if n
    ]
    return " ".join(["○○●", *([", ".join(parts)] if parts else [])])


def change(matrix: Matrix, modes: Sequence[Mode]) -> tuple[str, Change]:
    """Change in samples against the baseline, and its ink: coloured only if it is beyond chance."""
    if matrix.baseline is None:
        return "", ""
    now = sum(matrix.summary.modes[mode] for mode in modes)
    before = sum(matrix.baseline.modes[mode] for mode in modes)
    text = signed(now - before)
    only_new, only_old, difference = _paired(matrix, frozenset(modes))
    if difference is None or not difference.is_clear:
        return text, "muted"
    is_more = only_new > only_old
    if set(modes) <= _FAILING:
        return text, "worse" if is_more else "better"
    if set(modes) <= _PASSING:
        return text, "better" if is_more else "worse"
    return text, "muted"


def _paired(matrix: Matrix, modes: frozenset[Mode]) -> tuple[int, int, Difference | None]:
    """Samples that are only now, and only in the baseline, of these modes; and the difference."""
    counts = {(was, now): 0 for was in (False, True) for now in (False, True)}
    for old, new, n in matrix.paired:
        counts[TABLE[old].mode in modes, TABLE[new].mode in modes] += n
    only_new, only_old = counts[False, True], counts[True, False]
    found = paired_difference(counts[True, True], only_new, only_old, counts[False, False])
    return only_new, only_old, found


def coverage_line(matrix: Matrix) -> str:
    """How many of the samples in view have each triad score, and why the others have none."""
    parts = []
    for row in matrix.coverage:
        text = f"{words.axis(row.axis)} {count(row.n_value)} of {count(row.n)}"
        missing = [
            f"{count(n)} {words.missing(n, status, cause)}" for status, cause, n in row.causes
        ]
        parts.append(text + (f" ({', '.join(missing)})" if missing else ""))
    return "Scored: " + "; ".join(parts) + "."


def is_clear(matrix: Matrix) -> bool | None:
    """Whether the share of failing answers differs from the baseline's beyond chance, paired."""
    if matrix.baseline is None:
        return None
    _, _, difference = _paired(matrix, _FAILING)
    return None if difference is None else difference.is_clear


def not_comparable(matrix: Matrix) -> str:
    """A sentence if run and baseline were judged differently, else empty."""
    if matrix.baseline_settings is None:
        return ""
    found = judged_differently(matrix.settings, matrix.baseline_settings)
    return "" if found is None else found.sentence
