"""The claims of one sample against reference and contexts, from its labels or a model's verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.metrics.claim_labels import answer_kinds, claim_scores
from core.metrics.claim_sets import JUDGE, ClaimSet, Row, from_json, width_of
from core.store.samples import SampleDetail

Word = Literal["entailed", "contradicted", "neutral", "not_entailed", "missing", "not_named"]
_VERDICTS: Mapping[str, str] = {"supported": "entailed", "contradicted": "contradicted"}


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim. ``is_quoted`` if its words stand in the answer (or the reference) like this.

    ``beside`` is what the other text says of it, ``contexts`` what each context does; ``kind`` is
    an id of ``claim_words.KINDS``, None where it is not known.
    """

    text: str
    is_quoted: bool
    beside: str | None
    contexts: tuple[str, ...]
    kind: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClaimTable:
    """Claims of the answer or of the reference, all in the words of one source.

    ``n_supported`` of ``n_counted`` lines have a context on their side; these are the two numbers
    of faithfulness (of the answer) or of claim recall (of the reference). ``ranks`` are those of
    the contexts in their order, and empty where nobody told one from another.
    """

    side: Literal["answer", "reference"]
    source: str
    is_judged: bool
    ranks: tuple[int, ...]
    lines: tuple[ClaimLine, ...]
    n_counted: int
    n_supported: int


def claim_tables(detail: SampleDetail) -> list[ClaimTable]:
    """All that is known of the claims of a sample; [] where nobody looked at any."""
    tables = []
    if detail.claims is not None:
        tables += _labelled(detail, from_json(detail.claims))
    for metric, read in (("faithfulness", _judged_answer), ("context_recall", _judged_reference)):
        table = _newest(detail, metric)
        listed = _listed(table)
        if table is not None and listed:
            tables.append(read(detail, str(table["model"]), listed))
    return tables


def _labelled(detail: SampleDetail, found: ClaimSet) -> list[ClaimTable]:
    is_recorded = detail.sample["is_contexts_recorded"]
    width = len(detail.contexts) if is_recorded else width_of(found)
    ranks = tuple(context.rank for context in detail.contexts) or tuple(range(1, width + 1))
    labels = found.labels(width)
    scores = claim_scores(labels)
    kinds = answer_kinds(labels)
    tables = []
    if found.answer is not None:
        lines = _lines(
            found.answer, detail.sample["answer"], found.answer_by_reference,
            found.answer_by_context, width, kinds,
        )  # fmt: skip
        n = _n_complete(found.answer_by_reference, found.answer_by_context, width)
        tables.append(_table("answer", ranks, lines, n, scores.faithfulness))
    if found.reference is not None:
        reference = "\n".join(detail.sample["reference_texts"])
        lines = _lines(
            found.reference, reference, found.reference_by_answer, found.reference_by_context,
            width, (),
        )  # fmt: skip
        n = _n_complete(found.reference_by_answer, found.reference_by_context, width)
        tables.append(_table("reference", ranks, lines, n, scores.claim_recall))
    return tables


def _table(
    side: Literal["answer", "reference"],
    ranks: tuple[int, ...],
    lines: tuple[ClaimLine, ...],
    n_counted: int,
    share: float | None,
) -> ClaimTable:
    n_supported = round((share or 0.0) * n_counted)
    return ClaimTable(side, JUDGE.model, False, ranks, lines, n_counted, n_supported)


def _n_complete(row: Row | None, rows: Sequence[Row] | None, width: int) -> int:
    """Claims that have all their verdicts: the denominator of the scores."""
    n = len(row if row is not None else rows or ())
    return sum(
        (row is None or row[place] is not None)
        and (rows is None or (len(rows[place]) == width and None not in rows[place]))
        for place in range(n)
    )


def _lines(
    claims: Sequence[str],
    text: str,
    beside: Row | None,
    rows: Sequence[Row] | None,
    width: int,
    kinds: Sequence[str | None],
) -> tuple[ClaimLine, ...]:
    lines = []
    for place, claim in enumerate(claims):
        row: Row = rows[place] if rows is not None else ()
        padded = (*row, *[None] * (width - len(row)))
        lines.append(
            ClaimLine(
                text=claim,
                is_quoted=is_quoted(claim, text),
                beside=None if beside is None else str(beside[place] or "missing"),
                contexts=tuple(str(word or "missing") for word in padded) if rows else (),
                kind=kinds[place] if place < len(kinds) else None,
            )
        )
    return tuple(lines)


def is_quoted(claim: str, text: str) -> bool:
    """True if a claim stands in a text in these words, whatever their case and spaces.

    >>> is_quoted("It is Red", "I think it is  red."), is_quoted("It is blue", "It is red.")
    (True, False)
    """
    words = " ".join(claim.casefold().split()).rstrip(".")
    return bool(words) and words in " ".join(text.casefold().split())


def _newest(detail: SampleDetail, metric: str) -> Mapping[str, Any] | None:
    """The newest verdict of a model that lists claims."""
    mine = (one for one in detail.verdicts if (one["metric"], one["kind"]) == (metric, "llm"))
    return next((one for one in reversed(list(mine)) if _listed(one)), None)


def _listed(verdict: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    details = (verdict or {}).get("detail")
    items = details.get("claims") if isinstance(details, Mapping) else None
    return [
        item
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, Mapping) and isinstance(item.get("claim"), str)
    ]


def _judged_answer(detail: SampleDetail, model: str, listed: list[Mapping[str, Any]]) -> ClaimTable:
    ranks = tuple(context.rank for context in detail.contexts)
    lines = []
    for item in listed:
        verdict = str(item.get("verdict"))
        named = item.get("contexts")
        places = set(named) if isinstance(named, list) else set()
        word = _VERDICTS.get(verdict)
        lines.append(
            ClaimLine(
                text=item["claim"],
                is_quoted=is_quoted(item["claim"], detail.sample["answer"]),
                beside=None,
                contexts=tuple(
                    "neutral" if word is None else word if rank in places else "not_named"
                    for rank in ranks
                ),
                kind=verdict,
                reason=str(item.get("reason") or ""),
            )
        )
    n_supported = sum(line.kind == "supported" for line in lines)
    return ClaimTable("answer", model, True, ranks, tuple(lines), len(lines), n_supported)


def _judged_reference(
    detail: SampleDetail, model: str, listed: list[Mapping[str, Any]]
) -> ClaimTable:
    reference = "\n".join(detail.sample["reference_texts"])
    lines = tuple(
        ClaimLine(
            text=item["claim"],
            is_quoted=is_quoted(item["claim"], reference),
            beside=None,
            contexts=(),
            kind="supported" if item.get("attributable") is True else "not_found",
        )
        for item in listed
    )
    n_supported = sum(line.kind == "supported" for line in lines)
    return ClaimTable("reference", model, True, (), lines, len(lines), n_supported)
