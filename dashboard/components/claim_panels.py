"""Claims of a run: answer claims by kind as a bar, the scores that come from them as a table."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.metrics.claim_sets import JUDGE
from core.metrics.intervals import Rate
from core.metrics.registry import METRICS
from core.metrics.spec import MetricSpec
from core.model import Direction
from core.workflows.claim_figures import (
    ClaimFigures,
    ClaimScore,
    ClaimsOfKind,
    JudgedClaims,
    LabelledClaims,
)
from core.workflows.claim_words import KINDS, READS
from dashboard import access, navigation, state
from dashboard.charts.claim_bar import Brace, ClaimPart, claim_bar, kind_fill
from dashboard.components.head import current_theme, section
from dashboard.theme import UNDEFINED, count, counted, escape_line, number

_BRACES = (
    Brace(("right_unsupported", "right_supported"), "right", is_above=True),
    Brace(("wrong_relevant", "wrong_irrelevant", "wrong_unsupported"), "wrong", is_above=True),
    Brace(("right_unsupported",), "in no context", is_above=False),
    Brace(
        ("right_supported", "wrong_relevant", "wrong_irrelevant"), "in a context", is_above=False
    ),
    Brace(("wrong_unsupported",), "in no context", is_above=False),
)
_MEANS = "95\u202f% interval"
_JUDGED_NOTE = (
    "A model listed the claims of each answer and looked for each in the contexts. It was not "
    "shown the expected answer, so what is right was not judged. Not found is undecided: it counts "
    "against faithfulness, and is counted apart from what a context contradicts."
)


def draw(found: ClaimFigures) -> None:
    """All that is known of the claims; nothing where nobody looked at any."""
    if found.labelled is not None:
        with st.container(border=True):
            _labelled(found, found.labelled)
    if found.judged is not None:
        with st.container(border=True):
            _judged(found, found.judged)


def _labelled(found: ClaimFigures, labelled: LabelledClaims) -> None:
    section(
        "Claim by claim",
        "An answer is taken apart into single claims. Each is right if the expected answer says "
        "so, and supported if a retrieved text does.",
    )
    parts = _in_order(labelled.kinds)
    _bar(parts, _BRACES, "claim_bar")
    _key(parts, "labelled")
    st.caption(_labelled_note(labelled))
    _table(found, labelled.scores, "claim_scores")


def _judged(found: ClaimFigures, judged: JudgedClaims) -> None:
    section(f"Claim by claim, judged by {escape_line(judged.model)}")
    parts = _in_order(judged.kinds)
    _bar(parts, (), "judged_bar")
    _key(parts, "judged")
    st.caption(_JUDGED_NOTE)
    rows = [_row(found, one) for one in judged.scores]
    rows += [
        _cells("Contradicted claims", judged.contradicted, found.n, KINDS["contradicted"].meaning),
        _cells("Claims not found", judged.not_found, found.n, KINDS["not_found"].meaning),
    ]
    if found.labelled is None:
        known = {one.spec.id for one in judged.scores}
        rows += [_not_judged(METRICS[name]) for name in _LABELS_ONLY if name not in known]
    _frame(rows, "judged_scores")


_LABELS_ONLY = (
    "precision", "recall", "f1", "claim_recall", "context_precision_chunks", "context_utilization",
    "noise_sensitivity_rel", "noise_sensitivity_irr", "hallucination", "self_knowledge",
)  # fmt: skip


def _in_order(kinds: Sequence[ClaimsOfKind]) -> list[ClaimsOfKind]:
    order = list(KINDS)
    return sorted(kinds, key=lambda one: order.index(one.kind))


def _bar(parts: Sequence[ClaimsOfKind], braces: Sequence[Brace], key: str) -> None:
    if not any(one.n_claims for one in parts):
        st.caption("No claim of an answer has all its verdicts.")
        return
    drawn = [
        ClaimPart(one.kind, KINDS[one.kind].name, one.n_claims, _samples(one.n_samples))
        for one in parts
    ]
    figure = access.figure(claim_bar, drawn, braces, current_theme())
    event = st.altair_chart(figure, theme=None, key=state.visit_key(key), on_select="rerun")
    picked = event["selection"].get("kind") or []
    term = next((one.term for one in parts if picked and one.kind == picked[0]["id"]), None)
    if term is not None:
        navigation.open_samples(state.current(), term)


def _samples(n: int) -> str:
    return f"{count(n)} {'sample' if n == 1 else 'samples'}"


def _key(parts: Sequence[ClaimsOfKind], group: str) -> None:
    """The bar's key; the number of samples behind a kind opens them."""
    theme = current_theme()
    with st.container(gap=None):
        for one in parts:
            square = f':color[■]{{foreground="{kind_fill(one.kind, theme)}"}}'
            words = KINDS[one.kind]
            with st.container(
                horizontal=True, vertical_alignment="center", gap="small", wrap=False
            ):
                st.markdown(
                    f"{square}\u00a0{words.name} **{count(one.n_claims)}** "
                    f":gray[· {words.meaning}]",
                    width="stretch",
                )
                if one.n_samples and one.term is not None:
                    is_open = st.button(
                        _samples(one.n_samples),
                        icon=":material/arrow_forward:",
                        icon_position="right",
                        type="tertiary",
                        key=f"open_{group}_{one.kind}",
                        help=f"Open the samples with a claim that is: {words.name.lower()}",
                    )
                    if is_open:
                        navigation.open_samples(state.current(), one.term)


