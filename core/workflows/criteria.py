"""Every criterion that people rated in a run, side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core import figures
from core.errors import BadInputError
from core.metrics.agreement import Agreement, Weights, absolute_agreement, band, gwet
from core.metrics.intervals import Rate, wilson
from core.store import calibration as reads
from core.store import queries
from core.store.connection import Store
from core.workflows import review
from core.workflows.agreement_json import coefficient_json
from core.workflows.rating_scale import RatingScale
from core.workflows.ratings import Rated, label_facts, read_ratings, spread

NO_PAIR = "no sample has two ratings"


@dataclass(frozen=True, slots=True)
class CriterionLine:
    """One criterion: its mean with the interval over samples, and how far its raters agree.

    Units are samples, or contexts where only those were rated; ``n_paired`` of ``n_units`` have two
    ratings or more. ``agreement`` is AC1, or AC2 where other weights were asked for.
    """

    name: str
    of_contexts: bool
    scale: RatingScale
    n_raters: int
    n_units: int
    n_paired: int
    mean: Rate
    sd: float | None
    absolute: Rate
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class UnknownScale:
    """A criterion whose categories nobody has named, and the sentence that asks for them."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Criteria:
    """All criteria of a run by name."""

    run: queries.RunRow
    lines: tuple[CriterionLine | UnknownScale, ...]


def criteria(
    store: Store,
    run_id: str,
    *,
    weights: Weights = "identity",
    view: review.View | None = None,
) -> Criteria:
    """What people said in a run, criterion by criterion, and how far they agree.

    Raises:
        NotFoundError: no such run.
    """
    view = view or review.View()
    with store.reading() as connection:
        settings = review.settings(connection, run_id, view)
        run_id = settings.run.run_id
        if not view.wanted.is_empty:
            review.match(connection, settings, view)
        reads.keep(connection, run_id, only_matched=not view.wanted.is_empty)
        facts = label_facts(connection, run_id)
        lines: list[CriterionLine | UnknownScale] = []
        for name in facts.criteria:
            try:
                rated = read_ratings(connection, run_id, name, facts)
            except BadInputError as error:
                lines.append(UnknownScale(name, str(error)))
            else:
                lines.append(_line(name, rated, weights, of_contexts=facts.of_contexts(name)))
    return Criteria(settings.run, tuple(lines))


def _line(name: str, rated: Rated, weights: Weights, *, of_contexts: bool) -> CriterionLine:
    n_equal, n_paired = absolute_agreement(rated.matrix)
    return CriterionLine(
        name=name,
        of_contexts=of_contexts,
        scale=rated.scale,
        n_raters=len(rated.names),
        n_units=len(rated.matrix),
        n_paired=n_paired,
        mean=rated.mean(),
        sd=spread(rated.values),
        absolute=wilson(n_equal, n_paired, NO_PAIR),
        agreement=gwet(rated.matrix, rated.scale.values, weights),
    )


def criteria_json(found: Criteria, weights: Weights) -> dict[str, Any]:
    """All criteria as the JSON document of the command line."""
    return {
        "run_id": found.run.run_id,
        "name": found.run.name,
        "weights": weights,
        "criteria": [_line_json(line) for line in found.lines],
    }


def _line_json(line: CriterionLine | UnknownScale) -> dict[str, Any]:
    if isinstance(line, UnknownScale):
        return {"criterion": line.name, "reason": line.reason}
    return {
        "criterion": line.name,
        "unit": "context" if line.of_contexts else "sample",
        "scale": {
            "values": list(line.scale.names or line.scale.values),
            "source": line.scale.source,
        },
        "n_raters": line.n_raters,
        "n_units": line.n_units,
        "n_paired": line.n_paired,
        "mean": {**line.mean.as_json(), "sd": line.sd},
        "absolute_agreement": line.absolute.as_json(),
        "agreement": {"name": line.agreement.name, **coefficient_json(line.agreement)},
    }


def criteria_lines(found: Criteria) -> Iterator[str]:
    """All criteria in lines for people."""
    if not found.lines:
        yield f"{found.run.name}: nobody has labelled anything."
    for line in found.lines:
        if isinstance(line, UnknownScale):
            yield f"{line.name}: {line.reason}"
            continue
        unit = "contexts" if line.of_contexts else "samples"
        raters = "1 rater" if line.n_raters == 1 else f"{figures.count(line.n_raters)} raters"
        mean = line.mean
        ends = (
            f" ({figures.number(mean.low)} to {figures.number(mean.high)})"
            if mean.low is not None
            else ""
        )
        yield (
            f"{line.name}: mean {figures.number(mean.value)}{ends} on {line.scale.text}, "
            f"{raters}, {figures.count(line.n_units)} {unit}"
        )
        if line.agreement.value is None:
            yield f"  no agreement: {line.agreement.reason}"
        else:
            equal = line.absolute
            yield (
                f"  {line.agreement.name} {figures.number(line.agreement.value)}, "
                f"{band(line.agreement.value)}; all equal on {figures.share(int(equal.k), equal.n)}"
            )
