r"""Which samples of a run are looked at: the same filter for every page, command and export.

As text a filter is a list of terms, in the address as on the command line: ``mode=hallucination``,
``flag=borderline``, ``tag.domain=fiqa``, ``label.correct=0``, ``cause=error:timeout``,
``score.groundedness=0.2..0.6``, ``metric.rouge_l=..<0.3``, ``part.faithful=dev``, ``text=invoice``,
``outcome=incorrect``, ``correct_by=label``, ``refusal=refused_answerable``,
``state.rouge_l=not_applicable:no_reference``, ``day=2026-11-30``,
``repeats.groundedness_rubric=2..``, ``flip.groundedness_rubric=4..``, ``doc=manual-7``,
``hit_change=gained``, ``raters.faithful=differ``, ``evidence.rank=2``, ``evidence.contexts=0..1``,
``same_words.1+2=0.8..``, ``same_words.any=0.8..``, ``latency=2..``, ``cost=..0.01``.

A name that holds "=" or "\" has a "\" before each: ``tag.k\=5=yes``. Ranges are described in
``core.ranges``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeVar

from core.errors import BadInputError
from core.model import TRIAD, Axis, Flag, Mode, Status
from core.ranges import Named, count_text, range_text, read_counts, read_range

_TERM = re.compile(
    r"(?P<kind>mode|flag|cause|text|tag|label|score|metric|part|hit|quadrant|contradiction"
    r"|outcome|correct_by|refusal|state|day|repeats|flip|doc|hit_change|raters|evidence"
    r"|same_words|latency|cost)"
    r"(?:\.(?P<name>(?:\\[\\=]|[^=])*+))?=(?P<value>.*)",
    re.S,
)

_ESCAPED = re.compile(r"\\([\\=])")

_NAMELESS = frozenset(
    {
        "mode", "flag", "cause", "text", "hit", "quadrant", "outcome", "correct_by", "refusal",
        "day", "doc", "hit_change", "latency", "cost",
    }
)  # fmt: skip

Word = TypeVar("Word", bound=StrEnum)

#: Whether the retriever found the evidence, as far as that is known.
HITS = ("hit", "miss", "undefined")
#: How the hit rule of a run changed a sample's hit: to a hit, to a miss, from undefined to either.
HIT_CHANGES = ("gained", "lost", "assessed")
#: Whether those who labelled a sample said the same.
RATERS = ("equal", "differ")
#: What a sample with gold evidence is counted by, see ``SampleFilter.evidence``.
EVIDENCE = ("rank", "contexts", "pieces", "hit_depth", "full_depth")
#: What the system's answer took, see ``SampleFilter.amounts``.
AMOUNTS = ("latency", "cost")
#: Parts of the labelled samples: to learn from, to choose on, to measure once.
PARTS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class SampleFilter:
    """Conditions that must all hold; within one condition any of its values will do.

    Attributes:
        modes: failure modes at the current cuts.
        flags: remarks that the sample must bear, all of them.
        tags: (name, value) pairs; values of one name are alternatives, names must all match.
        causes: "status:cause" of a triad score, or "not_scored".
        labels: (criterion, value) pairs, with "none" for samples that nobody labelled.
        text: part of the id, the question or the answer, upper and lower case alike.
        scores: (axis, low, high) ranges, both ends included; an open end is infinite.
        metrics: ranges of any metric by its name, or of one judge's by "name@judge".
        parts: (criterion, part) of the split of that label into train, dev and test.
        hits: "hit", "miss" or "undefined".
        quadrants: ids of the extended table of context use; of the published one with "published:"
            before them, since some ids are in both.
        contradictions: kinds of disagreement between the triad and context use.
        outcomes: correct, incorrect, refused or unknown.
        correct_by: what settled correctness, such as "label"; "none" where nothing did.
        refusals: cells of what was done and what should have been, such as refused_answerable.
        states: (metric, "status:cause"), a bare status, or "not_scored", of any metric by its name
            or of one judge's by "name@judge".
        days: days as "2026-11-30", "none" for samples without one; see ``store.days``.
        repeats: (metric, low, high): so many repeats of the judge gave a value.
        docs: ids of documents, of which any was retrieved.
        hit_changes: "gained", "lost" or "assessed": what the hit rule of the run has changed.
        flips: (metric, low, high): some repeats gave a value within the range and some beside it.
        raters: (criterion, "equal" or "differ"): two or more people labelled the sample (or one of
            its contexts, where only those were labelled) and said the same throughout, or did not.
        evidence: (one of ``EVIDENCE``, low, high), all of which must hold; no sample without gold
            evidence passes. "rank": a context at a rank of the range holds evidence; "contexts":
            so many of its contexts do; "pieces": so many pieces of evidence it has; "hit_depth":
            it becomes a hit with the context at such a rank, a sample that is none beyond all
            ranks; "full_depth": the same for all its evidence.
        same_words: ("1+2", low, high): the contexts at these two ranks have such a share of their
            words in common (Jaccard), or those of some pair for "any"; all must hold.
        amounts: ("latency" in seconds or "cost" in USD, low, high) of the system's answer.
    """

    modes: tuple[Mode, ...] = ()
    flags: tuple[Flag, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    causes: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    text: str = ""
    scores: tuple[tuple[Axis, float, float], ...] = ()
    metrics: tuple[Named, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    hits: tuple[str, ...] = ()
    quadrants: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    correct_by: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    days: tuple[str, ...] = ()
    repeats: tuple[Named, ...] = ()
    flips: tuple[Named, ...] = ()
    docs: tuple[str, ...] = ()
    hit_changes: tuple[str, ...] = ()
    raters: tuple[tuple[str, str], ...] = ()
    evidence: tuple[Named, ...] = ()
    same_words: tuple[Named, ...] = ()
    amounts: tuple[Named, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if every sample passes."""
        return self == SampleFilter()

    def terms(self) -> list[str]:
        """The filter as text; ``from_terms`` reads it back."""
        return [
            *(f"mode={mode.value}" for mode in self.modes),
            *(f"flag={flag.value}" for flag in self.flags),
            *(f"tag.{escape_name(name)}={value}" for name, value in self.tags),
            *(f"cause={cause}" for cause in self.causes),
            *(f"label.{escape_name(name)}={value}" for name, value in self.labels),
            *(f"score.{axis.value}={range_text(low, high)}" for axis, low, high in self.scores),
            *_range_terms("metric", self.metrics),
            *(f"part.{escape_name(criterion)}={part}" for criterion, part in self.parts),
            *(f"hit={value}" for value in self.hits),
            *(f"quadrant={value}" for value in self.quadrants),
            *(f"contradiction={value}" for value in self.contradictions),
            *(f"outcome={value}" for value in self.outcomes),
            *(f"correct_by={value}" for value in self.correct_by),
            *(f"refusal={value}" for value in self.refusals),
            *(f"state.{escape_name(name)}={value}" for name, value in self.states),
            *(f"day={day}" for day in self.days),
            *_range_terms("repeats", self.repeats),
            *_range_terms("flip", self.flips),
            *(f"doc={doc_id}" for doc_id in self.docs),
            *(f"hit_change={value}" for value in self.hit_changes),
            *(f"raters.{escape_name(criterion)}={value}" for criterion, value in self.raters),
            *(f"evidence.{name}={count_text(low, high)}" for name, low, high in self.evidence),
            *_range_terms("same_words", self.same_words),
            *(f"{name}={range_text(low, high)}" for name, low, high in self.amounts),
            *([f"text={self.text}"] if self.text else []),
        ]


