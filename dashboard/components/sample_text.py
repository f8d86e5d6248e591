"""The texts of a sample: question, answer with unsupported claims marked, reference, contexts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

from core.metrics.claim_sets import CONTEXT_USEFUL
from core.metrics.hits import duplicate_of, find_hits
from core.metrics.registry import axis_of
from core.model import Axis, Cause, Context
from core.workflows.sample_views import SampleView
from dashboard.access.hits import load_hit_rule
from dashboard.components import words
from dashboard.components.head import current_theme
from dashboard.components.verdicts import marks_of, selected_verdict
from dashboard.theme import count, escape, escape_line, marked_answer, number

_ANSWER_SHOWN = 6_000
_QUESTION_SHOWN = 2_000
_CONTEXT_SHOWN = 1_200
_PANE_HEIGHT, _PANE_CHARACTERS = 640, 1_400


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Claims of the answer that no context supports.

    ``spans`` are places in the answer with their texts in ``claims`` in step; ``reworded`` are
    claims in the judge's own words that do not occur in the answer; ``judge`` is who said so.
    """

    spans: tuple[tuple[int, int], ...]
    claims: tuple[str, ...]
    reworded: tuple[str, ...]
    judge: str = ""


def unsupported(answer: str, detail: object) -> Unsupported:
    """Unsupported claims from the detail of a groundedness verdict, found again in the answer.

    The detail of an imported verdict is whatever the file has: what cannot be read is passed over.

    >>> unsupported("It is red. It flies.", {"unsupported_claims": ["It flies.", "It swims."]})
    Unsupported(spans=((11, 20),), claims=('It flies.',), reworded=('It swims.',), judge='')
    """
    spans: list[tuple[int, int]] = []
    claims: list[str] = []
    reworded: list[str] = []
    for item in (*_items(detail, "unsupported"), *_items(detail, "unsupported_claims")):
        span, text = _span(item), _claim(item)
        # A span that does not fit the answer belongs to another text: say so, mark nothing.
        if span is None or not 0 <= span[0] < span[1] <= len(answer):
            at = answer.find(text) if text.strip() else -1
            span = (at, at + len(text)) if at >= 0 else None
        if span is not None:
            spans.append(span)
            claims.append(answer[span[0] : span[1]])
        elif text.strip():
            reworded.append(text)
    return Unsupported(tuple(spans), tuple(claims), tuple(reworded))


def _items(detail: object, name: str) -> list[object]:
    found = detail.get(name) if isinstance(detail, Mapping) else None
    return found if isinstance(found, list) else []


