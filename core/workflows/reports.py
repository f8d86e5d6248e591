"""What is said about a file that is imported: runs, metrics, labels, problems, notices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.metrics.registry import spec_for
from core.model import Axis, JudgeKind, Scale
from core.records import ColumnUse, Notice, Problem
from core.store import queries
from core.store.connection import Connection
from core.workflows.import_options import Options


@dataclass(slots=True)
class RunPreview:
    """What one run of a file holds; metrics and labels as the command line prints them.

    ``contexts_per_sample`` has min, median and max over the samples whose contexts are recorded,
    and n, how many these are; None where no sample has any.
    """

    run_id: str
    name: str
    samples: int
    contexts: int
    gold: int
    contexts_per_sample: dict[str, float] | None = None
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict)
    labels: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(slots=True)
class FileReport:
    """Outcome of reading (and unless it was a dry run, storing) one file.

    ``title`` is the format in words, ``why`` what made it be read so, to follow "because", and
    ``columns`` what the columns of a table were taken for.
    """

    path: str
    format: str | None = None
    title: str | None = None
    why: str | None = None
    columns: Sequence[ColumnUse] = ()
    runs: list[RunPreview] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    duplicate_of: dict[str, Any] | None = None
    is_stored: bool = False

    @property
    def reading(self) -> str:
        """As what the file was read, and why; "" if it was not."""
        return f"Read as {self.title} because {self.why}." if self.why else ""

    def has_blocking_problems(self, options: Options) -> bool:
        """True if a problem keeps the file out: any, or with skip_bad_rows one of no single row."""
        if options.skip_bad_rows:
            return any(problem.row is None for problem in self.problems)
        return bool(self.problems)

    def is_refused(self, options: Options) -> bool:
        """True if the file, or in a dry run what it would be, is not in the store."""
        if self.duplicate_of:
            return False
        if self.has_blocking_problems(options):
            return True
        return not (self.is_stored or (options.is_dry_run and self.runs))

    def as_json(self) -> dict[str, Any]:
        """The report in the shape of the command line's JSON."""
        return {
            "path": self.path,
            "format": self.format,
            "why": self.why,
            "columns": [column._asdict() for column in self.columns],
            "runs": [
                {
                    "run_id": run.run_id,
                    "name": run.name,
                    "samples": run.samples,
                    "contexts": run.contexts,
                    "contexts_per_sample": run.contexts_per_sample,
                    "gold": run.gold,
                    "metrics": run.metrics,
                    "labels": run.labels,
                }
                for run in self.runs
            ],
            "problems": [{"row": row, "problem": text} for row, text in self.problems],
            "notices": [{"row": row, "notice": text, "n": n} for row, text, n in self.notices],
            "duplicate_of": self.duplicate_of,
        }


def contexts_in_words(run: RunPreview) -> str:
    """``3 to 5 contexts per sample (median 4)``, and of how many samples if not of all."""
    found = run.contexts_per_sample
    if found is None:
        return "contexts not recorded"
    if not found["max"]:
        return "no sample has a context"
    least, most, middle = (f"{found[key]:g}" for key in ("min", "max", "median"))
    span = f"{least} contexts" if least == most else f"{least} to {most} contexts"
    span = "1 context" if least == most == "1" else span
    words = f"{span} per sample" + ("" if least == most else f" (median {middle})")
    n = int(found["n"])
    return words if n == run.samples else f"{words}, recorded for {n} of {run.samples}"


def columns_in_words(columns: Sequence[ColumnUse]) -> list[str]:
    """Lines that say what columns were read as, those kept as extra and left out behind them."""
    apart = {"extra": "Kept as extra", "ignore": "Left out"}
    read = [
        f"{use.column} = {use.role.replace('_', ' ')}"
        + ("" if use.name in (None, use.column) else f" {use.name}")
        for use in columns
        if use.role not in apart
    ]
    lines = [f"Columns: {', '.join(read)}"] if read else []
    for role, words in apart.items():
        names = [use.column for use in columns if use.role == role]
        if names:
            lines.append(f"{words}: {', '.join(names)}")
    return lines


def scale_in_words(metric: Mapping[str, Any]) -> str:
    """The scale of a metric of ``metric_json``: ``scale 0 to 1``, ``no value yet``, or unknown."""
    scale = metric["scale"]
    if scale is not None:
        return f"scale {scale['lo']:g} to {scale['hi']:g}"
    return "scale unknown" if metric["n"] else "no value yet"


def metric_json(connection: Connection, run_id: str, n_samples: int) -> dict[str, dict[str, Any]]:
    """Metrics that a file brings, by name: states, bare mean, min, max, scale and direction.

    Where several judges give one metric, imported scores are shown rather than those of a model.
    """
    scales = queries.metric_scales(connection, run_id)
    found: dict[str, dict[str, Any]] = {}
    rows = queries.metric_summary(connection, run_id)
    for row in sorted(rows, key=lambda row: _KINDS.index(JudgeKind(row.kind))):
        # The refusal patterns run at every import: that verdict is ours, not the file's.
        if row.metric in found or (row.kind, row.metric) == (JudgeKind.OFFLINE, Axis.REFUSAL):
            continue
        spec = spec_for(row.metric)
        found[row.metric] = {
            "n": row.n,
            "not_applicable": row.not_applicable,
            "error": row.error,
            "not_scored": n_samples - row.n - row.not_applicable - row.error,
            "mean": row.mean,
            "min": row.min,
            "max": row.max,
            "scale": _scale_json(row, scales),
            "direction": _known_scale(row, scales)["direction"],
            "axis": spec.axis.value if spec is not None and spec.axis is not None else None,
        }
    return found


_KINDS = (JudgeKind.IMPORTED, JudgeKind.LLM, JudgeKind.OFFLINE)


def _scale_json(
    row: queries.MetricRow, scales: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    scale = _known_scale(row, scales)
    return None if scale["lo"] is None or scale["hi"] is None else scale


def _known_scale(row: queries.MetricRow, scales: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    found = scales.get(row.metric) if row.kind == JudgeKind.IMPORTED else None
    if found is not None:
        return {"lo": found["lo"], "hi": found["hi"], "direction": str(found["direction"])}
    spec = spec_for(row.metric)
    own = spec.scale if spec and row.kind != JudgeKind.IMPORTED else Scale(None, None)
    return {"lo": own.lo, "hi": own.hi, "direction": own.direction.value}


def label_json(connection: Connection, run_id: str) -> dict[str, dict[str, Any]]:
    """Labels of a run by criterion: n and, where they are numbers, mean, min and max."""
    return {
        row["criterion"]: {
            "n": row["n"],
            "mean": row["mean"],
            "min": row["min"],
            "max": row["max"],
        }
        for row in queries.label_summary(connection, run_id)
    }


def rows_in_words(problems: Iterable[Problem], limit: int = 20) -> list[str]:
    """Problems as lines for people: the first ``limit``, then how many more."""
    listed = list(problems)
    lines = [text if row is None else f"row {row}: {text}" for row, text in listed[:limit]]
    if len(listed) > limit:
        lines.append(f"… and {len(listed) - limit} more")
    return lines
