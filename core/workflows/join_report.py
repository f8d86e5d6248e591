"""How scores are joined to a stored run, and what came of it."""

from dataclasses import dataclass, field
from typing import Any

from core.records import Problem
from core.workflows.import_options import Options
from core.workflows.reports import FileReport


@dataclass(frozen=True, slots=True)
class How:
    """How scores find their samples.

    Attributes:
        run: id or name of the run.
        by: ``sample_id`` or ``question``; by default as the map says, else by the ids of the file
            if it has any.
        allow_unmatched: store what matches although some rows find no sample.
    """

    run: str
    by: str | None = None
    allow_unmatched: bool = False


@dataclass(slots=True)
class JoinReport(FileReport):
    """Outcome of joining one file to a run.

    Attributes:
        run_id, run_name: the run.
        by: ``sample_id`` or ``question``.
        n_rows: rows of the file; ``n_matched`` of them found their sample.
        n_samples: samples of the run.
        unmatched: (row, why) of the others.
        scores: per metric the number of values and of errors that were found.
        labels: per criterion the number of labels.
    """

    run_id: str = ""
    run_name: str = ""
    by: str = ""
    n_rows: int = 0
    n_matched: int = 0
    n_samples: int = 0
    unmatched: list[Problem] = field(default_factory=list)
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)

    @property
    def match_rate(self) -> float | None:
        """Share of the rows that found their sample."""
        return self.n_matched / self.n_rows if self.n_rows else None

    def is_refused(self, options: Options) -> bool:
        """True if nothing was stored, and neither is it there already nor was this a dry run."""
        if self.duplicate_of or self.is_stored:
            return False
        return self.has_blocking_problems(options) or not options.is_dry_run

    def as_json(self) -> dict[str, Any]:
        """The report in the shape of the command line's JSON."""
        # slots=True makes a new class, which the short form of super() does not find.
        return {
            **FileReport.as_json(self),
            "joined": {
                "run_id": self.run_id,
                "name": self.run_name,
                "by": self.by,
                "rows": self.n_rows,
                "matched": self.n_matched,
                "unmatched": self.n_rows - self.n_matched,
                "match_rate": self.match_rate,
                "samples": self.n_samples,
                "metrics": self.scores,
                "labels": self.labels,
            },
        }
