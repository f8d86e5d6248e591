"""From the replies to a contract's prompts to the values of its metrics, contract by contract."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from core.judge.asking import Asking, Complaint
from core.judge.contracts import OWN_CONTRACT, Contract
from core.judge.faults import AbortedError, CallError
from core.judge.fences import Block, numbered
from core.judge.prompts import Prompt
from core.metrics import claims as claim_metrics
from core.metrics.conversational import conversational_faithfulness
from core.model import Cause, Context, ErrorKind, Flag, JudgeSpec, SampleText
from core.text import sentences

_QUOTE_CHARS = 160


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged in one go: one contract, for one sample and repeat, for these metrics."""

    sample: SampleText
    contract: Contract
    prompts: tuple[Prompt, ...]
    metrics: tuple[str, ...]
    repeat: int
    judge: JudgeSpec


@dataclass(frozen=True, slots=True)
class Result:
    """What the replies to a contract come to, by metric; None where there is none to give."""

    values: Mapping[str, float | None]
    reasoning: str
    raw: str | None = None
    detail: Mapping[str, Any] | None = None
    cause: Cause | None = None


# --- texts ----------------------------------------------------------------------------------------


def _blocks(unit: Unit, step: int, **others: str) -> list[Block]:
    """The texts that a step shows, in the contract's order."""
    sample = unit.sample
    found: list[Block] = []
    for name in unit.contract.steps[step - 1].inputs:
        match name:
            case "question":
                found.append(Block("question", sample.question))
            case "answer":
                found.append(Block("answer", sample.answer or ""))
            case "reference":
                texts = [text for text in sample.references if text.strip()]
                found.append(Block("reference", texts[0] if len(texts) == 1 else numbered(texts)))
            case "contexts":
                found += [_context(context) for context in _with_text(sample)]
            case "context":
                pass
            case _:
                found.append(Block(name, others[name]))
    return found


def _context(context: Context) -> Block:
    return Block(f"context {context.rank}", context.text or "")


def _with_text(sample: SampleText) -> list[Context]:
    return [context for context in sample.contexts or () if (context.text or "").strip()]


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= _QUOTE_CHARS else line[:_QUOTE_CHARS] + '…'}”"


async def _per_context(
    unit: Unit, asking: Asking
) -> list[tuple[int, dict[str, Any] | None, str | None]]:
    """Rank, reply and kind of error for each context; the first is what is known of no text.

    Raises:
        CallError: every request failed, or the job ended.
    """
    blocks = _blocks(unit, 1)
    errors: list[CallError] = []

    async def one(context: Context) -> tuple[int, dict[str, Any] | None, str | None]:
        if not (context.text or "").strip():
            return context.rank, None, Cause.EMPTY.value
        try:
            reply = await asking.ask(
                unit.prompts[0], [*blocks, _context(context)], rank=context.rank
            )
        except CallError as error:
            errors.append(error)
            return context.rank, None, error.kind.value
        return context.rank, reply, None

    found = await asyncio.gather(*(one(context) for context in unit.sample.contexts or ()))
    for error in errors:
        # The verdict waits for the rest; as it stands it would look complete.
        if isinstance(error, AbortedError) or error.is_fatal:
            raise error
    if errors and all(reply is None for _, reply, _ in found):
        raise errors[0]
    return list(found)


# --- contracts ------------------------------------------------------------------------------------


async def _context_relevance(unit: Unit, asking: Asking) -> Result:
    found = await _per_context(unit, asking)
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
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1), check=_consistent)
    return Result(
        {unit.metrics[0]: float(reply["score"])},
        reply["reasoning"],
        raw=json.dumps(reply["score"]),
        detail={"unsupported_claims": reply["unsupported_claims"]},
    )


async def _score(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1))
    score = float(reply["score"])
    return Result({unit.metrics[0]: score}, reply["reasoning"], raw=json.dumps(reply["score"]))


async def _refusal(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1))
    word = reply["refusal"]
    return Result(
        {unit.metrics[0]: 1.0 if word == "full" else 0.0},
        reply["reasoning"],
        raw=word,
        detail={"partial": True} if word == "partial" else None,
    )


async def _correctness(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1))
    word = reply["verdict"]
    value = 1.0 if word == "correct" else 0.0
    return Result({unit.metrics[0]: value}, reply["reasoning"], raw=word, detail={"verdict": word})


async def _binary_relevance(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1))
    value = 1.0 if reply["relevant"] else 0.0
    return Result({unit.metrics[0]: value}, reply["reasoning"], raw=json.dumps(reply["relevant"]))


def _all_of(
    n: int, key: str, ranks: Sequence[int] | None = None
) -> Callable[..., Complaint | None]:
    """Exactly one entry for each number from 1 to n, naming only contexts that there are."""

    def check(reply: Mapping[str, Any]) -> Complaint | None:
        numbers = [entry["i"] for entry in reply[key]]
        if sorted(numbers) != list(range(1, n + 1)):
            return Complaint(
                f"{key} has to hold the numbers 1 to {n}, each once; it holds {numbers}."
            )
        named = {rank for entry in reply[key] for rank in entry.get("chunks", ())}
        if ranks is not None and not named <= set(ranks):
            wrong = sorted(named - set(ranks))
            return Complaint(f"There is no context {', '.join(map(str, wrong))}.")
        return None

    return check


