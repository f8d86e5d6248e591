"""A first map of a table, from the names of its columns and from what is in them.

A suggestion is for a person to look at; nothing is imported by it alone.
"""

import re
from collections.abc import Mapping as AnyMapping
from dataclasses import replace

from core.ingest import synonyms
from core.ingest.directions import direction_of
from core.ingest.mapping import SINGLE, Mapping, Role, Use
from core.ingest.score_words import word_values
from core.ingest.table_base import Hints, Table
from core.ingest.table_families import families
from core.ingest.table_profile import ColumnProfile, Profile, count_pairs
from core.ingest.table_profile import profile as profile_of
from core.metrics.registry import spec_for

# A latency whose middle is above this is probably in milliseconds.
_MOST_GRADES = 11  # 0 to 10
_MILLISECONDS = 300
_MAX_TAG_VALUES = 20
_MAX_TAG_LENGTH = 60
_MIN_PER_VALUE = 3
_MAX_LINES = 5
_NUMBER_SHARE = 0.9


def suggest(table: Table, seen: Profile | None = None) -> Mapping:
    """A map of a table; columns that it cannot place are kept as extra.

    Args:
        table: any table.
        seen: its profile, if there is one, made with the ``unique_columns`` of this module.
    """
    seen = seen or profile_of(table, unique_columns(table))
    if looks_transposed(table):
        return Mapping({}, hints=Hints(is_transposed=True))
    if families(table.columns):
        return Mapping({}, hints=Hints(sheet=table.about.get("sheet"), has_run_columns=True))
    uses = _by_name(table, seen)
    question = _column_of(uses, Role.QUESTION)
    run = separating_column(table, seen, question)
    if run is not None:
        uses[run] = Use(Role.RUN)
        _identify_within(run, table, seen, uses)
    is_long = _make_long(seen, uses, question)
    metrics = [name for name, use in uses.items() if use.role is Role.METRIC]
    for name, column in seen.columns.items():
        if name in uses:
            continue
        explained = synonyms.reason_of(name, metrics)
        if explained is not None:
            uses[name] = Use(Role.REASON, of=explained)
        elif _may_be_tag(column):
            uses[name] = Use(Role.TAG)
    people = [name for name in seen.columns if synonyms.names_people(name)]
    raters = [name for name in people if synonyms.names_raters(name)]
    if len(raters) == 1:
        _rated_by(raters[0], seen, uses)
    for name in (*seen.row_numbers(table.unnamed), *people):
        uses[name] = Use(Role.IGNORE)
    ordered = {name: (uses[name],) for name in seen.columns if name in uses}
    hints = Hints(sheet=table.about.get("sheet"))
    return Mapping(ordered, hints=hints, one_context_per_row=is_long)


_JOINABLE = (
    Role.SAMPLE_ID, Role.QUESTION, Role.ANSWER, Role.METRIC, Role.REASON, Role.LABEL,
)  # fmt: skip


def suggest_scores(table: Table) -> Mapping | None:
    """A map of what a table says of samples that are stored already; None if it is no such table.

    It needs something to find the samples by, and a score or a label of them. A table with several
    runs is none: each of its rows would belong to another sample.
    """
    found = suggest(table)
    by = found.of_role(Role.SAMPLE_ID, Role.QUESTION)
    if not by or not found.of_role(Role.METRIC, Role.LABEL) or found.of_role(Role.RUN):
        return None
    kept = {
        column: tuple(use for use in uses if use.role in _JOINABLE)
        for column, uses in found.columns.items()
    }
    return replace(found, columns={column: uses for column, uses in kept.items() if uses})


def _identify_within(run: str, table: Table, seen: Profile, uses: dict[str, Use]) -> None:
    """An id that repeats from run to run, but never within one, is one all the same."""
    if _column_of(uses, Role.SAMPLE_ID) is not None:
        return
    for name, column in seen.columns.items():
        is_id = (synonyms.role_of(name) or ("",))[0] is Role.SAMPLE_ID and name not in uses
        if is_id and column.n and count_pairs(table, name, run) == column.n:
            uses[name] = Use(Role.SAMPLE_ID)
            return


def _rated_by(person: str, seen: Profile, uses: dict[str, Use]) -> None:
    """Labels of several people: who gave them, and the id that their rows share.

    A score that no tool is known to give, with few different values, is taken for a label too.
    """
    for name, use in uses.items():
        is_unknown = use.role is Role.METRIC and spec_for(use.name or name) is None
        if use.role is Role.LABEL:
            uses[name] = replace(use, rater=person)
        elif is_unknown and len(seen.columns[name].values or ()) in range(2, _MOST_GRADES + 1):
            uses[name] = Use(Role.LABEL, rater=person)
    ids = [name for name in seen.columns if (synonyms.role_of(name) or ("",))[0] is Role.SAMPLE_ID]
    if ids and _column_of(uses, Role.SAMPLE_ID) is None:
        uses[ids[0]] = Use(Role.SAMPLE_ID)


def _make_long(seen: Profile, uses: dict[str, Use], question: str | None) -> bool:
    """Recognise a table with one context per row, whose questions repeat."""
    asked = seen.columns.get(question or "")
    texts = _column_of(uses, Role.CONTEXTS)
    if asked is None or texts is None or asked.n_unique is None or asked.n_unique >= asked.n:
        return False
    ids = [name for name in seen.columns if synonyms.plain(name) in synonyms.PASSAGE_IDS]
    if synonyms.plain(texts) not in synonyms.PASSAGES or seen.columns[texts].lists or not ids:
        return False
    uses[texts] = Use(Role.CONTEXTS, lists="text")
    uses[ids[0]] = Use(Role.CONTEXT_IDS, lists="text")
    for name, column in seen.columns.items():
        found = synonyms.role_of(name)
        if found and found[0] is Role.SAMPLE_ID and column.n_unique == asked.n_unique:
            uses[name] = Use(Role.SAMPLE_ID)
            break
    return True


