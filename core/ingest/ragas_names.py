"""What Ragas calls its columns and metrics, over all of its versions."""

import re
from collections.abc import Collection
from dataclasses import replace

from core.ingest import synonyms
from core.ingest.directions import direction_of
from core.ingest.mapping import Role, Use
from core.ingest.table_profile import ColumnProfile
from core.metrics.registry import canonical_id, spec_for
from core.model import Axis, Direction

TOOL = "ragas"
#: Columns of samples: old and new names.
SAMPLE_COLUMNS: dict[str, Role] = {
    "user_input": Role.QUESTION,
    "question": Role.QUESTION,
    "response": Role.ANSWER,
    "answer": Role.ANSWER,
    "reference": Role.REFERENCE,
    "ground_truth": Role.REFERENCE,
    "ground_truths": Role.REFERENCE,
    "retrieved_contexts": Role.CONTEXTS,
    "contexts": Role.CONTEXTS,
    "retrieved_context_ids": Role.CONTEXT_IDS,
    "reference_contexts": Role.GOLD,
    "reference_context_ids": Role.GOLD_IDS,
    "persona_name": Role.TAG,
    "query_style": Role.TAG,
    "query_length": Role.TAG,
    "synthesizer_name": Role.TAG,
    "evolution_type": Role.TAG,
    "multi_responses": Role.EXTRA,
    "rubrics": Role.EXTRA,
    "metadata": Role.EXTRA,
    "episode_done": Role.EXTRA,
}
# Names that hardly any other tool gives: two of them say that Ragas made the table.
_DISTINCTIVE = frozenset({
    "faithfulness", "answer_relevancy", "response_relevancy", "context_precision",
    "context_recall", "context_relevancy", "context_utilization", "context_entity_recall",
    "llm_context_precision_with_reference", "llm_context_precision_without_reference",
    "context_precision_with_reference", "context_precision_without_reference",
    "non_llm_context_precision_with_reference", "non_llm_context_recall",
    "id_based_context_precision", "id_based_context_recall", "llm_context_recall",
    "nv_accuracy", "nv_context_relevance", "nv_response_groundedness", "answer_similarity",
    "semantic_similarity", "answer_correctness", "factual_correctness", "noise_sensitivity",
    "noise_sensitivity_relevant", "noise_sensitivity_irrelevant",
})  # fmt: skip
_OTHERS = frozenset({
    "answer_accuracy", "context_relevance", "response_groundedness", "harmfulness",
    "maliciousness", "coherence", "correctness", "conciseness", "bleu_score", "rouge_score",
    "exact_match", "string_present", "non_llm_string_similarity", "chrf_score", "summary_score",
    "topic_adherence", "agent_goal_accuracy", "tool_call_accuracy", "llm_sql_equivalence",
    "datacompy_score", "multi_modal_faithfulness", "multi_modal_relevance",
    "domain_specific_rubrics", "instance_rubrics", "labelled_rubrics_score",
    "reference_free_rubrics_score",
})  # fmt: skip
# Another tool names its metrics likewise, and is told apart by these.
_NOT_RAGAS = frozenset({
    "actual_output", "retrieval_context", "contextual_precision", "contextual_recall",
    "contextual_relevancy", "scores", "verdicts", "run_info", "human_labels", "gold_doc_ids",
})  # fmt: skip
# Columns of samples that speak for Ragas when the reason is given why a file was recognised.
_TEXTS = frozenset(
    name for name, role in SAMPLE_COLUMNS.items() if role not in (Role.EXTRA, Role.TAG)
) | {"synthesizer_name", "evolution_type"}
_SHOWN = 6
_NEUTRAL_ONLY = frozenset({"sample_id", "labels", "gold", "history"})
# One metric under an old and a new name; a metric of ours that is not the same bears the new one.
_RENAMED = {"semantic_similarity": "answer_similarity"}
_NOISE = 1e-6
_MODE = re.compile(r"\(mode=\w+\)$")


