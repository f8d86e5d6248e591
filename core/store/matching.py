"""Classifying and filtering the samples of a run, and counting what is left.

``match`` fills a temporary table that the functions below it read in the same burst. No function
here touches a text column unless the filter asks for text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.diagnosis.contradictions import ContradictionId, codes_with
from core.diagnosis.cue import codes_for_extended, codes_for_published
from core.diagnosis.cue_summary import CueCount
from core.diagnosis.cuts import RunCuts
from core.diagnosis.outcomes import (
    SOURCE_NAMES,
    AnswerOutcome,
    RefusalCell,
    codes_for_outcomes,
    codes_for_refusals,
)
from core.diagnosis.quadrants import Extended, Published
from core.diagnosis.summary import PatternCount
from core.diagnosis.triad import codes_for, codes_with_flag
from core.errors import BadInputError
from core.filters import SampleFilter
from core.model import Flag
from core.ranges import compared
from core.store import wide
from core.store.connection import Connection, sql
from core.store.days import narrow_by_day
from core.store.repeats import narrow_by_flip, narrow_by_repeats
from core.store.run_sql import fetch_records, fetch_rows
from core.store.scores import narrow_by_metric, narrow_by_state
from core.store.selected import WideChoice

_LAST = 2**63 - 1
_CODE_FLAGS = frozenset({Flag.MISSED_REFUSAL, Flag.RETRIEVAL_GAP})


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """How many matched samples have one state on one axis; total is the sum of their scores."""

    axis: str
    status: str
    cause: str | None
    n: int
    total: float | None


@dataclass(frozen=True, slots=True)
class PageRow:
    """A sample in a list: its place is the order of the rows."""

    position: int
    sample_id: str
    code: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sample stands among the matched ones, from 1, and the ids beside it."""

    place: int
    previous_id: str | None
    next_id: str | None


def match(
    connection: Connection,
    run_id: str,
    cuts: RunCuts,
    stored_cuts: RunCuts,
    wanted: SampleFilter,
    hit_share: float = 0.0,
    position: int | None = None,
) -> None:
    """Classify the samples of a run and keep those that pass the filter, for what follows.

    ``hit_share`` of the pieces of evidence must be retrieved for a hit; 0 means any of them.
    With ``position`` the sample there is the only one that is looked at.
    """
    parameters = {
        "run_id": run_id,
        "first": 0 if position is None else position,
        "last": _LAST if position is None else position,
        "cuts": cuts.as_parameter(),
        "stored_cuts": stored_cuts.as_parameter(),
        "hit_share": hit_share,
    }
    connection.execute(sql("queries/match.sql"), parameters)
    _narrow(connection, run_id, wanted, hit_share)


def keep_baseline(connection: Connection) -> None:
    """Keep what is matched now as the baseline of ``paired_counts``; then match the candidate."""
    connection.execute(sql("queries/keep_baseline.sql"))


def use_selection(
    connection: Connection,
    run_id: str,
    choices: Sequence[WideChoice],
    positions: Sequence[int] | None = None,
) -> None:
    """Read, in this burst, wide rows made for another judge selection than the stored one."""
    statement = "create or replace temp table other_wide as select * from wide_rows"
    for _ in wide.make(connection, run_id, choices, positions):
        connection.execute(statement)
        statement = "insert into other_wide by name select * from wide_rows"
    # A temporary view comes before the store's own table of the same name.
    connection.execute("create or replace temp view wide as select * from other_wide")