def _span(item: object) -> tuple[int, int] | None:
    if not isinstance(item, Mapping):
        return None
    start, end = item.get("start"), item.get("end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None


def _claim(item: object) -> str:
    found = item.get("text", "") if isinstance(item, Mapping) else item
    return found if isinstance(found, str) else ""


def unsupported_of(found: SampleView) -> Unsupported:
    """Unsupported claims by the judge that counts, else by the newest that named any."""
    selected = selected_verdict(found, Axis.GROUNDEDNESS)
    others = [v for v in found.detail.verdicts if axis_of(v["metric"]) is Axis.GROUNDEDNESS]
    for verdict in (selected, *reversed(others)):
        detail = (verdict or {}).get("detail")
        names_them = isinstance(detail, Mapping) and {"unsupported", "unsupported_claims"} & set(
            detail
        )
        if verdict is not None and names_them:
            claims = unsupported(found.detail.sample["answer"], detail)
            return replace(claims, judge=str(verdict["model"]))
    return Unsupported((), (), ())


def left_column(found: SampleView, claims: Unsupported) -> None:
    """Question, answer, reference and the unsupported claims."""
    sample = found.detail.sample
    tags = " · ".join(f"{name}: {value}" for name, value in found.detail.tags[:4])
    with st.container(border=True, gap="xsmall"):
        st.caption(
            escape_line(f"Question · {sample['sample_id']}" + (f" · {tags}" if tags else ""))
        )
        _history(sample["history"])
        if sample["question"]:
            question: str = sample["question"]
            st.markdown(f"**{escape(question[:_QUESTION_SHOWN].rstrip())}**")
            _all_of(question, _QUESTION_SHOWN, "the question")
        else:
            st.caption("The file has no question for this sample.")
        condensed = condensed_of(found)
        if condensed is not None:
            st.caption(
                f"Judged without the earlier turns as: {escape(condensed[:_QUESTION_SHOWN])}",
                help="The judge is not shown the conversation. A model first put the question so "
                "that it stands alone; that request is behind each score.",
            )
            _all_of(condensed, _QUESTION_SHOWN, "the question as it was judged")
    with st.container(border=True, gap="xsmall"):
        _answer(found, claims)
    if sample["reference_texts"]:
        with st.container(border=True, gap="xsmall"):
            n = len(sample["reference_texts"])
            st.caption("Reference" if n == 1 else f"{n} references, any of them will do")
            for text in sample["reference_texts"]:
                _long_text(text, _CONTEXT_SHOWN, "the reference")
    if claims.claims or claims.reworded:
        _claims(claims)


def condensed_of(found: SampleView) -> str | None:
    """The question as a judge that counts was shown it, if it was put anew."""
    for axis in Axis:
        verdict = selected_verdict(found, axis)
        detail = (verdict or {}).get("detail")
        condensed = detail.get("condensed_question") if isinstance(detail, Mapping) else None
        if isinstance(condensed, str) and condensed.strip():
            return condensed
    return None


def _history(history: Any) -> None:
    if not history:
        return
    turns = history if isinstance(history, list) else [history]
    with st.expander(f"{len(turns)} earlier turns"):
        for turn in turns:
            st.text(turn if isinstance(turn, str) else str(turn))


def _answer(found: SampleView, claims: Unsupported) -> None:
    sample = found.detail.sample
    answer: str = sample["answer"]
    n = len(claims.spans) + len(claims.reworded)
    note = f" · {count(n)} {'claim' if n == 1 else 'claims'} not supported" if n else ""
    st.caption(f"Answer{note}")
    if sample["error"]:
        error: str = sample["error"]
        st.markdown(f":red[**The system reported an error:**] {escape(error[:_CONTEXT_SHOWN])}")
        _all_of(error, _CONTEXT_SHOWN, "the error")
    if not answer.strip():
        recorded = found.settings.run.has_answers
        st.caption(
            "The answer is empty, which counts as a refusal."
            if recorded
            else "This run has no answers."
        )
        return
    shown = answer[:_ANSWER_SHOWN]
    st.markdown(marked_answer(shown, claims.spans, current_theme()))
    _all_of(answer, _ANSWER_SHOWN, "the answer")


def _claims(claims: Unsupported) -> None:
    with st.container(border=True, gap="xsmall"):
        st.caption(escape_line(f"Not supported by any context, says {claims.judge}"))
        lines = [
            f":small[**{i}** {escape_line(claim[:300])}]"
            for i, claim in enumerate(claims.claims, 1)
        ]
        if lines:
            st.markdown("  \n".join(lines))
        if claims.reworded:
            st.caption("In the judge's own wording, not found in the answer")
            st.markdown(
                "  \n".join(f":small[{escape_line(claim[:300])}]" for claim in claims.reworded)
            )


def _long_text(text: str, limit: int, name: str) -> None:
    st.text(text[:limit] + (" …" if len(text) > limit else ""))
    _all_of(text, limit, name)


def _all_of(text: str, limit: int, name: str) -> None:
    """The way to the rest of a text that was cut."""
    if len(text) > limit:
        with st.popover(f"Show all {count(len(text))} characters of {name}"):
            st.text(text)


def contexts(found: SampleView) -> None:
    """All retrieved contexts in one box, with hit and duplicate marks."""
    run, detail = found.settings.run, found.detail
    is_long = sum(len(context.text or "") for context in detail.contexts) > _PANE_CHARACTERS
    height: int | Literal["content"] = _PANE_HEIGHT if is_long else "content"
    with st.container(border=True, gap="small", height=height, key="contexts_pane"):
        if not run.has_contexts or not detail.sample["is_contexts_recorded"]:
            st.caption("Contexts")
            st.markdown(f":gray[{words.cause(Cause.CONTEXTS_NOT_RECORDED).capitalize()}.]")
            return
        rule = load_hit_rule(run.run_id)
        references = detail.sample["reference_texts"] or ()
        said = marks_of(found)
        judged = [said.get(context.rank) for context in detail.contexts]
        hits = find_hits(detail.contexts, detail.gold, references, rule.options(), judged)
        repeats = duplicate_of(detail.contexts)
        st.caption(_contexts_line(detail.contexts, hits.first, hits.basis, repeats))
        scores = _context_scores(found)
        useful = useful_ranks(detail.verdicts)
        for context, stage, repeat in zip(
            detail.contexts, hits.stages or (None,) * len(detail.contexts), repeats, strict=True
        ):
            hit = hit_in_words(stage, hits.basis) if stage else None
            marks = [hit] if hit else []
            marks += ["useful"] if context.rank in useful else []
            _context(context, marks, repeat, scores.get(context.rank))
        if not detail.contexts:
            st.markdown(":gray[Nothing was retrieved: context relevance is low by rule.]")


def _contexts_line(
    found: Sequence[Context], first: int | None, basis: str | None, repeats: Sequence[int | None]
) -> str:
    parts = [f"{count(len(found))} {'context' if len(found) == 1 else 'contexts'}"]
    if basis is None:
        parts.append("no gold evidence to compare with")
    elif first is None:
        parts.append("no hit")
    else:
        parts.append(f"first hit at rank {found[first - 1].rank}")
    n_repeats = sum(1 for repeat in repeats if repeat)
    if n_repeats:
        parts.append(f"{n_repeats} {'duplicate' if n_repeats == 1 else 'duplicates'}")
    if any(context.score is not None for context in found):
        parts.append("retriever score at the right")
    return " · ".join(parts)


def _context_scores(found: SampleView) -> dict[int, float]:
    """Scores that the selected judge gave to single contexts, by rank."""
    verdict = selected_verdict(found, Axis.CONTEXT_RELEVANCE)
    return context_scores((verdict or {}).get("detail"))


def context_scores(detail: object) -> dict[int, float]:
    """Scores of single contexts by rank, from the detail of a verdict that has any.

    >>> context_scores({"contexts": [{"rank": 1, "score": 0.5}, {"rank": "x", "score": 1}]})
    {1: 0.5}
    """
    return {
        item["rank"]: float(item["score"])
        for item in _items(detail, "contexts")
        if isinstance(item, Mapping)
        and isinstance(item.get("rank"), int)
        and isinstance(item.get("score"), int | float)
    }


_STAGES = {
    "gold_id": "document id",
    "substring": "same words",
    "token_recall": "most words",
    "embedding": "similar sentence",
    "judge": "by its mark",
}


def hit_in_words(stage: str, basis: str | None) -> str:
    """Why a context is a hit, for its badge.

    >>> hit_in_words("gold_id", "gold_id"), hit_in_words("substring", "reference")
    ('hit: document id', 'hit: same words as the reference')
    """
    of = " as the reference" if basis == "reference" and stage != "judge" else ""
    return f"hit: {_STAGES[stage]}{of}"


def useful_ranks(verdicts: Sequence[Mapping[str, Any]]) -> set[int]:
    """Ranks of the contexts that hold a claim of the reference, by the newest verdict on each.

    >>> useful_ranks([{"metric": "context_useful", "context_rank": 2, "value": 1.0}])
    {2}
    """
    newest = {
        one["context_rank"]: one["value"] for one in verdicts if one["metric"] == CONTEXT_USEFUL
    }
    return {rank for rank, value in newest.items() if rank is not None and value == 1}


def _context(
    context: Context, marks: Sequence[str], repeat: int | None, relevance: float | None
) -> None:
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False):
            name = escape_line((context.doc_id or "no document id")[:120])
            st.markdown(f"**{context.rank}** &nbsp;:gray[{name}]", width="stretch", wrap=False)
            for mark in marks:
                st.badge(mark, color="green")
            if repeat:
                st.badge(f"duplicate of {repeat}", color="gray")
            if relevance is not None:
                st.caption(f"relevance {number(relevance)}", width="content")
            if context.score is not None:
                st.caption(f"{context.score:.3g}", width="content")
        _long_text(context.text or "", _CONTEXT_SHOWN, f"context {context.rank}")
