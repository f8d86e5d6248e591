"""What a model judge is going to do: prompts, contracts, requests, and what that may cost."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.judge.contracts import AXIS_METRIC, CONDENSE, CONTRACT_OF, OWN_CONTRACT, Contract
from core.judge.cost import model_info
from core.judge.llm import judge_spec
from core.judge.llm_rules import by_rule
from core.judge.prompts import Prompt, PromptSet, load_prompts
from core.judge.settings import LlmSettings
from core.model import Axis, JudgeSpec, SampleText
from core.resources import resource
from core.store import queries, samples
from core.store.connection import Store
from core.store.judges import judge_id
from core.workflows.judge_request import Request
from core.workflows.judge_tasks import find_tasks

PROMPTS_VARIABLE = "RAGTRIAGE_PROMPTS"
_LOOKED_AT = 200
_CHARS_PER_TOKEN = 4
_REPLY_TOKENS = 120


def own_prompts_folder(store: Store) -> Path:
    """Where people put prompts of their own: ``prompts`` beside the store, or as set."""
    named = os.environ.get(PROMPTS_VARIABLE)
    return Path(named) if named else store.path.parent / "prompts"


def all_prompts(store: Store) -> PromptSet:
    """Shipped prompts and people's own, with the files that are wrong."""
    return load_prompts(resource("prompts"), own_prompts_folder(store))


@dataclass(frozen=True, slots=True)
class Part:
    """One contract of a plan: its prompts, the metrics that are wanted of it, its judge.

    ``condense`` is the prompt that makes the question of a conversation stand alone; None where
    the question is not shown, or is shown as it is.
    """

    contract: Contract
    prompts: tuple[Prompt, ...]
    metrics: tuple[str, ...]
    judge: JudgeSpec
    condense: Prompt | None = None

    @property
    def sends(self) -> tuple[str, ...]:
        """Kinds of text that the model is shown, such as question and contexts."""
        shown = [name for step in self.contract.steps for name in step.inputs]
        names = {"context": "contexts", "claims": "answer"}
        if self.contract.id == "context_recall":
            names["sentences"] = "reference"
        names.setdefault("sentences", "answer")
        found = [names.get(name, name) for name in shown]
        if self.contract.id == "generated_questions":
            found.append("question")
        if self.condense is not None:
            found.insert(0, "history")
        return tuple(dict.fromkeys(found))


def plan(
    prompts: PromptSet,
    names: Sequence[str],
    settings: LlmSettings,
    *,
    has_history: bool = False,
) -> tuple[Part, ...]:
    """The contracts that give these metrics, each once.

    Args:
        prompts: all prompts that there are.
        names: axes, metrics or metrics of people's own; empty for all axes.
        settings: of the model judge; it may choose other prompts.
        has_history: whether the run holds conversations.

    Raises:
        BadInputError: a name that no contract gives, or a prompt that is not there.
    """
    own = prompts.own_metrics()
    wanted: dict[str, None] = {}
    for name in names or [axis.value for axis in Axis]:
        metric = AXIS_METRIC[Axis(name)] if name in set(Axis) else name
        if metric not in CONTRACT_OF and metric not in own:
            known = [*(axis.value for axis in Axis), *CONTRACT_OF, *own]
            raise BadInputError(
                f"{name!r} is no metric that a model judge makes. Choose from: "
                f"{', '.join(dict.fromkeys(known))}."
            )
        wanted[metric] = None
    chosen = [prompts.find(name) for name in settings.prompts]
    rewording = None
    if has_history and settings.condense:
        rewording = prompts.wording(CONDENSE, settings.prompts)[0]
    found: dict[str, Part] = {}
    for metric in wanted:
        worded: tuple[Prompt, ...]
        if metric in own:
            newest = own[metric]
            mine = next((p for p in chosen if p.contract.metrics == (metric,)), newest)
            contract, worded = mine.contract, (mine,)
        else:
            contract = CONTRACT_OF[metric]
            worded = prompts.wording(contract, settings.prompts)
        key = worded[0].name if worded else contract.id
        before = found.get(key)
        metrics = (*before.metrics, metric) if before else (metric,)
        condense = rewording if contract.shows_question else None
        judge = judge_spec(settings, contract, worded, condense)
        found[key] = Part(contract, worded, metrics, judge, condense)
    embedded = [name for part in found.values() if part.contract.embeds for name in part.metrics]
    if embedded and not settings.embedding_model:
        raise BadInputError(
            f"{embedded[0]} compares by embeddings: name a model for them "
            "(--embedding-model openai/text-embedding-3-small)."
        )
    unused = [
        p.name
        for p in chosen
        if p.contract is not CONDENSE and not any(p in part.prompts for part in found.values())
    ]
    if unused and names:
        raise BadInputError(f"The prompt {unused[0]} gives none of the metrics that are wanted.")
    return tuple(found.values())


