"""Figures of context use, with RAG-X's 59 samples built anew (METRICS 4.1)."""

import json

import pytest

from core.diagnosis.cue import CuePattern, Extended, Published
from core.diagnosis.cue_summary import GAPS, CueCount, CueSummary, joint_bounds, summarise_cue


def _count(n: int, *values: int | None) -> CueCount:
    return CueCount(CuePattern(*values).code, n)


def _ragx() -> CueSummary:
    """29 effective use, 20 lucky guess, 5 blindness, 5 rejection; 42 correct of 59.

    The source gives the margins only; here 24 of the correct ones are in effective use.
    """
    return summarise_cue(
        [
            _count(24, 1, 1, 1, 0),
            _count(5, 1, 1, 0, 0),
            _count(14, 0, 1, 1, 0),
            _count(6, 0, 1, 0, 0),
            _count(4, 1, 0, 1, 0),
            _count(1, 1, 0, 0, 0),
            _count(5, 0, 0, None, 1),  # the refusals
        ]
    )


def test_quadrants_of_59_samples_as_published() -> None:
    summary = _ragx()
    assert summary.published == {
        Published.EFFECTIVE_USE: 29,
        Published.INFORMATION_BLINDNESS: 5,
        Published.LUCKY_GUESS: 20,
        Published.CORRECT_REJECTION: 5,
        Published.UNDETERMINED: 0,
    }
    shares = [round(100 * n / 59, 1) for n in summary.published.values()]
    assert shares == [49.2, 8.5, 33.9, 8.5, 0.0]


def test_headline_rates_of_59_samples() -> None:
    summary = _ragx()
    # hits: 24 + 5 + 4 + 1 = 34
    assert (summary.hit_share.k, summary.hit_share.n) == (34, 59)
    assert summary.hit_share.value == pytest.approx(0.576, abs=5e-4)
    assert summary.effective_use.value == pytest.approx(0.492, abs=5e-4)
    assert summary.effective_use.low == pytest.approx(0.368, abs=5e-4)
    assert summary.effective_use.high == pytest.approx(0.616, abs=5e-4)
    # correct: 24 + 14 + 4 = 42 of 59, refusals among the 59
    assert (summary.accuracy_in_use.k, summary.accuracy_in_use.n) == (42, 59)


def test_the_three_gaps_are_three_figures() -> None:
    summary = _ragx()
    # 42 - 34 = 8: the 14 points of the source, 13.56; 42 - 29 = 13; 14 + 4 = 18
    assert summary.gap_hit.value == pytest.approx(8 / 59)
    assert summary.gap_effective.value == pytest.approx(13 / 59)
    assert summary.ungrounded_correct.value == pytest.approx(18 / 59)
    assert [one.n for one in (summary.gap_hit, summary.gap_effective)] == [59, 59]


def test_accuracy_is_its_grounded_and_its_ungrounded_part() -> None:
    summary = _ragx()
    assert (summary.grounded_correct.k, summary.ungrounded_correct.k) == (24, 18)


def test_gaps_have_intervals_of_paired_samples() -> None:
    gap = _ragx().gap_hit
    assert gap.low is not None
    assert gap.high is not None
    assert gap.low < 8 / 59 < gap.high
    # correct without a hit 14, hit without correct 6, as if 20 of 59 samples differed
    assert -0.02 < gap.low < 0.02


@pytest.mark.parametrize(
    ("what", "one", "other", "expected"),
    [
        ("correct without a hit", 42, 59 - 34, (8, 25)),
        ("correct and in effective use", 42, 29, (12, 29)),
        ("correct and a lucky guess", 42, 20, (3, 20)),
        ("correct and not in effective use", 42, 59 - 29, (13, 30)),
    ],
)
def test_margins_alone_bound_what_the_joint_data_settle(
    what: str, one: int, other: int, expected: tuple[int, int]
) -> None:
    assert joint_bounds(one, other, 59) == expected, what