def escape_name(name: str) -> str:
    r"""A name as it stands in a term, where it ends at the first plain "=".

    >>> escape_name("k=5"), escape_name("a.b")
    ('k\\=5', 'a.b')
    """
    return name.replace("\\", "\\\\").replace("=", "\\=")


def split_term(term: str) -> tuple[str, str, str]:
    r"""(kind, name, value) of a term; the name is "" where there is none.

    >>> split_term(r"tag.k\=5=yes"), split_term("mode=success")
    (('tag', 'k=5', 'yes'), ('mode', '', 'success'))
    """
    match = _TERM.fullmatch(term)
    if match is None:
        return term.partition("=")[0], "", term.partition("=")[2]
    name = _ESCAPED.sub(r"\1", match["name"] or "")
    return match["kind"], name, match["value"]


def from_terms(terms: Iterable[str]) -> SampleFilter:
    """A filter from its terms.

    Raises:
        BadInputError: a term that is none; the message says what is possible.

    >>> from_terms(["mode=success", "tag.domain=fiqa"]).terms()
    ['mode=success', 'tag.domain=fiqa']
    """
    modes: list[Mode] = []
    flags: list[Flag] = []
    tags: list[tuple[str, str]] = []
    causes: list[str] = []
    labels: list[tuple[str, str]] = []
    scores: list[tuple[Axis, float, float]] = []
    parts: list[tuple[str, str]] = []
    hits: list[str] = []
    quadrants: list[str] = []
    contradictions: list[str] = []
    plain: dict[str, list[str]] = {
        "outcome": [], "correct_by": [], "refusal": [], "doc": [], "hit_change": [],
    }  # fmt: skip
    states: list[tuple[str, str]] = []
    days: list[str] = []
    raters: list[tuple[str, str]] = []
    evidence: list[Named] = []
    ranges: dict[str, list[Named]] = {"metric": [], "repeats": [], "flip": [], "same_words": []}
    amounts: list[Named] = []
    text = ""
    for term in dict.fromkeys(terms):
        match = _TERM.fullmatch(term)
        if match is None:
            raise BadInputError(
                f"{term!r} is no filter. Filters look like mode=hallucination, flag=borderline, "
                "tag.NAME=VALUE, label.CRITERION=1, cause=error:timeout, "
                "score.groundedness=0.2..0.6, metric.NAME=..<0.6, part.CRITERION=dev or text=WORDS."
            )
        kind, name, value = split_term(term)
        if name and kind in _NAMELESS:
            raise BadInputError(f"{term!r} has a name too many: write {kind}=VALUE.")
        if kind == "mode":
            modes.append(_member(Mode, value))
        elif kind == "flag":
            flags.append(_member(Flag, value))
        elif kind == "cause":
            causes.append(_cause(value))
        elif kind == "text":
            if text:
                raise BadInputError(f"Only one text can be looked for: text={text} or {term}.")
            text = value
        elif kind == "hit":
            if value not in HITS:
                raise BadInputError(f"{term!r} must be one of {', '.join(HITS)}.")
            hits.append(value)
        elif kind == "quadrant":
            quadrants.append(value)
        elif kind == "contradiction":
            contradictions.append(value)
        elif kind == "hit_change" and value not in HIT_CHANGES:
            raise BadInputError(f"{term!r} must be one of {', '.join(HIT_CHANGES)}.")
        elif kind in plain:
            plain[kind].append(value)
        elif kind == "day":
            days.append(_day(value))
        elif kind in AMOUNTS:
            amounts.append((kind, *read_range(term, value)))
        elif not name:
            raise BadInputError(f"{term!r} lacks a name: write {kind}.NAME=VALUE.")
        elif kind == "tag":
            tags.append((name, value))
        elif kind == "label":
            labels.append((name, value))
        elif kind == "part":
            parts.append((name, _part(name, value)))
        elif kind == "raters":
            if value not in RATERS:
                raise BadInputError(f"{term!r} must be one of {', '.join(RATERS)}.")
            raters.append((name, value))
        elif kind == "state":
            states.append((name, _state(term, value)))
        elif kind == "evidence":
            evidence.append((_quantity(term, name), *read_counts(term, value)))
        elif kind in ranges:
            name = _pair(term, name) if kind == "same_words" else name
            ranges[kind].append((name, *read_range(term, value)))
        else:
            scores.append((_axis(name), *read_range(term, value)))
    return SampleFilter(
        modes=tuple(modes),
        flags=tuple(flags),
        tags=tuple(tags),
        causes=tuple(causes),
        labels=tuple(labels),
        text=text,
        scores=tuple(scores),
        metrics=tuple(ranges["metric"]),
        parts=tuple(parts),
        hits=tuple(hits),
        quadrants=tuple(quadrants),
        contradictions=tuple(contradictions),
        outcomes=tuple(plain["outcome"]),
        correct_by=tuple(plain["correct_by"]),
        refusals=tuple(plain["refusal"]),
        states=tuple(states),
        days=tuple(days),
        repeats=tuple(ranges["repeats"]),
        flips=tuple(ranges["flip"]),
        docs=tuple(plain["doc"]),
        hit_changes=tuple(plain["hit_change"]),
        raters=tuple(raters),
        evidence=tuple(evidence),
        same_words=tuple(ranges["same_words"]),
        amounts=tuple(amounts),
    )


