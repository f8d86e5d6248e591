"""Words that a judge writes instead of a number, such as yes and no, as 1 and 0."""

from collections.abc import Iterable
from dataclasses import replace

from core.ingest import values
from core.ingest.mapping import Mapping, Role
from core.ingest.table_base import Cells
from core.ingest.table_profile import ColumnProfile, Profile, value_at
from core.metrics.registry import spec_for
from core.model import Direction
from core.records import Notices

# Whether it is so: for hallucination a yes is 1 as well, and bad.
_ANSWERS = (("true", "false"), ("yes", "no"))
# Whether it is good: for hallucination a pass is 0.
_JUDGEMENTS = (
    ("pass", "fail"), ("passed", "failed"), ("c", "i"), ("correct", "incorrect"), ("good", "bad"),
    ("supported", "unsupported"),
)  # fmt: skip
_WORDS = frozenset(word for pair in (*_ANSWERS, *_JUDGEMENTS) for word in pair)


def word_values(column: ColumnProfile, direction: Direction) -> dict[str, float] | None:
    """Numbers for the words of a column, if it holds the two of one pair and nothing else.

    What says that there is no score (``n/a``) does not count; booleans are numbers already.
    """
    if not column.values or column.n_booleans:
        return None
    words = {word.strip().casefold() for word in column.values if not values.is_absent(word)}
    for good, bad in (*_ANSWERS, *_JUDGEMENTS):
        if words and words <= {good, bad}:
            is_mirrored = direction is Direction.LOWER and (good, bad) in _JUDGEMENTS
            return {good: 0.0, bad: 1.0} if is_mirrored else {good: 1.0, bad: 0.0}
    return None


def may_hold_words(mapping: Mapping, first: Iterable[Cells]) -> bool:
    """True if a score that the map reads as numbers has one of these words in the first rows."""
    names = [name for name, use in mapping.of_role(Role.METRIC) if not use.values]
    cells = (value_at(row, name) for row in first for name in names)
    return any(isinstance(cell, str) and cell.strip().casefold() in _WORDS for cell in cells)


def completed(mapping: Mapping, seen: Profile, notices: Notices) -> Mapping:
    """The map with numbers for the words of its scores where it does not give any itself."""
    columns = dict(mapping.columns)
    for name, uses in mapping.columns.items():
        column = seen.columns.get(name)
        if column is None:
            continue
        found = []
        for use in uses:
            words = None
            if use.role is Role.METRIC and not use.values:
                spec = spec_for(use.name or name)
                words = word_values(column, use.direction if spec is None else spec.direction)
            if words is not None:
                listed = ", ".join(f"{word} = {number:g}" for word, number in words.items())
                notices.add(None, f"Column {name!r} was read as words: {listed}.")
                lo, hi = (0.0, 1.0) if use.lo is None else (use.lo, use.hi)
                use = replace(use, values=words, lo=lo, hi=hi)
            found.append(use)
        columns[name] = tuple(found)
    return replace(mapping, columns=columns)