def judges_by_metric(parts: Sequence[Part]) -> dict[str, str]:
    """Judge id of every metric that the parts give."""
    return {metric: judge_id(part.judge) for part in parts for metric in part.metrics}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What judging would come to; everything but ``samples`` is rough.

    ``samples`` counts samples times repeats that are due, ``skipped`` those that need nothing.
    ``n_cut`` samples are left out because a text of theirs was cut before the file was saved.
    ``cost`` is in USD, None if the price is unknown. ``sends`` are the kinds of text that leave,
    ``destination`` is where they go.
    """

    samples: int
    skipped: int
    requests: int
    tokens: int
    cost: float | None
    destination: str
    sends: tuple[str, ...]
    metrics: tuple[str, ...]
    n_cut: int = 0

    def as_json(self) -> dict[str, Any]:
        """The document of ``ragtriage judge --dry-run``."""
        return asdict(self)


def estimate(store: Store, run_id: str, request: Request, settings: LlmSettings) -> Estimate:
    """Requests, tokens and cost of judging, from the texts of some of the samples.

    Reads the store and a table of prices; loads no model library and sends nothing.

    Raises:
        NotFoundError: no such run or sample.
        BadInputError: a metric, prompt or setting that cannot be used.
    """
    request.checked()
    settings.checked()
    prompts = all_prompts(store)
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        has_history = samples.has_history(connection, run.run_id)
        parts = plan(prompts, request.metrics, settings, has_history=has_history)
        tasks = find_tasks(connection, run, request, judges_by_metric(parts))
        places = list(tasks.metrics)
        step = max(1, len(places) // _LOOKED_AT)
        looked_at = places[::step]
        positions = sorted({place.position for place in looked_at})
        found = {one.position: one for one in samples.judge_inputs(connection, run, positions)}
    requests = characters = 0
    for place in looked_at:
        sample = found.get(place.position)
        is_condensed = False
        for part in parts:
            wanted = tuple(m for m in part.metrics if m in tasks.metrics[place])
            if not wanted or sample is None:
                continue
            n, size = _requests(part, sample, wanted)
            requests += n
            characters += size
            # Put anew once, whatever it is needed for and however often.
            if n and part.condense and sample.history and place.repeat == 0 and not is_condensed:
                is_condensed = True
                requests += 1
                characters += len(part.condense.text) + 600 + len(sample.question)
                characters += sum(map(len, sample.history))
    share = len(places) / len(looked_at) if looked_at else 0.0
    n_requests = round(requests * share)
    tokens_in = round(characters * share / _CHARS_PER_TOKEN)
    tokens_out = n_requests * _REPLY_TOKENS
    price = model_info(settings).price
    return Estimate(
        samples=len(places),
        skipped=tasks.skipped,
        requests=n_requests,
        tokens=tokens_in + tokens_out,
        cost=None if price is None else price.of(tokens_in, tokens_out),
        destination=settings.destination,
        sends=tuple(dict.fromkeys(name for part in parts for name in part.sends)),
        metrics=tuple(metric for part in parts for metric in part.metrics),
        n_cut=tasks.n_cut,
    )


def _requests(part: Part, sample: SampleText, metrics: tuple[str, ...]) -> tuple[int, int]:
    """Requests for a sample, and characters of their prompts."""
    if by_rule(sample, part.contract, metrics, 0) is not None:
        return 0, 0
    contexts = [context.text or "" for context in sample.contexts or ()]
    sizes = {
        "question": len(sample.question),
        "answer": len(sample.answer or ""),
        "reference": sum(map(len, sample.references)),
        "claims": len(sample.answer or ""),
        "sentences": len(sample.answer or ""),
        "contexts": sum(map(len, contexts)),
    }
    n = characters = 0
    if not part.prompts:
        return 1, sizes["answer"] + sizes["reference"]
    for step, prompt in zip(part.contract.steps, part.prompts, strict=True):
        times = len(contexts) if step.is_per_context else 1
        once = len(prompt.text) + 600 + sum(sizes.get(name, 0) for name in step.inputs)
        n += times
        characters += times * once + (sizes["contexts"] if step.is_per_context else 0)
    return n + part.contract.embeds, characters


def own_scales(parts: Sequence[Part]) -> list[tuple[str, float, float]]:
    """Metric and scale of every part that is a person's own metric."""
    return [
        (part.metrics[0], *part.prompts[0].scale)
        for part in parts
        if part.contract.id == OWN_CONTRACT and part.prompts[0].scale is not None
    ]