def test_bounds_are_reached_by_some_run() -> None:
    # 29 in effective use all correct: 13 others are; or 12 of the 29 and all 30 others
    low = summarise_cue([_count(29, 1, 1, 1, 0), _count(13, 0, 1, 1, 0), _count(17, 0, 0, 0, 0)])
    high = summarise_cue([_count(12, 1, 1, 1, 0), _count(17, 1, 1, 0, 0), _count(30, 0, 0, 1, 0)])
    assert (low.ungrounded_correct.k, high.ungrounded_correct.k) == (13, 30)
    assert low.accuracy_in_use.k == high.accuracy_in_use.k == 42


def test_counts_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no counts"):
        joint_bounds(60, 1, 59)


# --- what is missing ------------------------------------------------------------------------------


def test_quadrants_and_undetermined_add_up_to_n() -> None:
    summary = summarise_cue([_count(3, 1, 1, 1, 0), _count(2, None, 1, 1, 0), _count(1, 1)])
    assert (summary.n, summary.published[Published.UNDETERMINED]) == (6, 3)
    assert summary.extended[Extended.UNDETERMINED] == 3
    assert sum(summary.published.values()) == sum(summary.extended.values()) == 6


def test_denominators_hold_the_samples_where_the_figure_is_known() -> None:
    summary = summarise_cue(
        [
            _count(4, 1, 1, 1, 0),
            _count(2, 0, None, 1, 0),  # adherence unknown
            _count(3, None, 1, 1, 0),  # hit unknown
            _count(1, 0, 1, None, 0),  # correctness unknown
        ]
    )
    assert (summary.hit_share.k, summary.hit_share.n) == (4, 7)
    assert (summary.effective_use.k, summary.effective_use.n) == (4, 5)
    # correct and hit known: 4 + 2; 6 of 6 correct, 4 hits
    assert (summary.gap_hit.value, summary.gap_hit.n) == (pytest.approx(2 / 6), 6)
    # adherence known as well: 4 of 4 grounded
    assert (summary.ungrounded_correct.k, summary.ungrounded_correct.n) == (0, 4)


def test_a_refusal_is_not_correct_and_needs_no_adherence() -> None:
    summary = summarise_cue([_count(1, 1, 1, 1, 0), _count(1, 0, None, 1, 1)])
    assert (summary.accuracy_in_use.k, summary.accuracy_in_use.n) == (1, 2)
    assert (summary.gap_hit.k, summary.gap_hit.n) == (0, 2)


def test_gaps_may_be_below_zero() -> None:
    summary = summarise_cue([_count(3, 1, 1, 0, 0), _count(1, 1, 1, 1, 0)])
    # 1/4 - 4/4
    assert summary.gap_hit.value == pytest.approx(-0.75)
    assert summary.ungrounded_correct.value == 0.0


@pytest.mark.parametrize(
    "rows",
    [[], [_count(2, 1, 1, None, 0)], [_count(2, 1, 0, None, 1)], [_count(2, None, 1, 1, 0)]],
    ids=["nothing", "correctness unknown", "refusals only", "hit unknown"],
)
def test_without_a_known_answer_accuracy_is_compared_with_nothing(rows: list[CueCount]) -> None:
    document = summarise_cue(rows).as_json()["headline"]
    for name in ("gap_hit", "gap_effective", "ungrounded_correct"):
        assert document[name]["value"] is None
        assert document[name]["reason"]


def test_a_run_without_gold_has_no_hit_share() -> None:
    document = summarise_cue([_count(5, None, 1, 1, 0)]).as_json()
    assert document["headline"]["hit_share"]["value"] is None
    assert document["cue_published"]["undetermined"] == 5


def test_json_has_the_keys_of_the_contract() -> None:
    document = _ragx().as_json()
    json.dumps(document, allow_nan=False)
    assert list(document) == ["cue_published", "cue_extended", "headline"]
    assert set(document["cue_published"]) == {
        "effective_use",
        "information_blindness",
        "lucky_guess",
        "correct_rejection",
        "undetermined",
    }
    assert set(document["cue_extended"]) == {str(quadrant) for quadrant in Extended}
    assert list(document["headline"]) == list(GAPS)
    assert list(GAPS) == [
        "hit_share",
        "effective_use",
        "gap_hit",
        "gap_effective",
        "ungrounded_correct",
    ]
    assert set(document["headline"]["gap_hit"]) == {"value", "low", "high", "n"}
