"""Parts of the page Answers: outcomes, what settled them, comparisons with the expected answer."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.diagnosis.outcomes import OUTCOME_NAMES, SOURCE_NAMES, AnswerOutcome
from core.metrics.intervals import Rate, wilson
from core.metrics.registry import METRICS
from core.metrics.spec import CutRule
from core.workflows.answers import EMBEDDED, Answers, AnswerScore
from dashboard import access, navigation, state
from dashboard.charts.interval_rows import IntervalRow, interval_rows
from dashboard.components import words
from dashboard.components.head import current_theme, section
from dashboard.components.words import fingerprint
from dashboard.theme import (
    LEAST_N,
    UNDEFINED,
    count,
    counted,
    escape_line,
    interval,
    number,
    percent,
    points,
    rate_of,
)

_ROW, _HEADER = 30, 32
_HELP = {
    AnswerOutcome.CORRECT: "Answered, and right by the best evidence that there is.",
    AnswerOutcome.INCORRECT: "Answered, and wrong by a label, another option or the judge.",
    AnswerOutcome.REFUSED: "The system declined; a refusal counts as neither right nor wrong.",
    AnswerOutcome.UNKNOWN: "Answered, and nothing says whether it is right.",
}
_SOURCE_HELP = (
    "The first that says something decides: a person's label, then the option chosen, the same "
    "text, the same list, and last the judge. Other words never show that an answer is wrong."
)


def outcomes(found: Answers, baseline: Answers | None) -> None:
    """One card per outcome with its share, and a button that opens its samples."""
    with st.grid(4, gap="small"):
        for outcome in AnswerOutcome:
            with st.container(border=True, gap="xsmall", height="stretch"):
                _outcome(found, baseline, outcome)


def _outcome(found: Answers, baseline: Answers | None, outcome: AnswerOutcome) -> None:
    n = found.outcomes[outcome]
    rate = wilson(n, found.n)
    change, is_rate = None, found.n >= LEAST_N
    if baseline is not None and baseline.n:
        before = baseline.outcomes[outcome] / baseline.n
        change = points((rate.value or 0.0) - before)
    st.metric(
        OUTCOME_NAMES[outcome],
        percent(rate.value) if is_rate else rate_of(rate),
        delta=change if is_rate else None,
        delta_color="gray",
        delta_arrow="off",
        help=_HELP[outcome],
    )
    st.caption(
        f"{interval(rate.low, rate.high)} · {count(n)} of {count(found.n)}"
        if is_rate
        else "Too few for a rate."
    )
    noun = "sample" if n == 1 else "samples"
    if n and st.button(
        f"{count(n)} {noun}",
        icon=":material/arrow_forward:",
        icon_position="right",
        key=f"outcome_{outcome.value}",
    ):
        navigation.open_samples(state.current(), f"outcome={outcome.value}")


def sources(found: Answers) -> None:
    """What settled correctness; a row opens its samples."""
    with st.container(border=True):
        section("Who says so", _SOURCE_HELP)
        order = [source for source in SOURCE_NAMES if source in found.by_source]
        if not order:
            st.caption("No answer in view: all were refused.")
            return
        rows = [_source_row(source, found.by_source[source]) for source in order]
        event = st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            row_height=_ROW,
            height=_HEADER + _ROW * len(rows),
            key=state.visit_key(f"sources_{fingerprint(order)}"),
            on_select="rerun",
            selection_mode="single-row",
            column_config={
                "Settled by": st.column_config.TextColumn(width=128),
                **{
                    name: st.column_config.NumberColumn(width=68, format="localized")
                    for name in ("Correct", "Incorrect", "Unknown")
                },
            },
        )
        refused = found.outcomes[AnswerOutcome.REFUSED]
        verb = "stands" if refused == 1 else "stand"
        st.caption(
            (f"{counted(refused, 'refusal')} {verb} in no row. " if refused else "")
            + f"{_accuracy(found.accuracy_answered)}. Click a row to open its samples."
        )
        picked = event["selection"]["rows"]
        if picked and picked[0] < len(order):
            navigation.open_samples(state.current(), f"correct_by={order[picked[0]]}")


def _accuracy(rate: Rate) -> str:
    if rate.value is None:
        return "No answer is known to be right or wrong"
    known = "Of the answers that are known to be right or wrong"
    if rate.n < LEAST_N:
        return f"{known} {rate_of(rate)} {'is' if rate.n == 1 else 'are'} right"
    return f"{known} {percent(rate.value)} are right ({interval(rate.low, rate.high)})"


def _source_row(source: str, counts: Mapping[AnswerOutcome, int]) -> dict[str, object]:
    return {
        "Settled by": SOURCE_NAMES[source],
        "Correct": counts[AnswerOutcome.CORRECT],
        "Incorrect": counts[AnswerOutcome.INCORRECT],
        "Unknown": counts[AnswerOutcome.UNKNOWN],
    }


def comparisons(found: Answers) -> None:
    """Means of the comparisons with the expected answer, and what lacks them."""
    with st.container(border=True):
        section(
            "Beside the expected answer",
            "Words in common, not truth: a right answer in other words scores low.",
        )
        if not found.settings.run.has_answers:
            st.caption("This run records no answers, so there is nothing to compare.")
            return
        if not found.has_references:
            st.caption(
                "No sample of this run has an expected answer (a reference), so nothing can be "
                "compared. Correctness can still come from labels or from a judge."
            )
            return
        rows = [
            IntervalRow(METRICS[one.metric].name, one.mean, is_share(one.metric))
            for one in _all(found)
            if one.mean.value is not None
        ]
        if rows:
            figure = access.figure(
                interval_rows, rows, lo=0.0, hi=1.0, title="mean, 95\u202f% interval",
                theme=current_theme(), names=190,
            )  # fmt: skip
            st.altair_chart(figure, theme=None, key="answer_means")
        st.caption(_without(found))


def _without(found: Answers) -> str:
    """What lacks a comparison, in one line."""
    full = found.score("token_f1")
    parts = []
    if full is not None and full.mean.n < found.n:
        missing = [f"{count(n)} {words.missing(n, s, c)}" for s, c, n in full.causes]
        missing += [f"{count(full.n_not_scored)} not scored"] if full.n_not_scored else []
        parts.append(f"Left out: {', '.join(missing)}.")
    choice = found.score("choice_match")
    if choice is not None and not choice.mean.n:
        parts.append("No question with options to choose from.")
    if found.embedded is None:
        parts.append(
            "Similarity by an embedding model: not configured (page Judge, score "
            f"{EMBEDDED}); TF-IDF looks at the rare words in common."
        )
    return escape_line(" ".join(parts))


def _all(found: Answers) -> list[AnswerScore]:
    return [*found.scores, *([found.embedded] if found.embedded else [])]


def table(found: Answers, baseline: Answers | None) -> None:
    """The comparisons with their states and the baseline's means, to be unfolded."""
    if not (found.settings.run.has_answers and found.has_references):
        return
    with st.expander("The comparisons as a table", expanded=baseline is not None):
        _table(found, baseline)