async def _claims(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1))
    found = [text for text in reply["claims"] if text.strip()]
    if not found:
        values = {"faithfulness": None, "faithfulness_contradiction": 1.0}
        return Result(values, "The answer makes no claim.", cause=Cause.NO_CLAIMS)
    ranks = [context.rank for context in _with_text(unit.sample)]
    checked = await asking.ask(
        unit.prompts[1],
        _blocks(unit, 2, claims=numbered(found)),
        check=_all_of(len(found), "verdicts", ranks),
    )
    verdicts = sorted(checked["verdicts"], key=lambda entry: int(entry["i"]))
    words = [entry["verdict"] for entry in verdicts]
    n, n_supported = len(words), words.count("supported")
    listed = [
        {
            "claim": text,
            "verdict": entry["verdict"],
            "contexts": entry["chunks"],
            "reason": entry["reason"],
        }
        for text, entry in zip(found, verdicts, strict=True)
    ]
    unsupported = [entry["claim"] for entry in listed if entry["verdict"] != "supported"]
    values = {
        "faithfulness": claim_metrics.faithfulness(n_supported, n),
        "faithfulness_contradiction": claim_metrics.faithfulness_contradiction(
            words.count("contradicted"), n, words.count("not_found")
        ),
    }
    reasoning = f"{n_supported} of {n} claims are supported."
    if unsupported:
        reasoning = reasoning[:-1] + f"; not supported: {_quoted(unsupported[0])}"
    return Result(
        values,
        reasoning,
        raw=f"{n_supported}/{n}",
        detail={"claims": listed, "unsupported_claims": unsupported},
    )


async def _conversation(unit: Unit, asking: Asking) -> Result:
    answer = unit.sample.answer or ""
    texts = [answer[start:end] for start, end in sentences(answer)]
    metric = unit.metrics[0]
    reply = await asking.ask(
        unit.prompts[0],
        _blocks(unit, 1, sentences=numbered(texts)),
        check=_all_of(len(texts), "sentences"),
    )
    informs = {entry["i"] for entry in reply["sentences"] if entry["information"]}
    informing = [text for i, text in enumerate(texts, 1) if i in informs]
    if not informing:
        value = conversational_faithfulness(0, 0, 0).value
        return Result({metric: value}, "No sentence of the answer gives information.", raw="0/0")

    def counted(reply: Mapping[str, Any]) -> Complaint | None:
        exact = _all_of(len(informing), "verdicts")(reply)
        if exact is None:
            return None
        is_short = len(reply["verdicts"]) < len(informing)
        flag = Flag.INCOMPLETE_VERDICTS if is_short else Flag.INCONSISTENT_VERDICTS
        return Complaint(exact.text, flag)

    checked = await asking.ask(
        unit.prompts[1], _blocks(unit, 2, sentences=numbered(informing)), check=counted
    )
    verdicts = checked["verdicts"]
    n_grounded = sum(1 for entry in verdicts if entry["grounded"])
    score = conversational_faithfulness(n_grounded, len(verdicts) - n_grounded, len(informing))
    asking.flags |= score.flags
    not_grounded = {entry["i"] for entry in verdicts if not entry["grounded"]}
    unsupported = [text for i, text in enumerate(informing, 1) if i in not_grounded]
    return Result(
        {metric: score.value},
        f"{n_grounded} of {len(informing)} sentences that inform rest on the contexts.",
        raw=f"{n_grounded}/{len(informing)}",
        detail={
            "unsupported_claims": unsupported,
            "n_sentences": len(texts),
            "n_information": len(informing),
            "n_grounded": n_grounded,
        },
    )


async def _generated_questions(unit: Unit, asking: Asking) -> Result:
    reply = await asking.ask(unit.prompts[0], _blocks(unit, 1))
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


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Raises CallError where a vector is all zero or of another length."""
    norm = sqrt(sum(a * a for a in one)) * sqrt(sum(b * b for b in other))
    if len(one) != len(other) or norm == 0:
        raise CallError(ErrorKind.PROVIDER_ERROR, "The embedding model gave unusable vectors.")
    return sum(a * b for a, b in zip(one, other, strict=True)) / norm


async def _context_precision(unit: Unit, asking: Asking) -> Result:
    found = await _per_context(unit, asking)
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


async def _context_recall(unit: Unit, asking: Asking) -> Result:
    reference = next(text for text in unit.sample.references if text.strip())
    texts = [reference[start:end] for start, end in sentences(reference)]
    reply = await asking.ask(
        unit.prompts[0],
        _blocks(unit, 1, sentences=numbered(texts)),
        check=_all_of(len(texts), "claims"),
    )
    held = {entry["i"] for entry in reply["claims"] if entry["attributable"]}
    listed = [{"claim": text, "attributable": i in held} for i, text in enumerate(texts, 1)]
    return Result(
        {unit.metrics[0]: len(held) / len(texts)},
        f"{len(held)} of {len(texts)} sentences of the reference are in the contexts.",
        raw=f"{len(held)}/{len(texts)}",
        detail={"claims": listed},
    )


METHODS: Mapping[str, Callable[[Unit, Asking], Awaitable[Result]]] = {
    "context_relevance": _context_relevance,
    "groundedness": _groundedness,
    "answer_relevance": _score,
    "adherence": _score,
    "refusal": _refusal,
    "correctness": _correctness,
    "claims": _claims,
    "conversational_faithfulness": _conversation,
    "context_relevance_binary": _binary_relevance,
    "generated_questions": _generated_questions,
    "context_precision": _context_precision,
    "context_recall": _context_recall,
    OWN_CONTRACT: _score,
}
