"""Comparing answers with their references: once per sample, in batches that are kept at once."""

from collections.abc import Callable
from functools import lru_cache

from core.judge import overlap
from core.metrics.similarity import TfidfSimilarity
from core.model import Verdict
from core.store import answers, queries, writes
from core.store.connection import Store
from core.store.judges import judge_id

JUDGE_ID = judge_id(overlap.SPEC)
_BATCH = 1_000
Progress = Callable[[int, int], None]


def compare_answers(store: Store, run_id: str, progress: Progress | None = None) -> int:
    """Compare the answers that have not been; returns for how many samples.

    In a run without answers nothing is stored, without any reference only the lengths.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        run = queries.find_run(connection, run_id)
        positions = answers.uncompared(connection, run.run_id, JUDGE_ID)
        has_references = answers.has_references(connection, run.run_id)
    if not positions:
        return 0
    metrics = overlap.METRICS if has_references else ("answer_words",)
    similarity = word_weights(store, run.run_id, run.n_samples)
    done = 0
    for start in range(0, len(positions), _BATCH):
        batch = positions[start : start + _BATCH]
        with store.reading() as connection:
            texts = answers.answer_texts(connection, run.run_id, batch)
        verdicts: list[Verdict] = []
        for one in texts:
            verdicts += overlap.compare_answer(
                one.position, one.question, one.answer, one.references, similarity, metrics
            )
        with store.writing() as connection:
            # Another process may have worked on the same samples meanwhile; then its work stands.
            if set(batch) <= set(answers.uncompared(connection, run.run_id, JUDGE_ID)):
                writes.append_verdicts(connection, run.run_id, overlap.SPEC, verdicts)
        done += len(batch)
        if progress is not None:
            progress(done, len(positions))
    return done


@lru_cache(maxsize=8)
def _fitted(path: str, run_id: str, n_samples: int) -> TfidfSimilarity:
    with Store(path).reading() as connection:
        texts = answers.answer_fit_texts(connection, run_id, overlap.FIT_SAMPLES)
    return TfidfSimilarity.fit(texts)


def word_weights(store: Store, run_id: str, n_samples: int) -> TfidfSimilarity:
    """Word weights from the answers and references of a run; the same whatever is compared."""
    return _fitted(str(store.path), run_id, n_samples)