def _table(found: Answers, baseline: Answers | None) -> None:
    rows = [_score_row(found, one, baseline) for one in _all(found)]
    config: dict[str, Any] = {
        name: st.column_config.TextColumn(alignment="right", width=width)
        for name, width in (("Mean", 64), ("95\u202f% interval", 104), ("Baseline", 76))
    }
    config["n"] = st.column_config.TextColumn(alignment="right", width=118)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=_ROW,
        height=_HEADER + _ROW * len(rows),
        column_config=config,
    )


def _score_row(found: Answers, one: AnswerScore, baseline: Answers | None) -> dict[str, object]:
    row: dict[str, object] = {
        "Score": METRICS[one.metric].name,
        "Mean": mean(one.metric, one.mean),
        "95\u202f% interval": ends(one.metric, one.mean),
        "n": f"{count(one.mean.n)} of {count(found.n)}",
    }
    if baseline is not None:
        before = baseline.embedded if one.metric == EMBEDDED else baseline.score(one.metric)
        row["Baseline"] = mean(one.metric, before.mean) if before else UNDEFINED
    missing = [f"{count(n)} {words.missing(n, s, c)}" for s, c, n in one.causes]
    if one.n_not_scored:
        missing.append(f"{count(one.n_not_scored)} not scored")
    row["Without"] = ", ".join(missing)
    row["Asks"] = METRICS[one.metric].one_sentence
    return row


def is_share(name: str) -> bool:
    """Whether a score is 0 or 1, so that its mean is a share."""
    return name not in METRICS or METRICS[name].cut_rule is CutRule.BINARY


def mean(name: str, rate: Rate) -> str:
    """A mean as it is written: a share as per cent, or as counts where they are few."""
    if not is_share(name):
        return number(rate.value)
    return percent(rate.value) if rate.n >= LEAST_N else rate_of(rate)


def ends(name: str, rate: Rate) -> str:
    """The interval of a mean as it is written; few cases have none."""
    if is_share(name) and rate.n < LEAST_N:
        return UNDEFINED
    if is_share(name) or rate.low is None or rate.high is None:
        return interval(rate.low, rate.high)
    return f"{number(rate.low)}–{number(rate.high)}"
