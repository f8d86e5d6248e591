"""Parts of the page Retrieval: curves by rank, figures with intervals, pairs of ranks, lists."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.metrics.intervals import Rate
from core.metrics.redundancy import RedundancyFigures
from core.workflows.retrieving import Retrieval
from dashboard import access, navigation, state
from dashboard.charts.curves import CurvePoint, rate_curve
from dashboard.charts.rank_pairs import rank_pair_figure
from dashboard.components import retrieval_samples
from dashboard.components.head import current_theme, section
from dashboard.components.words import fingerprint
from dashboard.theme import count, interval, number, percent, share

_RANKS_SHOWN = 10
_RIGHT = st.column_config.TextColumn(alignment="right", width=96)


def curves(found: Retrieval) -> None:
    """Hits up to a depth, and at each rank alone."""
    theme, base = current_theme(), found.baseline
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True):
        section("Evidence within the first k contexts", "Share of samples with at least one hit.")
        figure = access.figure(
            rate_curve,
            _points(found.figures.hit_at_k),
            theme,
            title="k",
            baseline=_points(base.hit_at_k) if base else (),
            is_clickable=True,
        )
        within = _clicked(figure, "hit_curve", "point")
    with right, st.container(border=True):
        section(
            "Evidence at each rank",
            "Share of samples whose context at this very rank holds evidence; not cumulative.",
        )
        figure = access.figure(
            rate_curve,
            _points(found.figures.context_hit_rate),
            theme,
            title="rank",
            baseline=_points(base.context_hit_rate) if base else (),
            is_clickable=True,
        )
        at_rank = _clicked(figure, "rank_curve", "point")
    st.caption(
        f"{count(found.figures.n)} samples with gold evidence"
        + (f", {count(found.figures.n_no_gold)} without" if found.figures.n_no_gold else "")
        + _not_recorded(found)
        + ". Band: 95\u202f% interval."
        + (" Dashed: the baseline." if base else "")
        + " Click a point to open its samples."
    )
    retrieval_samples.open_picked(within, retrieval_samples.hit_within)
    retrieval_samples.open_picked(at_rank, retrieval_samples.hit_at)


def _clicked(figure: object, key: str, selection: str) -> list[dict[str, object]]:
    """Draw a chart; returns what was clicked in it."""
    event = st.altair_chart(  # type: ignore[call-overload]
        figure, theme=None, key=state.visit_key(key), on_select="rerun"
    )
    return event["selection"].get(selection) or []


def _not_recorded(found: Retrieval) -> str:
    n = found.figures.n_contexts_not_recorded
    return f", {count(n)} whose contexts are not recorded" if n else ""


def _points(rates: Mapping[int, Rate]) -> list[CurvePoint]:
    return [CurvePoint(k, rate) for k, rate in rates.items() if 1 <= k <= _RANKS_SHOWN]


def table(found: Retrieval) -> None:
    """Rank metrics with intervals, the baseline beside them."""
    figures, base = found.figures, found.baseline
    k = figures.depth
    rows = [
        ("No hit at all", "no_hit_rate", None, True, "1 minus the hit rate over all ranks"),
        (f"Recall@{k}", "recall", k, False, "share of the gold evidence found"),
        (f"Precision@{k}", "precision", k, False, "share of the k ranks with evidence"),
        ("MRR", "mrr", None, False, "1 / rank of the first hit, 0 without one"),
        (f"nDCG@{k}", "ndcg", k, False, "early ranks count more; best is 1"),
        ("MAP (of all gold)", "map_trec", None, False, "evidence never retrieved costs"),
        (
            "MAP (of what was found)",
            "map_retrieved",
            None,
            False,
            "the order of what was retrieved",
        ),
    ]
    shown = []
    for name, field, key, is_share, words in rows:
        rate = _rate(figures, field, key)
        row = {
            "Figure": name,
            "Value": _value(rate, is_share=is_share),
            "95\u202f% interval": _interval(rate, is_share=is_share),
            "n": rate.n,
        }
        if base is not None:
            rate = _rate(base, field, min(key, base.depth) if key else None)
            row["Baseline"] = _value(rate, is_share=is_share)
        shown.append({**row, "Reads as": words})
    event = st.dataframe(
        pd.DataFrame(shown),
        hide_index=True,
        row_height=30,
        key=state.visit_key("figures_table"),
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "Value": st.column_config.TextColumn(alignment="right", width=62),
            "95\u202f% interval": st.column_config.TextColumn(alignment="right", width=100),
            "Baseline": st.column_config.TextColumn(alignment="right", width=74),
            "n": st.column_config.NumberColumn(width=60, format="localized"),
        },
    )
    picked = event["selection"]["cells"]
    if picked and picked[0][0] < len(rows):
        place, column = picked[0]
        is_missed = rows[place][1] == "no_hit_rate"
        terms = retrieval_samples.with_count("0") if is_missed else retrieval_samples.COUNTED
        retrieval_samples.open_terms(terms, is_baseline=column == "Baseline")
    st.caption("Click a figure to open its samples: those without a hit, or those a mean is over.")


def _rate(figures: object, field: str, key: int | None) -> Rate:
    value = getattr(figures, field)
    rate: Rate = value if key is None else value[key]
    return rate


def _value(rate: Rate, *, is_share: bool) -> str:
    return percent(rate.value) if is_share else number(rate.value)


def _interval(rate: Rate, *, is_share: bool) -> str:
    if is_share or rate.low is None or rate.high is None:
        return interval(rate.low, rate.high)
    return f"{number(rate.low)}–{number(rate.high)}"


def pairs(found: Retrieval) -> None:
    """Two readings of redundancy: the same evidence twice, and the same words twice."""
    theme, base = current_theme(), found.baseline
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True):
        section(
            "Both ranks hold evidence",
            "Joint hits: share of all samples whose contexts at both ranks are hits.",
        )
        hits = _shown(found.figures.pairwise_redundancy)
        hits_before = _shown(base.pairwise_redundancy) if base else None
        if _has_tiles(hits, hits_before):
            figure = access.figure(
                rank_pair_figure, hits, theme, what="both hit", baseline=hits_before
            )
            picked = _clicked(figure, "joint_hits", "pair")
            retrieval_samples.open_picked(picked, retrieval_samples.with_both)
            st.caption("Click a tile to open its samples.")
        else:
            st.caption("No sample in view has gold evidence and two contexts.")
    with right, st.container(border=True):
        section(
            "Both ranks say the same",
            "Text redundancy: mean share of words that two contexts have in common (Jaccard).",
        )
        words = _shown(found.redundancy.by_pair)
        other = found.baseline_redundancy
        words_before = _shown(other.by_pair) if other else None
        if _has_tiles(words, words_before):
            figure = access.figure(
                rank_pair_figure, words, theme, what="shared words", is_share=False,
                baseline=words_before, more=_near(found.redundancy),
                baseline_more=_near(other) if other else None,
            )  # fmt: skip
            picked = _clicked(figure, "text_redundancy", "pair")
            retrieval_samples.open_picked(picked, retrieval_samples.with_near_duplicates)
            st.caption(
                "Click a tile to open its near-duplicates: 0.80 of the words in common or more."
            )
        else:
            st.caption("No sample in view has two contexts.")
    if base is not None:
        st.caption(
            "Below the diagonal this run, above it the baseline; each tile opens its own run."
        )
    near = found.redundancy.near_duplicates
    if not near.n:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"{share(int(near.k), near.n)} samples with two or more contexts have a near-duplicate "
            "pair (0.80 of the words in common or more).",
            width="stretch",
        )
        if near.k and st.button(f"{count(int(near.k))} samples", icon=":material/arrow_forward:",
                                icon_position="right", key="open_near_duplicates"):  # fmt: skip
            terms = retrieval_samples.with_some_near_duplicates()
            retrieval_samples.open_terms(terms, is_baseline=False)


def _has_tiles(*runs: Mapping[tuple[int, int], Rate] | None) -> bool:
    return any(rate.value is not None for pairs in runs if pairs for rate in pairs.values())


def _near(found: RedundancyFigures) -> dict[tuple[int, int], str]:
    return {
        pair: f"near-duplicates: {count(int(rate.k))}" for pair, rate in found.near_by_pair.items()
    }


def _shown(pairs: Mapping[tuple[int, int], Rate]) -> dict[tuple[int, int], Rate]:
    return {pair: rate for pair, rate in pairs.items() if max(pair) <= _RANKS_SHOWN}


def lists(found: Retrieval) -> None:
    """Questions and documents that are worth a look."""
    address = state.current()
    figures = found.figures
    misses = figures.n - int(figures.hit_at_k[figures.depth].k)
    words = ("never hit", "no context of theirs holds the evidence")
    if figures.policy.share:
        words = ("miss", "their contexts do not hold as much of the evidence as a hit needs")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{count(misses)} of {count(figures.n)} questions {words[0]}** :gray[· {words[1]}]",
            width="stretch",
        )
        if misses and st.button(f"{count(misses)} samples", icon=":material/arrow_forward:",
                                icon_position="right", key="open_misses"):  # fmt: skip
            navigation.open_samples(address, "hit=miss")
    left, right = st.columns(2, gap="small")
    with left:
        section("Most redundant questions", "By their most similar pair of contexts.")
        rows = [
            {"Sample": one.sample_id, "Shared words": number(one.largest), "Question": one.question}
            for one in found.repeating
        ]
        event = st.dataframe(
            pd.DataFrame(rows, columns=["Sample", "Shared words", "Question"]),
            hide_index=True,
            row_height=30,
            key=state.visit_key(f"repeating_{fingerprint(row['Sample'] for row in rows)}"),
            on_select="rerun",
            selection_mode="single-row",
            column_config={
                "Shared words": st.column_config.TextColumn(alignment="right", width=96)
            },
        )
        picked = event["selection"]["rows"]
        if picked and picked[0] < len(found.repeating):
            navigation.open_sample(address, found.repeating[picked[0]].sample_id)
    with right:
        section(
            "Retrieved often, never useful",
            "Documents that were retrieved for several questions and hold the evidence of none.",
        )
        if not found.useless:
            st.caption("No document was retrieved for several questions without holding evidence.")
            return
        documents = [
            {
                "Document": one.doc_id,
                "Questions": one.n_retrieved,
                "Mean rank": number(one.mean_rank),
            }
            for one in found.useless
        ]
        event = st.dataframe(
            pd.DataFrame(documents, columns=["Document", "Questions", "Mean rank"]),
            hide_index=True,
            row_height=30,
            key=state.visit_key(f"useless_{fingerprint(one.doc_id for one in found.useless)}"),
            on_select="rerun",
            selection_mode="single-row",
            column_config={"Mean rank": st.column_config.TextColumn(alignment="right", width=90)},
        )
        picked = event["selection"]["rows"]
        if picked and picked[0] < len(found.useless):
            navigation.open_samples(address, f"doc={found.useless[picked[0]].doc_id}")
