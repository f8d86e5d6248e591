"""Real files of other people, by a table of what is in each; counted there with other means."""

import csv
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.ingest.mapping_toml import load
from core.ingest.preview import preview
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.reports import FileReport

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str) -> list[dict[str, str]]:
    with (GOLDEN / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


RAGAS = golden("ragas_samples.csv")
MAPPED = golden("mapped_samples.csv")


def counts(report: FileReport) -> dict[str, str]:
    """Sums over the runs of a file, written as in the golden tables."""
    scores: dict[str, list[int]] = {}
    labels: dict[str, int] = {}
    for run in report.runs:
        for name, row in run.metrics.items():
            known = scores.setdefault(name, [0, 0, 0])
            for place, state in enumerate(("n", "error", "not_scored")):
                known[place] += row[state]
        for name, row in run.labels.items():
            labels[name] = labels.get(name, 0) + row["n"]
    return {
        "runs": str(len(report.runs)),
        "samples": str(sum(run.samples for run in report.runs)),
        "contexts": str(sum(run.contexts for run in report.runs)),
        "gold": str(sum(run.gold for run in report.runs)),
        "scores": " ".join(f"{k}={'/'.join(map(str, v))}" for k, v in sorted(scores.items())),
        "labels": " ".join(f"{name}={n}" for name, n in sorted(labels.items())),
    }


def expected(row: dict[str, str]) -> dict[str, str]:
    return {key: row[key] for key in ("runs", "samples", "contexts", "gold", "scores", "labels")}


def test_the_golden_table_names_every_file_of_ragas(samples_dir: Path) -> None:
    assert sorted(row["file"] for row in RAGAS) == sorted(
        path.name for path in (samples_dir / "ragas").iterdir()
    )


@pytest.mark.parametrize("row", RAGAS, ids=[row["file"][:40] for row in RAGAS])
def test_ragas_file_previews_and_imports_or_is_refused_with_the_reason(
    samples_dir: Path, fresh_store: Store, row: dict[str, str]
) -> None:
    path = samples_dir / "ragas" / row["file"]
    if row["refusal"]:
        with pytest.raises(BadInputError) as caught:
            import_file(fresh_store, path)
        assert row["refusal"] in str(caught.value)
        return
    seen = import_file(fresh_store, path, Options(is_dry_run=True))
    report = import_file(fresh_store, path)

    assert report.is_stored
    assert report.format == row["format"]
    assert counts(report) == counts(seen) == expected(row)
    assert any(row["notice"] in notice.notice for notice in report.notices)


@pytest.mark.parametrize("row", MAPPED, ids=[row["map"] for row in MAPPED])
def test_hand_made_file_imports_through_its_saved_map(
    samples_dir: Path, fresh_store: Store, row: dict[str, str]
) -> None:
    mapping = load(GOLDEN / "maps" / f"{row['map']}.toml")
    path = samples_dir / row["file"]

    table = preview(path, mapping)
    report = import_file(fresh_store, path, Options(mapping=mapping))

    assert report.is_stored
    assert counts(report) == expected(row)
    assert table.mapping == mapping
    assert table.n_rows >= sum(run.samples for run in report.runs)


def test_every_sample_file_previews_or_is_refused_in_words(samples_dir: Path) -> None:
    refused = {}
    for path in sorted(p for p in samples_dir.rglob("*") if p.is_file() and p.suffix != ".md"):
        try:
            assert preview(path).columns
        except BadInputError as error:
            refused[path.name.split("__")[-1]] = str(error)
    # 39 files: what is no table says what it is instead.
    assert sorted(refused) == [
        "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval",
        "latest_test_run.json",
        "real_ragas_evaluation_20250620_085647.json",
        "results.json",
        "run.json",
        "summary.json",
        "test_run_sample.json",
        "trulens_2_16_0_otel.sqlite",
    ]


def test_scores_of_a_ragas_file_feed_the_axes(samples_dir: Path, fresh_store: Store) -> None:
    path = samples_dir / "ragas" / RAGAS[0]["file"]
    metrics = import_file(fresh_store, path).runs[0].metrics
    assert {name: row["axis"] for name, row in metrics.items()} == {
        "answer_relevancy_embed": "answer_relevance",
        "context_relevance_ratio": "context_relevance",
        "faithfulness": "groundedness",
    }