def unique_columns(table: Table) -> list[str]:
    """Columns whose different values have to be counted: questions and ids."""
    wanted = (Role.QUESTION, Role.SAMPLE_ID)
    return [name for name in table.columns if (synonyms.role_of(name) or ("",))[0] in wanted]


def looks_transposed(table: Table) -> bool:
    """True if the header of a CSV is numbers: its lines are variables, without a header."""
    if table.kind != "csv" or len(table.columns) < 10:
        return False
    texts = [re.sub(r" \(\d+\)$", "", name) for name in table.columns]
    numbers = sum(
        re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", text) is not None for text in texts
    )
    return numbers > _NUMBER_SHARE * len(texts)


def separating_column(table: Table, seen: Profile, question: str | None) -> str | None:
    """The column that tells runs apart: questions repeat, and less so within its values."""
    if question is None or question not in seen.columns:
        return None
    asked = seen.columns[question]
    if asked.n_unique is None or asked.n_unique >= asked.n:
        return None
    for name in synonyms.run_columns(list(seen.columns)):
        column = seen.columns[name]
        if column.values is None or len(column.values) < 2 or name == question:
            continue
        if synonyms.plain(name) in ("iteration", "epoch"):
            continue
        if count_pairs(table, question, name) > asked.n_unique:
            return name
    return None


def metric_use(column: ColumnProfile, tool: str | None = None) -> Use:
    """A column of scores with the name, scale and direction that it seems to have."""
    scale = synonyms.infer_scale(column)
    # The key of an object in a column is the metric's name: metrics.f1.
    bare = column.name.rpartition(".")[2] or column.name
    name = synonyms.metric_name(bare, tool, scale) or bare
    spec = spec_for(name)
    if spec is not None and (scale is None or name != column.name):
        scale = scale if scale and scale[1] > spec.hi else (spec.lo, spec.hi)
    direction = direction_of(name)
    use = Use(Role.METRIC, name=name if name != column.name else None, direction=direction)
    return use if scale is None else replace(use, lo=scale[0], hi=scale[1])


def _by_name(table: Table, seen: Profile) -> dict[str, Use]:
    uses: dict[str, Use] = {}
    best: dict[Role, int] = {}
    for name, column in seen.columns.items():
        found = synonyms.role_of(name)
        if found is None or not _fits(found[0], column):
            continue
        role, place = found
        if role in SINGLE or role in (Role.CONTEXTS, Role.REFERENCE):
            if place >= best.get(role, 1_000):
                continue
            _drop(uses, role)
            best[role] = place
        uses[name] = _with_unit(role, name, column)
    # Beside retrieved contexts, a column "context" holds what should have been retrieved.
    if _column_of(uses, Role.GOLD) is None:
        for name in seen.columns:
            if name not in uses and synonyms.plain(name) in ("context", "passage"):
                uses[name] = Use(Role.GOLD)
    for name, column in seen.columns.items():
        if name not in uses:
            use = _judgement(name, column)
            if use is not None:
                uses[name] = use
    return uses


def _fits(role: Role, column: ColumnProfile) -> bool:
    if role is Role.SAMPLE_ID:
        return column.n_unique is None or column.n_unique == column.n
    if role in (Role.LATENCY, Role.COST):
        return column.is_numeric
    if role is Role.SUCCESS:
        return column.values is not None and len(column.values) <= 2
    return True


def _with_unit(role: Role, name: str, column: ColumnProfile) -> Use:
    if role is Role.LATENCY:
        middle = ((column.lo or 0) + (column.hi or 0)) / 2
        is_milli = synonyms.is_milliseconds(name) or middle > _MILLISECONDS
        return Use(role, unit="ms" if is_milli else "s")
    return Use(role)


def _judgement(name: str, column: ColumnProfile) -> Use | None:
    if synonyms.is_label(name):
        return Use(Role.LABEL)
    if column.is_numeric and not synonyms.is_tag(name) and synonyms.role_of(name) is None:
        use = metric_use(column)
        if spec_for(use.name or name) is not None or synonyms.sounds_like_score(name):
            return use
        is_score = use.lo is not None and not synonyms.counts_something(name)
        return use if is_score else None
    known = synonyms.metric_name(name, None, None) or synonyms.sounds_like_score(name)
    if known and column.n == 0 and column.n_empty:
        return metric_use(column)
    use = metric_use(column)
    words = word_values(column, use.direction)
    return replace(use, values=words, lo=0.0, hi=1.0) if known and words is not None else None


def _may_be_tag(column: ColumnProfile) -> bool:
    if column.values is None or not column.values or column.max_length > _MAX_TAG_LENGTH:
        return False
    if synonyms.is_tag(column.name):
        return True
    n_values = len(column.values)
    is_short_list = 2 <= n_values <= _MAX_TAG_VALUES and column.n >= _MIN_PER_VALUE * n_values
    return is_short_list and not column.is_numeric


def _column_of(uses: AnyMapping[str, Use], role: Role) -> str | None:
    return next((name for name, use in uses.items() if use.role is role), None)


def _drop(uses: dict[str, Use], role: Role) -> None:
    for name in [name for name, use in uses.items() if use.role is role]:
        del uses[name]