def _narrow(connection: Connection, run_id: str, wanted: SampleFilter, hit_share: float) -> None:
    def narrow(name: str, **parameters: Any) -> None:
        connection.execute(sql(f"queries/narrow/{name}.sql"), parameters)

    if wanted.modes:
        narrow("codes", codes=codes_for(wanted.modes))
    for flag in _CODE_FLAGS & set(wanted.flags):
        narrow("codes", codes=codes_with_flag(flag))
    other_flags = [flag.value for flag in wanted.flags if flag not in _CODE_FLAGS]
    if other_flags:
        narrow("flags", flags=other_flags)
    if wanted.hits:
        narrow("hits", hits=list(wanted.hits))
    if wanted.quadrants:
        narrow("cue_codes", cue_codes=_quadrant_codes(wanted.quadrants))
    if wanted.contradictions:
        narrow("joint_codes", joint_codes=_contradiction_codes(wanted.contradictions))
    if wanted.hit_changes:
        changes = list(wanted.hit_changes)
        narrow("hit_changes", run_id=run_id, hit_changes=changes, hit_share=hit_share)
    if wanted.docs:
        narrow("docs", run_id=run_id, docs=list(wanted.docs))
    if wanted.tags:
        names = [name for name, _ in wanted.tags]
        values = [value for _, value in wanted.tags]
        narrow("tags", run_id=run_id, names=names, values=values, n_names=len(set(names)))
    if wanted.causes:
        narrow("causes", run_id=run_id, causes=list(wanted.causes))
    for criterion in dict.fromkeys(criterion for criterion, _ in wanted.labels):
        labels = [value for other, value in wanted.labels if other == criterion]
        is_open = "none" in labels
        narrow("labels", run_id=run_id, criterion=criterion, labels=labels, is_open=is_open)
    if wanted.text:
        narrow("text", run_id=run_id, text=wanted.text)
    for axis, *ends in wanted.scores:
        low, high = compared(*ends)
        narrow("scores", axis=axis.value, low=low, high=high)
    for name, *ends in wanted.amounts:
        low, high = compared(*ends)
        narrow("amounts", run_id=run_id, amount=name, low=low, high=high)
    for name, low, high in wanted.metrics:
        narrow_by_metric(connection, run_id, name, low, high)
    if wanted.outcomes:
        narrow("codes", codes=_codes(codes_for_outcomes, wanted.outcomes, AnswerOutcome))
    if wanted.refusals:
        narrow("codes", codes=_codes(codes_for_refusals, wanted.refusals, RefusalCell))
    if wanted.correct_by:
        narrow("correct_by", sources=_sources(wanted.correct_by))
    if wanted.days:
        narrow_by_day(connection, run_id, wanted.days)
    for name, low, high in wanted.repeats:
        narrow_by_repeats(connection, run_id, name, low, high)
    for name, low, high in wanted.flips:
        narrow_by_flip(connection, run_id, name, low, high)
    for name in dict.fromkeys(name for name, _ in wanted.states):
        states = [state for other, state in wanted.states if other == name]
        narrow_by_state(connection, run_id, name, states)
    for criterion in dict.fromkeys(criterion for criterion, _ in wanted.raters):
        relations = [relation for other, relation in wanted.raters if other == criterion]
        narrow("raters", run_id=run_id, criterion=criterion, relations=relations)
    for name, low, high in wanted.evidence:
        bounds = {"quantity": name, "low": low, "high": high}
        narrow("evidence", run_id=run_id, hit_share=hit_share, **bounds)
    for name, low, high in wanted.same_words:
        ranks = [] if name == "any" else [int(rank) for rank in name.split("+")]
        narrow("same_words", run_id=run_id, ranks=ranks, low=low, high=high)
    for criterion in dict.fromkeys(criterion for criterion, _ in wanted.parts):
        parts = [part for other, part in wanted.parts if other == criterion]
        narrow("part", run_id=run_id, criterion=criterion, parts=parts)


def _quadrant_codes(names: Sequence[str]) -> list[int]:
    codes: set[int] = set()
    for name in names:
        published = name.removeprefix("published:")
        read = codes_for_extended if published == name else codes_for_published
        try:
            found = read([published])
        except ValueError:
            raise BadInputError(
                f"There is no quadrant {name!r}. Published ones are written published:NAME with "
                f"{', '.join(Published)}; extended ones are {', '.join(Extended)}."
            ) from None
        codes.update(found)
    return sorted(codes)


def _contradiction_codes(names: Sequence[str]) -> list[int]:
    try:
        return codes_with(names)
    except ValueError:
        known = ", ".join(ContradictionId)
        raise BadInputError(
            f"One of {', '.join(names)} is no contradiction; known: {known}."
        ) from None


def _codes(
    read: Callable[[Sequence[str]], list[int]], names: Sequence[str], known: type[StrEnum]
) -> list[int]:
    try:
        return read(names)
    except ValueError:
        raise BadInputError(f"One of {', '.join(names)} is none of {', '.join(known)}.") from None


def _sources(names: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name not in SOURCE_NAMES]
    if unknown:
        raise BadInputError(f"correct_by={unknown[0]} is none of {', '.join(SOURCE_NAMES)}.")
    return list(names)


def cue_counts(connection: Connection) -> list[CueCount]:
    """Matched samples counted by the code of context use."""
    return [CueCount(code, n) for code, n in fetch_rows(connection, "cue_counts")]


def cue_slices(connection: Connection, run_id: str, tag: str) -> dict[str, list[CueCount]]:
    """Matched samples by the values of one tag, counted by the code of context use."""
    found: dict[str, list[CueCount]] = {}
    for value, code, n in fetch_rows(connection, "cue_slices", run_id=run_id, tag=tag):
        found.setdefault(value, []).append(CueCount(code, n))
    return found


