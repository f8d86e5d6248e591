"""Verdicts of the model judge that follow from what is not there, without asking the model."""

from core.judge.contracts import OWN_CONTRACT, Contract
from core.model import Cause, SampleText, Status, Verdict

_WORDS = {
    Cause.CONTEXTS_NOT_RECORDED: "The run recorded no contexts.",
    Cause.NO_CONTEXTS: "Nothing was retrieved, so there is nothing that could support the answer.",
    Cause.NO_ANSWERS: "The run recorded no answers.",
    Cause.REFUSAL: "The answer is a refusal; it claims nothing that contexts could support.",
    Cause.NO_REFERENCE: "There is no reference to compare with.",
    Cause.NO_CLAIMS: "The answer makes no claim.",
    Cause.EMPTY: "There is no text to judge.",
}
_SUPPORT = ("groundedness", "adherence", "claims", "conversational_faithfulness")


def not_applicable(position: int, metric: str, cause: Cause, repeat: int = 0) -> Verdict:
    """A verdict without a value, with its cause in words."""
    return Verdict(
        position,
        metric,
        Status.NOT_APPLICABLE,
        cause=cause.value,
        reasoning=_WORDS[cause],
        repeat=repeat,
    )


def by_rule(
    sample: SampleText, contract: Contract, metrics: tuple[str, ...], repeat: int
) -> list[Verdict] | None:
    """Verdicts that need no model, None if it has to be asked.

    Nothing retrieved is low context relevance by rule, an empty answer a refusal; where a text
    is missing that the contract needs, the metric is not applicable.
    """
    inputs = {name for step in contract.steps for name in step.inputs}
    cause = _missing(sample, contract, inputs)
    if cause is not None:
        return [not_applicable(sample.position, metric, cause, repeat) for metric in metrics]
    value = _settled(sample, contract)
    if value is None:
        return None
    number, settled_by, words = value
    return [
        Verdict(
            sample.position,
            metric,
            Status.VALUE,
            value=number,
            cause=settled_by.value,
            reasoning=words,
            repeat=repeat,
        )
        for metric in metrics
    ]


def _missing(sample: SampleText, contract: Contract, inputs: set[str]) -> Cause | None:
    needs_answer = "answer" in inputs or contract.id in _SUPPORT
    needs_contexts = bool(inputs & {"context", "contexts"})
    is_own = contract.id == OWN_CONTRACT
    if needs_contexts and sample.contexts is None:
        return Cause.CONTEXTS_NOT_RECORDED
    if needs_answer and sample.answer is None:
        return Cause.NO_ANSWERS
    if contract.id in _SUPPORT:
        if not sample.contexts:
            return Cause.NO_CONTEXTS
        # Conversational faithfulness has a value for a refusal too: it states nothing.
        is_refusal = sample.refused is True or not (sample.answer or "").strip()
        if is_refusal and contract.id != "conversational_faithfulness":
            return Cause.REFUSAL
    needs_reference = "reference" in inputs or contract.id == "context_recall"
    if needs_reference and not any(text.strip() for text in sample.references):
        return Cause.NO_REFERENCE
    # A refusal and its claims can be read without the question; all else asks about it.
    asks = contract.id == "generated_questions" or (
        "question" in inputs and contract.id not in ("refusal", "claims", "adherence")
    )
    if asks and not sample.question.strip():
        return Cause.EMPTY
    compares = is_own or contract.id == "embedded_similarity"
    if compares and "answer" in inputs and not (sample.answer or "").strip():
        return Cause.EMPTY
    if is_own and "contexts" in inputs and not sample.contexts:
        return Cause.NO_CONTEXTS
    if needs_contexts and sample.contexts:
        has_text = any((context.text or "").strip() for context in sample.contexts)
        return None if has_text else Cause.EMPTY
    return None


def _settled(sample: SampleText, contract: Contract) -> tuple[float, Cause, str] | None:
    is_nothing_retrieved = sample.contexts is not None and not sample.contexts
    is_empty = sample.answer is not None and not sample.answer.strip()
    nothing = "Nothing was retrieved, so nothing relevant was."
    if is_nothing_retrieved:
        match contract.id:
            case "context_relevance":
                return 1.0, Cause.NO_CONTEXTS, nothing
            case "context_relevance_binary" | "context_precision" | "context_recall":
                return 0.0, Cause.NO_CONTEXTS, nothing
    if is_empty:
        match contract.id:
            case "refusal":
                return 1.0, Cause.EMPTY, "The answer is empty."
            case "answer_relevance":
                return 1.0, Cause.EMPTY, "The answer is empty, so it answers nothing."
            case "generated_questions":
                return 0.0, Cause.EMPTY, "The answer is empty, so no question leads to it."
            case "conversational_faithfulness":
                return 1.0, Cause.EMPTY, "The answer is empty, so it states nothing ungrounded."
    return None
