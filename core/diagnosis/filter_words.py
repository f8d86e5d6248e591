"""Filter terms as people read them."""

import re

from core.diagnosis.contradictions import CONTRADICTIONS, ContradictionId
from core.diagnosis.modes import FLAGS, MODES
from core.diagnosis.outcomes import (
    OUTCOME_NAMES,
    REFUSAL_NAMES,
    SOURCE_NAMES,
    AnswerOutcome,
    RefusalCell,
)
from core.diagnosis.quadrants import EXTENDED, PUBLISHED, Extended, Published
from core.diagnosis.vocabulary import cause_in_words
from core.filters import EVIDENCE, HIT_CHANGES, split_term
from core.model import Flag, Mode

_JUDGE = re.compile(r"@(?:[0-9a-f]{12}|overlap-v1|claim-labels-v1)$")


def term_in_words(text: str) -> str:
    """A filter term as a short label; it may quote names of the store.

    >>> term_in_words("mode=retrieval_failure"), term_in_words("tag.domain=fiqa")
    ('Retrieval failure', 'domain: fiqa')
    """
    kind, name, value = split_term(text)
    if kind == "mode" and value in set(Mode):
        return MODES[Mode(value)].name
    if kind == "flag" and value in set(Flag):
        return FLAGS[Flag(value)].name
    if kind == "cause":
        return cause_in_words(value)
    if kind == "text":
        return f"“{value}”"
    if kind == "contradiction" and value in set(ContradictionId):
        return CONTRADICTIONS[ContradictionId(value)].name
    if kind == "quadrant":
        return _quadrant_name(value)
    if kind == "hit":
        return {"hit": "Evidence found", "miss": "No hit"}.get(value, "Hit undefined")
    if kind == "hit_change" and value in HIT_CHANGES:
        return {"gained": "Hit gained", "lost": "Hit lost"}.get(value, "Hit newly assessed")
    if kind == "doc":
        return f"retrieved {value}"
    if kind == "outcome" and value in set(AnswerOutcome):
        return OUTCOME_NAMES[AnswerOutcome(value)]
    if kind == "refusal" and value in set(RefusalCell):
        return REFUSAL_NAMES[RefusalCell(value)]
    if kind == "correct_by" and value in SOURCE_NAMES:
        return f"correctness by: {SOURCE_NAMES[value].lower()}"
    if kind == "state":
        metric = _metric_name(name)
        return f"{metric}: {cause_in_words(value)}"
    if kind in ("metric", "score"):
        metric = _metric_name(name)
        return f"{metric}: {range_in_words(value)}"
    if kind == "latency":
        return f"Latency: {range_in_words(value)} s"
    if kind == "cost":
        return f"Cost: {range_in_words(value)} USD"
    if kind == "day":
        return "no day" if value == "none" else value
    if kind in ("repeats", "flip"):
        metric = _metric_name(name)
        if kind == "flip":
            return f"{metric}: repeats change sides"
        return f"{metric}: judged repeatedly"
    if kind == "part":
        return f"{value} part of {name}"
    if kind == "evidence" and name in EVIDENCE:
        return _evidence_in_words(name, value)
    if kind == "same_words":
        which = "Two contexts" if name == "any" else f"Ranks {name.replace('+', ' and ')}"
        return f"{which} share words: {range_in_words(value)}"
    if kind == "raters":
        return f"{name}: raters {'differ' if value == 'differ' else 'agree'}"
    return f"{name or kind}: {value}"


def _evidence_in_words(name: str, value: str) -> str:
    """What is said of the evidence of a sample.

    >>> _evidence_in_words("rank", "2"), _evidence_in_words("contexts", "0")
    ('Evidence at rank 2', 'Contexts with evidence: none')
    >>> _evidence_in_words("hit_depth", "..3"), _evidence_in_words("full_depth", "4..")
    ('Hit within the first 3', 'Not all evidence within the first 3')
    """
    low, separator, high = value.partition("..")
    words = range_in_words(value) if separator else value
    if name == "rank":
        return f"Evidence at rank {words}"
    if name in ("contexts", "pieces"):
        counted = "Contexts with evidence" if name == "contexts" else "Pieces of evidence"
        return f"{counted}: {'none' if value == '0' else words}"
    found, missing = {
        "hit_depth": ("Hit", "No hit"),
        "full_depth": ("All evidence", "Not all evidence"),
    }[name]
    if high and low in ("", "1") and separator:
        return f"{found} within the first {high}"
    if low.isdecimal() and separator and not high:
        return f"{missing} within the first {int(low) - 1}"
    return f"{found} completed at rank {words}"


def _metric_name(name: str) -> str:
    return _JUDGE.sub("", name).replace("_", " ")


def range_in_words(text: str) -> str:
    """A range of a filter as a person says it.

    >>> range_in_words("..<0.6"), range_in_words("0.6.."), range_in_words("0.2..0.6")
    ('below 0.6', 'from 0.6', '0.2 to 0.6')
    """
    low, _, high = text.partition("..")
    if low and high:
        return f"{low.lstrip('>')} to {high.lstrip('<')}"
    if high:
        return f"below {high[1:]}" if high.startswith("<") else f"up to {high}"
    if low:
        return f"above {low[1:]}" if low.startswith(">") else f"from {low}"
    return "any value"


def _quadrant_name(value: str) -> str:
    published = value.removeprefix("published:")
    if published != value and published in set(Published):
        return f"{PUBLISHED[Published(published)].name} (published)"
    return EXTENDED[Extended(value)].name if value in set(Extended) else value
