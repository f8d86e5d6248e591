"""The split of a run's labels into train, dev and test: dealing it out, reading it, opening it."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from core.errors import BadInputError
from core.filters import PARTS
from core.store import queries, writes
from core.store.connection import Connection, sql
from core.store.run_sql import fetch_rows

#: Share of the labels of each class per part: few to write a prompt from, the rest in halves.
SHARES = (0.15, 0.425, 0.425)


class PartCount(NamedTuple):
    """Labels of one criterion in one part, and the seed that dealt them."""

    part: str
    n: int
    seed: int


def part_counts(connection: Connection, run_id: str) -> dict[str, list[PartCount]]:
    """What the labels of every criterion of a run are split into; no entry where they are not."""
    found: dict[str, list[PartCount]] = {}
    for criterion, part, n, seed in fetch_rows(connection, "calibration/parts", run_id=run_id):
        found.setdefault(criterion, []).append(PartCount(part, n, seed))
    return found


def opened_tests(connection: Connection, run_id: str) -> set[str]:
    """Criteria of a run whose test part has been opened."""
    rows = fetch_rows(connection, "calibration/opened_tests", run_id=run_id)
    return {criterion for (criterion,) in rows}


def positions_of(connection: Connection, run_id: str, criterion: str, part: str) -> set[int]:
    """Samples in one part of the split of a criterion."""
    rows = fetch_rows(
        connection, "calibration/positions_of_part", run_id=run_id, criterion=criterion, part=part
    )
    return {position for (position,) in rows}


def deal(connection: Connection, run_id: str, criterion: str, seed: int = 0) -> dict[str, int]:
    """Split the labels of a criterion, each class in the same shares; returns samples per part.

    Within a class the samples come in the order of a hash of seed and sample id, and each goes to
    the part that is furthest behind its share. What has a part keeps it, so that labels which come
    later only fill up.

    Raises:
        BadInputError: there is no such label, or another seed has dealt it already.
    """
    run_id = queries.find_run(connection, run_id).run_id
    rows = fetch_rows(connection, "calibration/part_candidates", run_id=run_id, criterion=criterion)
    if not rows:
        raise BadInputError(f"No sample of the run has a label {criterion!r} to split.")
    before = part_counts(connection, run_id).get(criterion, [])
    if any(count.seed != seed for count in before):
        raise BadInputError(
            f"The labels {criterion!r} are split already, with seed {before[0].seed}. A second "
            "split would mix what has been seen with what has not."
        )
    strata: dict[tuple[float | None, str | None], list[tuple[int, str, str | None]]] = {}
    for position, sample_id, value, category, part in rows:
        kind = (value, None if value is not None else category)
        strata.setdefault(kind, []).append((position, sample_id, part))
    new = [pair for samples in strata.values() for pair in _dealt(samples, criterion, seed)]
    if new:
        connection.execute(
            sql("statements/add_part.sql"),
            {
                "run_id": run_id,
                "criterion": criterion,
                "positions": [position for position, _ in new],
                "parts": [part for _, part in new],
                "seed": seed,
                "now": writes.now_utc(),
            },
        )
        writes.log(
            connection,
            "split",
            run_id=run_id,
            new=criterion,
            reason=f"{len(new)} labels, seed {seed}",
        )
        writes.raise_version(connection, run_id)
    return {count.part: count.n for count in part_counts(connection, run_id)[criterion]}


def _dealt(
    samples: Iterable[tuple[int, str, str | None]], criterion: str, seed: int
) -> list[tuple[int, str]]:
    """New (position, part) of one class."""
    listed = list(samples)
    sizes = Counter(part for _, _, part in listed if part is not None)
    n = sum(sizes.values())

    def order(sample: tuple[int, str, str | None]) -> bytes:
        return hashlib.sha256(f"{seed}\0{criterion}\0{sample[1]}".encode()).digest()

    found = []
    for position, _, part in sorted(listed, key=order):
        if part is not None:
            continue
        n += 1
        # Of equals the later part, so that a class of two has one to choose on and one to test.
        behind = max(
            range(len(PARTS)), key=lambda i: (round(SHARES[i] * n - sizes[PARTS[i]], 9), i)
        )
        sizes[PARTS[behind]] += 1
        found.append((position, PARTS[behind]))
    return found


def open_test(connection: Connection, run_id: str, criterion: str) -> None:
    """Log that the test part of a criterion has been looked at; a second look is not logged again.

    Raises:
        BadInputError: the labels are not split.
    """
    run_id = queries.find_run(connection, run_id).run_id
    if criterion not in part_counts(connection, run_id):
        raise BadInputError(
            f"The labels {criterion!r} of the run are not split, so there is no test part."
        )
    if criterion not in opened_tests(connection, run_id):
        writes.log(connection, "test opened", run_id=run_id, new=criterion)
        writes.raise_version(connection, run_id)
