"""From the replies to a contract's prompts to the values of its metrics, contract by contract."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import sqrt
from typing import Any

from core.judge import claim_contracts
from core.judge.asking import Asking, Complaint
from core.judge.contracts import OWN_CONTRACT
from core.judge.faults import CallError
from core.judge.units import Result, Unit, blocks_of, per_context
from core.metrics import claims as claim_metrics
from core.model import Cause, ErrorKind, Flag


async def _context_relevance(unit: Unit, asking: Asking) -> Result:
    found = await per_context(unit, asking)
    rated = claim_metrics.rate_contexts(
        [reply["score"] if reply else None for _, reply, _ in found]
    )
    assert rated is not None
    listed: list[dict[str, Any]] = []
    for rank, reply, error in found:
        entry: dict[str, Any] = {"rank": rank, "score": reply["score"] if reply else None}
        if reply is not None:
            entry["reasoning"] = reply["reasoning"]
        if error is not None:
            entry["error"] = error
        listed.append(entry)
    best = next(entry for entry in listed if entry["score"] == rated.best)
    detail = {"contexts": listed, "mean": rated.mean, "share": rated.share_relevant}
    if rated.is_partial:
        detail["partial"] = True
    return Result(
        {unit.metrics[0]: float(rated.best)},
        f"Context {best['rank']}: {best['reasoning']}",
        raw=json.dumps([entry["score"] for entry in listed]),
        detail=detail,
    )


def _consistent(reply: Mapping[str, Any]) -> Complaint | None:
    score, n = reply["score"], len(reply["unsupported_claims"])
    if score == 5 and n:
        text = f"A score of 5 says that every claim is supported, but {n} are listed as not."
        return Complaint(text, Flag.INCONSISTENT_VERDICTS)
    if score <= 3 and not n:
        text = f"A score of {score} says that claims lack support, but none is listed."
        return Complaint(text, Flag.INCONSISTENT_VERDICTS)
    return None


async def _groundedness(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1), check=_consistent)
    return Result(
        {unit.metrics[0]: float(reply["score"])},
        reply["reasoning"],
        raw=json.dumps(reply["score"]),
        detail={"unsupported_claims": reply["unsupported_claims"]},
    )


async def _score(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1))
    score = float(reply["score"])
    return Result({unit.metrics[0]: score}, reply["reasoning"], raw=json.dumps(reply["score"]))


async def _refusal(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1))
    word = reply["refusal"]
    return Result(
        {unit.metrics[0]: 1.0 if word == "full" else 0.0},
        reply["reasoning"],
        raw=word,
        detail={"partial": True} if word == "partial" else None,
    )


async def _correctness(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1))
    word = reply["verdict"]
    value = 1.0 if word == "correct" else 0.0
    return Result({unit.metrics[0]: value}, reply["reasoning"], raw=word, detail={"verdict": word})


async def _binary_relevance(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1))
    value = 1.0 if reply["relevant"] else 0.0
    return Result({unit.metrics[0]: value}, reply["reasoning"], raw=json.dumps(reply["relevant"]))


async def _generated_questions(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1))
    questions = [text for text in reply["questions"] if text.strip()]
    if not questions:
        raise CallError(ErrorKind.EMPTY, "The judge wrote no question.")
    step = f"embedding {asking.model.settings.embedding_model}"
    vectors = await asking.embed(step, [unit.sample.question, *questions])
    likeness = [_cosine(vectors[0], vector) for vector in vectors[1:]]
    value = sum(likeness) / len(likeness)
    is_vague = bool(reply["noncommittal"])
    mean = f"The generated questions have a mean cosine of {value:.2f} with the question"
    return Result(
        {unit.metrics[0]: 0.0 if is_vague else value},
        f"{mean}; the answer is non-committal, which makes it 0." if is_vague else f"{mean}.",
        raw=json.dumps(likeness),
        detail={"questions": questions, "cosines": likeness, "noncommittal": is_vague},
    )


async def _embedded_similarity(unit: Unit, asking: Asking) -> Result:
    references = [text for text in unit.sample.references if text.strip()]
    step = f"embedding {asking.model.settings.embedding_model}"
    vectors = await asking.embed(step, [unit.sample.answer or "", *references])
    likeness = [_cosine(vectors[0], vector) for vector in vectors[1:]]
    best = max(likeness)
    return Result(
        {unit.metrics[0]: best},
        f"The answer has a cosine of {best:.2f} with the nearest expected answer.",
        raw=json.dumps(likeness),
        detail={"cosines": likeness},
    )


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Raises CallError where a vector is all zero or of another length."""
    norm = sqrt(sum(a * a for a in one)) * sqrt(sum(b * b for b in other))
    if len(one) != len(other) or norm == 0:
        raise CallError(ErrorKind.PROVIDER_ERROR, "The embedding model gave unusable vectors.")
    return sum(a * b for a, b in zip(one, other, strict=True)) / norm


async def _context_precision(unit: Unit, asking: Asking) -> Result:
    found = await per_context(unit, asking)
    failed = [error for _, _, error in found if error not in (None, Cause.EMPTY.value)]
    if failed:
        # Where the useful ones stand is the whole point: a gap in the ranks cannot be left out.
        raise CallError(ErrorKind(failed[0]), f"{len(failed)} of {len(found)} contexts failed.")
    useful = [bool(reply and reply["useful"]) for _, reply, _ in found]
    listed = [{"rank": rank, "useful": bool(reply and reply["useful"])} for rank, reply, _ in found]
    return Result(
        {unit.metrics[0]: claim_metrics.context_precision(useful)},
        f"{sum(useful)} of {len(useful)} contexts are useful.",
        raw=json.dumps([int(one) for one in useful]),
        detail={"contexts": listed},
    )


METHODS: Mapping[str, Callable[[Unit, Asking], Awaitable[Result]]] = {
    "context_relevance": _context_relevance,
    "groundedness": _groundedness,
    "answer_relevance": _score,
    "adherence": _score,
    "refusal": _refusal,
    "correctness": _correctness,
    "claims": claim_contracts.claims,
    "conversational_faithfulness": claim_contracts.conversation,
    "context_relevance_binary": _binary_relevance,
    "generated_questions": _generated_questions,
    "embedded_similarity": _embedded_similarity,
    "context_precision": _context_precision,
    "context_recall": claim_contracts.context_recall,
    OWN_CONTRACT: _score,
}