def _range_terms(kind: str, ranges: Iterable[Named]) -> list[str]:
    return [f"{kind}.{escape_name(name)}={range_text(low, high)}" for name, low, high in ranges]


def _member(words: type[Word], value: str) -> Word:
    try:
        return words(value)
    except ValueError:
        known = ", ".join(word.value for word in words)
        raise BadInputError(
            f"There is no {words.__name__.lower()} {value!r}; known: {known}."
        ) from None


def _cause(value: str) -> str:
    return _state(f"cause={value}", value)


def _state(term: str, value: str) -> str:
    status = value.partition(":")[0]
    if status not in ("not_scored", *Status):
        raise BadInputError(
            f"{term} must begin with a state: {', '.join(Status)} or not_scored, as in "
            f"{term.partition('=')[0]}=error:timeout."
        )
    return value


def _axis(name: str) -> Axis:
    for axis in TRIAD:
        if name == axis.value:
            return axis
    raise BadInputError(
        f"score.{name} is no triad score; known: {', '.join(axis.value for axis in TRIAD)}. "
        f"For any other score write metric.{name}=0.2..0.6."
    )


def _day(value: str) -> str:
    if value == "none":
        return value
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise BadInputError(f"day={value} must be a day such as 2026-11-30, or none.") from None


def _part(criterion: str, value: str) -> str:
    if value not in PARTS:
        raise BadInputError(f"part.{criterion}={value} must be one of {', '.join(PARTS)}.")
    return value


def _quantity(term: str, name: str) -> str:
    if name not in EVIDENCE:
        known = ", ".join(f"evidence.{one}" for one in EVIDENCE)
        raise BadInputError(f"{term} counts nothing that is known; known: {known}.")
    return name


def _pair(term: str, name: str) -> str:
    if name == "any":
        return name
    match = re.fullmatch(r"([1-9][0-9]{0,5})\+([1-9][0-9]{0,5})", name)
    if match is None or match[1] == match[2]:
        raise BadInputError(f"{term} must name two ranks, or any: same_words.1+2=0.8..")
    first, second = sorted(int(rank) for rank in match.groups())
    return f"{first}+{second}"