def base_name(name: str) -> str:
    """A metric without its mode.

    >>> base_name("factual_correctness(mode=f1)")
    'factual_correctness'
    """
    return _MODE.sub("", name.strip())


def is_metric(name: str) -> bool:
    """True for the names that Ragas itself gives to metrics."""
    return base_name(name) in _DISTINCTIVE | _OTHERS


def shape_of(columns: Collection[str], *, is_plain_json: bool = False) -> str | None:
    """What kind of Ragas table has these columns: results, testset, scores, or None.

    Args:
        columns: names of the columns.
        is_plain_json: the rows are JSON objects without anything around them, which the neutral
            format has too; then more has to speak for Ragas.
    """
    names = set(columns)
    if names & _NOT_RAGAS:
        return None
    n_distinctive = sum(base_name(name) in _DISTINCTIVE for name in names)
    if "user_input" in names:
        if names & {"response", "retrieved_contexts"} or n_distinctive:
            return "results"
        is_set = names & {"synthesizer_name", "reference_contexts", "reference"}
        return "testset" if is_set else None
    is_old_set = "evolution_type" in names and "question" in names
    if is_plain_json and names & _NEUTRAL_ONLY:
        return None
    if is_old_set and "answer" not in names and not n_distinctive:
        return "testset"
    if names >= {"question", "answer", "contexts"}:
        says_ragas = n_distinctive or names & {"ground_truth", "ground_truths"}
        return "results" if says_ragas or not is_plain_json else None
    if n_distinctive >= 2:
        has_text = any((synonyms.role_of(name) or ("",))[0] == Role.QUESTION for name in names)
        return "results" if has_text else "scores"
    return None


def seen_in(columns: Collection[str]) -> str:
    """Which of the columns say that Ragas made a table, in words; "" if none does.

    >>> seen_in(["user_input", "response", "faithfulness", "latency"])
    'it has the columns user_input, response and faithfulness, as Ragas 0.2 or later writes them'
    """
    telling = [name for name in columns if name in _TEXTS or base_name(name) in _DISTINCTIVE]
    if not telling:
        return ""
    shown = [*telling[:_SHOWN], *(["more"] if len(telling) > _SHOWN else [])]
    listed = " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    version = version_of(columns)
    return (
        f"it has the column{'s' * (len(shown) > 1)} {listed}, as Ragas "
        f"{f'{version} ' if version else ''}writes {'them' if len(shown) > 1 else 'it'}"
    )


def version_of(columns: Collection[str]) -> str | None:
    """Which versions name their columns like this."""
    names = set(columns)
    if names & {"retrieved_context_ids", "reference_context_ids", "query_style", "persona_name"}:
        return "0.3 or later"
    if "user_input" in names:
        return "0.2 or later"
    if names & {"ground_truths", "context_relevancy"}:
        return "0.0 or 0.1"
    return "0.1" if "ground_truth" in names else None


def metric_use(column: ColumnProfile, taken: Collection[str]) -> Use:
    """A column of scores under our name where it is known for sure and not taken yet."""
    name = column.name
    known = _RENAMED.get(name) or canonical_id(name, TOOL)
    if known == "context_relevance_dual" and name == "context_relevance":
        # The dual rating has steps of a quarter; anything else is only named like the axis.
        known = known if column.are_quarters else Axis.CONTEXT_RELEVANCE.value
    if known is None or known in taken:
        known = name
    use = Use(Role.METRIC, name=known if known != name else None)
    if spec_for(known) is not None:
        return use
    if "rubric" in name:
        return replace(use, lo=1.0, hi=5.0)
    direction = direction_of(base_name(name))
    is_in_unit = column.lo is None or (column.lo >= -_NOISE and (column.hi or 0) <= 1 + _NOISE)
    # All of its own metrics are on 0 to 1, also where every value is missing.
    if is_in_unit and (is_metric(name) or direction is Direction.LOWER):
        return replace(use, lo=0.0, hi=1.0, direction=direction)
    return replace(use, direction=direction)
