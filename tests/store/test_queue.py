"""The queue that Triage keeps: the order of the list, places in it, samples outside of it."""

from pathlib import Path

import pytest

from core.errors import NotFoundError
from core.filters import from_terms
from core.model import Axis
from core.store.connection import Store
from core.workflows import review, sample_views

FAILED = review.View(wanted=from_terms(["mode=retrieval_failure", "mode=hallucination"]))
MOVED = review.View(cuts=((Axis.GROUNDEDNESS, 5.0),))


@pytest.fixture(scope="module")
def store(demo_store_file: Path) -> Store:
    return Store(demo_store_file)


@pytest.fixture(scope="module")
def run_id(store: Store) -> str:
    with store.reading() as connection:
        return str(connection.execute("select min(run_id) from run").fetchall()[0][0])


def ids(store: Store, run_id: str, view: review.View) -> list[str]:
    total, rows = sample_views.sample_rows(store, run_id, view, limit=1_000)
    assert total == len(rows) > 3
    return [row.sample_id for row in rows]


@pytest.mark.parametrize("view", [review.View(), FAILED, MOVED])
def test_queue_leads_through_the_list_in_its_order(
    store: Store, run_id: str, view: review.View
) -> None:
    expected = ids(store, run_id, view)
    waiting = sample_views.queue(store, run_id, view)
    walked, wanted = [], None
    while True:
        found = sample_views.sample_view(store, run_id, view, wanted, waiting)
        assert found is not None
        assert found.place is not None
        assert (found.total, found.first_id) == (len(expected), expected[0])
        assert found.place.previous_id == (walked[-1] if walked else None)
        walked.append(found.detail.sample["sample_id"])
        assert found.place.place == len(walked)
        wanted = found.place.next_id
        if wanted is None:
            break
    assert walked == expected


def test_kept_queue_changes_nothing_about_a_sample(store: Store, run_id: str) -> None:
    waiting = sample_views.queue(store, run_id, MOVED)
    for sample_id in ids(store, run_id, MOVED)[::9]:
        fresh = sample_views.sample_view(store, run_id, MOVED, sample_id)
        alone = sample_views.sample_alone(store, run_id, MOVED, sample_id)
        assert fresh is not None
        assert sample_views.sample_view(store, run_id, MOVED, sample_id, waiting) == fresh
        assert (alone.detail, alone.diagnosis, alone.flags) == (
            fresh.detail,
            fresh.diagnosis,
            fresh.flags,
        )


def test_sample_outside_the_filter_opens_without_a_place(store: Store, run_id: str) -> None:
    inside = ids(store, run_id, FAILED)
    outside = next(one for one in ids(store, run_id, review.View()) if one not in inside)
    found = sample_views.sample_view(store, run_id, FAILED, outside)
    assert found is not None
    assert found.detail.sample["sample_id"] == outside
    assert (found.place, found.total, found.first_id) == (None, len(inside), inside[0])


def test_empty_queue_opens_nothing(store: Store, run_id: str) -> None:
    nothing = review.View(wanted=from_terms(["text=no sample says this"]))
    assert sample_views.sample_view(store, run_id, nothing, None) is None


def test_unknown_sample_is_not_found(store: Store, run_id: str) -> None:
    with pytest.raises(NotFoundError, match="no sample 'elsewhere'"):
        sample_views.sample_view(store, run_id, review.View(), "elsewhere")