def _labelled_note(labelled: LabelledClaims) -> str:
    text = f"{counted(labelled.n_claims, 'claim')} of the answers by labels of the file"
    if labelled.n_open:
        text += (
            f"; {count(labelled.n_open)} more are of no kind, since a verdict is missing or "
            "nothing was retrieved"
        )
    return (
        f"{text}. Right means that the expected answer says so; if that is short, much that is "
        "true counts as wrong. The bar counts claims; a mean below counts each answer once, "
        "however many claims it makes."
    )


def _table(found: ClaimFigures, scores: Sequence[ClaimScore], key: str) -> None:
    has_baseline = any(one.baseline is not None and one.baseline.n for one in scores)
    rows = [_row(found, one, has_baseline=has_baseline) for one in scores]
    picked = _frame(rows, key, selects=True)
    if picked is not None and picked < len(scores):
        term = f"state.{scores[picked].spec.id}@{JUDGE.model}=value"
        navigation.open_samples(state.current(), term)


def _row(found: ClaimFigures, one: ClaimScore, *, has_baseline: bool = False) -> dict[str, str]:
    note = READS[one.spec.id]
    if one.spec.direction is Direction.LOWER:
        note += "; lower is better"
    row = _cells(one.spec.name, one.rate, found.n, note)
    left = [
        f"{count(n)} {word}"
        for n, word in ((one.n_not_applicable, "not applicable"), (one.n_error, "missing"))
        if n
    ]
    row["n of N"] += f" ({', '.join(left)})" if left else ""
    if has_baseline:
        base = one.baseline
        reads = row.pop("Reads as")
        row["Baseline"] = UNDEFINED if base is None else number(base.value)
        row["Reads as"] = reads
    return row


def _cells(name: str, rate: Rate, n: int, reads: str) -> dict[str, str]:
    has_interval = rate.low is not None and rate.high is not None
    return {
        "Score": name,
        "Mean": number(rate.value),
        _MEANS: f"{number(rate.low)}–{number(rate.high)}" if has_interval else UNDEFINED,
        "n of N": f"{count(rate.n)} of {count(n)}",
        "Reads as": reads,
    }


def _not_judged(spec: MetricSpec) -> dict[str, str]:
    """A score that a model which was not shown the expected answer cannot give."""
    return {
        "Score": spec.name,
        "Mean": UNDEFINED,
        _MEANS: UNDEFINED,
        "n of N": "not judged",
        "Reads as": READS[spec.id],
    }


def _frame(rows: Sequence[Mapping[str, str]], key: str, *, selects: bool = False) -> int | None:
    """Draw the rows; returns the place of the one that was chosen."""
    right = st.column_config.TextColumn(alignment="right", width=92)
    columns = dict.fromkeys(("Mean", _MEANS, "Baseline"), right)
    columns["n of N"] = st.column_config.TextColumn(width=150)
    if not selects:
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            row_height=30,
            height="content",
            column_config=columns,
            key=key,
        )
        return None
    event = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=30,
        height="content",
        column_config=columns,
        key=state.visit_key(key),
        on_select="rerun",
        selection_mode="single-row",
    )
    picked = event["selection"]["rows"]
    return picked[0] if picked else None
