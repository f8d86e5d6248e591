"""Working out what follows from a run's texts: once per sample, in batches kept at once.

Hits and redundancy follow from contexts and gold, overlap from answers and references.
"""

from collections.abc import Callable, Iterator, Mapping

from core.metrics.hit_rule import PLAIN, HitRule
from core.metrics.hits import HitOptions, Hits, find_hits
from core.metrics.redundancy import redundancy_of_texts
from core.store import derived, hit_rules, queries, writes
from core.store.connection import Store
from core.store.context_marks import marked
from core.store.derived import EvidenceInput
from core.workflows.comparing_answers import compare_answers

_BATCH = 2_000
#: Runs up to this size are worked out while a page waits; larger ones in the background.
INLINE = 5_000
Progress = Callable[[int, int], None]


def n_underived(store: Store, run_id: str) -> int:
    """Samples of a run whose hits have not been worked out yet."""
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        rule = hit_rules.hit_rule(connection, run.run_id)
        missing = {
            position
            for key in {PLAIN.key, rule.key}
            for position in derived.underived(connection, run.run_id, key)
        }
        return len(missing)


def derive(store: Store, run_id: str, progress: Progress | None = None) -> int:
    """Work out what is missing; returns for how many samples.

    Each batch is one transaction, so a killed process leaves whole batches and the next call goes
    on after them.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        rule = hit_rules.hit_rule(connection, queries.find_run(connection, run_id).run_id)
    done = derive_by(store, run_id, PLAIN, progress)
    if rule != PLAIN:
        done = max(done, derive_by(store, run_id, rule, progress))
    return max(done, compare_answers(store, run_id, progress))


def derive_by(store: Store, run_id: str, rule: HitRule, progress: Progress | None = None) -> int:
    """Work out the hits by one rule; with the plain one, also how the contexts repeat.

    Raises:
        NotFoundError: no such run.
        BadInputError: the rule's table of words is none.
    """
    options = rule.options()
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        positions = derived.underived(connection, run.run_id, rule.key)
    done = 0
    for batch in _batches(positions):
        with store.reading() as connection:
            inputs = derived.evidence_inputs(connection, run.run_id, run.has_contexts, batch)
            said = marked(connection, run.run_id, rule.marks, batch) if rule.marks else {}
        hits = [
            (sample.position, _hits(sample, options, said.get(sample.position, {})))
            for sample in inputs
        ]
        pairs = None
        if rule == PLAIN:
            pairs = redundancy_of_texts(
                [(context.rank, context.text) for context in sample.contexts or ()]
                for sample in inputs
            )
        with store.writing() as connection:
            # Another process may have worked on the same samples meanwhile; then its work stands.
            if set(batch) <= set(derived.underived(connection, run.run_id, rule.key)):
                derived.append_hits(connection, run.run_id, hits, rule.key)
                if pairs is not None:
                    derived.append_redundancy(
                        connection, run.run_id, [sample.position for sample in inputs], pairs
                    )
                # A rule that does not count yet changes nothing that a page shows.
                if hit_rules.hit_rule(connection, run.run_id).key == rule.key:
                    writes.refresh_wide(connection, run.run_id, batch)
                if hit_rules.hit_rule(connection, run.run_id).key == rule.key or pairs is not None:
                    writes.raise_version(connection, run.run_id)
        done += len(batch)
        if progress is not None:
            progress(done, len(positions))
    return done


def _hits(sample: EvidenceInput, options: HitOptions, said: Mapping[int, bool]) -> Hits:
    judged = [said.get(context.rank) for context in sample.contexts or ()]
    return find_hits(sample.contexts, sample.gold, sample.references, options, judged)


def _batches(positions: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(positions), _BATCH):
        yield positions[start : start + _BATCH]
