"""Results of Ragas, every version: CSV, JSON, JSON Lines, Parquet or Excel; test sets; annotations.

Ragas writes neither reasons nor the judge's name into its tables, and names its metrics differently
in each version; ``ragas_names`` tells which is which.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest import ragas_annotations, ragas_names, synonyms
from core.ingest.base import Probe
from core.ingest.mapped import Facts, column_uses, read_table
from core.ingest.mapping import SINGLE, Mapping, Role, Use
from core.ingest.score_words import completed
from core.ingest.suggest import separating_column, unique_columns
from core.ingest.table_base import Table
from core.ingest.table_profile import ColumnProfile, Profile, profile
from core.ingest.tables import open_table
from core.records import ColumnUse, Item, Notices

_TEST_SET = (
    "This is a test set: questions and references without answers, contexts or scores. It can be "
    "looked at; there is nothing to diagnose in it."
)
_SCORES_ONLY = (
    "The file holds scores without questions, answers or contexts: samples can be counted and "
    "compared, not read. --join RUN adds the scores to a run that is stored already."
)
_VERSION_NAMED = "it names a ragas_version"


class RagasImporter:
    """Any file that Ragas writes, and tables that people made around its metrics."""

    format = "ragas"
    title = "Ragas"

    def __init__(self) -> None:
        self._table: Table | None = None
        self.columns: tuple[ColumnUse, ...] = ()

    @property
    def bytes_read(self) -> int:
        """How far ``read`` has come."""
        return self._table.tally.bytes_read if self._table else 0

    def recognises(self, probe: Probe) -> str | None:
        """What is said if the columns are those of Ragas, or two of its metrics are among them."""
        annotations = ragas_annotations.load(probe.path)
        if annotations is not None:
            return f"{next(iter(annotations))} lists annotations with metric_input, metric_output"
        try:
            table = open_table(probe.path)
        except BadInputError:
            return None
        shape = _shape(table)
        return None if shape is None else ragas_names.seen_in(table.columns) or _VERSION_NAMED

    def read(self, path: Path, notices: Notices, default_run: str) -> Iterator[Item]:
        """Yield runs, samples and problems in file order; see ``Importer.read``.

        Raises:
            BadInputError: the file is damaged, or not of this format.
        """
        annotations = ragas_annotations.load(path)
        if annotations is not None:
            yield from ragas_annotations.read(annotations, notices, default_run)
            return
        table = self._table = open_table(path, name=default_run)
        shape = _shape(table)
        if shape is None:
            listed = ", ".join(table.columns[:40])
            raise BadInputError(f"The file is no table of Ragas. Its columns are: {listed}.")
        seen = profile(table, unique_columns(table))
        mapping = completed(mapping_of(table, seen), seen, notices)
        people = [name for name in seen.columns if synonyms.names_people(name)]
        if people:
            notices.add(None, f"{', '.join(people)}: {synonyms.PEOPLE_LEFT_OUT}")
        if shape == "testset":
            notices.add(None, _TEST_SET)
        elif shape == "scores":
            notices.add(None, _SCORES_ONLY)
        config: dict[str, Any] = {"file": table.about} if table.about else {}
        facts = Facts(seen.decimal_comma, seen.row_numbers(table.unnamed), config)
        self.columns = column_uses(table, mapping, facts)
        yield from read_table(table, mapping, facts, notices, default_run)


def mapping_of(table: Table, seen: Profile) -> Mapping:
    """What the columns of a Ragas table are; a column that is no metric is kept as extra."""
    uses = _sample_columns(seen)
    question = next((name for name, use in uses.items() if use.role is Role.QUESTION), None)
    run = separating_column(table, seen, question)
    if run is not None:
        uses[run] = Use(Role.RUN)
    taken: set[str] = set()
    for name, column in seen.columns.items():
        # A number inside the error of a row is no score.
        is_part = name.partition(".")[0] in uses
        if name not in uses and not is_part and _is_metric(column, seen):
            uses[name] = ragas_names.metric_use(column, taken)
            taken.add(uses[name].name or name)
    metrics = [name for name, use in uses.items() if use.role is Role.METRIC]
    for name in seen.columns:
        explained = None if name in uses else synonyms.reason_of(name, metrics)
        if explained is not None:
            uses[name] = Use(Role.REASON, of=explained)
    people = [name for name in seen.columns if synonyms.names_people(name)]
    for name in (*seen.row_numbers(table.unnamed), *people):
        uses[name] = Use(Role.IGNORE)
    judge = next((table.about[key] for key in ("judge_llm", "judge_model", "evaluator_llm")
                  if isinstance(table.about.get(key), str)), None)  # fmt: skip
    version = table.about.get("ragas_version")
    return Mapping(
        {name: (uses[name],) for name in seen.columns if name in uses},
        tool=ragas_names.TOOL,
        tool_version=str(version) if version else ragas_names.version_of(seen.columns),
        judge=judge,
        numbers_repeated_ids=True,
    )


def _shape(table: Table) -> str | None:
    is_plain = table.kind == "json" and not table.about
    found = ragas_names.shape_of(table.columns, is_plain_json=is_plain)
    if found is None and "ragas_version" in table.about:
        return "results"
    return found


def _sample_columns(seen: Profile) -> dict[str, Use]:
    uses: dict[str, Use] = {}
    roles: set[Role] = set()
    for name, role in ragas_names.SAMPLE_COLUMNS.items():
        if name in seen.columns and (role not in roles or role in (Role.TAG, Role.EXTRA)):
            uses[name] = Use(role)
            roles.add(role)
    # Columns that people add around those of Ragas.
    found = [
        (place, name, role)
        for name in seen.columns
        if name not in uses and (known := synonyms.role_of(name)) is not None
        for role, place in [known]
    ]
    for _, name, role in sorted(found):
        column = seen.columns[name]
        if (role in SINGLE or role is Role.CONTEXTS) and role in roles:
            continue
        if role is Role.SAMPLE_ID and column.n_unique != column.n:
            continue
        if role in (Role.LATENCY, Role.COST) and not column.is_numeric:
            continue
        unit = "ms" if role is Role.LATENCY and synonyms.is_milliseconds(name) else "s"
        uses[name] = Use(role, unit=unit)
        roles.add(role)
    for name in seen.columns:
        if name not in uses and not ragas_names.is_metric(name):
            if synonyms.is_label(name):
                uses[name] = Use(Role.LABEL)
            elif synonyms.is_tag(name):
                uses[name] = Use(Role.TAG)
    return uses


def _is_metric(column: ColumnProfile, seen: Profile) -> bool:
    if ragas_names.is_metric(column.name):
        return True
    name = column.name
    is_other = (
        name in synonyms.run_columns(list(seen.columns))
        or synonyms.counts_something(name)
        or synonyms.role_of(name) is not None
    )
    return column.is_numeric and not is_other
