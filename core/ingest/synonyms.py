"""What people call the columns of their tables, and what the names of metrics tell."""

import re
from collections.abc import Iterable

from core.ingest.mapping import Role
from core.ingest.table_profile import ColumnProfile
from core.metrics.registry import axis_of, canonical_id, spec_for
from core.model import Axis

# Compared without case, spaces and punctuation. Where several columns of a table have one role,
# the name that stands first here wins.
_SYNONYMS: dict[Role, str] = {
    Role.QUESTION: "question query user_input user_query input prompt inputs request vars.query "
    "user_question",
    Role.ANSWER: "extracted_answer answer response output generated_answer model_answer prediction "
    "actual_output outputs completion generated_text generated_texts model_response",
    Role.REFERENCE: "ground_truth ground_truths reference reference_answer gold_answer gt_answer "
    "expected_output truth true_answer target targets expected_response generation_gt "
    "correct_answer expected_answer ideal_answer",
    Role.CONTEXTS: "retrieved_contexts contexts retrieval_context retrieved_chunks "
    "retrieved_context retrieved_contents documents passages passage chunks source_documents "
    "sources context",
    Role.CONTEXT_IDS: "retrieved_context_ids retrieved_ids retrieved_doc_ids context_ids",
    Role.GOLD: "reference_contexts gold_contexts reference_context relevant_docs evidence "
    "positive_ctxs",
    Role.GOLD_IDS: "reference_context_ids gold_doc_ids gold_ids expected_ids retrieval_gt",
    Role.SAMPLE_ID: "sample_id id qid query_id question_id test_case_id task_id example_id uuid "
    "request_id",
    Role.LATENCY: "latency latency_s latency_ms execution_time execution_time_ms response_time "
    "response_time_ms run_duration duration duration_ms elapsed",
    Role.COST: "cost cost_usd total_cost token_cost",
    Role.ERROR: "error error_message exception",
    Role.SUCCESS: "success succeeded",
    Role.HISTORY: "history chat_history conversation_history conversation turns messages",
}
_LABELS = frozenset({
    "label", "human", "humanlabel", "ishallucination", "annotation", "goldlabel", "correct",
    "iscorrect", "refused", "answerable", "faithful",
})  # fmt: skip
_TAGS = frozenset({
    "dataset", "datasetname", "category", "topic", "domain", "language", "lang", "difficulty",
    "type", "questiontype", "querytype", "taskname", "split", "sourceds", "personaname",
    "querystyle", "querylength", "synthesizername", "evolutiontype", "iteration", "epoch",
    "collection", "subset", "tasktype", "evalmode",
})  # fmt: skip
#: Columns that tell runs apart, the most telling first.
RUNS = (
    "pipeline_name", "pipeline", "run", "run_id", "run_name", "experiment", "experiment_name",
    "model", "model_name", "generation_model_name", "config", "provider", "prompt_idx", "iteration",
    "epoch",
)  # fmt: skip
# Numbers that count or set something, and so are no scores even where they look like some.
_COUNTS = re.compile(
    r"(^|_)(turn|turns|rank|position|year|age|count|length|tokens?|top_k|seed|index|temp|temperature|"
    r"size|n|num|number|page|step|order|level|documents|docs|chunks)($|_)"
)
_RATERS = frozenset({
    "annotator", "annotatorid", "rater", "raterid", "reviewer", "labeler", "labeller",
})  # fmt: skip
_PEOPLE = _RATERS | {
    "userid",
    "username",
    "user",
    "useremail",
    "email",
    "author",
    "authorname",
    "authorusername",
}
PEOPLE_LEFT_OUT = (
    "what says who somebody is was left out; a map of columns (--map) can keep it by naming it."
)
#: One context per row: the column with its text, and the one with its id.
PASSAGES = frozenset({"passage", "chunk", "context", "document", "contexttext", "chunktext"})
PASSAGE_IDS = frozenset({"passageid", "chunkid", "contextid", "documentid", "docid"})
_REASONS = ("_reason", "_reasoning", "_explanation", "_justification", "_rationale", "_feedback")
_RUBRICS = {
    Axis.CONTEXT_RELEVANCE: "context_relevance_rubric",
    Axis.GROUNDEDNESS: "groundedness_rubric",
    Axis.ANSWER_RELEVANCE: "answer_relevance_rubric",
}
_SCORE_WORDS = re.compile(
    r"(^|_)(score|rating|f1|bleu|rouge\w*|precision|recall|ndcg\w*|mrr|map|similarity|relevan\w+|"
    r"faithfulness|groundedness|correctness|accuracy|exact_match|coherence|fluency|completeness|"
    r"adherence|conciseness|helpfulness)($|_|\(|@)"
)
_NOISE = 1e-6


def plain(name: str) -> str:
    """A name without case, spaces and punctuation.

    >>> plain("User Input"), plain("user_input")
    ('userinput', 'userinput')
    """
    return re.sub(r"[\s_.\-]+", "", name).casefold()


