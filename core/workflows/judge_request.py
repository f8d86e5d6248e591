"""What is to be judged, how far that has come, and what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from core.errors import BadInputError

MAX_REPEATS = 9
WHICH = ("missing", "failed", "all")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be judged.

    Attributes:
        metrics: axes or metrics to judge; empty for all axes that the inputs allow.
        sample_ids: only these samples; empty for all.
        which: "missing" (no value or not-applicable verdict of this judge yet), "failed" (its
            newest verdict is an error, or rests on some of the contexts only) or "all".
        sample_rate: share of the samples to judge, chosen by hash, so that a repeat keeps it.
        seed: another seed chooses another share.
        repeats: verdicts per sample and metric, 1 to 9.
        leave_cut: leave out samples with a text that was cut before the file was saved.
        since: with "all": what has been settled by a verdict above this number is left alone, so
            that a job that was stopped can go on.
    """

    metrics: tuple[str, ...] = ()
    sample_ids: tuple[str, ...] = ()
    which: str = "missing"
    sample_rate: float | None = None
    seed: int = 0
    repeats: int = 1
    leave_cut: bool = False
    since: int | None = None

    def checked(self) -> "Request":
        """This request, if it can be met.

        Raises:
            BadInputError: a value that is out of its range.
        """
        if self.which not in WHICH:
            raise BadInputError(f"{self.which!r} is none of {', '.join(WHICH)}.")
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise BadInputError(f"A sample can be judged 1 to {MAX_REPEATS} times.")
        if self.sample_rate is not None and not 0 <= self.sample_rate <= 1:
            raise BadInputError("The share of samples to judge can be 0 to 1.")
        return self

    def as_json(self) -> dict[str, Any]:
        """A document that ``from_json`` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Request":
        """The request of a document."""
        known = {field.name for field in fields(cls)}
        values = {key: value for key, value in document.items() if key in known}
        for name in ("metrics", "sample_ids"):
            values[name] = tuple(values.get(name) or ())
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far judging has come; only what is saved counts.

    ``done``, ``failed`` and ``total`` count samples times repeats. ``cost`` is USD so far, None
    where the price of some request is unknown. ``waiting`` is the time (seconds since the epoch)
    until which the provider has asked to wait, 0 if it has not.
    """

    done: int
    failed: int
    total: int
    verdicts: int = 0
    cost: float | None = 0.0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    waiting: float = 0.0
    note: str = ""


Report = Callable[[Progress], bool]
"""Takes the progress now and then; False stops the judging."""


@dataclass(slots=True)
class Outcome:
    """Samples (times repeats) done, failed (some verdict is an error) and skipped.

    ``cost`` is in USD, None where the price of some request is unknown; ``known_cost`` is the part
    that is known. ``errors`` counts verdicts by kind of error, ``not_applicable`` by metric.
    ``n_cut`` samples were left out because a text of theirs was cut before the file was saved.
    ``stopped`` says why judging ended early: cancelled, auth, budget, or the kind of error that
    would not end; ``message`` says it in words.
    """

    judge: str
    metrics: tuple[str, ...]
    done: int = 0
    failed: int = 0
    skipped: int = 0
    n_cut: int = 0
    verdicts: int = 0
    cost: float | None = 0.0
    known_cost: float = 0.0
    seconds: float = 0.0
    is_cancelled: bool = False
    stopped: str | None = None
    message: str = ""
    errors: dict[str, int] = field(default_factory=dict)
    not_applicable: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    cached: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """The document of ``ragtriage judge``."""
        return asdict(self)
