"""Every term of the product in words, generated from what the program computes with."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from core import figures
from core.diagnosis.contradictions import CONTRADICTIONS
from core.diagnosis.cue_summary import GAPS
from core.diagnosis.headline import HEADLINES
from core.diagnosis.modes import FLAGS, MODES, Outcome
from core.diagnosis.quadrants import EXTENDED, PUBLISHED
from core.diagnosis.thresholds import BORDERLINE, DEFAULT_CUTS, Cut, resolve_cut
from core.diagnosis.vocabulary import AXES, CAUSES, ERRORS, SIDES, STATES, CauseSpec
from core.judge.lexical_cuts import CUTS, SENTENCE_CUT
from core.judge.lexical_cuts import Cut as ShippedCut
from core.metrics.registry import FAMILIES, METRICS
from core.metrics.spec import Aggregate, CutRule, MetricSpec
from core.metrics.statistic_words import STATISTICS, StatisticSpec
from core.model import Axis, Direction, JudgeKind, Status


class Kind(StrEnum):
    """What an entry defines, in the order of the page."""

    METRIC = "Metrics"
    MODE = "Failure modes"
    QUADRANT = "Context use, published quadrants"
    EXTENDED = "Context use, extended quadrants"
    CONTRADICTION = "Contradictions of triad and context use"
    RATE = "Headline rates"
    STATISTIC = "Figures of Calibration and Agreement"
    FLAG = "Flags"
    STATE = "States"
    CAUSE = "Causes"


@dataclass(frozen=True, slots=True)
class Entry:
    """One term: its id in files and addresses, its name, one sentence, and facts as (name, text).

    ``group`` is the heading it stands under; ``also`` are names that other tools use.
    """

    kind: Kind
    id: str
    name: str
    sentence: str
    group: str = ""
    code: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    also: tuple[str, ...] = ()

    def text(self) -> str:
        """Everything that a search looks at, in lower case."""
        facts = (part for fact in self.facts for part in fact)
        return " ".join(
            (self.id, self.id.replace("_", " "), self.name, self.sentence, *self.also, *facts)
        ).lower()


_AGGREGATES = {
    Aggregate.MEDIAN: "median of the repeats, the lower one of an even number",
    Aggregate.MAJORITY: "majority of the repeats; a tie settles nothing",
    Aggregate.MEAN: "mean of the repeats",
}
_CUT_RULES = {
    CutRule.RUBRIC: "level 4 is the first that is good as it stands",
    CutRule.RATIO: "the cut that RAG-X uses for adherence",
    CutRule.GRADE: "the upper half of four levels",
    CutRule.QUARTER: "the third of four quarter steps",
    CutRule.BINARY: "there is nothing between 0 and 1",
    CutRule.COSINE: "the same as for shares",
    CutRule.NONE: "",
}
_OUTCOMES = {
    Outcome.PASS: "counts as a pass",
    Outcome.FAIL: "counts as a failure",
    Outcome.OPEN: "is in no rate",
}


def entries() -> tuple[Entry, ...]:
    """All terms in the order of the page."""
    return tuple(_entries())


def search(found: Iterable[Entry], wanted: str) -> tuple[Entry, ...]:
    """Entries that hold every word of ``wanted``.

    First comes the one of that name, then ours with the words in their name, then what other
    tools call so.

    >>> search(entries(), "answer relevancy deepeval")[0].id
    'answer_relevancy_statements'
    """
    words = wanted.lower().split()
    hits = [entry for entry in found if all(word in entry.text() for word in words)]

    def distance(entry: Entry) -> int:
        own = f"{entry.id} {entry.id.replace('_', ' ')} {entry.name}".lower()
        theirs = " ".join(entry.also).lower()
        if wanted.strip().lower() in (entry.id, entry.id.replace("_", " "), entry.name.lower()):
            return 0
        if all(word in own for word in words):
            return 1
        return 2 if all(word in f"{own} {theirs}" for word in words) else 3

    return tuple(sorted(hits, key=distance)) if words else tuple(hits)


def _entries() -> Iterator[Entry]:
    yield from (_metric(spec) for spec in METRICS.values())
    for mode in MODES.values():
        yield Entry(
            Kind.MODE,
            mode.id.value,
            mode.name,
            mode.meaning,
            group=SIDES[mode.side],
            code=mode.code,
            facts=(
                ("Rule", mode.rule),
                ("Outcome", _OUTCOMES[mode.outcome]),
                ("Severity", f"{mode.severity} of {len(MODES) + 1}, 1 is the worst"),
                *_fixes(mode.fixes),
            ),
        )
    yield from _quadrants()
    for rate in HEADLINES.values():
        yield Entry(
            Kind.RATE,
            rate.id.value,
            rate.name,
            rate.meaning,
            group="Overview",
            facts=(
                ("Denominator", rate.counted),
                ("Interval", f"Wilson, 95{figures.NARROW}%; below {figures.LEAST_N} only counts"),
            ),
        )
    for gap in GAPS.values():
        formula = (("Formula", gap.formula),)
        yield Entry(Kind.RATE, gap.id, gap.name, gap.meaning, group="Context use", facts=formula)
    yield from (_statistic(spec) for spec in STATISTICS.values())
    for flag in FLAGS.values():
        yield Entry(Kind.FLAG, flag.id.value, flag.name, flag.meaning, code=flag.code)
    for state in STATES.values():
        yield Entry(Kind.STATE, str(state.id), state.name, state.meaning)
    yield from (_cause(spec, STATES[Status.NOT_APPLICABLE].name) for spec in CAUSES.values())
    yield from (_cause(spec, STATES[Status.ERROR].name) for spec in ERRORS.values())


def _statistic(spec: StatisticSpec) -> Entry:
    facts = (
        ("Formula", spec.formula),
        ("Undefined when", spec.undefined_when),
        ("Source", spec.source),
    )
    return Entry(
        Kind.STATISTIC,
        spec.id,
        spec.name,
        spec.sentence,
        group=spec.group,
        facts=tuple((name, text) for name, text in facts if text),
    )


def _quadrants() -> Iterator[Entry]:
    for cell in PUBLISHED.values():
        facts = (("Rule", cell.rule), *_fixes(cell.fixes))
        yield Entry(
            Kind.QUADRANT, cell.id.value, cell.name, cell.meaning, code=cell.code, facts=facts
        )
    for part in EXTENDED.values():
        typical = ", ".join(MODES[mode].name for mode in part.typical)
        yield Entry(
            Kind.EXTENDED,
            part.id.value,
            part.name,
            part.meaning,
            group=SIDES[part.side],
            code=part.code,
            facts=(
                ("Rule", part.rule),
                ("Published as", PUBLISHED[part.published].name),
                *((("Mostly", typical),) if typical else ()),
                *_fixes(part.fixes),
            ),
        )
    for conflict in CONTRADICTIONS.values():
        yield Entry(
            Kind.CONTRADICTION,
            conflict.id.value,
            conflict.name,
            conflict.reading,
            facts=(("Rule", conflict.rule), ("First step", conflict.step)),
        )


def _fixes(fixes: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((f"Fix {i}", fix) for i, fix in enumerate(fixes, 1))


def _cause(spec: CauseSpec, group: str) -> Entry:
    return Entry(Kind.CAUSE, str(spec.id), spec.words.capitalize(), spec.meaning, group=group)


def _metric(spec: MetricSpec) -> Entry:
    facts = [
        ("Formula", spec.formula),
        ("Range", _range(spec)),
        ("High from", _default_cut(spec)),
        *_shipped_cuts(spec),
        ("Needs", ", ".join(need.value for need in spec.needs)),
        ("Undefined when", spec.undefined_when),
        ("Repeats", _AGGREGATES[spec.aggregate]),
        ("Feeds", AXES[spec.axis].name if spec.axis else "no axis; it never feeds the triad"),
        ("In other tools", ", ".join(f"{alias.tool}: {alias.name}" for alias in spec.aliases)),
        ("Note", spec.notes),
        ("Source", spec.source),
    ]
    return Entry(
        Kind.METRIC,
        spec.id,
        spec.name,
        spec.one_sentence,
        group=AXES[spec.axis].name if spec.axis else FAMILIES.get(spec.id, "Beside the axes"),
        facts=tuple((name, text) for name, text in facts if text),
        also=tuple(f"{alias.tool} {alias.name}" for alias in spec.aliases),
    )


def _range(spec: MetricSpec) -> str:
    better = "lower" if spec.direction is Direction.LOWER else "higher"
    if not isfinite(spec.hi):
        return f"{spec.lo:g} and more, neither end is better"
    return f"{spec.lo:g} to {spec.hi:g}, {better} is better"


def _default_cut(spec: MetricSpec) -> str:
    cut = resolve_cut(spec.id, spec.scale, JudgeKind.IMPORTED, "")
    if cut.value is None or cut.rule not in DEFAULT_CUTS:
        return "no cut"
    sign = "≤" if spec.direction is Direction.LOWER else "≥"
    mirrored = " (mirrored)" if spec.direction is Direction.LOWER else ""
    return f"{sign} {cut.value:g}: {_CUT_RULES[cut.rule]}{mirrored}{_band(cut)}"


def _band(cut: Cut) -> str:
    if cut.band is None:
        return ""
    return f"; borderline within {BORDERLINE:g} of the scale around it"


def _shipped_cuts(spec: MetricSpec) -> Iterator[tuple[str, str]]:
    if spec.id in CUTS:
        yield "High from, lexical-v1", _chosen(CUTS[spec.id])
    if spec.id == Axis.GROUNDEDNESS:
        yield "Sentence supported from, lexical-v1", _chosen(SENTENCE_CUT)


def _chosen(cut: ShippedCut) -> str:
    return (
        f"≥ {cut.value:g}: {cut.rule}. Data: {cut.data}; target: {cut.target}; n = "
        f"{figures.count(cut.n)}, {figures.count(cut.n_positive)} of them should be high; "
        f"{figures.percent(cut.tpr)} of these and {figures.percent(cut.fpr)} of the others reach "
        f"it (TPR and FPR; in-sample, so optimistic); {cut.date}"
    )