def tag_sizes(connection: Connection, run_id: str, tag: str) -> list[tuple[str, int]]:
    """(value, matched samples) of one tag, the largest first."""
    return [(value, n) for value, n in fetch_rows(connection, "tag_sizes", run_id=run_id, tag=tag)]


def joint_counts(connection: Connection) -> list[tuple[int, int]]:
    """(joint code of triad and context use, n) of the matched samples."""
    return [(code, n) for code, n in fetch_rows(connection, "joint_counts")]


def paired_cue_counts(connection: Connection) -> list[tuple[int, int, int]]:
    """(baseline code, current code, n) of context use over the sample ids of both matches."""
    return [(old, new, n) for old, new, n in fetch_rows(connection, "paired_cue_counts")]


def adherence_by_hit(
    connection: Connection, lo: float, hi: float, bins: int
) -> tuple[list[int], list[int]]:
    """(with a hit, without) counted in ``bins`` equal steps of adherence from lo to hi."""
    counts: dict[bool, list[int]] = {True: [0] * bins, False: [0] * bins}
    for is_hit, place, n in fetch_rows(connection, "adherence_by_hit", lo=lo, hi=hi, bins=bins):
        counts[is_hit][place] = n
    return counts[True], counts[False]


def pattern_counts(connection: Connection) -> list[PatternCount]:
    """Matched samples counted by pattern and flags."""
    return [PatternCount(**record) for record in fetch_records(connection, "pattern_counts")]


def pattern_of(connection: Connection, position: int) -> PatternCount:
    """Pattern and flags of one matched sample."""
    return PatternCount(**fetch_records(connection, "pattern_of", position=position)[0])


def moved_counts(connection: Connection) -> list[tuple[int, int, int]]:
    """(stored code, current code, n) of the matched samples whose pattern the cuts have moved."""
    return [(old, new, n) for old, new, n in fetch_rows(connection, "moved_counts")]


def paired_counts(connection: Connection) -> list[tuple[int, int, int]]:
    """(baseline code, current code, n) over the sample ids that both matches hold."""
    return [(old, new, n) for old, new, n in fetch_rows(connection, "paired_counts")]


def score_histogram(
    connection: Connection, axis: str, lo: float, hi: float, bins: int
) -> list[int]:
    """Matched samples with a score, counted in ``bins`` equal steps from lo to hi."""
    counts = [0] * bins
    for place, n in fetch_rows(connection, "score_histogram", axis=axis, lo=lo, hi=hi, bins=bins):
        counts[place] = n
    return counts


def score_ends(connection: Connection) -> dict[str, tuple[float | None, float | None]]:
    """Smallest and largest score of each triad axis among the matched samples."""
    rows = fetch_rows(connection, "score_ends")
    return {axis: (low, high) for axis, low, high in rows}


def coverage(connection: Connection, run_id: str) -> list[CoverageRow]:
    """States of the triad scores of the matched samples."""
    return [CoverageRow(*row) for row in fetch_rows(connection, "coverage", run_id=run_id)]


def slices(connection: Connection, run_id: str, tag: str) -> list[tuple[str, int, int]]:
    """(value, code, n): patterns of the matched samples by the values of one tag."""
    return [(v, code, n) for v, code, n in fetch_rows(connection, "slices", run_id=run_id, tag=tag)]


def matched_count(connection: Connection) -> int:
    """Number of matched samples."""
    return int(connection.execute("select count(*) from matched").fetchall()[0][0])


def sample_page(
    connection: Connection, severity: Sequence[int], limit: int, offset: int
) -> list[PageRow]:
    """One page of the matched samples in queue order; severity has one rank per pattern code."""
    rows = fetch_rows(
        connection, "sample_page", severity=list(severity), limit=limit, offset=offset
    )
    return [PageRow(*row) for row in rows]


def matched_rows(connection: Connection, severity: Sequence[int]) -> list[dict[str, Any]]:
    """All matched samples in queue order with their code, flags and triad scores."""
    return fetch_records(connection, "matched_rows", severity=list(severity))


def queue(connection: Connection, severity: Sequence[int]) -> NDArray[np.int64]:
    """Positions of the matched samples in queue order."""
    parameters = {"severity": list(severity)}
    rows = connection.execute(sql("queries/queue.sql"), parameters).fetchnumpy()
    return np.asarray(rows["position"], dtype=np.int64)


def matched_positions(connection: Connection) -> list[int]:
    """Positions of the matched samples in the order of the file."""
    return [position for (position,) in fetch_rows(connection, "matched_positions")]
