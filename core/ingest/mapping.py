"""What each column of a table is: the roles a person gives them, or an importer that knows."""

import difflib
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.errors import BadInputError
from core.ingest.directions import direction_of
from core.ingest.table_base import Hints
from core.model import Direction


class Role(StrEnum):
    """What a column holds."""

    RUN = "run"
    SAMPLE_ID = "sample_id"
    QUESTION = "question"
    ANSWER = "answer"
    REFERENCE = "reference"
    CONTEXTS = "contexts"
    CONTEXT_IDS = "context_ids"
    GOLD = "gold"
    GOLD_IDS = "gold_ids"
    METRIC = "metric"
    REASON = "reason"
    LABEL = "label"
    TAG = "tag"
    LATENCY = "latency"
    COST = "cost"
    ERROR = "error"
    SUCCESS = "success"
    HISTORY = "history"
    EXTRA = "extra"
    IGNORE = "ignore"


#: Roles that one column at most can have; several runs are joined to one name, lists one by one.
SINGLE = frozenset({
    Role.SAMPLE_ID, Role.QUESTION, Role.ANSWER, Role.LATENCY, Role.COST, Role.ERROR, Role.SUCCESS,
    Role.HISTORY, Role.CONTEXT_IDS,
})  # fmt: skip
#: Ways to read the list in a cell; see ``cells.parse_list``.
LIST_WAYS = ("auto", "text", "separator", "sources")
JOINS = ("sample_id", "question")
# What a label of these criteria says, it says about the answer.
_ABOUT_ANSWERS = frozenset({"correct", "refused", "faithful"})


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a column.

    Attributes:
        role: what the column holds.
        name: metric, criterion or tag; by default the column's own name. A metric feeds an axis
            only under a canonical id or the name of the axis.
        lists: how the list in a cell is written, one of LIST_WAYS, with its ``separator``.
        lo, hi, direction, cut: scale of a metric, and the file's own threshold.
        values: words that stand for numbers, for a metric or a label.
        of: the metric column that a reason explains.
        positive: the value of a label that counts as 1; every other value counts as 0.
        target: the column that a label judges.
        rater: the column with the person who gave a label; stored as a pseudonym. Rows with one
            sample id are then one sample that several people labelled.
        unit: of a latency, ``s`` or ``ms``.
        is_optional: the file need not have the column.
    """

    role: Role
    name: str | None = None
    lists: str = "auto"
    separator: str | None = None
    lo: float | None = None
    hi: float | None = None
    direction: Direction = Direction.HIGHER
    cut: float | None = None
    values: AnyMapping[str, float] = field(default_factory=dict)
    of: str | None = None
    positive: str | None = None
    target: str | None = None
    rater: str | None = None
    unit: str = "s"
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Mapping:
    """The columns of a table with their uses; a column that is not named is kept as extra.

    Attributes:
        columns: uses of each column; ``scores.f1`` names the key ``f1`` of the objects in a column.
        tool, tool_version: what wrote the file.
        judge: the model that gave the scores, where the file or the person says so.
        hints: what is said about the file itself.
        join: the scores belong to samples of a stored run and find them by this.
        numbers_repeated_ids: a sample id that stands there twice gets a number behind it; otherwise
            such a file is refused.
        one_context_per_row: rows that follow each other with the same sample (or question) are one
            sample.
        note: kept in the configuration of the runs.
    """

    columns: AnyMapping[str, tuple[Use, ...]]
    tool: str | None = None
    tool_version: str | None = None
    judge: str | None = None
    hints: Hints = field(default_factory=Hints)
    join: str | None = None
    numbers_repeated_ids: bool = False
    one_context_per_row: bool = False
    note: str | None = None

    def of_role(self, *roles: Role) -> list[tuple[str, Use]]:
        """(column, use) of every use with one of these roles, in the order of the columns."""
        return [(column, use) for column, use in self.uses() if use.role in roles]

    def uses(self) -> Iterator[tuple[str, Use]]:
        """(column, use) of all uses."""
        for column, uses in self.columns.items():
            for use in uses:
                yield column, use

    @property
    def has_raters(self) -> bool:
        """True if a column says who gave a label: rows of one sample id are then one sample."""
        return any(use.rater for _, use in self.of_role(Role.LABEL))

    def column_of(self, role: Role) -> str | None:
        """The first column with a role."""
        found = self.of_role(role)
        return found[0][0] if found else None

    def check(self) -> None:
        """Refuse what contradicts itself.

        Raises:
            BadInputError: the message names the column and what is wrong with it.
        """
        for role in SINGLE:
            named = [column for column, _ in self.of_role(role)]
            if len(named) > 1:
                raise BadInputError(
                    f"The map gives the role {role.value} to several columns "
                    f"({', '.join(named)}); only one can have it."
                )
        names = [use.name or column for column, use in self.of_role(Role.METRIC)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise BadInputError(f"Two columns of the map bring the metric {twice!r}.")
        for column, use in self.uses():
            self._check_use(column, use)
        if self.join is not None and self.join not in JOINS:
            raise BadInputError(f"A map joins by {' or '.join(JOINS)}, not by {self.join!r}.")
        if self.join is not None and self.column_of(Role(self.join)) is None:
            raise BadInputError(f"A map that joins by {self.join} needs a column with that role.")
        useful = (Role.QUESTION, Role.ANSWER, Role.SAMPLE_ID, Role.METRIC, Role.HISTORY)
        if not self.of_role(*useful):
            raise BadInputError(
                "The map names no question, answer, sample id or metric: nothing in it is a sample."
            )

    def _check_use(self, column: str, use: Use) -> None:
        if use.lists not in LIST_WAYS:
            raise BadInputError(
                f"Column {column!r}: a list is read as {', '.join(LIST_WAYS)}, not {use.lists!r}."
            )
        if use.lists == "separator" and not use.separator:
            raise BadInputError(f"Column {column!r}: a separated list needs its separator.")
        if use.unit not in ("s", "ms"):
            raise BadInputError(f"Column {column!r}: a latency is in s or ms, not {use.unit!r}.")
        if use.lo is not None and use.hi is not None and use.lo >= use.hi:
            raise BadInputError(
                f"Column {column!r}: the scale from {use.lo:g} to {use.hi:g} is empty."
            )
        if use.role is Role.REASON:
            metrics = [name for name, _ in self.of_role(Role.METRIC)]
            if use.of is None:
                raise BadInputError(f"Say of which score column {column!r} is the reason.")
            if use.of not in metrics:
                raise BadInputError(
                    f"Column {column!r} is the reason of {use.of!r}, which is no metric of the map."
                )
        if use.role is Role.LABEL and use.target is not None:
            answer = self.column_of(Role.ANSWER)
            criterion = use.name or column
            if criterion in _ABOUT_ANSWERS and answer is not None and use.target != answer:
                raise BadInputError(
                    f"Label {criterion!r} judges the column {use.target!r}, but the answer is in "
                    f"{answer!r}. Make {use.target!r} the answer, or give the label another name."
                )

    def check_columns(self, file_name: str, columns: Iterable[str]) -> None:
        """Refuse a map that does not fit the file.

        Raises:
            BadInputError: it names columns that the file has not.
        """
        known = list(columns)
        wanted: list[str] = []
        for column, use in self.uses():
            others = (use.target, use.rater if use.role is Role.LABEL else None)
            wanted += [] if use.is_optional else [column]
            wanted += [name for name in others if name is not None]
        missing = [name for name in dict.fromkeys(wanted) if not _is_in(name, known)]
        if not missing:
            return
        close = difflib.get_close_matches(missing[0], known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(known[:40]) or "none"
        raise BadInputError(
            f"The map names the columns {', '.join(map(repr, missing))}, which {file_name} has "
            f"not.{hint} Its columns are: {listed}."
        )

    def names_in_file(self) -> dict[str, str]:
        """What the file calls the metrics that bear another name here."""
        return {
            use.name: column
            for column, use in self.of_role(Role.METRIC)
            if use.name is not None and use.name != column
        }

    def scales(self) -> dict[str, dict[str, Any]]:
        """Scale of each metric of which the map says more than its name tells.

        In the form of ``run_info.metrics``.
        """
        return {
            use.name or column: {
                "lo": use.lo,
                "hi": use.hi,
                "direction": use.direction.value,
                "cut": use.cut,
            }
            for column, use in self.of_role(Role.METRIC)
            if use.lo is not None
            or use.cut is not None
            or use.direction is not direction_of(use.name or column)
        }


def _is_in(name: str, known: list[str]) -> bool:
    # The key of an object in a column: scores.f1.
    return name in known or any(name.startswith(f"{column}.") for column in known)
