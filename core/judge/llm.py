"""The model judge: one contract for one sample, from its texts to verdicts. It never writes."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.judge.asking import Asking
from core.judge.condensing import Condenser
from core.judge.contracts import Contract
from core.judge.cut_texts import noted
from core.judge.faults import AbortedError, CallError
from core.judge.llm_contracts import METHODS
from core.judge.llm_rules import by_rule, not_applicable
from core.judge.prompts import Prompt, prompt_hash
from core.judge.replies import KnownReply, Model
from core.judge.requests import RENDERING
from core.judge.settings import LlmSettings
from core.judge.units import Result, Unit
from core.model import (
    Call,
    Cause,
    Judged,
    JudgeKind,
    JudgeSpec,
    Status,
    Verdict,
)

_RAW_CHARS = 2_000


def judge_spec(
    settings: LlmSettings,
    contract: Contract,
    prompts: Sequence[Prompt],
    condense: Prompt | None = None,
) -> JudgeSpec:
    """Identity of the judge that gives a contract's metrics: model, prompts, parameters.

    ``condense`` is the prompt by which the questions of conversations are made to stand alone.
    """
    params = settings.identity(embeds=contract.embeds)
    if condense is not None and contract.shows_question:
        params["condense"] = f"{condense.name} {condense.sha256}"
    return JudgeSpec(
        kind=JudgeKind.LLM,
        model=settings.model,
        prompt_id="+".join(prompt.name for prompt in prompts) or None,
        prompt_sha256=prompt_hash(prompts) if prompts else None,
        params=params,
        definition_version=RENDERING,
    )


async def judge_unit(
    unit: Unit,
    model: Model,
    known: Mapping[str, KnownReply],
    missed: set[str] | None = None,
    condenser: Condenser | None = None,
) -> list[Judged]:
    """Verdicts of a unit, one for each of its metrics; the first has the requests behind them.

    Args:
        unit: what to judge.
        model: whom to ask.
        known: replies to equal requests, which are used instead of asking.
        missed: takes the hashes of the requests that ``known`` did not answer.
        condenser: shared by the units of a job, so that a sample's question is put anew once.

    Raises:
        AbortedError: the job has ended before any request of this unit was made.
    """
    ruled = by_rule(unit.sample, unit.contract, unit.metrics, unit.repeat)
    if ruled is not None:
        return [
            Judged(unit.judge, noted(verdict, unit.sample, _shown(unit.contract)))
            for verdict in ruled
        ]
    asking = Asking(model, known, unit.repeat, missed=set() if missed is None else missed)
    try:
        if unit.is_condensed:
            unit = await (condenser or Condenser()).apply(unit, asking)
        result = await METHODS[unit.contract.id](unit, asking)
        verdicts = [_verdict(unit, asking, result, metric) for metric in unit.metrics]
    except CallError as error:
        if isinstance(error, AbortedError) and not any(not call.is_cached for call in asking.calls):
            raise
        verdicts = [_failed(unit, asking, error, metric) for metric in unit.metrics]
    # Metrics that come from the same requests keep them once.
    return [
        Judged(
            unit.judge,
            noted(verdict, unit.sample, _shown(unit.contract)),
            tuple(asking.calls) if at == 0 else (),
        )
        for at, verdict in enumerate(verdicts)
    ]


def _shown(contract: Contract) -> set[str]:
    """Those of answer and context that a contract's judge reads."""
    inputs = {name for step in contract.steps for name in step.inputs}
    found = set()
    if inputs & {"answer", "claims"} or contract.id == "conversational_faithfulness":
        found.add("answer")
    if inputs & {"context", "contexts"}:
        found.add("context")
    return found


def _verdict(unit: Unit, asking: Asking, result: Result, metric: str) -> Verdict:
    value = result.values.get(metric)
    position = unit.sample.position
    latency, cost, tokens = _totals(asking.calls, is_first=metric == unit.metrics[0])
    if value is None:
        found = not_applicable(position, metric, result.cause or Cause.NO_CLAIMS, unit.repeat)
        reasoning = result.reasoning or found.reasoning
        status, cause = found.status, found.cause
    else:
        reasoning, status = result.reasoning, Status.VALUE
        cause = result.cause.value if result.cause else None
    return Verdict(
        position,
        metric,
        status,
        value=value,
        cause=cause,
        reasoning=reasoning,
        detail=_detail(unit, asking, metric, result.detail),
        raw=result.raw if value is not None else None,
        repeat=unit.repeat,
        latency=latency,
        cost=cost,
        tokens=tokens,
    )


def _failed(unit: Unit, asking: Asking, error: CallError, metric: str) -> Verdict:
    latency, cost, tokens = _totals(asking.calls, is_first=metric == unit.metrics[0])
    return Verdict(
        unit.sample.position,
        metric,
        Status.ERROR,
        cause=error.kind.value,
        reasoning=error.message,
        detail=_detail(unit, asking, metric, None),
        raw=error.reply[:_RAW_CHARS] if error.reply else None,
        repeat=unit.repeat,
        latency=latency,
        cost=cost,
        tokens=tokens,
    )


def _detail(
    unit: Unit, asking: Asking, metric: str, own: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    found = dict(own or {})
    if metric != unit.metrics[0]:
        found["calls_with"] = unit.metrics[0]
    if asking.flags:
        found["flags"] = sorted(flag.value for flag in asking.flags)
    if asking.addressed:
        # Texts that seem to speak to the judge: for people to look at.
        found["addresses_evaluator"] = list(asking.addressed)
    if asking.is_shortened:
        found["context_truncated"] = True
    if asking.condensed is not None:
        found["condensed_question"] = asking.condensed
    if asking.calls and all(call.is_cached for call in asking.calls):
        found["cached"] = True
    return found or None


def _totals(
    calls: Sequence[Call], *, is_first: bool
) -> tuple[float | None, float | None, int | None]:
    """Seconds, USD and tokens of a verdict. Metrics that share requests are charged once."""
    latencies = [call.latency for call in calls if call.latency is not None]
    latency = sum(latencies) if latencies else None
    if not is_first:
        return latency, 0.0, 0
    costs = [call.cost for call in calls]
    cost = None if None in costs else sum(cost for cost in costs if cost is not None)
    counted = [
        (call.tokens_in or 0) + (call.tokens_out or 0)
        for call in calls
        if call.tokens_in is not None
    ]
    return latency, cost, sum(counted) if counted else None
