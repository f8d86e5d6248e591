"""Deterministic runs to measure with: neutral JSON Lines of any size, always the same bytes.

Files and stores are kept in a folder of the machine's temporary directory (``folder``), because
making them takes longer than most of what is measured. Delete that folder to start anew.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.store import queries
from core.store.connection import Store
from core.workflows.importing import import_file
from core.workflows.setup import ensure_store

VERSION = 1
SEED = 20_261_130
N_CONTEXTS = 5
WORDS_PER_CONTEXT = 102
_BLOCK = 1_000
_VOCABULARY = 20_000
_DOMAINS = ("billing", "devices", "travel", "health", "law", "cooking", "sports", "history")
_LANGUAGES = ("en", "de", "fr", "es")
# The frequent words are English, so that whatever looks for a language finds work to do.
_FREQUENT = (
    "the of and to in a is that for it as was with on be by at this are from or an not which but"
    " were can has have had their its will would there been if more when also they all may one two"
    " than other into only some such no so these who time up out".split()
)


def folder() -> Path:
    """Where generated files and stores are kept (``RAGTRIAGE_BENCH`` names another place)."""
    named = os.environ.get("RAGTRIAGE_BENCH")
    path = Path(named) if named else Path(tempfile.gettempdir()) / f"ragtriage-bench-{VERSION}"
    path.mkdir(parents=True, exist_ok=True)
    return path


def jsonl(n: int, *, with_text: bool = True, variant: int = 0) -> Path:
    """A file with one run of n samples; made on the first call.

    Another variant has the same sample ids and other figures, as a second run of a dataset has.
    """
    path = folder() / f"{'text' if with_text else 'ids'}-{n}-{variant}.jsonl"
    if not path.exists():
        partial = path.with_suffix(".partial")
        rng = np.random.default_rng(SEED + variant)
        with partial.open("w", encoding="utf-8") as out:
            for record in _records(n, path.stem, rng, with_text=with_text):
                out.write(json.dumps(record, ensure_ascii=False))
                out.write("\n")
        partial.replace(path)
    return path


def _records(
    n: int, run: str, rng: np.random.Generator, *, with_text: bool
) -> Iterator[dict[str, Any]]:
    words = _vocabulary(rng)
    # Zipf: the word of rank r occurs in proportion to 1 / r.
    shares = np.cumsum(1 / np.arange(1, _VOCABULARY + 1))
    shares /= shares[-1]

    def texts(count: int, length: int) -> list[str]:
        places = np.searchsorted(shares, rng.random((count, length)))
        return [" ".join(row) for row in words[places]]

    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        figures = _figures(rng, size)
        if with_text:
            contexts = texts(size * N_CONTEXTS, WORDS_PER_CONTEXT)
            doc_ids = rng.integers(0, max(50, n), size * N_CONTEXTS)
            questions, answers = texts(size, 12), texts(size, 45)
            references = texts(size, 20)
        for i in range(size):
            record: dict[str, Any] = {"run": run, "sample_id": f"sample-{start + i:07d}"}
            if with_text:
                record["question"] = f"{questions[i]}?"
                record["answer"] = f"{answers[i]}."
                record["reference"] = f"{references[i]}."
                first = i * N_CONTEXTS
                record["contexts"] = [
                    {
                        "doc_id": f"doc-{doc_ids[first + k]}",
                        "text": contexts[first + k],
                        "rank": k + 1,
                        "score": round(0.9 - 0.1 * k, 2),
                    }
                    for k in range(N_CONTEXTS)
                ]
                record["gold_doc_ids"] = [f"doc-{doc_ids[first + i % 7]}"] if i % 7 < 5 else []
            else:
                record["question"] = ""
            record |= _judged(figures, i)
            yield record


def _vocabulary(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    onsets = "b c d f g h k l m n p r s t v w br cl dr gr pl sh st tr".split()
    vowels = "a e i o u ai ea ou".split()
    codas = ["", "", "n", "r", "s", "t", "l"]
    syllables = [a + b + c for a in onsets for b in vowels for c in codas]
    invented = _VOCABULARY - len(_FREQUENT)
    picks = rng.integers(0, len(syllables), (invented, 3))
    # Frequent words are short, as in every language.
    lengths = np.where(np.arange(invented) < 4_000, 2, 3)
    names = ["".join(syllables[p] for p in picks[i, : lengths[i]]) for i in range(invented)]
    return np.array([*_FREQUENT, *names], dtype=object)


def _figures(rng: np.random.Generator, size: int) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "context_relevance": np.round(rng.beta(4, 1.5, size), 3),
        "groundedness": np.round(rng.beta(5, 1.2, size), 3),
        "answer_relevance": np.round(rng.beta(6, 1.3, size), 3),
        "token_overlap": np.round(rng.beta(3, 2, size), 3),
        "bleu": np.round(rng.beta(1.5, 6, size), 3),
        "latency_score": np.round(rng.beta(2, 2, size), 3),
        "absent": rng.random(size) < 0.02,
        "refused": rng.random(size) < 0.06,
        "correct": rng.random(size) < 0.75,
        "answerable": rng.random(size) < 0.93,
        "labelled": rng.random(size) < 0.3,
        "domain": rng.integers(0, len(_DOMAINS), size),
        "language": rng.integers(0, len(_LANGUAGES), size),
    }


def _judged(figures: dict[str, np.ndarray[Any, Any]], i: int) -> dict[str, Any]:
    names = list(figures)[:6]
    scores = {name: float(figures[name][i]) for name in names}
    if figures["absent"][i]:
        del scores["answer_relevance"]
    labels = (
        {name: int(figures[name][i]) for name in ("correct", "refused", "answerable")}
        if figures["labelled"][i]
        else {}
    )
    return {
        "scores": scores,
        "labels": labels,
        "tags": {
            "domain": _DOMAINS[figures["domain"][i]],
            "language": _LANGUAGES[figures["language"][i]],
        },
    }


def store(n: int, *, with_text: bool = True) -> tuple[Path, str, str]:
    """A store with a run of n samples and a baseline without text: path, run id, baseline id."""
    path = folder() / f"store-{'text' if with_text else 'ids'}-{n}.duckdb"
    if not path.exists():
        making = path.with_name(f"making-{path.name}")
        for left in path.parent.glob(f"{making.name}*"):
            left.unlink()
        partial, _ = ensure_store(making)
        for file in (jsonl(n, with_text=False, variant=1), jsonl(n, with_text=with_text)):
            import_file(partial, file)
        partial.path.replace(path)
    with Store(path).reading() as connection:
        run_ids = {run.name: run.run_id for run in queries.runs(connection)}
    return path, run_ids[f"{'text' if with_text else 'ids'}-{n}-0"], run_ids[f"ids-{n}-1"]


if __name__ == "__main__":
    for count, has_text in ((10_000, True), (50_000, True), (100_000, True), (1_000_000, False)):
        made = jsonl(count, with_text=has_text)
        print(f"{made}  {made.stat().st_size / 1e6:,.0f} MB")
