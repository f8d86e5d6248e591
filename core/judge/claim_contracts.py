"""Contracts that judge a text piece by piece: claims, informing sentences, the reference's."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.judge.asking import Asking, Complaint
from core.judge.fences import numbered
from core.judge.units import Result, Unit, blocks_of, with_text
from core.metrics import claims as claim_metrics
from core.metrics.conversational import conversational_faithfulness
from core.model import Cause, Flag
from core.text import sentences

_QUOTE_CHARS = 160


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= _QUOTE_CHARS else line[:_QUOTE_CHARS] + '…'}”"


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


async def claims(unit: Unit, asking: Asking) -> Result:
    """The claims of the answer, each supported, contradicted or not found."""
    reply = await asking.ask(unit.prompts[0], blocks_of(unit, 1))
    found = [text for text in reply["claims"] if text.strip()]
    if not found:
        values = {"faithfulness": None, "faithfulness_contradiction": 1.0}
        return Result(values, "The answer makes no claim.", cause=Cause.NO_CLAIMS)
    ranks = [context.rank for context in with_text(unit.sample)]
    checked = await asking.ask(
        unit.prompts[1],
        blocks_of(unit, 2, claims=numbered(found)),
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


async def conversation(unit: Unit, asking: Asking) -> Result:
    """The sentences that inform, each grounded or not (ASTRID)."""
    answer = unit.sample.answer or ""
    texts = [answer[start:end] for start, end in sentences(answer)]
    metric = unit.metrics[0]
    reply = await asking.ask(
        unit.prompts[0],
        blocks_of(unit, 1, sentences=numbered(texts)),
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
        unit.prompts[1], blocks_of(unit, 2, sentences=numbered(informing)), check=counted
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


async def context_recall(unit: Unit, asking: Asking) -> Result:
    """The sentences of the reference, each attributable or not."""
    reference = next(text for text in unit.sample.references if text.strip())
    texts = [reference[start:end] for start, end in sentences(reference)]
    reply = await asking.ask(
        unit.prompts[0],
        blocks_of(unit, 1, sentences=numbered(texts)),
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
