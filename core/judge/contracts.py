"""The contracts of the model judge: which texts a judge is shown, and what it has to reply.

A prompt file words a contract; it cannot change what the contract is. So a prompt of somebody's
own gives the same metric, with a hash of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.model import Axis

Schema = Mapping[str, Any]

INPUTS = (
    "history", "question", "answer", "reference", "claims", "sentences", "context", "contexts",
)  # fmt: skip
"""What can be shown, in the order in which it is: the contexts last, where a cut costs least."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a contract; ``is_per_context`` if there is one for each context."""

    inputs: tuple[str, ...]
    output: Schema

    @property
    def is_per_context(self) -> bool:
        """True if a request shows one context at a time."""
        return "context" in self.inputs


@dataclass(frozen=True, slots=True)
class Contract:
    """Steps in order, and the metrics that their replies give; ``prompts`` word the steps."""

    id: str
    steps: tuple[Step, ...]
    prompts: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def embeds(self) -> bool:
        """True if an embedding model is asked, beside the judge's own or alone."""
        return self.id in ("generated_questions", "embedded_similarity")

    @property
    def shows_question(self) -> bool:
        """True if a reply depends on what was asked."""
        return self.id == "generated_questions" or any("question" in s.inputs for s in self.steps)


def _object(**properties: Schema) -> Schema:
    # Reasoning stands first: a model that writes in order thinks before it settles on a score.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": item, **limits}


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_YES_NO: Schema = {"type": "boolean"}
_RUBRIC: Schema = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def score_schema(lo: float, hi: float) -> Schema:
    """Output of a person's own score on a scale: whole steps where both ends are whole numbers."""
    whole = float(lo).is_integer() and float(hi).is_integer() and hi - lo > 1
    score: Schema = {"type": "number", "minimum": lo, "maximum": hi}
    if whole:
        score = {"type": "integer", "enum": list(range(int(lo), int(hi) + 1))}
    return _object(reasoning=_TEXT, score=score)


_CONTRACTS = (
    Contract(
        "context_relevance",
        (Step(("question", "context"), _object(reasoning=_TEXT, score=_RUBRIC)),),
        ("context_relevance",),
        ("context_relevance_rubric",),
    ),
    Contract(
        "groundedness",
        (
            Step(
                ("answer", "contexts"),
                _object(reasoning=_TEXT, unsupported_claims=_list(_TEXT), score=_RUBRIC),
            ),
        ),
        ("groundedness",),
        ("groundedness_rubric",),
    ),
    Contract(
        "answer_relevance",
        (Step(("question", "answer"), _object(reasoning=_TEXT, score=_RUBRIC)),),
        ("answer_relevance",),
        ("answer_relevance_rubric",),
    ),
    Contract(
        "adherence",
        (Step(("question", "answer", "contexts"), _object(reasoning=_TEXT, score=_SHARE)),),
        ("adherence",),
        ("adherence",),
    ),
    Contract(
        "refusal",
        (
            Step(
                ("question", "answer"),
                _object(reasoning=_TEXT, refusal=_one_of("full", "partial", "none")),
            ),
        ),
        ("refusal",),
        ("refusal",),
    ),
    Contract(
        "correctness",
        (
            Step(
                ("question", "answer", "reference"),
                _object(reasoning=_TEXT, verdict=_one_of("correct", "partially", "incorrect")),
            ),
        ),
        ("correctness",),
        ("correctness",),
    ),
    Contract(
        "claims",
        (
            Step(("question", "answer"), _object(claims=_list(_TEXT))),
            Step(
                ("claims", "contexts"),
                _object(
                    verdicts=_list(
                        _object(
                            i=_NUMBER,
                            verdict=_one_of("supported", "contradicted", "not_found"),
                            chunks=_list(_NUMBER),
                            reason=_TEXT,
                        )
                    )
                ),
            ),
        ),
        ("claims_extract", "claims_check"),
        ("faithfulness", "faithfulness_contradiction"),
    ),
    Contract(
        "conversational_faithfulness",
        (
            Step(
                ("sentences",),
                _object(sentences=_list(_object(i=_NUMBER, information=_YES_NO))),
            ),
            Step(
                ("sentences", "contexts"),
                _object(verdicts=_list(_object(i=_NUMBER, grounded=_YES_NO))),
            ),
        ),
        ("conversation_sentences", "conversation_grounding"),
        ("conversational_faithfulness",),
    ),
    Contract(
        "context_relevance_binary",
        (Step(("question", "contexts"), _object(reasoning=_TEXT, relevant=_YES_NO)),),
        ("context_relevance_binary",),
        ("context_relevance_binary",),
    ),
    Contract(
        "generated_questions",
        (
            Step(
                ("answer",),
                _object(questions=_list(_TEXT, minItems=3, maxItems=3), noncommittal=_YES_NO),
            ),
        ),
        ("generated_questions",),
        ("answer_relevancy_embed",),
    ),
    # No prompt words this one: the texts go to the embedding model as they are.
    Contract(
        "embedded_similarity",
        (Step(("answer", "reference"), {}),),
        (),
        ("answer_similarity_embed",),
    ),
    Contract(
        "context_precision",
        (Step(("question", "reference", "context"), _object(reasoning=_TEXT, useful=_YES_NO)),),
        ("context_precision",),
        ("context_precision",),
    ),
    Contract(
        "context_recall",
        (
            Step(
                ("sentences", "contexts"),
                _object(claims=_list(_object(i=_NUMBER, attributable=_YES_NO))),
            ),
        ),
        ("context_recall",),
        ("context_recall",),
    ),
)

CONDENSE = Contract(
    "condense",
    (Step(("history", "question"), _object(question=_TEXT)),),
    ("condense",),
    (),
)
"""Puts the question of a conversation so that it stands alone; other contracts then show that."""

CONTRACTS: Mapping[str, Contract] = MappingProxyType(
    {one.id: one for one in (*_CONTRACTS, CONDENSE)}
)

OWN_CONTRACT = "score"
"""Contract of a person's own metric: any inputs but claims and sentences, a scale of its own."""
OWN_INPUTS = ("question", "answer", "reference", "contexts")

CONTRACT_OF: Mapping[str, Contract] = MappingProxyType(
    {metric: one for one in _CONTRACTS for metric in one.metrics}
)
"""Which contract gives a metric."""

AXIS_METRIC: Mapping[Axis, str] = MappingProxyType(
    {
        Axis.CONTEXT_RELEVANCE: "context_relevance_rubric",
        Axis.GROUNDEDNESS: "groundedness_rubric",
        Axis.ANSWER_RELEVANCE: "answer_relevance_rubric",
        Axis.ADHERENCE: "adherence",
        Axis.REFUSAL: "refusal",
        Axis.CORRECTNESS: "correctness",
    }
)
"""The metric that a model judge writes where it is asked for an axis."""


def own_contract(metric: str, inputs: tuple[str, ...], lo: float, hi: float) -> Contract:
    """The contract of a person's own metric."""
    step = Step(inputs, score_schema(lo, hi))
    return Contract(OWN_CONTRACT, (step,), (metric,), (metric,))
