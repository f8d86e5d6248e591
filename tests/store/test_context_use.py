"""Context use from a file to figures: the published shares of 59 samples, and the filters."""

import json
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.filters import from_terms
from core.store import matching
from core.store.connection import Store
from core.workflows import review
from core.workflows.context_use import context_use
from core.workflows.deriving import derive
from core.workflows.diagnosing import diagnose
from core.workflows.importing import Options, import_file
from core.workflows.setup import ensure_store

# 27 + 2 + 12 + 8 adhere, 34 of 59 hit, 42 are correct; which cell holds how many stands in
# tests/app/test_context_use_published.py beside the same file.
GOLDEN = Path(__file__).parents[1] / "golden" / "published_quadrants.jsonl"


def rows() -> list[dict]:
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made, _ = ensure_store(tmp_path / "store.duckdb")
    file = tmp_path / "published.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    assert import_file(made, file, Options()).is_stored
    return made


def test_published_shares_of_59_samples(store: Store) -> None:
    found = diagnose(store, "published", review.View())
    assert found["cue_published"] == {
        "effective_use": 29,
        "information_blindness": 5,
        "lucky_guess": 20,
        "correct_rejection": 5,
        "undetermined": 0,
    }
    head = found["headline"]
    assert head["accuracy"]["value"] == pytest.approx(42 / 59)
    assert head["hit_share"]["value"] == pytest.approx(34 / 59)
    assert head["effective_use"]["value"] == pytest.approx(29 / 59)
    assert head["gap_hit"]["value"] == pytest.approx(8 / 59)
    assert head["gap_effective"]["value"] == pytest.approx(13 / 59)
    # 12 + 2 + 1 correct answers without hit and adherence together
    assert head["ungrounded_correct"]["value"] == pytest.approx(15 / 59)
    assert sum(found["cue_extended"].values()) == 59
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("term", "n"),
    [
        ("quadrant=published:effective_use", 29),
        ("quadrant=published:lucky_guess", 20),
        ("quadrant=effective_use", 27),
        ("quadrant=misread_evidence", 2),
        ("quadrant=lucky_guess_attributed", 12),
        ("quadrant=undetermined", 0),
        ("hit=miss", 25),
    ],
)
def test_a_quadrant_opens_exactly_its_samples(store: Store, term: str, n: int) -> None:
    derive(store, "published")
    with review.matched(store, "published", review.View(wanted=from_terms([term]))) as (found, _):
        assert matching.matched_count(found) == n


def test_contradiction_opens_exactly_the_samples_it_counts(store: Store) -> None:
    derive(store, "published")
    found = context_use(store, "published", review.View())
    for spec, n in found.contradictions:
        view = review.View(wanted=from_terms([f"contradiction={spec.id.value}"]))
        with review.matched(store, "published", view) as (connection, _):
            assert matching.matched_count(connection) == n


@pytest.mark.parametrize("term", ["quadrant=happiness", "contradiction=happiness"])
def test_unknown_names_are_refused_in_words(store: Store, term: str) -> None:
    view = review.View(wanted=from_terms([term]))
    with (
        pytest.raises(BadInputError, match="happiness"),
        review.matched(store, "published", view),
    ):
        pass


def test_adherence_by_hit_counts_every_sample_once(store: Store) -> None:
    derive(store, "published")
    found = context_use(store, "published", review.View())
    with_hit, without = found.adherence
    assert (sum(with_hit), sum(without)) == (34, 25)


def test_without_gold_nothing_is_counted_as_a_miss(tmp_path: Path) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    bare = [{key: v for key, v in row.items() if key != "gold_doc_ids"} for row in rows()[:5]]
    file = tmp_path / "bare.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    import_file(store, file, Options())
    found = diagnose(store, "bare", review.View())
    assert found["cue_published"]["undetermined"] == 5
    assert found["headline"]["hit_share"]["value"] is None
    assert found["headline"]["ungrounded_correct"]["reason"]
