"""Working out hits and redundancy of a run: once per sample, in batches that are kept at once."""

from collections.abc import Callable, Iterator

from core.metrics.hits import find_hits
from core.metrics.redundancy import redundancy_of_texts
from core.store import derived, queries, writes
from core.store.connection import Store

_BATCH = 2_000
#: Runs up to this size are worked out while a page waits; larger ones in the background.
INLINE = 5_000
Progress = Callable[[int, int], None]


def n_underived(store: Store, run_id: str) -> int:
    """Samples of a run whose hits have not been worked out yet."""
    with store.reading() as connection:
        return len(derived.underived(connection, queries.find_run(connection, run_id).run_id))


def derive(store: Store, run_id: str, progress: Progress | None = None) -> int:
    """Work out what is missing; returns for how many samples.

    Each batch is one transaction, so a killed process leaves whole batches and the next call goes
    on after them.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        positions = derived.underived(connection, run.run_id)
    done = 0
    for batch in _batches(positions):
        with store.reading() as connection:
            inputs = derived.evidence_inputs(connection, run.run_id, run.has_contexts, batch)
        hits = [
            (sample.position, find_hits(sample.contexts, sample.gold, sample.references))
            for sample in inputs
        ]
        pairs = redundancy_of_texts(
            [(context.rank, context.text) for context in sample.contexts or ()] for sample in inputs
        )
        with store.writing() as connection:
            # Another process may have worked on the same samples meanwhile; then its work stands.
            if set(batch) <= set(derived.underived(connection, run.run_id)):
                derived.append_hits(connection, run.run_id, hits)
                derived.append_redundancy(
                    connection, run.run_id, [sample.position for sample in inputs], pairs
                )
                writes.refresh_wide(connection, run.run_id, batch)
                writes.raise_version(connection, run.run_id)
        done += len(batch)
        if progress is not None:
            progress(done, len(positions))
    return done


def _batches(positions: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(positions), _BATCH):
        yield positions[start : start + _BATCH]