_ROLES = {
    plain(name): (role, place)
    for role, names in _SYNONYMS.items()
    for place, name in enumerate(names.split())
}


def role_of(name: str) -> tuple[Role, int] | None:
    """Role that a column's name stands for, and how telling the name is (0 is the most).

    >>> role_of("Retrieved Contexts"), role_of("colour")
    ((<Role.CONTEXTS: 'contexts'>, 0), None)
    """
    return _ROLES.get(plain(name))


def is_label(name: str) -> bool:
    """True for names that people give to their own judgement."""
    return plain(name) in _LABELS or re.match(r"human[\s_.\-]", name.casefold()) is not None


def is_tag(name: str) -> bool:
    """True for names of what samples are sliced by."""
    return plain(name) in _TAGS


def names_people(name: str) -> bool:
    """True for columns that say who somebody is; they are left out unless a map keeps them.

    >>> names_people("User ID"), names_people("attributes.user.id"), names_people("user_input")
    (True, True, False)
    """
    steps = name.split(".")
    return any(plain("".join(steps[place:])) in _PEOPLE for place in range(len(steps)))


def names_raters(name: str) -> bool:
    """True for columns that say who gave the labels of a row."""
    return plain(name) in _RATERS


def misplaced(names: Iterable[str]) -> list[str]:
    """Names that look like texts, scores or labels, where the format has no such key.

    >>> misplaced(["context", "page_no", "gpt_groundedness"])
    ['context', 'gpt_groundedness']
    """
    texts = (Role.CONTEXTS, Role.REFERENCE, Role.GOLD, Role.GOLD_IDS, Role.CONTEXT_IDS)
    return [
        name
        for name in names
        if (role_of(name) or ("",))[0] in texts
        or is_label(name)
        or metric_name(name, None, None)
        or sounds_like_score(name)
    ]


def run_columns(names: list[str]) -> list[str]:
    """Those of the names that may tell runs apart, the most telling first."""
    by_plain = {plain(name): name for name in reversed(names)}
    return [by_plain[plain(name)] for name in RUNS if plain(name) in by_plain]


def is_milliseconds(name: str) -> bool:
    """True if a latency's name says milliseconds."""
    return re.search(r"(_|\b)(ms|millis\w*)$", name.casefold()) is not None


def reason_of(name: str, metrics: list[str]) -> str | None:
    """The metric among these that a column explains, by its name."""
    for suffix in _REASONS:
        if name.casefold().endswith(suffix):
            base = name[: -len(suffix)]
            for metric in (base, f"{base}_score", f"{base}/score"):
                if metric in metrics:
                    return metric
    if name.endswith("/justification"):
        metric = name.removesuffix("/justification") + "/score"
        return metric if metric in metrics else None
    return None


def sounds_like_score(name: str) -> bool:
    """True if a column of numbers is probably a score, by its name."""
    return _SCORE_WORDS.search(name.casefold()) is not None


def counts_something(name: str) -> bool:
    """True if a number is a count or a setting, by its name.

    >>> counts_something("answer_length"), counts_something("answer_score")
    (True, False)
    """
    return _COUNTS.search(name.casefold()) is not None


def infer_scale(column: ColumnProfile) -> tuple[float, float] | None:
    """Scale of a column by all of its values, or None where they do not tell.

    They do not where there is but one value: a run in which every judge said 1 looks the same on
    0 to 1 and on 1 to 5.
    """
    low, high = column.lo, column.hi
    if column.is_constant or low is None or high is None:
        return None
    if low >= -_NOISE and high <= 1 + _NOISE:
        return 0.0, 1.0
    is_whole = column.n_whole == column.n_numbers
    if is_whole and low == 0 and high == 3:
        return 0.0, 3.0
    if is_whole and low >= 1 and 4 <= high <= 5:
        return 1.0, 5.0
    return (0.0, 100.0) if not is_whole and low >= 0 and 5 < high <= 100 else None


def metric_name(name: str, tool: str | None, scale: tuple[float, float] | None) -> str | None:
    """Our id for a metric, or None where its name and scale do not tell for sure.

    >>> metric_name("groundedness_score", None, (1.0, 5.0)), metric_name("relevance", None, None)
    ('groundedness_rubric', None)
    """
    base = re.sub(r"[_ ]score$", "", name)
    for candidate in (name, base):
        known = canonical_id(candidate, tool)
        axis = axis_of(known) if known else None
        # groundedness_score is groundedness; hallucination_score is, in one tool, its opposite.
        if known is None or (candidate != name and axis is None):
            continue
        if scale == (1.0, 5.0) and axis in _RUBRICS:
            return _RUBRICS[axis]
        spec = spec_for(known)
        if candidate == known or spec is None or scale is None or _fits(scale, spec.lo, spec.hi):
            return known
    return None


def _fits(scale: tuple[float, float], low: float, high: float) -> bool:
    return scale[0] >= low - _NOISE and scale[1] <= high + _NOISE
